package report

import (
	"fmt"
	"io"
	"strings"
)

// ExplainCluster writes everything the plan knows about a cluster.
func ExplainCluster(w io.Writer, p *Plan, c *Cluster) {
	state := "has all the hosts it needs"
	switch {
	case c.Gone:
		state = "is being decommissioned: its spec is gone"
	case c.Unschedulable:
		state = "is unschedulable: it keeps what it has and gets nothing new"
	}
	fmt.Fprintf(w, "cluster %s (priority %d) %s\n", c.Key(), c.Priority, state)
	for i := range c.Roles {
		role := &c.Roles[i]
		fmt.Fprintf(w, "\n%s: want %d active and %d standby; held %d, new %d, pending %d, released %d, short %d\n",
			role.Name, role.Active, role.Standby, role.Held, role.New, role.Pending, role.Released, role.ShortActive+role.ShortStandby)
		for _, slot := range role.Slots {
			fmt.Fprintf(w, "  %-8s %s", slot.Status, slot.Host)
			if name := slotName(slot); name != "" {
				fmt.Fprintf(w, "  %s", name)
			}
			if slot.Domain != "" {
				fmt.Fprintf(w, "  %s", slot.Domain)
			}
			if slot.Why != "" {
				fmt.Fprintf(w, "  %s", slot.Why)
			}
			fmt.Fprintln(w)
		}
		for _, reject := range role.Rejected {
			fmt.Fprintf(w, "  %d not eligible: %s\n", reject.Count, reject.Reason)
		}
		for _, warning := range role.Warnings {
			fmt.Fprintf(w, "  warning: %s\n", warning)
		}
	}
	for _, warning := range c.Warnings {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
	for _, shortage := range p.Shortages {
		if strings.Contains(shortage, c.Key()) {
			fmt.Fprintf(w, "\n%s\n", shortage)
		}
	}
}

// ExplainHost writes everything the plan knows about a host.
func ExplainHost(w io.Writer, p *Plan, h *Host) {
	fmt.Fprintf(w, "host %s: %s", h.Host, h.Verdict)
	if h.Cluster != "" {
		fmt.Fprintf(w, ", %s %s", h.Cluster, h.Role)
	}
	fmt.Fprintln(w)
	if h.Why != "" {
		fmt.Fprintf(w, "  %s\n", h.Why)
	}
	for i := range p.Clusters {
		c := &p.Clusters[i]
		for j := range c.Roles {
			for _, slot := range c.Roles[j].Slots {
				if slot.Host != h.Host {
					continue
				}
				fmt.Fprintf(w, "  %s %s, %s", c.Key(), c.Roles[j].Name, slot.Status)
				if slot.Domain != "" {
					fmt.Fprintf(w, ", domain %s", slot.Domain)
				}
				if slot.Why != "" && slot.Why != h.Why {
					fmt.Fprintf(w, ": %s", slot.Why)
				}
				fmt.Fprintln(w)
			}
		}
	}
}
