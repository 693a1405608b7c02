package schedule

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// heldSite has n hosts, half of them gold. Clusters of 100 workers hold all the gold ones, though any host would do for them; the last of
// the clusters that are not served yet wants gold. Of the hosts that are held, leaving are being released.
func heldSite(n, leaving, want int) ([]v1.SIPCluster, []inventory.Host) {
	var hosts []inventory.Host
	var clusters []v1.SIPCluster
	for i := range n {
		labels := fmt.Sprintf("kind=any rack=rack-%04d", i/40)
		if i%2 == 0 {
			labels += " gold=yes"
		}
		h := newHost(fmt.Sprintf("node-%06d", i), labels)
		switch held := i / 2; {
		case i%2 == 1:
		case held < leaving:
			h = claimed(h, "gone", v1.RoleWorker)
		default:
			h = claimed(h, fmt.Sprintf("holder-%04d", held/100), v1.RoleWorker)
		}
		hosts = append(hosts, h)
	}
	for i := 0; i < (n/2+99)/100; i++ {
		count := min(100, n/2-100*i)
		if i == 0 {
			count -= leaving
		}
		set := chosenBy(count, 0, expression("kind", "In", "any"))
		clusters = append(clusters, newCluster(fmt.Sprintf("holder-%04d", i), map[string]v1.NodeSet{v1.RoleWorker: set}))
	}
	return append(clusters, newCluster("short", map[string]v1.NodeSet{v1.RoleWorker: chosenBy(want, 0, expression("gold", "In", "yes"))})), hosts
}

// rearranged plans such a site, and gives what is said to the cluster that is short.
func rearranged(t testing.TB, n, leaving, want int, allow bool) (*Placement, *Cluster, Rearrangement) {
	clusters, hosts := heldSite(n, leaving, want)
	var previous Previous
	for i := range leaving {
		claim := inTree(hosts[2*i].Name, "gone", v1.RoleWorker)
		previous.Claims = append(previous.Claims, claim)
	}
	options := newerLabels()
	options.AllowMoves = allow
	p := plan(t, clusters, hosts, previous, options)
	for i := range p.Clusters {
		c := &p.Clusters[i]
		if c.Key.Name != "short" {
			continue
		}
		for _, w := range c.Warnings {
			if way, is := w.(Rearrangement); is {
				return p, c, way
			}
		}
		return p, c, Rearrangement{}
	}
	t.Fatal("the cluster is not in the plan")
	return nil, nil, Rearrangement{}
}

// TestMovesAtEverySize: what is found does not depend on the number of hosts.
func TestMovesAtEverySize(t *testing.T) {
	sizes := []int{400, 4_000, 45_000}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, n := range sizes {
		if _, c, way := rearranged(t, n, 0, 3, false); !c.Unschedulable || len(way.Moves) != 3 || way.Way != Forbidden {
			t.Errorf("%d hosts: found %+v, want 3 moves", n, way)
		}
		if _, c, way := rearranged(t, n, 0, 3, true); c.Unschedulable || len(way.Moves) != 3 || way.Way != Done {
			t.Errorf("%d hosts: found %+v, want 3 moves made", n, way)
		}
		if _, c, way := rearranged(t, n, 10, 5, false); c.Unschedulable || len(way.Waits) != 5 || way.Way != Done {
			t.Errorf("%d hosts, 10 of them released: found %+v, want a cluster that waits for 5", n, way)
		}
	}
}

// TestHintsSayWhereTheyEnd: with too many hosts to look for moves that nobody makes, that is said; what is made is made.
func TestHintsSayWhereTheyEnd(t *testing.T) {
	clusters, hosts := heldSite(400, 0, 3)
	options := newerLabels()
	options.steps = 10
	p := plan(t, clusters, hosts, Previous{}, options)
	last := p.Clusters[len(p.Clusters)-1]
	said := strings.Join(Say.Warnings(last.Warnings), "\n")
	if len(p.Moves) != 0 || !strings.Contains(said, "did not search to the end") {
		t.Errorf("moves %v, warnings %q: want none, and a warning that says so", p.Moves, said)
	}
	options.AllowMoves = true
	if p := plan(t, clusters, hosts, Previous{}, options); len(p.Moves) != 3 {
		t.Errorf("moves that the site allows: found %v, want 3", p.Moves)
	}
}

func BenchmarkMoves(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		for _, row := range []struct {
			want  int
			allow bool
		}{{3, false}, {3, true}, {n / 20, true}} {
			b.Run(fmt.Sprintf("hosts=%d/want=%d/allow=%t", n, row.want, row.allow), func(b *testing.B) {
				benchmark(b, func() (slots, filled int) {
					_, c, way := rearranged(b, n, 0, row.want, row.allow)
					if len(way.Moves) != row.want {
						b.Fatalf("found %d moves, want %d", len(way.Moves), row.want)
					}
					return c.Roles[0].Active, len(c.Roles[0].Assigned)
				})
			})
		}
	}
}
