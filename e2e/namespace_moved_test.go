package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// rowNamespaceMoved runs docs/move-a-namespace.md, while a machine runs on a host: a site gives its only namespace to
// one that begins without hosts. The services stay the same objects, and no host is ever without its labels.
func rowNamespaceMoved(t *testing.T, r *rig, name string) {
	moveNamespace(t, r, name, v1alpha1.NamesCluster)
}

// rowNamedNamespaceMoved is the same with the site in the names of Applications.
func rowNamedNamespaceMoved(t *testing.T, r *rig, name string) {
	moveNamespace(t, r, name, v1alpha1.NamesSite)
}

func moveNamespace(t *testing.T, r *rig, name, names string) {
	c, moved := newCircle(t, r, name), newCircle(t, r, name+"-2")
	c.site.Spec.ArgoCD.Names, moved.site.Spec.ArgoCD.Names = names, names
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("a", 2, loadBalancer())
	c.step(t, "assign")
	c.consumed(t, "n1")
	had := c.serviceUIDs(t)
	moved.ns, moved.site.Spec.Inputs.Specs = name+"-new", []string{"specs"}
	moved.site.Spec.Hosts.Namespaces = []string{moved.ns}
	contexts := engine.Kubeconfigs(t, map[string]*rest.Config{"management": r.api.Config()})
	begin := strings.ReplaceAll(procedure(t, "move-namespace", "begin")[0], "namespace dc2", "namespace "+moved.ns)
	moved.run(t, []string{"cp site-new.yaml dc2.yaml\nmkdir specs\nexport KUBECONFIG='" + contexts +
		"' SIPGEN_REPO='" + moved.repo.Dir + "'\n", begin})
	moved.readTree(t)
	moved.hosts(t, "controller")
	moved.follow(t, "a site without hosts")

	spec := c.specs["a"]
	moved.site.Spec.Hosts.Namespaces = append(moved.site.Spec.Hosts.Namespaces, c.ns)
	moved.account = moved.reader(t)
	moved.specs["a"], moved.ns, moved.tenants, moved.untouched = spec, c.ns, c.tenants, c.untouched
	moved.exits(t, "the trial", 2, "plan")
	moved.wantSaid(t, "the trial", "2 hosts assigned (0 new)", "refused: the guards of site "+c.site.Name)
	for _, wrong := range []string{"frozen", "short"} {
		assert.NotContains(t, moved.said, wrong, "the trial")
	}

	tenant := "export TENANT=" + strings.TrimSuffix(c.name("a", "infra"), ".infra") + "\n"
	letGo := procedure(t, "move-namespace", "let-go", string(r.engine))
	back := []string{"move-namespace", "back", "flux"}
	if r.argo != nil {
		back = []string{"move-namespace", "root", "argocd"}
	}
	c.run(t, slices.Concat([]string{tenant}, letGo, procedure(t, back...)))
	c.exits(t, "the way back", 0, "status", "--wait", "2m")
	assert.NotContains(t, c.said, "suspended", "the way back")
	assert.Equal(t, fmt.Sprint(had), fmt.Sprint(c.serviceUIDs(t)), "the services after the way back are")
	c.run(t, slices.Concat([]string{tenant}, letGo))
	c.givesAway(t)
	if r.argo != nil {
		c.run(t, slices.Concat(procedure(t, "move-namespace", "root", "argocd"), procedure(t, "apply-policy")))
	}
	c.sync(t, nil)
	c.exits(t, "the namespace has left", 0, "status", "--wait", "2m")
	assert.Equal(t, fmt.Sprint(had), fmt.Sprint(c.serviceUIDs(t)), "the services between the sites are")
	left := c.run(t, []string{"kubectl get serviceaccounts,roles,rolebindings -A -o name " +
		"-l sipgen.airshipit.org/site=$SITE | grep -F $TENANT || true\n"})
	assert.Empty(t, left, "accounts of the services")
	c.untouched.Check(t, "between the sites")
	c.wantHolds(t, "between the sites", "a", "n1", "n2")

	// The page's root has the Application of the policies, which restores the old ones until it sees the commit.
	if policies := c.root() + "-policy"; r.argo != nil && r.api.Exists(t, engine.Applications, engine.ArgoNamespace,
		policies) {
		r.argo.Refresh(t, policies)
	}
	engine.Wait(t, "the guards of the old site to leave", engine.SyncTimeout, func() error {
		if moved.sipgen(t, "plan"); strings.Contains(moved.said,
			"refused: the guards of site "+c.site.Name+" are in force") {
			return fmt.Errorf("found %.500q", moved.said)
		}
		return nil
	})
	moved.exits(t, "the other site", 0, "plan")
	moved.wantSaid(t, "the other site", "2 hosts assigned (0 new)", "takes 2 hosts that only labels give to it")
	assert.Truef(t, moved.commit(t), "the other site: nothing to commit\n%s", moved.said)
	if names == v1alpha1.NamesSite {
		moved.begin(t)
		moved.run(t, []string{"export FOLDER=.\nfleet=$(mktemp -d) && git clone --quiet \"$REPO\" \"$fleet\"\n",
			procedure(t, "switch", "names")[2]})
	}
	moved.follow(t, "the other site")
	if r.argo != nil {
		moved.run(t, procedure(t, "apply-policy"))
	}
	moved.exits(t, "the other site", 0, "status")
	moved.wantHolds(t, "the other site", "a", "n1", "n2")
	assert.Equal(t, fmt.Sprint(had), fmt.Sprint(moved.serviceUIDs(t)), "the services are")

	moved.specs["a"] = workersIn.ReplaceAllString(spec, "count: {active: 3}")
	moved.step(t, "a change in the other site")
	moved.wantHolds(t, "a change in the other site", "a", "n1", "n2", "n3")
	r.wantNoHarm(t, c.ns, "the move")
}

// givesAway publishes without the namespace and its cluster, whose two hosts keep their labels, and then without the
// accounts of the cluster. An empty namespace is left.
func (c *circle) givesAway(t *testing.T) {
	t.Helper()
	c.decommission("a")
	c.site.Spec.Hosts.Namespaces = []string{c.ns + "-rest"}
	c.rig.api.Namespaces(t, c.site.Spec.Hosts.Namespaces...)
	c.account = c.reader(t)
	c.exits(t, "the namespace leaves", 2, "plan")
	c.wantSaid(t, "the namespace leaves", "with --accept-loss 2")
	c.exits(t, "the namespace leaves", 0, "publish", "--accept-loss", "2")
	c.wantSaid(t, "the namespace leaves", "its services leave this tree")
	if c.rig.flux != nil {
		c.readTree(t)
		c.sync(t, nil)
	}
	c.site.Spec.Decommission = nil
	assert.True(t, c.commit(t), "the accounts go")
}

// TestNamespaceMovedToAnotherCluster runs the same page for another management cluster, with metal3's operator in both:
// the hosts arrive with labels and state, none is deprovisioned in either, and the other site takes them.
func TestNamespaceMovedToAnotherCluster(t *testing.T) {
	t.Parallel()
	need.Program(t, "jq", "jq")
	from, to := fluxRig(t), besideTheOther(t, v1alpha1.EngineFlux)
	c, moved := newCircle(t, from, "abroad"), newCircle(t, to, "abroad-2")
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("a", 2, loadBalancer())
	c.step(t, "assign")
	c.consumed(t, "n1")
	moved.hosts(t, "controller")
	moved.step(t, "a site without hosts")

	spec := c.specs["a"]
	c.givesAway(t)
	c.sync(t, nil)
	assert.Empty(t, c.serviceUIDs(t), "services in the old cluster")
	variables := "export FROM=old TO=new HOSTS=" + c.ns + " KUBECONFIG='" +
		engine.Kubeconfigs(t, map[string]*rest.Config{"old": from.api.Config(), "new": to.api.Config()}) + "'\n"
	blocks := procedure(t, "move-namespace", "hosts")
	require.Len(t, blocks, 4)
	var announced func(hosts ...string)
	announced = func(hosts ...string) {
		if len(hosts) > 0 {
			from.api.HostWatch.During(t, c.ns, hosts[0], func() { announced(hosts[1:]...) })
			return
		}
		c.run(t, slices.Concat([]string{variables}, blocks))
	}
	announced("n1", "n2", "n3")
	for _, host := range []string{"n1", "n2", "n3"} {
		for _, state := range from.api.HostWatch.Passed(c.ns, host) {
			assert.Contains(t, []string{"provisioned", "available", "deleting", ""}, state,
				"states of "+host+" in the old cluster")
		}
	}
	to.api.Operator.WaitState(t, "provisioned", c.ns, "n1")
	to.api.Operator.WaitState(t, "available", c.ns, "n2", "n3")

	to.api.Namespaces(t, c.tenants)
	moved.site.Spec.Hosts.Namespaces = append(moved.site.Spec.Hosts.Namespaces, c.ns)
	moved.account = moved.reader(t)
	moved.specs["a"], moved.ns, moved.tenants = spec, c.ns, c.tenants
	moved.untouched = engine.WantUntouched(t, to.api, c.ns)
	moved.exits(t, "the new cluster", 0, "plan")
	moved.wantSaid(t, "the new cluster", "2 hosts assigned (0 new)", "takes 2 hosts that only labels give to it")
	moved.step(t, "the new cluster")
	moved.wantHolds(t, "the new cluster", "a", "n1", "n2")
	assert.NotEmpty(t, moved.serviceUIDs(t), "services in the new cluster")
	for host, want := range map[string]string{"n1": "provisioned", "n2": "available", "n3": "available"} {
		assert.Equal(t, []string{want}, slices.DeleteFunc(to.api.HostWatch.Passed(c.ns, host),
			func(state string) bool { return state == "" }), "states of "+host+" in the new cluster")
	}
	to.wantNoHarm(t, c.ns, "the move")
}
