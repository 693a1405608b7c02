package preflight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/inventory"
)

// Sites looks at the guards that are in force on the API server. The guards of two sites are ANDed where both are in force, and each denies what
// the other site's engine does, so a namespace that another site's guards are for is refused. Guards under the names that all sites shared
// are of an earlier version: once the site's own are there, they are to be deleted, and nobody but a person does that.
func Sites(site string, namespaces []string, live []inventory.GuardBinding) []Finding {
	var (
		out       []Finding
		own       bool
		left      []string
		overlaps  = map[string]string{}
		guardsOf  = map[string][]string{}
		siteNames []string
	)
	for i := range live {
		binding := &live[i]
		switch {
		case binding.Site == "":
			left = append(left, binding.Name)
		case binding.Site == site:
			own = true
		default:
			//guard: the guards of two sites deny each other's syncs
			if overlap := binding.Overlap(namespaces); overlap != "" {
				if overlaps[binding.Site] == "" {
					overlaps[binding.Site] = overlap
					siteNames = append(siteNames, binding.Site)
				}
				guardsOf[binding.Site] = append(guardsOf[binding.Site], binding.Name)
			}
		}
	}
	slices.Sort(siteNames)
	for _, other := range siteNames {
		out = append(out, Finding{
			Found: fmt.Sprintf("the guards of site %s are in force in %s, which has hosts of site %s", other, overlaps[other], site),
			Why: "each site's guards would deny what the other's engine does; give each site on this API server its own namespaces in spec.hosts.namespaces. " +
				"Only if site " + other + " no longer exists, delete its guards: " +
				"kubectl delete validatingadmissionpolicybindings.admissionregistration.k8s.io " + strings.Join(guardsOf[other], " "),
		})
	}
	if own && len(left) > 0 {
		out = append(out, Finding{
			Found:   "guards of an earlier version are in force beside the site's own: " + strings.Join(left, ", "),
			Why:     "they will not follow what sipgen changes; when all sites on this API server have guards of their own, delete them",
			Fix:     "kubectl delete validatingadmissionpolicybindings,validatingadmissionpolicies " + strings.Join(left, " "),
			Warning: true,
		})
	}
	return out
}
