package netplan

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strings"

	prettytext "github.com/jedib0t/go-pretty/v6/text"

	"github.com/airshipit/sipgen/internal/text"
)

// Measures of the picture, in pixels.
const (
	margin    = 16
	lineTall  = 18
	wrapTall  = 15
	barWide   = 300
	indent    = 10
	letters   = 90 // of a line of text beside a bar; what is longer goes on in the next line
	maxDrawn  = 400
	leastWide = 3.0
	leastPage = 1080
	mono      = 6.8 // a letter of a fixed width
	bold      = 8.0 // what no letter of a bold text is wider than, taken together
)

// frame is where the columns of the picture stand: as far apart as the longest text needs.
type frame struct{ barLeft, whatLeft, pageWide int }

// frameOf measures the rows that are drawn.
func frameOf(sections []section, head ...string) frame {
	where, what, page := 300.0, 0.0, leastPage
	for _, text := range head {
		page = max(page, 2*margin+int(1.5*bold*float64(prettytext.StringWidth(text))))
	}
	drawn := 0
	for i := range sections {
		s := &sections[i]
		page = max(page, 2*margin+int(1.2*bold*float64(prettytext.StringWidth(s.title()))))
		for n := range s.rows {
			if drawn++; drawn > maxDrawn {
				break
			}
			r := &s.rows[n]
			where = max(where, float64(r.depth*indent)+mono*float64(len(r.text())))
			for _, line := range r.label() {
				what = max(what, bold*float64(prettytext.StringWidth(line)))
			}
		}
	}
	f := frame{barLeft: margin + int(where) + 14}
	f.whatLeft = f.barLeft + barWide + 16
	f.pageWide = max(page, f.whatLeft+int(what)+margin)
	return f
}

// label is what a row is and whose, in lines.
func (r *row) label() []string {
	return strings.Split(text.Fold(text.Line(r.what()+" of "+r.whose()), letters, ""), "\n")
}

const svgStyle = `:root { color-scheme: light dark; --page: #ffffff; --fg: #1b1f24; --dim: #59636e; --line: #d5dbe1; --range: #cfe3f7; --rangeline: #3b7dbb; --site: #1f5a93; --tenant: #b35900; --host: #2c7a4b; --bad: #c00000; --badfill: #ffd7d3; --doubt: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --page: #14171b; --fg: #e8ecf1; --dim: #a2adb9; --line: #3a424b; --range: #1d3a56; --rangeline: #6fb1ee; --site: #8ec2ff; --tenant: #ffb266; --host: #7fd6a2; --bad: #ff6b60; --badfill: #552220; --doubt: #e3b341; } }
text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--fg); }
.page { fill: var(--page); } .h1 { font-size: 18px; font-weight: 600; } .h2 { font-size: 14px; font-weight: 600; }
.dim { fill: var(--dim); } .mono { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 11px; }
.track { stroke: var(--line); } .range { fill: var(--range); stroke: var(--rangeline); }
.site { fill: var(--site); } .tenant { fill: var(--tenant); } .host { fill: var(--host); }
.hard { fill: var(--bad); } .range.hard { fill: var(--badfill); stroke: var(--bad); stroke-width: 2; } .mild { fill: var(--doubt); } .range.mild { fill: var(--range); stroke: var(--doubt); stroke-width: 2; }
.say.hard { fill: var(--bad); font-weight: 600; } .say.mild { fill: var(--doubt); font-weight: 600; }
`

// gap is how far apart things are that are drawn on scales of their own.
func (s *section) gap() float64 {
	switch {
	case s.kind == Ports:
		return 2000
	case s.kind == Addresses && !s.wide:
		return 512
	}
	return 1 << 16
}

// distance from n to m, which is not before it.
func (n number) distance(m number) float64 {
	lo, hi := m.lo-n.lo, m.hi-n.hi
	if m.lo < n.lo {
		hi--
	}
	return float64(hi)*math.Exp2(64) + float64(lo)
}

// areas cuts a section where nothing is for long.
func (s *section) areas() [][]row {
	var out [][]row
	var end number
	for i := range s.rows {
		r := &s.rows[i]
		if i == 0 || end.compare(r.span().from) < 0 && end.distance(r.span().from) > s.gap() {
			out = append(out, nil)
			end = r.span().to
		}
		out[len(out)-1] = append(out[len(out)-1], *r)
		if end.compare(r.span().to) < 0 {
			end = r.span().to
		}
	}
	return out
}

// SVG is the plan as a picture: a line for each row of the table, with a bar where it is among its neighbours.
func (p *Plan) SVG() []byte {
	var body bytes.Buffer
	y := margin + 18
	sections, heading := p.sections(), "Network plan of "+text.Line(p.site.Name)
	at := frameOf(sections, heading)
	fmt.Fprintf(&body, "<text class=\"h1\" x=\"%d\" y=\"%d\">%s</text>\n", margin, y, html.EscapeString(heading))
	y += 20
	fmt.Fprintf(&body, "<text class=\"dim\" x=\"%d\" y=\"%d\">%s</text>\n", margin, y, p.summary())
	y = legend(&body, y+22)
	drawn, left := 0, 0
	for _, s := range sections {
		if drawn >= maxDrawn {
			left += len(s.rows)
			continue
		}
		y += 30
		fmt.Fprintf(&body, "<text class=\"h2\" x=\"%d\" y=\"%d\">%s</text>\n", margin, y, html.EscapeString(capital(s.title())))
		for _, area := range s.areas() {
			y += 8
			from, to := area[0].span().from, area[0].span().to
			for i := range area {
				if t := area[i].span().to; to.compare(t) < 0 {
					to = t
				}
			}
			for i := range area {
				if drawn >= maxDrawn {
					left++
					continue
				}
				drawn++
				y += lineTall
				y += wrapTall * area[i].draw(&body, at, y, from, from.distance(to)+1)
			}
		}
	}
	if left > 0 {
		y += 28
		fmt.Fprintf(&body, "<text class=\"dim\" x=\"%d\" y=\"%d\">and %d more rows: sipgen plan -o network lists them</text>\n", margin, y, left)
	}
	y += margin + 4
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img" aria-labelledby="title">`+"\n", at.pageWide, y)
	fmt.Fprintf(&out, "<title id=\"title\">Network plan of %s: %s</title>\n<style>\n%s</style>\n", html.EscapeString(text.Line(p.site.Name)), p.summary(), svgStyle)
	fmt.Fprintf(&out, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", at.pageWide, y)
	out.Write(body.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes()
}

func legend(out *bytes.Buffer, y int) int {
	x := margin
	for _, entry := range []struct {
		class, words string
		wide         int
	}{{"range", "given out one by one", 24}, {"site", "of the site's services", 8}, {"tenant", "of tenants", 8}, {"host", "of hosts", 8}, {"hard", "overlaps", 8}, {"mild", "doubtful", 8}} {
		fmt.Fprintf(out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"11\" rx=\"2\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
			entry.class, x, y-10, entry.wide, x+entry.wide+6, y, entry.words)
		x += entry.wide + 26 + 7*len(entry.words)
	}
	return y
}

func capital(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]-32) + s[1:]
	}
	return s
}

func (m mark) class() string { return [...]string{"", " mild", " hard"}[m] }

// draw draws the row's line, on a scale that begins at from, and says how many lines more its text has.
func (r *row) draw(out *bytes.Buffer, at frame, y int, from number, size float64) int {
	s := r.span()
	x := float64(at.barLeft) + barWide*from.distance(s.from)/size
	wide := max(leastWide, barWide*(s.from.distance(s.to)+1)/size)
	x = min(x, float64(at.barLeft)+barWide-wide)
	class := [...]string{"site", "tenant", "host"}[r.first.party()]
	if r.first.Use.gives() {
		class = "range"
	}
	class += r.at.class()
	label := r.label()
	fmt.Fprintf(out, "<g><title>%s</title><text class=\"mono\" x=\"%d\" y=\"%d\">%s</text>", html.EscapeString(r.text()+": "+strings.Join(label, " ")), margin+r.depth*indent, y,
		html.EscapeString(r.text()))
	fmt.Fprintf(out, "<path class=\"track\" d=\"M%d %d h%d\"/><rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"11\" rx=\"1.5\"/>", at.barLeft, y-4, barWide, class, x, y-10, wide)
	for i, line := range label {
		fmt.Fprintf(out, "<text class=\"say%s\" x=\"%d\" y=\"%d\">%s</text>", r.at.class(), at.whatLeft, y+i*wrapTall, html.EscapeString(line))
	}
	out.WriteString("</g>\n")
	return len(label) - 1
}
