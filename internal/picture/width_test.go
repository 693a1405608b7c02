package picture

import (
	"fmt"
	"strings"
	"testing"
)

// TestFewRacksUseTheWidth: few racks get wider cells, as long as that makes no line more and fits a window; many stay as they are. No name runs into
// the sign of a host that is new.
func TestFewRacksUseTheWidth(t *testing.T) {
	site := func(racks, perRack int) *Site {
		s := &Site{RackKey: "rack"}
		for r := range racks {
			for h := range perRack {
				s.Hosts = append(s.Hosts, Host{Name: fmt.Sprintf("metal3/h%d-%d", r, h), Rack: fmt.Sprintf("r%03d", r), Tenant: -1})
			}
		}
		return s
	}
	for _, row := range []struct {
		racks, hosts, least, most int
	}{
		{1, 6, 320, 330}, {3, 4, 950, 1152}, {4, 6, 1100, 1152}, {6, 5, 1000, 1152}, {8, 15, 1200, 1440}, {6, 40, 800, 1152}, {100, 30, 1300, 1440},
	} {
		s := site(row.racks, row.hosts)
		usual, l := arrangeAs(formOf(len(s.Hosts)), s, 0), arrange(s, 0)
		if l.width < row.least || l.width > row.most || l.width < usual.width || l.height > usual.height {
			t.Errorf("%d racks of %d hosts: %d by %d, want %d to %d and no more than %d high", row.racks, row.hosts, l.width, l.height, row.least, row.most, usual.height)
		}
	}
	for wide := large.cellWidth; wide <= 2*large.cellWidth; wide++ {
		f := large
		f.cellWidth = wide
		const widest = 7.3 // pixels of a bold letter, in a browser
		if end := 7 + widest*float64(f.letters(20)); end > float64(wide-12-7) {
			t.Errorf("a cell of %d: a name ends at %.0f, and the sign begins at %d", wide, end, wide-12-7)
		}
	}
	if text := strings.Repeat("m", large.letters(20)); len(text) < 12 {
		t.Errorf("only %d letters of a name", len(text))
	}
}
