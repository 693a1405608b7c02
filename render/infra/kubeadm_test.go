package infra

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// TestAuthenticationComponent builds a control plane of either version with the component of a Dex: it keeps its name,
// namespace and version, whatever they are, and its API server reads the file that tenant/ has.
func TestAuthenticationComponent(t *testing.T) {
	in := tenant()
	files, err := Authentication(checked(t, in))
	require.Truef(t, err == nil && len(files) == 3, "found %d files, %v; want a component of two patches", len(files),
		err)
	want := string(render(t, in)["dex-edge-a/tenant/authentication.yaml"])
	for _, version := range []string{"v1beta1", "v1beta2"} {
		disk := filesys.MakeFsInMemory()
		write := func(name, content string) { require.NoError(t, disk.WriteFile(name, []byte(content))) }
		for name, content := range files {
			write("/capi/"+name, string(content))
		}
		write("/mine/cp.yaml", "apiVersion: controlplane.cluster.x-k8s.io/"+version+
			"\nkind: KubeadmControlPlane\nmetadata: {name: mine, namespace: metal3}\nspec: {replicas: 3}\n")
		write("/mine/kustomization.yaml", "resources: [cp.yaml]\ncomponents: [../capi/dex-edge-a]\n")
		built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(disk, "/mine")
		require.NoError(t, err)
		text, err := built.Resources()[0].AsYAML()
		require.NoError(t, err)
		const file = "/etc/kubernetes/oidc/authentication.yaml\n"
		for _, word := range []string{
			"apiVersion: controlplane.cluster.x-k8s.io/" + version + "\n", "name: mine\n  namespace: metal3\n",
			"replicas: 3\n", "path: " + file,
			map[string]string{
				"v1beta1": "extraArgs:\n          authentication-config: " + file,
				"v1beta2": "extraArgs:\n        - name: authentication-config\n          value: " + file,
			}[version],
			"content: |\n        " + strings.TrimSpace(strings.ReplaceAll(want, "\n", "\n        ")) + "\n",
		} {
			assert.Contains(t, string(text), word, version)
		}
	}
}

// TestReservedNames: where a prefix does not exclude the names of Kubernetes' own, rules do. Where it does, the file is
// as it always was: other bytes roll control planes.
func TestReservedNames(t *testing.T) {
	const users, groups = "!user.username.startsWith(", "user.groups.all(group, !group.startsWith("
	prefix := func(text string) *string { return &text }
	for _, row := range []struct {
		why           string
		kubernetes    *v1.DexKubernetes
		users, groups bool
	}{
		{"nothing is said", nil, false, false},
		{"prefixes", &v1.DexKubernetes{UsernamePrefix: prefix("x"), GroupsPrefix: prefix("corp:")}, false, false},
		{"no prefix for groups", &v1.DexKubernetes{GroupsPrefix: prefix("")}, false, true},
		{"no prefix for users", &v1.DexKubernetes{UsernamePrefix: prefix("")}, true, false},
		{"a prefix that a name completes",
			&v1.DexKubernetes{UsernamePrefix: prefix("sys"), GroupsPrefix: prefix("system")}, true, true},
	} {
		in := tenant()
		in.Cluster.Spec.Services.Dex[0].Kubernetes = row.kubernetes
		text := string(render(t, in)["dex-edge-a/tenant/authentication.yaml"])
		assert.Truef(t,
			strings.Contains(text, users) == row.users && strings.Contains(text, groups) == row.groups &&
				strings.Contains(text, "userValidationRules") == (row.users || row.groups),
			"%s: got\n%s", row.why, text)
	}
}
