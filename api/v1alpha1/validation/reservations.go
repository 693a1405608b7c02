package validation

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	specs "github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
)

// validateReserved checks the hosts that are reserved: each entry has a name, and tenants, a count, or both.
func validateReserved(s *v1alpha1.Site, add Report) {
	const at = "spec.hosts.reserved"
	first := map[string]string{}
	for i := range s.Spec.Hosts.Reserved {
		r, at := &s.Spec.Hosts.Reserved[i], fmt.Sprintf("%s[%d]", at, i)
		checkName(at+".name", r.Name, add)
		if there := first[r.Name]; there != "" {
			add(at+".name", "%q is a duplicate of %s", r.Name, there)
		}
		first[r.Name] = at + ".name"
		if r.Selector == nil { // else it would reserve all hosts
			add(at+".selector", "missing, want the labels of the hosts, or {} for all hosts")
		} else if _, err := metav1.LabelSelectorAsSelector(r.Selector); err != nil {
			add(at+".selector", "%s", specs.SelectorError(err))
		}
		if len(r.Tenants) == 0 && r.Count == nil {
			add(at, "found neither tenants nor count: want tenants, a count of spares, or both")
		}
		for j, name := range r.Tenants {
			if there := slices.Index(r.Tenants, name); there < j {
				add(fmt.Sprintf("%s.tenants[%d]", at, j), "%q is a duplicate of %s.tenants[%d]", name, at, there)
				continue
			}
			if !slices.ContainsFunc(s.Spec.Tenants, func(t v1alpha1.Tenant) bool { return t.Name == name }) {
				add(fmt.Sprintf("%s.tenants[%d]", at, j), "found %q, want the name of one of spec.tenants", name)
			}
		}
	}
}
