package validation

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

// QuotaResources are what a tenant's quota may bound, in the words of a ResourceQuota: what its services ask for is
// known of these, and of no others.
var QuotaResources = []corev1.ResourceName{
	corev1.ResourcePods, corev1.ResourceServices, corev1.ResourceServicesNodePorts,
	corev1.ResourceServicesLoadBalancers,
	corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory, corev1.ResourceRequestsEphemeralStorage,
	corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory, corev1.ResourceLimitsEphemeralStorage,
}

func validateQuota(at string, quota corev1.ResourceList, add Report) {
	for _, name := range slices.Sorted(maps.Keys(quota)) {
		most := quota[name]
		switch {
		case !slices.Contains(QuotaResources, name):
			var known []string
			for _, resource := range QuotaResources {
				known = append(known, string(resource))
			}
			add(at, "found %q, want %s", string(name), strings.Join(known, ", "))
		case most.Sign() < 0:
			add(at+"."+string(name), "found %s, want 0 or more", most.String())
		case !strings.Contains(string(name), "cpu") && most.MilliValue()%1000 != 0 &&
			most.Cmp(*resource.NewQuantity(1<<50, resource.DecimalSI)) < 0:
			add(at+"."+string(name), "found %s, want a whole number", most.String())
		}
	}
}

// validateLimitRange checks that each value is one that the API server takes beside the others, smaller ones first.
func validateLimitRange(l *v1alpha1.TenantLimitRange, at string, add Report) {
	if l == nil {
		return
	}
	lists := []struct {
		name  string
		found corev1.ResourceList
	}{{"min", l.Min}, {"defaultRequest", l.DefaultRequest}, {"default", l.Default}, {"max", l.Max}}
	empty := true
	for i, list := range lists {
		for _, name := range slices.Sorted(maps.Keys(list.found)) {
			empty = false
			found := list.found[name]
			if !slices.Contains(plainResources, name) {
				add(at+"."+list.name, "found %q, want cpu, memory and ephemeral-storage", string(name))
				continue
			}
			if found.Sign() <= 0 {
				add(at+"."+list.name+"."+string(name), "found %s, want more than zero", found.String())
				continue
			}
			for _, larger := range lists[i+1:] {
				if most, both := larger.found[name]; both && found.Cmp(most) > 0 {
					add(at+"."+list.name+"."+string(name), "found %s, more than %s, %s", found.String(), larger.name,
						most.String())
				}
			}
		}
	}
	if empty {
		add(at, "is empty: set default, defaultRequest, min or max, or remove the field")
	}
}
