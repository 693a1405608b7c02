package picture

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// tenantsShown is how many tenants a legend names.
const tenantsShown = 60

// tenantColumn is the width of a tenant's entry in pixels; one with a note takes two.
const tenantColumn = 270

// sign is one entry of the legend's second part: a verdict, or standby.
type sign struct {
	host  Cell
	words string
	count int
}

func signs(s *Drawing) []sign {
	c, _ := count(s, everyHost(s))
	member := func(v schedule.Verdict) Cell { return Cell{Verdict: v, Tenant: 0, Role: "Worker"} }
	standby := member(schedule.Held)
	standby.Standby = true
	failed, promoted, demoted := member(schedule.Held), member(schedule.Held), member(schedule.Held)
	failed.Failed, promoted.Promoted, demoted.Demoted = true, true, true
	loose := func(v schedule.Verdict) Cell { return Cell{Verdict: v, Tenant: -1} }
	return []sign{
		{member(schedule.Held), "kept", c.held},
		{member(schedule.Assigned), "new in this run", c.new},
		{member(schedule.Pending), "release pending", c.pending},
		{member(schedule.Releasing), "released", c.releasing},
		{standby, "standby", c.standby},
		{failed, "failed", c.failed},
		{promoted, "promoted", c.promoted},
		{demoted, "now standby", c.demoted},
		{loose(schedule.Free), "free", c.free},
		{loose(schedule.NotEligible), "not eligible", c.off},
		{loose(removed), "left out", c.gone},
	}
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
	words := "A cell says role and cluster:"
	for i, role := range roles {
		if i == 8 {
			words += fmt.Sprintf(" and %d more", len(roles)-i)
			break
		}
		switch {
		case i > 0 && i%4 == 0: // a line of an image does not wrap
			words += ",\n"
		case i > 0:
			words += ","
		}
		words += " " + letter(role) + " " + text.Truncate(role, 24)
	}
	if len(s.Tenants) > colors*weaves {
		words += ". Colors repeat, numbers do not."
	}
	return words
}

// A note has so many lines of so many letters, which are as wide as four tenants. Its title has all of it.
const (
	noteLetters = 165
	noteLines   = 4
)

// wrapped breaks a text between words into lines, and cuts off what does not fit.
func wrapped(s string, letters, lines int) []string {
	var out []string
	line := ""
	words := strings.Fields(s)
	for i, word := range words {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= letters:
			line += " " + word
		case len(out) == lines-1:
			return append(out, text.Truncate(line+" "+strings.Join(words[i:], " "), letters))
		default:
			out, line = append(out, text.Truncate(line, letters)), word
		}
	}
	return append(out, text.Truncate(line, letters))
}

// legend draws heading and legend, and gives their lower and right edge.
func legend(c *canvas, s *Drawing) (bottom, right int) {
	right = margin + 4*tenantColumn
	y := margin + 16
	c.f("<text class=\"h1\" x=\"%d\" y=\"%d\">%s</text>\n", margin, y, escape(text.Truncate(heading(s), 60)))
	y += 22
	c.f("<text class=\"dim\" x=\"%d\" y=\"%d\">%s</text>\n", margin, y, escape(brief(s)))
	for i, note := range s.Notes {
		y += 18
		if i == mostNotes {
			c.f("<text class=\"note\" x=\"%d\" y=\"%d\">and %d more</text>\n", margin, y, len(s.Notes)-i)
			break
		}
		c.f("<text class=\"note\" x=\"%d\" y=\"%d\"><title>%s</title>", margin, y, escape(note))
		for j, line := range wrapped(note, noteLetters, noteLines) {
			if j > 0 {
				y += 16
			}
			c.f("<tspan x=\"%d\" y=\"%d\">%s</tspan>", margin, y, escape(line))
		}
		c.f("</text>\n")
	}
	y += 16
	x := margin
	fit := func(width int) { // to the next line, where this one has no room
		if x > margin && x+width > right {
			x, y = margin, y+24
		}
	}
	l := small
	for _, entry := range signs(s) {
		if entry.count == 0 {
			continue
		}
		fit(180)
		c.f("<g transform=\"translate(%d %d)\"><g class=\"key %s\">", x, y,
			appearanceOf(entry.host.Verdict).class+state(&entry.host))
		l.swatch(c, &entry.host)
		c.f("</g><text class=\"label\" x=\"48\" y=\"12\">%s <tspan class=\"dim\">%d</tspan></text></g>\n", entry.words,
			entry.count)
		x += 180
	}
	if x > margin {
		x, y = margin, y+24
	}
	if text := roleLetters(s); text != "" {
		for line := range strings.SplitSeq(text, "\n") {
			c.f("<text class=\"dim\" x=\"%d\" y=\"%d\">%s</text>\n", margin, y+12, escape(line))
			y += 18
		}
		y += 8
	}
	_, each := count(s, everyHost(s))
	for i := range s.Tenants {
		if i == tenantsShown {
			fit(tenantColumn)
			c.f("<text class=\"label\" x=\"%d\" y=\"%d\">and %d more clusters</text>\n", x, y+12, len(s.Tenants)-i)
			x += tenantColumn
			break
		}
		t := &s.Tenants[i]
		width := tenantColumn
		if tenantNote(t) != "" {
			width *= 2
		}
		fit(width)
		c.f("<g transform=\"translate(%d %d)\"><title>%s</title><g class=\"key%s\"><rect class=\"cell\" width=\"40\" height=\"16\" rx=\"2\"/>",
			x, y, escape(t.Name+"\n"+tenantCounts(t, &each[i])), fill(&Cell{Tenant: i}))
		l.weave(c, &Cell{Tenant: i}, 0, 0, 40, 16)
		c.f("<text class=\"tag mid\" x=\"20\" y=\"12\">%d</text></g>", i+1)
		c.f("<text class=\"label\" x=\"48\" y=\"12\">%s <tspan class=\"dim\">%d</tspan>", escape(text.Truncate(t.Name, 26)),
			each[i].used())
		if note := tenantNote(t); note != "" {
			c.f(" <tspan class=\"note\">%s</tspan>", escape(text.Truncate(note, 34)))
		}
		c.WriteString("</text></g>\n")
		x += width
	}
	if x > margin {
		y += 24
	}
	return y + 12, right
}

// swatch is an entry's cell, in no tenant's color.
func (l *form) swatch(c *canvas, h *Cell) {
	c.f("<rect class=\"cell\" width=\"40\" height=\"16\" rx=\"2\"/>")
	if h.Standby {
		c.f("<rect class=\"over\" fill=\"url(#hatch)\" width=\"40\" height=\"16\" rx=\"2\"/>")
	}
	if h.Verdict == schedule.NotEligible {
		c.f("<text class=\"tag mid\" x=\"20\" y=\"12\">×</text>")
	}
	if sign := mark(h); sign != "" {
		c.f("<circle class=\"badge\" cx=\"34\" cy=\"6\" r=\"5\"/><text class=\"sign\" x=\"34\" y=\"10\">%s</text>", sign)
	}
}
