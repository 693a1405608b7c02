package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/require"
)

// TestTakeoverStopped is the table of docs/from-sip.md, "If you stop partway". As long as the tree has nothing of the
// tenant, its spec may go away again: its hosts are left alone. Once the tree has them, the cluster is frozen until its
// services are handed over, and when its spec goes away. The tree as it was before leads back.
func TestTakeoverStopped(t *testing.T) {
	site := read(t, sipInputs+"/site.yaml")
	spec := read(t, sipInputs+"/spec.yaml")
	const released, leftAlone = "5 of 5 claimed hosts would be lost or released", "5 hosts left alone: labeled for lma-infra/lma, which is in neither the specs nor the tree"
	for engine, manager := range map[string]string{"flux": "kustomize-controller", "argocd": "argocd-controller"} {
		t.Run(engine, func(t *testing.T) {
			api := newSIPOperator(t)
			dir := t.TempDir()
			file := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
			write := func(name, text string) { need.Write(t, file(name), text) }
			config := api.kubeconfig(t)
			write("site.yaml", site+"  engine: "+engine+"\n  argocd: {order: none}\n")
			write("specs/other.yaml", "# the specs of other tenants\n")
			sipgen := func(what string, want int, says string, args ...string) {
				t.Helper()
				code, out, said := ran(t,
					append([]string{"render", "--site", file("site.yaml"), "-f", file("specs"), "--inventory",
						"cluster",
						"--kubeconfig", config, "--out", file("tree")}, args...)...)
				if text := strings.Join(strings.Fields(out+said), " "); code != want || !strings.Contains(text, says) {
					t.Errorf("%s: exit code %d, want %d and %q\n%s", what, code, want, says, text)
				}
			}
			has := func(what string, names ...string) {
				t.Helper()
				for _, name := range []string{"infra", "hosts"} {
					_, err := os.Stat(file("tree/clusters/lma-infra/lma/" + name))
					if want := strings.Contains(strings.Join(names, " "), name); (err == nil) != want {
						t.Errorf("%s: %s in the tree: %t, want %t", what, name, err == nil, want)
					}
				}
			}
			sipgen("before", 0, leftAlone)
			require.NoError(t, os.CopyFS(file("before"), os.DirFS(file("tree"))))
			add := func() { write("specs/lma.yaml", spec) }
			remove := func() { require.NoError(t, os.Remove(file("specs/lma.yaml"))) }
			back := func() {
				require.NoError(t, os.RemoveAll(file("tree")))
				require.NoError(t, os.CopyFS(file("tree"), os.DirFS(file("before"))))
			}
			api.deployments = sipDeployment("manager", "Update")
			add()
			sipgen("step 2", 1, "frozen: lma-infra/lma: Deployment lma-infra/jumphost-lma")
			has("step 2", "hosts")
			sipgen("stays there", 1, "5 hosts assigned (0 new)")
			remove()
			sipgen("the spec goes", 1, "frozen: lma-infra/lma: its spec is not among the inputs")
			has("the spec goes", "hosts")
			back()
			sipgen("back from step 2", 0, leftAlone)
			has("back from step 2")

			api.deployments = sipDeployment(manager, "Apply")
			sipgen("back from step 3", 0, leftAlone)
			has("back from step 3")
			add()
			sipgen("step 4", 0, "5 hosts assigned (0 new)")
			has("step 4", "infra", "hosts")
			remove()
			sipgen("the spec goes after step 4", 1, "frozen: lma-infra/lma: its spec is not among the inputs")
			has("the spec goes after step 4", "infra", "hosts")
			write("site.yaml", site+"  engine: "+engine+"\n  argocd: {order: none}\n  decommission: [lma-infra/lma]\n")
			sipgen("the Site lets it leave", 2, released)
			sipgen("and accepts the loss", 0, "5 released", "--accept-loss", "5")
		})
	}
}
