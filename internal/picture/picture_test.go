package picture

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/hack/orphans"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

func TestEveryHostIsThereOnce(t *testing.T) {
	for _, n := range []int{0, 1, largeHosts, largeHosts + 1, namedHosts, namedHosts + 1, 5000} {
		site := Of(fake(n), Options{})
		text := string(HTML(site))
		need.Without(t, "a value is missing", text, "%s")
		for _, attribute := range []string{`data-host="`, `data-for="`} {
			shown := map[string]int{}
			for _, part := range strings.Split(text, attribute)[1:] {
				name, _, _ := strings.Cut(part, `"`)
				shown[name]++
			}
			for i := range site.Hosts {
				found := shown[site.Hosts[i].Name]
				need.That(t, found == 1, "%d hosts: found %s%s %d times, want once", n, attribute, site.Hosts[i].Name, found)
			}
			need.That(t, len(shown) == n && len(site.Hosts) == n, "%s: found %d hosts, want %d", attribute, len(shown), n)
		}
	}
}

func TestSameBytesInAnyOrder(t *testing.T) {
	p := fake(300)
	want := HTML(Of(p, Options{}))
	slices.Reverse(p.Hosts)
	need.That(t, bytes.Equal(want, HTML(Of(p, Options{}))), "the page depends on the order of hosts")
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
	site := Of(p, Options{Name: bad, AsOf: bad, WhatIf: []string{bad}})
	for i := range site.Tenants {
		site.Tenants[i].Limits = []string{bad}
	}
	if page := string(HTML(site)); strings.Count(page, "alert(1)") < 30 || strings.ContainsAny(page, "\x00\x1b\u2028") || !utf8.ValidString(page) {
		t.Errorf("the words are there %d times, or control characters are", strings.Count(page, "alert(1)"))
	}
	need.Equal(t, "", markup(t, site), markup(t, plain(site)))
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
		need.OK(t, err)
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
		hosts = append(hosts, schedule.HostLine{Host: &inventory.Host{Name: name, Labels: map[string]string{"row": "1", "rack": "7", "bay": "7", "node": name, "half": half}}})
	}
	for _, test := range []struct {
		why       string
		roles     [][]string
		rack, row string
	}{
		{"no topology at all", nil, "", ""},
		{"the only key, and a row by its label", [][]string{{"rack"}}, "rack", "row"},
		{"a host's name is no rack while there is another", [][]string{{"node"}, {"node"}, {"rack"}}, "rack", "row"},
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
	need.Same(t, "", found, want)
}

// TestSigns: what fails, changes or is left out is seen in a cell, in the legend and in the sums.
func TestSigns(t *testing.T) {
	p := fake(30)
	gone := inventory.Host{Namespace: "metal3", Name: "node-00099", Labels: map[string]string{"lab.example.org/rack": "r1", "lab.example.org/row": "A"}}
	site := Of(p, Options{Removed: []inventory.Host{gone}})
	text := string(HTML(site))
	need.Words(t, "", text,
		`class="host held failed`, `class="host held promoted`, `class="host held standby demoted`, `class="host gone" data-host="metal3/node-00099"`,
		"failed <b>", "promoted <b>", "now standby <b>", "left out <b>", "left out: by --without", "in error (power management error); held", "promoted from standby; held",
		"the warning of nobody", "warning: tenant-a/edge-01: ", ", standby</small>")
	// A host may have failed and be something else in the same run. It has both signs, and the frame of a failure, which the style sheet's last rule decides.
	both := string(HTML(Drawing{Tenants: []Tenant{{Name: "a/b"}}, Hosts: []Cell{{Name: "m/h", Verdict: schedule.Assigned, Failed: true}}}))
	need.That(t, strings.Contains(both, `class="host new failed t0 w0"`) && strings.Contains(both, "<i>+×</i><b>h</b>"),
		"a new host that has failed has not both signs")
	failed := strings.Index(style, "\n.failed {")
	for _, other := range []string{"\n.new,", "\n.pending {", "\n.releasing {", "\n.t0 {"} {
		at := strings.Index(style, other)
		need.That(t, at >= 0 && at <= failed, "the rule %q at %d is not before that of failed hosts at %d", other, at, failed)
	}
	need.Words(t, "300 hosts of 12 clusters: no pattern", string(HTML(Of(fake(300), Options{}))), ` t0 w1" data-of=`)
}

// TestRows: racks stand in rows by the row's label, in natural order, and those without a label come last. A column of the table that would be empty
// is not there.
func TestRows(t *testing.T) {
	s := Drawing{RowKey: "row"}
	for i, at := range []string{"b r2", "b r10", "a r1", " r1", "b ", "b r2"} {
		row, rack, _ := strings.Cut(at, " ")
		s.Hosts = append(s.Hosts, Cell{Name: "m/h" + strconv.Itoa(i), Row: row, Rack: rack, Tenant: -1})
	}
	var found []string
	for _, r := range rows(&s) {
		for _, k := range r.racks {
			found = append(found, rowName(r.name)+" "+rackName(k.name)+" "+strconv.Itoa(len(k.hosts)))
		}
	}
	need.Same(t, "", found, []string{"row a r1 1", "row b r2 2", "row b r10 1", "row b no rack 1", "no row r1 1"})
	for row, want := range map[string]bool{"": false, "a": true} {
		page := string(HTML(Drawing{Name: "x", Hosts: []Cell{{Name: "m/h", Rack: "r1", Row: row, Tenant: -1}}}))
		if got := strings.Contains(page, "<th>Row</th>"); got != want || strings.Contains(page, "<td></td><td>r1</td>") {
			t.Errorf("row %q: column: %t, want %t", row, got, want)
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

// use.js filters a page and walks it, and tells what is shown after each step.
//
//go:embed testdata/use.js
var use string

// used is what use.js tells.
type used struct {
	Steps []struct {
		What, Address, Found string
		Cells, Lines         int
	}
	// Keys are the hosts that had the focus before and after an arrow key, and Told is the line about the second.
	Keys []string
	Told string
	// Wide is what is wider than the window, Pale are texts without contrast, Outside are texts that leave their cell, and
	// Broken are names in two lines.
	Wide, Pale, Outside, Broken []string
	// Ground is the luminance of the page.
	Ground float64
}

// TestBrowser opens the page by a link in a real Chromium, as wide as a phone and as a desk, by day and by night: filter, buttons and link show the
// same hosts in the picture and in the table, arrow keys go on, texts can be read and have room, and the page neither complains nor asks the network
// for anything.
func TestBrowser(t *testing.T) {
	site := Of(fake(300), Options{Name: "lab"})
	large := Of(fake(3000), Options{Name: "lab"})
	all, each := count(&site)
	members := func(tenant int) int { return each[tenant].used() + each[tenant]["releasing"] }
	need.Must(t, all["failed"] >= 2 && members(2) != 0 && members(3) != 0, "the site has nothing to find")
	linked := 0
	for i := range site.Hosts {
		if h := &site.Hosts[i]; h.Tenant == 2 && h.Standby && strings.Contains(about(&site, h), "r2") {
			linked++
		}
	}
	want := []string{
		"filter=rack+r2&cluster=tenant-c/edge-03&state=standby " + fmt.Sprintf("%d of 300", linked), " ", "filter=node-00042 1 of 300",
		"filter=node-00042&cluster=tenant-l/edge-12 0 of 300",
		fmt.Sprintf("cluster=tenant-c/edge-03 %d of 300", members(2)),
		fmt.Sprintf("cluster=tenant-c/edge-03&cluster=tenant-d/edge-04 %d of 300", members(2)+members(3)),
		fmt.Sprintf("state=failed %d of 300", all["failed"]), "cluster=gone/gone&state=new 0 of 300",
	}
	for _, window := range []struct {
		scheme string
		width  int
		site   *Drawing
	}{{"light", 400, &site}, {"dark", 1400, &site}, {"dark", 400, &large}} {
		t.Run(fmt.Sprintf("%d hosts %s %d", len(window.site.Hosts), window.scheme, window.width), func(t *testing.T) {
			found := open(t, HTML(*window.site), window.scheme, window.width)
			for what, list := range map[string][]string{"is wider than the window": found.Wide, "is too pale": found.Pale, "leaves its cell": found.Outside, "is broken": found.Broken} {
				need.That(t, len(list) == 0, "%d times something %s, %q", len(list), what, list)
			}
			dark := found.Ground < 0.2
			need.That(t, dark == (window.scheme == "dark"), "the page's luminance is %.2f", found.Ground)
			need.That(t, len(found.Keys) == 2 && found.Keys[0] != found.Keys[1] && strings.HasPrefix(found.Told, found.Keys[1]+" · ") && strings.Contains(found.Told, "in error"),
				"an arrow key goes from and to %q, and the page tells %q", found.Keys, found.Told)
			if window.site != &site {
				return
			}
			var shown []string
			for _, step := range found.Steps {
				shown = append(shown, step.Address+" "+step.Found)
				if said := fmt.Sprintf("%d of 300", step.Cells); step.Cells != step.Lines || step.Found != said && (step.Found != "" || step.Cells != 300) {
					t.Errorf("%s: %d cells, %d lines, %q", step.What, step.Cells, step.Lines, step.Found)
				}
			}
			need.Same(t, "", shown, want)
		})
	}
}

// open shows a page in a frame of a width, and returns what use.js tells of it.
func open(t *testing.T, page []byte, scheme string, width int) (found used) {
	t.Helper()
	const link = "/page#filter=rack+r2&cluster=tenant-c%2Fedge-03&state=standby"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprintf(w, `<!doctype html><link rel="icon" href="data:,"><pre id="out"></pre><script>%s</script><iframe src="%s" width="%d" height="900" `+
				`onload="document.getElementById('out').textContent = JSON.stringify(use(this))"></iframe>`, use, link, width)
		case "/page":
			_, _ = w.Write(page)
		default:
			t.Errorf("the page asks for %s", r.URL)
		}
	}))
	defer server.Close()
	setting := map[string]string{"dark": "0", "light": "1"}[scheme]
	args := []string{"--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--enable-logging=stderr", "--user-data-dir=" + t.TempDir(),
		"--window-size=1500,1000", "--blink-settings=preferredColorScheme=" + setting, "--dump-dom", server.URL}
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	command := exec.CommandContext(t.Context(), chromium(t), args...)
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	need.Must(t, err == nil, "%v: %s", err, &stderr)
	need.Equal(t, "", regexp.MustCompile(`.*CONSOLE.*`).FindString(stderr.String()), "")
	_, told, _ := strings.Cut(string(out), `<pre id="out">`)
	told, _, _ = strings.Cut(told, "</pre>")
	if err := json.Unmarshal([]byte(html.UnescapeString(told)), &found); err != nil {
		t.Fatalf("%v: %.300q", err, out)
	}
	return found
}

func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"} {
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	need.Missing(t, "a browser: there is no Chromium here; Debian has it in chromium")
	return ""
}

// fake is a placement of n hosts, always the same: racks of 40 (of 4 up to 50 hosts), 10 racks a row, one
// cluster per 60 hosts or so, every verdict, and a few hosts outside of racks.
func fake(n int) *schedule.Placement {
	perRack := 40
	if n <= 50 {
		perRack = 4
	}
	clusters := max(2, n/60)
	if n >= 300 {
		clusters = max(clusters, 12)
	}
	p := &schedule.Placement{}
	for i := range clusters {
		key := schedule.ClusterKey{Namespace: fmt.Sprintf("tenant-%c", 'a'+i%26), Name: fmt.Sprintf("edge-%02d", i+1)}
		p.Clusters = append(p.Clusters, schedule.Cluster{Key: key, Roles: []schedule.Role{
			{Name: "ControlPlane", TopologyKeys: []string{"lab.example.org/row", "lab.example.org/rack"}},
			{Name: "Worker", TopologyKeys: []string{"lab.example.org/rack"}},
		}})
	}
	seed := uint32(7)
	next := func(below int) int { // a small congruential generator: the same hosts each time
		seed = seed*1664525 + 1013904223
		return int(seed>>16) % below
	}
	for i := range n {
		rack := i / perRack
		host := &inventory.Host{Namespace: "metal3", Name: fmt.Sprintf("node-%05d", i+1), Labels: map[string]string{
			"lab.example.org/rack": fmt.Sprintf("r%d", rack+1),
			"lab.example.org/row":  fmt.Sprintf("%c", 'A'+rack/10%26),
		}}
		if i%97 == 9 {
			host.Labels = nil
		}
		line := schedule.HostLine{Host: host, Verdict: schedule.Free, Reason: schedule.Fits{Roles: 1}}
		switch dice := next(20); {
		case dice < 14:
			c := &p.Clusters[min(i*clusters/n+next(2), clusters-1)]
			role := &c.Roles[1]
			if next(5) == 0 {
				role = &c.Roles[0]
			}
			line.Cluster, line.Role = c.Key, role.Name
			assignment := schedule.Assignment{Host: host, Standby: next(6) == 0}
			assignment.WasStandby = assignment.Standby
			switch dice {
			case 0, 1:
				line.Verdict, line.Reason = schedule.Assigned, schedule.Chosen{Key: "lab.example.org/rack", Value: host.Labels["lab.example.org/rack"], There: 1}
			case 2:
				line.Verdict, line.Reason = schedule.Pending, schedule.ReleaseWaits{Why: schedule.Surplus{Want: 1}, Use: schedule.Condition{Why: holdings.Why{Code: holdings.InUse, Detail: "Metal3Machine " + host.Name}}}
				assignment.Pending = true
			case 3:
				line.Verdict, line.Reason = schedule.Releasing, schedule.Surplus{Want: 1}
			case 4:
				line.Verdict, line.Reason = schedule.Held, schedule.Kept{Origin: schedule.FromLive}
				assignment.Trouble = schedule.Condition{Why: holdings.Why{Code: holdings.InError, Detail: "power management error"}}
			case 5:
				line.Verdict, line.Reason = schedule.Held, schedule.Kept{Origin: schedule.FromLive}
				assignment.WasStandby = !assignment.Standby
			default:
				line.Verdict, line.Reason = schedule.Held, schedule.Kept{Origin: schedule.FromLive}
			}
			if line.Verdict == schedule.Releasing {
				role.Releasing = append(role.Releasing, schedule.Release{Host: host, Reason: line.Reason})
			} else {
				role.Assigned = append(role.Assigned, assignment)
			}
		case dice < 17:
			line.Verdict, line.Reason = schedule.NotEligible, []schedule.Reason{schedule.Condition{Why: holdings.Why{Code: holdings.InError, Detail: "registration error"}}, schedule.Condition{Why: holdings.Why{Code: holdings.Paused}}, schedule.NoAddress{Network: "oam"}}[next(3)]
		}
		p.Hosts = append(p.Hosts, line)
	}
	p.Warnings = []schedule.Warning{schedule.AddressProblem{Problem: "host metal3/node-00001: the warning of nobody"}}
	p.Clusters[0].Warnings = []schedule.Warning{schedule.AddressProblem{Problem: "the warning of a cluster"}}
	p.Clusters[1].Unschedulable = true
	p.Clusters[1].Roles[0].ShortActive = 1
	p.Shortages = []schedule.Shortage{{Roles: []schedule.RoleKey{{Cluster: p.Clusters[1].Key, Role: "ControlPlane"}}, Need: 3, Capacity: 2, Hosts: 2}}
	return p
}

func TestMain(m *testing.M) { os.Exit(orphans.Tests{M: m}.Run()) }
