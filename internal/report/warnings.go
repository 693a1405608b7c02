package report

import "github.com/airshipit/sipgen/internal/finding"

// mostPassedOver is how many unassigned hosts are named with a remedy; the plan has a reason for each.
const mostPassedOver = 20

// PassedOver returns for free hosts why no patch of them may be written, and the remedy. Held ones have frozen their
// clusters.
func (p *Plan) PassedOver(unpatchable map[string][]finding.Finding) []finding.Finding {
	var out []finding.Finding
	for i := range p.Hosts {
		host := &p.Hosts[i]
		found := unpatchable[host.Host]
		if len(found) == 0 || host.Cluster != "" {
			continue
		}
		f := found[0]
		f.Message += "; not handed out until this is fixed"
		out = append(out, f)
	}
	return finding.Fold(out, mostPassedOver, "hosts that are not handed out for similar reasons; the plan names them")
}
