package report

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// Relabeling is what the commands need that put labels back.
type Relabeling struct {
	Keys holdings.LabelKeys
	// Group is the first of the groups that the label guard does not restrict.
	Group string
	// Engines are the field managers of the GitOps engines.
	Engines []string
	// Manifests: the hosts are manifests, which lack the labels that the engine sets.
	Manifests bool
}

// relabeled is a host in use whose labels are not the tree's.
type relabeled struct {
	clusters []string
	disputed bool // the labels name another cluster that is there
	words    string
}

// AddRelabeled adds the dangers of hosts in use whose labels are not those of the tree, with the commands that end
// them. Those that this run releases are not among them: their labels are to go.
func (p *Plan) AddRelabeled(of *holdings.Holdings, with Relabeling) {
	goes := map[string]bool{}
	for i := range p.Clusters {
		for _, r := range p.Clusters[i].Roles {
			for _, s := range r.Slots {
				goes[s.Host] = goes[s.Host] || s.Status == StatusReleased
			}
		}
	}
	for _, h := range of.Relabeled() {
		if goes[h.Host.Key()] || with.Manifests && !h.Labels.Any {
			continue
		}
		does := "keeps"
		if h.State == holdings.Leaving {
			does = "is releasing"
		}
		words := fmt.Sprintf("%s %s %s %s, %s, whose labels were changed: %s; put them back: %s", h.Cluster, h.Role, does,
			h.Host.Key(), use(h), with.found(h), with.command(h))
		p.relabeled = append(p.relabeled, relabeled{[]string{h.Cluster.String()}, false, words})
	}
	for _, h := range of.Disputes() {
		p.relabeled = append(p.relabeled, relabeled{[]string{h.Cluster.String(), h.Rival.String()}, true,
			fmt.Sprintf("%s, %s, is disputed: the tree has it for %s %s, and its labels name %s: %s. "+
				"Neither cluster gets or loses it until one of these is done. If the labels are wrong: %s. "+
				"If the branch was rolled back, restore the tree: sipgen help runbook tree-lost. "+
				"If %s gives the host to %s, approve it in its spec, in git: add %s to the list in the annotation %s (HOST,HOST)",
				h.Host.Key(), use(h), h.Cluster, h.Role, h.Rival, with.found(h), with.command(h), h.Cluster, h.Rival,
				h.Host.Key(), v1.ApproveReleaseAnnotation)})
	}
}

// Relabeled returns the dangers of hosts in use whose labels are not those of the tree, disputed ones first.
func (p *Plan) Relabeled() []string {
	return sentences(append(p.relabeledBy(true), p.relabeledBy(false)...))
}

// Standing returns the dangers that are there whether or not the tree changes: emptied hosts, and changed labels.
func (p *Plan) Standing() []string { return append(p.Emptied(), p.Relabeled()...) }

// relabeledBy returns the dangers of one kind.
func (p *Plan) relabeledBy(disputed bool) (out []danger) {
	for _, r := range p.relabeled {
		if r.disputed == disputed {
			out = append(out, ofCluster(r.clusters[0], r.words))
		}
	}
	return out
}

func (r *relabeled) of(cluster string) bool { return slices.Contains(r.clusters, cluster) }

// use describes what uses a host.
func use(h *holdings.Holding) string {
	if c := h.Host.State.Consumer; c != nil {
		return "in use by " + c.String()
	}
	return "in use (" + holdings.Use(h.Host) + ")"
}

// found lists the labels that differ from the tree's, and who wrote labels of the claim by hand.
func (w Relabeling) found(h *holdings.Holding) string {
	var out []string
	for _, l := range w.differing(h) {
		words := "no " + l.Key
		if l.Is != "" {
			words = redact.Sprintf("%s is %q", l.Key, l.Is)
		}
		out = append(out, words)
	}
	words := strings.Join(out, ", ")
	if by := h.Writers(w.Keys, w.Engines...); len(by) > 0 {
		words += redact.Sprintf(", written by %q", by[0]) + text.More(len(by)-1)
	}
	return words
}

// command returns the command that sets the labels as the tree has them, for a member of a group that may.
func (w Relabeling) command(h *holdings.Holding) string {
	words := []string{"kubectl", "label", "-n", h.Host.Namespace, "baremetalhosts.metal3.io/" + h.Host.Name,
		"--overwrite", "--field-manager=oncall", "--as=YOU", "--as-group=" + w.Group}
	for _, l := range w.differing(h) {
		words = append(words, l.Key+"="+l.Want)
	}
	return strings.Join(words, " ")
}

// differing returns the labels of the claim that differ from the tree's. The engine sets the standby label.
func (w Relabeling) differing(h *holdings.Holding) []holdings.Label {
	differ := w.Keys.Differ(h.Host, holdings.Claim{Cluster: h.Cluster, Role: h.Role})
	return slices.DeleteFunc(differ, func(l holdings.Label) bool { return l.Key == w.Keys.Standby })
}
