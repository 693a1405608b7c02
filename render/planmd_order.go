package render

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

// stage is one part of the site that is synced by itself, and after how many others.
type stage struct {
	after  int
	folder string
	waits  bool
}

// orderMarkdown says in which order the engine syncs the site's own parts: read from the sync objects as they are rendered.
func (s *site) orderMarkdown(out *bytes.Buffer) {
	out.WriteString("\n### In which order\n\n")
	if s.Site.Spec.Engine == v1alpha1.EngineArgoCD {
		s.argoOrder(out)
	} else {
		s.fluxOrder(out)
	}
}

func (s *site) fluxOrder(out *bytes.Buffer) {
	found := map[string]fluxKustomization{}
	for path, content := range s.tree {
		if name, is := strings.CutPrefix(path, "flux/"); is && s.ownFile(name) {
			var k fluxKustomization
			if yaml.Unmarshal(content, &k) == nil {
				found[k.Name] = k
			}
		}
	}
	var after func(name string, depth int) int
	after = func(name string, depth int) int {
		n := 0
		for _, d := range found[name].Spec.DependsOn {
			if depth < len(found) {
				n = max(n, 1+after(d.Name, depth+1))
			}
		}
		return n
	}
	var stages []stage
	for name, k := range found {
		stages = append(stages, stage{after(name, 0), strings.TrimPrefix(k.Spec.Path, "./"), k.Spec.Wait})
	}
	out.WriteString("Flux syncs each by itself, those of one line side by side, and the next line when they are synced:\n\n")
	slices.SortFunc(stages, func(a, b stage) int { return cmp.Or(cmp.Compare(a.after, b.after), cmp.Compare(a.folder, b.folder)) })
	lines := make([][]string, 0, len(stages))
	for _, st := range stages {
		if st.after == len(lines) {
			lines = append(lines, nil)
		}
		words := "`" + st.folder + "`"
		if st.waits {
			words += ", until it is ready"
		}
		lines[st.after] = append(lines[st.after], words)
	}
	for i, line := range lines {
		fmt.Fprintf(out, "%d. %s\n", i+1, strings.Join(line, "; "))
	}
	out.WriteString("\nEach cluster's rights, services and hosts come in this order, its hosts after `policy`, and none of it after the site's services: a sick one stops no tenant.\n")
}

// ownFile says whether a file of sync objects is of the site itself, and has one.
func (s *site) ownFile(name string) bool {
	return slices.Contains([]string{"policy.yaml", "site.yaml", "networks.yaml", "placement.yaml", "ironic.yaml"}, name) || strings.HasPrefix(name, "vino.") && s.isVino(name)
}

// isVino: a namespace may be called vino, too.
func (s *site) isVino(name string) bool {
	for n := range s.Site.Spec.Services.VirtualHosts {
		if name == vinoFile(&s.Site.Spec.Services.VirtualHosts[n]) {
			return true
		}
	}
	return false
}

func (s *site) argoOrder(out *bytes.Buffer) {
	var stages []stage
	for path, content := range s.tree {
		name, is := strings.CutPrefix(path, "argocd/")
		if !is || !s.ownFile(name) {
			continue
		}
		var app argoApplication
		if yaml.Unmarshal(content, &app) != nil {
			continue
		}
		n, _ := strconv.Atoi(app.Annotations[argoWave])
		stages = append(stages, stage{after: n, folder: app.Spec.Source.Path})
	}
	out.WriteString("Argo CD creates the Applications by their waves, and waits for one to be healthy only where argocd-cm has a health check for Applications:\n\n")
	slices.SortFunc(stages, func(a, b stage) int { return cmp.Or(cmp.Compare(a.after, b.after), cmp.Compare(a.folder, b.folder)) })
	for _, st := range stages {
		fmt.Fprintf(out, "- wave %d: `%s`\n", st.after, st.folder)
	}
	if s.waves() {
		out.WriteString("\nEach cluster is one Application in wave 0, in which hosts wait for the cluster's services and for nothing else: a sick Ironic stops no tenant.\n")
		return
	}
	out.WriteString("\nClusters' services are in wave 0, their hosts in wave 1: a sick Ironic comes after both and stops no tenant.\n")
}
