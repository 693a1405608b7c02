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
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	markdownast "github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
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
	require.NoError(t, filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && (strings.HasPrefix(entry.Name(), ".") ||
			slices.Contains(skip, entry.Name())):
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
	_ = markdownast.Walk(goldmark.DefaultParser().Parse(text.NewReader(markdown)),
		func(node markdownast.Node, entering bool) (markdownast.WalkStatus, error) {
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
			if to, isPage := all[file]; target.Fragment != "" && isPage && !slices.Contains(to.anchors,
				target.Fragment) {
				t.Errorf("%s: link %s: %s has no such heading: %v", name, link, file, to.anchors)
			}
		}
	}
	assert.Truef(t, checked >= 100, "%d links checked: want at least 100, or nothing was read", checked)
}

// TestIndex: docs/README.md leads to every page below docs but decisions and samples, and README.md leads to it.
func TestIndex(t *testing.T) {
	all := pages(t)
	const index = "docs/README.md"
	assert.Truef(t, slices.Contains(all["README.md"].links, index), "README.md: no link to %s", index)
	for name := range all {
		link, below := strings.CutPrefix(name, "docs/")
		if !below || name == index || strings.HasPrefix(link, "adr/") || strings.HasPrefix(link, "review/") {
			continue
		}
		assert.Truef(t,
			slices.ContainsFunc(all[index].links,
				func(l string) bool { return l == link || strings.HasPrefix(l, link+"#") }),
			"%s: no link to %s", index, link)
	}
}

// TestReadmeCommands: the page has the two commands for a fresh machine, each alone in its block: .ci/run calls the
// second.
func TestReadmeCommands(t *testing.T) {
	for _, command := range []string{"make demo", "make test"} {
		assert.Contains(t, readText(t, "README.md"), "\n```sh\n"+command+"\n```\n", command)
	}
}
