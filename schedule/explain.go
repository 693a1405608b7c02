package schedule

import (
	"fmt"
	"strconv"
	"strings"
)

// ExplainHost says in words what became of a host, and for every role that selects it why it is
// there or not. It is false for a host that the inventory does not have.
func (p *Placement) ExplainHost(key HostKey) (string, bool) {
	if p.site == nil {
		return "", false
	}
	s := p.site
	i := s.find(key)
	if i < 0 {
		return "", false
	}
	line := &p.Hosts[i]
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", key, line.Verdict)
	if line.Role != "" {
		fmt.Fprintf(&b, ", %s %s", line.Cluster, line.Role)
	}
	fmt.Fprintf(&b, "\n  %s\n", line.Reason)
	others := 0
	for _, r := range s.roles {
		if r.want() == 0 || line.Cluster == r.cluster.key && line.Role == r.name {
			continue
		}
		if !matches(r.selector, s.hosts[i].Labels) {
			others++
			continue
		}
		fmt.Fprintf(&b, "  %s: %s\n", r, s.whyNot(r, i))
	}
	if others > 0 {
		fmt.Fprintf(&b, "  %s not select it\n", count(others, "other role")+map[bool]string{true: " does", false: " do"}[others == 1])
	}
	return b.String(), true
}

// whyNot says why a role that selects a host does not have it.
func (s *site) whyNot(r *role, i int32) string {
	h := &s.hosts[i]
	switch {
	case h.role != nil:
		return "selects it, but " + h.role.String() + " holds it"
	case h.reject != "":
		return "selects it, but it is not eligible: " + h.detail
	case r.cluster.never[i]:
		return "selects it, but an annotation of the cluster names it"
	}
	for _, id := range r.shape.networks {
		if len(h.On(id)) == 0 {
			return "selects it, but it has no address on " + id + why(h.Host, id)
		}
	}
	if len(r.cluster.refused) > 0 {
		return "could use it, but the cluster is refused"
	}
	if r.cluster.unschedulable {
		return "could use it, but the cluster cannot have all it needs and gets nothing new"
	}
	if d := s.domain(r, i); d >= 0 {
		var there []string
		for _, j := range r.has() {
			if s.domain(r, j) == d {
				there = append(there, s.hosts[j].Key())
			}
		}
		if len(there) >= r.max {
			key, value := r.decides(h)
			return "could use it, but has all it may have in " + key + "=" + value + ": " + list(there, 4, "others")
		}
	}
	text := "could use it, but has the " + count(r.want(), "host") + " it wants"
	if len(r.has()) < r.want() {
		text = "could use it, but others need it"
	}
	return text
}

// has are the hosts that fill slots of the role.
func (r *role) has() []int32 {
	var hosts []int32
	for _, list := range [][]int32{r.held, r.standIn, r.spares, r.frozen} {
		hosts = append(hosts, list...)
	}
	for _, p := range r.picks {
		hosts = append(hosts, p.host)
	}
	return hosts
}

// ExplainCluster says in words what a cluster got, and why not more. It is false for a cluster that
// has neither a spec nor hosts.
func (p *Placement) ExplainCluster(key ClusterKey) (string, bool) {
	for i := range p.Clusters {
		if p.Clusters[i].Key == key {
			return p.explain(&p.Clusters[i]), true
		}
	}
	return "", false
}

func (p *Placement) explain(c *Cluster) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: priority %d", c.Key, c.Priority)
	switch {
	case c.Gone:
		b.WriteString(", to be decommissioned: every host is released")
	case len(c.Refused) > 0:
		b.WriteString(", refused: it keeps what it holds, as it is, and gets nothing new")
	case c.Unschedulable:
		b.WriteString(", unschedulable: it keeps what it holds and gets nothing new")
	}
	b.WriteString("\n")
	for _, text := range c.Refused {
		fmt.Fprintf(&b, "  refused: %s\n", text)
	}
	for _, text := range c.Warnings {
		fmt.Fprintf(&b, "  warning: %s\n", text)
	}
	for j := range c.Roles {
		r := &c.Roles[j]
		n := r.Counts()
		fmt.Fprintf(&b, "  %s: want %d active and %d standby; held %d, new %d, pending %d, released %d, short %d\n",
			r.Name, r.Active, r.Standby, n.Held, n.New, n.Pending, n.Releasing, r.ShortActive+r.ShortStandby)
		for _, a := range r.Assigned {
			standby := ""
			if a.Standby {
				standby = "standby, "
			}
			fmt.Fprintf(&b, "    %s: %s%s\n", a.Host.Key(), standby, a.Reason)
		}
		for _, a := range r.Releasing {
			fmt.Fprintf(&b, "    %s: released: %s\n", a.Host.Key(), a.Reason)
		}
		for _, short := range p.Shortages {
			for _, k := range short.Roles {
				if k == (RoleKey{c.Key, r.Name}) {
					fmt.Fprintf(&b, "    short: %s\n", short.Text)
				}
			}
		}
		for _, text := range r.Warnings {
			fmt.Fprintf(&b, "    warning: %s\n", text)
		}
		if len(r.Rejected) > 0 {
			var parts []string
			for _, reason := range r.Rejected {
				parts = append(parts, strconv.Itoa(reason.Count)+" "+reason.Reason)
			}
			fmt.Fprintf(&b, "    selected, but not to be had: %s\n", strings.Join(parts, ", "))
		}
	}
	return b.String()
}

// Counts are the numbers of a role's hosts.
type Counts struct{ Held, New, Pending, Releasing int }

// Counts counts the role's hosts: held from before, new in this run, pending release, releasing.
func (r *Role) Counts() Counts {
	n := Counts{Releasing: len(r.Releasing)}
	for _, a := range r.Assigned {
		switch {
		case a.Pending:
			n.Pending++
		case a.Origin == New:
			n.New++
		default:
			n.Held++
		}
	}
	return n
}
