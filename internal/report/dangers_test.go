package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLastHostOfARole(t *testing.T) {
	slot := func(status Status) Slot { return Slot{Host: "m/" + string(status), Status: status} }
	for _, row := range []struct {
		why   string
		gone  bool
		slots []Slot
		want  bool
	}{
		{"the last but for one that was on its way already", false, []Slot{slot(StatusLeaving), slot(StatusReleased)},
			true},
		{"one comes", false, []Slot{slot(StatusNew), slot(StatusReleased)}, false},
		{"said in an earlier run", false, []Slot{slot(StatusLeaving)}, false},
		{"the cluster goes, which is said", true, []Slot{slot(StatusReleased)}, false},
	} {
		p := &Plan{Clusters: []ClusterResult{{Namespace: "t", Name: "a", Gone: row.gone,
			Roles: []RoleResult{{Name: "ControlPlane", Slots: row.slots}}}}}
		assert.Equal(t, row.want,
			strings.Contains(strings.Join(Dangers(p), "\n"), "t/a ControlPlane loses its last host"), row.why)
	}
}

// TestEmptiedComesFirst: nothing is worse than a spec that was emptied, whoever has the host.
func TestEmptiedComesFirst(t *testing.T) {
	p := &Plan{
		Hosts: []HostResult{{Host: "m/a", Cluster: "t/a", Role: "Worker", Emptied: true}, {Host: "m/b"},
			{Host: "m/c", Emptied: true}},
		Clusters: []ClusterResult{{Namespace: "t", Name: "a", Roles: []RoleResult{{Name: "Worker", Slots: []Slot{
			{Host: "m/x", Status: StatusReleased, InUse: "it is provisioned", Why: "approved"},
			{Host: "m/a", Status: StatusKept},
		}}}}},
	}
	got := Dangers(p)
	if len(got) < 3 || !strings.HasPrefix(got[0],
		"the spec of m/a (t/a Worker) is EMPTY, and there is a system on the host: metal3 wipes the server") ||
		!strings.HasPrefix(got[1], "the spec of m/c (no cluster's) is EMPTY") || !strings.Contains(got[2], "IN USE") {
		t.Errorf("%q", got)
	}
	var table strings.Builder
	Table(&table, p, TableOptions{})
	assert.Contains(t, table.String(), "\ndanger: the spec of m/a (t/a Worker) is EMPTY")
}

// TestFirstDangers: of what is said on a terminal, a tenant with many dangers hides nobody else's.
func TestFirstDangers(t *testing.T) {
	p := &Plan{}
	for i := range 60 {
		p.Clusters = append(p.Clusters, ClusterResult{Namespace: "evil", Name: string(rune('A' + i)),
			Frozen: []string{"wrong"}})
	}
	p.Clusters = append(p.Clusters, ClusterResult{Namespace: "bank", Name: "a", AnyPatches: true})
	shown, more := FirstDangers(p, 50)
	assert.Len(t, shown, 50)
	assert.Contains(t, strings.Join(shown, "\n"), "bank/a has patches")
	assert.Equal(t, "11 more dangers", more)
	shown, more = FirstDangers(p, 61)
	assert.Truef(t, len(shown) == 61 && more == "", "found %d and %q, want all", len(shown), more)
}

// With a first tree the guards come, and do not change; a policy that is new in a tree is a change.
func TestFirstPolicies(t *testing.T) {
	files := []File{{Path: "policy/site.yaml", Kind: "added"}}
	assert.Len(t, Dangers(&Plan{Files: files}), 0, "first tree: found")
	for name, p := range map[string]*Plan{"another policy": {HasTree: true}, "a tree that is lost": {NoTree: "lost"}} {
		p.Files = files
		assert.Contains(t, strings.Join(Dangers(p), "\n"), "the policies that guard the hosts change", name)
	}
}

// TestPolicies: the guards of the hosts change seldom. What changes with each tenant has words of its own, so that
// they are read.
func TestPolicies(t *testing.T) {
	for file, want := range map[string]string{
		"sync-guard.yaml":    "the policies that guard the hosts change",
		"delete-guard.yaml":  "the policies that guard the hosts change",
		"kustomization.yaml": "the policies that guard the hosts change",
		"hosts.yaml":         "the policies that guard the hosts change",
		"tenant-guard.yaml":  "the policy that keeps the tenants' Applications in their namespaces changes",
		"reader.yaml":        "sipgen's read-only account changes",
	} {
		for _, kind := range []string{"added", "changed", "deleted"} {
			p := &Plan{HasTree: true, Files: []File{{Path: "policy/" + file, Kind: kind}}}
			assert.Equal(t, []string{want}, Dangers(p), "%s %s", file, kind)
		}
	}
}

// TestUncleaned: a host that metal3 does not clean is not said to be wiped, however it is handed out, and the others
// are.
func TestUncleaned(t *testing.T) {
	slot := func(host string, uncleaned bool, status Status, changes ...string) Slot {
		return Slot{Host: host, uncleaned: uncleaned, Status: status, Changes: changes}
	}
	const wiped, dirty = ": Cluster API may provision it, and that wipes its disks",
		", and metal3 does not clean it (automatedCleaningMode: disabled): an earlier user's data may remain on its disks: m/a"
	used := slot("m/a", true, StatusKept, promoted)
	used.use = "consumed by x"
	for _, row := range []struct {
		why   string
		slots []Slot
		want  []string
	}{
		{"new", []Slot{slot("m/a", true, StatusNew)}, []string{"1 host is handed out" + dirty}},
		{"promoted", []Slot{slot("m/a", true, StatusKept, promoted)},
			[]string{"1 host is promoted from standby" + dirty}},
		{"promoted in use", []Slot{used}, nil},
		{"new, and another one is wiped", []Slot{slot("m/a", true, StatusNew), slot("m/b", false, StatusNew)},
			[]string{"1 host is handed out" + dirty, "1 host is handed out" + wiped}},
		{"promoted, and another one is new and wiped",
			[]Slot{slot("m/a", true, StatusKept, promoted), slot("m/b", false, StatusNew)},
			[]string{"1 host is promoted from standby" + dirty, "1 host is handed out" + wiped}},
	} {
		role := RoleResult{Slots: row.slots}
		for _, s := range row.slots {
			if s.Status == StatusNew {
				role.New++
			}
		}
		p := planOf(ClusterResult{Roles: []RoleResult{role}})
		var found []string
		for _, words := range []string{notCleaned(p.Totals()), handedOut(p.Totals())} {
			if words != "" {
				found = append(found, words)
			}
		}
		assert.Equal(t, row.want, found, row.why)
	}
}
