package steering

import (
	"path"
	"strings"

	"github.com/airshipit/sipgen/internal/redact"
)

// changed are the files that git writes with other bytes when it checks them out, by the line that says so. Argo CD has git check out the repository; Flux reads
// the files as they are. read are the files of the tree that the engine reads.
func changed(tree, read []string, others []File) (problems []error) {
	readings := []attributeRules{readAttributes(others, fromIndex), readAttributes(others, fromFile)}
	if len(readings[0].lines)+len(readings[1].lines) == 0 {
		return nil
	}
	var order []line
	by := map[line][]string{}
	what := map[line]string{}
	for _, name := range read {
		for _, rules := range readings {
			why, at := rewrites(rules.of(name))
			if why == "" {
				continue
			}
			if by[at] == nil {
				order = append(order, at)
			}
			by[at], what[at] = append(by[at], name), why
			break
		}
	}
	for _, at := range order {
		problems = append(problems, redact.Errorf("%s: line %d: git checks out %s for Argo CD with different bytes than sipgen wrote (%s); remove the line, or add this one at the end of the file: %s -text -ident -filter -working-tree-encoding",
			at.file, at.number, files(by[at]), what[at], covering(tree, at.file)))
	}
	return problems
}

// covering is a pattern for a .gitattributes file that matches all files of the tree that the file applies to.
func covering(tree []string, attributes string) string {
	top, _ := path.Split(attributes)
	var common []string
	first := true
	for _, name := range tree {
		below, is := strings.CutPrefix(name, top)
		if !is {
			continue
		}
		folders := strings.Split(below, "/")
		folders = folders[:len(folders)-1]
		if first {
			common, first = folders, false
			continue
		}
		same := 0
		for same < min(len(common), len(folders)) && common[same] == folders[same] {
			same++
		}
		common = common[:same]
	}
	pattern := "/"
	for _, folder := range common {
		if strings.ContainsAny(folder, "*?[\\\""+blank) {
			break // a wider pattern needs no quotes
		}
		pattern += folder + "/"
	}
	return pattern + "**"
}

// rewrites says which attribute of a file makes git write it with other bytes, or not at all, and where that is from.
func rewrites(values map[string]found) (why string, at line) {
	text, crlf, eol := values["text"], values["crlf"], values["eol"]
	// crlf is the old name of text, which git asks where text says nothing that it knows.
	known := text.state == set || text.state == unset || text.state == valued && (text.value == "auto" || text.value == "input")
	binary := text.state == unset || !known && crlf.state == unset
	if eol.state == valued && eol.value == "crlf" && !binary {
		return "eol=crlf", eol.line
	}
	if ident := values["ident"]; ident.state == set {
		return "ident", ident.line
	}
	if filter := values["filter"]; filter.state == valued {
		return "filter=" + filter.value, filter.line
	}
	switch encoding := values["working-tree-encoding"]; {
	case encoding.state == set:
		return "working-tree-encoding without a value, which makes the checkout fail", encoding.line
	case encoding.state == valued && encoding.value != "" && !strings.EqualFold(encoding.value, "utf-8") && !strings.EqualFold(encoding.value, "utf8"):
		return "working-tree-encoding=" + encoding.value, encoding.line
	}
	return "", line{}
}
