package e2e_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// circle is one site under way: live hosts, specs, the tree in git, and the engine that syncs it.
type circle struct {
	rig *rig
	// ns has the hosts, and tenants the SIPClusters and what is rendered for them.
	ns, tenants string
	site        *v1alpha1.Site
	repo        *engine.Repo
	// specs by cluster name.
	specs map[string]string
	// services by cluster name, of those that tenant gave.
	services map[string]string
	// tree is the branch's, as of the last commit or edit.
	tree map[string][]byte
	// said is what sipgen printed last.
	said string
	// oldFolder is where the tree was before it went to another engine.
	oldFolder string
	// account that sipgen reads with.
	account string
	// short: publish may end with 1, because a cluster lacks hosts.
	short     bool
	untouched *engine.Untouched
	started   bool
	// synced are the sync objects of the last sync.
	synced []string
}

// newCircle makes a site without hosts and tenants.
func newCircle(t *testing.T, r *rig, name string) *circle {
	t.Helper()
	c := &circle{rig: r, ns: name, tenants: name + "-tenants", repo: engine.NewRepo(t), specs: map[string]string{},
		services: map[string]string{}}
	c.site = &v1alpha1.Site{}
	c.site.Name = name
	c.site.Spec.Engine = r.engine
	c.site.Spec.Repository.URL = c.repo.URL()
	if r.flux != nil {
		// Flux's source is played by the test, and its API wants a URL that is not a file's.
		c.site.Spec.Repository.URL = "ssh://git@git.invalid/" + name + ".git"
	}
	c.site.Spec.Hosts.Namespaces = []string{c.ns}
	c.site.Spec.ArgoCD.Project, c.site.Spec.ArgoCD.Order = name, cmp.Or(r.order, v1alpha1.OrderNone)
	// Whatever the operator, Cluster API and the engines do to a host in its life is not to be hindered, with Flux; and
	// with Argo CD the label guard only audits, as it does by default: the rows for both engines have both.
	c.site.Spec.LabelGuard.Enforce = r.engine != v1alpha1.EngineArgoCD
	whole := 100
	c.site.Spec.Brake.MaxPercent = &whole // of so few hosts a tenth is one, and two may go
	c.site.Default()
	r.api.Namespaces(t, c.ns, c.tenants)
	c.account = c.reader(t)
	t.Cleanup(func() { c.end(t) })
	t.Cleanup(func() { r.wantNoHarm(t, c.ns, "all of it") })
	return c
}

// end takes away what costs every later site of the rig time: the API server asks each policy, Flux tries again what
// fails, and Argo CD looks at each Application.
func (c *circle) end(t *testing.T) {
	t.Helper()
	for _, name := range append([]string{c.root()}, c.syncs(t)...) {
		c.rig.forget(engine.FluxNamespace, name)
	}
	ctx := context.Background()
	if ns, err := c.rig.api.Dynamic.Resource(namespaces).Get(ctx, c.ns, metav1.GetOptions{}); err == nil &&
		ns.GetDeletionTimestamp() != nil {
		return // the guard alone keeps its hosts, and deprovisioned beside other sites' changes they end neither: see Operator.ChangeUse
	}
	for name, content := range c.tree {
		if !strings.HasPrefix(name, "policy/") {
			continue
		}
		for _, o := range engine.Objects(t, content) {
			if resource, err := c.rig.api.Resource(o); err == nil && strings.HasPrefix(o.GetKind(),
				"ValidatingAdmissionPolicy") {
				_ = resource.Delete(ctx, o.GetName(), metav1.DeleteOptions{})
			}
		}
	}
}

func (c *circle) root() string { return "sipgen-" + c.site.Name }

// prefix is what the names of all clusters' sync objects begin with.
func (c *circle) prefix() string {
	if site := c.site.InNames(); site != "" {
		return site + "." + c.tenants + "."
	}
	return c.tenants + "."
}

// name is that of a cluster's sync object: half is infra or hosts.
func (c *circle) name(cluster, half string) string {
	name := c.prefix() + cluster + "."
	if half == "hosts" && c.rig.order == v1alpha1.OrderWaves &&
		!bytes.Contains(c.tree["argocd/"+c.tenants+"."+cluster+".yaml"], []byte("name: "+name+"hosts\n")) {
		// Hosts are in the Application of the services.
		half = "infra"
	}
	return name + half
}

// hosts makes hosts, each in a rack of its own, in one of the ways.
func (c *circle) hosts(t *testing.T, how string, names ...string) {
	t.Helper()
	for _, name := range names {
		if c.rig.api.Operator == nil {
			makeHost(t, c.rig.api, how, c.ns, name, "rack-of-"+name)
		} else {
			createHost(t, c.rig.api, how, c.ns, name, "rack-of-"+name)
		}
	}
	if c.rig.api.Operator != nil {
		c.rig.api.Operator.WaitState(t, "available", c.ns, names...)
	}
	c.accept(t)
}

// waitGone waits for the end of a host, and of its BMC's Secret: the operator makes the host its owner, and the garbage
// collector follows. The operator switches the host off and looks later whether it is. Its test mode has one power
// state for all hosts, so that another host may be switched on in between, and each later look comes after twice the
// time. With each change of the host the operator looks at once.
func (c *circle) waitGone(t *testing.T, name string) {
	t.Helper()
	looks := 0
	engine.Wait(t, "the end of host "+name, engine.SyncTimeout, func() error {
		if c.rig.api.Exists(t, engine.Hosts, c.ns, name) {
			if looks++; c.rig.api.Operator != nil {
				_ = c.rig.api.TryEdit("e2e", engine.Hosts, c.ns, name, "",
					set(fmt.Sprint(looks), "metadata", "annotations", "example.org/look"))
			}
			return fmt.Errorf("still there")
		}
		if c.rig.api.Operator != nil && c.rig.api.Exists(t, engine.Secrets, c.ns, name+"-bmc") {
			return fmt.Errorf("its Secret is still there")
		}
		return nil
	})
}

// use provisions or deprovisions hosts, and takes them as they are then.
func (c *circle) use(t *testing.T, do func()) {
	t.Helper()
	c.rig.api.Operator.ChangeUse(do)
	c.accept(t)
}

// accept takes the live hosts as they are for what must not change from here on.
func (c *circle) accept(t *testing.T) {
	t.Helper()
	if c.untouched == nil {
		c.untouched = engine.WantUntouched(t, c.rig.api, c.ns)
		return
	}
	c.untouched.Accept(t)
}

// tenant gives a cluster a spec that wants so many workers, no two in a rack. In waves it has services: without them
// there is nothing to wait for.
func (c *circle) tenant(name string, workers int) {
	if c.rig.order == v1alpha1.OrderWaves && c.services[name] == "" {
		c.services[name] = loadBalancer()
	}
	c.tenantWith(name, workers, c.services[name])
}

func (c *circle) tenantWith(name string, workers int, services string) {
	c.specs[name] = fmt.Sprintf(`
apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: %s, name: %s}
spec:
  nodes:
    Worker:
      labelSelector: {matchLabels: {example.org/owner: facilities}}
      topologyKey: rack
      count: {active: %d}
%s`, c.tenants, name, workers, services)
}

// loadBalancer is a service of a tenant, with a Deployment to wait for.
func loadBalancer() string {
	port := nextNodePort()
	return fmt.Sprintf(`  services:
    loadBalancerWorker:
    - {nodeInterfaceId: oam, nodePortRange: {start: %d, end: %d}}
`, port, port)
}

// reader gives the account that sipgen reads with the rights that its own tree has for it, and no more. They are there
// before the first tree is, as on a site where a person has rendered it once.
func (c *circle) reader(t *testing.T) (account string) {
	t.Helper()
	site := *c.site
	site.Spec.Hosts.Apply = v1alpha1.ApplyMerge
	tree, _, err := render.Site(render.Input{Site: &site, Placement: &schedule.Placement{}})
	require.NoError(t, err)
	c.rig.api.Apply(t, "e2e", string(tree["policy/reader.yaml"]))
	namespace := site.Spec.Flux.Namespace
	if c.rig.argo != nil {
		namespace = site.Spec.ArgoCD.Namespace
	}
	return "system:serviceaccount:" + namespace + ":sipgen-" + site.Name + "-reader"
}
