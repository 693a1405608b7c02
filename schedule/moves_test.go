package schedule

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestMoves: cluster a holds the only host that b can use, and could use the free one instead.
func TestMoves(t *testing.T) {
	rows := []struct {
		why    string
		change func(h *inventory.Host)
		allow  bool
		want   string
		moves  int
		says   string
	}{
		{"moves are forbidden unless the site allows them: the plan only tells", nil, false,
			"a Worker: h1\nb Worker: short 1/0 unschedulable\n", 1,
			"feasible if 1 unprovisioned host moves: metal/h1 from tenants/a Worker to tenants/b Worker (the site forbids moves)"},
		{"allowed: a gets the free host now, b the other one when it is seen clean", nil, true,
			"a Worker: +h2 -h1\nb Worker: short 1/0\n", 1, "placed as soon as 1 unprovisioned host moves"},
		{"a host in use never moves", func(h *inventory.Host) { h.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Name: "m"} }, true,
			"a Worker: h1\nb Worker: short 1/0 unschedulable\n", 0, ""},
		{"nor one that is being provisioned", func(h *inventory.Host) { h.State.Provisioning = "provisioning" }, true,
			"a Worker: h1\nb Worker: short 1/0 unschedulable\n", 0, ""},
		{"nor one with an image that has no status yet", func(h *inventory.Host) { h.State = inventory.State{Image: true} }, true,
			"a Worker: h1\nb Worker: short 1/0 unschedulable\n", 0, ""},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			h1 := claimed(newHost("h1", "kind=any gold=yes rack=r1"), "a", v1.RoleWorker)
			if row.change != nil {
				row.change(&h1)
			}
			hosts := []inventory.Host{h1, newHost("h2", "kind=any rack=r2")}
			clusters := []v1.SIPCluster{
				newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=any", 1, 0)}),
				newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("gold=yes", 1, 0)}),
			}
			options := testOptions
			options.AllowMoves = row.allow
			p := plan(t, clusters, hosts, Previous{}, options)
			if got := summary(p); got != row.want {
				t.Errorf("got\n%swant\n%s", got, row.want)
			}
			if len(p.Moves) != row.moves {
				t.Errorf("%d moves, want %d: %v", len(p.Moves), row.moves, p.Moves)
			}
			if got := strings.Join(p.Clusters[1].Warnings, "\n"); !strings.Contains(got, row.says) {
				t.Errorf("warnings %q, want %q among them", got, row.says)
			}
			if !row.allow || row.moves == 0 {
				return
			}
			adopt(hosts, p)
			p = plan(t, clusters, hosts, tree(p), options)
			if got, want := summary(p), "a Worker: h2\nb Worker: +h1\n"; got != want {
				t.Errorf("once synced: got\n%swant\n%s", got, want)
			}
		})
	}
}

// TestFewestMoves: b needs two more hosts of a rack each; one chain of moves is shorter than others.
func TestFewestMoves(t *testing.T) {
	hosts := []inventory.Host{
		claimed(newHost("h1", "kind=x rack=r1"), "a", v1.RoleWorker),
		claimed(newHost("h2", "kind=x rack=r2"), "a", v1.RoleWorker),
		newHost("h3", "kind=y rack=r3"),
		newHost("h4", "kind=x rack=r1"),
		newHost("h5", "kind=y rack=r1"),
	}
	a := nodes("", 2, 0)
	clusters := []v1.SIPCluster{
		newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: a}),
		newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=x", 2, 0)}),
	}
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	want := Move{HostKey{"metal", "h2"}, RoleKey{ClusterKey{"tenants", "a"}, v1.RoleWorker}, RoleKey{ClusterKey{"tenants", "b"}, v1.RoleWorker}}
	if len(p.Moves) != 1 || p.Moves[0] != want {
		t.Errorf("moves %v, want just %v: h4 is free for b, so h1 may stay", p.Moves, want)
	}
}
