package validation

import (
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// Held is the exclusive things that a cluster's services hold on the management cluster.
type Held struct {
	NodePorts map[int32]bool
	// ClusterIPs as netip writes them, IPv4 in IPv6 as IPv4. PodIPs are "namespace/name address" of a
	// NetworkAttachmentDefinition.
	ClusterIPs, PodIPs map[string]bool
	Addresses          []HeldAddress
	// Synced: it has objects that an engine syncs it by.
	Synced bool
	// Dex: it keeps its state in the cluster's namespace.
	Dex bool
}

// HeldAddress is a load balancer address with one of its ports.
type HeldAddress struct {
	IP, SharingKey, Provider string
	Port                     int32
}

func (h *Held) hasAddress(ip string) bool {
	for _, a := range h.Addresses {
		if canonicalIP(a.IP) == ip {
			return true
		}
	}
	return false
}

// addHeld enters the things of clusters that are not among those given, whose services stay as they are, and the
// things that the given clusters give up: they stay theirs until their services are applied without them.
func (s *siteClaims) addHeld(clusters []v1.SIPCluster) {
	given := map[string]*v1.SIPCluster{}
	for i := range clusters {
		given[clusters[i].Key()] = &clusters[i]
	}
	for _, key := range slices.Sorted(maps.Keys(s.held)) {
		held, cluster := s.held[key], given[key]
		if cluster != nil {
			held = released(cluster, held)
		} else {
			cluster = &v1.SIPCluster{}
			cluster.Namespace, cluster.Name, _ = strings.Cut(key, "/")
		}
		by := owner{cluster: cluster, path: "in the tree"}
		for _, part := range v1.SyncParts {
			if name := v1.SyncName(cluster.Namespace, cluster.Name, part); held.Synced {
				s.syncs[name] = firstOwner(s.syncs, name, by)
			}
		}
		for port := range held.NodePorts {
			s.ports[port] = firstOwner(s.ports, port, by)
		}
		for ip := range held.ClusterIPs {
			s.clusterIPs[ip] = firstOwner(s.clusterIPs, ip, by)
		}
		for ip := range held.PodIPs {
			s.podIPs[ip] = firstOwner(s.podIPs, ip, by)
		}
		for _, a := range held.Addresses {
			claim := shared{by, a.SharingKey, a.Provider, v1.PortRange{Start: a.Port, End: a.Port}}
			s.addresses[canonicalIP(a.IP)] = append(s.addresses[canonicalIP(a.IP)], claim)
		}
		if namespace := by.cluster.Namespace; held.Dex {
			s.dexes[namespace] = firstOwner(s.dexes, namespace, by)
		}
	}
}

// released returns the things that a cluster holds and its spec no longer asks for.
func released(c *v1.SIPCluster, held Held) Held {
	asks := newClaims(nil)
	for _, e := range c.Entries() {
		asks.claim(claimant{owner{cluster: c, path: e.Path}, e})
	}
	out := Held{NodePorts: maps.Clone(held.NodePorts), ClusterIPs: maps.Clone(held.ClusterIPs),
		PodIPs: maps.Clone(held.PodIPs), Dex: held.Dex && len(c.Spec.Services.Dex) == 0}
	maps.DeleteFunc(out.NodePorts, func(port int32, _ bool) bool { return asks.ports[port].cluster != nil })
	maps.DeleteFunc(out.ClusterIPs, func(ip string, _ bool) bool { return asks.clusterIPs[ip].cluster != nil })
	maps.DeleteFunc(out.PodIPs, func(ip string, _ bool) bool { return asks.podIPs[ip].cluster != nil })
	for _, a := range held.Addresses {
		if len(asks.addresses[canonicalIP(a.IP)]) == 0 {
			out.Addresses = append(out.Addresses, a)
		}
	}
	return out
}

// firstOwner returns the owner of a claimed thing, else by.
func firstOwner[K comparable](claimed map[K]owner, thing K, by owner) owner {
	if has, taken := claimed[thing]; taken {
		return has
	}
	return by
}
