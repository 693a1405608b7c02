package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// row is something that happens to a site: after every step every host is as it was but for our labels, and those are
// what the tree says.
//
// The lists say what no test of sipgen alone sees: whose behaviour it is that the row rests on.
type row struct {
	name string
	run  func(t *testing.T, r *rig, name string)
}

// rows are held on Flux and on Argo CD with two Applications a cluster: what each engine makes of the same commit, in
// its own way. What an engine makes of a host's patch by itself is TestWhatEnginesDo's.
var rows = []row{
	{"release", rowRelease},                  // whose a label is that leaves a patch, and who owns a spec, by how the host was made
	{"overlay", rowOverlay},                  // hosts with their manifests in git
	{"runner", rowRunner},                    // a field that a person owns beside the engine
	{"restarted", rowRestarted},              // an engine that is killed in a sync
	{"status", rowStatus},                    // what an engine says of a sync that fails
	{"leaving", rowLeaving},                  // a page, and what an engine deletes with its objects
	{"repository-moved", rowRepositoryMoved}, // a page, and what an engine does with another source
	{"namespace-moved", rowNamespaceMoved},   // a page, and what an engine deletes with a cluster that it was told to keep
	{"applied-hosts", rowAppliedHosts},       // a page, and who owns what another object of the engine applied
	{"applied-base", rowAppliedBase},         // the same, with the hosts in git
}

// fluxRows are also held on Argo CD with one Application a cluster: wavesRows.
var fluxRows = []row{
	{"decommission", rowDecommission}, // the order in which an engine deletes
	{"drift", rowDrift},               // self-healing, and what a deleted sync object takes with it
	{"parents-gone", rowParentsGone},  // what a deleted root takes with it, and the namespace controller
	{"broken-gone", rowBrokenGone},    // a sync that failed and is to be deleted
}

// patchRows are about what sipgen decides and writes into a host's patch, and what guards, metal3 and Cluster API make
// of it. The file is the same for both engines, and rows has how each applies it; so Flux, the quicker one, has these.
var patchRows = []row{
	{"infra-first", rowInfraFirst},                  // dependsOn
	{"deleted", rowDeleted},                         // the uid in a patch
	{"disowned", rowDisowned},                       // who owns labels after a write of the status
	{"file-deleted", rowFileDeleted},                // pruning
	{"guards-off", rowGuardsOff},                    // what an engine does without guards
	{"on-call", rowOnCall},                          // the runbooks' commands
	{"rolled-back", rowRolledBack},                  // the guard, and what the operator writes of a claim
	{"relabeled", rowRelabeled},                     // the guard, and the command that sipgen prints
	{"approved", rowApproved},                       // an approval that is replayed
	{"handover", rowHandover},                       // Cluster API's objects
	{"hosts-namespace-gone", rowHostsNamespaceGone}, // the namespace controller, the garbage collector and the guard
	{"made-anew", rowMadeAnew},                      // what the API server does not change
	{"several", rowSeveral},                         // a runbook
	{"lost", rowLost},                               // a runbook, and an engine without a tree
	{"free-host", rowFreeHost},                      // a runbook, and the provider's label
	{"failed", rowFailed},                           // the operator's errors
	{"standby-unfit", rowStandbyUnfit},              // the provider's mark, and a guarded host
	{"machine-elsewhere", rowMachineElsewhere},      // the provider, and a host without labels
	{"left-services", rowLeftServices},              // a page, and what Flux deletes as an account that is gone
	{"running-cluster", rowRunningCluster},          // a page, the guards, and labels that a person and an engine own
}

func TestFluxRows(t *testing.T) { runRows(t, fluxRig, slices.Concat(rows, fluxRows, patchRows)) }

// argoRows are about what only Argo CD does.
var argoRows = []row{
	{"named-namespace-moved", rowNamedNamespaceMoved}, // a page, and what is another Application's
	{"habit", rowHabit},      // whose fields become its own
	{"one-host", rowOneHost}, // how it compares, and a sync in which one object of several fails
}

func TestArgoRows(t *testing.T) { runRows(t, argoRig, slices.Concat(rows, argoRows)) }

func runRows(t *testing.T, shared func(testing.TB) *rig, rows []row) {
	t.Parallel()
	r := shared(t)
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.run(t, r, row.name)
		})
	}
}

// rowRelease: a host of one cluster is released in the commit that hands another one out, its patch leaves the tree,
// and so does a cluster's last host. However a host was made, its spec stays. Argo CD would take over the spec of one
// by kubectl apply, and the policy that stops it comes too late: it owns the spec by then. So such a host is fixed
// before the first sync. Labels that the SIP operator set with the same values are co-owned: dropping them is not
// enough, they have to be taken over first. So has the mark of a standby host that is promoted.
func rowRelease(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	for host, how := range map[string]string{"n1": "kubectl create", "n2": "server-side apply", "n3": "kubectl apply",
		"n4": "controller"} {
		c.hosts(t, how, host)
	}
	r.api.Edit(t, "sip-operator", engine.Hosts, c.ns, "n2", "", func(o map[string]any) {
		for key, value := range map[string]string{"cluster-namespace": c.tenants, "cluster-name": "a",
			"node-type": "Worker", "standby": "true"} {
			_ = unstructured.SetNestedField(o, value, "metadata", "labels", "sip.airshipit.org/"+key)
		}
	})
	services := loadBalancer()
	c.tenantWith("a", 2, services)
	c.tenant("b", 1)
	if r.argo != nil {
		c.sipgen(t, "plan")
		c.wantSaid(t, "a host by kubectl apply", c.ns+"/n3", "not handed out until this is fixed",
			"fix it with: kubectl ")
		assert.NotContains(t, c.said, c.ns+"/n1: ", "a host that is as it should be")
		c.run(t, []string{fix(t, c.said, "")})
		c.accept(t)
	}
	c.step(t, "assign")
	c.wantHolds(t, "assign", "a", "n1", "n2")
	c.wantHolds(t, "assign", "b", "n3")
	c.tenantWith("a", 1, services)
	c.tenant("b", 0)
	c.tenant("d", 1)
	const what = "contraction and expansion"
	c.step(t, what)
	c.wantHolds(t, what, "a", "n1")
	c.wantHolds(t, what, "b")
	c.wantHolds(t, what, "d", "n4")
	c.settle(t, "the objects are dropped")
	assert.Len(t, r.api.OurLabels(t, c.ns, "n2"), 0, "the released host has labels")
}

// rowLeftServices: Flux sees the commit that takes a cluster's services only together with the next one, which takes
// their account. Whatever Flux was quick enough to delete, the page's command deletes the rest, and no host changes.
func rowLeftServices(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenantWith("a", 1, loadBalancer())
	c.tenantWith("b", 1, loadBalancer())
	c.step(t, "assign")
	all := c.serviceUIDs(t)
	c.tenantWith("a", 1, "")
	assert.True(t, c.commit(t), "the services go")
	c.wantSaid(t, "the services go", "let Flux sync this commit before you publish the next one")
	assert.True(t, c.commit(t), "their account goes")
	c.follow(t, "both commits at once")
	words := strings.NewReplacer("-n NAMESPACE", "-n "+c.tenants, "NAMESPACE.NAME.infra", c.name("a", "infra"))
	c.run(t, []string{words.Replace(procedure(t, "delete-left-services")[0])})
	b := slices.DeleteFunc(all, func(service string) bool { return strings.Contains(service, "/loadbalancer-worker-a ") })
	assert.Equal(t, b, c.serviceUIDs(t), "the services that are left are b's")
	c.settle(t, "the rest is deleted")
}

var (
	roles        = schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}
	roleBindings = schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1",
		Resource: "rolebindings"}
)

func rowDecommission(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("a", 2, loadBalancer())
	c.tenantWith("b", 1, "")
	c.step(t, "assign")
	c.decommission("a")
	infra, rights := "clusters/"+c.tenants+"/a/infra/kustomization.yaml", "rights/"+c.tenants+"/a/account.yaml"
	for c.tree[infra] != nil && c.commit(t) {
		// In the commit that takes the services, too: that Flux is quick to delete them is not to be relied on.
		if r.flux != nil && c.tree[rights] == nil {
			t.Errorf("the account of a leaves the tree in the commit that takes its services")
		}
		c.follow(t, "decommission")
	}
	c.settle(t, "decommission")
	c.wantHolds(t, "decommission", "a")
	c.wantHolds(t, "decommission", "b", "n3")
	// The engine deletes as the cluster's account, or by its project: neither may go before the services.
	for _, resource := range []schema.GroupVersionResource{engine.Deployments, engine.Services, roles, roleBindings} {
		r.api.WaitGone(t, resource, c.tenants, "")
	}
	account, namespace := serviceAccounts, engine.FluxNamespace
	if r.argo != nil {
		account, namespace = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1",
			Resource: "appprojects"}, engine.ArgoNamespace
	}
	r.api.WaitGone(t, account, namespace, c.name("a", "infra"))
}
