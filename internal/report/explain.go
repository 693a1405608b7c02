package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// ExplainHost explains a host as text: its state, and why each role that selects it has it or not. It returns false
// for a host that is not in the inventory.
func ExplainHost(p *schedule.Placement, key schedule.HostKey) (string, bool) {
	found, ok := p.ExplainHost(key)
	if !ok {
		return "", false
	}
	var b strings.Builder
	if found.Line.Host.Emptied() {
		whose := strings.TrimSpace(found.Line.Role)
		if whose != "" {
			whose = found.Line.Cluster.String() + " " + whose
		}
		fmt.Fprintf(&b, "danger: %s\n", emptied(key.String(), whose))
	}
	fmt.Fprintf(&b, "%s: %s", key, found.Line.Verdict)
	if found.Line.Role != "" {
		fmt.Fprintf(&b, ", %s %s", found.Line.Cluster, found.Line.Role)
	}
	fmt.Fprintf(&b, "\n  %s\n", sentence.Reason(found.Line.Reason))
	if cordoned := found.Line.Host.State.Cordoned; cordoned != "" && found.Line.Role != "" {
		fmt.Fprintf(&b, "  cordoned (%s): its cluster keeps it\n", cordoned)
	}
	for _, line := range alike(found) {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if found.Others > 0 {
		fmt.Fprintf(&b, "  %s not select it\n", text.Plural(found.Others, "other role does", "other roles do"))
	}
	return b.String(), true
}

// mostNamed is how many roles with one reason a line names.
const mostNamed = 3

// alike returns the roles that select a host and do not have it, a line for each reason; JSON has them one by one.
func alike(found schedule.Explanation) (lines []string) {
	var reasons []string
	// The host's own reason is printed above.
	own := ": " + sentence.Reason(found.Line.Reason)
	why := func(r schedule.Reason) string { return strings.TrimSuffix(whyNot(r), own) }
	roles, more := map[string][]string{}, map[string]int{}
	note := func(why string) {
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
	}
	for _, r := range found.Roles {
		why := why(r.Reason)
		note(why)
		roles[why] = append(roles[why], r.Role.String())
	}
	for _, r := range found.More { // without what differs from role to role
		why := why(r.Reason)
		note(why)
		more[why] = r.Count
	}
	for _, why := range reasons {
		named, others := roles[why], more[why]
		if len(named) > mostNamed {
			named, others = named[:mostNamed], others+len(named)-mostNamed
		}
		if others > 0 {
			named = append(slices.Clone(named), text.Count(others, "more role"))
		}
		who := strings.Join(named, ", ")
		if len(named) > 1 || others > 1 {
			who = "each of " + who
		}
		lines = append(lines, who+": "+why)
	}
	return lines
}

// whyNot returns why a role that selects a host does not have it.
func whyNot(r schedule.Reason) string {
	words := sentence.Reason(r)
	switch r.(type) {
	case schedule.HeldBy, schedule.ReservedFor:
		return "selects it, but it is " + words
	case schedule.NamedByCluster:
		return "selects it, but an annotation of the cluster names it"
	case schedule.CrossingLabel:
		return "selects it, but it " + words
	case schedule.NoAddress, schedule.NoLabel:
		return "selects it, but it has " + words
	case schedule.AsksForNone:
		return "selects it, but asks for no hosts"
	case schedule.NotGranted:
		return "selects it, but its tenant is not granted it"
	case schedule.NothingNew, schedule.KeptBack, schedule.DomainFull, schedule.Satisfied, schedule.Outranked:
		return "could use it, but " + words
	}
	return "selects it, but it is not eligible: " + words
}

// ExplainCluster explains a cluster as text: its hosts, and what it lacks. It returns false for a cluster without a
// spec and without hosts.
func ExplainCluster(p *schedule.Placement, key schedule.ClusterKey) (string, bool) {
	at := slices.IndexFunc(p.Clusters, func(c schedule.Cluster) bool { return c.Key == key })
	if at < 0 {
		return "", false
	}
	c := &p.Clusters[at]
	var b strings.Builder
	for i := range p.Hosts {
		if line := &p.Hosts[i]; line.Cluster == key && line.Host.Emptied() {
			fmt.Fprintf(&b, "danger: %s\n", emptied(line.Host.Key(), strings.TrimSpace(key.String()+" "+line.Role)))
		}
	}
	fmt.Fprintf(&b, "%s: priority %d", c.Key, c.Priority)
	switch {
	case c.Gone:
		b.WriteString(", to be decommissioned: every host is released")
	case len(c.Refused) > 0:
		b.WriteString(", frozen: it keeps what it holds, as it is, and gets nothing new")
	case c.Unschedulable:
		b.WriteString(", unschedulable: it keeps what it holds, and gets only successors of failed hosts")
	}
	b.WriteString("\n")
	for _, words := range sentence.Refusals(c.Refused) {
		fmt.Fprintf(&b, "  frozen: %s\n", words)
	}
	for _, words := range sentence.Warnings(c.Warnings) {
		fmt.Fprintf(&b, "  warning: %s\n", words)
	}
	for j := range c.Roles {
		explainRole(&b, p.Shortages, c.Key, &c.Roles[j])
	}
	return b.String(), true
}

func explainRole(b *strings.Builder, shortages []schedule.Shortage, key schedule.ClusterKey, r *schedule.Role) {
	n := r.Counts()
	fmt.Fprintf(b, "  %s: want %d active and %d standby; held %d, new %d, pending %d, released %d, short %d\n",
		r.Name, r.Active, r.Standby, n.Held, n.New, n.Pending, n.Releasing, r.ShortActive+r.ShortStandby)
	for _, a := range r.Assigned {
		standby := ""
		if a.Standby {
			standby = "standby, "
		}
		reason := a.Reason
		if kept, ok := reason.(schedule.Kept); ok {
			kept.Refused = nil // printed above
			reason = kept
		}
		fmt.Fprintf(b, "    %s: %s%s\n", a.Host.Key(), standby, sentence.Reason(reason))
	}
	for _, a := range r.Releasing {
		fmt.Fprintf(b, "    %s: released: %s\n", a.Host.Key(), sentence.Reason(a.Reason))
	}
	for i := range shortages {
		for _, k := range shortages[i].Roles {
			if k == (schedule.RoleKey{Cluster: key, Role: r.Name}) {
				fmt.Fprintf(b, "    %s\n", sentence.Shortage(&shortages[i]))
			}
		}
	}
	for _, words := range sentence.Warnings(r.Warnings) {
		fmt.Fprintf(b, "    warning: %s\n", words)
	}
	if len(r.Rejected) > 0 {
		fmt.Fprintf(b, "    matched but unavailable: %s\n", sentence.Counts(r.Rejected))
	}
}
