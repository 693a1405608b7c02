package steering

import (
	"bufio"
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitattributes"

	"github.com/airshipit/sipgen/internal/redact"
)

// changed are the files of the tree that git writes with other bytes when it checks them out, by the line that says so. Argo CD has git check out the
// repository; Flux reads the files as they are.
func changed(tree []string, others []File) (problems []error) {
	lines, macros := attributeLines(others)
	if len(lines) == 0 {
		return nil
	}
	var order []line
	by := map[line][]string{}
	what := map[line]string{}
	for _, name := range tree {
		if why, at := rewrites(lines, macros, strings.Split(name, "/")); why != "" {
			if by[at] == nil {
				order = append(order, at)
			}
			by[at], what[at] = append(by[at], name), why
		}
	}
	for _, at := range order {
		folder := "/"
		if first, _, below := strings.Cut(by[at][0], "/"); below {
			folder += first + "/"
		}
		problems = append(problems, redact.Errorf("%s: line %d: git checks out %s for Argo CD with other bytes than sipgen wrote (%s); take the line out, or add one to the end of the file: %s** -text -ident -filter -working-tree-encoding",
			at.file, at.number, files(by[at]), what[at], folder))
	}
	return problems
}

// line is where an attribute is from.
type line struct {
	file   string
	number int
}

type attributeLine struct {
	line
	gitattributes.MatchAttribute
}

// attributeLines are the lines of the files, in the order in which the later one wins, and the macros. As git does, what cannot be read is left out, and so
// are macros in another file than the top's, patterns of folders, and files that are links.
func attributeLines(others []File) (lines []attributeLine, macros map[string][]gitattributes.Attribute) {
	macros = map[string][]gitattributes.Attribute{}
	if binary, err := gitattributes.ParseAttributesLine("[attr]binary -diff -merge -text", nil, true); err == nil { // git's own
		macros[binary.Name] = binary.Attributes
	}
	others = slices.DeleteFunc(slices.Clone(others), func(f File) bool { return path.Base(f.Path) != attributesFile || f.NoFile })
	slices.SortFunc(others, outerFirst)
	for _, other := range others {
		var folder []string
		if dir := path.Dir(other.Path); dir != "." {
			folder = strings.Split(dir, "/")
		}
		number := 0
		for scanner := bufio.NewScanner(bytes.NewReader(other.Text)); scanner.Scan(); {
			number++
			parsed, err := gitattributes.ParseAttributesLine(scanner.Text(), folder, len(folder) == 0)
			switch {
			case err != nil || parsed.Name == "" || strings.HasSuffix(parsed.Name, "/"):
			case parsed.Pattern == nil:
				macros[parsed.Name] = parsed.Attributes
			default:
				lines = append(lines, attributeLine{line{other.Path, number}, parsed})
			}
		}
	}
	return lines, macros
}

// rewrites says which attribute of a file makes git write it with other bytes, and where that is from.
func rewrites(lines []attributeLine, macros map[string][]gitattributes.Attribute, name []string) (why string, at line) {
	type value struct {
		gitattributes.Attribute
		line
	}
	values := map[string]value{}
	var set func(a gitattributes.Attribute, at line, depth int)
	set = func(a gitattributes.Attribute, at line, depth int) {
		values[a.Name()] = value{a, at}
		if a.IsSet() && depth < 10 {
			for _, inside := range macros[a.Name()] {
				set(inside, at, depth+1)
			}
		}
	}
	for _, l := range lines {
		if l.Pattern.Match(name) {
			for _, a := range l.Attributes {
				set(a, l.line, 0)
			}
		}
	}
	is := func(name string) (gitattributes.Attribute, bool) {
		v, found := values[name]
		return v.Attribute, found
	}
	text, found := is("text")
	binary := found && text.IsUnset()
	if eol, found := is("eol"); found && eol.IsValueSet() && eol.Value() == "crlf" && !binary {
		return "eol=crlf", values["eol"].line
	}
	if ident, found := is("ident"); found && ident.IsSet() {
		return "ident", values["ident"].line
	}
	for _, attribute := range []string{"filter", "working-tree-encoding"} {
		if a, found := is(attribute); found && a.IsValueSet() {
			return attribute + "=" + a.Value(), values[attribute].line
		}
	}
	return "", line{}
}
