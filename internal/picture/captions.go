package picture

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// states is what can be said of a host, in the legend's order. class is the name in the style sheet, and mark is the
// sign in a cell.
var states = []struct{ class, mark, words string }{
	{"held", "", "kept"},
	{"new", "+", "new"},
	{"pending", "!", "release pending"},
	{"releasing", "−", "released"},
	{"standby", "", "standby"},
	{"failed", "×", "failed"},
	{"promoted", "↑", "promoted"},
	{"demoted", "↓", "now standby"},
	{"free", "", "free"},
	{"off", "", "not eligible"},
	{"gone", "", "left out"},
}

// classes returns the classes of the states of a host, that of its verdict first.
func classes(h *Cell) []string {
	list := []string{verdictClass(h.Verdict)}
	for _, more := range []struct {
		class string
		holds bool
	}{{"standby", h.Standby}, {"failed", h.Failed}, {"promoted", h.Promoted}, {"demoted", h.Demoted}} {
		if more.holds {
			list = append(list, more.class)
		}
	}
	return list
}

func verdictClass(v schedule.Verdict) string {
	switch v {
	case schedule.Held:
		return "held"
	case schedule.Assigned:
		return "new"
	case schedule.Pending:
		return "pending"
	case schedule.Releasing:
		return "releasing"
	case schedule.Free:
		return "free"
	case removed:
		return "gone"
	}
	return "off"
}

// marks returns the signs of a host's states.
func marks(list []string) string {
	var signs strings.Builder
	for _, state := range states {
		if slices.Contains(list, state.class) {
			signs.WriteString(state.mark)
		}
	}
	return signs.String()
}

// verdict returns what the run does with a host, in words.
func verdict(h *Cell) string {
	class := verdictClass(h.Verdict)
	for _, state := range states {
		if state.class == class {
			return state.words
		}
	}
	return ""
}

// counts are numbers of hosts, by the class of a state.
type counts map[string]int

func (c counts) add(h *Cell) {
	for _, class := range classes(h) {
		c[class]++
	}
}

// used counts the hosts that are in a cluster after this run.
func (c counts) used() int { return c["held"] + c["new"] + c["pending"] }

// count returns the totals of the hosts, and those of each tenant.
func count(s *Drawing) (all counts, each []counts) {
	all = counts{}
	for range s.Tenants {
		each = append(each, counts{})
	}
	for i := range s.Hosts {
		h := &s.Hosts[i]
		all.add(h)
		if h.Tenant >= 0 {
			each[h.Tenant].add(h)
		}
	}
	return all, each
}

// letter returns the first letter of a role for a cell. Capital letters in a cell are roles, never tenants.
func letter(role string) string {
	first, _ := utf8.DecodeRuneInString(role)
	if role == "" || first == utf8.RuneError {
		return "?"
	}
	return strings.ToUpper(string(first))
}

// caption returns what a cell says below a host's name: a tag, which is role and number of the tenant, and words.
func caption(s *Drawing, h *Cell) (tag, words string) {
	switch {
	case h.Tenant >= 0:
		_, words, _ = strings.Cut(s.Tenants[h.Tenant].Name, "/")
		if h.Standby {
			words += ", standby"
		}
		return letter(h.Role) + strconv.Itoa(h.Tenant+1), words
	case h.Verdict == schedule.NotEligible:
		return "×", h.Reason
	}
	return "", verdict(h)
}

// about returns everything about a host, a line each.
func about(s *Drawing, h *Cell) string {
	lines := []string{h.Name}
	var place []string
	if h.Row != "" {
		place = append(place, s.rowName(h.Row))
	}
	if h.Rack != "" {
		place = append(place, called(s.RackKey, "rack")+" "+h.Rack)
	}
	if len(place) > 0 {
		lines = append(lines, strings.Join(place, ", "))
	}
	if h.Tenant >= 0 {
		slot := s.Tenants[h.Tenant].Name + ", " + h.Role
		if h.Standby {
			slot += ", standby"
		}
		lines = append(lines, slot)
	}
	last := verdict(h)
	switch {
	case h.Reason == last || strings.HasPrefix(h.Reason, last+":"):
		last = h.Reason
	case h.Reason != "":
		last += ": " + h.Reason
	}
	return strings.Join(append(lines, last), "\n")
}

// rackName returns what stands above a rack: "r7", or "no rack".
func (s *Drawing) rackName(name string) string {
	if name == "" {
		return "no " + called(s.RackKey, "rack")
	}
	return name
}

// rowName returns what stands above a row: "row a", or "room a" where the label is called so.
func (s *Drawing) rowName(name string) string {
	if name == "" {
		return "no " + called(s.RowKey, "row")
	}
	return called(s.RowKey, "row") + " " + name
}

// called returns what a label calls its values: "zone" for topology.kubernetes.io/zone.
func called(key, otherwise string) string {
	return cmp.Or(key[strings.LastIndexByte(key, '/')+1:], otherwise)
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

func heading(s *Drawing) string {
	if s.Name == "" {
		return "Site"
	}
	return "Site " + s.Name
}

// roleLetters explains the letters in the cells, in their order.
func roleLetters(s *Drawing) string {
	names := map[string]bool{}
	var roles []string
	for i := range s.Hosts {
		if role := s.Hosts[i].Role; s.Hosts[i].Tenant >= 0 && !names[role] {
			names[role] = true
			roles = append(roles, role)
		}
	}
	if len(roles) == 0 {
		return ""
	}
	slices.SortFunc(roles, natural)
	for i, role := range roles {
		roles[i] = letter(role) + " " + role
	}
	words := "A cell shows role and cluster: " + strings.Join(roles, ", ")
	if len(s.Tenants) > colors*weaves {
		words += ". Colors repeat, numbers do not."
	}
	return words
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

func tenantCounts(t *Tenant, c counts) string {
	words := text.Count(c.used(), "host")
	if c["standby"] > 0 {
		words += " (" + strconv.Itoa(c["standby"]) + " standby)"
	}
	for _, state := range states {
		if slices.Contains([]string{"new", "pending", "releasing", "failed"}, state.class) && c[state.class] > 0 {
			words += ", " + strconv.Itoa(c[state.class]) + " " + state.words
		}
	}
	if note := tenantNote(t); note != "" {
		words += ", " + note
	}
	return strings.Join(append([]string{words}, t.Limits...), ", ")
}
