package picture

import (
	"slices"
	"unicode/utf8"

	"github.com/airshipit/sipgen/internal/order"
)

// Above these numbers of hosts a picture has smaller cells, then leaves out names, and then single hosts.
const (
	largeHosts  = 150
	namedHosts  = 600
	singleHosts = 5000
)

// width of a picture in pixels. A site with a single long rack name or few racks is narrower.
const (
	pageWidth = 1440
	margin    = 24
	gap       = 12 // between racks
	headroom  = 22 // for a rack's name
	// window is how wide a browser's window is at least, most likely: what is narrower gets wider cells, up to twice the
	// width.
	window = 1200
)

// form is the size of a picture's parts in pixels.
type form struct {
	cellWidth, cellHeight, space int
	rackMin                      int // width of a rack
	tall                         int // hosts on top of each other before a rack gets a second column
	name                         int // letters of a rack's name that fit in rackMin
	named                        bool
	lines                        int // of text in a cell
}

var (
	large  = form{cellWidth: 156, cellHeight: 38, space: 4, rackMin: 156, tall: 40, name: 22, named: true, lines: 2}
	medium = form{cellWidth: 136, cellHeight: 18, space: 2, rackMin: 136, tall: 40, name: 19, named: true, lines: 1}
	small  = form{cellWidth: 40, cellHeight: 16, space: 2, rackMin: 54, tall: 40, name: 7}
)

// letters returns how many of a host's name fit into a cell, beside what else stands on its line.
func (f *form) letters(beside int) int {
	const letter = 7.3 // pixels, bold
	return max(4, int(float64(f.cellWidth-8-beside)/letter))
}

func formOf(hosts int) form {
	switch {
	case hosts <= largeHosts:
		return large
	case hosts <= namedHosts:
		return medium
	}
	return small
}

// formFor returns formOf, with cells in which the longest tag has room beside the sign of what this run does.
func formFor(s *Drawing) form {
	f := formOf(len(s.Hosts))
	if f.named {
		return f
	}
	longest := 0
	for i := range s.Hosts {
		longest = max(longest, utf8.RuneCountInString(tag(&s.Hosts[i])))
	}
	const letter, sign, air = 7.3, 12, 5 // pixels, bold
	wide := max(f.cellWidth, int(letter*float64(longest))+sign+air)
	f.rackMin, f.cellWidth = f.rackMin+wide-f.cellWidth, wide
	return f
}

// rack is the hosts of one rack, and where it stands.
type rack struct {
	name  string
	hosts []int // indices in Site.Hosts
	x, y  int
	width int
	// columns of cells, and cells in each.
	columns, tall int
}

// row is racks that stand together. A site without a row key has one, without a name.
type row struct {
	name  string
	racks []*rack
	x, y  int // of the row's name
	width int // of its first line of racks
}

// layout is the position of everything.
type layout struct {
	form
	rows          []row
	width, height int // used, from the margin's left to the last rack's foot
}

// rows groups the hosts: rows and racks in natural order, those without a label last.
func rows(s *Drawing) []row {
	type place struct{ row, rack string }
	racks := map[place]*rack{}
	names := map[string][]*rack{}
	var order []string
	for i := range s.Hosts {
		at := place{s.Hosts[i].Row, s.Hosts[i].Rack}
		if racks[at] == nil {
			racks[at] = &rack{name: at.rack}
			if names[at.row] == nil {
				order = append(order, at.row)
			}
			names[at.row] = append(names[at.row], racks[at])
		}
		racks[at].hosts = append(racks[at].hosts, i)
	}
	slices.SortFunc(order, blankLast)
	var out []row
	for _, name := range order {
		slices.SortFunc(names[name], func(a, b *rack) int { return blankLast(a.name, b.name) })
		out = append(out, row{name: name, racks: names[name]})
	}
	return out
}

func blankLast(a, b string) int {
	if c := order.Bool(a == "", b == ""); c != 0 {
		return c
	}
	return natural(a, b)
}

// arrange places rows and their racks side by side from the top, and begins a new line where the page ends.
// Few racks get wider cells, so that they use the width and long names have room; no line more for that.
func arrange(s *Drawing, top int) *layout {
	usual := formFor(s)
	l := arrangeAs(usual, s, top)
	if !usual.named || l.width > window-2*margin {
		return l
	}
	const step = 4
	for wide := 2 * usual.cellWidth; wide > usual.cellWidth; wide -= step {
		form := usual
		form.cellWidth, form.rackMin, form.name = wide, wide, usual.name*wide/usual.cellWidth
		if wider := arrangeAs(form, s, top); wider.width <= window-2*margin && wider.height <= l.height {
			return wider
		}
	}
	return l
}

// arrangeAs returns arrange with parts of a given size.
func arrangeAs(form form, s *Drawing, top int) *layout {
	l := &layout{form: form, rows: rows(s)}
	title := 0
	if l.titled(s) {
		title = 26
	}
	const end = pageWidth - margin
	x, y, line := margin, top, 0
	for i := range l.rows {
		r := &l.rows[i]
		wide := 0
		for _, k := range r.racks {
			l.size(k, end-margin)
			wide += k.width + gap
		}
		if x > margin && x+wide-gap > end {
			x, y, line = margin, y+line+gap, 0
		}
		r.x, r.y = x, y
		for _, k := range r.racks {
			if x > r.x && x+k.width > end { // a row that is wider than the page
				x, y, line = margin, y+line+gap, 0
			}
			k.x, k.y = x, y
			if y == r.y {
				k.y += title
			}
			line = max(line, k.y-y+headroom+k.tall*(l.cellHeight+l.space)+6)
			x += k.width + gap
			if y == r.y {
				r.width = x - r.x
			}
			l.width = max(l.width, x-gap-margin)
		}
		x += 2 * gap
	}
	l.height = y + line + gap
	return l
}

// titled reports whether rows have headings.
func (l *layout) titled(s *Drawing) bool { return s.RowKey != "" }

func (l *layout) size(k *rack, room int) {
	step := l.cellWidth + l.space
	most := max(1, (room-2*l.space)/step)
	k.columns = min(most, (len(k.hosts)+l.tall-1)/l.tall)
	k.tall = (len(k.hosts) + k.columns - 1) / k.columns
	k.width = max(l.rackMin+2*l.space, k.columns*step+l.space)
}

// foot returns how far a rack's lower edge is below its upper one.
func (l *layout) foot(k *rack) int { return headroom + k.tall*(l.cellHeight+l.space) + 2 }

// cell returns the corner of a rack's nth host.
func (l *layout) cell(k *rack, n int) (x, y int) {
	inner := k.columns*(l.cellWidth+l.space) - l.space
	x = k.x + (k.width-inner)/2 + n/k.tall*(l.cellWidth+l.space)
	return x, k.y + headroom + n%k.tall*(l.cellHeight+l.space)
}
