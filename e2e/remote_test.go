package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
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

// TestRemoteArgo: Argo CD runs in one cluster and the hosts are in another, which knows it by a cluster Secret. The guard there is for that
// user: an Application that replaces, by which the specs would be gone, is denied, and so is the update that it makes.
func TestRemoteArgo(t *testing.T) {
	t.Parallel()
	hub, remote := argoRig(t), withoutEngines(t)
	remote.Namespaces(t, "kube-system", engine.ArgoNamespace)
	remote.Apply(t, "e2e", argoManager)
	manager := remote.ServiceAccount(t, "kube-system", "argocd-manager")
	credentials, err := json.Marshal(map[string]any{
		"bearerToken": manager.BearerToken, "tlsClientConfig": map[string]any{"caData": base64.StdEncoding.EncodeToString(manager.CAData)},
	})
	need.OK(t, err)
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
	contexts := "export KUBECONFIG='" + engine.Kubeconfigs(t, map[string]*rest.Config{"management": remote.Config(), "argocd": hub.api.Config()}) + "'\n"
	c.run(t, append([]string{contexts}, procedure(t, "bootstrap", "argocd-remote")[0]))
	c.started = true
	c.follow(t, "assign")
	c.wantHolds(t, "assign", "a", "n1")

	client := engine.NewClient(t, manager)
	waitGuarded(t, client, c.ns, "n2")
	wantDenied(t, "Argo CD takes the spec away", client.TryEdit("probe", engine.Hosts, c.ns, "n2", "", drop("spec")), "spec")
	c.untouched.Check(t, "an update without a spec")

	// The same folder once more, by somebody who wants it replaced.
	replacing := engine.Objects(t, c.tree["argocd/"+c.tenants+".a.yaml"])[0]
	replacing.SetName("remote-replacing")
	for _, set := range []error{
		unstructured.SetNestedStringSlice(replacing.Object, []string{"Replace=true"}, "spec", "syncPolicy", "syncOptions"),
		unstructured.SetNestedField(replacing.Object, map[string]any{"limit": int64(0)}, "spec", "syncPolicy", "retry"),
	} {
		need.Must(t, set == nil, "%v", set)
	}
	text, err := replacing.MarshalJSON()
	need.OK(t, err)
	hub.api.Kubectl(t, string(text), "apply", "-f", "-")
	hub.argo.WaitFailed(t, replacing.GetName(), c.repo.Head(t), "may not change a BareMetalHost's spec")
	c.check(t, "an Application that replaces", nil)
	hub.api.Kubectl(t, "", "delete", "-n", engine.ArgoNamespace, "applications.argoproj.io", "remote-replacing")
}

// TestGuardedIdentities: whatever the user is called, the guard is for exactly that one, and holds where RBAC does not.
func TestGuardedIdentities(t *testing.T) {
	t.Parallel()
	api := withoutEngines(t)
	site := &v1alpha1.Site{}
	site.Name, site.Spec.Engine = "identities", v1alpha1.EngineArgoCD
	site.Spec.ArgoCD.Server = "https://mgmt.example.org:6443"
	site.Spec.Hosts.Namespaces = []string{"identities"} // other tests have sites on this API server
	site.Default()
	api.Namespaces(t, "identities")
	makeHost(t, api, "controller", "identities", "n1", "r1")
	for i, user := range []string{"system:serviceaccount:kube-system:argocd-manager-2", "kubernetes-admin", `O'Brien \ "Ops" ']`, "https://issuer.example.org/#argocd"} {
		site.Spec.ArgoCD.Identity = user
		tree, _, err := render.Site(render.Input{Site: site, Placement: &schedule.Placement{}})
		need.OK(t, err)
		// Guards have one name on an API server; each of these has another, so that the tests on this one do not meet.
		for _, o := range engine.Objects(t, tree["policy/sync-guard.yaml"]) {
			o.SetName(fmt.Sprintf("identities-%d", i))
			if o.GetKind() == "ValidatingAdmissionPolicyBinding" {
				_ = unstructured.SetNestedField(o.Object, o.GetName(), "spec", "policyName")
			}
			need.OK(t, api.TryApply(o, "e2e", false))
		}
		client := engine.NewClient(t, api.As(user, "system:masters"))
		waitGuarded(t, client, "identities", "n1")
		without := drop("spec", "bmc")
		wantDenied(t, user+" takes a field of the spec away", client.TryEdit("probe", engine.Hosts, "identities", "n1", "", without), "spec")
		wantDenied(t, user+" takes the spec away", client.TryEdit("probe", engine.Hosts, "identities", "n1", "", drop("spec")), "spec")
		wantDenied(t, user+" deletes a host", client.TryDelete(engine.Hosts, "identities", "n1", true), "only update")
		other := engine.NewClient(t, api.As(user+"x", "system:masters"))
		wantDenied(t, "another user", other.TryEdit("probe", engine.Hosts, "identities", "n1", "", set(user, "spec", "description")), "")
	}
}

// waitGuarded waits until the API server has the guard for a client: it denies a foreign label, which does no harm.
func waitGuarded(t *testing.T, client *engine.Client, namespace, host string) {
	t.Helper()
	label := engine.Objects(t, []byte(fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: %s, name: %s, labels: {probe: guard}}\n", namespace, host)))[0]
	waitWhile(t, "the guard", func() (bool, any) {
		return client.TryApply(label, "probe", true) == nil, "a foreign label passes"
	})
}
