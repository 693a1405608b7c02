package e2e_test

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/airshipit/sipgen/e2e/engine"
)

// row is something that happens to a site: after every step every host is as it was but for our labels, and those are what
// the tree says.
type row struct {
	name string
	run  func(t *testing.T, r *rig, name string)
}

// rows are held on Flux and on Argo CD with two Applications a cluster: what each engine makes of the same commit, in its own way.
var rows = []row{
	{"release", rowRelease},
	{"infra-first", rowInfraFirst},
	{"made", rowMade},
	{"deleted", rowDeleted},
	{"drift", rowDrift},
	{"file-deleted", rowFileDeleted},
	{"overlay", rowOverlay},
	{"smuggled", rowSmuggled},
	{"runner", rowRunner},
	{"restarted", rowRestarted},
	{"guards-off", rowGuardsOff},
	{"on-call", rowOnCall},
	{"steered", rowSteered},
	{"status", rowStatus},
}

// fluxRows are also held on Argo CD with one Application a cluster: wavesRows.
var fluxRows = []row{
	{"decommission", rowDecommission},
	{"life", rowLife},
	{"namespace-gone", rowNamespaceGone},
	{"root-deleted", rowRootDeleted},
	{"broken", rowBroken},
	{"broken-gone", rowBrokenGone},
}

// patchRows are about what sipgen decides and writes into a host's patch, and what guards, metal3 and Cluster API make of it. The file is the
// same for both engines, and rows has how each applies it; so Flux, the quicker one, has these.
var patchRows = []row{
	{"owned", rowOwned},
	{"labels-alone", rowLabelsAlone},
	{"overlay-in-use", rowOverlayInUse},
	{"rolled-back", rowRolledBack},
	{"relabeled", rowRelabeled},
	{"approved", rowApproved},
	{"handover", rowHandover},
	{"hosts-namespace-gone", rowHostsNamespaceGone},
	{"made-anew", rowMadeAnew},
	{"several", rowSeveral},
	{"lost", rowLost},
	{"old-operator", rowOldOperator},
	{"stand-in", rowStandIn},
	{"network-data", rowNetworkData},
	{"reuse", rowReuse},
	{"free-host", rowFreeHost},
	{"failed", rowFailed},
}

func TestFluxRows(t *testing.T) { runRows(t, fluxRig, slices.Concat(rows, fluxRows, patchRows)) }

func TestArgoRows(t *testing.T) { runRows(t, argoRig, rows) }

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

// rowRelease: a host of one cluster is released in the commit that hands another one out, its patch leaves the tree, and so does a cluster's last host.
func rowRelease(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3", "n4")
	services := loadBalancer()
	c.tenantWith("a", 2, services)
	c.tenant("b", 1)
	c.step(t, "assign")
	c.wantHolds(t, "assign", "a", "n1", "n2")
	c.tenantWith("a", 1, services)
	c.tenant("b", 2)
	c.step(t, "contraction and expansion")
	c.wantHolds(t, "contraction and expansion", "a", "n1")
	c.wantHolds(t, "contraction and expansion", "b", "n3", "n4")
	c.settle(t, "the object is dropped")
	c.tenant("b", 0)
	c.settle(t, "the last host is released")
	c.wantHolds(t, "the last host is released", "b")
}

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
		c.sync(t, nil)
		c.check(t, "decommission", nil)
	}
	c.settle(t, "decommission")
	c.wantHolds(t, "decommission", "a")
	c.wantHolds(t, "decommission", "b", "n3")
	// The engine deletes as the cluster's account, or by its project: neither may go before the services.
	for _, resource := range []schema.GroupVersionResource{
		{Group: "apps", Version: "v1", Resource: "deployments"}, {Version: "v1", Resource: "services"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}, {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
	} {
		engine.Wait(t, "the end of what the cluster had", engine.SyncTimeout, func() error {
			for _, o := range r.api.List(t, resource, c.tenants) {
				return fmt.Errorf("%s %s is still there", o.GetKind(), o.GetName())
			}
			return nil
		})
	}
	account, namespace := serviceAccounts, engine.FluxNamespace
	if r.argo != nil {
		account, namespace = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "appprojects"}, engine.ArgoNamespace
	}
	engine.Wait(t, "the end of the cluster's account", engine.SyncTimeout, func() error {
		if r.api.Exists(t, account, namespace, c.name("a", "infra")) {
			return fmt.Errorf("still there")
		}
		return nil
	})
}
