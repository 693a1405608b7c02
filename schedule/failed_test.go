package schedule

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/order"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestShortBehindFailed: a cluster whose failed host no other can replace does not hide from a later one what that one
// competes for.
func TestShortBehindFailed(t *testing.T) {
	failed := claimed(host1("h1", "w", "r1"), "b", v1.RoleWorker)
	failed.State.Operational = "error"
	worker := func(name string, n int) v1.SIPCluster {
		set := nodes("kind=w", n, 0)
		set.TopologyKey = ""
		return newCluster(name, map[string]v1.NodeSet{v1.RoleWorker: set})
	}
	p := plan(t, []v1.SIPCluster{worker("a", 2), worker("b", 1), worker("c", 1)},
		[]inventory.Host{failed, host1("h2", "w", "r1"), host1("h3", "w", "r2")}, Previous{}, testOptions)
	require.Truef(t, len(p.Shortages) == 1, "%d shortages, want 1", len(p.Shortages))
	if short := p.Shortages[0]; len(short.Roles) != 2 || short.Need != 3 || short.Capacity != 2 || short.Hosts != 2 {
		t.Errorf("found %s, want the roles of a and c, which need 3 of 2 hosts", Say.Shortage(&short))
	}
}

// TestWhyAFailedHostGoes: whoever reads the plan learns whether another host got the slot, or the count is lower.
func TestWhyAFailedHostGoes(t *testing.T) {
	for _, row := range []struct{ why, clusters, hosts, tree, want string }{
		{"it waited, and an old inventory does not show its trouble", "c:1", "a/r1=c b/r2=c", "a=c ?b=c",
			"b: more than the 1 requested host; release waits until it is free or " +
				"sip.airshipit.org/approve-release names it: " +
				"cannot tell whether it is in use"},
		{"another one has the slot", "c:1", "f/r1&=c a/r2=c", "f=c a=c",
			"f: marked unhealthy, and it has no slot"},
		{"none of the role is left", "c:0", "f/r1&=c", "f=c", "f: marked unhealthy, and the role needs no hosts"},
		{"it waited, and is well again", "c:1", "a/r1=c b/r2=c", "a=c ?b=c", "b: more than the 1 requested host"},
	} {
		clusters, hosts, tree := sited(t, row.clusters, row.hosts, row.tree)
		options := testOptions
		options.Old = strings.Contains(row.why, "old inventory")
		p := plan(t, clusters, hosts, tree, options)
		var got []string
		r := p.Clusters[0].Roles[0]
		for _, a := range r.Releasing {
			got = append(got, a.Host.Name+": "+Say.Reason(a.Reason))
		}
		for _, a := range r.Assigned {
			if a.Pending {
				got = append(got, a.Host.Name+": "+Say.Reason(a.Reason))
			}
		}
		assert.Equal(t, []string{row.want}, got, row.why)
	}
}

// TestFailedHostsGoOnce: where several hosts have failed, the run that follows before anything was synced decides as
// the one before did. A role wants one active and one standby host.
func TestFailedHostsGoOnce(t *testing.T) {
	for _, row := range []struct {
		why, inventoried string
		first, then      string // what the first run says, and the one that sees the labels that it set
	}{
		{"an active host too many, and a new standby host", "a/ra=c b/rb!&=c s/rs*~=c x/rx", "a (b) +~x -s",
			"a (b) ~x"},
		{"a standby host in use has not failed because it is in error, and the one that has is too many",
			"a/ra=c b/rb!*~=c s/rs*~=c x/rx", "a ~b -s", "a ~b"},
		{"too many of both: one of each goes, though no standby host is in use", "a/ra!&=c b/rb!&=c s/rs*~=c t/rt*~=c",
			"a (b) ~s -t", "a (b) ~s"},
		{"too many active hosts, and two new ones", "a/ra!&=c b/rb*=c s/rs*~=c x/rx y/ry", "(a) +x +~y -b -s",
			"(a) x ~y"},
	} {
		clusters, hosts, _ := sited(t, "c:1+1", row.inventoried, "")
		p := plan(t, clusters, hosts, Previous{}, testOptions)
		wantPlaced(t, row.why, p, "c Worker: "+row.first)
		again := plan(t, clusters, hosts, tree(p), newerLabels())
		assert.Truef(t, reflect.DeepEqual(tree(p), tree(again)), "%s, and nothing synced: %s", row.why, summary(again))
		adopt(hosts, p)
		wantPlaced(t, row.why+": then", plan(t, clusters, hosts, tree(p), newerLabels()), "c Worker: "+row.then)
	}
}

// TestScaleDownKeepsDomains compares with a plain loop: failed and named hosts first, then an idle host, then one in
// use that is approved, then one in use; of these one of the domain with the most hosts of the role, the narrowest key
// first and that of spread last, then the last by name; one after the other.
func TestScaleDownKeepsDomains(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 3000 {
		set := nodes("kind=w", random.IntN(6), 0)
		set.TopologyKey, set.MaxPerDomain = "", 9
		set.TopologyKeys = [][]string{nil, {"rack"}, {"row", "rack"}, {"row"}}[random.IntN(4)]
		keys := slices.Clone(set.TopologyKeys)
		slices.Reverse(keys)
		if random.IntN(2) == 0 {
			set.Spread = &v1.Spread{TopologyKey: "zone", MaxSkew: 9}
			keys = append(keys, "zone")
		}
		var hosts []inventory.Host
		var tree Previous
		spec := newCluster("c", map[string]v1.NodeSet{v1.RoleWorker: set})
		spec.Annotations = map[string]string{}
		goes, approved := map[string]bool{}, map[string]bool{}
		for i := range 1 + random.IntN(9) {
			row := random.IntN(2)
			h := claimed(newHost(string(rune('a'+i)),
				fmt.Sprintf("kind=w row=row%d rack=r%d%d zone=z%d", row, row, random.IntN(2), random.IntN(2))),
				"c", v1.RoleWorker)
			if random.IntN(4) == 0 {
				h = provisionedBy(h, "m"+h.Name)
			}
			switch random.IntN(9) {
			case 0:
				h.State.Unhealthy, goes[h.Name] = true, true
			case 1:
				spec.Annotations[v1.RemoveAnnotation] += "," + h.Name
				goes[h.Name] = true
			case 2, 3:
				spec.Annotations[v1.ApproveReleaseAnnotation] += "," + h.Name
				approved[h.Name] = true
			}
			tree.Claims = append(tree.Claims, inTree(h.Name, "c", v1.RoleWorker))
			hosts = append(hosts, h)
		}
		left := slices.Clone(hosts)
		for len(left) > set.Count.Active {
			first := slices.MinFunc(left, func(a, b inventory.Host) int {
				by := cmp.Or(order.Bool(goes[b.Name], goes[a.Name]), order.Bool(a.State.InUse(), b.State.InUse()),
					order.Bool(b.State.InUse() && approved[b.Name], a.State.InUse() && approved[a.Name]))
				for _, key := range keys {
					share := func(h inventory.Host) (n int) {
						for i := range left {
							if left[i].Labels[key] == h.Labels[key] {
								n++
							}
						}
						return n
					}
					by = cmp.Or(by, cmp.Compare(share(b), share(a)))
				}
				return cmp.Or(by, strings.Compare(b.Name, a.Name))
			})
			left = slices.DeleteFunc(left, func(h inventory.Host) bool { return h.Name == first.Name })
		}
		p := plan(t, []v1.SIPCluster{spec}, hosts, tree, testOptions)
		var want, got []string
		for i := range left {
			want = append(want, left[i].Name)
		}
		for _, a := range p.Clusters[0].Roles[0].Assigned {
			if !a.Pending {
				got = append(got, a.Host.Name)
			}
		}
		require.Truef(t, slices.Equal(got, want), "site %d: %s: stay %q, want %q", n, summary(p), got, want)
	}
}
