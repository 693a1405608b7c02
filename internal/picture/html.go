package picture

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var script string

// HTML draws the site as one page that needs no network: the picture of SVG, with a filter, a button for each
// cluster, keys to walk the hosts, and the same as a table. Its content security policy allows its own style and
// script, by digest, and nothing else.
func HTML(site Drawing) []byte {
	s := &site
	css := "\n" + style + pageStyle
	js := "\n" + script
	var out canvas
	out.f("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	out.f("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src '%s'; script-src '%s'\">\n", digest(css), digest(js))
	out.f("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n")
	out.f("<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n", escape(heading(s)), css)
	out.f("<header>\n<h1>%s</h1>\n<p class=\"sum\">%s</p>\n", escape(heading(s)), escape(brief(s)))
	if len(s.Notes) > 0 {
		out.f("<ul class=\"notes\">\n")
		for i, note := range s.Notes {
			if i == mostNotes && len(s.Notes) > mostNotes+1 {
				out.f("</ul>\n<details class=\"more\">\n<summary>%d more</summary>\n<ul class=\"notes\">\n", len(s.Notes)-i)
			}
			out.f("<li>%s</li>\n", escape(note))
		}
		out.f("</ul>\n")
		if len(s.Notes) > mostNotes+1 {
			out.f("</details>\n")
		}
	}
	out.f("</header>\n")
	controls(&out, s)
	drawing(&out, s)
	if len(s.Hosts) > singleHosts {
		rackTable(&out, s)
	} else {
		hostTable(&out, s)
	}
	out.f("<script>%s</script>\n</body>\n</html>\n", js)
	return out.Bytes()
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// mostNotes are shown at once; a click opens the others.
const mostNotes = 5

// controls are the filter and the legend: buttons that highlight.
func controls(c *canvas, s *Drawing) {
	what := "name, rack, cluster, reason"
	if len(s.Hosts) > singleHosts {
		what = "rack, cluster"
	}
	c.f("<div class=\"controls\" hidden>\n<label>Filter <input id=\"filter\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" placeholder=\"%s\"></label> <button id=\"clear\" type=\"button\">Show all</button> <output id=\"found\" aria-live=\"polite\"></output>\n</div>\n", what)
	c.f("<div class=\"chips\" role=\"group\" aria-label=\"Host states\">\n")
	for _, entry := range signs(s) {
		if entry.count == 0 {
			continue
		}
		key := cmp.Or(strings.TrimSpace(state(&entry.host)), appearanceOf(entry.host.Verdict).class)
		c.f("<button type=\"button\" class=\"chip\" data-key=\"%s\" aria-pressed=\"false\"><svg width=\"42\" height=\"18\" viewBox=\"-1 -1 42 18\" aria-hidden=\"true\"><g class=\"key %s\">", key, appearanceOf(entry.host.Verdict).class+state(&entry.host))
		small.swatch(c, &entry.host)
		c.f("</g></svg>%s <b>%d</b></button>\n", entry.words, entry.count)
	}
	c.f("</div>\n<p class=\"sum\">%s</p>\n<div class=\"chips\" role=\"group\" aria-label=\"Clusters\">\n",
		escape(roleLetters(s)))
	_, each := count(s, everyHost(s))
	for i := range s.Tenants {
		t := &s.Tenants[i]
		c.f("<button type=\"button\" class=\"chip%s\" data-of=\"%d\" aria-pressed=\"false\" title=\"%s\"><span class=\"number w%d\">%d</span>%s <b>%d</b>", fill(&Cell{Tenant: i}), i, escape(tenantCounts(t, &each[i])), i/colors%weaves, i+1, escape(t.Name), each[i].used())
		if note := tenantNote(t); note != "" {
			c.f(" <em>%s</em>", escape(note))
		}
		c.f("</button>\n")
	}
	c.f("</div>\n")
}

// drawing is the racks, each an image of its own, so that they flow in a window of any width, and the line that says
// what is under the pointer.
func drawing(c *canvas, s *Drawing) {
	c.f("<main>\n<p id=\"about\" role=\"status\">Point at a cell to read about it. In the picture, arrow keys go from one to the next.</p>\n")
	c.f("<svg class=\"patterns\" width=\"0\" height=\"0\" aria-hidden=\"true\">\n%s</svg>\n", patterns)
	c.f("<div id=\"site\" class=\"scroll\" role=\"group\" aria-label=\"%s\">\n",
		escape(heading(s)+", racks. "+summary(s)))
	if len(s.Hosts) == 0 {
		c.f("<p class=\"sum\">%s</p>\n", noHosts)
	}
	l := arrange(s, 0)
	for i := range l.rows {
		r := &l.rows[i]
		c.f("<section class=\"row\">\n")
		if l.titled(s) {
			c.f("<h2>%s</h2>\n", escape(rowName(r.name)))
		}
		c.f("<div class=\"racks\">\n")
		for _, k := range r.racks {
			l.image(c, s, k)
		}
		c.f("</div>\n</section>\n")
	}
	c.f("</div>\n</main>\n")
}

// image is a rack by itself: its hosts, or in a picture of many hosts its tile.
func (l *layout) image(c *canvas, s *Drawing, k *rack) {
	const edge = 1 // of the frame's line
	k.x, k.y = edge, edge
	width, height := k.width, l.foot(k)
	tiled := len(s.Hosts) > singleHosts
	if tiled {
		width, height = tileWidth, tileHeight
	}
	c.f("<svg width=\"%[1]d\" height=\"%[2]d\" viewBox=\"0 0 %[1]d %[2]d\">\n", width+2*edge, height+2*edge)
	if tiled {
		tile(c, s, k, k.x, k.y)
	} else {
		l.rack(c, s, k)
	}
	c.f("</svg>\n")
}

func hostTable(c *canvas, s *Drawing) {
	c.f("<details>\n<summary>The same as a table</summary>\n<div class=\"scroll\">\n<table>\n<thead><tr><th>Host</th>")
	// else the column would only take up room
	inRows := slices.ContainsFunc(s.Hosts, func(h Cell) bool { return h.Row != "" })
	if inRows {
		c.f("<th>Row</th>")
	}
	c.f("<th>Rack</th><th>Cluster</th><th>Role</th><th>Slot</th><th>State</th><th>Why</th></tr></thead>\n<tbody>\n")
	for i := range s.Hosts {
		h := &s.Hosts[i]
		tenant, slot := "", ""
		if h.Tenant >= 0 {
			tenant, slot = s.Tenants[h.Tenant].Name, "active"
			if h.Standby {
				slot = "standby"
			}
		}
		c.f("<tr data-for=\"%s\"><td>%s</td>", escape(h.Name), escape(h.Name))
		if inRows {
			c.f("<td>%s</td>", escape(h.Row))
		}
		for _, value := range []string{h.Rack, tenant, h.Role, slot, appearanceOf(h.Verdict).words, h.Reason} {
			c.f("<td>%s</td>", escape(value))
		}
		c.f("</tr>\n")
	}
	c.f("</tbody>\n</table>\n</div>\n</details>\n")
}

func rackTable(c *canvas, s *Drawing) {
	c.f("<details>\n<summary>The same as a table</summary>\n<div class=\"scroll\">\n<table>\n<thead><tr><th>Row</th><th>Rack</th><th>Hosts</th><th>Kept</th><th>New</th><th>Release pending</th><th>Released</th><th>Free</th><th>Not eligible</th></tr></thead>\n<tbody>\n")
	for _, r := range rows(s) {
		for _, k := range r.racks {
			n, _ := count(s, k.hosts)
			c.f("<tr data-for=\"%s\"><td>%s</td><td>%s</td>", escape(k.name), escape(r.name), escape(rackName(k.name)))
			for _, value := range []int{len(k.hosts), n.held, n.new, n.pending, n.releasing, n.free, n.off} {
				c.f("<td>%s</td>", fmt.Sprint(value))
			}
			c.f("</tr>\n")
		}
	}
	c.f("</tbody>\n</table>\n</div>\n</details>\n")
}
