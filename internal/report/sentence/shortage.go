package sentence

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// Shortage says in one paragraph which slots stay empty, and why no more can be filled.
func Shortage(c *schedule.Shortage) string {
	var b strings.Builder
	b.WriteString(needs(c))
	b.WriteString("; ")
	b.WriteString(has(c))
	fmt.Fprintf(&b, "; short %d.", c.Need-c.Capacity)
	if c.Unreduced {
		b.WriteString(" Fewer of these roles may be short as well: there are too many to try without each.")
	}
	if c.Full > 0 {
		fmt.Fprintf(&b, " %s %s, but %s in a domain where the role has its hosts already.",
			text.Count(c.Full, "more free host"), verb(c.Full, "fits", "fit"), verb(c.Full, "lies", "lie"))
	}
	if len(c.Rejected) > 0 {
		total := 0
		for _, rejected := range c.Rejected {
			total += rejected.Count
		}
		fmt.Fprintf(&b, " %s %s but: %s.", text.Count(total, "more host"), verb(total, "matches", "match"), Counts(c.Rejected))
	}
	if c.Unmatched {
		b.WriteString(" No host matches its selector")
		if c.Unmet != "" {
			b.WriteString(": none has " + c.Unmet)
		}
		b.WriteString(".")
	}
	return b.String()
}

// needs is what the roles ask for.
func needs(c *schedule.Shortage) string {
	words := c.Roles[0].String() + " needs "
	if len(c.Roles) > 1 {
		names := make([]string, len(c.Roles))
		for i, role := range c.Roles {
			names[i] = role.String()
		}
		words = list(names, 6, "other roles") + " together need "
	}
	words += strconv.Itoa(c.Need)
	if c.Holding {
		words += " more"
	}
	return words
}

// has is what there is for them.
func has(c *schedule.Shortage) string {
	they, can := "it", "it can use"
	if len(c.Roles) > 1 {
		they, can = "they", "they can use"
	}
	free := text.Count(c.Hosts, "free host") + " " + can
	key := strings.Join(c.TopologyKeys, "/")
	names := make([]string, len(c.Domains))
	for i, d := range c.Domains {
		names[i] = d.Name
	}
	switch {
	case c.Hosts == 0:
		return "there is no free host " + can
	case c.Capacity == c.Hosts:
		words := "there " + verb(c.Hosts, "is", "are") + " only " + free
		if len(names) > 0 {
			words += " (in " + key + " " + list(names, mostDomains, "others") + ")"
		}
		return words
	case len(names) == 0:
		return "of the " + free + ", " + they + " can have " + strconv.Itoa(c.Capacity) + " at once, as their topology keys allow"
	}
	words := "the " + free
	labelled := c.Hosts - c.Loose
	if c.Loose > 0 {
		words += fmt.Sprintf(" are %d without %s and %d that", c.Loose, key, labelled)
	}
	words += fmt.Sprintf(" %s in %d %s %s", verb(labelled, "lies", "lie"), len(names), key, verb(len(names), "domain", "domains"))
	if even(c.Domains) {
		return words + " (" + short(names) + "), " + each(c.Domains[0].Capacity)
	}
	parts := make([]string, len(c.Domains))
	for i, d := range c.Domains {
		parts[i] = fmt.Sprintf("%d of %d in %s", d.Capacity, d.Hosts, d.Name)
	}
	return words + ", and " + they + " can have " + list(parts, mostDomains, "others")
}

// mostDomains is how many domains one sentence names.
const mostDomains = 16

func even(domains []schedule.Domain) bool {
	for _, d := range domains {
		if d.Capacity != domains[0].Capacity {
			return false
		}
	}
	return true
}

func each(n int) string {
	if n == 1 {
		return "one each"
	}
	return strconv.Itoa(n) + " each"
}

func short(names []string) string {
	if len(names) <= mostDomains {
		return strings.Join(names, " ")
	}
	return fmt.Sprintf("%s and %d others", strings.Join(names[:mostDomains], " "), len(names)-mostDomains)
}

// verb is the form that goes with n.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// list is "a, b and c", with no more than limit items.
func list(items []string, limit int, others string) string {
	if len(items) == 1 {
		return items[0]
	}
	if len(items) > limit {
		return fmt.Sprintf("%s and %d %s", strings.Join(items[:limit], ", "), len(items)-limit, others)
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}
