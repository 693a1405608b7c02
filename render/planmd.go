package render

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/airshipit/sipgen/schedule"
)

// maxReason bounds what one reason takes in PLAN.md, in characters.
const maxReason = 500

// planMarkdown renders PLAN.md: who has which host, for a reader. It says nothing that
// changes between two runs with the same outcome: not which hosts are new, nor how many are free.
func (s *site) planMarkdown() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Hosts and tenants of %s\n\nRendered by sipgen from the SIPCluster specs and the host inventory. Do not edit.\n", s.Site.Name)
	if len(s.clusters) == 0 {
		out.WriteString("\nNo cluster has a host.\n")
	}
	for i := range s.Placement.Clusters {
		c := &s.Placement.Clusters[i]
		s.clusterMarkdown(&out, c)
	}
	if len(s.Placement.Shortages) > 0 {
		out.WriteString("\n## Short\n\n")
		for i := range s.Placement.Shortages {
			fmt.Fprintf(&out, "- %s\n", sentence.Shortage(&s.Placement.Shortages[i]))
		}
	}
	s.servicesMarkdown(&out)
	return out.Bytes()
}

func (s *site) clusterMarkdown(out *bytes.Buffer, c *schedule.Cluster) {
	fmt.Fprintf(out, "\n## %s\n\n", c.Key)
	switch {
	case c.Gone:
		out.WriteString("Being decommissioned: its spec is gone, and its hosts are given back.\n\n")
	case len(c.Refused) > 0:
		out.WriteString("**Refused:** it keeps what it has, as it is, and gets nothing new.\n\n")
		for _, why := range sentence.Refusals(c.Refused) {
			// Indented it is code, in which no forge makes anything of what tenants write.
			fmt.Fprintf(out, "    %s\n", text.Truncate(text.Line(why), maxReason))
		}
		out.WriteString("\n")
	case c.Unschedulable:
		out.WriteString("**Unschedulable:** it keeps what it has and gets nothing new.\n\n")
	}
	if spec := s.specs[c.Key]; spec != nil && len(spec.Spec.Patches) > 0 && s.Site.AnyPatches(c.Key.Namespace) {
		out.WriteString("**Any patches:** the Site lets its patches change more than the fields that are safe.\n\n")
	}
	var rows [][]string
	for i := range c.Roles {
		role := &c.Roles[i]
		for _, a := range role.Assigned {
			rows = append(rows, []string{a.Host.Key(), role.Name, orDash(a.Domain), s.addresses(c, role.Name, a), slot(a)})
		}
		for _, r := range role.Releasing {
			rows = append(rows, []string{r.Host.Key(), role.Name, "-", "-", "released: sipgen's labels are taken off"})
		}
	}
	if len(rows) == 0 {
		out.WriteString("No hosts.\n")
	} else {
		out.WriteString(text.TableHead("host", "role", "domain", "addresses", "slot"))
		for _, row := range rows {
			for i := range row {
				row[i] = escapeCell(row[i])
			}
			out.WriteString(text.TableRow(row...))
		}
	}
	for i := range c.Roles {
		role := &c.Roles[i]
		if role.ShortActive+role.ShortStandby > 0 {
			fmt.Fprintf(out, "\n%s: want %d active and %d standby; short %d active and %d standby.\n",
				role.Name, role.Active, role.Standby, role.ShortActive, role.ShortStandby)
		}
	}
	if !s.keepsServices(c) && rendered(c) {
		if notes := strings.TrimSpace(infra.Notes(s.infraInput(c))); notes != "" {
			fmt.Fprintf(out, "\n%s\n", notes)
		}
	}
}

// slot is "active" or "standby", what is pending, and what is wrong with the host.
func slot(a schedule.Assignment) string {
	words := "active"
	if a.Standby {
		words = "standby"
	}
	if a.Pending {
		words += ", release pending"
	}
	if a.Trouble != nil {
		words += ", " + sentence.Trouble(a.Trouble)
	}
	return words
}

// addresses are those the cluster's services use, each network's behind its id.
func (s *site) addresses(c *schedule.Cluster, role string, a schedule.Assignment) string {
	spec, found := s.specs[c.Key]
	if !found {
		return "-"
	}
	var parts []string
	for _, network := range spec.Networks(role) {
		for _, address := range a.Host.On(network) {
			parts = append(parts, network+" "+address.String())
		}
	}
	return orDash(strings.Join(parts, ", "))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

var cellEscaper = strings.NewReplacer("|", `\|`, "<", "&lt;")

// escapeCell keeps a value from outside inside its cell: it is one line, and a bar or an angle bracket is escaped.
func escapeCell(cell string) string {
	return cellEscaper.Replace(text.Line(cell))
}
