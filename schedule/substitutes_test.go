package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"
)

// TestSubstitutes: on random sites that are settled, the active slots that Substitutes fills are those that a plan
// without the hosts fills: with standby hosts, reservations, limits of tenants
// and of racks, and cordoned hosts.
func TestSubstitutes(t *testing.T) {
	replaced := map[Source]int{}
	short := 0
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 73))
		clusters, hosts, options := randomSite(random)
		p := plan(t, clusters, hosts, Previous{}, options)
		p = plan(t, clusters, hosts, tree(p), options)
		before := tree(p)
		for i := range hosts {
			if random.IntN(10) == 0 { // it keeps its slot, and takes no other
				hosts[i].State.Cordoned = "audit"
			}
		}
		p = plan(t, clusters, hosts, before, options)
		if slices.ContainsFunc(p.Clusters, func(c Cluster) bool { return c.Unschedulable }) || p.site.givesOut() {
			continue // without the hosts, this run's free hosts may be given out otherwise
		}
		goes, left := map[HostKey]bool{}, []inventory.Host{}
		for i := range hosts {
			if random.IntN(4) == 0 {
				goes[KeyOfHost(&hosts[i])] = true
			} else {
				left = append(left, hosts[i])
			}
		}
		after := plan(t, clusters, left, before, options)
		found := p.Substitutes(goes)
		for n, c := range after.Clusters {
			for m, r := range c.Roles {
				key := RoleKey{c.Key, r.Name}
				lost := 0
				for _, a := range p.Clusters[n].Roles[m].Assigned {
					if !a.Standby && goes[KeyOfHost(a.Host)] {
						lost++
					}
				}
				want := lost - r.ShortActive
				short += r.ShortActive
				require.Truef(t, len(found[key]) == want, "seed %d: %s has lost %d: found %v, want %d", seed, key,
					lost, found[key], want)
				for _, sub := range found[key] {
					replaced[sub.From]++
					assert.Truef(t, !goes[sub.Host], "seed %d: %s goes", seed, sub.Host)
				}
			}
		}
	}
	assert.Greater(t, short, 20, "the sites are too easy")
	for from, least := range map[Source]int{FromStandby: 20, FromFree: 20, FromSpares: 20, FromReserved: 10} {
		assert.Greaterf(t, replaced[from], least, "the sites are too easy: replaced %v", replaced)
	}
}

// randomSite returns up to 24 hosts in four racks, and up to four clusters of two tenants.
func randomSite(random *rand.Rand) (clusters []v1.SIPCluster, hosts []inventory.Host, options Options) {
	for i := range 8 + random.IntN(17) {
		kind := []string{"a", "b", "c"}[random.IntN(3)]
		hosts = append(hosts, newHost(fmt.Sprintf("h%02d", i), fmt.Sprintf("rack=r%d kind=%s", random.IntN(4), kind)))
	}
	options = testOptions
	options.Limits = map[ClusterKey]*Limit{}
	limits := []*Limit{{Hosts: 5 + random.IntN(10), Standby: 1 + random.IntN(3)}, {Hosts: 30, Standby: 30}}
	for i := range 1 + random.IntN(4) {
		roles := map[string]v1.NodeSet{}
		for n, name := range []string{v1.RoleControlPlane, v1.RoleWorker} {
			set := nodes([]string{"", "kind=a", "kind=b"}[random.IntN(3)], 1+random.IntN(3), random.IntN(2)*n)
			if random.IntN(2) == 0 {
				set.TopologyKey = ""
			}
			roles[name] = set
		}
		c := newCluster(fmt.Sprintf("c%d", i), roles)
		c.Namespace = []string{"tenants", "others"}[i%2]
		clusters = append(clusters, c)
		options.Limits[KeyOf(&c)] = limits[i%2]
	}
	one := 1 + random.IntN(2)
	all := labels.Everything()
	ofKind := labels.SelectorFromSet(labels.Set{"kind": "c"})
	tenant := map[string]bool{"others": true}
	for _, r := range []Reservation{{Name: "spares", Selector: ofKind, Count: &one},
		{Name: "spares", Selector: all, Count: &one},
		{Name: "minimum", Selector: ofKind, Tenants: []string{"o"}, Namespaces: tenant, Count: &one},
		{Name: "alone", Selector: ofKind, Tenants: []string{"o"}, Namespaces: tenant}} {
		if random.IntN(4) == 0 {
			options.Reserved = append(options.Reserved, r)
		}
	}
	return clusters, hosts, options
}

// givesOut reports whether a role gets a new host.
func (s *planner) givesOut() bool {
	return slices.ContainsFunc(s.roles, func(r *role) bool { return len(r.picks) > 0 })
}
