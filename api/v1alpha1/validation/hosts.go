package validation

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/redact"
)

// treeFolders are the folders at the top of a tree. A tree in the repository's root leaves the others to the operator.
var treeFolders = []string{"argocd", "claims", "clusters", "flux", "hosts", "policy", "rights", "runner", "site"}

// BaseInside reports that spec.hosts.base is in the tree at a folder of the repository, or around it; empty if it is
// beside the tree. The overlay of such a base includes itself, and the tree replaces the kustomization of the hosts.
func BaseInside(s *v1alpha1.Site, tree string) string {
	if s.Spec.Hosts.Base == "" {
		return ""
	}
	base, tree := path.Clean(s.Spec.Hosts.Base), path.Clean(cmp.Or(tree, "."))
	first, _, _ := strings.Cut(base, "/")
	switch {
	case base == ".", base == tree, strings.HasPrefix(tree, base+"/"), strings.HasPrefix(base, tree+"/"):
	case tree == "." && slices.Contains(treeFolders, first):
	default:
		return ""
	}
	return redact.Sprintf("found %q, want a folder outside the tree, which is at %q (spec.repository.path)", base,
		tree)
}

// validateClaims checks who may claim hosts by metal3's HostClaims. Each policy names them: metal3 reads one without
// names as one for all namespaces, and does not anchor its patterns.
func validateClaims(h *v1alpha1.Hosts, add Report) {
	const field = "spec.hosts.claimNamespaces"
	if len(h.ClaimNamespaces) > 0 && len(h.Namespaces) == 0 {
		add(field, "needs spec.hosts.namespaces: a policy stands beside the hosts that it is for")
	}
	checkNamespaces(field, h.ClaimNamespaces, add)
}

// checkNamespaces checks a list of namespaces. Most entries get objects of their own: two of one name do not build, and
// the engine would apply nothing of their folder, such as the guards.
func checkNamespaces(field string, namespaces []string, add Report) {
	for i, namespace := range namespaces {
		at := fmt.Sprintf("%s[%d]", field, i)
		checkName(at, namespace, add)
		if first := slices.Index(namespaces, namespace); first < i {
			add(at, "%q is a duplicate of %s[%d]", namespace, field, first)
		}
	}
}

// validateClaimants refuses tenants' namespaces: whoever can write a HostClaim there has any host that is available,
// whatever its labels say.
func validateClaimants(s *v1alpha1.SiteSpec, add Report) {
	for i, namespace := range s.Hosts.ClaimNamespaces {
		for n := range s.Tenants {
			if slices.Contains(s.Tenants[n].Namespaces, namespace) {
				add(fmt.Sprintf("spec.hosts.claimNamespaces[%d]", i),
					"found %q, a namespace of tenant %s, which could claim every host that is available: want one "+
						"of the platform's", namespace, s.Tenants[n].Name)
			}
		}
	}
}

// validateDecommission checks that each entry names one cluster: no pattern lets a fleet leave.
func validateDecommission(s *v1alpha1.Site, add Report) {
	for i, cluster := range s.Spec.Decommission {
		if namespace, name, _ := strings.Cut(cluster,
			"/"); len(validation.IsDNS1123Label(namespace))+len(validation.IsDNS1123Label(name)) > 0 {
			add(fmt.Sprintf("spec.decommission[%d]", i), "found %q, want NAMESPACE/NAME of a cluster", cluster)
		}
	}
}

// validateRelease checks that each entry names one cluster, and hosts one by one: no pattern gives a fleet away.
func validateRelease(h *v1alpha1.Hosts, add Report) {
	first := map[string]string{}
	for i := range h.Release {
		r, at := &h.Release[i], fmt.Sprintf("spec.hosts.release[%d]", i)
		namespace, name, _ := strings.Cut(r.Cluster, "/")
		if len(validation.IsDNS1123Label(namespace))+len(validation.IsDNS1123Label(name)) > 0 {
			add(at+".cluster", "found %q, want NAMESPACE/NAME of a cluster, as the labels of its hosts have it",
				r.Cluster)
		}
		if len(r.Hosts) == 0 {
			add(at+".hosts", "found none, want hosts by NAMESPACE/NAME or NAME")
		}
		for j, host := range r.Hosts {
			field := fmt.Sprintf("%s.hosts[%d]", at, j)
			namespace, name, full := strings.Cut(host, "/")
			if !full {
				name = host
			}
			switch {
			case full && len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0:
				add(field, "found %q, want NAMESPACE/NAME of a host, or its NAME", host)
			case full && len(h.Namespaces) > 0 && !slices.Contains(h.Namespaces, namespace):
				add(field, "found %q, which is in none of spec.hosts.namespaces", host)
			case first[host] != "":
				add(field, "%q is a duplicate of %s", host, first[host])
			}
			first[host] = field
		}
	}
}

// isInvalidInID reports whether a character cannot be in a network id.
func isInvalidInID(c rune) bool { return !unicode.IsGraphic(c) || unicode.IsSpace(c) }

// validateHostNetworks checks where hosts may have addresses.
func validateHostNetworks(h *v1alpha1.Hosts, add Report) {
	const field = "spec.hosts.networks"
	for i := range h.Networks {
		network, at := &h.Networks[i], fmt.Sprintf("%s[%d]", field, i)
		if network.Name == "" || strings.ContainsFunc(network.Name, isInvalidInID) {
			add(at+".name", "found %q, want a network's id in the hosts' network data", redact.Plain(network.Name))
		}
		if len(network.Addresses) == 0 {
			add(at+".addresses", "found none, want networks in CIDR notation")
		}
		for j, addresses := range network.Addresses {
			checkNetwork(fmt.Sprintf("%s.addresses[%d]", at, j), addresses, add)
		}
		for j, namespace := range network.Namespaces {
			place := fmt.Sprintf("%s.namespaces[%d]", at, j)
			checkName(place, namespace, add)
			if len(h.Namespaces) > 0 && !slices.Contains(h.Namespaces, namespace) {
				add(place, "found %q, which is in none of spec.hosts.namespaces", namespace)
			}
		}
	}
}

func validateHosts(h *v1alpha1.Hosts, add Report) {
	checkFolder("spec.hosts.base", h.Base, add)
	if h.Apply == v1alpha1.ApplyOverlay && h.Base == "" {
		add("spec.hosts.base", "missing: overlay needs the folder of the hosts' manifests in the repository")
	}
	if h.Apply == v1alpha1.ApplyMerge && h.Base != "" {
		add("spec.hosts.base", "has no meaning with apply: merge")
	}
	checkNamespaces("spec.hosts.namespaces", h.Namespaces, add)
	checkNamespaces("spec.hosts.sharedNamespaces", h.SharedNamespaces, add)
	validateRelease(h, add)
	validateClaims(h, add)
	validateHostNetworks(h, add)
}
