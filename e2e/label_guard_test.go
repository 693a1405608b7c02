package e2e_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// used is a host that a machine runs on.
const used = machine + ", " + image

// What alone says that a host is in use.
var (
	usedSpecs  = []string{machine, image, "customDeploy: {method: install_coreos}", "externallyProvisioned: true"}
	usedStates = []string{"provisioning", "provisioned", "externally provisioned", "deprovisioning"}
)

// guardedHost is what the spec of a host has besides, in YAML, its state, and sipgen's labels.
type guardedHost struct{ spec, state, labels string }

func (h guardedHost) make(t *testing.T, api *engine.APIServer, ns, name string) {
	t.Helper()
	require.NoError(t, api.TryApply(labeledHost(t, ns, name, h.spec, h.labels), "site-controller", false))
	if h.state != "" {
		setStatus(t, api, ns, name, h.state)
	}
}

func labeledHost(t *testing.T, ns, name, spec, labels string) *unstructured.Unstructured {
	t.Helper()
	manifest := strings.TrimSpace(hostManifest(ns, name, "r1"))
	if spec != "" {
		manifest += "\n  " + strings.ReplaceAll(spec, "}, ", "}\n  ")
	}
	host := engine.Objects(t, []byte(manifest))[0]
	all := host.GetLabels()
	maps.Copy(all, movedLabels(labels))
	host.SetLabels(all)
	return host
}

// labelRow is what a user with all rights does to a host of its own; denied is "" for what must pass.
type labelRow struct {
	what, user string
	host       guardedHost
	change     func(map[string]any)
	denied     string
}

func tryLabels(t *testing.T, api *engine.APIServer, ns string, rows []labelRow) {
	t.Helper()
	for i, row := range rows {
		t.Run(row.what, func(t *testing.T) {
			name := fmt.Sprintf("n%02d", i)
			row.host.make(t, api, ns, name)
			client := anybody(t, api, row.user)
			if row.user == glass {
				client = api.Client
			}
			wantDenied(t, row.what, client.TryEdit("probe", engine.Hosts, ns, name, "", row.change), row.denied)
		})
	}
}

func both(changes ...func(map[string]any)) func(map[string]any) {
	return func(o map[string]any) {
		for _, change := range changes {
			change(o)
		}
	}
}

var (
	inUse     = guardedHost{used, "provisioned", wholeClaim}
	unlabeled = guardedHost{used, "provisioned", ""}
	idle      = guardedHost{"", "available", wholeClaim}
	hands     = set("other", label("cluster-name")...)
	unlabels  = drop("metadata", "labels")
	approval  = []string{"metadata", "annotations", "sip.airshipit.org/release-of"}
	approves  = set("x", approval...)
	racks     = set("r9", "metadata", "labels", "rack")
	describes = set("x", "spec", "description")
	marks     = set("c", "metadata", "labels", "cluster.x-k8s.io/cluster-name")
	released  = both(drop("spec", "consumerRef"), drop("spec", "image"))
)

// Who acts: a person, a writer of the Site, and break-glass, which the guards leave alone.
const (
	somebody, restorer, glass = "somebody", "restore@example.org", "glass"
	approveInSpec             = "approve it in the SIPCluster"
)

// TestLabelGuard: who may do anything with hosts writes neither sipgen's labels nor an approval, and is not hindered in
// anything else. That the operator and Cluster API do their work under it, the rows of sites have.
func TestLabelGuard(t *testing.T) {
	const ns, denied = "label-guard", "the GitOps identity of site label-guard writes the labels"
	api := withoutEngines(t)
	enforce(t, api, ns, func(s *v1alpha1.SiteSpec) {
		s.LabelGuard = v1alpha1.LabelGuard{Enforce: true, Writers: []string{restorer}}
	})
	tryLabels(t, api, ns, []labelRow{
		{"a person changes cluster-namespace", somebody, idle, set("x", label("cluster-namespace")...), denied},
		{"a person changes cluster-name", somebody, idle, hands, denied},
		{"a person changes node-type", somebody, idle, set("x", label("node-type")...), denied},
		{"a person takes node-type away", somebody, idle, drop(label("node-type")...), denied},
		{"a person takes all labels away", somebody, idle, unlabels, denied},
		{"a person sets standby", somebody, idle, set("true", label("standby")...), denied},
		{"a person approves a release", somebody, idle, approves, approveInSpec},
		{"a person changes another label", somebody, idle, racks, ""},
		{"a person changes another annotation", somebody, idle,
			set("x", "metadata", "annotations", "example.org/asset"), ""},
		{"a person changes the spec", somebody, idle, describes, ""},
		{"the operator hands a host out", engine.OperatorUser, idle, hands, denied},
		{"Cluster API sets a label of its own", capm3, idle, marks, ""},
		{"Cluster API hands a host out", capm3, idle, hands, denied},
		{"a person uses a host and changes cluster-name", somebody, idle,
			both(set("http://images.invalid/a", "spec", "image", "url"), hands), denied},
		{"the engine hands a host out", hostsAccount(ns), idle, hands, ""},
		{"a writer of the Site changes cluster-name", restorer, idle, hands, ""},
		{"break-glass changes cluster-name", glass, idle, hands, ""},
	})
	const others = "label-guard-others"
	api.Namespaces(t, others)
	tryLabels(t, api, others, []labelRow{{"a person changes cluster-name where no site has hosts", somebody, idle,
		hands, ""}})
	for _, row := range []struct{ what, user, claim, denied string }{
		{"a person makes a host", somebody, "", ""},
		{"a person makes a host with labels", somebody, wholeClaim, denied},
		{"a writer of the Site moves hosts to another API server", restorer, wholeClaim, ""},
	} {
		made := labeledHost(t, ns, "made", "", row.claim)
		wantDenied(t, row.what, anybody(t, api, row.user).TryApply(made, "probe", true), row.denied)
	}
}

// TestInUseGuard: with a label guard that only audits, as it does unless the Site says otherwise, a user with all
// rights over hosts writes no label and no approval on a host in use, and is hindered in nothing else.
func TestInUseGuard(t *testing.T) {
	const (
		ns     = "in-use-guard"
		sip    = "system:serviceaccount:sipcluster-system:default"
		denied = "this one is in use"
	)
	api, syncer := withoutEngines(t), hostsAccount(ns)
	enforce(t, api, ns, func(s *v1alpha1.SiteSpec) { s.LabelGuard.Writers = []string{restorer} })
	standby := guardedHost{used, "provisioned", wholeClaim + " standby=true"}
	detached := set("", "metadata", "annotations", "baremetalhost.metal3.io/detached")
	approvesThis := func(o map[string]any) {
		uid, _, _ := unstructured.NestedString(o, "metadata", "uid")
		set(uid+"/Metal3Machine/t/m1", approval...)(o)
	}
	rows := []labelRow{
		{"a person changes cluster-namespace", somebody, inUse, set("x", label("cluster-namespace")...), denied},
		{"a person changes cluster-name", somebody, inUse, hands, denied},
		{"a person changes node-type", somebody, inUse, set("x", label("node-type")...), denied},
		{"a person sets standby", somebody, inUse, set("true", label("standby")...), denied},
		{"a person takes cluster-namespace away", somebody, inUse, drop(label("cluster-namespace")...), denied},
		{"a person takes cluster-name away", somebody, inUse, drop(label("cluster-name")...), denied},
		{"a person takes node-type away", somebody, inUse, drop(label("node-type")...), denied},
		{"a person takes standby away", somebody, standby, drop(label("standby")...), denied},
		{"a person takes all labels away", somebody, inUse, unlabels, denied},
		{"a person sets the first labels", somebody, unlabeled, hands, denied},
		{"a person fills a label without a value", somebody, guardedHost{used, "provisioned", "cluster-name="}, hands,
			denied},
		{"a person approves a release", somebody, inUse, approves, approveInSpec},
		{"a person takes the use and a label away at once", somebody, guardedHost{used, "available", wholeClaim},
			both(released, hands), denied},
		{"a person writes a label as it is", somebody, inUse, set("a", label("cluster-name")...), ""},
		{"a person changes another label", somebody, inUse, racks, ""},
		{"a person changes another annotation", somebody, inUse, detached, ""},
		{"a person changes the spec", somebody, inUse, describes, ""},

		{"Cluster API hands a host out", capm3, inUse, hands, denied},
		{"Cluster API sets its label and lets the host go", capm3, inUse, both(marks, released), ""},
		{"the SIP operator takes a host", sip, unlabeled, hands, denied},
		{"the SIP operator takes an idle host", sip, guardedHost{"", "available", ""}, hands, ""},
		{"a writer of the Site restores labels", restorer, unlabeled, hands, ""},
		{"a writer of the Site changes cluster-name", restorer, inUse, hands, ""},
		{"a writer of the Site restores an approval", restorer, inUse, approves, ""},
		{"the engine sets standby", syncer, inUse, set("true", label("standby")...), ""},
		{"the engine restores a label", syncer, guardedHost{used, "provisioned", "cluster-namespace=t cluster-name=a"},
			set("Worker", label("node-type")...), ""},
		{"the engine sets the first labels", syncer, unlabeled, hands, ""},
		{"the engine moves the host", syncer, inUse, hands, "is in use"},
		{"the engine releases the host with an approval", syncer, inUse,
			both(drop(label("cluster-name")...), approvesThis), ""},
		{"break-glass changes cluster-name", glass, inUse, hands, ""},

		{"an idle host: a person changes cluster-name", somebody, idle, hands, ""},
		{"an idle host: a person takes all labels away", somebody, idle, unlabels, ""},
		{"an idle host: a person approves a release", somebody, idle, approves, ""},
		{"a host without a status", somebody, guardedHost{"", "", wholeClaim}, hands, ""},
		{"a host that is inspected", somebody, guardedHost{"", "inspecting", wholeClaim}, hands, ""},
		{"a host that is not externally provisioned", somebody,
			guardedHost{"externallyProvisioned: false", "available", wholeClaim}, hands, ""},
		{"a host with an image without a URL", somebody, guardedHost{noURL, "available", wholeClaim}, hands, ""},
		{"a host that is kept for its cluster", somebody, guardedHost{kept, "available", wholeClaim}, hands, denied},
	}
	for _, spec := range usedSpecs {
		host := guardedHost{spec, "available", wholeClaim}
		rows = append(rows, labelRow{"in use by its spec alone: " + spec, somebody, host, hands, denied})
	}
	for _, state := range usedStates {
		host := guardedHost{"", state, wholeClaim}
		rows = append(rows, labelRow{"in use by its state alone: " + state, somebody, host, hands, denied})
	}
	tryLabels(t, api, ns, rows)
	// clusterctl move and a restore: a user whom the Site does not name makes a host as it was, writes its status, and
	// unpauses it.
	t.Run("a host in use is made with labels and a status", func(t *testing.T) {
		mover := anybody(t, api, "mover")
		host := labeledHost(t, ns, "moved", used, wholeClaim)
		host.SetAnnotations(map[string]string{"baremetalhost.metal3.io/paused": "",
			"sip.airshipit.org/release-of": "x"})
		wantDenied(t, "it is made", mover.TryApply(host, "clusterctl", false), "")
		wantDenied(t, "its status is written",
			mover.TryEdit("clusterctl", engine.Hosts, ns, "moved", "status", func(o map[string]any) {
				o["status"] = api.Get(t, engine.Hosts, ns, "n00").Object["status"]
			}), "")
		unpaused := drop("metadata", "annotations", "baremetalhost.metal3.io/paused")
		wantDenied(t, "it is unpaused", mover.TryEdit("clusterctl", engine.Hosts, ns, "moved", "", unpaused), "")
		wantDenied(t, "the move is repeated", mover.TryApply(host, "clusterctl", false), "")
		host.SetLabels(movedLabels("cluster-namespace=t cluster-name=b node-type=Worker"))
		wantDenied(t, "a restore overwrites it", mover.TryApply(host, "clusterctl", false), denied)
	})
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
		ClusterNamespace: "example.org/cluster-namespace", ClusterName: "example.org/cluster-name",
		NodeType: "example.org/node-type", Standby: "example.org/standby",
	}
	for _, c := range sites {
		c.tenant("a", 1)
		c.commit(t)
		applyPolicies(t, api, c.tree)
	}
	api.WaitPolicies(t, one.ns)
	syncer := func(c *circle) *engine.Client { return anybody(t, api, hostsAccount(c.site.Name)) }
	person := anybody(t, api, somebody)
	put := func(client *engine.Client, ns, key string) error {
		return client.TryEdit("kustomize-controller", engine.Hosts, ns, "n1", "", set("a", "metadata", "labels", key))
	}
	const ofOne, ofTwo = "sip.airshipit.org/cluster-name", "example.org/cluster-name"
	wantDenied(t, "the engine writes the labels of site two in site one", put(syncer(one), one.ns, ofTwo),
		"may only change sipgen's labels")
	wantDenied(t, "the engine writes the labels of site one in site two", put(syncer(two), two.ns, ofOne),
		"may only change sipgen's labels")
	wantDenied(t, "the engine writes the labels of site one", put(syncer(one), one.ns, ofOne), "")
	wantDenied(t, "the engine of site one writes the labels of site two", put(syncer(one), two.ns, ofTwo),
		"of site site-two")
	wantDenied(t, "the engine writes the labels of site two", put(syncer(two), two.ns, ofTwo), "")
	wantDenied(t, "a person writes the labels of site two in site one", put(person, one.ns, ofTwo), "")
	changes := set("b", "metadata", "labels", ofTwo)
	err := person.TryEdit("probe", engine.Hosts, two.ns, "n1", "", changes)
	wantDenied(t, "a person writes the labels of site two", err, "of site site-two")
	for _, c := range sites {
		wantDenied(t, "a person deletes a host of "+c.site.Name, person.TryDelete(engine.Hosts, c.ns, "n1", true),
			"release it first")
	}
	one.breakGlass(t)
	two.site.Spec.Hosts.Namespaces = []string{two.ns, one.ns}
	two.account = two.reader(t)
	two.refused(t, "a namespace of another site",
		"the guards of site site-one are in force in namespace site-one, which has hosts of site site-two")
}

// breakGlass does what safety.md says, word by word: a host in use goes to another cluster, and is deleted.
func (c *circle) breakGlass(t *testing.T) {
	t.Helper()
	c.rig.api.Edit(t, "capm3", engine.Hosts, c.ns, "n1", "",
		set(map[string]any{"kind": "Metal3Machine", "namespace": c.ns, "name": "m"}, "spec", "consumerRef"))
	words := strings.NewReplacer("-n NAMESPACE NAME", "-n "+c.ns+" n1", "YOU", "somebody", "=NAMESPACE-OF-CLUSTER",
		"="+c.tenants+"-2", "=CLUSTER", "=b", "=ROLE", "=Worker")
	command := func(name string) string { return words.Replace(procedure(t, "break-glass", name)[0]) }
	may, moves := command("check"), command("move")
	if said := c.run(t, []string{may}); strings.Count(said, "yes\n") != 2 {
		t.Errorf("may break the glass: %q", said)
	}
	c.run(t, []string{moves})
	labels := c.rig.api.OurLabels(t, c.ns, "n1")
	for key, want := range map[string]string{"cluster-namespace": c.tenants + "-2", "cluster-name": "b",
		"node-type": "Worker"} {
		assert.Equal(t, want, labels["sip.airshipit.org/"+key], "moved: the label "+key)
	}
	c.run(t, []string{command("unlabel")})
	assert.Len(t, c.rig.api.OurLabels(t, c.ns, "n1"), 0, "the labels were taken off, and it has")
	c.run(t, []string{moves, command("delete")})
	assert.Truef(t, !c.rig.api.Exists(t, engine.Hosts, c.ns, "n1"), "the host is still there")
}
