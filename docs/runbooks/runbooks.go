// Package runbooks has the pages for the operator on call, so that sipgen help runbook prints them where neither git
// nor the web can be reached.
package runbooks

import (
	"embed"
	"regexp"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Names returns the runbooks, sorted.
func Names() (names []string) {
	entries, err := pages.ReadDir(".")
	if err != nil {
		return nil // an embedded folder is always there
	}
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".md"))
	}
	return names
}

// links lead to another runbook, or to a page of the folder above.
var links = regexp.MustCompile(`\[([^]]+)\]\((\.\./)?([a-z-]+)\.md(?:#[^)]*)?\)`)

// Text returns a runbook as Markdown, without the names of its blocks. Links are the command that prints the runbook,
// or the name of the page: "Resume (sipgen help runbook resume)".
func Text(name string) (text string, found bool) {
	content, err := pages.ReadFile(name + ".md")
	if err != nil {
		return "", false
	}
	var out strings.Builder
	for line := range strings.Lines(string(content)) {
		if fence, _, ok := strings.Cut(line, "```sh"); ok {
			line = fence + "```sh\n"
		}
		out.WriteString(line)
	}
	return links.ReplaceAllStringFunc(out.String(), func(link string) string {
		part := links.FindStringSubmatch(link)
		if part[2] != "" {
			return part[1] + " (docs/" + part[3] + ".md)"
		}
		return part[1] + " (sipgen help runbook " + part[3] + ")"
	}), true
}

// Title returns the heading of a runbook.
func Title(name string) string {
	text, _ := Text(name)
	heading, _, _ := strings.Cut(text, "\n")
	return strings.TrimPrefix(heading, "# ")
}
