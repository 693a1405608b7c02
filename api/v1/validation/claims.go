package validation

import (
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/redact"
)

// ValidateClusters reports what several clusters claim on one management cluster: node ports, cluster IPs, load
// balancer addresses and fixed pod addresses; and node ports outside portStart to portEnd. Errors are in the order
// of clusters and fields. The second claim is the error, and names the first.
func ValidateClusters(clusters []v1.SIPCluster, portStart, portEnd int32) []ClusterError {
	return ValidateHeld(clusters, nil, portStart, portEnd)
}

// ValidateHeld is ValidateClusters for a site where clusters hold some of what they claim, by "namespace/name" in
// held. The newcomer is the error, in any order of clusters. Clusters of held that are not among clusters keep what
// they hold.
func ValidateHeld(clusters []v1.SIPCluster, held map[string]Held, portStart, portEnd int32) []ClusterError {
	s := newClaims(held)
	s.start, s.end = portStart, portEnd
	s.addHeld(clusters)
	for i := range clusters {
		s.claimSyncNames(&clusters[i])
		s.claimDexNamespace(&clusters[i])
		for _, e := range clusters[i].Entries() {
			s.claim(claimant{owner{cluster: &clusters[i], path: e.Path}, e})
		}
	}
	return s.errs
}

// claimant is an entry with its owner.
type claimant struct {
	owner
	v1.ServiceEntry
}

// owner is the entry that claims a thing.
type owner struct {
	cluster *v1.SIPCluster
	path    string
	// field of the entry that claims it, which is complained about if the thing is another's.
	field string
}

func (o owner) by(field string) owner {
	o.field = field
	return o
}

func (o owner) String() string { return o.cluster.Key() + " " + o.path }

// shared is a claim of a load balancer address, which others may share.
type shared struct {
	owner
	key      string
	provider string
	ports    v1.PortRange
}

type siteClaims struct {
	start, end         int32
	held               map[string]Held
	ports              map[int32]owner
	clusterIPs, podIPs map[string]owner
	addresses          map[string][]shared
	// dexes by namespace, and syncs by SyncName.
	dexes, syncs map[string]owner
	errs         []ClusterError
}

func newClaims(held map[string]Held) *siteClaims {
	return &siteClaims{
		held: held, ports: map[int32]owner{}, clusterIPs: map[string]owner{}, podIPs: map[string]owner{},
		addresses: map[string][]shared{},
		dexes:     map[string]owner{}, syncs: map[string]owner{},
	}
}

func (s *siteClaims) add(c *v1.SIPCluster, path, format string, args ...any) {
	s.say(OfField, c, path, format, args...)
}

func (s *siteClaims) say(kind Kind, c *v1.SIPCluster, path, format string, args ...any) {
	s.errs = append(s.errs, ClusterError{c, FieldError{Path: path, Message: redact.Sprintf(format, args...), Kind: kind}})
}

func (s *siteClaims) claim(e claimant) {
	s.claimNodePorts(e)
	if e.Type == corev1.ServiceTypeLoadBalancer {
		s.claimAddresses(e)
	}
	if ip := e.Service.ClusterIP; ip != nil && *ip != "" && *ip != corev1.ClusterIPNone {
		s.claimOnce(s.clusterIPs, canonicalIP(*ip), e.by(e.Path+".clusterIP"),
			func(h *Held) map[string]bool { return h.ClusterIPs })
	}
	for i, n := range e.Service.NetworkAttachments {
		for j, ip := range n.IPs {
			prefix, err := netip.ParsePrefix(ip)
			if err != nil {
				continue // complained about where the cluster is validated
			}
			namespace := n.Namespace
			if namespace == "" {
				namespace = e.cluster.Namespace
			}
			s.claimOnce(s.podIPs, namespace+"/"+n.Name+" "+prefix.Addr().String(),
				e.by(fmt.Sprintf("%s.networkAttachments[%d].ips[%d]", e.Path, i, j)),
				func(h *Held) map[string]bool { return h.PodIPs })
		}
	}
}

// claimDexNamespace claims the namespace for Dex, which keeps its state there, signing keys included.
func (s *siteClaims) claimDexNamespace(c *v1.SIPCluster) {
	if len(c.Spec.Services.Dex) == 0 {
		return
	}
	path := "spec.services." + v1.ListDex + "[0]"
	mine := owner{cluster: c, path: path}
	first, taken := s.dexes[c.Namespace]
	if !taken || s.hasPrecedence(mine, first, func(h *Held) bool { return h.Dex }) {
		s.dexes[c.Namespace] = mine
		mine, first = first, mine
	}
	if taken {
		s.say(DexTaken, mine.cluster, path, "%s keeps its signing keys in namespace %s already, and two would share them: "+
			"give the clusters namespaces of their own", first, c.Namespace)
	}
}

// claimSyncNames claims the names of the objects that sync the cluster. An engine refuses the whole site if two
// clusters share one.
func (s *siteClaims) claimSyncNames(c *v1.SIPCluster) {
	mine := owner{cluster: c, path: "metadata.name"}
	for _, part := range v1.SyncParts {
		name := v1.SyncName(c.Namespace, c.Name, part)
		first, taken := s.syncs[name]
		loser := mine
		if !taken || s.hasPrecedence(mine, first, func(h *Held) bool { return h.Synced }) {
			s.syncs[name], loser, first = mine, first, mine
		}
		if taken {
			s.add(loser.cluster, loser.path, "its objects in the tree would have the names of those of %s, because "+
				"both are cut to %d characters: choose a shorter name",
				first.cluster.Key(), validation.LabelValueMaxLength)
			return
		}
	}
}

// hasPrecedence reports whether the later of two claimants holds the claimed thing and the first does not.
func (s *siteClaims) hasPrecedence(later, first owner, has func(*Held) bool) bool {
	a, b := s.held[later.cluster.Key()], s.held[first.cluster.Key()]
	return has(&a) && !has(&b)
}

// claimOnce claims a thing of a map that Held has, too.
func (s *siteClaims) claimOnce(claimed map[string]owner, thing string, by owner, things func(*Held) map[string]bool) {
	first, taken := claimed[thing]
	switch {
	case !taken:
		claimed[thing] = by
	case s.hasPrecedence(by, first, func(h *Held) bool { return things(h)[thing] }):
		claimed[thing] = by
		s.add(first.cluster, first.field, "%s is claimed by %s already", thing, by)
	default:
		s.add(by.cluster, by.field, "%s is claimed by %s already", thing, first)
	}
}

func (s *siteClaims) claimNodePorts(e claimant) {
	ports := e.NodePorts
	if ports.Start == 0 {
		return // chosen by the API server
	}
	if (ports.Start < s.start || ports.End > s.end) && isPort(ports.Start) &&
		isPort(ports.End) { // else validation says so
		s.say(PortOutside, e.cluster, e.NodePortField, "found %s, want one within %d to %d, the site's range",
			ports.Described(), s.start, s.end)
	}
	complained, mine := map[owner]bool{}, e.by(e.NodePortField)
	for port := ports.Start; port <= ports.End && ports.Len() <= MaxServicePorts; port++ {
		first, taken := s.ports[port]
		switch {
		case !taken:
			s.ports[port] = mine
		case s.hasPrecedence(mine, first, func(h *Held) bool { return h.NodePorts[port] }):
			s.ports[port] = mine
			if !complained[first] {
				complained[first] = true
				s.say(PortTaken, first.cluster, first.field, "node port %d is claimed by %s already", port, mine)
			}
		case !complained[first]:
			complained[first] = true
			s.say(PortTaken, e.cluster, e.NodePortField, "node port %d is claimed by %s already", port, first)
		}
	}
}

// claimAddresses claims load balancer addresses. Entries may share an address with the same key and different ports,
// as MetalLB allows.
func (s *siteClaims) claimAddresses(e claimant) {
	exposure := e.Service.Service
	for _, ip := range exposure.Addresses() {
		claim := shared{e.owner, exposure.SharingKey, exposure.AddressProvider(), e.Ports}
		path := e.path + ".service.loadBalancerIP"
		for _, other := range s.addresses[canonicalIP(ip)] {
			path, claim, other := path, claim, other
			if s.hasPrecedence(claim.owner, other.owner, func(h *Held) bool { return h.hasAddress(canonicalIP(ip)) }) {
				path, claim, other = other.path+".service.loadBalancerIP", other, claim
			}
			add := func(format string, args ...any) { s.add(claim.cluster, path, format, args...) }
			switch {
			case claim.key == "" || other.key != claim.key:
				add("%s is claimed by %s already, and the two do not give the same sharingKey", canonicalIP(ip),
					other.owner)
			case other.provider != claim.provider:
				add("%s is claimed from %q by %s already, and from %q here", canonicalIP(ip), other.provider,
					other.owner, claim.provider)
			case claim.ports.Start <= other.ports.End && other.ports.Start <= claim.ports.End:
				add("%s is shared with %s, and both listen on port %d", canonicalIP(ip), other.owner,
					max(claim.ports.Start, other.ports.Start))
			default:
				continue
			}
			break
		}
		s.addresses[canonicalIP(ip)] = append(s.addresses[canonicalIP(ip)], claim)
	}
}

// canonicalIP returns the canonical text of an address: 2001:DB8::1 and 2001:db8:0::1 are the same.
func canonicalIP(ip string) string {
	if parsed, err := netip.ParseAddr(ip); err == nil {
		return parsed.Unmap().String()
	}
	return ip
}
