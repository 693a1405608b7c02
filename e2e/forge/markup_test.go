package forge

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/report"
)

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
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s, %v: %s", response.Status, err, html)
	}
	return string(html)
}
