package picture

import (
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

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
// too pale to be read, and the page neither complains nor asks the network for anything.
// SIPGEN_SCREENSHOTS names a folder for pictures of it.
func TestBrowser(t *testing.T) {
	ctx := browser(t)
	dir := t.TempDir()
	for _, n := range []int{10, 2000, 10000} {
		site := Of(fake(n), Options{Name: "lab"})
		for form, content := range map[string][]byte{"svg": SVG(site), "html": HTML(site)} {
			file := filepath.Join(dir, fmt.Sprintf("%d.%s", n, form))
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, scheme := range []string{"light", "dark"} {
				name := fmt.Sprintf("%d-%s-%s", n, scheme, form)
				t.Run(name, func(t *testing.T) {
					found := show(t, ctx, name, file, scheme)
					judge(t, &site, found, n)
				})
			}
		}
	}
}

func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"} {
		if _, err := os.Stat(name); err == nil {
			path = name
			break
		}
	}
	if path == "" {
		need.Missing(t, "a browser: there is no Chromium here; Debian has it in chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1400, 900),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(time.Minute))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(stop)
	ctx, end := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(end)
	ctx, leave := chromedp.NewContext(ctx)
	t.Cleanup(leave)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// show opens a file in a tab of its own and tells what is seen. What the page says to the console or asks of the network is an error.
func show(t *testing.T, parent context.Context, name, file, scheme string) seen {
	t.Helper()
	ctx, leave := chromedp.NewContext(parent)
	defer leave()
	address := (&url.URL{Scheme: "file", Path: file}).String()
	var (
		mutex sync.Mutex
		said  []string
		found seen
	)
	chromedp.ListenTarget(ctx, func(event any) {
		mutex.Lock()
		defer mutex.Unlock()
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			said = append(said, "console: "+string(e.Type))
		case *runtime.EventExceptionThrown:
			said = append(said, "exception: "+e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			said = append(said, "log: "+e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if e.Request.URL != address {
				said = append(said, "asked for "+e.Request.URL)
			}
		}
	})
	actions := []chromedp.Action{
		network.Enable(), log.Enable(),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.Navigate(address),
		chromedp.Evaluate(look, &found),
	}
	folder := os.Getenv("SIPGEN_SCREENSHOTS")
	var picture []byte
	if folder != "" {
		actions = append(actions, chromedp.FullScreenshot(&picture, 100))
	}
	if err := chromedp.Run(ctx, actions...); err != nil {
		t.Fatal(err)
	}
	if folder != "" {
		if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mutex.Lock()
	defer mutex.Unlock()
	if len(said) > 0 {
		t.Errorf("%d complaints or requests, the first: %s", len(said), said[0])
	}
	return found
}

func judge(t *testing.T, site *Site, found seen, n int) {
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
