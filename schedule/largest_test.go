package schedule

import (
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
)

// TestLargestRows: how many workers a cluster may ask for, so that no other loses what it has today.
func TestLargestRows(t *testing.T) {
	const six = "h0/r0 h1/r1 h2/r2 h3/r3 h4/r4 h5/r5"
	for _, row := range []struct {
		why, clusters, hosts, of string
		want                     int
	}{
		{"a has its 4 and c its 2; that b could be placed with 1 for a takes c's hosts, and 5 for a too", "a:4 b:3 c:2", six, "a", 4},
		{"b has nothing today; any number of it takes hosts from c, but none", "a:4 b:3 c:2", six, "b", 0},
		{"a standby host of another cluster is a host of it", "a:2 b:2+1", six, "a", 3},
		{"a failed host that the cluster holds is no capacity", "a:2", "h0/r0*=a h1/r1* h2/r2 h3/r3 h4/r4 h5/r5", "a", 4},
		{"nor is one whose replacement would be taken away from its cluster", "a:2 b:1", "h0/r0*=b h1/r1 h2/r2 h3/r3 h4/r4 h5/r5", "a", 4},
		{"a host that is being released elsewhere is free for nobody yet", "a:2 b:1", "h0/r0=b h1/r1=b h2/r2=b h3/r3 h4/r4 h5/r5", "a", 3},
	} {
		clusters, hosts, _ := sited(t, row.clusters, row.hosts, "")
		key := ClusterKey{Namespace: "tenants", Name: row.of}
		got, err := LargestUpTo(clusters, hosts, Previous{}, testOptions, key, v1.RoleWorker, v1.MaxCount, nil)
		need.That(t, err == nil && got == row.want, "%s: got %d, %v, want %d", row.why, got, err, row.want)
	}
	clusters, hosts, _ := sited(t, "a:cp1,1", "h0/r0 h1/r1", "")
	for i := range hosts {
		delete(hosts[i].Labels, "rack")
	}
	largest := func(cluster, role string) (int, error) {
		return LargestUpTo(clusters, hosts, Previous{}, testOptions, ClusterKey{Namespace: "tenants", Name: cluster}, role, v1.MaxCount, nil)
	}
	got, err := largest("a", v1.RoleWorker)
	need.That(t, err == nil && got == -1, "a cluster that is refused gets nothing new, whatever the number of a role: found %d, %v", got, err)
	_, err = largest("a", "Edge")
	need.Error(t, "a role that is none", err, "has no role Edge, only ControlPlane, Worker")
	_, err = largest("none", "Edge")
	need.Error(t, "a cluster that is none", err, "tenants/none: no such cluster")
}

// The largest count is the largest of all that were tried, one by one, on sites over time: also of a cluster that is refused today, and is
// not with fewer hosts. It leaves all others what they have today.
func TestLargestAgreesWithTrying(t *testing.T)   { agreesWithTrying(t, false, 2363) } // a cluster that would wait for a host which an earlier one takes for a failed one
func TestLargestOfOneThatIsRefused(t *testing.T) { agreesWithTrying(t, true, 4711) }

func agreesWithTrying(t *testing.T, refused bool, also int) {
	worlds := RandomSites(t, 200)
	limited := 0
	for seed := range worlds.Seeds(also) {
		w := newWorld(uint64(seed))
		need.OK(t, live(w, 4))
		if len(w.clusters) == 0 {
			continue
		}
		spec := &w.clusters[w.rng.IntN(len(w.clusters))]
		key, name := ClusterKey{Namespace: spec.Namespace, Name: spec.Name}, v1.RoleControlPlane
		most, today := len(w.hosts)+1, w.options
		if refused {
			most, today.Refused = w.rng.IntN(len(w.hosts)), map[ClusterKey][]string{key: {"beyond its grant"}}
		}
		counted := func(n int) ([]v1.SIPCluster, Options, error) {
			changed, err := WithCount(w.clusters, key, name, n)
			if n > most {
				return changed, today, err
			}
			return changed, w.options, err
		}
		now, err := Plan(w.clusters, w.hosts, w.tree, today)
		if err != nil {
			continue
		}
		want := -1
		for n := range most + 1 {
			changed, options, err := counted(n)
			need.OK(t, err)
			if p, err := Plan(changed, w.hosts, w.tree, options); err == nil && holds(now, p, key, name) {
				want = n
			}
		}
		if !refused {
			counted = nil
		}
		got, err := LargestUpTo(w.clusters, w.hosts, w.tree, today, key, name, v1.MaxCount, counted)
		if err != nil || got != want {
			t.Fatalf("world %d: %s %s: up to %d, %v; trying every number gives %d\n%s\n%s", seed, key, name, got, err, want, describe(w.clusters, w.hosts), words(now))
		}
		if want >= 0 && want < len(w.hosts) {
			limited++
		}
	}
	worlds.Want("a limit", limited, 4)
}

// holds says whether a cluster is placed with hosts that have not failed, and no other has less than in the plan before.
func holds(before, after *Placement, key ClusterKey, name string) bool {
	type score struct{ filled, standby, failed int }
	scores := func(c *Cluster) map[string]score {
		all := map[string]score{}
		for _, r := range c.Roles {
			n := score{filled: r.Active - r.ShortActive, standby: r.Standby - r.ShortStandby}
			for _, a := range r.Assigned {
				if kept, _ := a.Reason.(Kept); kept.StandIn {
					n.failed++
				}
			}
			all[r.Name] = n
		}
		return all
	}
	for i := range after.Clusters {
		c := &after.Clusters[i]
		if c.Key == key {
			for _, r := range c.Roles {
				for _, a := range r.Assigned {
					if kept, _ := a.Reason.(Kept); kept.StandIn && r.Name == name && !a.Standby {
						return false
					}
				}
			}
			if c.Unschedulable || c.Gone {
				return false
			}
			continue
		}
		at := slices.IndexFunc(before.Clusters, func(b Cluster) bool { return b.Key == c.Key })
		old, now := scores(&before.Clusters[at]), scores(c)
		for role, was := range old {
			is := now[role]
			if is.filled < was.filled || is.standby < was.standby || is.failed > was.failed || c.Unschedulable && !before.Clusters[at].Unschedulable {
				return false
			}
		}
	}
	return true
}

// TestMoreLike: how many more clusters like a get all that they ask for, while a and b lose nothing.
func TestMoreLike(t *testing.T) {
	key := ClusterKey{Namespace: "tenants", Name: "a"}
	for _, row := range []struct {
		why                string
		active, standby    int
		b                  int // hosts that another cluster of a lower name asks for
		hosts, racks, want int
		// missing are the hosts that the next one lacks, and keys their topology.
		missing int
		keys    string
	}{
		{"none is left", 2, 0, 0, 2, 10, 0, 2, ""},
		{"one host is not enough", 2, 0, 0, 3, 10, 0, 1, ""},
		{"two more", 2, 0, 0, 6, 10, 2, 2, ""},
		{"standby hosts count", 1, 1, 0, 10, 10, 4, 1, ""},
		{"a cluster that comes after a has its hosts first", 2, 0, 3, 9, 10, 2, 2, ""},
		{"two hosts of a role are never in one rack", 2, 0, 0, 9, 1, 0, 1, "rack"},
		{"many", 1, 0, 0, 40, 40, 39, 1, ""},
	} {
		clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", row.active, row.standby)})}
		if row.b > 0 {
			clusters = append(clusters, newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", row.b, 0)}))
		}
		var hosts []inventory.Host
		for i := range row.hosts {
			hosts = append(hosts, host1("h"+string(rune('A'+i)), "w", "r"+string(rune('a'+i%row.racks))))
		}
		got, why, err := MoreLike(clusters, hosts, Previous{}, testOptions, key)
		need.That(t, err == nil && got == row.want, "%s: %d more, %v, want %d", row.why, got, err, row.want)
		need.That(t, why != nil && strings.HasPrefix(why.Short.Cluster.Name, "a.like.") && why.Missing.Count == row.missing && strings.Join(why.Missing.Keys, " ") == row.keys,
			"%s: the next one lacks %+v, want it to lack %d hosts by %q", row.why, why, row.missing, row.keys)
	}
	none := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 0, 0)})}
	_, _, err := MoreLike(none, nil, Previous{}, testOptions, key)
	need.That(t, err != nil, "a cluster that asks for no host: no error")
}
