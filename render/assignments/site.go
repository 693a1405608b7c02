package assignments

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
)

// Conditions is what a cluster's decisions were made under. Each of these, changed while hosts are assigned, would do
// harm: with other label keys an assigned host looks free; what another engine, or another namespace of it, no longer
// finds in the tree, the first one prunes.
type Conditions struct {
	Name string `json:"name"`
	// Engine, and the namespace of its objects.
	Engine          v1alpha1.Engine    `json:"engine"`
	EngineNamespace string             `json:"engineNamespace"`
	Apply           v1alpha1.ApplyMode `json:"apply"`
	LabelKeys       v1alpha1.LabelKeys `json:"labelKeys"`
	// Names of the Applications: empty for those without the site.
	Names string `json:"names,omitempty"`
}

func conditionsOf(site *v1alpha1.Site) Conditions {
	namespace, names := site.Spec.Flux.Namespace, ""
	if site.InNames() != "" {
		names = v1alpha1.NamesSite
	}
	if site.Spec.Engine == v1alpha1.EngineArgoCD {
		namespace = site.Spec.ArgoCD.Namespace
	}
	return Conditions{
		Name: site.Name, Engine: site.Spec.Engine, EngineNamespace: namespace,
		Apply: site.Spec.Hosts.Apply, LabelKeys: site.Spec.LabelKeys,
		Names: names,
	}
}

const namesField = "spec.argocd.names"

// siteChange is a field of the Site that is not what it was.
type siteChange struct{ field, was, is string }

// ofEngine reports whether it is the engine, or the namespace or the names of its objects.
func (c siteChange) ofEngine() bool {
	return c.field == "spec.engine" || c.field == namesField || strings.HasSuffix(c.field, ".namespace")
}

// changes compares field by field, in the Site's own words. Label keys matter where there are hosts.
func (a *File) changes(site *v1alpha1.Site) []siteChange {
	was, is := a.Site, conditionsOf(site)
	if len(a.Hosts)+len(a.Releasing) == 0 {
		was.LabelKeys = is.LabelKeys
	}
	if was.Engine != is.Engine {
		was.EngineNamespace, was.Names = is.EngineNamespace, is.Names // reported already
	}
	var out []siteChange
	for _, c := range []siteChange{
		{"metadata.name", was.Name, is.Name},
		{"spec.engine", string(was.Engine), string(is.Engine)},
		{"spec." + string(is.Engine) + ".namespace", was.EngineNamespace, is.EngineNamespace},
		{namesField, cmp.Or(was.Names, v1alpha1.NamesCluster), cmp.Or(is.Names, v1alpha1.NamesCluster)},
		{"spec.hosts.apply", string(was.Apply), string(is.Apply)},
		{"spec.labelKeys.clusterNamespace", was.LabelKeys.ClusterNamespace, is.LabelKeys.ClusterNamespace},
		{"spec.labelKeys.clusterName", was.LabelKeys.ClusterName, is.LabelKeys.ClusterName},
		{"spec.labelKeys.nodeType", was.LabelKeys.NodeType, is.LabelKeys.NodeType},
		{"spec.labelKeys.standby", was.LabelKeys.Standby, is.LabelKeys.Standby},
	} {
		if c.was != c.is {
			out = append(out, c)
		}
	}
	return out
}

// siteChanges collects, over all files of a tree, what the site was when they were written.
type siteChanges struct {
	order []siteChange
	files map[siteChange][]string
}

func (s *siteChanges) add(file string, changes []siteChange) {
	if s.files == nil {
		s.files = map[siteChange][]string{}
	}
	for _, c := range changes {
		if s.files[c] == nil {
			s.order = append(s.order, c)
		}
		s.files[c] = append(s.files[c], file)
	}
}

// problems has one error for each changed field.
func (s *siteChanges) problems(site *v1alpha1.Site) error {
	var problems manifest.Problems
	for _, c := range s.order {
		files := s.files[c]
		problems.Add(fmt.Errorf("site %s: %s: found %q, but the tree was made under %q (%s): %s",
			site.Name, c.field, c.is, c.was, text.Some(files, 1), changeAdvice(c.field)))
	}
	return problems.Err()
}

func changeAdvice(field string) string {
	if strings.HasPrefix(field, "spec.labelKeys.") {
		return "its hosts would look free; label keys can change when no host is assigned"
	}
	if field == "metadata.name" {
		return "put the name back: the objects of a running tree are named after it; another site has a folder of its " +
			"own, spec.repository.path"
	}
	if field == namesField {
		return "Argo CD would delete the Applications of the other names with their load balancers; " +
			"docs/application-names.md has the commands"
	}
	return "a running tree cannot change it; make a tree in another folder for another engine, and change label keys only while no host is assigned"
}
