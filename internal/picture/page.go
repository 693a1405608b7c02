package picture

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/airshipit/sipgen/internal/order"
	"github.com/airshipit/sipgen/internal/text"
)

//go:embed page.css
var style string

//go:embed page.js
var script string

// colors is how many fills there are, and weaves how many patterns over them, none included. Further tenants share
// both, and are told apart by their number.
const (
	colors = 8
	weaves = 4
)

// Above these numbers of hosts a page has smaller cells, and then leaves out names.
const (
	largeHosts = 150
	namedHosts = 600
)

// wideRack is the number of hosts above which a rack takes the width of the page.
const wideRack = 40

// mostNotes are shown at once; a click opens the others.
const mostNotes = 5

// page collects markup.
type page struct{ bytes.Buffer }

// f writes markup with a value for each %s, between tags or in a quoted attribute, and escapes values for both.
// Characters that are invisible, or that a terminal or a log would obey, become U+FFFD; "\n" divides the lines of a
// title. html/template would have the linker keep every method: docs/performance.md#size.
func (p *page) f(markup string, values ...string) {
	for _, value := range values {
		before, after, _ := strings.Cut(markup, "%s")
		p.WriteString(before)
		p.WriteString(html.EscapeString(text.Block(value)))
		markup = after
	}
	p.WriteString(markup)
}

// HTML draws the site as one page that needs no network: its hosts by row and rack, with a filter, a button for each
// cluster and state, keys to walk the hosts, and the same as a table. A rack can be chosen, to see what goes with it.
// What is filtered and chosen is in the page's address. Its
// content security policy allows its own style and script, by digest, and nothing else.
func HTML(site Drawing) []byte {
	s := &site
	var p page
	p.f(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'; `+
		`img-src data:; style-src '%s'; script-src '%s'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>%s</title>
`, digest(style), digest(script), heading(s))
	p.WriteString("<style>" + style + "</style>\n</head>\n<body>\n")
	p.header(s)
	p.controls(s)
	p.racks(s)
	p.losses(s)
	p.table(s)
	p.WriteString("<script>" + script + "</script>\n</body>\n</html>\n")
	return p.Bytes()
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (p *page) header(s *Drawing) {
	p.f("<header>\n<h1>%s</h1>\n<p class=\"sum\">%s</p>\n", heading(s), brief(s))
	if s.AsOf != "" {
		p.f("<p class=\"sum\">As of: %s</p>\n", s.AsOf)
	}
	first := s.Notes
	if len(s.Notes) > mostNotes+1 {
		first = s.Notes[:mostNotes]
	}
	p.notes("notes", first)
	if more := s.Notes[len(first):]; len(more) > 0 {
		p.f("<details class=\"more\">\n<summary>%s more</summary>\n", strconv.Itoa(len(more)))
		p.notes("notes", more)
		p.f("</details>\n")
	}
	if len(s.Changes) > 0 {
		p.notes("changes", s.Changes)
	}
	p.f("</header>\n")
}

func (p *page) notes(class string, notes []string) {
	p.f("<ul class=\"%s\">\n", class)
	for _, note := range notes {
		p.f("<li>%s</li>\n", note)
	}
	p.f("</ul>\n")
}

// controls are the filter and the legend: buttons that highlight.
func (p *page) controls(s *Drawing) {
	p.f(`<div class="controls" hidden>
<label>Filter <input id="filter" type="search" autocomplete="off" spellcheck="false" ` +
		`placeholder="name, rack, cluster, reason"></label>
<button id="clear" type="button">Show all</button> <output id="found" aria-live="polite"></output>
</div>
<div class="chips" role="group" aria-label="Host states">
`)
	all, each := count(s)
	for _, state := range states {
		if all[state.class] == 0 {
			continue
		}
		p.f(`<button type="button" class="chip" data-state="%s" aria-pressed="false">`, state.class)
		p.f(`<span class="host key %s" aria-hidden="true">`, state.class)
		p.signs(state.mark)
		if state.class == "off" {
			p.f("<span>×</span>")
		}
		p.f("</span>%s <b>%s</b></button>\n", state.words, strconv.Itoa(all[state.class]))
	}
	p.f("</div>\n<p class=\"sum\">%s</p>\n<div class=\"chips\" role=\"group\" aria-label=\"Clusters\">\n", roleLetters(s))
	for i := range s.Tenants {
		t := &s.Tenants[i]
		p.f(`<button type="button" class="chip" data-of="%s" aria-pressed="false" title="%s">`, t.Name,
			tenantCounts(t, each[i]))
		p.f(`<span class="host key %s"><span>%s</span></span>%s <b>%s</b>`, fill(i), strconv.Itoa(i+1), t.Name,
			strconv.Itoa(each[i].used()))
		if note := tenantNote(t); note != "" {
			p.f(" <em>%s</em>", note)
		}
		p.f("</button>\n")
	}
	p.f("</div>\n")
}

// fill returns the classes of a tenant's color and pattern.
func fill(tenant int) string {
	return "t" + strconv.Itoa(tenant%colors) + " w" + strconv.Itoa(tenant/colors%weaves)
}

func (p *page) signs(marks string) {
	if marks != "" {
		p.f("<i>%s</i>", marks)
	}
}

// rack is the hosts of one rack, and row is racks that stand together. A site without a row key has one, without name.
type (
	rack struct {
		name  string
		hosts []*Cell
	}
	row struct {
		name  string
		racks []*rack
	}
)

// rows groups the hosts: rows and racks in natural order, those without a label last.
func rows(s *Drawing) (out []row) {
	hosts := slices.Clone(s.Hosts)
	slices.SortStableFunc(hosts, func(a, b Cell) int {
		if c := blankLast(a.Row, b.Row); c != 0 {
			return c
		}
		return blankLast(a.Rack, b.Rack)
	})
	for i := range hosts {
		h := &hosts[i]
		if i == 0 || hosts[i-1].Row != h.Row {
			out = append(out, row{name: h.Row})
		}
		r := &out[len(out)-1]
		if len(r.racks) == 0 || hosts[i-1].Rack != h.Rack {
			r.racks = append(r.racks, &rack{name: h.Rack})
		}
		k := r.racks[len(r.racks)-1]
		k.hosts = append(k.hosts, h)
	}
	return out
}

func blankLast(a, b string) int {
	if c := order.Bool(a == "", b == ""); c != 0 {
		return c
	}
	return natural(a, b)
}

// racks draws the hosts, below the line that says what is under the pointer.
func (p *page) racks(s *Drawing) {
	size := "small"
	switch {
	case len(s.Hosts) <= largeHosts:
		size = "large"
	case len(s.Hosts) <= namedHosts:
		size = "medium"
	case len(s.Tenants) > 99:
		size = "small long"
	}
	p.f("<main>\n<div id=\"told\">\n<p id=\"about\" role=\"status\">Point at a cell to read about it. In the picture, " +
		"arrow keys go from one to the next.")
	if len(s.Racks) > 0 {
		p.f(" Click a %s to see its impact.</p>\n<ul id=\"lost\" role=\"status\" hidden></ul>\n",
			called(s.RackKey, "rack"))
	} else {
		p.f("</p>\n")
	}
	p.f("</div>\n")
	p.f("<div id=\"site\" class=\"%s\" role=\"group\" aria-label=\"%s, racks\">\n", size, heading(s))
	if len(s.Hosts) == 0 {
		p.f("<p class=\"sum\">The inventory has no hosts.</p>\n")
	}
	drawn := 0
	for _, r := range rows(s) {
		if s.RowKey != "" {
			p.f("<h2>%s</h2>\n", s.rowName(r.name))
		}
		p.f("<div class=\"racks\">\n")
		for _, k := range r.racks {
			class := "rack"
			if len(k.hosts) > wideRack {
				class += " wide"
			}
			p.f("<section class=\"%s\" aria-label=\"%s %s, %s\">\n", class, called(s.RackKey, "rack"), s.rackName(k.name),
				text.Count(len(k.hosts), "host"))
			if len(s.Racks) > 0 {
				p.f("<h3><button type=\"button\" class=\"choose\" data-rack=\"%s\" aria-pressed=\"false\" "+
					"title=\"See its impact\">%s</button></h3>\n", s.rackID(&s.Racks[drawn]), s.rackName(k.name))
			} else {
				p.f("<h3>%s</h3>\n", s.rackName(k.name))
			}
			drawn++
			p.f("<div class=\"hosts\">\n")
			for _, h := range k.hosts {
				p.host(s, h)
			}
			p.f("</div>\n</section>\n")
		}
		p.f("</div>\n")
	}
	p.f("</div>\n</main>\n")
}

// host draws one cell. Its title is the tooltip, and the text for a screen reader.
func (p *page) host(s *Drawing, h *Cell) {
	list := classes(h)
	p.f(`<div class="host %s`, strings.Join(list, " "))
	if h.Tenant >= 0 {
		p.f(` %s" data-of="%s`, fill(h.Tenant), s.Tenants[h.Tenant].Name)
	}
	_, short, _ := strings.Cut(h.Name, "/")
	tag, words := caption(s, h)
	p.f(`" data-host="%s" role="img" title="%s">`, h.Name, about(s, h))
	p.signs(marks(list))
	p.f("<b>%s</b>", short)
	if tag != "" {
		p.f("<span>%s</span> ", tag)
	}
	p.f("<small>%s</small></div>\n", words)
}

// rackID names a rack in the page and its address. No label has a slash.
func (s *Drawing) rackID(r *Rack) string {
	if s.RowKey == "" {
		return r.Name
	}
	return r.Row + "/" + r.Name
}

// losses is what goes with each rack, as a table. The script shows the line of the chosen one above the racks.
func (p *page) losses(s *Drawing) {
	if len(s.Racks) == 0 {
		return
	}
	p.f("<details id=\"losses\">\n<summary>Impact of a %s</summary>\n", called(s.RackKey, "rack"))
	p.f("<div class=\"scroll\">\n<table>\n<thead><tr>")
	if s.RowKey != "" {
		p.f("<th>%s</th>", title(called(s.RowKey, "row")))
	}
	p.f("<th>%s</th><th>Hosts</th><th>Lost</th></tr></thead>\n<tbody>\n", title(called(s.RackKey, "rack")))
	for i := range s.Racks {
		r := &s.Racks[i]
		p.f("<tr data-rack=\"%s\">", s.rackID(r))
		if s.RowKey != "" {
			p.f("<td>%s</td>", r.Row)
		}
		p.f("<td>%s</td><td>%s</td><td><ul class=\"more\">", s.rackName(r.Name), strconv.Itoa(r.Hosts))
		for _, loss := range r.Lost {
			p.f("<li data-of=\"%s\">%s</li>", loss.Cluster, loss.Words)
		}
		if len(r.Lost) == 0 {
			p.f("<li>no role loses an active host</li>")
		}
		p.f("</ul></td></tr>\n")
	}
	p.f("</tbody>\n</table>\n</div>\n</details>\n")
}

func (p *page) table(s *Drawing) {
	p.f("<details>\n<summary>Hosts as a table</summary>\n<div class=\"scroll\">\n<table>\n<thead><tr><th>Host</th>")
	// else the column would only take up room
	inRows := slices.ContainsFunc(s.Hosts, func(h Cell) bool { return h.Row != "" })
	if inRows {
		p.f("<th>%s</th>", title(called(s.RowKey, "row")))
	}
	p.f("<th>%s</th><th>Cluster</th><th>Role</th><th>Slot</th><th>State</th><th>Why</th></tr></thead>\n<tbody>\n",
		title(called(s.RackKey, "rack")))
	for i := range s.Hosts {
		h := &s.Hosts[i]
		tenant, slot := "", ""
		if h.Tenant >= 0 {
			tenant, slot = s.Tenants[h.Tenant].Name, "active"
			if h.Standby {
				slot = "standby"
			}
		}
		p.f("<tr data-for=\"%s\"><td>%s</td>", h.Name, h.Name)
		if inRows {
			p.f("<td>%s</td>", h.Row)
		}
		for _, value := range []string{h.Rack, tenant, h.Role, slot, verdict(h), h.Reason} {
			p.f("<td>%s</td>", value)
		}
		p.f("</tr>\n")
	}
	p.f("</tbody>\n</table>\n</div>\n</details>\n")
}

// title returns a word as the head of a column.
func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
