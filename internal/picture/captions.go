package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// colors is how many fills there are, and weaves how many patterns over them, none included. Further tenants share
// both, and are told apart by their number.
const (
	colors = 8
	weaves = 4
)

// escape makes a value from outside safe between tags and in quoted attributes, of XML and of HTML. Characters that
// XML cannot hold or that are invisible become U+FFFD; "\n" divides the lines of a tooltip. Pictures may be printed
// to terminals and logs.
func escape(s string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(text.Block(s))); err != nil {
		return "" // a bytes.Buffer does not fail
	}
	return b.String()
}

// truncateFront shortens s to n letters and keeps its end, in which hosts differ.
func truncateFront(s string, n int) string {
	letters := []rune(s)
	if len(letters) <= n {
		return s
	}
	return "…" + string(letters[len(letters)-n+1:])
}

// letter returns the first letter of a role for a cell. Capital letters in a cell are roles, never tenants.
func letter(role string) string {
	first, _ := utf8.DecodeRuneInString(role)
	if role == "" || first == utf8.RuneError {
		return "?"
	}
	return strings.ToUpper(string(first))
}

// tag returns the text of a cell: role letter and tenant number.
func tag(h *Cell) string {
	switch {
	case h.Tenant >= 0:
		return letter(h.Role) + strconv.Itoa(h.Tenant+1)
	case h.Verdict == schedule.NotEligible:
		return "×"
	}
	return ""
}

// mark returns the sign of a cell for its change in this run, or for a failed host.
func mark(h *Cell) string {
	sign := appearanceOf(h.Verdict).mark
	switch {
	case sign != "":
		return sign
	case h.Failed:
		return "×"
	case h.Promoted:
		return "↑"
	case h.Demoted:
		return "↓"
	}
	return ""
}

// appearance is how a verdict is drawn.
type appearance struct {
	// mark is the sign of a change in this run.
	mark string
	// class is the name in the style sheet.
	class string
	// words are for the host's own text.
	words string
}

func appearanceOf(v schedule.Verdict) appearance {
	switch v {
	case schedule.Assigned:
		return appearance{"+", "new", "new"}
	case schedule.Held:
		return appearance{"", "held", "kept"}
	case schedule.Pending:
		return appearance{"!", "pending", "release pending"}
	case schedule.Releasing:
		return appearance{"−", "releasing", "released"}
	case schedule.Free:
		return appearance{"", "free", "free"}
	case removed:
		return appearance{"", "gone", "left out"}
	}
	return appearance{"", "off", "not eligible"}
}

// about returns everything about a host, a line each.
func about(s *Drawing, h *Cell) string {
	lines := []string{h.Name}
	if place := placeOf(h); place != "" {
		lines = append(lines, place)
	}
	if h.Tenant >= 0 {
		slot := s.Tenants[h.Tenant].Name + ", " + h.Role
		if h.Standby {
			slot += ", standby"
		}
		lines = append(lines, slot)
	}
	last := appearanceOf(h.Verdict).words
	switch {
	case h.Reason == last || strings.HasPrefix(h.Reason, last+":"):
		last = h.Reason
	case h.Reason != "":
		last += ": " + h.Reason
	}
	return strings.Join(append(lines, last), "\n")
}

func placeOf(h *Cell) string {
	var parts []string
	if h.Row != "" {
		parts = append(parts, "row "+h.Row)
	}
	if h.Rack != "" {
		parts = append(parts, "rack "+h.Rack)
	}
	return strings.Join(parts, ", ")
}

func rackName(name string) string {
	if name == "" {
		return "no rack"
	}
	return name
}

func rowName(name string) string {
	if name == "" {
		return "no row"
	}
	return "row " + name
}

// counts are numbers of hosts by state.
type counts struct {
	held, new, pending, releasing, free, off, gone int
	standby, failed, promoted, demoted             int // of those in a cluster
}

func (c *counts) add(h *Cell) {
	switch h.Verdict {
	case schedule.Held:
		c.held++
	case schedule.Assigned:
		c.new++
	case schedule.Pending:
		c.pending++
	case schedule.Releasing:
		c.releasing++
	case schedule.Free:
		c.free++
	case removed:
		c.gone++
	default:
		c.off++
	}
	if h.Standby {
		c.standby++
	}
	if h.Failed {
		c.failed++
	}
	if h.Promoted {
		c.promoted++
	}
	if h.Demoted {
		c.demoted++
	}
}

// used counts the hosts that are in a cluster after this run.
func (c *counts) used() int { return c.held + c.new + c.pending }

// count returns the totals of the hosts, and those of each tenant.
func count(s *Drawing, hosts []int) (counts, []counts) {
	var all counts
	each := make([]counts, len(s.Tenants))
	for _, i := range hosts {
		h := &s.Hosts[i]
		all.add(h)
		if h.Tenant >= 0 {
			each[h.Tenant].add(h)
		}
	}
	return all, each
}

func everyHost(s *Drawing) []int {
	all := make([]int, len(s.Hosts))
	for i := range all {
		all[i] = i
	}
	return all
}

// brief returns the summary that the legend does not have.
func brief(s *Drawing) string {
	racks, short := 0, 0
	for _, r := range rows(s) {
		for _, k := range r.racks {
			if k.name != "" {
				racks++
			}
		}
	}
	for i := range s.Tenants {
		short += s.Tenants[i].Short
	}
	words := text.Count(len(s.Hosts), "host") + " in " + text.Count(racks, "rack") + ", " +
		text.Count(len(s.Tenants), "cluster")
	if short > 0 {
		words += ", " + text.Count(short, "slot") + " empty"
	}
	return words
}

// summary returns the site in one sentence.
func summary(s *Drawing) string {
	c, _ := count(s, everyHost(s))
	short := 0
	for i := range s.Tenants {
		short += s.Tenants[i].Short
	}
	words := fmt.Sprintf("%s, %s: %d kept, %d new, %d release pending, %d released, %d free, %d not eligible; %d of them standby",
		text.Count(len(s.Hosts), "host"), text.Count(len(s.Tenants),
			"cluster"), c.held, c.new, c.pending, c.releasing, c.free, c.off, c.standby)
	if c.failed > 0 {
		words += fmt.Sprintf(", %d failed", c.failed)
	}
	if c.promoted > 0 {
		words += fmt.Sprintf(", %d promoted", c.promoted)
	}
	if c.gone > 0 {
		words += fmt.Sprintf(", %d left out", c.gone)
	}
	if short > 0 {
		words += ", " + text.Count(short, "slot") + " empty"
	}
	return words
}

func heading(s *Drawing) string {
	if s.Name == "" {
		return "Site"
	}
	return "Site " + s.Name
}

// tenantNote returns what is wrong with a tenant, "" for nothing.
func tenantNote(t *Tenant) string {
	var parts []string
	if t.Gone {
		parts = append(parts, "gone")
	}
	switch {
	case t.Frozen:
		parts = append(parts, "frozen")
	case t.Unschedulable:
		parts = append(parts, "unschedulable")
	}
	if t.Short > 0 {
		parts = append(parts, strconv.Itoa(t.Short)+" short")
	}
	return strings.Join(parts, ", ")
}
