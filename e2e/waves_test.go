package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// wavesRows are the rows in which it matters that services and hosts are one Application: it can end or fail as a
// whole, its parts leave one after the other, and hosts wait for services. The other rows are about what is in a host's
// patch, and about guards and sipgen: the same files, applied in the same way, and rows and patchRows have them.
var wavesRows = []row{
	{"decommission", rowDecommission},
	{"drift", rowDrift},
	{"parents-gone", rowParentsGone},
	{"broken-gone", rowBrokenGone},
	{"way-out", rowWayOut},
	{"services-first", rowServicesFirst},
	{"confined", rowConfined},
	{"unmarked", rowUnmarked},
	{"namespace-moved", rowNamespaceMoved},
	{"reordered", rowReordered},
}

// TestArgoWaves: with spec.argocd.order waves what holds with two Applications a tenant holds with one, and hosts come
// after services.
func TestArgoWaves(t *testing.T) {
	t.Parallel()
	shared := argoRig(t)
	r := *shared
	r.order = v1alpha1.OrderWaves
	for _, row := range wavesRows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.run(t, &r, "waves-"+row.name)
		})
	}
}

// rowServicesFirst: hosts get their labels when the services are ready, the first time and with every later change.
// What is being released does not wait, and neither does another tenant.
func rowServicesFirst(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	r.kubelet.Hold(c.tenants, true)
	c.tenant("a", 1)
	c.commit(t)
	c.begin(t)
	app := c.name("a", "infra")
	c.waits(t, app)
	c.wantHolds(t, "services that are not ready", "a")
	r.kubelet.Hold(c.tenants, false)
	ready := c.firstReady(t)
	waitWhile(t, "the label", func() (bool, any) { return len(c.holds(t, "a")) == 0, "none" })
	t.Logf("labels came %.1f s after the services were ready", time.Since(ready).Seconds())
	c.follow(t, "services that are ready")
	c.wantHolds(t, "services that are ready", "a", "n1")

	// A second host is a backend of the load balancer, which is rolled out anew.
	r.kubelet.Hold(c.tenants, true)
	c.tenant("a", 2)
	c.commit(t)
	r.argo.Refresh(t, app)
	c.waits(t, app)
	c.wantHolds(t, "a change of services that is not ready", "a", "n1")
	// A newer commit is not taken up, until somebody ends the sync.
	c.edit(t, "a newer commit", func(dir string) { need.Write(t, filepath.Join(dir, "README.md"), "newer\n") })
	newer := c.repo.Head(t)
	r.argo.Refresh(t, app)
	r.argo.Wait(t, app, "compared with the newer commit", func(app *unstructured.Unstructured) error {
		compared, _, _ := unstructured.NestedString(app.Object, "status", "sync", "revision")
		syncs, _, _ := unstructured.NestedString(app.Object, "status", "operationState", "operation", "sync",
			"revision")
		if compared != newer || syncs == newer {
			return fmt.Errorf("compared with %s, syncs %s", compared, syncs)
		}
		return nil
	})
	c.run(t, procedure(t, "end-sync"))
	c.waits(t, app)
	c.wantHolds(t, "a newer commit", "a", "n1")
	// Where everything is stopped, a sync that waits does not go on either.
	c.run(t, procedure(t, "stop", "argocd"))
	r.kubelet.Hold(c.tenants, false)
	c.firstReady(t)
	for range 3 {
		r.argo.Refresh(t, app)
		time.Sleep(time.Second)
	}
	c.wantHolds(t, "everything stopped", "a", "n1")
	c.run(t, procedure(t, "resume", "argocd"))
	c.sync(t, nil)
	c.wantHolds(t, "a change of services that is ready", "a", "n1", "n2")

	// One that is given back goes while the services roll.
	r.kubelet.Hold(c.tenants, true)
	c.tenant("a", 1)
	c.commit(t)
	r.argo.Refresh(t, app)
	waitWhile(t, "the release", func() (bool, any) {
		got := c.holds(t, "a")
		return len(got) != 1, got
	})
	c.waits(t, app)
	r.kubelet.Hold(c.tenants, false)
	c.settle(t, "the release")
}

// waits waits until an Application's sync waits for services.
func (c *circle) waits(t *testing.T, app string) {
	t.Helper()
	commit := c.repo.Head(t)
	c.rig.argo.Wait(t, app, "waiting for services", func(app *unstructured.Unstructured) error {
		phase, _, _ := unstructured.NestedString(app.Object, "status", "operationState", "phase")
		revision, _, _ := unstructured.NestedString(app.Object, "status", "operationState", "operation", "sync",
			"revision")
		message, _, _ := unstructured.NestedString(app.Object, "status", "operationState", "message")
		if phase != "Running" || revision != commit ||
			!strings.Contains(message, "waiting for healthy state of apps/Deployment") {
			return fmt.Errorf("%s at %s: %s", phase, revision, message)
		}
		return nil
	})
}

// firstReady waits until all Deployments of the tenants are ready.
func (c *circle) firstReady(t *testing.T) time.Time {
	t.Helper()
	engine.Wait(t, "Deployments that are ready", engine.SyncTimeout, func() error {
		for _, d := range c.rig.api.List(t, engine.Deployments, c.tenants) {
			if n, _, _ := unstructured.NestedInt64(d.Object, "status", "readyReplicas"); n == 0 {
				return fmt.Errorf("%s is not ready", d.GetName())
			}
		}
		return nil
	})
	return time.Now()
}

// rowConfined: one project permits services and hosts, of all tenants of a namespace. By the guard of tenants nobody
// else's object becomes a tenant's.
func rowConfined(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenant("a", 1)
	c.tenant("b", 1)
	c.step(t, "assign")
	folder := "clusters/" + c.tenants + "/a/infra"
	before := string(c.tree[folder+"/kustomization.yaml"])
	var others string
	for _, o := range r.api.List(t, engine.ConfigMaps, c.tenants) {
		if strings.HasPrefix(o.GetAnnotations()["argocd.argoproj.io/tracking-id"], c.name("b", "infra")+":") {
			others = o.GetName()
		}
	}
	require.Truef(t, others != "", "b has no ConfigMap")
	// The project says of other kinds and namespaces that it does not permit them, as TestSiteFolders has it. Such the
	// API server denies, when Argo CD compares with its help: TestTenantGuard has more, and a service among the hosts.
	const taken = "another Application's"
	c.edit(t, taken, func(dir string) {
		of := "metadata: {namespace: " + c.tenants + ", name: " + others + "}"
		c.smuggle(t, dir, folder, before, []string{"{apiVersion: v1, kind: ConfigMap, " + of + "}\n"})
	})
	c.sync(t, map[string]string{c.name("a", "infra"): taken})
	c.check(t, taken, nil)
	c.edit(t, "as it was", func(dir string) { c.smuggle(t, dir, folder, before, nil) })
	c.follow(t, "as it was")
}

// TestTenantGuard tries what the guard of tenants is for, and what it must not stand in the way of, as Argo CD's
// account and without Argo CD.
func TestTenantGuard(t *testing.T) {
	t.Parallel()
	api := withoutEngines(t)
	t.Run("names", func(t *testing.T) { tenantGuard(t, api, "tenant-guard", "") })
	t.Run("names with the site", func(t *testing.T) { tenantGuard(t, api, "named-guard", "named-guard-hosts.") })
}

// tenantGuard has Applications whose names begin with site.
func tenantGuard(t *testing.T, api *engine.APIServer, name, site string) {
	t.Helper()
	const syncer = argoAccount
	hosts, tenants := name+"-hosts", name+"-tenants"
	api.Namespaces(t, tenants)
	enforce(t, api, hosts, func(s *v1alpha1.SiteSpec) {
		s.Engine, s.ArgoCD.Order, s.Hosts.Namespaces = v1alpha1.EngineArgoCD, v1alpha1.OrderWaves, []string{hosts,
			tenants}
		if site != "" {
			s.ArgoCD.Names = v1alpha1.NamesSite
		}
	})
	object := func(namespace, name, tracked, instance string) *unstructured.Unstructured {
		o := engine.Objects(t, []byte(fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: %s, name: %s}\n", namespace, name)))[0]
		if tracked != "" {
			o.SetAnnotations(map[string]string{"argocd.argoproj.io/tracking-id": tracked + ":/ConfigMap:" + namespace +
				"/" + name})
		}
		if instance != "" {
			o.SetLabels(map[string]string{"app.kubernetes.io/instance": instance})
		}
		return o
	}
	own, other := site+tenants+".a.infra", site+tenants+".b.infra"
	for _, there := range []struct{ name, tracked, instance string }{
		{"nobodys", "", ""}, {"own", own, ""}, {"of-other", other, ""}, {"labeled-other", "", other},
		{"of-flux", "", "lab"},
	} {
		require.NoError(t, api.TryApply(object(tenants, there.name, there.tracked, there.instance), "e2e", false))
	}
	const elsewhere, taken = "into the tenant's namespace only", "another Application's"
	type attempt struct{ what, user, namespace, name, tracked, instance, denied string }
	rows := []attempt{
		{"a tenant among the hosts", syncer, hosts, "new", own, "", elsewhere},
		{"a tenant among the hosts, from another namespace", syncer, hosts, "new", "argocd_" + own, "", elsewhere},
		{"a tenant among the hosts, tracked by label", syncer, hosts, "new", "", own, elsewhere},
		{"a tenant among the hosts, tracked by label, that says it is another", syncer, hosts, "new", "metal", own,
			elsewhere},
		{"a tenant whose namespace begins like the hosts'", syncer, hosts, "new", site + hosts + "-2.a.infra", "",
			elsewhere},
		{"a tenant in its namespace", syncer, tenants, "new", own, "", ""},
		{"a tenant in its namespace, from another namespace", syncer, tenants, "new", "argocd_" + own, "", ""},
		{"a tenant in its namespace, tracked by label", syncer, tenants, "new", "", own, ""},
		{"another Application among the hosts", syncer, hosts, "new", "metal", "", ""},
		{"another Application of that ending among the hosts", syncer, hosts, "new", "metal.infra", "", ""},
		{"nobody's Application among the hosts", syncer, hosts, "new", "", "", ""},
		{"somebody else", "somebody", hosts, "new", own, "", ""},
		{"a tenant's own", syncer, tenants, "own", own, "", ""},
		{"what is nobody's", syncer, tenants, "nobodys", own, "", ""},
		{"what was another engine's", syncer, tenants, "of-flux", own, "", ""},
		{"another tenant's", syncer, tenants, "of-other", own, "", taken},
		{"another tenant's, tracked by label", syncer, tenants, "labeled-other", "", own, taken},
		{"a tenant's, by another Application", syncer, tenants, "own", "metal", "", ""},
	}
	if site != "" {
		rows = append(rows, attempt{"a tenant of a site without its name", syncer, tenants, "new", tenants + ".a.infra", "",
			elsewhere}, attempt{"a tenant of another site", syncer, tenants, "new", "dc2." + tenants + ".a.infra", "", elsewhere},
			attempt{"a cluster with a digest", syncer, tenants, "new", site[:len(site)-1] + "-" + strings.Repeat("a", 20) + ".infra",
				"", ""})
	}
	for _, row := range rows {
		t.Run(row.what, func(t *testing.T) {
			o := object(row.namespace, row.name, row.tracked, row.instance)
			wantDenied(t, row.what, anybody(t, api, row.user).TryApply(o, "argocd-controller", true), row.denied)
		})
	}
}

// rowUnmarked: somebody takes the annotations off a host that keep Argo CD from pruning it. The Application prunes what
// leaves the tree, and deletes what it applied when it is deleted: the guards keep the host.
func rowUnmarked(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenant("a", 2)
	c.step(t, "assign")
	app := c.name("a", "infra")
	// Two guards deny it, and the API server names the one that it asked first.
	const denied = `"n1" is forbidden: ValidatingAdmissionPolicy 'sipgen-`
	unmark := func() {
		r.api.Kubectl(t, "", "annotate", "--field-manager=people", "-n", c.ns, "baremetalhosts.metal3.io/n1",
			"argocd.argoproj.io/sync-options-", "argocd.argoproj.io/compare-options-")
	}
	c.edit(t, "a host is dropped, and its annotations", func(dir string) {
		replace(t, filepath.Join(dir, "clusters", c.tenants, "a", "hosts", "kustomization.yaml"),
			"- "+c.ns+".n1.yaml\n", "")
	})
	c.sync(t, nil)
	unmark()
	r.argo.Refresh(t, app)
	r.argo.WaitFailed(t, app, c.repo.Head(t), denied)
	c.untouched.Check(t, "a host that is dropped, and its annotations")
	c.wantHolds(t, "a host that is dropped, and its annotations", "a", "n1", "n2")

	// Argo CD ends a sync before it deletes an Application, and this one is tried again and again.
	r.api.Kubectl(t, "", "delete", "-n", engine.ArgoNamespace, "applications.argoproj.io", app, "--wait=false")
	r.argo.Refresh(t, app)
	r.argo.WaitFailed(t, app, c.repo.Head(t), denied)
	c.untouched.Check(t, "an Application that is deleted")
	c.wantHolds(t, "an Application that is deleted", "a", "n1", "n2")

	// The next run brings the host back, and with it its annotations. Then the services are deleted, and made anew.
	c.short = true // a cluster whose files were edited is frozen for this run, and the files are restored
	c.step(t, "the next run")
	c.wantHolds(t, "the next run", "a", "n1", "n2")
}

// rowReordered: a live site goes from none to waves and back. Nothing is deleted or made anew, no label changes, and
// the guards stay.
func rowReordered(t *testing.T, r *rig, name string) {
	none := *r
	none.order = v1alpha1.OrderNone
	c := newCircle(t, &none, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("a", 2, loadBalancer())
	c.tenantWith("b", 1, "")
	c.step(t, "assign")
	for _, order := range []string{v1alpha1.OrderWaves, v1alpha1.OrderNone} {
		unchanged := c.wantNothingChanged(t)
		c.site.Spec.ArgoCD.Order = order
		both := none
		both.order = order
		c.rig = &both
		c.step(t, "order "+order)
		for name, content := range c.tree {
			if strings.HasPrefix(name, "policy/") && !strings.HasSuffix(name, "kustomization.yaml") {
				r.api.Apply(t, "kubectl", string(content))
			}
		}
		c.settle(t, "order "+order)
		unchanged("order " + order)
		assert.Equal(t, order == v1alpha1.OrderNone,
			r.api.Exists(t, engine.Applications, engine.ArgoNamespace, c.tenants+".a.hosts"),
			"order "+order+": an Application of hosts")
		c.wantHolds(t, "order "+order, "a", "n1", "n2")
		c.wantHolds(t, "order "+order, "b", "n3")
	}
}
