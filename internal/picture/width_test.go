package picture

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// TestFewRacksUseTheWidth: few racks get wider cells, as long as that makes no line more and fits a window; many stay as they are. No name runs into
// the sign of a host that is new.
func TestFewRacksUseTheWidth(t *testing.T) {
	site := func(racks, perRack int) *Drawing {
		s := &Drawing{RackKey: "rack"}
		for r := range racks {
			for h := range perRack {
				s.Hosts = append(s.Hosts, Cell{Name: fmt.Sprintf("metal3/h%d-%d", r, h), Rack: fmt.Sprintf("r%03d", r), Tenant: -1})
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

// TestTagsHaveRoom: in the smallest cells no tag runs into the sign of a host that is new, however many clusters there are.
func TestTagsHaveRoom(t *testing.T) {
	for _, clusters := range []int{9, 99, 120, 1200} {
		s := &Drawing{RackKey: "rack", Tenants: make([]Tenant, clusters)}
		for h := range 3000 {
			s.Hosts = append(s.Hosts, Cell{Name: fmt.Sprintf("metal3/h%d", h), Rack: fmt.Sprint(h % 80), Tenant: h % clusters, Role: "Worker", Verdict: schedule.Assigned})
		}
		l := arrange(s, 0)
		const widest = 7.0 // pixels of a bold letter, in a browser
		end := float64(l.cellWidth/2-6) + widest*float64(len(tag(&s.Hosts[clusters-1])))/2
		if begin := float64(l.cellWidth - 6 - 5); end > begin {
			t.Errorf("%d clusters: a tag ends at %.0f, and the sign begins at %.0f", clusters, end, begin)
		}
		if clusters < 100 && l.cellWidth != small.cellWidth {
			t.Errorf("%d clusters: cells of %d", clusters, l.cellWidth)
		}
	}
}

// TestTenantsInNaturalOrder: the legend has c2 before c10.
func TestTenantsInNaturalOrder(t *testing.T) {
	p := &schedule.Placement{}
	for _, name := range []string{"c1", "c10", "c11", "c2"} {
		p.Clusters = append(p.Clusters, schedule.Cluster{Key: schedule.ClusterKey{Namespace: "t", Name: name}})
	}
	p.Hosts = append(p.Hosts, schedule.HostLine{Host: &inventory.Host{Namespace: "m", Name: "h"}, Verdict: schedule.Held, Cluster: schedule.ClusterKey{Namespace: "t", Name: "c10"}, Role: "Worker"})
	s := Of(p, Options{})
	var names []string
	for _, tenant := range s.Tenants {
		names = append(names, tenant.Name)
	}
	if got := strings.Join(names, " "); got != "t/c1 t/c2 t/c10 t/c11" || s.Tenants[s.Hosts[0].Tenant].Name != "t/c10" {
		t.Errorf("found %s, and the host is in %s", got, s.Tenants[s.Hosts[0].Tenant].Name)
	}
}
