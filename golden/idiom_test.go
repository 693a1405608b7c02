package golden

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/stretchr/testify/assert"
	"go.yaml.in/yaml/v3"
)

// bothEngines are the files of a tree that name the other engine, with the reason.
var bothEngines = map[string]string{
	"policy/sync-guard.yaml": "a host keeps the annotations of an earlier engine until an operator removes them",
	"policy/reader.yaml":     "the same rights as config/reader.yaml, which is applied before a Site names an engine",
}

// sortedFiles are the files whose fields are all in the order of their names, with the reason.
var sortedFiles = map[string]string{
	"authentication.yaml": "Cluster API replaces a tenant's machines when the text of their files changes",
}

// TestObjectsOfASite: the objects that people look up by site have its labels, a tree names one engine, apiVersion,
// kind and metadata come first in each document, and each project has its Application. The examples, and each of them
// on the other engine with all that it can have there.
func TestObjectsOfASite(t *testing.T) {
	labeled := map[string]int{}
	check := func(t *testing.T, site *v1alpha1.Site, tree map[string][]byte) {
		other := "fluxcd.io"
		if site.Spec.Engine != v1alpha1.EngineArgoCD {
			other = "argocd.argoproj.io"
		}
		projects, used := map[string]bool{}, map[string]bool{}
		for _, name := range slices.Sorted(maps.Keys(tree)) {
			if bothEngines[name] == "" && bytes.Contains(tree[name], []byte(other)) {
				t.Errorf("%s names %s, and the site's engine is %s", name, other, site.Spec.Engine)
			}
			if path.Ext(name) != ".yaml" {
				continue
			}
			decoder := yaml.NewDecoder(bytes.NewReader(tree[name]))
			for {
				var root yaml.Node
				if decoder.Decode(&root) != nil {
					break
				}
				var keys []string
				for i := 0; i < len(root.Content[0].Content); i += 2 {
					keys = append(keys, root.Content[0].Content[i].Value)
				}
				if _, sorted := sortedFiles[path.Base(name)]; !sorted {
					first := slices.DeleteFunc([]string{"apiVersion", "kind", "metadata"},
						func(key string) bool { return !slices.Contains(keys, key) })
					assert.Truef(t, len(keys) >= len(first) && slices.Equal(keys[:len(first)], first),
						"%s: found the fields %v, want %v first", name, keys, first)
				}
				var o struct {
					APIVersion string `yaml:"apiVersion"`
					Kind       string
					Metadata   struct {
						Name   string
						Labels map[string]string
					}
					Spec struct{ Project string }
				}
				if root.Content[0].Kind != yaml.MappingNode || root.Decode(&o) != nil {
					continue
				}
				group, _, _ := strings.Cut(o.APIVersion, "/")
				switch group + " " + o.Kind {
				case "argoproj.io AppProject":
					projects[o.Metadata.Name] = true
				case "argoproj.io Application":
					used[o.Spec.Project] = true
				case "kustomize.toolkit.fluxcd.io Kustomization", "source.toolkit.fluxcd.io GitRepository", "networking.k8s.io NetworkPolicy", "policy PodDisruptionBudget":
				default:
					continue
				}
				labeled[o.Kind]++
				for key, want := range map[string]string{
					"app.kubernetes.io/managed-by": "sipgen", "app.kubernetes.io/part-of": "sip",
					"sipgen.airshipit.org/site": site.Name,
				} {
					assert.Truef(t, o.Metadata.Labels[key] == want, "%s: %s %s: found the label %s: %q, want %q", name,
						o.Kind, o.Metadata.Name, key, o.Metadata.Labels[key], want)
				}
			}
		}
		assert.Equal(t, used, projects, "projects")
	}
	for _, example := range examples(t) {
		t.Run(example, func(t *testing.T) {
			site, _, _ := inputs(t, example)
			check(t, site, files(t, example))
			site, clusters, hosts := inputs(t, example)
			if site.Spec.Engine == v1alpha1.EngineArgoCD {
				site.Spec.Engine = v1alpha1.EngineFlux
				site.Default()
			} else {
				withArgo(site, v1alpha1.OrderWaves)
			}
			check(t, site, rendered(t, site, clusters, hosts, nil))
		})
	}
	want := []string{"AppProject", "Application", "GitRepository", "Kustomization", "NetworkPolicy",
		"PodDisruptionBudget"}
	assert.Equal(t, want, slices.Sorted(maps.Keys(labeled)))
}
