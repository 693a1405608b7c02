package picture

import (
	"bytes"
	_ "embed"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryHostIsThereOnce(t *testing.T) {
	for _, n := range []int{0, 1, largeHosts, largeHosts + 1, namedHosts, namedHosts + 1, 5000} {
		site := Of(fake(n), Options{})
		text := string(HTML(site))
		assert.NotContains(t, text, "%s", "a value is missing")
		for _, attribute := range []string{`data-host="`, `data-for="`} {
			shown := map[string]int{}
			for _, part := range strings.Split(text, attribute)[1:] {
				name, _, _ := strings.Cut(part, `"`)
				shown[name]++
			}
			for i := range site.Hosts {
				found := shown[site.Hosts[i].Name]
				assert.Truef(t, found == 1, "%d hosts: found %s%s %d times, want once", n, attribute,
					site.Hosts[i].Name, found)
			}
			assert.Truef(t, len(shown) == n && len(site.Hosts) == n, "%s: found %d hosts, want %d", attribute,
				len(shown), n)
		}
	}
}

func TestSameBytesInAnyOrder(t *testing.T) {
	p := fake(300)
	want := HTML(Of(p, Options{}))
	slices.Reverse(p.Hosts)
	assert.Truef(t, bytes.Equal(want, HTML(Of(p, Options{}))), "the page depends on the order of hosts")
}

// TestHostileWords: nothing from outside becomes markup.
func TestHostileWords(t *testing.T) {
	const bad = `<script>alert(1)</script>"' onload="alert(2)" ]]> &amp; --> </title></style>` + "\x00\x1b\xff\u2028"
	p := &schedule.Placement{
		Clusters: []schedule.Cluster{{
			Key: schedule.ClusterKey{Namespace: bad, Name: bad},
			Roles: []schedule.Role{{Name: bad, TopologyKeys: []string{"row", "rack"}, ShortActive: 1},
				{Name: "x", TopologyKeys: []string{"rack"}}},
			Warnings: []schedule.Warning{schedule.AddressProblem{Problem: bad}},
		}},
		Shortages: []schedule.Shortage{{Roles: []schedule.RoleKey{{Role: bad}}}},
	}
	for i, verdict := range []schedule.Verdict{schedule.Held, schedule.NotEligible, schedule.Verdict(bad)} {
		host := &inventory.Host{Namespace: bad, Name: bad + string(rune('a'+i)),
			Labels: map[string]string{"rack": bad, "row": bad}}
		line := schedule.HostLine{Host: host, Verdict: verdict,
			Reason: schedule.Condition{Why: holdings.Why{Code: holdings.InError}, Message: bad}}
		if i == 0 {
			line.Cluster, line.Role = p.Clusters[0].Key, bad
		}
		p.Hosts = append(p.Hosts, line)
	}
	site := Of(p, Options{Name: bad, AsOf: bad, WhatIf: []string{bad}})
	for i := range site.Tenants {
		site.Tenants[i].Limits = []string{bad}
	}
	if page := string(HTML(site)); strings.Count(page, "alert(1)") < 30 ||
		strings.ContainsAny(page, "\x00\x1b\u2028") || !utf8.ValidString(page) {
		t.Errorf("the words are there %d times, or control characters are", strings.Count(page, "alert(1)"))
	}
	assert.Equal(t, markup(t, plain(site)), markup(t, site))
}

// plain returns a site with "x" in place of each text from outside.
func plain(s Drawing) Drawing {
	s.Name, s.AsOf, s.RowKey, s.RackKey = "x", "x", "x", "x"
	s.Notes, s.Tenants, s.Hosts = slices.Clone(s.Notes), slices.Clone(s.Tenants), slices.Clone(s.Hosts)
	for i := range s.Notes {
		s.Notes[i] = "x"
	}
	for i := range s.Tenants {
		s.Tenants[i].Name, s.Tenants[i].Limits = "x", []string{"x"}
	}
	for i := range s.Hosts {
		h := &s.Hosts[i]
		h.Name, h.Rack, h.Row, h.Role, h.Reason = "x", "x", "x", "x", "x"
	}
	return s
}

// markup returns the elements of a page with the names of their attributes, as a parser that forgives reads them.
func markup(t *testing.T, s Drawing) string {
	t.Helper()
	page := strings.NewReplacer(style, "", script, "").Replace(string(HTML(s)))
	decoder := xml.NewDecoder(strings.NewReader(page))
	decoder.Strict, decoder.AutoClose, decoder.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var out strings.Builder
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		require.NoError(t, err)
		if element, found := token.(xml.StartElement); found {
			out.WriteString("<" + element.Name.Local)
			for _, attribute := range element.Attr {
				out.WriteString(" " + attribute.Name.Local)
			}
			out.WriteString(">")
		}
	}
}

func TestKeys(t *testing.T) {
	hosts := []schedule.HostLine{}
	for i, name := range []string{"a", "b", "c"} {
		half := []string{"x", "x", "y"}[i]
		hosts = append(hosts, schedule.HostLine{Host: &inventory.Host{Name: name,
			Labels: map[string]string{"row": "1", "rack": "7", "bay": "7", "node": name, "half": half}}})
	}
	for _, test := range []struct {
		why       string
		roles     [][]string
		rack, row string
	}{
		{"no topology at all", nil, "", ""},
		{"the only key, and a row by its label", [][]string{{"rack"}}, "rack", "row"},
		{"a host's name is no rack while there is another", [][]string{{"node"}, {"node"}, {"rack"}}, "rack", "row"},
		{"the most common", [][]string{{"row", "rack"}, {"rack"}}, "rack", "row"},
		{"equally common: the widest", [][]string{{"row", "bay"}}, "row", ""},
		{"a key that is called so is the rack", [][]string{{"row", "rack"}}, "rack", "row"},
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

// TestSigns: what fails, changes or is left out is seen in a cell, in the legend and in the sums.
func TestSigns(t *testing.T) {
	p := fake(30)
	gone := inventory.Host{Namespace: "metal3", Name: "node-00099",
		Labels: map[string]string{"lab.example.org/rack": "r1", "lab.example.org/row": "A"}}
	site := Of(p, Options{Removed: []inventory.Host{gone}})
	text := string(HTML(site))
	for _, word := range []string{
		`class="host held failed`, `class="host held promoted`, `class="host held standby demoted`,
		`class="host gone" data-host="metal3/node-00099"`, "failed <b>", "promoted <b>", "now standby <b>",
		"left out <b>", "left out: by --without", "in error (power management error); held",
		"promoted from standby; held", "the warning of nobody", "warning: tenant-a/edge-01: ", ", standby</small>",
	} {
		assert.Contains(t, text, word)
	}
	// A host may have failed and be something else in the same run. It has both signs, and the frame of a failure,
	// which the style sheet's last rule decides.
	both := string(HTML(Drawing{Tenants: []Tenant{{Name: "a/b"}},
		Hosts: []Cell{{Name: "m/h", Verdict: schedule.Assigned, Failed: true}}}))
	assert.Truef(t,
		strings.Contains(both, `class="host new failed t0 w0"`) && strings.Contains(both, "<i>+×</i><b>h</b>"),
		"a new host that has failed has not both signs")
	failed := strings.Index(style, "\n.failed {")
	for _, other := range []string{"\n.new,", "\n.pending {", "\n.releasing {", "\n.t0 {"} {
		at := strings.Index(style, other)
		assert.Truef(t, at >= 0 && at <= failed, "the rule %q at %d is not before that of failed hosts at %d", other,
			at, failed)
	}
	assert.Contains(t, string(HTML(Of(fake(300), Options{}))), ` t0 w1" data-of=`,
		"300 hosts of 12 clusters: no pattern")
}

// TestRows: racks stand in rows by the row's label, in natural order, and those without a label come last. A column of
// the table that would be empty is not there.
func TestRows(t *testing.T) {
	s := Drawing{RowKey: "row"}
	for i, at := range []string{"b r2", "b r10", "a r1", " r1", "b ", "b r2"} {
		row, rack, _ := strings.Cut(at, " ")
		s.Hosts = append(s.Hosts, Cell{Name: "m/h" + strconv.Itoa(i), Row: row, Rack: rack, Tenant: -1})
	}
	var found []string
	for _, r := range rows(&s) {
		for _, k := range r.racks {
			found = append(found, s.rowName(r.name)+" "+s.rackName(k.name)+" "+strconv.Itoa(len(k.hosts)))
		}
	}
	assert.Equal(t, []string{"row a r1 1", "row b r2 2", "row b r10 1", "row b no rack 1", "no row r1 1"}, found)
	for row, want := range map[string]bool{"": false, "a": true} {
		page := string(HTML(Drawing{Name: "x", Hosts: []Cell{{Name: "m/h", Rack: "r1", Row: row, Tenant: -1}}}))
		if got := strings.Contains(page, "<th>Row</th>"); got != want ||
			strings.Contains(page, "<td></td><td>r1</td>") {
			t.Errorf("row %q: column: %t, want %t", row, got, want)
		}
	}
}

// Rows and racks are called as their labels are.
func TestCalledAsTheLabels(t *testing.T) {
	s := Drawing{Name: "x", RowKey: "example.org/room", RackKey: "topology.kubernetes.io/zone",
		Hosts: []Cell{{Name: "m/h", Rack: "z1", Row: "a", Tenant: -1}, {Name: "m/i", Row: "a", Tenant: -1}}}
	page := string(HTML(s))
	for _, word := range []string{
		"<h2>room a</h2>", "<h3>no zone</h3>", "<th>Room</th>", "<th>Zone</th>", `aria-label="zone z1, `,
		"room a, zone z1",
	} {
		assert.Contains(t, page, word, "the page")
	}
	assert.NotContains(t, page, "row a", "the page")
	assert.NotContains(t, page, "no rack", "the page")
}

// Changes and reservations ask for no attention: they have no color, and dangers do.
func TestChangesAreNotDangers(t *testing.T) {
	page := string(HTML(Of(fake(3), Options{Dangers: []string{"D"}, Changes: []string{"change: C"}})))
	assert.Contains(t, page, "<ul class=\"changes\">\n<li>change: C</li>\n</ul>", "the page")
	assert.Contains(t, page, "<li>danger: D</li>", "the page")
}

// TestTenantsInNaturalOrder: the legend has c2 before c10.
func TestTenantsInNaturalOrder(t *testing.T) {
	p := &schedule.Placement{}
	for _, name := range []string{"c1", "c10", "c11", "c2"} {
		p.Clusters = append(p.Clusters, schedule.Cluster{Key: schedule.ClusterKey{Namespace: "t", Name: name}})
	}
	p.Hosts = append(p.Hosts, schedule.HostLine{Host: &inventory.Host{Namespace: "m", Name: "h"},
		Verdict: schedule.Held, Cluster: schedule.ClusterKey{Namespace: "t", Name: "c10"}, Role: "Worker"})
	s := Of(p, Options{})
	var names []string
	for _, tenant := range s.Tenants {
		names = append(names, tenant.Name)
	}
	if got := strings.Join(names, " "); got != "t/c1 t/c2 t/c10 t/c11" || s.Tenants[s.Hosts[0].Tenant].Name != "t/c10" {
		t.Errorf("found %s, and the host is in %s", got, s.Tenants[s.Hosts[0].Tenant].Name)
	}
}
