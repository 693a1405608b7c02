package schedule

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestWhenAHostFails has a row for each case of a failed host: docs/placement.md, "When a host fails", sums them up. The role wants one active and one standby host:
// f fails, s is its healthy standby, or a is active where f is standby, and x is free.
func TestWhenAHostFails(t *testing.T) {
	const (
		inError, unhealthy, deleting, retired, removed = "in error", "marked unhealthy", "being deleted", "retired", "named by `remove`"
		no, yes                                        = "no", "yes"
	)
	worker := v1.RoleWorker
	f, s := claimed(host1("f", "w", "r1"), "c", worker), standbyOf(claimed(host1("s", "w", "r2"), "c", worker))
	a, x := claimed(host1("a", "w", "r3"), "c", worker), host1("x", "w", "r4")
	rows := []struct {
		what, used, there, happens string
		standby                    bool // f is standby
		hosts                      []inventory.Host
		now, then                  string // the second run, when the first one is synced
		backends                   string // hosts that services reach, in the first run
	}{
		{inError, no, "a standby host", "the standby host becomes active, the failed one is released", false, []inventory.Host{s}, "s -f short 0/1", "s short 0/1", "s"},
		{inError, no, "a standby host and a free one", "the standby host becomes active, the free one standby, the failed one is released", false, []inventory.Host{s, x}, "s +~x -f", "s ~x", "s x"},
		{inError, no, "a free host", "the free host becomes active, the failed one is released", false, []inventory.Host{x}, "+x -f short 0/1", "x short 0/1", "x"},
		{inError, no, "nothing", "it stays active until another host can replace it", false, nil, "f short 0/1", "f short 0/1", "f"},
		{inError, no, "a standby host that failed too", "it stays active until another host can replace it", false, []inventory.Host{broken(s)}, "f ~s", "f ~s", "f s"},
		{inError, yes, "a standby host and a free one", "nothing changes: as far as sipgen knows, it is still in service", false, []inventory.Host{s, x}, "f ~s", "f ~s", "f s"},
		{unhealthy, no, "a standby host", "the standby host becomes active, the failed one is released", false, []inventory.Host{s}, "s -f short 0/1", "s short 0/1", "s"},
		{unhealthy, yes, "a standby host", "the standby host becomes active; the failed one stays a backend until Cluster API lets it go", false, []inventory.Host{s}, "(f) s short 0/1", "(f) s short 0/1", "f s"},
		{unhealthy, yes, "a standby host and a free one", "the standby host becomes active, the free one standby; the failed one stays until Cluster API lets it go", false, []inventory.Host{s, x}, "(f) s +~x", "(f) s ~x", "f s x"},
		{unhealthy, yes, "nothing", "it stays active until another host can replace it", false, nil, "f short 0/1", "f short 0/1", "f"},
		{deleting, no, "a standby host", "the standby host becomes active, the failed one is released", false, []inventory.Host{s}, "s -f short 0/1", "s short 0/1", "s"},
		{deleting, yes, "a standby host", "the standby host becomes active; the failed one stays a backend until Cluster API lets it go", false, []inventory.Host{s}, "(f) s short 0/1", "(f) s short 0/1", "f s"},
		{retired, no, "a standby host", "the standby host becomes active, the failed one is released", false, []inventory.Host{s}, "s -f short 0/1", "s short 0/1", "s"},
		{retired, yes, "a standby host", "the standby host becomes active; the failed one stays a backend until Cluster API lets it go", false, []inventory.Host{s}, "(f) s short 0/1", "(f) s short 0/1", "f s"},
		{removed, no, "a standby host", "the standby host becomes active, the failed one is released", false, []inventory.Host{s}, "s -f short 0/1", "s short 0/1", "s"},
		{removed, yes, "a standby host and a free one", "the standby host becomes active, the free one standby; the failed one stays until Cluster API lets it go", false, []inventory.Host{s, x}, "(f) s +~x", "(f) s ~x", "f s x"},
		{"standby, in error", no, "a free host", "the free host becomes standby, the failed one is released", true, []inventory.Host{a, x}, "a +~x -f", "a ~x", "a x"},
		{"standby, in error", no, "nothing", "it stays standby until another host can replace it", true, []inventory.Host{a}, "a ~f", "a ~f", "a f"},
		{"standby, in error", yes, "a free host", "nothing changes: as far as sipgen knows, it is still in service", true, []inventory.Host{a, x}, "a ~f", "a ~f", "a f"},
	}
	for _, row := range rows {
		line := "| " + strings.Join([]string{row.what, row.used, row.there, row.happens}, " | ") + " |"
		spec := newCluster("c", map[string]v1.NodeSet{worker: nodes("kind=w", 1, 1)})
		failing := f
		failing.Labels = map[string]string{}
		for key, value := range f.Labels {
			failing.Labels[key] = value
		}
		if row.standby {
			failing = standbyOf(failing)
		}
		if row.used == yes {
			failing = provisionedBy(failing, "m")
		}
		switch strings.TrimPrefix(row.what, "standby, ") {
		case inError:
			failing = broken(failing)
		case unhealthy:
			failing = with(failing, func(s *inventory.State) { s.Unhealthy = true })
		case deleting:
			failing = with(failing, func(s *inventory.State) { s.Deleting = true })
		case retired:
			failing = with(failing, func(s *inventory.State) { s.Retired = "disks" })
		case removed:
			spec = annotated(spec, v1.RemoveAnnotation, "f")
		}
		hosts := []inventory.Host{failing}
		for _, h := range row.hosts {
			labels := map[string]string{}
			for key, value := range h.Labels {
				labels[key] = value
			}
			h.Labels = labels
			hosts = append(hosts, h)
		}
		p := plan(t, []v1.SIPCluster{spec}, hosts, Previous{}, testOptions)
		wantPlaced(t, line, p, "c Worker: "+row.now)
		var backends []string
		for _, assigned := range p.Clusters[0].Roles[0].Assigned { // services reach all of them
			backends = append(backends, assigned.Host.Name)
		}
		if got := strings.Join(backends, " "); got != row.backends {
			t.Errorf("%s: backends %s, want %s", line, got, row.backends)
		}
		previous := tree(p)
		adopt(hosts, p)
		wantPlaced(t, line, plan(t, []v1.SIPCluster{spec}, hosts, previous, newerLabels()), "c Worker: "+row.then)
	}
}

// TestReplaces: who takes whose slot.
func TestReplaces(t *testing.T) {
	worker := v1.RoleWorker
	spec := func(active, standby int) []v1.SIPCluster {
		return []v1.SIPCluster{newCluster("c", map[string]v1.NodeSet{worker: nodes("kind=w", active, standby)})}
	}
	held := func(name, rack string) inventory.Host { return claimed(host1(name, "w", rack), "c", worker) }
	for _, row := range []struct {
		why      string
		clusters []v1.SIPCluster
		hosts    []inventory.Host
		previous []PreviousClaim
		want     string
	}{
		{"a swap", spec(1, 1), []inventory.Host{broken(held("h1", "r1")), standbyOf(held("h2", "r2"))}, nil,
			"h2 promoted replaces h1 (in error (power management error))"},
		{"a swap, and a new standby host", spec(1, 1), []inventory.Host{broken(held("h1", "r1")), standbyOf(held("h2", "r2")), host1("h3", "w", "r3")}, nil,
			"h2 promoted replaces h1 (in error (power management error)); h3 replaces h2 (promoted from standby)"},
		{"a new host for a failed one", spec(2, 0), []inventory.Host{broken(held("h1", "r1")), held("h2", "r2"), host1("h3", "w", "r3")}, nil,
			"h3 replaces h1 (in error (power management error))"},
		{"the same when it is in the tree: said once", spec(2, 0), []inventory.Host{broken(held("h1", "r1")), held("h2", "r2"), host1("h3", "w", "r3")}, []PreviousClaim{inTree("h1", "c", worker), inTree("h2", "c", worker), inTree("h3", "c", worker)},
			""},
		{"a host that is gone", spec(1, 1), []inventory.Host{standbyOf(held("h2", "r2")), host1("h3", "w", "r3")}, []PreviousClaim{inTree("h1", "c", worker)},
			"h2 promoted replaces h1 (no longer in the inventory); h3 replaces h2 (promoted from standby)"},
		{"more are wanted: nobody is replaced", spec(2, 1), []inventory.Host{held("h1", "r1"), standbyOf(held("h2", "r2")), host1("h3", "w", "r3")}, nil,
			"h2 promoted; h3 replaces h2 (promoted from standby)"},
		{"fewer active, more standby: none leaves", spec(1, 1), []inventory.Host{held("h1", "r1"), held("h2", "r2")}, nil,
			"h2 demoted"},
		{"a failed host in use, which stays", spec(1, 1), []inventory.Host{provisionedBy(with(held("h1", "r1"), func(s *inventory.State) { s.Unhealthy = true }), "m"), standbyOf(held("h2", "r2"))}, nil,
			"h1 replaced; h2 promoted replaces h1 (marked unhealthy)"},
	} {
		var said []string
		p := plan(t, row.clusters, row.hosts, Previous{Claims: row.previous}, testOptions)
		replaced := 0
		for _, a := range p.Clusters[0].Roles[0].Assigned {
			words := a.Host.Name
			if a.Promoted() {
				words += " promoted"
			}
			if a.Demoted() {
				words += " demoted"
			}
			if a.Replaced {
				words += " replaced"
				replaced++
			}
			if a.Replaces != nil {
				words += " replaces " + a.Replaces.Host.Name + " (" + Say.Reason(a.Replaces.Why) + ")"
			}
			if words != a.Host.Name {
				said = append(said, words)
			}
		}
		if got := strings.Join(said, "; "); got != row.want {
			t.Errorf("%s: %s, want %s", row.why, got, row.want)
		}
		if loss := Losses(p); len(loss.Replaced) != replaced {
			t.Errorf("%s: %d hosts in use are replaced, the brake counts %v", row.why, replaced, loss.Replaced)
		}
	}
}
