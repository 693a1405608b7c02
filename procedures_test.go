package sipgen_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestProceduresAreListed: docs/safety.md says of every section with commands, there and in gitops.md, which test runs it, and the tests exist.
func TestProceduresAreListed(t *testing.T) {
	safety := pageText(t, "docs/safety.md")
	_, table, found := strings.Cut(safety, "\n## Which test runs what\n")
	if !found {
		t.Fatal("docs/safety.md has no list")
	}
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ((?:gitops|safety)\.md, [^|]*[^| ]) \|`).FindAllStringSubmatch(table, -1) {
		listed[row[1]] = true
	}
	for _, page := range []string{"gitops.md", "safety.md"} {
		for section := range sectionsWithCommands(pageText(t, "docs/"+page)) {
			if name := page + ", " + section; !listed[name] {
				t.Errorf("docs/safety.md does not say what runs %q", name)
			}
			delete(listed, page+", "+section)
		}
	}
	for name := range listed {
		t.Errorf("docs/safety.md: %q has no commands, or is no section", name)
	}
	var tests strings.Builder
	for _, pattern := range []string{"e2e/*_test.go", "e2e/*/*_test.go", "cmd/sipgen/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			tests.WriteString(pageText(t, file))
		}
	}
	for _, name := range regexp.MustCompile("`(Test[A-Za-z]+|[a-z]+(?:-[a-z]+)*)`").FindAllStringSubmatch(table, -1) {
		want := `{"` + name[1] + `", row`
		if strings.HasPrefix(name[1], "Test") {
			want = "func " + name[1] + "(t *testing.T)"
		}
		if !strings.Contains(tests.String(), want) {
			t.Errorf("docs/safety.md names %s, and no test has it", name[1])
		}
	}
}

func pageText(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// sectionsWithCommands are the headings, of the page or one below, under which a code block calls a program.
func sectionsWithCommands(page string) map[string]bool {
	sections, section, fenced := map[string]bool{}, "", false
	command := regexp.MustCompile(`^\s*(kubectl|git|sipgen|jq|export|for|argocd) `)
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
		case !fenced && (strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "## ")):
			section = strings.TrimSpace(strings.TrimLeft(line, "#"))
		case (fenced || strings.HasPrefix(line, "    ")) && command.MatchString(line):
			sections[section] = true
		}
	}
	return sections
}
