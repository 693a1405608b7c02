package preflight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/inventory"
)

// Sites checks the guards that are in force on the API server. Where those of two sites are both in force, each
// denies what the other site's engine does, so a namespace with another site's guards is refused.
func Sites(site string, namespaces []string, live []inventory.GuardBinding) []finding.Finding {
	var (
		out       []finding.Finding
		overlaps  = map[string]string{}
		guardsOf  = map[string][]string{}
		siteNames []string
	)
	for i := range live {
		binding := &live[i]
		overlap := binding.Overlap(namespaces)
		if binding.Site == site || overlap == "" {
			continue
		}
		if overlaps[binding.Site] == "" {
			overlaps[binding.Site] = overlap
			siteNames = append(siteNames, binding.Site)
		}
		guardsOf[binding.Site] = append(guardsOf[binding.Site], binding.Name)
	}
	slices.Sort(siteNames)
	for _, other := range siteNames {
		out = append(out, finding.Finding{
			Code: finding.Guards, Severity: finding.Error, Message: fmt.Sprintf("the guards of site %s are in force in %s, which has hosts of site %s", other, overlaps[other], site) +
				": each site's guards would deny the changes of the other's engine; give each site on this API " +
				"server its own namespaces in spec.hosts.namespaces. " +
				"Only if site " + other + " does not exist, delete its guards: " +
				"kubectl delete validatingadmissionpolicybindings.admissionregistration.k8s.io " +
				strings.Join(guardsOf[other], " "),
		})
	}
	return out
}
