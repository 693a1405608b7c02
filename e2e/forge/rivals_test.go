package forge

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/report"
)

// rivals run at the same time: those that push to main all get through one after the other, whatever words Gitea has
// for a race, and proposals of several runs from one branch are one pull request.
func rivals(t *testing.T, s *site) {
	binary := engine.Sipgen(t)
	run := func(args ...string) (string, error) {
		cmd := exec.Command(binary, append([]string{"publish", "--site", "site.yaml", "-f", "tenants", "--repo", s.repo}, args...)...)
		cmd.Dir = s.dir
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir}, s.env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	const n = 4
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			if out, err := run("--path", fmt.Sprintf("sites/dc%d", i), "--inventory", hostsOf(t, s.dir, i)); err != nil {
				t.Errorf("dc%d: %v\n%s", i, err, out)
			}
		})
	}
	group.Wait()
	s.git(t, "fetch", "--quiet", "origin")
	need.Equal(t, n+1, s.git(t, "rev-list", "--count", "origin/main"), fmt.Sprint(n+1))
	for i := range n {
		s.git(t, "cat-file", "-e", fmt.Sprintf("origin/main:sites/dc%d/PLAN.md", i))
	}
	var mu sync.Mutex
	words := ""
	for range n {
		group.Go(func() {
			out, err := run("--inventory", "hosts", "--path", "proposed", "--propose", "sipgen/two", "--forge", "gitea", "--author", "Ada <ada@example.org>")
			mu.Lock()
			defer mu.Unlock()
			words += out
			need.That(t, err == nil, "%v\n%s", err, out)
		})
	}
	group.Wait()
	open := 0
	for _, one := range s.pulls(t) {
		if one.State == "open" {
			open++
		}
	}
	if open != 1 { // those that Gitea let in at the same moment were closed again
		t.Errorf("%d pull requests are open, of %d\n%s", open, len(s.pulls(t)), words)
	}
	need.Without(t, "", words, filepath.Join(s.dir, "x"))
}

// hostsOf are the hosts of another API server, which have the same names and uids of their own: two trees of one branch do not get the same hosts.
func hostsOf(t *testing.T, dir string, i int) string {
	folder := fmt.Sprintf("hosts-dc%d", i)
	need.Error(t, "", os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join(dir, "hosts"))), "")
	files, _ := filepath.Glob(filepath.Join(dir, folder, "*.yaml"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, uid.ReplaceAll(text, fmt.Appendf(nil, "${1}%08d", i)), 0o600)
		}
		need.That(t, err == nil, "%v", err)
	}
	return folder
}

var uid = regexp.MustCompile(`(?m)^(  uid: ).{8}`)

// What a real forge makes of a body with names that would be links, mentions, pictures and markup if they could.
func markup(t *testing.T, s *site) {
	s.NewUser(t, "team")
	s.Call(t, "POST", s.path("/issues"), map[string]any{"title": "an issue"}, nil)
	hostile := []string{
		"@team", "#1", "!1", "ada/markup#1", "![img](https://evil.example/x.png)", "[click](https://evil.example)", "https://evil.example", "www.evil.example",
		"<img src=x onerror=alert(1)>", "<b>", "a|b", "`", "a`b``c", "\\`", "a\\|b", "\n# heading", "**bold**", "mail@evil.example", ":smile:", "$x$", "\\",
		s.git(t, "rev-parse", "origin/main"),
	}
	plan := &report.Plan{Site: "dc1 @team", Shortages: hostile}
	role := report.RoleResult{Name: "Worker"}
	for _, words := range hostile {
		plan.Findings = append(plan.Findings, finding.Finding{Message: words})
		role.Slots = append(role.Slots,
			report.Slot{Host: words, Domain: words, Addresses: []string{words}, Status: report.StatusNew, Why: words},
			report.Slot{Host: "m/h " + words, Domain: words + " x", Status: report.StatusReleased, Why: "it is " + words + " now", InUse: words})
	}
	plan.Clusters = []report.ClusterResult{{Namespace: "t", Name: "a", Roles: []report.RoleResult{role}}}
	body := report.PullRequest(plan, report.About{Inventory: "@team, was 3s old", Files: []report.File{{Path: "clusters/@team/a/infra/x.cfg", Kind: "changed"}}})
	html := s.render(t, body)
	for _, bad := range regexp.MustCompile(`<(?:a|img|script|h1|del|b|input)\b[^>]*>|class="[^"]*(?:mention|emoji|math)[^"]*"`).FindAllString(html, -1) {
		if !strings.Contains(bad, `href="#`) && !strings.Contains(bad, `class="anchor"`) {
			t.Errorf("found %s", bad)
		}
	}
	if n, want := strings.Count(html, "<tr"), 2+2*len(hostile)+len(hostile); n != want { // two heads, the hosts, and those that are released
		t.Errorf("%d rows, want %d", n, want)
	}
	for _, row := range regexp.MustCompile(`(?s)<tr>.*?</tr>`).FindAllString(html, -1) {
		if n := strings.Count(row, "<td") + strings.Count(row, "<th"); n != 6 && n != 4 {
			t.Errorf("%d cells in %s", n, row)
		}
	}
	// The same words in the open are what they would be: the test can see it.
	if open := s.render(t, strings.Join(hostile[:8], "\n\n")); strings.Count(open, "<a ") < 5 || !strings.Contains(open, "<img") {
		t.Errorf("Gitea makes no links of\n%s", open)
	}
}

// render asks Gitea for the HTML of a comment.
func (s *site) render(t *testing.T, text string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/markup", strings.NewReader(url.Values{
		"mode": {"comment"}, "context": {s.Admin + "/" + s.name}, "text": {text},
	}.Encode()))
	need.OK(t, err)
	request.Header.Set("Authorization", "token "+s.Token)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(request)
	need.OK(t, err)
	defer response.Body.Close()
	html, err := io.ReadAll(response.Body)
	need.Must(t, err == nil && response.StatusCode == http.StatusOK, "%s, %v: %s", response.Status, err, html)
	return string(html)
}
