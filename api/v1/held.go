package v1

import (
	"maps"
	"slices"
	"strings"
)

// Held is what the services of a cluster have on the management cluster already, as far as no two may have it.
type Held struct {
	NodePorts map[int32]bool
	// ClusterIPs as netip writes them, IPv4 in IPv6 as IPv4. PodIPs are "namespace/name address" of a NetworkAttachmentDefinition.
	ClusterIPs, PodIPs map[string]bool
	Addresses          []HeldAddress
	// Synced: it has objects that an engine syncs it by.
	Synced bool
	// Dex: it keeps its state in the cluster's namespace.
	Dex bool
}

// HeldAddress is a load balancer's address at one port of it.
type HeldAddress struct {
	IP, SharingKey, Provider string
	Port                     int32
}

func (h *Held) holds(ip string) bool {
	for _, a := range h.Addresses {
		if normal(a.IP) == ip {
			return true
		}
	}
	return false
}

// keep enters what is held by clusters that are not among those given: their services stay as they are.
func (s *siteClaims) keep(clusters []SIPCluster) {
	given := map[string]bool{}
	for i := range clusters {
		given[clusters[i].Key()] = true
	}
	for _, key := range slices.Sorted(maps.Keys(s.held)) {
		if given[key] {
			continue
		}
		held, cluster := s.held[key], &SIPCluster{}
		cluster.Namespace, cluster.Name, _ = strings.Cut(key, "/")
		by := owner{cluster: cluster, path: "in the tree"}
		for _, part := range syncParts {
			//guard: a newcomer takes the name of the objects that a cluster without a spec is synced by
			if name := SyncName(cluster.Namespace, cluster.Name, part); held.Synced {
				s.syncs[name] = first(s.syncs, name, by)
			}
		}
		for port := range held.NodePorts {
			s.ports[port] = first(s.ports, port, by)
		}
		for ip := range held.ClusterIPs {
			s.clusterIPs[ip] = first(s.clusterIPs, ip, by)
		}
		for ip := range held.PodIPs {
			s.podIPs[ip] = first(s.podIPs, ip, by)
		}
		for _, a := range held.Addresses {
			claim := shared{by, a.SharingKey, a.Provider, PortRange{Start: a.Port, End: a.Port}}
			s.addresses[normal(a.IP)] = append(s.addresses[normal(a.IP)], claim)
		}
		if namespace := by.cluster.Namespace; held.Dex {
			s.dexes[namespace] = first(s.dexes, namespace, by)
		}
	}
}

// first is who has a thing already, or else by.
func first[K comparable](claimed map[K]owner, thing K, by owner) owner {
	if has, taken := claimed[thing]; taken {
		return has
	}
	return by
}
