package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// sizes has one of each form: with names, without, and a tile per rack.
var sizes = []int{0, 1, 10, largeHosts, largeHosts + 1, namedHosts, namedHosts + 1, 2000, singleHosts, singleHosts + 1}

func TestSVGIsXML(t *testing.T) {
	for _, n := range sizes {
		wellFormed(t, SVG(Of(fake(n), Options{Name: "lab"})))
	}
}

func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryHostIsThereOnce(t *testing.T) {
	for _, n := range sizes {
		site := Of(fake(n), Options{})
		for form, text := range map[string]string{"svg": string(SVG(site)), "html": string(HTML(site))} {
			if n > singleHosts {
				if found := strings.Count(text, "data-host="); found != 0 {
					t.Errorf("%s of %d hosts: found %d single hosts, want tiles", form, n, found)
				}
				continue
			}
			shown := map[string]int{}
			for _, part := range strings.Split(text, `data-host="`)[1:] {
				name, _, _ := strings.Cut(part, `"`)
				shown[name]++
			}
			for i := range site.Hosts {
				if found := shown[site.Hosts[i].Name]; found != 1 {
					t.Errorf("%s of %d hosts: found %s %d times, want once", form, n, site.Hosts[i].Name, found)
				}
			}
			if len(shown) != n {
				t.Errorf("%s: found %d hosts, want %d", form, len(shown), n)
			}
		}
	}
}

func TestSameBytesInAnyOrder(t *testing.T) {
	p := fake(300)
	want := HTML(Of(p, Options{}))
	slices.Reverse(p.Hosts)
	if !bytes.Equal(want, HTML(Of(p, Options{}))) {
		t.Error("the page depends on the order of hosts")
	}
}

func TestCellsDoNotOverlap(t *testing.T) {
	for _, n := range sizes {
		if n == 0 {
			continue
		}
		site := Of(fake(n), Options{})
		l := arrange(&site, 100)
		taken := map[[2]int]bool{}
		for _, r := range l.rows {
			for _, k := range r.racks {
				for i := range k.hosts {
					x, y := l.cell(k, i)
					if taken[[2]int{x, y}] {
						t.Errorf("%d hosts: two cells at %d,%d", n, x, y)
					}
					taken[[2]int{x, y}] = true
					if x < k.x || x+l.cellWidth > k.x+k.width || x+l.cellWidth > pageWidth || y+l.cellHeight > l.height {
						t.Errorf("%d hosts: a cell at %d,%d outside of rack %q", n, x, y, k.name)
					}
				}
			}
		}
	}
}

// TestHostileWords: nothing from outside becomes markup.
func TestHostileWords(t *testing.T) {
	const bad = `<script>alert(1)</script>"' onload="alert(2)" ]]> &amp; --> </title></style>` + "\x00\x1b\xff\u2028"
	p := &schedule.Placement{
		Clusters: []schedule.Cluster{{
			Key:      schedule.ClusterKey{Namespace: bad, Name: bad},
			Roles:    []schedule.Role{{Name: bad, TopologyKeys: []string{"row", "rack"}, ShortActive: 1}, {Name: "x", TopologyKeys: []string{"rack"}}},
			Warnings: []schedule.Warning{schedule.AddressProblem{Problem: bad}},
		}},
		Shortages: []schedule.Shortage{{Roles: []schedule.RoleKey{{Role: bad}}}},
	}
	for i, verdict := range []schedule.Verdict{schedule.Held, schedule.NotEligible, schedule.Verdict(bad)} {
		host := &inventory.Host{Namespace: bad, Name: bad + string(rune('a'+i)), Labels: map[string]string{"rack": bad, "row": bad}}
		line := schedule.HostLine{Host: host, Verdict: verdict, Reason: schedule.Condition{Why: holdings.Why{Code: holdings.InError}, Message: bad}}
		if i == 0 {
			line.Cluster, line.Role = p.Clusters[0].Key, bad
		}
		p.Hosts = append(p.Hosts, line)
	}
	site := Of(p, Options{Name: bad, WhatIf: []string{bad}})
	small := site
	for range namedHosts + 1 { // without names
		small.Hosts = append(small.Hosts, site.Hosts[0])
	}
	large := small
	for range singleHosts {
		large.Hosts = append(large.Hosts, site.Hosts[0])
	}
	for _, s := range []Drawing{site, small, large} {
		svg, page := SVG(s), HTML(s)
		wellFormed(t, svg)
		for form, text := range map[string]string{"svg": string(svg), "html": string(page)} {
			scripts := 0
			if form == "html" {
				scripts = 1 // our own
			}
			if found := strings.Count(text, "<script"); found != scripts {
				t.Errorf("%s: found %d scripts, want %d", form, found, scripts)
			}
			if strings.Contains(text, `" onload=`) || strings.ContainsAny(text, "\x00\x1b") {
				t.Errorf("%s: a value escaped its attribute, or control characters", form)
			}
		}
	}
}

func TestKeys(t *testing.T) {
	hosts := []schedule.HostLine{}
	for i, name := range []string{"a", "b", "c"} {
		half := []string{"x", "x", "y"}[i]
		hosts = append(hosts, schedule.HostLine{Host: &inventory.Host{Name: name, Labels: map[string]string{"row": "1", "rack": "7", "bay": "7", "node": name, "half": half}}})
	}
	for _, test := range []struct {
		why       string
		roles     [][]string
		rack, row string
	}{
		{"no topology at all", nil, "", ""},
		{"the only key", [][]string{{"rack"}}, "rack", ""},
		{"a host's name is no rack while there is another", [][]string{{"node"}, {"node"}, {"rack"}}, "rack", ""},
		{"a host's name is better than nothing", [][]string{{"node"}}, "node", ""},
		{"the most common", [][]string{{"row", "rack"}, {"rack"}}, "rack", "row"},
		{"equally common: the widest", [][]string{{"row", "bay"}}, "row", ""},
		{"a key that is called so is the rack", [][]string{{"row", "rack"}}, "rack", "row"},
		{"equally common and first in their roles: the one with fewer values", [][]string{{"half"}, {"row"}}, "row", ""},
	} {
		p := &schedule.Placement{Hosts: hosts, Clusters: []schedule.Cluster{{}}}
		for _, keys := range test.roles {
			p.Clusters[0].Roles = append(p.Clusters[0].Roles, schedule.Role{TopologyKeys: keys})
		}
		if site := Of(p, Options{}); site.RackKey != test.rack || site.RowKey != test.row {
			t.Errorf("%s: found rack %q, row %q, want %q, %q", test.why, site.RackKey, site.RowKey, test.rack, test.row)
		}
	}
}

func TestNatural(t *testing.T) {
	want := []string{"a", "n1", "n02", "n2", "n10", "n10b", "n11", "o"}
	found := slices.Clone(want)
	slices.Reverse(found)
	slices.SortFunc(found, natural)
	if !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

// TestSigns: what fails, changes or is left out is seen in a cell, in the legend and in the sums.
func TestSigns(t *testing.T) {
	p := fake(30)
	gone := inventory.Host{Namespace: "metal3", Name: "node-00099", Labels: map[string]string{"lab.example.org/rack": "r1", "lab.example.org/row": "A"}}
	site := Of(p, Options{Removed: []inventory.Host{gone}})
	for form, text := range map[string]string{"svg": string(SVG(site)), "html": string(HTML(site))} {
		for _, want := range []string{
			`class="host held failed`, `class="host held promoted`, `class="host held standby demoted`, `class="host gone" data-host="metal3/node-00099"`,
			">failed ", ">promoted ", ">now standby ", ">left out ", "left out: by --without", "in error (power management error); held", "promoted from standby; held",
			"the warning of nobody", "warning: tenant-a/edge-01: ",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q", form, want)
			}
		}
	}
	// A host may have failed and be something else in the same run, which a stylesheet's last rule decides: the frame of a failure stays.
	failed := strings.Index(style, "svg .failed .cell {")
	for _, other := range []string{"svg .new .cell {", "svg .pending .cell {", "svg .releasing .cell {", "svg .demoted .cell {"} {
		if at := strings.Index(style, other); at < 0 || at > failed {
			t.Errorf("the rule %s at %d is not before that of failed hosts at %d", other, at, failed)
		}
	}
	many := string(SVG(Of(fake(300), Options{})))
	for _, want := range []string{`>node-00300</text>`, `url(#w1)`} {
		if !strings.Contains(many, want) {
			t.Errorf("300 hosts of 12 clusters: no %q", want)
		}
	}
}
