package picture

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

//go:embed style.css
var style string

// patterns lie over a tenant's color: the hatch of standby hosts, and what tells tenants of one color apart.
const patterns = `<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch" width="2" height="6"/></pattern>` +
	`<pattern id="w1" width="6" height="6" patternUnits="userSpaceOnUse"><circle class="weft" cx="3" cy="3" r="1.3"/></pattern>` +
	`<pattern id="w2" width="6" height="5" patternUnits="userSpaceOnUse"><rect class="weft" width="6" height="1.5"/></pattern>` +
	`<pattern id="w3" width="5" height="6" patternUnits="userSpaceOnUse"><rect class="weft" width="1.5" height="6"/></pattern></defs>
`

// canvas collects a drawing.
type canvas struct{ bytes.Buffer }

func (c *canvas) f(format string, values ...any) { fmt.Fprintf(c, format, values...) }

// SVG draws the site as an image that needs nothing else: heading, legend, and racks with their hosts.
// Up to 2,500 hosts each host is a cell; a larger site is a tile per rack, with counts.
// Every host's cell has a title with its name, place, slot and reason.
func SVG(site Drawing) []byte {
	var body canvas
	bottom, width := legend(&body, &site)
	right, bottom := racks(&body, &site, bottom)
	width = max(width, right)

	var out canvas
	out.f(`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img" aria-labelledby="title desc">`+"\n", width, bottom)
	out.f("<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", escape(heading(&site)),
		escape(description(&site)))
	out.f("<style>\n%s</style>\n", style)
	out.WriteString(patterns)
	out.f("<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", width, bottom)
	out.Write(body.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes()
}

func description(s *Drawing) string {
	parts := []string{summary(s) + "."}
	_, each := count(s, everyHost(s))
	for i := range s.Tenants {
		if i == 40 {
			parts = append(parts, fmt.Sprintf("And %d more clusters.", len(s.Tenants)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%d: %s, %s.", i+1, s.Tenants[i].Name, tenantCounts(&s.Tenants[i], &each[i])))
	}
	return strings.Join(append(parts, s.Notes...), "\n")
}

func tenantCounts(t *Tenant, c *counts) string {
	text := text.Count(c.used(), "host")
	if c.standby > 0 {
		text += fmt.Sprintf(" (%d standby)", c.standby)
	}
	if c.new > 0 {
		text += fmt.Sprintf(", %d new", c.new)
	}
	if c.pending > 0 {
		text += fmt.Sprintf(", %d release pending", c.pending)
	}
	if c.releasing > 0 {
		text += fmt.Sprintf(", %d released", c.releasing)
	}
	if c.failed > 0 {
		text += fmt.Sprintf(", %d failed", c.failed)
	}
	if note := tenantNote(t); note != "" {
		text += ", " + note
	}
	for _, limits := range t.Limits {
		text += ", " + limits
	}
	return text
}

const noHosts = "The inventory has no hosts."

// racks draws the racks below y, and gives the right and the lower edge of the image.
func racks(c *canvas, s *Drawing, y int) (right, bottom int) {
	if len(s.Hosts) == 0 {
		c.f(`<text class="dim" x="%d" y="%d">%s</text>`+"\n", margin, y+14, noHosts)
		return 0, y + margin + 14
	}
	if len(s.Hosts) > singleHosts {
		return tiles(c, s, y)
	}
	l := arrange(s, y)
	for i := range l.rows {
		r := &l.rows[i]
		c.f("<g class=\"row\" role=\"list\" aria-label=\"%s\">\n", escape(rowName(r.name)))
		if l.titled(s) {
			c.f("<text class=\"rowname\" x=\"%d\" y=\"%d\">%s</text>\n", r.x, r.y+16,
				escape(text.Truncate(rowName(r.name), max(8, r.width/8))))
		}
		for _, k := range r.racks {
			l.rack(c, s, k)
		}
		c.WriteString("</g>\n")
	}
	return l.width + 2*margin, l.height + gap
}

func (l *layout) rack(c *canvas, s *Drawing, k *rack) {
	name := rackName(k.name)
	c.f("<g class=\"rack\" data-rack=\"%s\"><title>%s</title>\n", escape(k.name),
		escape("rack "+name+", "+text.Count(len(k.hosts), "host")))
	if k.name == "" {
		c.f("<g class=\"norack\">")
	}
	c.f("<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>", k.x, k.y, k.width, l.foot(k))
	c.f("<text class=\"rackname\" x=\"%d\" y=\"%d\">%s</text>", k.x+k.width/2, k.y+15,
		escape(truncateFront(name, l.name*k.width/l.rackMin)))
	if k.name == "" {
		c.f("</g>")
	}
	c.WriteByte('\n')
	var names []string
	for _, i := range k.hosts {
		names = append(names, shortName(&s.Hosts[i]))
	}
	most := l.letters(badgeRoom(&Cell{Failed: true}))
	if l.lines == 1 {
		most = l.fineLetters()
	}
	cut := shorten(names, most)
	for n, i := range k.hosts {
		x, y := l.cell(k, n)
		l.host(c, s, i, x, y, cut)
	}
	c.WriteString("</g>\n")
}

// host draws one cell. Its title is the tooltip, and the text for a screen reader.
func (l *layout) host(c *canvas, s *Drawing, i, x, y int, cut func(name string, n int) string) {
	h := &s.Hosts[i]
	words := escape(about(s, h))
	c.f("<g class=\"host %s%s%s\" data-host=\"%s\"", appearanceOf(h.Verdict).class, state(h), fill(h), escape(h.Name))
	if h.Tenant >= 0 {
		c.f(" data-tenant=\"%d\"", h.Tenant)
	}
	c.f(" role=\"img\" transform=\"translate(%d %d)\"><title>%s</title>", x, y, words)
	c.f("<rect class=\"cell\" width=\"%d\" height=\"%d\" rx=\"2\"/>", l.cellWidth, l.cellHeight)
	l.weave(c, h, 0, 0, l.cellWidth, l.cellHeight)
	if h.Standby {
		c.f("<rect class=\"over\" fill=\"url(#hatch)\" width=\"%d\" height=\"%d\" rx=\"2\"/>", l.cellWidth, l.cellHeight)
	}
	switch {
	case l.lines == 1:
		l.oneLine(c, h, cut)
	case l.named:
		c.f("<text class=\"name\" x=\"7\" y=\"16\">%s</text>", escape(cut(shortName(h), l.letters(badgeRoom(h)))))
		c.f("<text class=\"tag\" x=\"7\" y=\"31\">%s</text>", escape(caption(s, h, 21*l.cellWidth/large.cellWidth)))
		l.badge(c, h, l.cellWidth-12, 12, 7)
	default:
		if text := tag(h); text != "" {
			middle := l.cellWidth / 2
			if mark(h) != "" {
				middle -= 6 // beside the badge
			}
			c.f("<text class=\"tag mid\" x=\"%d\" y=\"12\">%s</text>", middle, escape(text))
		}
		l.badge(c, h, l.cellWidth-6, 6, 5)
	}
	c.WriteString("</g>\n")
}

// shortName returns a host's name without its namespace.
func shortName(h *Cell) string {
	_, short, _ := strings.Cut(h.Name, "/")
	return short
}

// fineLetters returns how many letters a name has room for in a cell of one line.
func (l *form) fineLetters() int { return 12 + (l.cellWidth-medium.cellWidth)/7 }

// oneLine is a cell's text in one line: as much of the name as fits, and on the right the tag.
func (l *layout) oneLine(c *canvas, h *Cell, cut func(name string, n int) string) {
	c.f("<text class=\"name fine\" x=\"5\" y=\"13\">%s</text>", escape(cut(shortName(h), l.fineLetters())))
	end := l.cellWidth - 5
	if mark(h) != "" {
		end -= 12
	}
	if text := tag(h); text != "" {
		c.f("<text class=\"tag right\" x=\"%d\" y=\"13\">%s</text>", end, escape(text))
	}
	l.badge(c, h, l.cellWidth-8, 9, 6)
}

// weave lays a pattern over the cell of a tenant whose color another one has too.
func (l *form) weave(c *canvas, h *Cell, x, y, width, height int) {
	if n := h.Tenant / colors % weaves; h.Tenant >= 0 && n > 0 && h.Verdict != schedule.Releasing {
		c.f("<rect class=\"weave\" fill=\"url(#w%d)\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\"/>", n, x, y,
			width, height)
	}
}

// badge marks what this run does: a disc with a sign.
func (l *form) badge(c *canvas, h *Cell, x, y, radius int) {
	if sign := mark(h); sign != "" {
		c.f("<circle class=\"badge\" cx=\"%d\" cy=\"%d\" r=\"%d\"/><text class=\"sign\" x=\"%d\" y=\"%d\">%s</text>", x, y,
			radius, x, y+4, sign)
	}
}

// badgeRoom returns what the badge of a large cell takes of the name's line.
func badgeRoom(h *Cell) int {
	if mark(h) == "" {
		return 0
	}
	return 20
}

// caption returns a large cell's second line.
func caption(s *Drawing, h *Cell, letters int) string {
	switch {
	case h.Tenant >= 0:
		_, name, _ := strings.Cut(s.Tenants[h.Tenant].Name, "/")
		return text.Truncate(tag(h)+" "+name, letters)
	case h.Verdict == schedule.NotEligible:
		return text.Truncate("× "+h.Reason, letters+1)
	}
	return appearanceOf(h.Verdict).words
}

// state returns the classes of a host's state besides its verdict.
func state(h *Cell) string {
	var classes string
	for _, ok := range []struct {
		class string
		true  bool
	}{{"standby", h.Standby}, {"failed", h.Failed}, {"promoted", h.Promoted}, {"demoted", h.Demoted}} {
		if ok.true {
			classes += " " + ok.class
		}
	}
	return classes
}

func fill(h *Cell) string {
	if h.Tenant < 0 {
		return ""
	}
	return " t" + strconv.Itoa(h.Tenant%colors)
}
