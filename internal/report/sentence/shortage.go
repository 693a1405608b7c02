package sentence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// Shortage explains in one paragraph how many hosts are short, for which slots, and why.
func Shortage(c *schedule.Shortage) string {
	if c.Limit != nil {
		return beyond(c)
	}
	if len(c.Behind) > 0 {
		return behind(c)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "short %d: %s; %s.", c.Need-c.Capacity, needs(c), has(c)+keptFrom(c))
	if c.Packed != (schedule.Room{}) {
		fmt.Fprintf(&b, " All hosts of %s are to lie in one %s: these are in %s.", c.Short, c.Packed.Key, c.Packed.Name)
		if c.Elsewhere > 0 {
			fmt.Fprintf(&b, " %s %s elsewhere.", text.Count(c.Elsewhere, "more host"), Verb(c.Elsewhere, "lies", "lie"))
		}
	}
	if c.Full > 0 {
		fmt.Fprintf(&b, " %s %s, but %s in a domain where the role has its hosts already.",
			text.Count(c.Full, "more host"), Verb(c.Full, "fits", "fit"), Verb(c.Full, "lies", "lie"))
	}
	if len(c.Rejected) > 0 {
		total := 0
		for _, rejected := range c.Rejected {
			total += rejected.Count
		}
		fmt.Fprintf(&b, " %s %s but: %s.", text.Count(total, "more host"), Verb(total, "matches", "match"),
			Counts(c.Rejected))
		if n := Running(c.Rejected); n > 0 {
			fmt.Fprintf(&b, " If %s %s this cluster, %s.", text.Plural(n, "host in use", "hosts in use"),
				Verb(n, "runs", "run"), LabelFirst)
		}
	}
	if c.Unmatched {
		b.WriteString(" No host matches its selector")
		if c.Unmet != "" {
			b.WriteString(": none " + unmet(c.Unmet))
		}
		if c.Near != "" {
			b.WriteString(", did you mean " + c.Near + "?")
		} else {
			b.WriteString(".")
		}
	}
	// Hosts with the correctly spelled value would do, and no role asks for them.
	if !(c.Unmatched && c.Near != "") {
		b.WriteString(" " + missing(&c.Missing))
		if c.Packed != (schedule.Room{}) {
			b.WriteString(" in " + c.Packed.Key + " " + c.Packed.Name)
		}
		b.WriteString(".")
	}
	return b.String()
}

// behind describes the shortage of a role that is served after clusters that were tried a second time.
func behind(c *schedule.Shortage) string {
	names := make([]string, len(c.Behind))
	for i, key := range c.Behind {
		names[i] = key.String()
	}
	lacking := c.Missing
	lacking.Count = 0
	return fmt.Sprintf("short: %s lacks hosts; their number is unknown in this run, since %s %s tried a second time, with "+
		"hosts that spec.hosts.reserved keeps for %s. %s.", c.Short, list(names, mostRoles),
		Verb(len(names), "was", "were"), Verb(len(names), "its tenant", "their tenants"), missing(&lacking))
}

// beyond describes a cluster whose tenant has as many hosts as it may have.
func beyond(c *schedule.Shortage) string {
	what, most, from := "new host", c.Limit.Hosts, c.Limit.HostsFrom
	if c.Standby {
		what, most, from = "new standby host", c.Limit.Standby, c.Limit.StandbyFrom
	}
	return fmt.Sprintf("short %d: %s needs %s; the tenant's clusters have %d, including those being released and those of "+
		"clusters served before this one, and %s may have at most %d",
		c.Need-max(0, c.Capacity), c.Short.Cluster, text.Count(c.Need, what), most-c.Capacity, from, most)
}

// unmet describes the lack of any host that meets a requirement.
func unmet(requirement string) string {
	if namespaces, ok := strings.CutPrefix(requirement, v1.HostNamespaceKey+" in ("); ok {
		return "is in namespace " + strings.ReplaceAll(strings.TrimSuffix(namespaces, ")"), ",", " or ")
	}
	return "has " + requirement
}

// missing returns "Missing: 2 hosts with kind=w, each in a rack of its own or in rack r1 or r2".
func missing(m *schedule.Missing) string {
	words := "Missing: hosts"
	if m.Count > 0 {
		words = "Missing: " + text.Count(m.Count, "host")
	}
	if len(m.Namespaces) > 0 {
		words += " in namespace " + strings.Join(m.Namespaces, " or ")
	}
	var with []string
	if m.Selector != "" {
		with = append(with, m.Selector)
	}
	if len(m.Networks) > 0 {
		with = append(with, "an address on "+strings.Join(m.Networks, " and "))
	}
	if m.Hardware != "" {
		with = append(with, m.Hardware)
	}
	if len(with) > 0 {
		words += " with " + strings.Join(with, " and ")
	}
	if len(m.Keys) == 0 {
		return words
	}
	words += ", "
	if m.Count != 1 {
		words += "each "
	}
	places := []string{"in a " + strings.Join(m.Keys, " and a ") + " of its own"}
	for _, d := range m.Domains {
		place := "in " + d.Key + " " + d.Name
		if narrowest := m.Keys[len(m.Keys)-1]; d.Key != narrowest {
			place = "in a " + narrowest + " of its own in " + d.Key + " " + d.Name
		}
		places = append(places, place)
	}
	if m.MoreDomains {
		places = append(places, "in another with room")
	}
	return words + strings.Join(places, " or ")
}

// needs describes the need of the roles.
func needs(c *schedule.Shortage) string {
	words := c.Roles[0].String() + " needs "
	if len(c.Roles) > 1 {
		words = together(c) + " together need "
	}
	words += strconv.Itoa(c.Need - keptHosts(c))
	if c.Holding {
		words += " more"
	}
	if c.Standby {
		words += ", including standby hosts"
	}
	if len(c.Roles) > mostRoles {
		words += " (" + groups(c) + ")"
	}
	return words
}

// mostRoles is how many competing roles are named with what they need. More are grouped.
const mostRoles = 6

// together returns the roles that compete.
func together(c *schedule.Shortage) string {
	if len(c.Roles) > mostRoles {
		return c.Short.String() + " and " + text.Count(len(c.Roles)-1, "other role")
	}
	names := make([]string, len(c.Roles))
	for i, role := range c.Roles {
		names[i] = role.String() + " (" + strconv.Itoa(c.Needs[i]) + ")"
	}
	return list(names, mostRoles)
}

// groups returns "400 Worker that select flavor=big need 900".
func groups(c *schedule.Shortage) string {
	var parts []string
	roles, need := c.Others.Roles, c.Others.Need
	for i, g := range c.Groups {
		if i >= mostRoles {
			roles, need = roles+g.Roles, need+g.Need
			continue
		}
		what := g.Selector
		if what == "" {
			what = "any host"
		}
		parts = append(parts, fmt.Sprintf("%d %s that %s %s %s %d", g.Roles, g.Role, Verb(g.Roles, "selects", "select"),
			what, Verb(g.Roles, "needs", "need"), g.Need))
	}
	if roles > 0 {
		parts = append(parts, fmt.Sprintf("%s %s %d", text.Count(roles, "other role"), Verb(roles, "needs", "need"), need))
	}
	return strings.Join(parts, "; ")
}

// keptHosts returns how many of the hosts reservations keep.
func keptHosts(c *schedule.Shortage) (n int) {
	for _, kept := range c.Kept {
		n += kept.Hosts
	}
	return n
}

// keptFrom names the reservations.
func keptFrom(c *schedule.Shortage) string {
	if keptHosts(c) == 0 {
		return ""
	}
	var parts []string
	for _, kept := range c.Kept {
		parts = append(parts, strconv.Itoa(kept.Hosts)+" for "+kept.Name)
	}
	return "; spec.hosts.reserved keeps " + list(parts, mostRoles)
}

// has describes the hosts that they can use.
func has(c *schedule.Shortage) string {
	they, can := "it", "it can use"
	if len(c.Roles) > 1 {
		they, can = "they", "they can use"
	}
	free := text.Count(c.Hosts, "free host") + " " + can
	key := keysOf(c)
	names := make([]string, len(c.Domains))
	for i, d := range c.Domains {
		names[i] = d.Name
	}
	switch {
	case c.Hosts == 0:
		return "there is no free host " + can
	case c.Capacity == c.Hosts:
		only := "only "
		if keptHosts(c) > 0 {
			only = "" // they may be more than needed
		}
		words := "there " + Verb(c.Hosts, "is ", "are ") + only + free
		if len(names) > 0 {
			words += " (in " + key + " " + list(names, mostDomains) + ")"
		}
		return words
	case len(names) == 0:
		return "of the " + free + ", " + they + " can have only " + strconv.Itoa(c.Capacity-keptHosts(c)) +
			" at once, because of the topology keys"
	}
	words := "the " + free
	labeled := c.Hosts - c.Loose
	if c.Loose > 0 {
		words += fmt.Sprintf(" are %d without %s and %d that", c.Loose, key, labeled)
	}
	words += fmt.Sprintf(" %s in %d %s %s", Verb(labeled, "lies", "lie"), len(names), key,
		Verb(len(names), "domain", "domains"))
	if even(c.Domains) {
		return words + " (" + short(names) + "), and " + they + " can have " + each(c.Domains[0].Capacity, len(names))
	}
	return words + ", and " + they + " can have " + amounts(c.Domains, "")
}

// amounts returns "2 of 5 in A and 3 of 4 in B (1 of 2 in rack b1)", where key is put before each name.
func amounts(domains []schedule.Domain, key string) string {
	parts := make([]string, len(domains))
	for i, d := range domains {
		parts[i] = fmt.Sprintf("%d of %d in %s%s", d.Capacity, d.Hosts, key, d.Name)
		if len(d.Within) > 0 {
			parts[i] += " (" + amounts(d.Within, d.Within[0].Key+" ") + ")"
		}
	}
	return list(parts, mostDomains)
}

// keysOf returns the keys of the domains in a shortage, or those that its roles have.
func keysOf(c *schedule.Shortage) string {
	var keys []string
	for _, key := range c.TopologyKeys {
		if slices.ContainsFunc(c.Domains, func(d schedule.Domain) bool { return d.Key == key }) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		keys = c.TopologyKeys
	}
	return strings.Join(keys, "/")
}

// mostDomains is how many domains one sentence names.
const mostDomains = 16

func even(domains []schedule.Domain) bool {
	for _, d := range domains {
		if d.Capacity != domains[0].Capacity || len(d.Within) > 0 {
			return false
		}
	}
	return true
}

// each describes how many hosts each of the domains allows.
func each(n, domains int) string {
	many := "one"
	if n != 1 {
		many = strconv.Itoa(n)
	}
	if domains == 1 {
		return many + " there"
	}
	return many + " in each"
}

func short(names []string) string {
	return strings.Join(names[:min(mostDomains, len(names))], " ") + text.More(len(names)-mostDomains)
}

// Verb returns the form that goes with n.
func Verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// list returns "a, b and c", with no more than limit items.
func list(items []string, limit int) string {
	if len(items) == 1 || len(items) > limit {
		return text.Some(items, limit)
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}
