package v1alpha1

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// The most that spec.hosts.release may list.
const (
	maxReleases      = 100
	maxReleasedHosts = 1_000 // of one cluster
)

// validateDecommission checks that each entry names one cluster: no pattern lets a fleet leave.
func (s *Site) validateDecommission(add problem) {
	const most = 100
	if n := len(s.Spec.Decommission); n > most {
		add("spec.decommission", "found %d, want at most %d", n, most)
		return
	}
	for i, cluster := range s.Spec.Decommission {
		//guard: an entry that is no cluster's name lets nothing leave, in silence
		if namespace, name, _ := strings.Cut(cluster, "/"); len(validation.IsDNS1123Label(namespace))+len(validation.IsDNS1123Label(name)) > 0 {
			add(fmt.Sprintf("spec.decommission[%d]", i), "found %q, want NAMESPACE/NAME of a cluster", cluster)
		}
	}
}

// validateRelease checks that each entry names one cluster, and hosts one by one: no pattern gives a fleet away.
func (h *Hosts) validateRelease(add problem) {
	if n := len(h.Release); n > maxReleases {
		add("spec.hosts.release", "found %d, want at most %d", n, maxReleases)
		return
	}
	first := map[string]string{}
	for i := range h.Release {
		r, at := &h.Release[i], fmt.Sprintf("spec.hosts.release[%d]", i)
		namespace, name, _ := strings.Cut(r.Cluster, "/")
		if len(validation.IsDNS1123Label(namespace))+len(validation.IsDNS1123Label(name)) > 0 {
			add(at+".cluster", "found %q, want NAMESPACE/NAME of a cluster, as the labels of its hosts have it", r.Cluster)
		}
		if n := len(r.Hosts); n == 0 || n > maxReleasedHosts {
			add(at+".hosts", "found %d, want 1 to %d, by NAMESPACE/NAME or NAME", n, maxReleasedHosts)
			continue
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
			//guard: a site releases hosts of another one's namespace
			case full && len(h.Namespaces) > 0 && !slices.Contains(h.Namespaces, namespace):
				add(field, "found %q, which is in none of spec.hosts.namespaces", host)
			case first[host] != "":
				add(field, "%q is a duplicate of %s", host, first[host])
			}
			first[host] = field
		}
	}
}
