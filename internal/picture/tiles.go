package picture

import (
	"fmt"
	"slices"
	"strconv"
)

// The size of a rack's tile in pixels.
const (
	tileWidth  = 162
	tileHeight = 54
)

// tiles draws a tile per rack: its name, a bar of what its hosts are, and counts.
func tiles(c *canvas, s *Drawing, y int) (right, bottom int) {
	perLine := (pageWidth - 2*margin + gap) / (tileWidth + gap)
	for _, r := range rows(s) {
		if s.RowKey != "" {
			c.f("<text class=\"rowname\" x=\"%d\" y=\"%d\">%s</text>\n", margin, y+16, escape(rowName(r.name)))
			y += 26
		}
		for n, k := range r.racks {
			x := margin + n%perLine*(tileWidth+gap)
			if n > 0 && n%perLine == 0 {
				y += tileHeight + gap
			}
			tile(c, s, k, x, y)
		}
		y += tileHeight + gap
	}
	return pageWidth, y + gap
}

func tile(c *canvas, s *Drawing, k *rack, x, y int) {
	all, each := count(s, k.hosts)
	name := rackName(k.name)
	words := "rack " + name + "\n" + rackCounts(&all)
	for i := range each {
		if each[i].used() > 0 {
			words += fmt.Sprintf("\n%s %d", s.Tenants[i].Name, each[i].used())
		}
	}
	changes := strconv.Itoa(len(k.hosts))
	if all.releasing > 0 {
		changes = "−" + strconv.Itoa(all.releasing) + "  " + changes
	}
	if all.new > 0 {
		changes = "+" + strconv.Itoa(all.new) + "  " + changes
	}
	c.f("<g class=\"tile\" data-rack=\"%s\" data-count=\"%d\" role=\"img\" transform=\"translate(%d %d)\"><title>%s</title>", escape(k.name), len(k.hosts), x, y, escape(words))
	c.f("<rect class=\"frame\" width=\"%d\" height=\"%d\" rx=\"4\"/>", tileWidth, tileHeight)
	c.f("<text class=\"rackname left\" x=\"8\" y=\"15\">%s</text><text class=\"dim right\" x=\"%d\" y=\"15\">%s</text>",
		escape(truncateFront(name, 11)), tileWidth-8, changes)
	bar(c, s, k)
	c.f("<text class=\"tiny\" x=\"8\" y=\"47\">%d used, %d free, %d off</text></g>\n", all.used(), all.free, all.off)
}

func rackCounts(c *counts) string {
	return fmt.Sprintf("%d kept, %d new, %d release pending, %d released, %d free, %d not eligible", c.held, c.new,
		c.pending, c.releasing, c.free, c.off)
}

// bar draws the hosts of a rack as stretches of one color: tenants in order, then free, then not eligible.
func bar(c *canvas, s *Drawing, k *rack) {
	order := slices.Clone(k.hosts)
	slices.SortStableFunc(order, func(a, b int) int { return stretch(s, a) - stretch(s, b) })
	width := tileWidth - 16
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && stretch(s, order[to]) == stretch(s, order[from]) {
			to++
		}
		left, right := from*width/len(order), to*width/len(order)
		h := &s.Hosts[order[from]]
		kind := "held"
		if h.Tenant < 0 {
			kind = appearanceOf(h.Verdict).class
		}
		c.f("<g class=\"part %s%s\"", kind, fill(h))
		if h.Tenant >= 0 {
			c.f(" data-tenant=\"%d\"", h.Tenant)
		}
		c.f("><rect class=\"cell\" x=\"%d\" y=\"21\" width=\"%d\" height=\"14\"/>", 8+left, max(1, right-left))
		small.weave(c, h, 8+left, 21, max(1, right-left), 14)
		c.WriteString("</g>")
		from = to
	}
}

func stretch(s *Drawing, host int) int {
	h := &s.Hosts[host]
	switch {
	case h.Tenant >= 0:
		return h.Tenant
	case appearanceOf(h.Verdict).class == "free":
		return len(s.Tenants)
	}
	return len(s.Tenants) + 1
}
