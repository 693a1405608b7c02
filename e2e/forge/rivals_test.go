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
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rivals run at the same time: those that push to main all get through one after the other, whatever words Gitea has
// for a race, and proposals of several runs from one branch are one pull request.
func rivals(t *testing.T, s *site) {
	const n = 3
	commands := make([]*exec.Cmd, n)
	// named writes a Site of its own: a branch has one tree of each.
	named := func(name string) string {
		file := name + ".yaml"
		site := need.Read(t, filepath.Join(s.dir, "site.yaml"))
		assert.Contains(t, string(site), "\n  name: two-tenants\n")
		need.Write(t, filepath.Join(s.dir, file), strings.Replace(string(site), "name: two-tenants", "name: "+name, 1))
		return file
	}
	for i := range n {
		// The hosts of another API server, which have the same names and uids of their own: two trees of one branch do
		// not get the same hosts.
		folder := fmt.Sprintf("hosts-dc%d", i)
		files, err := filepath.Glob(filepath.Join(s.dir, "hosts", "*.yaml"))
		require.NoError(t, err)
		for _, file := range files {
			text := uid.ReplaceAll(need.Read(t, file), fmt.Appendf(nil, "${1}%08d", i))
			need.Write(t, filepath.Join(s.dir, folder, filepath.Base(file)), string(text))
		}
		commands[i] = s.command(t, "--site", named(fmt.Sprintf("dc%d", i)), "--path", fmt.Sprintf("sites/dc%d", i),
			"--inventory", folder)
	}
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			out, err := commands[i].CombinedOutput()
			assert.Truef(t, err == nil, "dc%d: %v\n%s", i, err, out)
		})
	}
	group.Wait()
	s.git(t, "fetch", "--quiet", "origin")
	assert.Equal(t, fmt.Sprint(n+1), s.git(t, "rev-list", "--count", "origin/main"), n+1)
	for i := range n {
		s.git(t, "cat-file", "-e", fmt.Sprintf("origin/main:sites/dc%d/PLAN.md", i))
	}
	var mu sync.Mutex
	words := ""
	proposed := named("proposed")
	propose := func() {
		out, err := s.command(t, "--site", proposed, "--inventory", "hosts", "--path", "proposed", "--propose",
			"sipgen/two", "--forge", "gitea",
			"--author", "Ada <ada@example.org>").CombinedOutput()
		mu.Lock()
		defer mu.Unlock()
		words += string(out)
		assert.Truef(t, err == nil, "%v\n%s", err, out)
	}
	for range n {
		group.Go(propose)
	}
	group.Wait()
	propose() // One that Gitea opened after it had answered with an error is closed by the next run.
	open := slices.DeleteFunc(s.pulls(t), func(one pull) bool { return one.State != "open" })
	// Those that Gitea let in at the same moment were closed again.
	assert.Len(t, open, 1, "pull requests that are open; "+words)
}

var uid = regexp.MustCompile(`(?m)^(  uid: ).{8}`)

// What a real forge makes of a body with names that would be links, mentions, pictures and markup if they could.
func markup(t *testing.T, s *site) {
	s.NewUser(t, "team")
	s.Call(t, "POST", s.path("/issues"), map[string]any{"title": "an issue"}, nil)
	hostile := []string{
		"@team", "#1", "!1", "ada/markup#1", "![img](https://evil.example/x.png)", "[click](https://evil.example)",
		"https://evil.example", "www.evil.example",
		"<img src=x onerror=alert(1)>", "<b>", "a|b", "`", "a`b``c", "\\`", "a\\|b", "\n# heading", "**bold**",
		"mail@evil.example", ":smile:", "$x$", "\\",
		s.git(t, "rev-parse", "origin/main"),
	}
	plan := &report.Plan{Site: "dc1 @team", Shortages: hostile}
	role := report.RoleResult{Name: "Worker"}
	for _, words := range hostile {
		plan.Findings = append(plan.Findings, finding.Finding{Message: words})
		role.Slots = append(role.Slots,
			report.Slot{Host: words, Domain: words, Addresses: []string{words}, Status: report.StatusNew, Why: words},
			report.Slot{Host: "m/h " + words, Domain: words + " x", Status: report.StatusReleased,
				Why: "it is " + words + " now", InUse: words})
	}
	plan.Clusters = []report.ClusterResult{{Namespace: "t", Name: "a", Roles: []report.RoleResult{role}}}
	plan.Files = []report.File{{Path: "clusters/@team/a/infra/x.cfg", Kind: "changed"}}
	body := report.PullRequest(plan, report.About{Inventory: "@team, was 3s old"})
	html := s.render(t, body)
	for _, bad := range regexp.MustCompile(`<(?:a|img|script|h1|del|b|input)\b[^>]*>|class="[^"]*(?:mention|emoji|math)[^"]*"`).FindAllString(html, -1) {
		assert.Truef(t, strings.Contains(bad, `href="#`) || strings.Contains(bad, `class="anchor"`), "found %s", bad)
	}
	// Two heads, the hosts, and those that are released.
	assert.Equal(t, 2+2*len(hostile)+len(hostile), strings.Count(html, "<tr"), "rows")
	for _, row := range regexp.MustCompile(`(?s)<tr>.*?</tr>`).FindAllString(html, -1) {
		n := strings.Count(row, "<td") + strings.Count(row, "<th")
		assert.Truef(t, n == 6 || n == 4, "%d cells in %s", n, row)
	}
	// The same words in the open are what they would be: the test can see it.
	open := s.render(t, strings.Join(hostile[:8], "\n\n"))
	assert.Truef(t, strings.Count(open, "<a ") >= 5 && strings.Contains(open, "<img"), "Gitea makes no links of\n%s",
		open)
}

// render asks Gitea for the HTML of a comment.
func (s *site) render(t *testing.T, text string) string {
	t.Helper()
	as := strings.Replace(s.URL, "://", "://"+s.Admin+":"+s.Password+"@", 1)
	response, err := http.PostForm(as+"/api/v1/markup", url.Values{
		"mode": {"comment"}, "context": {s.Admin + "/" + s.name}, "text": {text},
	})
	require.NoError(t, err)
	defer response.Body.Close()
	html, err := io.ReadAll(response.Body)
	require.Truef(t, err == nil && response.StatusCode == http.StatusOK, "%s, %v: %s", response.Status, err, html)
	return string(html)
}

// fleet opens one pull request for many Sites: dangers and problems first, equal changes once. That it stays within
// what a forge takes, package report tests with a thousand Sites.
func fleet(t *testing.T, s *site) {
	const sites = 12
	for i := range sites {
		name, wrong := fmt.Sprintf("dc%03d", i), ""
		if i == sites-1 {
			wrong = "  nothing: 1\n" // its cluster is frozen
		}
		folder := filepath.Join(s.dir, "sites", name)
		need.Write(t, filepath.Join(folder, "site.yaml"), fmt.Sprintf(`apiVersion: sipgen.airshipit.org/v1alpha1
kind: Site
metadata: {name: %[1]s}
spec:
  repository: {url: '%[2]s', path: sites/%[1]s}
  inputs: {specs: [edge.yaml], inventory: host.yaml}
  hosts: {namespaces: [metal3]}
`, name, s.repo))
		need.Write(t, filepath.Join(folder, "edge.yaml"), fmt.Sprintf(`apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: edge, name: edge}
spec:
  nodes: {ControlPlane: {count: {active: 1}}}
%s`, wrong))
		need.Write(t, filepath.Join(folder, "host.yaml"), fmt.Sprintf(`apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {namespace: metal3, name: n1, uid: uid-%s}
spec: {online: true, bmc: {address: 'redfish://192.0.2.1/1', credentialsName: bmc}}
status: {operationalStatus: OK, errorCount: 0, errorMessage: "", poweredOn: true, provisioning: {ID: "", state: available}}
`, name))
	}
	publish := func(want int) (words string) {
		t.Helper()
		cmd := exec.Command(engine.Sipgen(t), "publish", "--site", "sites/*/site.yaml", "--propose", "sipgen/fleet",
			"--forge", "gitea")
		cmd.Dir, cmd.Env = s.dir, append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir}, s.env...)
		out, err := cmd.CombinedOutput()
		require.Equal(t, want, cmd.ProcessState.ExitCode(), "%v: %.3000s", err, out)
		return string(out)
	}
	assert.Contains(t, publish(1), "pull request: opened: "+s.URL+"/ada/fleet/pulls/1")
	all := s.pulls(t)
	require.Len(t, all, 1)
	body := all[0].Body
	assert.True(t, strings.HasPrefix(body, "**12 sites: 12 changed, 0 unchanged; 11 hosts assigned (11 new"), "%.200s",
		body)
	frozen, first := strings.Index(body, "`dc011`"), strings.Index(body, "`dc000`")
	assert.True(t, 0 < frozen && frozen < first, "the frozen Site comes first: %.1000s", body)
	assert.Contains(t, body, "### 11 sites\n")
	assert.True(t, strings.Contains(s.render(t, body), "<summary>"), "Gitea folds no names")
	assert.Contains(t, publish(1), "pull request: up to date: "+all[0].HTMLURL)
}
