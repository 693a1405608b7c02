package sipgen_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	markdownast "github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/airshipit/sipgen/hack/need"
)

// page is what a Markdown page links to, and what can be linked to in it.
type page struct {
	links   []string
	anchors []string
}

// pages are the project's Markdown pages for readers, by path. Rendered trees and fixtures are not for readers.
func pages(t *testing.T) map[string]page {
	t.Helper()
	found := map[string]page{}
	each(t, ".", ".md", []string{"demo", "bin", "out", "golden", "testdata", "trees"}, func(file string) {
		found[filepath.ToSlash(file)] = read(need.Read(t, file))
	})
	return found
}

// each calls for the files below a folder that end so, but for those in hidden folders and in folders of these names.
func each(t *testing.T, folder, ending string, skip []string, call func(file string)) {
	t.Helper()
	need.OK(t, filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && (strings.HasPrefix(entry.Name(), ".") || slices.Contains(skip, entry.Name())):
			return fs.SkipDir
		case !entry.IsDir() && strings.HasSuffix(file, ending):
			call(file)
		}
		return nil
	}))
}

// eachSource is each of the program's source.
func eachSource(t *testing.T, skip []string, call func(file string, parsed *ast.File)) {
	t.Helper()
	each(t, ".", ".go", skip, func(file string) {
		if !strings.HasSuffix(file, "_test.go") {
			call(file, need.Value(parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution))(t))
		}
	})
}

func read(markdown []byte) page {
	var found page
	times := map[string]int{}
	_ = markdownast.Walk(goldmark.DefaultParser().Parse(text.NewReader(markdown)), func(node markdownast.Node, entering bool) (markdownast.WalkStatus, error) {
		if !entering {
			return markdownast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *markdownast.Heading:
			anchor := slug(plain(node, markdown))
			if n := times[anchor]; n > 0 {
				found.anchors = append(found.anchors, fmt.Sprintf("%s-%d", anchor, n))
			} else {
				found.anchors = append(found.anchors, anchor)
			}
			times[anchor]++
		case *markdownast.Link:
			found.links = append(found.links, string(node.Destination))
		case *markdownast.Image:
			found.links = append(found.links, string(node.Destination))
		}
		return markdownast.WalkContinue, nil
	})
	// goldmark's core has no tables, but it reads the links in them as those of a paragraph.
	return found
}

func plain(node markdownast.Node, markdown []byte) string {
	var out strings.Builder
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		if leaf, ok := child.(*markdownast.Text); ok {
			out.Write(leaf.Segment.Value(markdown))
			continue
		}
		out.WriteString(plain(child, markdown))
	}
	return out.String()
}

// slug is the anchor that GitHub, GitLab and Gitea give a heading.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// TestLinks: what a page links to in the project is there, heading included.
func TestLinks(t *testing.T) {
	all := pages(t)
	checked := 0
	for name, from := range all {
		for _, link := range from.links {
			target, err := url.Parse(link)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if target.Scheme != "" {
				continue
			}
			checked++
			file := name
			if target.Path != "" {
				file = path.Join(path.Dir(name), target.Path)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: link %s: %v", name, link, err)
				continue
			}
			if to, isPage := all[file]; target.Fragment != "" && isPage && !slices.Contains(to.anchors, target.Fragment) {
				t.Errorf("%s: link %s: %s has no such heading: %v", name, link, file, to.anchors)
			}
		}
	}
	need.That(t, checked >= 100, "%d links checked: want at least 100, or nothing was read", checked)
}

// TestIndex: docs/README.md leads to every page below docs but decisions and samples, and README.md leads to it.
func TestIndex(t *testing.T) {
	all := pages(t)
	const index = "docs/README.md"
	need.That(t, slices.Contains(all["README.md"].links, index), "README.md: no link to %s", index)
	for name := range all {
		link, below := strings.CutPrefix(name, "docs/")
		if !below || name == index || strings.HasPrefix(link, "adr/") || strings.HasPrefix(link, "review/") {
			continue
		}
		need.That(t, slices.ContainsFunc(all[index].links, func(l string) bool { return l == link || strings.HasPrefix(l, link+"#") }),
			"%s: no link to %s", index, link)
	}
}

// TestReadmeCommands: the page has the two commands for a fresh machine, each alone in its block: .ci/run calls the second.
func TestReadmeCommands(t *testing.T) {
	for _, command := range []string{"make demo", "make test"} {
		need.Words(t, command, readText(t, "README.md"), "\n```sh\n"+command+"\n```\n")
	}
}

func TestSlug(t *testing.T) {
	for heading, want := range map[string]string{
		"What can go wrong, what sipgen does": "what-can-go-wrong-what-sipgen-does",
		"`tenant-a/edge-a`":                   "tenant-aedge-a",
		"SIP001":                              "sip001",
	} {
		got := read([]byte("# " + heading + "\n")).anchors
		need.That(t, len(got) == 1 && got[0] == want, "%s: found %q, want %q", heading, got, want)
	}
}

// generated are the pages that make generate writes.
var generated = map[string]bool{"cli.md": true, "site.md": true, "sipcluster.md": true, "lint.md": true}

const (
	mostOfARunbook  = 500 // words, commands among them
	mostOfAPage     = 1200
	mostOfASentence = 25
	mostOfACell     = 30
)

var (
	codeBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	inline    = regexp.MustCompile("`[^`]*`")
	aLink     = regexp.MustCompile(`\]\([^)]*\)`)
	aListItem = regexp.MustCompile(`(?m)^ *(?:[-*]|\d+\.) `)
	sentence  = regexp.MustCompile(`[.?!:;]\**(?:\s|$)|\n\n`)
	unwanted  = regexp.MustCompile(`(?i)\b(?:nobody|somebody|whoever|anew|half-way|any more|for ever|word by word|labelled|unlabelled|colour|neighbour|behaviour|recognise|whose)\b`)
	clause    = regexp.MustCompile(`(?m)^#+ (?:What|Who|Which|How|Whose) .*[^?]$`)
)

// TestEnglish holds the pages to the rules that can be counted: pages, sentences and cells are short, actors have names, and headings are nouns or
// tasks. A runbook can be read at night.
func TestEnglish(t *testing.T) {
	checked := 0
	for name := range pages(t) {
		below, ok := strings.CutPrefix(name, "docs/")
		if !ok && !slices.Contains([]string{"README.md", "CONTRIBUTING.md", "SECURITY.md"}, name) {
			continue
		}
		if generated[below] || strings.HasPrefix(below, "adr/") || strings.HasPrefix(below, "review/") {
			continue
		}
		content := need.Read(t, name)
		checked++
		most := mostOfAPage
		if path.Dir(below) == "runbooks" {
			most = mostOfARunbook
		}
		words := len(strings.Fields(string(content)))
		need.That(t, words <= most, "%s: %d words, want at most %d", name, words, most)
		prose := aLink.ReplaceAllString(inline.ReplaceAllString(codeBlock.ReplaceAllString(string(content), "\n"), "x"), "]")
		for _, word := range unwanted.FindAllString(prose, -1) {
			t.Errorf("%s: %q: name the actor, or use the plain American word", name, word)
		}
		for _, heading := range clause.FindAllString(prose, -1) {
			t.Errorf("%s: %q: want a noun or a task", name, heading)
		}
		var running strings.Builder
		for line := range strings.Lines(prose) {
			if !strings.HasPrefix(strings.TrimSpace(line), "|") {
				running.WriteString(line)
				continue
			}
			running.WriteString("\n\n")
			for _, cell := range strings.Split(line, "|") {
				if words := len(strings.Fields(cell)); words > mostOfACell {
					t.Errorf("%s: a cell of %d words, want at most %d: %s", name, words, mostOfACell, strings.TrimSpace(cell))
				}
			}
		}
		for _, one := range sentence.Split(aListItem.ReplaceAllString(running.String(), "\n\n"), -1) {
			if words := len(strings.Fields(one)); words > mostOfASentence && !strings.HasPrefix(strings.TrimSpace(one), "#") {
				t.Errorf("%s: a sentence of %d words, want at most %d: %s", name, words, mostOfASentence, strings.Join(strings.Fields(one), " "))
			}
		}
	}
	need.That(t, checked >= 30, "%d pages: want at least 30", checked)
}

// TestMessagesExist: each message that docs/troubleshooting.md and docs/publishing.md quote is in the program. What stands between two
// ellipses is in one string of the source, or in a template.
func TestMessagesExist(t *testing.T) {
	var source []string
	literals(t, func(_, text string) { source = append(source, text) })
	verb := regexp.MustCompile(`%[-+#0-9.*\[\]]*[a-zA-Z%]`)
	for i, text := range source {
		source[i] = verb.ReplaceAllString(text, "…")
	}
	for page, least := range map[string]int{"docs/troubleshooting.md": 15, "docs/publishing.md": 5} {
		content := need.Read(t, page)
		quoted := 0
		for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(string(content), -1) {
			quoted++
			for _, part := range strings.Split(row[1], "…") {
				part = strings.TrimSpace(part)
				if strings.HasPrefix(row[1], "SIPGEN_") || len(part) < 4 {
					continue // a name, or too little to look for
				}
				if !slices.ContainsFunc(source, func(text string) bool { return strings.Contains(text, part) }) {
					t.Errorf("%s: nothing says %q, of %q", page, part, row[1])
				}
			}
		}
		need.That(t, quoted >= least, "%s: %d messages found, want at least %d", page, quoted, least)
	}
}
