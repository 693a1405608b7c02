package golden

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"

	"github.com/airshipit/sipgen/hack/need"
)

// TestNothingAppliesTheComponents: Cluster API's objects are the platform's. A component is in the tree of every cluster of a
// site that asks for it, and is named by no file of the tree but the cluster's list.
func TestNothingAppliesTheComponents(t *testing.T) {
	for _, example := range examples(t) {
		site, clusters, _ := inputs(t, example)
		tree := files(t, example)
		for _, c := range clusters {
			name := "clusters/" + c.Namespace + "/" + c.Name + "/capi/kustomization.yaml"
			found := bytes.Contains(tree[name], []byte("kind: Component\n"))
			need.That(t, found == (site.Spec.ClusterAPI != nil), "golden/%s: a component in %s: %v", example, name, found)
		}
		for name, content := range tree {
			if filepath.Base(name) != ".sipgen.yaml" && !strings.Contains(name, "/capi/") {
				need.Without(t, "golden/"+example+"/"+name+" names a component", string(content), "/capi", "- capi")
			}
		}
	}
}

// TestPlatformBuilds builds the objects of an example's platform/, which stand beside the tree and use its components.
func TestPlatformBuilds(t *testing.T) {
	tried := 0
	for _, example := range examples(t) {
		folders, err := filepath.Glob(filepath.Join("..", "examples", example, "platform", "*"))
		need.OK(t, err)
		site, _, _ := inputs(t, example)
		repository := checkout(t, site, example)
		for _, folder := range folders {
			tried++
			for name, content := range files(t, folder) {
				need.OK(t, repository.WriteFile(filepath.Join("/platform", filepath.Base(folder), name), content))
			}
			built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(repository, filepath.Join("/platform", filepath.Base(folder)))
			need.Must(t, err == nil, "%s: %v", folder, err)
			templates := 0
			for _, o := range built.Resources() {
				need.That(t, slices.Contains(site.Spec.Hosts.Namespaces, o.GetNamespace()),
					"%s: %s is not where the hosts are, %v", folder, o.CurId(), site.Spec.Hosts.Namespaces)
				if o.GetKind() != "Metal3MachineTemplate" {
					continue
				}
				templates++
				text, err := o.AsYAML()
				need.OK(t, err)
				for _, key := range []string{site.Spec.LabelKeys.ClusterNamespace, site.Spec.LabelKeys.ClusterName, site.Spec.LabelKeys.NodeType} {
					need.That(t, bytes.Contains(text, []byte("          "+key+": ")),
						"%s: %s: no %s in its hostSelector:\n%s", folder, o.GetName(), key, text)
				}
			}
			need.That(t, templates != 0, "%s: no Metal3MachineTemplate", folder)
		}
	}
	need.That(t, tried != 0, "no example has a platform/")
}
