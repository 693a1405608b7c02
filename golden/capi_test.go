package golden

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/krusty"
)

// TestNothingAppliesTheComponents: Cluster API's objects are the platform's. A component is in the tree of every
// cluster of a site that asks for it, and is named by no file of the tree but the cluster's list.
func TestNothingAppliesTheComponents(t *testing.T) {
	for _, example := range examples(t) {
		site, clusters, _ := inputs(t, example)
		tree := files(t, example)
		for _, c := range clusters {
			name := "clusters/" + c.Namespace + "/" + c.Name + "/capi/kustomization.yaml"
			found := bytes.Contains(tree[name], []byte("kind: Component\n"))
			assert.Truef(t, found == (site.Spec.ClusterAPI != nil), "golden/%s: a component in %s: %v", example, name,
				found)
		}
		for name, content := range tree {
			if filepath.Base(name) != ".sipgen.yaml" && !strings.Contains(name, "/capi/") {
				assert.NotContains(t, string(content), "/capi", "golden/"+example+"/"+name+" names a component")
				assert.NotContains(t, string(content), "- capi", "golden/"+example+"/"+name+" names a component")
			}
		}
	}
}

// TestPlatformBuilds builds the objects of an example's platform/, which stand beside the tree and use its components.
func TestPlatformBuilds(t *testing.T) {
	tried := 0
	for _, example := range examples(t) {
		folders, err := filepath.Glob(filepath.Join("..", "examples", example, "platform", "*"))
		require.NoError(t, err)
		site, _, _ := inputs(t, example)
		repository := checkout(t, site, example)
		for _, folder := range folders {
			tried++
			for name, content := range files(t, folder) {
				require.NoError(t,
					repository.WriteFile(filepath.Join("/platform", filepath.Base(folder), name), content))
			}
			built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(repository,
				filepath.Join("/platform", filepath.Base(folder)))
			require.Truef(t, err == nil, "%s: %v", folder, err)
			templates := 0
			for _, o := range built.Resources() {
				assert.Truef(t, slices.Contains(site.Spec.Hosts.Namespaces, o.GetNamespace()),
					"%s: %s is not where the hosts are, %v", folder, o.CurId(), site.Spec.Hosts.Namespaces)
				if o.GetKind() != "Metal3MachineTemplate" {
					continue
				}
				templates++
				text, err := o.AsYAML()
				require.NoError(t, err)
				for _, key := range []string{site.Spec.LabelKeys.ClusterNamespace, site.Spec.LabelKeys.ClusterName,
					site.Spec.LabelKeys.NodeType} {
					assert.Truef(t, bytes.Contains(text, []byte("          "+key+": ")),
						"%s: %s: no %s in its hostSelector:\n%s", folder, o.GetName(), key, text)
				}
			}
			assert.Truef(t, templates != 0, "%s: no Metal3MachineTemplate", folder)
		}
	}
	assert.Truef(t, tried != 0, "no example has a platform/")
}
