package record

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// world is a site on which nothing was handed out: no labels, no tree.
//
// Worlds are made of public types and fields that docs/placement.md promises something about. Left out, because the
// result would not follow from the inputs alone, or would be a freeze: moves, required standby, hosts that anybody
// holds or lets go, annotations that name hosts, topology keys that cross, limits on the number of a tenant's
// hosts, addresses that two hosts share, hosts that a role may have without a topology key.
type world struct {
	tenants  []v1alpha1.Tenant
	clusters []v1.SIPCluster
	hosts    []inventory.Host
	reserved []schedule.Reservation
}

// dice are a stream of random numbers that is the same for a seed in every release of Go.
type dice struct{ *rand.Rand }

func newDice(seed, stream uint64) dice { return dice{rand.New(rand.NewPCG(seed, stream))} }

// oneIn is true once in n times.
func (d dice) oneIn(n int) bool { return d.IntN(n) == 0 }

func (d dice) of(words ...string) string { return words[d.IntN(len(words))] }

// shuffle is Fisher and Yates' by IntN alone.
func shuffle[T any](d dice, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := d.IntN(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

// scale says how large a world is.
type scale struct {
	hosts, clusters           int // as IntN takes them: so many, or fewer
	leastHosts, leastClusters int
	rack                      int // hosts
	active, standby           int // of a role, as IntN takes them
	stream                    uint64
}

var (
	small = scale{leastHosts: 6, hosts: 25, leastClusters: 3, clusters: 5, rack: 3, active: 4, standby: 3, stream: 27}
	large = scale{leastHosts: 2000, hosts: 1, leastClusters: 20, clusters: 41, rack: 20, active: 50, standby: 6,
		stream: 28}
)

// newWorld makes the world of a seed.
func newWorld(seed uint64, size scale) world {
	d := newDice(seed, size.stream)
	var w world
	kinds := 2 + d.IntN(3)
	for i := range size.leastHosts + d.IntN(size.hosts) {
		w.hosts = append(w.hosts, randomHost(d, size, i, kinds))
	}
	shuffleNames(d, w.hosts)
	pools := d.oneIn(2)
	for _, namespace := range []string{"edge", "lab", "shop"} {
		if !pools {
			break
		}
		tenant := v1alpha1.Tenant{Name: namespace + "-team", Namespaces: []string{namespace}, MaxPriority: 10}
		switch d.IntN(4) {
		case 0:
			tenant.Hosts.Selector = metav1.LabelSelector{MatchLabels: map[string]string{"pool": d.of("a", "b")}}
		case 1:
			tenant.Hosts.Selector = selecting(requirement("pool", metav1.LabelSelectorOpNotIn, d.of("a", "b", "c")))
		case 2:
			tenant.Hosts.Namespaces = []string{d.of("metal", "metal", "annex")}
		}
		w.tenants = append(w.tenants, tenant)
	}
	for i := range size.leastClusters + d.IntN(size.clusters) {
		w.clusters = append(w.clusters, randomCluster(d, size, i, kinds))
	}
	for i := range w.clusters {
		w.settle(&w.clusters[i])
	}
	return w
}

// randomHost lies in a rack of a row of a room: racks never lie in two rows.
func randomHost(d dice, size scale, i, kinds int) inventory.Host {
	rack := i / size.rack
	if d.oneIn(3) {
		rack = d.IntN(rack + 1)
	}
	h := inventory.Host{
		Namespace: "metal", UID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i),
		Labels: map[string]string{
			"kind": fmt.Sprintf("k%d", d.IntN(kinds)), "pool": d.of("a", "a", "b", "c"),
			"rack": fmt.Sprintf("r%d", rack), "row": fmt.Sprintf("w%d", rack/2), "room": fmt.Sprintf("m%d", rack/4),
		},
		State: inventory.State{Known: true, Provisioning: "available", Operational: "OK"},
	}
	if d.oneIn(6) {
		h.Namespace = "annex"
	}
	if d.oneIn(3) {
		h.Labels["tier"] = d.of("gold", "silver")
	}
	switch d.IntN(15) {
	case 0:
		delete(h.Labels, "rack")
	case 1:
		delete(h.Labels, "rack")
		delete(h.Labels, "row")
		delete(h.Labels, "room")
	}
	for n, network := range []string{"oam", "data"} {
		if !d.oneIn(8) {
			ip := netip.AddrFrom4([4]byte{10, byte(n), byte(i / 250), byte(i%250 + 1)})
			h.Addresses = append(h.Addresses,
				inventory.Address{Network: network, IP: ip, Origin: inventory.FromNetworkData})
		}
	}
	switch d.IntN(30) {
	case 0:
		h.State.Paused = true
	case 1:
		h.State.Provisioning = "inspecting"
	case 2:
		h.State.Operational, h.State.ErrorType = "error", "power management error"
	case 3:
		h.State.Provisioning, h.State.Image = "provisioned", true
		h.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Namespace: "elsewhere",
			Name: fmt.Sprintf("m%d", i)}
	case 4:
		h.State = inventory.State{} // from a file without a status
	}
	return h
}

// shuffleNames gives the hosts names whose order is not that of their racks.
func shuffleNames(d dice, hosts []inventory.Host) {
	names := make([]string, len(hosts))
	for i := range names {
		names[i] = fmt.Sprintf("n%04d", i)
	}
	shuffle(d, names)
	for i := range hosts {
		hosts[i].Name, hosts[i].Source.File = names[i], names[i]+".yaml"
	}
}

func randomCluster(d dice, size scale, i, kinds int) v1.SIPCluster {
	var c v1.SIPCluster
	c.Namespace, c.Name = d.of("edge", "lab", "shop"), fmt.Sprintf("c%d", (i*7)%61)
	c.Spec.Nodes = map[string]v1.NodeSet{}
	if d.oneIn(2) {
		c.Spec.Priority = int32(d.IntN(3) - 1)
	}
	for _, role := range []string{v1.RoleWorker, v1.RoleControlPlane, "Storage"}[:1+d.IntN(5)/2] {
		c.Spec.Nodes[role] = randomRole(d, size, kinds)
	}
	switch d.IntN(6) {
	case 0:
		c.Spec.Services.JumpHost = []v1.JumpHost{{NodeInterface: "oam"}}
	case 1:
		c.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{{NodeInterface: "oam"}}
		c.Spec.Services.LoadBalancerWorker = []v1.LoadBalancerWorker{{NodeInterface: "data"}}
	case 2:
		c.Spec.Services.LoadBalancerWorker = []v1.LoadBalancerWorker{{NodeInterface: "data"}}
	}
	return c
}

func randomRole(d dice, size scale, kinds int) v1.NodeSet {
	set := v1.NodeSet{Count: &v1.NodeCount{Active: d.IntN(size.active)}}
	if d.oneIn(2) {
		set.Count.Standby = d.IntN(size.standby)
	}
	kind := func() string { return fmt.Sprintf("k%d", d.IntN(kinds)) }
	switch d.IntN(8) {
	case 0, 1:
		set.LabelSelector.MatchLabels = map[string]string{"kind": kind()}
	case 2:
		set.LabelSelector = selecting(requirement("kind", metav1.LabelSelectorOpIn, kind(), kind()))
	case 3:
		set.LabelSelector = selecting(requirement("kind", metav1.LabelSelectorOpNotIn, kind()))
	case 4:
		set.LabelSelector = selecting(requirement("tier", metav1.LabelSelectorOpDoesNotExist))
	case 5:
		set.LabelSelector = selecting(requirement("tier", metav1.LabelSelectorOpExists))
	}
	if d.oneIn(8) {
		set.HostNamespaces = []string{d.of("metal", "metal", "annex")}
	}
	bound := func(most int) int { return 1 + d.IntN(most) }
	switch d.IntN(6) {
	case 0:
		set.TopologyKey = d.of("rack", "rack", "row")
	case 1:
		set.TopologyKey, set.MaxPerDomain = d.of("rack", "row", "room"), bound(size.rack)
	case 2, 3:
		set.TopologyKeys = [][]string{{"row", "rack"}, {"room", "rack"}, {"room", "row"},
			{"room", "row", "rack"}}[d.IntN(4)]
		set.MaxPerDomainByKey = map[string]v1.PerDomain{}
		for i, key := range set.TopologyKeys {
			if wider := len(set.TopologyKeys) - i; !d.oneIn(4) {
				set.MaxPerDomainByKey[key] = v1.PerDomain(wider + d.IntN(wider*size.rack))
			}
		}
	}
	if d.oneIn(4) {
		key := d.of("rack", "row", "room")
		if !slices.Contains(set.Keys(), key) {
			set.Spread = &v1.Spread{TopologyKey: key, MaxSkew: 1 + d.IntN(2)}
		}
	}
	return set
}

// reserve gives hosts vendors, which some roles ask for, and adds reservations of each of the three kinds.
func (w *world) reserve(d dice) {
	for i := range w.hosts {
		if !d.oneIn(6) {
			w.hosts[i].Hardware = &inventory.Hardware{Vendor: d.of("HPE", "HPE", "Dell Inc."), Model: d.of("R1", "R2")}
		}
	}
	for i := range w.clusters {
		for _, role := range slices.Sorted(maps.Keys(w.clusters[i].Spec.Nodes)) {
			set := w.clusters[i].Spec.Nodes[role]
			switch d.IntN(8) {
			case 0:
				set.Hardware = &v1.Hardware{Vendor: v1.Names{d.of("hpe", "dell inc.")}}
			case 1:
				set.Hardware = &v1.Hardware{Vendor: v1.Names{"HPE", "Dell Inc."}, Model: v1.Names{d.of("R1", "R2")}}
			}
			w.clusters[i].Spec.Nodes[role] = set
		}
	}
	for i := range 1 + d.IntN(3) {
		by := schedule.Reservation{Name: fmt.Sprint("r", i), Namespaces: map[string]bool{}}
		key, value, _ := strings.Cut(d.of("kind=k0", "kind=k1", "pool=b", "tier=gold", "row=w0"), "=")
		by.Selector = labels.SelectorFromSet(labels.Set{key: value})
		kind := d.IntN(3)
		if kind > 0 {
			count := 1 + d.IntN(4)
			by.Count = &count
		}
		if kind < 2 {
			tenant := d.of("edge", "lab", "shop")
			by.Tenants, by.Namespaces[tenant] = []string{tenant}, true
		}
		w.reserved = append(w.reserved, by)
	}
}

// settle takes out of a cluster what would freeze it: keys and networks that none of the hosts has which a role may
// have.
func (w *world) settle(c *v1.SIPCluster) {
	for _, role := range []string{v1.RoleControlPlane, v1.RoleWorker, "Storage"} {
		set, ok := c.Spec.Nodes[role]
		if !ok {
			continue
		}
		none := func(has func(*inventory.Host) bool) bool {
			return !slices.ContainsFunc(w.hosts,
				func(h inventory.Host) bool { return has(&h) && w.mayHave(c, set, &h) })
		}
		lacking := func(key string) bool { return none(func(h *inventory.Host) bool { return h.Labels[key] != "" }) }
		if slices.ContainsFunc(set.Keys(), lacking) {
			set.TopologyKey, set.TopologyKeys, set.MaxPerDomain, set.MaxPerDomainByKey = "", nil, 0, nil
		}
		if set.Spread != nil && lacking(set.Spread.TopologyKey) {
			set.Spread = nil
		}
		c.Spec.Nodes[role] = set
		for _, network := range c.Networks(role) {
			if none(func(h *inventory.Host) bool { return len(h.On(network)) > 0 }) {
				c.Spec.Services = v1.Services{}
			}
		}
	}
}

// mayHave says whether the selectors of a role and of its tenant's pool match a host.
func (w *world) mayHave(c *v1.SIPCluster, set v1.NodeSet, h *inventory.Host) bool {
	matches := func(selector metav1.LabelSelector, namespaces []string) bool {
		s, err := metav1.LabelSelectorAsSelector(&selector)
		return err == nil && s.Matches(labels.Set(h.Labels)) && (len(namespaces) == 0 ||
			slices.Contains(namespaces, h.Namespace))
	}
	for _, t := range w.tenants {
		if slices.Contains(t.Namespaces, c.Namespace) && !matches(t.Hosts.Selector, t.Hosts.Namespaces) {
			return false
		}
	}
	return matches(set.LabelSelector, set.HostNamespaces)
}

func requirement(key string, operator metav1.LabelSelectorOperator, values ...string) metav1.LabelSelectorRequirement {
	return metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: values}
}

func selecting(by ...metav1.LabelSelectorRequirement) metav1.LabelSelector {
	return metav1.LabelSelector{MatchExpressions: by}
}

// shuffled is the same world, its clusters and hosts in another order.
func (w world) shuffled(d dice) world {
	out := world{slices.Clone(w.tenants), slices.Clone(w.clusters), slices.Clone(w.hosts), w.reserved}
	shuffle(d, out.tenants)
	shuffle(d, out.clusters)
	shuffle(d, out.hosts)
	return out
}
