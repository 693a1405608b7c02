package picture

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// look.js tells what a browser shows of a picture.
//
//go:embed testdata/look.js
var look string

// seen is what look.js tells.
type seen struct {
	Hosts []struct{ Name, Class, Title string }
	// Invisible hosts, texts that leave their box, texts too pale on what is behind them.
	Invisible, Outside, Pale []string
	// Tiled is the sum of the hosts that the tiles of a big site say they stand for.
	Tiled int
}

// TestBrowser shows every form to a real Chromium, by day and by night: every host is there once and can be seen, no text leaves its box or is
// too pale to be read, and the page neither complains nor asks the network for anything. hack/browser drives Chromium.
// SIPGEN_SCREENSHOTS names a folder for pictures of it.
func TestBrowser(t *testing.T) {
	chromium := chromium(t)
	dir := t.TempDir()
	script := filepath.Join(dir, "look.js")
	check(t, os.WriteFile(script, []byte(look), 0o600))
	driver := filepath.Join(dir, "browser")
	output(t, exec.Command("go", "build", "-C", "../../hack/browser", "-o", driver, "."))
	args := []string{"-chromium", chromium, "-script", script, "-screenshots", os.Getenv("SIPGEN_SCREENSHOTS")}
	sites, sizes := map[string]*Drawing{}, map[string]int{}
	for _, n := range []int{30, 300, 3000, 10000} {
		site := Of(fake(n), Options{Name: "lab"})
		for form, content := range map[string][]byte{"svg": SVG(site), "html": HTML(site)} {
			file := filepath.Join(dir, fmt.Sprintf("%d.%s", n, form))
			check(t, os.WriteFile(file, content, 0o600))
			sites[file], sizes[file] = &site, n
			args = append(args, file)
		}
	}
	pages := 0
	for line := range strings.Lines(string(output(t, exec.Command(driver, args...)))) {
		var page struct {
			File, Scheme string
			Seen         seen
			Said         []string
		}
		check(t, json.Unmarshal([]byte(line), &page))
		pages++
		t.Run(filepath.Base(page.File)+"-"+page.Scheme, func(t *testing.T) {
			if len(page.Said) > 0 {
				t.Errorf("%d complaints or requests, the first: %s", len(page.Said), page.Said[0])
			}
			judge(t, sites[page.File], page.Seen, sizes[page.File])
		})
	}
	if pages != 16 {
		t.Errorf("%d pages shown, want 16", pages)
	}
}

// use.js searches a page and filters it, as a person does.
//
//go:embed testdata/use.js
var use string

// used is what use.js tells: what is shown after each step, in the picture and in the table.
type used struct {
	All, Name, NameOfTenant, Tenant, TwoTenants, Failed, Nothing, Cleared struct {
		Cells, Lines int
		Found        string
	}
	Wide, Broken []string
}

// TestSearchAndFilter uses the page in a real Chromium, in a window as narrow as a phone: a search by name and a filter by tenant show the same
// hosts in picture and table, nothing is wider than the window, and no host's name is broken.
func TestSearchAndFilter(t *testing.T) {
	chromium := chromium(t)
	dir := t.TempDir()
	script, driver, file := filepath.Join(dir, "use.js"), filepath.Join(dir, "browser"), filepath.Join(dir, "300.html")
	check(t, os.WriteFile(script, []byte(use), 0o600))
	output(t, exec.Command("go", "build", "-C", "../../hack/browser", "-o", driver, "."))
	site := Of(fake(300), Options{Name: "lab"})
	check(t, os.WriteFile(file, HTML(site), 0o600))
	line, _, _ := strings.Cut(string(output(t, exec.Command(driver, "-chromium", chromium, "-script", script, "-width", "400", file))), "\n")
	var page struct{ Seen used }
	check(t, json.Unmarshal([]byte(line), &page))
	all, each := count(&site, everyHost(&site))
	members := func(tenant int) int { c := &each[tenant]; return c.used() + c.releasing }
	for _, step := range []struct {
		what  string
		found struct {
			Cells, Lines int
			Found        string
		}
		want int
	}{
		{"as it opens", page.Seen.All, 300},
		{"search for node-00042", page.Seen.Name, 1},
		{"that, and another tenant", page.Seen.NameOfTenant, 0},
		{"the third tenant", page.Seen.Tenant, members(2)},
		{"the third and the fourth", page.Seen.TwoTenants, members(2) + members(3)},
		{"what has failed", page.Seen.Failed, all.failed},
		{"search for what is not there", page.Seen.Nothing, 0},
		{"cleared", page.Seen.Cleared, 300},
	} {
		said := fmt.Sprintf("%d of 300", step.want)
		if step.want == 300 {
			said = ""
		}
		if step.found.Cells != step.want || step.found.Lines != step.want || step.found.Found != said {
			t.Errorf("%s: %d cells, %d lines, %q; want %d and %q", step.what, step.found.Cells, step.found.Lines, step.found.Found, step.want, said)
		}
	}
	if all.failed == 0 || members(2) == 0 {
		t.Error("the site has nothing to find")
	}
	if len(page.Seen.Wide) > 0 || len(page.Seen.Broken) > 0 {
		t.Errorf("wider than the window: %q; broken names: %q", page.Seen.Wide, page.Seen.Broken)
	}
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

func output(t *testing.T, command *exec.Cmd) []byte {
	t.Helper()
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s", command.Args[:2], err, stderr.String())
	}
	return out
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func judge(t *testing.T, site *Drawing, found seen, n int) {
	t.Helper()
	if n > singleHosts {
		if len(found.Hosts) != 0 || found.Tiled != n {
			t.Errorf("%d single hosts and tiles for %d, want tiles for %d", len(found.Hosts), found.Tiled, n)
		}
	} else {
		titles := map[string]string{}
		for _, host := range found.Hosts {
			if _, twice := titles[host.Name]; twice {
				t.Errorf("%s is there twice", host.Name)
			}
			titles[host.Name] = host.Title
		}
		if len(titles) != n {
			t.Errorf("%d hosts are there, want %d", len(titles), n)
		}
		for i := range site.Hosts {
			if h := &site.Hosts[i]; !strings.Contains(titles[h.Name], h.Reason) {
				t.Errorf("%s: hovering says %q, want the reason %q in it", h.Name, titles[h.Name], h.Reason)
			}
		}
	}
	for what, list := range map[string][]string{"cannot be seen": found.Invisible, "leaves its box": found.Outside, "is too pale": found.Pale} {
		if len(list) > 0 {
			t.Errorf("%d times something %s, the first: %s", len(list), what, list[0])
		}
	}
}
