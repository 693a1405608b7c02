package e2e_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// guarded is an API server without engines that has the rendered guards, of one site after another.
var guarded = engine.Shared(func(t testing.TB) *engine.APIServer {
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, engine.HostCRDs(t)...)
	return api
})

// guardPolicy renders policy/ for an engine.
func guardPolicy(t *testing.T, e v1alpha1.Engine, namespaces ...string) render.Tree {
	t.Helper()
	return guardPolicyOf(t, e, v1alpha1.ApplyMerge, namespaces...)
}

func guardPolicyOf(t *testing.T, e v1alpha1.Engine, apply v1alpha1.ApplyMode, namespaces ...string) render.Tree {
	t.Helper()
	site := &v1alpha1.Site{}
	if site.Spec.Hosts.Apply = apply; apply == v1alpha1.ApplyOverlay {
		site.Spec.Hosts.Base = "metal"
	}
	site.Name, site.Spec.Engine = "guards", e
	site.Spec.Repository.URL = "ssh://git@git.invalid/guards.git"
	site.Spec.Hosts.Namespaces = namespaces
	site.Spec.ArgoCD.Order = v1alpha1.OrderNone
	site.Default()
	tree, _, err := render.Site(render.Input{Site: site, Placement: &schedule.Placement{}})
	need.OK(t, err)
	return tree
}

// TestGuards tries what the rendered admission policies forbid, and what they must not stand in the way of, without any engine:
// whoever acts may do everything but for them. Each try is a row, and needs none of those before it.
func TestGuards(t *testing.T) {
	api := guarded(t)
	api.AllRights(t, "everybody-here")
	for e, syncer := range map[v1alpha1.Engine]string{
		v1alpha1.EngineFlux:   movedSyncer,
		v1alpha1.EngineArgoCD: "system:serviceaccount:argocd:argocd-application-controller",
	} {
		t.Run(string(e), func(t *testing.T) {
			ns := "guards-" + string(e)
			api.Namespaces(t, ns, "flux-system", "argocd")
			change := func(name string, change func(map[string]any)) {
				api.Edit(t, "e2e", engine.Hosts, ns, name, "", change)
			}
			makeHost(t, api, "controller", ns, "n1", "r1")
			change("n1", func(o map[string]any) {
				_ = unstructured.SetNestedStringSlice(o, []string{"baremetalhost.metal3.io"}, "metadata", "finalizers")
			})
			makeHost(t, api, "controller", ns, "n2", "r2")
			// A host whose spec is gone already: an apply that brings one would arm whatever it says.
			api.Create(t, "site-controller", fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: %s, name: bare}\n", ns))
			keys := []string{"cluster-namespace", "cluster-name", "node-type"}
			for _, key := range keys {
				// Each of the labels alone makes a host somebody's.
				makeHost(t, api, "controller", ns, "held-by-"+key, "r3")
				change("held-by-"+key, func(o map[string]any) {
					_ = unstructured.SetNestedField(o, "x", "metadata", "labels", "sip.airshipit.org/"+key)
				})
			}
			for name, content := range guardPolicy(t, e, ns) {
				if strings.HasPrefix(name, "policy/") && strings.HasSuffix(name, "-guard.yaml") {
					api.Apply(t, "e2e", string(content))
				}
			}
			api.WaitPolicies(t, ns)
			engineClient := engine.NewClient(t, api.As(syncer, "everybody-here"))
			person := engine.NewClient(t, api.As("somebody", "everybody-here"))
			row := func(what, denied string, try func() error) {
				t.Run(what, func(t *testing.T) { wantDenied(t, what, try(), denied) })
			}
			for _, try := range guardTries(syncer) {
				t.Run(try.what, func(t *testing.T) { try.check(t, api, ns) })
			}
			row("the engine creates a host", "only update", func() error {
				return engineClient.TryApply(engine.Objects(t, []byte(hostManifest(ns, "n9", "r9")))[0], "probe", true)
			})
			row("the engine deletes a host", "only update", func() error { return engineClient.TryDelete(engine.Hosts, ns, "n2", true) })
			row("the engine gives a host a spec", "spec", func() error {
				return engineClient.TryEdit("probe", engine.Hosts, ns, "bare", "", func(o map[string]any) {
					_ = unstructured.SetNestedField(o, true, "spec", "online")
				})
			})
			for _, key := range keys {
				row("a person deletes a host with the label "+key, "release it first", func() error {
					return person.TryDelete(engine.Hosts, ns, "held-by-"+key, true)
				})
			}
			row("a person deletes a free host", "", func() error { return person.TryDelete(engine.Hosts, ns, "n2", true) })
			row("break-glass deletes an assigned host", "", func() error { return api.TryDelete(engine.Hosts, ns, "held-by-cluster-name", true) })
			definitionRows(t, api, person, "baremetalhosts.metal3.io")
			row("a person deletes a definition that no guard is for", "", func() error {
				return person.TryDelete(engine.Definitions, "", "hardwaredata.metal3.io", true)
			})
		})
	}
}

// definitionRows tries to delete a definition: with it the API server would delete all objects of the kind, and ask no guard about them.
func definitionRows(t *testing.T, api *engine.APIServer, person *engine.Client, name string) {
	t.Helper()
	const denied = "every object of its kind"
	collection := func(c *engine.Client) error {
		return c.Dynamic.Resource(engine.Definitions).DeleteCollection(t.Context(), metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}},
			metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	}
	wantDenied(t, "a person deletes the definition "+name, person.TryDelete(engine.Definitions, "", name, true), denied)
	wantDenied(t, "a person deletes definitions, "+name+" among them, without a name", collection(person), denied)
	wantDenied(t, "break-glass deletes the definition "+name, api.TryDelete(engine.Definitions, "", name, true), "")
	wantDenied(t, "break-glass deletes it without a name", collection(api.Client), "")
}

// right is what somebody may have a right to: a resource of an API group.
type right struct{ group, resource string }

// TestRightsOfATenant asks the API server what the account may do that a cluster's overlay is applied as: what an overlay has, in the cluster's
// namespace. It makes no rights and no pods, sees no Secret, and may do nothing at all where the hosts are.
func TestRightsOfATenant(t *testing.T) {
	api := guarded(t)
	api.Namespaces(t, "tenant-own", "tenant-hosts", "tenant-other", "flux-system")
	site := &v1alpha1.Site{}
	site.Name = "tenants"
	site.Spec.Repository.URL = "ssh://git@git.invalid/guards.git"
	site.Default()
	cluster := v1.SIPCluster{}
	cluster.Namespace, cluster.Name = "tenant-own", "a"
	cluster.Spec.Services.JumpHost = []v1.JumpHost{{NodeInterface: "oam"}}
	host := &inventory.Host{Namespace: "tenant-hosts", Name: "n1", UID: "x", Addresses: []inventory.Address{{Network: "oam", IP: netip.MustParseAddr("192.0.2.1")}}}
	tree, _, err := render.Site(render.Input{Site: site, Clusters: []v1.SIPCluster{cluster}, Placement: &schedule.Placement{Clusters: []schedule.Cluster{{
		Key: schedule.ClusterKey{Namespace: "tenant-own", Name: "a"}, Roles: []schedule.Role{{Name: v1.RoleWorker, Assigned: []schedule.Assignment{{Host: host}}}},
	}}}})
	need.OK(t, err)
	for name, content := range tree {
		if name == "policy/rbac.yaml" || strings.HasPrefix(name, "rights/") && !strings.HasSuffix(name, "kustomization.yaml") {
			api.Apply(t, "e2e", string(content))
		}
	}
	const account = "tenant-own.a.infra"
	writes := []string{"create", "update", "patch", "delete"}
	engine.Wait(t, "the rights", engine.SyncTimeout, func() error {
		if !mayIn(t, api, account, "tenant-own", right{"apps", "deployments"}, "create", "") || !mayIn(t, api, "jumphost-a", "tenant-hosts", right{"metal3.io", "baremetalhosts"}, "patch", "n1") {
			return fmt.Errorf("Deployments cannot be made, or the jump host has no power")
		}
		return nil
	})
	kinds := []right{{"", "configmaps"}, {"", "services"}, {"", "serviceaccounts"}, {"apps", "deployments"}, {"policy", "poddisruptionbudgets"}, {"cert-manager.io", "certificates"},
		{"networking.k8s.io", "networkpolicies"}}
	seen := []right{{"", "pods"}, {"apps", "replicasets"}}
	roles := []right{{"rbac.authorization.k8s.io", "roles"}, {"rbac.authorization.k8s.io", "rolebindings"}}
	others := slices.Concat(roles, []right{
		{"", "secrets"}, {"", "pods/exec"}, {"", "serviceaccounts/token"}, {"", "namespaces"}, {"", "endpoints"}, {"networking.k8s.io", "ingresses"}, {"apps", "daemonsets"}, {"batch", "jobs"},
		{"rbac.authorization.k8s.io", "clusterroles"}, {"rbac.authorization.k8s.io", "clusterrolebindings"}, {"metal3.io", "baremetalhosts"},
		{"admissionregistration.k8s.io", "validatingadmissionpolicies"}, {"kustomize.toolkit.fluxcd.io", "kustomizations"},
	})
	for _, namespace := range []string{"tenant-own", "tenant-hosts", "tenant-other", "flux-system", ""} {
		for _, r := range slices.Concat(kinds, seen, others) {
			for _, verb := range append([]string{"get", "list", "watch", "deletecollection", "escalate", "bind", "impersonate"}, writes...) {
				want := namespace == "tenant-own" && (slices.Contains(kinds, r) && (slices.Contains(writes, verb) || slices.Contains([]string{"get", "list", "watch"}, verb)) ||
					slices.Contains(seen, r) && slices.Contains([]string{"get", "list", "watch"}, verb))
				need.Equal(t, fmt.Sprintf("%s may %s %v in %q", account, verb, r, namespace), mayIn(t, api, account, namespace, r, verb, ""), want)
			}
		}
	}
	// Nor what its jump host may do to hosts.
	for _, r := range roles {
		for _, verb := range append([]string{"get", "list"}, writes...) {
			need.That(t, !mayIn(t, api, account, "tenant-hosts", r, verb, "jumphost-a.tenant-own"),
				"%s may %s %v jumphost-a.tenant-own", account, verb, r)
		}
	}
}

// mayIn asks whether an account of Flux' namespace, or a jump host of the tenant's, has a right. Without a name it is asked about all.
func mayIn(t *testing.T, api *engine.APIServer, account, namespace string, r right, verb, name string) bool {
	t.Helper()
	home := "flux-system"
	if strings.HasPrefix(account, "jumphost") {
		home = "tenant-own"
	}
	resource, subresource, _ := strings.Cut(r.resource, "/")
	review := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
		"spec": map[string]any{
			"user":   "system:serviceaccount:" + home + ":" + account,
			"groups": []any{"system:serviceaccounts", "system:serviceaccounts:" + home, "system:authenticated"},
			"resourceAttributes": map[string]any{
				"namespace": namespace, "group": r.group, "resource": resource, "subresource": subresource, "verb": verb, "name": name,
			},
		},
	}}
	reviews := api.Dynamic.Resource(schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "subjectaccessreviews"})
	out, err := reviews.Create(t.Context(), review, metav1.CreateOptions{})
	need.OK(t, err)
	allowed, _, _ := unstructured.NestedBool(out.Object, "status", "allowed")
	return allowed
}

// TestRights asks the API server what the identity that syncs with Flux may do: read and patch hosts, in the site's namespaces. And what
// the account may do that sipgen reads with: it gets Secrets where hosts are, and nowhere else.
func TestRights(t *testing.T) {
	api := guarded(t)
	api.Namespaces(t, "rights-own", "rights-other", "flux-system")
	tree := guardPolicy(t, v1alpha1.EngineFlux, "rights-own")
	api.Apply(t, "e2e", string(tree["policy/rbac.yaml"]), string(tree["policy/reader.yaml"]))
	may := func(account, namespace string, r right, verb string) bool {
		t.Helper()
		return mayIn(t, api, account, namespace, r, verb, "")
	}
	hosts, secrets := right{"metal3.io", "baremetalhosts"}, right{"", "secrets"}
	engine.Wait(t, "the rights", engine.SyncTimeout, func() error {
		if !may("sipgen-guards-hosts", "rights-own", hosts, "patch") || !may("sipgen-guards-reader", "rights-own", hosts, "list") || !may("sipgen-guards-reader", "rights-own", secrets, "get") {
			return fmt.Errorf("hosts cannot be patched, hosts not listed or Secrets not read")
		}
		return nil
	})
	lists := []right{hosts, {"metal3.io", "hardwaredata"}, {"airship.airshipit.org", "sipclusters"}, {"admissionregistration.k8s.io", "validatingadmissionpolicybindings"},
		{"", "services"}, {"apps", "deployments"}, {"kustomize.toolkit.fluxcd.io", "kustomizations"}}
	others := []right{
		{"metal3.io", "baremetalhosts/status"}, {"metal3.io", "hostfirmwaresettings"}, {"", "configmaps"}, {"", "serviceaccounts/token"},
		{"rbac.authorization.k8s.io", "clusterroles"}, {"admissionregistration.k8s.io", "validatingadmissionpolicies"},
	}
	want := func(account, namespace string, r right, verb string) bool {
		switch {
		case account == "sipgen-guards-hosts":
			return r == hosts && namespace == "rights-own" && slices.Contains([]string{"get", "list", "watch", "patch"}, verb)
		case r == secrets:
			return verb == "get" && namespace == "rights-own"
		}
		return slices.Contains(lists, r) && verb == "list"
	}
	for _, account := range []string{"sipgen-guards-hosts", "sipgen-guards-reader"} {
		for _, namespace := range []string{"rights-own", "rights-other", "flux-system"} {
			for _, r := range append(append([]right{secrets}, lists...), others...) {
				t.Run(account+"/"+namespace+"/"+strings.ReplaceAll(r.resource, "/", "-"), func(t *testing.T) {
					for _, verb := range []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"} {
						if got, want := may(account, namespace, r, verb), want(account, namespace, r, verb); got != want {
							t.Errorf("%s may %s %s in %s: %t, want %t", account, verb, r, namespace, got, want)
						}
					}
				})
			}
		}
	}
}
