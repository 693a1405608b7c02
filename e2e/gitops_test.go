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

// rows are held on Flux and on Argo CD.
var rows = []row{
	{"assign", rowAssign},
	{"release", rowRelease},
	{"decommission", rowDecommission},
	{"infra-first", rowInfraFirst},
	{"made", rowMade},
	{"deleted", rowDeleted},
	{"recreated", rowRecreated},
	{"owned", rowOwned},
	{"edited", rowEdited},
	{"labels-alone", rowLabelsAlone},
	{"file-deleted", rowFileDeleted},
	{"emptied", rowEmptied},
	{"sync-deleted", rowSyncDeleted},
	{"broken", rowBroken},
	{"broken-gone", rowBrokenGone},
	{"policy", rowPolicy},
	{"overlay", rowOverlay},
	{"overlay-in-use", rowOverlayInUse},
	{"in-use", rowInUse},
	{"rolled-back", rowRolledBack},
	{"relabeled", rowRelabeled},
	{"old-snapshot", rowOldSnapshot},
	{"approved", rowApproved},
	{"smuggled", rowSmuggled},
	{"runner", rowRunner},
	{"namespace-gone", rowNamespaceGone},
	{"handover", rowHandover},
	{"life", rowLife},
	{"restarted", rowRestarted},
	{"guards-off", rowGuardsOff},
	{"on-call", rowOnCall},
	{"root-deleted", rowRootDeleted},
	{"hosts-namespace-gone", rowHostsNamespaceGone},
	{"made-anew", rowMadeAnew},
	{"several", rowSeveral},
	{"lost", rowLost},
	{"steered", rowSteered},
	{"status", rowStatus},
}

// patchRows are about what sipgen decides and writes into a host's patch. The file is the same for both engines, and rows
// has how each applies it; so Flux, the quicker one, has these.
var patchRows = []row{
	{"contract-expand", rowContractExpand},
	{"move", rowMove},
	{"old-operator", rowOldOperator},
	{"killed", rowKilled},
	{"stand-in", rowStandIn},
	{"claimed", rowClaimed},
	{"network-data", rowNetworkData},
	{"reuse", rowReuse},
	{"free-host", rowFreeHost},
	{"failed", rowFailed},
}

func TestFluxRows(t *testing.T) { runRows(t, fluxRig, slices.Concat(rows, patchRows)) }

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

func rowAssign(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("a", 2, loadBalancer())
	c.step(t, "assign")
	c.wantHolds(t, "assign", "a", "n1", "n2")
	c.settle(t, "nothing")
}

func rowRelease(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenant("a", 2)
	c.step(t, "assign")
	c.tenant("a", 1)
	c.step(t, "release")
	c.wantHolds(t, "release", "a", "n1")
	c.settle(t, "the object is dropped")
	c.tenant("a", 0)
	c.settle(t, "the last host is released")
	c.wantHolds(t, "the last host is released", "a")
}

func rowContractExpand(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3", "n4")
	c.tenant("a", 2)
	c.tenant("b", 1)
	c.step(t, "assign")
	c.tenant("a", 1)
	c.tenant("b", 2)
	c.step(t, "contraction and expansion")
	c.wantHolds(t, "contraction and expansion", "a", "n1")
	c.wantHolds(t, "contraction and expansion", "b", "n3", "n4")
	c.settle(t, "contraction and expansion")
}

// rowMove: the only host that one tenant gives up is the one that another needs.
func rowMove(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenant("a", 2)
	c.step(t, "assign")
	c.tenant("a", 1)
	c.tenant("b", 1)
	c.short = true // until n2 is free
	c.step(t, "release for another")
	c.wantHolds(t, "release for another", "b")
	c.settle(t, "move")
	c.wantHolds(t, "move", "a", "n1")
	c.wantHolds(t, "move", "b", "n2")
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
