package e2e_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// everybody is a group with all rights on the API server of withoutEngines: what its members are denied a guard denies.
const everybody = "everybody-here"

// anybody is a user with all rights.
func anybody(t *testing.T, api *engine.APIServer, user string) *engine.Client {
	t.Helper()
	return engine.NewClient(t, api.As(user, everybody))
}

// argoAccount syncs what Argo CD syncs, and hostsAccount the hosts of a site on Flux.
const argoAccount = "system:serviceaccount:argocd:argocd-application-controller"

func hostsAccount(site string) string {
	return "system:serviceaccount:flux-system:sipgen-" + site + "-hosts"
}

// policies renders a site with hosts in the namespace of its name.
func policies(t *testing.T, name string, change func(*v1alpha1.SiteSpec)) render.Tree {
	t.Helper()
	site := &v1alpha1.Site{}
	site.Name, site.Spec.Repository.URL = name, "ssh://git@git.invalid/"+name+".git"
	site.Spec.Hosts.Namespaces, site.Spec.ArgoCD.Order = []string{name}, v1alpha1.OrderNone
	change(&site.Spec)
	site.Default()
	tree, _, err := render.Site(render.Input{Site: site, Placement: &schedule.Placement{}})
	require.NoError(t, err)
	return tree
}

// applyPolicies applies policy/ of a tree.
func applyPolicies(t *testing.T, api *engine.APIServer, tree map[string][]byte) {
	t.Helper()
	for name, content := range tree {
		if strings.HasPrefix(name, "policy/") && !strings.HasSuffix(name, "kustomization.yaml") {
			api.Apply(t, "kubectl", string(content))
		}
	}
}

// enforce makes the namespace of a site's hosts, and has the site's guards in force there.
func enforce(t *testing.T, api *engine.APIServer, name string, change func(*v1alpha1.SiteSpec)) {
	t.Helper()
	api.Namespaces(t, name)
	applyPolicies(t, api, policies(t, name, change))
	api.WaitPolicies(t, name)
}

// rootRows: the account that the Site names for the rest of the tree holds the rights that it grants, patches of hosts
// among them, and changes no host, whatever engine, git or tree say.
func rootRows(t *testing.T, api *engine.APIServer, ns, user string) {
	t.Helper()
	root := anybody(t, api, user)
	for what, try := range map[string]func() error{
		"our label": func() error {
			return root.TryEdit("probe", engine.Hosts, ns, "n1", "", set("true", label("standby")...))
		},
		"the spec": func() error {
			return root.TryEdit("probe", engine.Hosts, ns, "n1", "", set(false, "spec", "online"))
		},
		"an annotation of the engine's": func() error {
			return root.TryEdit("probe", engine.Hosts, ns, "n1", "",
				set("x", "metadata", "annotations", "argocd.argoproj.io/probe"))
		},
		"a new host": func() error {
			return root.TryApply(engine.Objects(t, []byte(hostManifest(ns, "n9", "r9")))[0], "probe", true)
		},
		"no host": func() error { return root.TryDelete(engine.Hosts, ns, "n2", true) },
	} {
		t.Run("the root's account: "+what, func(t *testing.T) {
			wantDenied(t, what, try(), "the account of the root applies no BareMetalHost: it may change none")
		})
	}
}

// TestGuards tries what the rendered admission policies forbid, and what they must not stand in the way of, without any
// engine: whoever acts may do everything but for them. Each try is a row, and needs none of those before it.
func TestGuards(t *testing.T) {
	api := withoutEngines(t)
	for e, syncer := range map[v1alpha1.Engine]string{
		v1alpha1.EngineFlux: hostsAccount("guards-flux"), v1alpha1.EngineArgoCD: argoAccount,
	} {
		t.Run(string(e), func(t *testing.T) {
			ns := "guards-" + string(e)
			enforce(t, api, ns, func(s *v1alpha1.SiteSpec) {
				if s.Engine = e; e == v1alpha1.EngineFlux {
					s.Flux.ServiceAccountName = "fleet"
				}
			})
			makeHost(t, api, "controller", ns, "n1", "r1")
			finalizer := set([]any{"baremetalhost.metal3.io"}, "metadata", "finalizers")
			api.Edit(t, "e2e", engine.Hosts, ns, "n1", "", finalizer)
			makeHost(t, api, "controller", ns, "n2", "r2")
			// A host whose spec is gone already: an apply that brings one would arm whatever it says.
			api.Create(t, "site-controller", fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\n"+
				"metadata: {namespace: %s, name: bare}\n", ns))
			row := func(what, denied string, try func() error) {
				t.Run(what, func(t *testing.T) { wantDenied(t, what, try(), denied) })
			}
			for _, try := range guardTries(syncer) {
				row(try.what, try.denied, func() error {
					return anybody(t, api, try.user).TryEdit("probe", engine.Hosts, ns, "n1", "", try.change)
				})
			}
			row("metal3 writes the status", "", func() error {
				operator := anybody(t, api, engine.OperatorUser)
				return operator.TryEdit("probe", engine.Hosts, ns, "n1", "status", set(false, "status", "poweredOn"))
			})
			if e == v1alpha1.EngineFlux {
				rootRows(t, api, ns, "system:serviceaccount:flux-system:fleet")
			}
			engineClient, person := anybody(t, api, syncer), anybody(t, api, "somebody")
			row("the engine creates a host", "only update", func() error {
				return engineClient.TryApply(engine.Objects(t, []byte(hostManifest(ns, "n9", "r9")))[0], "probe", true)
			})
			row("the engine deletes a host", "only update",
				func() error { return engineClient.TryDelete(engine.Hosts, ns, "n2", true) })
			row("the engine gives a host a spec", "spec", func() error {
				return engineClient.TryEdit("probe", engine.Hosts, ns, "bare", "", set(true, "spec", "online"))
			})
			// Each of the labels alone makes a host somebody's.
			for _, key := range []string{"cluster-namespace", "cluster-name", "node-type"} {
				makeHost(t, api, "controller", ns, "held-by-"+key, "r3")
				api.Edit(t, "e2e", engine.Hosts, ns, "held-by-"+key, "", set("x", label(key)...))
				row("a person deletes a host with the label "+key, "release it first", func() error {
					return person.TryDelete(engine.Hosts, ns, "held-by-"+key, true)
				})
			}
			row("a person deletes a free host", "",
				func() error { return person.TryDelete(engine.Hosts, ns, "n2", true) })
			row("break-glass deletes an assigned host", "", func() error {
				return api.TryDelete(engine.Hosts, ns, "held-by-cluster-name", true)
			})
			definitionRows(t, api, person, "baremetalhosts.metal3.io")
			row("a person deletes a definition that no guard is for", "", func() error {
				return person.TryDelete(engine.Definitions, "", "hardwaredata.metal3.io", true)
			})
		})
	}
}

// definitionRows tries to delete a definition: with it the API server would delete all objects of the kind, and ask no
// guard about them.
func definitionRows(t *testing.T, api *engine.APIServer, person *engine.Client, name string) {
	t.Helper()
	const denied = "every object of its kind"
	collection := func(c *engine.Client) error {
		return c.Dynamic.Resource(engine.Definitions).DeleteCollection(t.Context(),
			metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}},
			metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	}
	wantDenied(t, "a person deletes the definition "+name, person.TryDelete(engine.Definitions, "", name, true), denied)
	wantDenied(t, "a person deletes definitions, "+name+" among them, without a name", collection(person), denied)
	wantDenied(t, "break-glass deletes the definition "+name, api.TryDelete(engine.Definitions, "", name, true), "")
	wantDenied(t, "break-glass deletes it without a name", collection(api.Client), "")
}

// rightsOf are what an account may do in a namespace, a verb of a resource each, with the names that it is for, but for
// what everybody may ask about oneself.
func rightsOf(t *testing.T, api *engine.APIServer, namespace, account, in string) []string {
	t.Helper()
	client := engine.NewClient(t, api.As("system:serviceaccount:"+namespace+":"+account))
	reviews := client.Dynamic.Resource(authorizationv1.SchemeGroupVersion.WithResource("selfsubjectrulesreviews"))
	answer, err := reviews.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
		"spec": map[string]any{"namespace": in},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	var review authorizationv1.SelfSubjectRulesReview
	convert(t, answer, &review)
	require.Truef(t, !review.Status.Incomplete, "%+v", review.Status)
	found := map[string]bool{}
	for _, rule := range review.Status.ResourceRules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					found[strings.TrimSpace(fmt.Sprintf("%s %s/%s %s", verb, group, resource,
						strings.Join(rule.ResourceNames, " ")))] = true
				}
			}
		}
	}
	maps.DeleteFunc(found, func(right string, _ bool) bool {
		return strings.HasPrefix(right, "create auth") && strings.Contains(right, "/selfsubject")
	})
	return slices.Sorted(maps.Keys(found))
}

// each is every verb of every resource.
func each(verbs string, resources ...string) []string {
	var all []string
	for _, resource := range resources {
		for verb := range strings.FieldsSeq(verbs) {
			all = append(all, verb+" "+resource)
		}
	}
	slices.Sort(all)
	return all
}

// TestRightsOfATenant asks the API server what the account may do that a cluster's overlay is applied as: what an
// overlay has, in the cluster's namespace. It makes no rights and no pods, sees no Secret, and may do nothing at all
// where the hosts are.
func TestRightsOfATenant(t *testing.T) {
	api := withoutEngines(t)
	api.Namespaces(t, "tenant-hosts", "tenant-own", "tenant-other")
	for name, content := range ofTenants(t, "tenant-own") {
		if name == "policy/rbac.yaml" ||
			strings.HasPrefix(name, "rights/") && !strings.HasSuffix(name, "kustomization.yaml") {
			api.Apply(t, "e2e", string(content))
		}
	}
	want := append(each("get list watch", "/pods", "apps/replicasets"),
		each("create delete get list patch update watch",
			"/configmaps", "/serviceaccounts", "/services", "apps/deployments", "cert-manager.io/certificates",
			"networking.k8s.io/networkpolicies", "policy/poddisruptionbudgets")...)
	slices.Sort(want)
	waitWhile(t, "the rights", func() (bool, any) {
		power := rightsOf(t, api, "tenant-own", "jumphost-a", "tenant-hosts")
		return !slices.Contains(power, "patch metal3.io/baremetalhosts n0") ||
				len(rightsOf(t, api, "flux-system", "tenant-own.a.infra", "tenant-own")) == 0,
			"the account has no rights, or the jump host has no power"
	})
	for _, namespace := range []string{"tenant-own", "tenant-hosts", "tenant-other", "flux-system"} {
		if namespace != "tenant-own" {
			want = nil
		}
		assert.Equal(t, want, rightsOf(t, api, "flux-system", "tenant-own.a.infra", namespace), namespace)
	}
}

// TestRights asks the API server what the identity that syncs with Flux may do: read and patch hosts, in the site's
// namespaces. And what the account may do that sipgen reads with: it gets Secrets where hosts are, and nowhere else.
// The one that reports to tenants writes their status besides, and nothing more.
func TestRights(t *testing.T) {
	api := withoutEngines(t)
	api.Namespaces(t, "rights-own", "rights-other")
	applyPolicies(t, api, policies(t, "rights-own", func(s *v1alpha1.SiteSpec) {
		s.Runner = &v1alpha1.Runner{Schedule: "@daily", Status: &v1alpha1.RunnerStatus{Schedule: "@daily"}}
	}))
	secrets, lists := []string{"get /secrets"}, each("list", "/services",
		"admissionregistration.k8s.io/validatingadmissionpolicybindings", "airship.airshipit.org/sipclusters",
		"apps/deployments",
		"argoproj.io/applications", "argoproj.io/appprojects", "ironic.metal3.io/ironics",
		"kustomize.toolkit.fluxcd.io/kustomizations",
		"metal3.io/baremetalhosts", "metal3.io/hardwaredata", "placement.openstack.org/placementapis",
		"source.toolkit.fluxcd.io/gitrepositories")
	status := append([]string{"patch airship.airshipit.org/sipclusters/status",
		"get airship.airshipit.org/sipclusters"}, lists...)
	for _, row := range []struct {
		account, namespace string
		want               []string
	}{
		{"hosts", "rights-own", each("get list patch watch", "metal3.io/baremetalhosts")},
		{"hosts", "rights-other", nil}, {"hosts", "flux-system", nil},
		{"reader", "rights-own", append(secrets, lists...)},
		{"reader", "rights-other", lists}, {"reader", "flux-system", lists},
		{"status", "rights-own", slices.Concat(secrets, status)}, {"status", "rights-other", status},
	} {
		var found []string
		engine.Wait(t, "the rights", engine.SyncTimeout, func() error {
			if found = rightsOf(t, api, "flux-system", "sipgen-rights-own-"+row.account,
				row.namespace); len(found) < len(row.want) {
				return fmt.Errorf("%s in %s: found %q", row.account, row.namespace, found)
			}
			return nil
		})
		slices.Sort(row.want)
		assert.Equal(t, row.want, found, row.account+" in "+row.namespace)
	}
}
