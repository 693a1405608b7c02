package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// argoManager is what "argocd cluster add" makes on the cluster that it adds: an account with all rights.
const argoManager = `
apiVersion: v1
kind: ServiceAccount
metadata: {namespace: kube-system, name: argocd-manager}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: argocd-manager}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, namespace: kube-system, name: argocd-manager}]
`

// TestRemoteArgo: Argo CD runs in one cluster and the hosts are in another, which knows it by a cluster Secret. The
// guard there is for that user: an Application that replaces, by which the specs would be gone, is denied, and so is
// the update that it makes.
func TestRemoteArgo(t *testing.T) {
	t.Parallel()
	hub, remote := argoRig(t), withoutEngines(t)
	remote.Namespaces(t, "kube-system")
	remote.Apply(t, "e2e", argoManager)
	manager := remote.ServiceAccount(t, "kube-system", "argocd-manager")
	credentials, err := json.Marshal(map[string]any{
		"bearerToken":     manager.BearerToken,
		"tlsClientConfig": map[string]any{"caData": base64.StdEncoding.EncodeToString(manager.CAData)},
	})
	require.NoError(t, err)
	hub.api.Apply(t, "e2e", fmt.Sprintf(`
apiVersion: v1
kind: Secret
metadata: {namespace: %s, name: remote, labels: {argocd.argoproj.io/secret-type: cluster}}
stringData: {name: remote, server: %q, config: %q}
`, engine.ArgoNamespace, remote.URL, credentials))

	c := newCircle(t, &rig{engine: v1alpha1.EngineArgoCD, api: remote, argo: hub.argo, alone: true}, "remote")
	c.site.Spec.ArgoCD.Server, c.site.Spec.ArgoCD.Identity = remote.URL, ""
	c.hosts(t, "controller", "n1", "n2")
	c.tenant("a", 1)
	c.refused(t, "a remote server and nobody's name", "spec.argocd.identity: missing")
	c.site.Spec.ArgoCD.Identity = "system:serviceaccount:kube-system:argocd-manager"
	c.commit(t)
	contexts := "export KUBECONFIG='" + engine.Kubeconfigs(t,
		map[string]*rest.Config{"management": remote.Config(), "argocd": hub.api.Config()}) + "'\n"
	c.run(t, append([]string{contexts}, procedure(t, "bootstrap", "argocd-remote")[0]))
	c.started = true
	c.follow(t, "assign")
	c.wantHolds(t, "assign", "a", "n1")

	client := engine.NewClient(t, manager)
	remote.WaitPolicies(t, c.ns)
	wantDenied(t, "Argo CD takes the spec away", client.TryEdit("probe", engine.Hosts, c.ns, "n2", "", drop("spec")),
		"spec")
	c.untouched.Check(t, "an update without a spec")

	// The same folder once more, by somebody who wants it replaced.
	replacing := engine.Objects(t, c.tree["argocd/"+c.tenants+".a.yaml"])[0]
	replacing.SetName("remote-replacing")
	set([]any{"Replace=true"}, "spec", "syncPolicy", "syncOptions")(replacing.Object)
	set(map[string]any{"limit": int64(0)}, "spec", "syncPolicy", "retry")(replacing.Object)
	text, err := replacing.MarshalJSON()
	require.NoError(t, err)
	hub.api.Kubectl(t, string(text), "apply", "-f", "-")
	hub.argo.WaitFailed(t, replacing.GetName(), c.repo.Head(t), "may not change a BareMetalHost's spec")
	c.check(t, "an Application that replaces", nil)
	hub.api.Kubectl(t, "", "delete", "-n", engine.ArgoNamespace, "applications.argoproj.io", "remote-replacing")
}

// TestGuardedIdentities: whatever the user is called, the guard is for exactly that one, and holds where RBAC does not.
func TestGuardedIdentities(t *testing.T) {
	t.Parallel()
	api := withoutEngines(t)
	for i, user := range []string{
		"system:serviceaccount:kube-system:argocd-manager-2", "kubernetes-admin", `O'Brien \ "Ops" ']`,
		"https://issuer.example.org/#argocd",
	} {
		ns := fmt.Sprintf("identities-%d", i)
		enforce(t, api, ns, func(s *v1alpha1.SiteSpec) {
			s.Engine, s.ArgoCD.Server, s.ArgoCD.Identity = v1alpha1.EngineArgoCD, "https://mgmt.example.org:6443", user
		})
		makeHost(t, api, "controller", ns, "n1", "r1")
		client, other := engine.NewClient(t, api.As(user, "system:masters")), engine.NewClient(t,
			api.As(user+"x", "system:masters"))
		edit := func(c *engine.Client, change func(map[string]any)) error {
			return c.TryEdit("probe", engine.Hosts, ns, "n1", "", change)
		}
		wantDenied(t, user+" takes a field of the spec away", edit(client, drop("spec", "bmc")), "spec")
		wantDenied(t, user+" takes the spec away", edit(client, drop("spec")), "spec")
		wantDenied(t, user+" deletes a host", client.TryDelete(engine.Hosts, ns, "n1", true), "only update")
		wantDenied(t, "another user", edit(other, set(user, "spec", "description")), "")
	}
}
