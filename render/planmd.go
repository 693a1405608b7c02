package render

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/airshipit/sipgen/render/infra"
	"github.com/airshipit/sipgen/schedule"
)

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
		for _, shortage := range s.Placement.Shortages {
			fmt.Fprintf(&out, "- %s\n", shortage.Text)
		}
	}
	return out.Bytes()
}

func (s *site) clusterMarkdown(out *bytes.Buffer, c *schedule.Cluster) {
	fmt.Fprintf(out, "\n## %s\n\n", c.Key)
	switch {
	case c.Gone:
		out.WriteString("Being decommissioned: its spec is gone, and its hosts are given back.\n\n")
	case c.Unschedulable:
		out.WriteString("**Unschedulable:** it keeps what it has and gets nothing new.\n\n")
	}
	var rows [][]string
	for i := range c.Roles {
		role := &c.Roles[i]
		for _, a := range role.Assigned {
			rows = append(rows, []string{a.Host.Key(), role.Name, orDash(a.Domain), s.addresses(c, role.Name, a), slot(a)})
		}
		for _, r := range role.Releasing {
			rows = append(rows, []string{r.Host.Key(), role.Name, "-", "-", "released: our labels are taken off"})
		}
	}
	if len(rows) == 0 {
		out.WriteString("No hosts.\n")
	} else {
		table(out, []string{"host", "role", "domain", "addresses", "slot"}, rows)
	}
	for i := range c.Roles {
		role := &c.Roles[i]
		if role.ShortActive+role.ShortStandby > 0 {
			fmt.Fprintf(out, "\n%s: want %d active and %d standby; short %d active and %d standby.\n",
				role.Name, role.Active, role.Standby, role.ShortActive, role.ShortStandby)
		}
	}
	if spec, found := s.specs[c.Key]; found && spec != nil && rendered(c) {
		if notes := strings.TrimSpace(infra.Notes(s.infraInput(c))); notes != "" {
			fmt.Fprintf(out, "\n%s\n", notes)
		}
	}
}

// slot is "active" or "standby", and what is pending.
func slot(a schedule.Assignment) string {
	text := "active"
	if a.Standby {
		text = "standby"
	}
	if a.Pending {
		text += ", release pending"
	}
	return text
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

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// table writes a markdown table whose columns are aligned in the source too.
func table(out *bytes.Buffer, head []string, rows [][]string) {
	widths := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], len(escapeCell(cell)))
		}
	}
	line := func(cells []string) {
		out.WriteString("|")
		for i, cell := range cells {
			fmt.Fprintf(out, " %-*s |", widths[i], escapeCell(cell))
		}
		out.WriteString("\n")
	}
	line(head)
	rule := make([]string, len(head))
	for i := range rule {
		rule[i] = strings.Repeat("-", widths[i])
	}
	line(rule)
	for _, row := range rows {
		line(row)
	}
}

// escapeCell keeps a value from outside inside its cell: labels and ids can carry no line break,
// and a bar or an angle bracket is escaped.
func escapeCell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ", "\r", " ").Replace(text)
}
