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
	if all["failed"] < 2 || members(2) == 0 || members(3) == 0 {
		t.Fatal("the site has nothing to find")
	}
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
				if len(list) > 0 {
					t.Errorf("%d times something %s, the first: %s", len(list), what, list[0])
				}
			}
			if dark := found.Ground < 0.2; dark != (window.scheme == "dark") {
				t.Errorf("the page's luminance is %.2f", found.Ground)
			}
			if len(found.Keys) != 2 || found.Keys[0] == found.Keys[1] || !strings.HasPrefix(found.Told, found.Keys[1]+" · ") || !strings.Contains(found.Told, "in error") {
				t.Errorf("an arrow key goes from and to %q, and the page tells %q", found.Keys, found.Told)
			}
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
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	if said := regexp.MustCompile(`.*CONSOLE.*`).FindString(stderr.String()); said != "" {
		t.Error(said)
	}
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
