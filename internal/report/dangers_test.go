package report

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

func TestLastHostOfARole(t *testing.T) {
	slot := func(status Status) Slot { return Slot{Host: "m/" + string(status), Status: status} }
	for _, row := range []struct {
		why   string
		gone  bool
		slots []Slot
		want  bool
	}{
		{"its only host is released", false, []Slot{slot(StatusReleased)}, true},
		{"the last but for one that was on its way already", false, []Slot{slot(StatusLeaving), slot(StatusReleased)}, true},
		{"one stays", false, []Slot{slot(StatusKept), slot(StatusReleased)}, false},
		{"one comes", false, []Slot{slot(StatusNew), slot(StatusReleased)}, false},
		{"said in an earlier run", false, []Slot{slot(StatusLeaving)}, false},
		{"the cluster goes, which is said", true, []Slot{slot(StatusReleased)}, false},
	} {
		p := &Plan{Clusters: []ClusterResult{{Namespace: "t", Name: "a", Gone: row.gone, Roles: []RoleResult{{Name: "ControlPlane", Slots: row.slots}}}}}
		need.Equal(t, row.why, strings.Contains(strings.Join(Dangers(p, nil), "\n"), "t/a ControlPlane loses its last host"), row.want)
	}
}

// TestLastHostBehindServices: only what reaches the role has nothing behind it.
func TestLastHostBehindServices(t *testing.T) {
	const none, some = "t/a Worker loses its last host", "t/a Worker loses its last host: its load balancers and jump hosts will have nothing behind them"
	for _, row := range []struct {
		why, want string
		services  v1.Services
	}{
		{"no services", none, v1.Services{}},
		{"a load balancer of another role", none, v1.Services{LoadBalancerControlPlane: []v1.LoadBalancerControlPlane{{NodeInterface: "oam"}}}},
		{"its load balancer", some, v1.Services{LoadBalancerWorker: []v1.LoadBalancerWorker{{NodeInterface: "oam"}}}},
		{"a jump host", some, v1.Services{JumpHost: []v1.JumpHost{{NodeInterface: "oam"}}}},
	} {
		c := cluster("a", 0)
		c.Spec.Services = row.services
		h := host("h", held("a"), nil)
		h.Addresses = []inventory.Address{{Network: "oam", IP: netip.MustParseAddr("192.0.2.1")}}
		placed, err := schedule.Plan([]v1.SIPCluster{c}, []inventory.Host{h}, schedule.Previous{}, schedule.Options{Keys: keys})
		need.OK(t, err)
		found := Dangers(Of("dc1", []v1.SIPCluster{c}, placed), nil)
		need.That(t, slices.Contains(found, row.want), "%s: found %q, want %q", row.why, found, row.want)
	}
}

// TestEmptiedComesFirst: nothing is worse than a spec that was emptied, whoever has the host.
func TestEmptiedComesFirst(t *testing.T) {
	p := &Plan{
		Hosts: []HostResult{{Host: "m/a", Cluster: "t/a", Role: "Worker", Emptied: true}, {Host: "m/b"}, {Host: "m/c", Emptied: true}},
		Clusters: []ClusterResult{{Namespace: "t", Name: "a", Roles: []RoleResult{{Name: "Worker", Slots: []Slot{
			{Host: "m/x", Status: StatusReleased, InUse: "it is provisioned", Why: "approved"}, {Host: "m/a", Status: StatusKept},
		}}}}},
	}
	got := Dangers(p, nil)
	if len(got) < 3 || !strings.HasPrefix(got[0], "the spec of m/a (t/a Worker) is EMPTY, and there is a system on the host: metal3 wipes the server") ||
		!strings.HasPrefix(got[1], "the spec of m/c (nobody's) is EMPTY") || !strings.Contains(got[2], "IN USE") {
		t.Errorf("%q", got)
	}
	var table strings.Builder
	Table(&table, p, TableOptions{})
	need.Words(t, "", table.String(), "\ndanger: the spec of m/a (t/a Worker) is EMPTY")
}

// TestFirstDangers: of what is said on a terminal, a tenant with many dangers hides nobody else's.
func TestFirstDangers(t *testing.T) {
	p := &Plan{}
	for i := range 60 {
		p.Clusters = append(p.Clusters, ClusterResult{Namespace: "evil", Name: string(rune('A' + i)), Frozen: []string{"wrong"}})
	}
	p.Clusters = append(p.Clusters, ClusterResult{Namespace: "bank", Name: "a", Roles: []RoleResult{{Name: "Worker", Slots: []Slot{{Host: "m/h1", Status: StatusReleased, Why: "too many"}, {Host: "m/h2", Status: StatusKept}}}}})
	shown, more := FirstDangers(p, nil, 50)
	if said := strings.Join(shown, "\n"); len(shown) != 50 || !strings.Contains(said, "bank/a Worker releases m/h1") {
		t.Errorf("found %d:\n%s", len(shown), said)
	}
	need.Equal(t, "", more, "11 more dangers")
	if shown, more = FirstDangers(p, nil, 61); len(shown) != 61 || more != "" {
		t.Errorf("found %d and %q, want all", len(shown), more)
	}
}

// With a first tree the guards come, and do not change; a policy that is new in a tree is a change.
func TestFirstPolicies(t *testing.T) {
	files := []File{{Path: "policy/site.yaml", Kind: "added"}}
	need.Len(t, "first tree: found", Dangers(&Plan{}, files), 0)
	for name, p := range map[string]*Plan{"another policy": {HasTree: true}, "a tree that is lost": {NoTree: "lost"}} {
		need.Words(t, name, strings.Join(Dangers(p, files), "\n"), "the policies that guard the hosts change")
	}
}

// TestUncleaned: a host that metal3 does not clean is not said to be wiped, however it is handed out, and the others are.
func TestUncleaned(t *testing.T) {
	slot := func(host string, uncleaned bool, status Status, changes ...string) Slot {
		return Slot{Host: host, uncleaned: uncleaned, Status: status, Changes: changes}
	}
	const wiped, notCleaned = ": Cluster API may provision it, and that wipes its disks",
		", and metal3 does not clean it (automatedCleaningMode: disabled): an earlier user's data may remain on its disks: m/a"
	used := slot("m/a", true, StatusKept, promoted)
	used.use = "consumed by x"
	for _, row := range []struct {
		why   string
		slots []Slot
		want  []string
	}{
		{"new", []Slot{slot("m/a", true, StatusNew)}, []string{"1 host is handed out" + notCleaned}},
		{"promoted", []Slot{slot("m/a", true, StatusKept, promoted)}, []string{"1 host is promoted from standby" + notCleaned}},
		{"promoted in use", []Slot{used}, nil},
		{"kept", []Slot{slot("m/a", true, StatusKept)}, nil},
		{"new, and another one is wiped", []Slot{slot("m/a", true, StatusNew), slot("m/b", false, StatusNew)},
			[]string{"1 host is handed out" + notCleaned, "1 host is handed out" + wiped}},
		{"new, and another one is promoted and wiped", []Slot{slot("m/a", true, StatusNew), slot("m/b", false, StatusKept, promoted)},
			[]string{"1 host is handed out" + notCleaned, "1 host is promoted from standby" + wiped}},
		{"promoted, and another one is new and wiped", []Slot{slot("m/a", true, StatusKept, promoted), slot("m/b", false, StatusNew)},
			[]string{"1 host is promoted from standby" + notCleaned, "1 host is handed out" + wiped}},
	} {
		role := RoleResult{Slots: row.slots}
		for _, s := range row.slots {
			if s.Status == StatusNew {
				role.New++
			}
		}
		p := planOf(ClusterResult{Roles: []RoleResult{role}})
		need.Same(t, row.why, handedOut(p.Totals()), row.want)
	}
}

func TestComponentDangers(t *testing.T) {
	for _, row := range []struct {
		change ComponentChange
		want   string
	}{
		{ComponentChange{What: ComponentAuthentication, Files: []string{"dex-a"}}, "the authentication changes (dex-a), that is, who may log in; where the component is used, the control plane machines are replaced one by one"},
		{ComponentChange{What: ComponentAuthentication, Files: []string{"dex-a"}, Deleted: true}, "dex-a is deleted: a kustomization that includes that component does not build"},
		{ComponentChange{What: ComponentEndpoint, From: "192.0.2.1:6443", To: "192.0.2.2:6443"}, "controlPlaneEndpoint 192.0.2.1:6443 to 192.0.2.2:6443: "},
		{ComponentChange{What: ComponentEndpoint, From: "192.0.2.1:6443"}, "controlPlaneEndpoint 192.0.2.1:6443 is no longer set: "},
		{ComponentChange{What: ComponentDomains, To: "r1, r2"}, "failureDomains set to r1, r2: "},
		{ComponentChange{What: ComponentPatches, Files: []string{"kustomization.yaml"}}, "kustomization.yaml changes: "},
		{ComponentChange{What: ComponentPatches, Files: []string{"a.yaml", "b.yaml"}}, "a.yaml, b.yaml change: "},
	} {
		row.change.Cluster = "t/a"
		other := row.change
		other.Cluster = "t/b"
		p := &Plan{Clusters: []ClusterResult{{Namespace: "t", Name: "a"}}, Components: []ComponentChange{row.change, other}}
		if found := Dangers(p, nil); len(found) != 2 || !strings.HasPrefix(found[0], "t/a: capi: "+row.want) {
			t.Errorf("found %q, want %q", found, row.want)
		}
		need.Same(t, "of one cluster: found", Dangers(p.Only("t/a"), nil), Dangers(p, nil)[:1])
	}
}
