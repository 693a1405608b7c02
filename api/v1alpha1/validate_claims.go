package v1alpha1

import (
	"fmt"
	"slices"
)

// maxClaimNamespaces is the most that spec.hosts.claimNamespaces may list.
const maxClaimNamespaces = 100

// validateClaims checks who may claim hosts by metal3's HostClaims. Each policy names them: metal3 reads one without names as one for all
// namespaces, and does not anchor its patterns.
func (h *Hosts) validateClaims(add problem) {
	const field = "spec.hosts.claimNamespaces"
	if n := len(h.ClaimNamespaces); n > maxClaimNamespaces {
		add(field, "found %d, want at most %d", n, maxClaimNamespaces)
		return
	}
	if len(h.ClaimNamespaces) > 0 && len(h.Namespaces) == 0 {
		add(field, "needs spec.hosts.namespaces: a policy stands beside the hosts that it is for")
	}
	for i, namespace := range h.ClaimNamespaces {
		at := fmt.Sprintf("%s[%d]", field, i)
		checkName(at, namespace, add)
		if first := slices.Index(h.ClaimNamespaces, namespace); first < i {
			add(at, "%q is a duplicate of %s[%d]", namespace, field, first)
		}
	}
}

// validateClaimants refuses tenants' namespaces: whoever can write a HostClaim there has any host that is available, whatever its labels say.
func (s *SiteSpec) validateClaimants(add problem) {
	for i, namespace := range s.Hosts.ClaimNamespaces {
		for n := range s.Tenants {
			//guard: a tenant claims every host that is available
			if slices.Contains(s.Tenants[n].Namespaces, namespace) {
				add(fmt.Sprintf("spec.hosts.claimNamespaces[%d]", i), "found %q, a namespace of tenant %s, which could claim every host that is available: want one of the platform's", namespace, s.Tenants[n].Name)
			}
		}
	}
}
