package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// TestLabelGuard: who may do anything with hosts writes neither sipgen's labels nor an approval, and is not hindered in anything else. Each try is
// a row, on a host of its own.
func TestLabelGuard(t *testing.T) {
	api := withoutEngines(t)
	api.AllRights(t, "everybody-here")
	const (
		ns, audited, others = "label-guard", "label-guard-audited", "label-guard-others"
		person, restorer    = "somebody", "restore@example.org"
		metal3              = "system:serviceaccount:baremetal-operator-system:baremetal-operator-controller-manager"
	)
	api.Namespaces(t, ns, audited, others, "flux-system")
	for namespace, enforce := range map[string]bool{ns: true, audited: false} {
		labelGuarded(t, api, namespace, v1alpha1.LabelGuard{Enforce: enforce, Writers: []string{restorer}})
	}
	approval := []string{"metadata", "annotations", "sip.airshipit.org/release-of"}
	const labels, approves = "the GitOps identity of site label-guard writes the labels", "approve it in the SIPCluster"
	for i, row := range []struct {
		what, user, ns string
		change         func(map[string]any)
		status         bool
		denied         string
	}{
		{"a person changes cluster-namespace", person, ns, set("x", label("cluster-namespace")...), false, labels},
		{"a person changes cluster-name", person, ns, set("x", label("cluster-name")...), false, labels},
		{"a person changes node-type", person, ns, set("x", label("node-type")...), false, labels},
		{"a person takes node-type away", person, ns, drop(label("node-type")...), false, labels},
		{"a person takes all labels away", person, ns, drop("metadata", "labels"), false, labels},
		{"a person sets standby", person, ns, set("true", label("standby")...), false, labels},
		{"a person approves a release", person, ns, set("x", approval...), false, approves},
		{"a person changes another label", person, ns, set("r9", "metadata", "labels", "rack"), false, ""},
		{"a person changes another annotation", person, ns, set("x", "metadata", "annotations", "example.org/asset"), false, ""},
		{"a person changes the spec", person, ns, set("x", "spec", "description"), false, ""},
		{"the operator writes the status", metal3, ns, set(false, "status", "poweredOn"), true, ""},
		{"the operator sets its finalizer", metal3, ns, set([]any{"baremetalhost.metal3.io"}, "metadata", "finalizers"), false, ""},
		{"the operator hands a host out", metal3, ns, set("x", label("cluster-name")...), false, labels},
		{"Cluster API takes the host", capm3, ns, set(map[string]any{"kind": "Metal3Machine", "name": "m", "namespace": "x"}, "spec", "consumerRef"), false, ""},
		{"Cluster API sets a label of its own", capm3, ns, set("c", "metadata", "labels", "cluster.x-k8s.io/cluster-name"), false, ""},
		{"Cluster API hands a host out", capm3, ns, set("x", label("cluster-name")...), false, labels},
		{"a person uses a host and changes cluster-name", person, ns, func(o map[string]any) {
			set("http://images.invalid/a", "spec", "image", "url")(o)
			set("x", label("cluster-name")...)(o)
		}, false, labels},
		{"the engine hands a host out", "system:serviceaccount:flux-system:sipgen-" + ns + "-hosts", ns, set("x", label("cluster-name")...), false, ""},
		{"a writer of the Site changes cluster-name", restorer, ns, set("x", label("cluster-name")...), false, ""},
		{"a person changes cluster-name where it is audited", person, audited, set("x", label("cluster-name")...), false, ""},
		{"a person changes cluster-name where no site has hosts", person, others, set("x", label("cluster-name")...), false, ""},
	} {
		t.Run(row.what, func(t *testing.T) {
			name := fmt.Sprintf("n%02d", i)
			makeHost(t, api, "controller", row.ns, name, "r1")
			api.Edit(t, "e2e", engine.Hosts, row.ns, name, "", func(o map[string]any) {
				for key, value := range movedLabels(wholeClaim) {
					_ = unstructured.SetNestedField(o, value, "metadata", "labels", key)
				}
			})
			subresource := ""
			if row.status {
				subresource = "status"
			}
			client := engine.NewClient(t, api.As(row.user, "everybody-here"))
			wantDenied(t, row.what, client.TryEdit("probe", engine.Hosts, row.ns, name, subresource, row.change), row.denied)
		})
	}
	t.Run("break-glass changes cluster-name", func(t *testing.T) {
		makeHost(t, api, "controller", ns, "glass", "r1")
		wantDenied(t, "break-glass", api.TryEdit("probe", engine.Hosts, ns, "glass", "", set("x", label("cluster-name")...)), "")
	})
	makes := func(user, name, claim string) error {
		host := engine.Objects(t, []byte(hostManifest(ns, name, "r1")))[0]
		labels := host.GetLabels()
		for key, value := range movedLabels(claim) {
			labels[key] = value
		}
		host.SetLabels(labels)
		return engine.NewClient(t, api.As(user, "everybody-here")).TryApply(host, "probe", true)
	}
	for _, row := range []struct{ what, user, claim, denied string }{
		{"a person makes a host", person, "", ""},
		{"a person makes a host with labels", person, wholeClaim, labels},
		{"a writer of the Site moves hosts to another API server", restorer, wholeClaim, ""},
	} {
		t.Run(row.what, func(t *testing.T) { wantDenied(t, row.what, makes(row.user, "made", row.claim), row.denied) })
	}
}

// labelGuarded has the guards of a site in force in the namespace of its name.
func labelGuarded(t *testing.T, api *engine.APIServer, namespace string, guard v1alpha1.LabelGuard) {
	t.Helper()
	site := &v1alpha1.Site{}
	site.Name = namespace
	site.Spec.Repository.URL = "ssh://git@git.invalid/guards.git"
	site.Spec.Hosts.Namespaces = []string{namespace}
	site.Spec.LabelGuard = guard
	site.Default()
	tree, _, err := render.Site(render.Input{Site: site, Placement: &schedule.Placement{}})
	need.OK(t, err)
	for name, content := range tree {
		if strings.HasPrefix(name, "policy/") && strings.HasSuffix(name, "-guard.yaml") {
			api.Apply(t, "e2e", string(content))
		}
	}
	api.WaitPolicies(t, namespace)
}

// TestTwoSites: two sites on one API server. Each site's guards hold in its namespaces, and deny nothing in the
// other's. A site that takes a namespace of the other's is refused.
func TestTwoSites(t *testing.T) {
	t.Parallel()
	api := withoutEngines(t)
	var sites []*circle
	for _, name := range []string{"site-one", "site-two"} {
		c := newCircle(t, &rig{engine: v1alpha1.EngineFlux, api: api}, name)
		c.site.Spec.Repository.URL = "ssh://git@git.invalid/" + name + ".git"
		c.hosts(t, "controller", "n1")
		sites = append(sites, c)
	}
	one, two := sites[0], sites[1]
	two.site.Spec.LabelKeys = v1alpha1.LabelKeys{
		ClusterNamespace: "example.org/cluster-namespace", ClusterName: "example.org/cluster-name", NodeType: "example.org/node-type", Standby: "example.org/standby",
	}
	for _, c := range sites {
		c.tenant("a", 1)
		c.commit(t)
		for name, content := range c.tree {
			if strings.HasPrefix(name, "policy/") && !strings.HasSuffix(name, "kustomization.yaml") {
				api.Apply(t, "e2e", string(content))
			}
		}
	}
	api.AllRights(t, "everybody-here")
	api.WaitPolicies(t, one.ns)
	syncer := func(c *circle) *engine.Client {
		return engine.NewClient(t, api.As("system:serviceaccount:flux-system:sipgen-"+c.site.Name+"-hosts", "everybody-here"))
	}
	person := engine.NewClient(t, api.As("somebody", "everybody-here"))
	put := func(client *engine.Client, ns, key string) error {
		return client.TryEdit("kustomize-controller", engine.Hosts, ns, "n1", "", func(o map[string]any) {
			_ = unstructured.SetNestedField(o, "a", "metadata", "labels", key)
		})
	}
	const ofOne, ofTwo = "sip.airshipit.org/cluster-name", "example.org/cluster-name"
	wantDenied(t, "the engine writes the labels of site two in site one", put(syncer(one), one.ns, ofTwo), "may only change sipgen's labels")
	wantDenied(t, "the engine writes the labels of site one in site two", put(syncer(two), two.ns, ofOne), "may only change sipgen's labels")
	wantDenied(t, "the engine writes the labels of site one", put(syncer(one), one.ns, ofOne), "")
	wantDenied(t, "the engine of site one writes the labels of site two", put(syncer(one), two.ns, ofTwo), "of site site-two")
	wantDenied(t, "the engine writes the labels of site two", put(syncer(two), two.ns, ofTwo), "")
	wantDenied(t, "a person writes the labels of site two in site one", put(person, one.ns, ofTwo), "")
	wantDenied(t, "a person writes the labels of site two", person.TryEdit("probe", engine.Hosts, two.ns, "n1", "", func(o map[string]any) {
		_ = unstructured.SetNestedField(o, "b", "metadata", "labels", ofTwo)
	}), "of site site-two")
	for _, c := range sites {
		wantDenied(t, "a person deletes a host of "+c.site.Name, person.TryDelete(engine.Hosts, c.ns, "n1", true), "release it first")
	}
	one.breakGlass(t)
	two.site.Spec.Hosts.Namespaces = []string{two.ns, one.ns}
	two.account = two.reader(t)
	two.refused(t, "a namespace of another site", "the guards of site site-one are in force in namespace site-one, which has hosts of site site-two")
}

// breakGlass does what safety.md says, word by word: a host in use goes to another cluster, and is deleted.
func (c *circle) breakGlass(t *testing.T) {
	t.Helper()
	c.rig.api.Edit(t, "capm3", engine.Hosts, c.ns, "n1", "", set(map[string]any{"kind": "Metal3Machine", "namespace": c.ns, "name": "m"}, "spec", "consumerRef"))
	words := strings.NewReplacer("-n NAMESPACE NAME", "-n "+c.ns+" n1", "YOU", "somebody", "=NAMESPACE-OF-CLUSTER", "="+c.tenants+"-2", "=CLUSTER", "=b", "=ROLE", "=Worker")
	command := func(name string) string { return words.Replace(procedure(t, "break-glass", name)[0]) }
	may, moves := command("check"), command("move")
	if said := c.run(t, []string{may}); strings.Count(said, "yes\n") != 2 {
		t.Errorf("may break the glass: %q", said)
	}
	c.run(t, []string{moves})
	labels := c.rig.api.OurLabels(t, c.ns, "n1")
	for key, want := range map[string]string{"cluster-namespace": c.tenants + "-2", "cluster-name": "b", "node-type": "Worker"} {
		need.Equal(t, "moved: the label "+key, labels["sip.airshipit.org/"+key], want)
	}
	c.run(t, []string{command("unlabel")})
	need.Len(t, "the labels were taken off, and it has", c.rig.api.OurLabels(t, c.ns, "n1"), 0)
	c.run(t, []string{moves, command("delete")})
	need.That(t, !c.rig.api.Exists(t, engine.Hosts, c.ns, "n1"), "the host is still there")
}
