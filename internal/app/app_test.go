package app

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// TestBrake: hosts count together, in whatever way a run takes them.
func TestBrake(t *testing.T) {
	hosts := func(names ...string) (keys []schedule.HostKey) {
		for _, name := range names {
			keys = append(keys, schedule.HostKey{Namespace: "metal", Name: name})
		}
		return keys
	}
	rows := []struct {
		why    string
		loss   schedule.Loss
		accept int
		want   string // empty: it goes on
	}{
		{"nothing is lost", schedule.Loss{Claimed: 5}, NoAcceptance, ""},
		{"one host may go in any case", schedule.Loss{Claimed: 5, Missing: hosts("a")}, NoAcceptance, ""},
		{"as many as the site allows", schedule.Loss{Claimed: 20, Missing: hosts("a"), Released: hosts("b")}, NoAcceptance, ""},
		{"more than the share, although no more than the number",
			schedule.Loss{Claimed: 18, Missing: hosts("a"), Released: hosts("b")}, NoAcceptance,
			"refused: 2 of 18 claimed hosts would be lost or released, but the site allows only 1 " +
				"(spec.brake: the smaller of 2 hosts and 10 %, at least 1): 1 no longer"},
		{"more than the number, although no more than the share",
			schedule.Loss{Claimed: 400, Missing: hosts("a", "b", "c")}, NoAcceptance,
			"refused: 3 of 400 claimed hosts would be lost or released, but the site allows only 2 " +
				"(spec.brake: the smaller of 2 hosts and 10 %, at least 1)"},
		{"one more, and each way by itself would be allowed", schedule.Loss{Claimed: 20, Missing: hosts("a", "b"),
			Released: hosts("c")}, NoAcceptance,
			": 2 no longer in the inventory: metal/a, metal/b; 1 released: metal/c"},
		{"hosts that were created anew", schedule.Loss{Claimed: 20, Recreated: hosts("a", "b"), Missing: hosts("c")}, NoAcceptance,
			"1 no longer in the inventory: metal/c; 2 recreated, with another uid: metal/a, metal/b"},
		{"accepted, by their number", schedule.Loss{Claimed: 20, Missing: hosts("a", "b"), Released: hosts("c")}, 3, ""},
		{"another number", schedule.Loss{Claimed: 20, Missing: hosts("a", "b"), Released: hosts("c")}, 2,
			"--accept-loss is 2, but this run would lose or release 3 hosts"},
	}
	site := &v1alpha1.Site{}
	site.Default()
	for _, row := range rows {
		p := &Planned{Loaded: &Loaded{Site: site}, Clusters: &admit.Clusters{}, Placement: &schedule.Placement{}, loss: row.loss}
		err := p.brake(row.accept)
		switch {
		case row.want == "" && err != nil:
			t.Errorf("%s: %v", row.why, err)
		case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: found %v, want %q", row.why, err, row.want)
		}
	}
	for _, row := range []struct{ maxHosts, maxPercent, claimed, want int }{
		{2, 10, 400, 2}, {100, 10, 400, 40}, {40, 5, 400, 20}, {40, 100, 18, 18}, {40, 10, 19, 1}, {0, 0, 400, 1},
		{0, 50, 400, 1}, {2, 10, 0, 1},
	} {
		site.Spec.Brake = v1alpha1.Brake{MaxHosts: &row.maxHosts, MaxPercent: &row.maxPercent}
		p := &Planned{Loaded: &Loaded{Site: site}, Clusters: &admit.Clusters{}, Placement: &schedule.Placement{}, loss: schedule.Loss{Claimed: row.claimed}}
		need.Equal(t, row, p.brakeLimit(), row.want)
	}
}

// TestBeyondBrake is contract 22: what specs give up beyond the brake, each by itself or together with those before it in
// the order in which clusters are served, freezes clusters until their annotations have the number. It is no longer in the
// sum then, and what no spec asked for comes before.
func TestBeyondBrake(t *testing.T) {
	site := &v1alpha1.Site{}
	most, share := 3, 100
	site.Spec.Brake = v1alpha1.Brake{MaxHosts: &most, MaxPercent: &share}
	site.Spec.Decommission = []string{"tenants/listed"}
	type spec struct {
		name, accept string
		asked        int // hosts that the spec gives up
		failed       int // failed hosts with a successor
	}
	for _, row := range []struct {
		why     string
		specs   []spec // in the order in which they are served
		more    int    // hosts that are lost otherwise
		frozen  []string
		refused string
	}{
		{"as many as a run may take", []spec{{"a", "", 3, 0}}, 0, nil, ""},
		{"one more", []spec{{"a", "", 4, 0}}, 0, []string{"loses 4 of 18 claimed hosts, but a run may take only 3 (spec.brake: the smaller of 3 hosts and 100 %, " +
			`at least 1): if that is intended, annotate the SIPCluster with sip.airshipit.org/accept-loss: "4"`}, ""},
		{"accepted", []spec{{"a", "4", 4, 0}}, 0, nil, ""},
		{"another number", []spec{{"a", "5", 4, 0}}, 0, []string{`accept-loss: "4"`}, ""},
		{"two that fit each, and not together", []spec{{"b", "", 2, 0}, {"a", "", 2, 0}}, 0,
			[]string{`loses 2 of 18 claimed hosts, but a run may take only 3, and 2 count before (spec.brake: the smaller of 3 hosts and 100 %, at least 1): ` +
				`if that is intended, annotate the SIPCluster with sip.airshipit.org/accept-loss: "2"`}, ""},
		{"the second accepts", []spec{{"b", "", 2, 0}, {"a", "2", 2, 0}}, 0, nil, ""},
		{"the first accepts, and is no longer in the sum", []spec{{"b", "2", 2, 0}, {"a", "", 2, 0}}, 0, nil, ""},
		{"a small one after one that does not fit", []spec{{"a", "", 4, 0}, {"b", "", 3, 0}}, 0, []string{`accept-loss: "4"`}, ""},
		{"what no spec asked for comes first", []spec{{"a", "", 1, 0}}, 3, []string{`but a run may take only 3, and 3 count before`}, ""},
		{"accepted, and the others lose as many as a run may take", []spec{{"a", "4", 4, 0}}, 3, nil, ""},
		{"accepted, and the others lose more", []spec{{"a", "4", 4, 0}}, 4, nil,
			"refused: 4 of 18 claimed hosts would be lost or released, but the site allows only 3 (spec.brake: the smaller of 3 hosts and 100 %, at least 1; " +
				"besides 4 that specs accept)"},
		{"the Site's own list is the operator's to accept", []spec{{"listed", "4", 4, 0}}, 0, nil, "refused: 4 of 18"},
		{"the number is of all that the cluster loses", []spec{{"a", "", 3, 2}}, 0, []string{`loses 5 of 18 claimed hosts, but a run may take only 3 (spec.brake: the smaller of 3 hosts and 100 %, at least 1): if that is intended, annotate the SIPCluster with sip.airshipit.org/accept-loss: "5"`}, ""},
		{"and accepts all of it", []spec{{"a", "5", 3, 2}}, 3, nil, ""},
		{"what has failed is nobody's to accept alone", []spec{{"a", "4", 0, 4}}, 0, nil, "refused: 4 of 18"},
	} {
		p := &Planned{Loaded: &Loaded{Site: site}, Clusters: &admit.Clusters{}, Placement: &schedule.Placement{}}
		p.loss = schedule.Loss{Claimed: 18, Missing: make([]schedule.HostKey, row.more), Asked: map[schedule.ClusterKey]int{}, Failed: map[schedule.ClusterKey]int{}}
		for _, s := range row.specs {
			c := v1.SIPCluster{Document: &manifest.Document{File: s.name + ".yaml", Index: 1}}
			c.Namespace, c.Name = "tenants", s.name
			c.Annotations = map[string]string{v1.AcceptLossAnnotation: s.accept}
			p.Clusters.All = append(p.Clusters.All, c)
			p.Placement.Clusters = append(p.Placement.Clusters, schedule.Cluster{Key: schedule.KeyOf(&c)})
			p.loss.Asked[schedule.KeyOf(&c)] = s.asked
			p.loss.Failed[schedule.KeyOf(&c)] = s.failed
			p.loss.Released = append(p.loss.Released, make([]schedule.HostKey, s.asked+s.failed)...)
		}
		frozen := p.beyondBrake()
		if len(frozen) != len(row.frozen) {
			t.Errorf("%s: %d are frozen, want %d", row.why, len(frozen), len(row.frozen))
			continue
		}
		for i := range frozen {
			need.Words(t, row.why, frozen[i].Err.Error(), row.frozen[i])
			key := frozen[i].Cluster
			p.loss.Released = p.loss.Released[p.loss.Asked[key]+p.loss.Failed[key]:] // what is frozen loses nothing
			delete(p.loss.Asked, key)
			delete(p.loss.Failed, key)
		}
		var refused string
		if err := p.brake(NoAcceptance); err != nil {
			refused = err.Error()
		}
		need.That(t, (row.refused == "") == (refused == "") && strings.Contains(refused, row.refused),
			"%s: refused with %q, want %q", row.why, refused, row.refused)
	}
}

func TestBelow(t *testing.T) {
	for where, want := range map[string]string{
		"http://127.0.0.1/fleet.git main site": "http://127.0.0.1/fleet.git main site/clusters/a",
		"https://git.example.org/fleet.git/":   "https://git.example.org/fleet.git/clusters/a",
		"./tree/":                              "tree/clusters/a",
		".":                                    "clusters/a",
	} {
		need.Equal(t, where, below(where, "clusters/a"), want)
	}
}

// TestServicesOfOthers: a live Deployment that another controller made, with the name of one cluster's service, is that
// cluster's finding, and no other cluster is frozen for it.
func TestServicesOfOthers(t *testing.T) {
	cluster := func(namespace string) v1.SIPCluster {
		c := v1.SIPCluster{}
		c.Namespace, c.Name = namespace, "a"
		c.Spec.Services.LoadBalancerWorker = make([]v1.LoadBalancerWorker, 1)
		return c
	}
	l := &Loaded{
		Site: &v1alpha1.Site{}, Hosts: &inventory.Inventory{}, Clusters: []v1.SIPCluster{cluster("bank"), cluster("edge")},
		services: []inventory.ServiceObject{{
			Kind: "Deployment", Namespace: "bank", Name: v1.ServiceName(v1.ListWorker, 0, "a"),
			Owners: []inventory.Owner{{Manager: "manager", Operation: "Update", Made: true}},
		}},
	}
	l.Site.Spec.Engine = v1alpha1.EngineFlux
	l.leaveAlone()
	var frozen []schedule.ClusterKey
	for _, f := range l.Problems {
		frozen = append(frozen, f.Cluster)
	}
	need.That(t, len(frozen) == 1 && frozen[0] == (schedule.ClusterKey{Namespace: "bank", Name: "a"}),
		"frozen are %v, want bank/a", frozen)
}

// TestServicesAreBuiltOnce: when a run decides again, it takes what it has built of the services that are as they were,
// what is wrong with them and what changes in them, and builds those that are not. What was found out is replaced by a
// mark here, which only a run that does not build again can come back with.
func TestServicesAreBuiltOnce(t *testing.T) {
	in := &Inputs{Site: "../../examples/full-service/site.yaml",
		Specs:     []string{"../../examples/full-service/cluster.yaml"},
		Inventory: "../../examples/full-service/hosts.yaml"}
	l := need.Value(Load(t.Context(), in, nil))(t)
	tree := func(before Before) *Rendered {
		t.Helper()
		admitted := need.Value(Admit(l, before))(t)
		planned := need.Value(Plan(admitted))(t)
		rendered := need.Value(Render(planned, render.Site))(t)
		return rendered
	}
	first := tree(Before{})
	need.OK(t, first.Err)
	id := onlyBuild(t, l)
	need.That(t, l.built.done[id].built == nil, "what was built is kept though nothing changes in services that are new")

	// Nothing changes: nothing is built again, and nothing beside it.
	before := Before{Files: first.Tree}
	again := tree(before).Compare()
	need.That(t, onlyBuild(t, l) == id && len(again.Services) <= 0,
		"%d builds, changes %v of services that are as they were", len(l.built.done), again.Services)
	l.built.done[id] = serviceBuild{wrong: []error{errors.New("the mark")}}
	if why := tree(before).Plan.Report.Clusters[0].Frozen; len(why) != 1 ||
		!strings.Contains(why[0], "bank/bank: the mark") {
		t.Errorf("the services were built again: frozen for %q", why)
	}

	// Another tree before: they are compared as they were built for the check.
	before.Files = render.Tree(maps.Clone(first.Tree))
	const balancer = "clusters/bank/bank/infra/loadbalancer-controlplane-bank.yaml"
	before.Files[balancer] = []byte(strings.Replace(string(before.Files[balancer]), "replicas: 3", "replicas: 5", 1))
	l.built = &serviceBuilds{}
	said := func() string {
		var objects []string
		for _, s := range tree(before).Compare().Services {
			need.Equal(t, "not compared", s.Unknown, "")
			for _, o := range s.Objects {
				objects = append(objects, o.Object+" "+strings.Join(o.Fields, " "))
			}
		}
		return strings.Join(objects, "\n")
	}
	const want = "Deployment loadbalancer-controlplane-bank spec.replicas 5 → 3"
	need.Equal(t, "", said(), want)
	built := l.built.done[onlyBuild(t, l)].built
	i := slices.IndexFunc(built.Objects, func(o overlay.Object) bool { return o.Kind == "PodDisruptionBudget" })
	built.Objects[i].Name = "the-mark"
	need.Words(t, "the services were built again to be compared: got", said(), "PodDisruptionBudget the-mark")

	// Other services are built and checked, whatever was found out about those before.
	s := render.Services{Cluster: &l.Clusters[0],
		Files: map[string][]byte{"kustomization.yaml": []byte("resources: [x.yaml]"), "x.yaml": []byte("a")}}
	other := s
	other.Files = map[string][]byte{"kustomization.yaml": s.Files["kustomization.yaml"], "x.yaml": []byte("b")}
	need.That(t, identity(s) != identity(other), "services with other files pass for those that were checked")
}

// onlyBuild is the identity of the one cluster's services that were built.
func onlyBuild(t *testing.T, l *Loaded) (id [32]byte) {
	t.Helper()
	need.Must(t, len(l.built.done) == 1, "%d services were built, want 1", len(l.built.done))
	for id = range l.built.done {
	}
	return id
}

// TestWhoseLabelsAreNewer: labels count for more than the tree only where it is certain that they were read after it.
func TestWhoseLabelsAreNewer(t *testing.T) {
	committed := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		why          string
		taken        time.Time
		live         bool
		committed    time.Time
		newer, older bool
	}{
		{"manifests do not say when they were read", time.Time{}, false, committed, false, false},
		{"a snapshot from before the commit", committed.Add(-time.Minute), false, committed, false, true},
		{"in the second of the commit, which has no fractions", committed.Add(999 * time.Millisecond), true, committed, false, true},
		{"a second later", committed.Add(time.Second), false, committed, true, false},
		{"a folder was written nobody knows when", committed, false, time.Time{}, false, false},
		{"a folder, and hosts that this run reads", committed, true, time.Time{}, true, false},
	} {
		l := &Loaded{Hosts: &inventory.Inventory{TakenAt: row.taken}, Live: row.live}
		before := Before{Committed: row.committed, Files: map[string][]byte{"PLAN.md": nil}}
		if newer, older := l.labelsNewer(before), l.older(before); newer != row.newer || older != row.older {
			t.Errorf("%s: newer %t, older %t, want %t, %t", row.why, newer, older, row.newer, row.older)
		}
	}
}

// TestAgeIsNotNegative: the API server's clock may be ahead of this machine's.
func TestAgeIsNotNegative(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for after, want := range map[time.Duration]string{-90 * time.Second: "1m30s", 0: "0s", time.Minute: "0s"} {
		need.Equal(t, after, (&Loaded{Hosts: &inventory.Inventory{TakenAt: now.Add(after)}}).Age(now), want)
	}
}
