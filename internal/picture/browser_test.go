package picture

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/hack/orphans"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
	// Lost is what is told of a chosen rack, and of none, and Down are its hosts.
	Lost, Down []string
	// Wide is what is wider than the window, Pale are texts without contrast, Outside are texts that leave their cell,
	// and Broken are names in two lines.
	Wide, Pale, Outside, Broken []string
	// Ground is the luminance of the page.
	Ground float64
}

// TestBrowser opens the page by a link in a real Chromium, as wide as a phone and as a desk, by day and by night:
// filter, buttons and link show the same hosts in the picture and in the table, arrow keys go on, texts can be read and
// have room, and the page neither complains nor asks the network for anything.
func TestBrowser(t *testing.T) {
	options := Options{Name: "lab", Lost: func(hosts []string) []Loss {
		return []Loss{{"tenant-b/edge-02", "tenant-b/edge-02 loses some of " + hosts[0]}, {"tenant-c/edge-03", "and another"}}
	}}
	site, large := Of(fake(300), options), Of(fake(3000), options)
	all, each := count(&site)
	members := func(tenant int) int { return each[tenant].used() + each[tenant]["releasing"] }
	require.Truef(t, all["failed"] >= 2 && members(2) != 0 && members(3) != 0, "the site has nothing to find")
	linked, fell := 0, 0
	var down []string
	for i := range site.Hosts {
		inRack := site.Hosts[i].Rack == "r2"
		if inRack {
			down = append(down, site.Hosts[i].Name)
		}
		if tenant := site.Hosts[i].Tenant; inRack || tenant == 1 || tenant == 2 {
			fell++
		}
		if h := &site.Hosts[i]; h.Tenant == 2 && h.Standby && strings.Contains(about(&site, h), "r2") {
			linked++
		}
	}
	want := []string{
		"filter=rack+r2&cluster=tenant-c/edge-03&state=standby " + fmt.Sprintf("%d of 300", linked), " ",
		"filter=node-00042 1 of 300",
		"filter=node-00042&cluster=tenant-l/edge-12 0 of 300",
		fmt.Sprintf("cluster=tenant-c/edge-03 %d of 300", members(2)),
		fmt.Sprintf("cluster=tenant-c/edge-03&cluster=tenant-d/edge-04 %d of 300", members(2)+members(3)),
		fmt.Sprintf("state=failed %d of 300", all["failed"]), "cluster=gone/gone&state=new 0 of 300",
		fmt.Sprintf("rack=A/r2 %d of 300", fell), " ", fmt.Sprintf("rack=A/r2 %d of 300", fell),
	}
	for _, window := range []struct {
		scheme string
		width  int
		site   *Drawing
	}{{"light", 400, &site}, {"dark", 1400, &site}, {"dark", 400, &large}} {
		t.Run(fmt.Sprintf("%d hosts %s %d", len(window.site.Hosts), window.scheme, window.width), func(t *testing.T) {
			found := open(t, HTML(*window.site), window.scheme, window.width)
			for what, list := range map[string][]string{"is wider than the window": found.Wide,
				"is too pale": found.Pale, "leaves its cell": found.Outside, "is broken": found.Broken} {
				assert.Truef(t, len(list) == 0, "%d times something %s, %q", len(list), what, list)
			}
			dark := found.Ground < 0.2
			assert.Truef(t, dark == (window.scheme == "dark"), "the page's luminance is %.2f", found.Ground)
			assert.Truef(t,
				len(found.Keys) == 2 && found.Keys[0] != found.Keys[1] && strings.HasPrefix(found.Told,
					found.Keys[1]+" · ") && strings.Contains(found.Told, "in error"),
				"an arrow key goes from and to %q, and the page tells %q", found.Keys, found.Told)
			if window.site != &site {
				return
			}
			var shown []string
			for _, step := range found.Steps {
				shown = append(shown, step.Address+" "+step.Found)
				if said := fmt.Sprintf("%d of 300", step.Cells); step.Cells != step.Lines ||
					step.Found != said && (step.Found != "" || step.Cells != 300) {
					t.Errorf("%s: %d cells, %d lines, %q", step.What, step.Cells, step.Lines, step.Found)
				}
			}
			assert.Equal(t, want, shown)
			assert.Equal(t, []string{"tenant-b/edge-02 loses some of " + down[0], "and another"}, found.Lost)
			assert.Equal(t, down, found.Down)
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
				`onload="document.getElementById('out').textContent = JSON.stringify(use(this))"></iframe>`, use, link,
				width)
		case "/page":
			_, _ = w.Write(page)
		default:
			t.Errorf("the page asks for %s", r.URL)
		}
	}))
	defer server.Close()
	setting := map[string]string{"dark": "0", "light": "1"}[scheme]
	args := []string{"--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--enable-logging=stderr", "--user-data-dir=" + t.TempDir(),
		"--window-size=1500,1000", "--blink-settings=preferredColorScheme=" + setting, "--dump-dom", server.URL}
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	command := exec.CommandContext(t.Context(), chromium(t), args...)
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	require.Truef(t, err == nil, "%v: %s", err, &stderr)
	assert.Empty(t, regexp.MustCompile(`.*CONSOLE.*`).FindString(stderr.String()))
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
			line.Verdict, line.Reason = schedule.Held, schedule.Kept{Origin: schedule.FromLive}
			switch dice {
			case 0, 1:
				line.Verdict, line.Reason = schedule.Assigned, schedule.Chosen{Key: "lab.example.org/rack",
					Value: host.Labels["lab.example.org/rack"], There: 1}
			case 2:
				line.Verdict, line.Reason = schedule.Pending, schedule.ReleaseWaits{Why: schedule.Surplus{Want: 1},
					Use: schedule.Condition{Why: holdings.Why{Code: holdings.InUse,
						Detail: "Metal3Machine " + host.Name}}}
				assignment.Pending = true
			case 3:
				line.Verdict, line.Reason = schedule.Releasing, schedule.Surplus{Want: 1}
			case 4:
				assignment.Trouble = schedule.Condition{Why: holdings.Why{Code: holdings.InError,
					Detail: "power management error"}}
			case 5:
				assignment.WasStandby = !assignment.Standby
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
	p.Shortages = []schedule.Shortage{{Roles: []schedule.RoleKey{{Cluster: p.Clusters[1].Key, Role: "ControlPlane"}},
		Need: 3, Capacity: 2, Hosts: 2}}
	return p
}

func TestMain(m *testing.M) { os.Exit(orphans.Tests{M: m}.Run()) }
