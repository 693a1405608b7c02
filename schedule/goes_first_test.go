package schedule

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/order"
	"github.com/airshipit/sipgen/inventory"
)

// TestScaleDownKeepsDomains compares with a plain loop: failed and named hosts first, then an idle host, then one in use that is approved,
// then one in use; of these one of the domain with the most hosts of the role, the narrowest key first and that of spread last, then the
// last by name; one after the other.
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
			h := claimed(newHost(string(rune('a'+i)), fmt.Sprintf("kind=w row=row%d rack=r%d%d zone=z%d", row, row, random.IntN(2), random.IntN(2))),
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
		if !slices.Equal(got, want) {
			t.Fatalf("site %d: %s: stay %q, want %q", n, summary(p), got, want)
		}
	}
}
