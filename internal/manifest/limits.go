package manifest

import (
	"bytes"
	"fmt"

	yamlv3 "go.yaml.in/yaml/v3"
)

// Limits bound the input, so that no file can take all memory or run for hours. Every field has to be set.
type Limits struct {
	// File and Total are bytes: of one file, and of all that one call reads. Own is of all files of one owner; see Of.
	// One is of one document of an owner: reading a single long string takes some 25 times its size in memory.
	File, Total, Own, One int64
	// Values bounds the values in the documents of one owner, counted by the marks between them: line ends, commas,
	// colons and brackets. A byte of YAML takes about 200 bytes of memory if each is a value. OneValues is the same
	// for one document.
	Values, OneValues int
	// Files that one call reads, and Documents in one file; the items of a List are documents.
	Files, Documents int
	// Depth of mappings and lists within one another.
	Depth int
	// Aliases is how many bytes the expansion of YAML aliases may add to a document.
	Aliases int64
	// Empty has Read report files below paths that have nothing but comments in them, each as a *FileError with
	// ErrEmpty.
	Empty bool

	// Faulty makes an object that cannot be read a Document with a Fault, if its kind and name can: it does not concern
	// the other objects.
	Faulty bool

	// owner returns the owner of a file, by its name in messages; empty for none.
	owner func(file string) string
}

// Of counts Files for each owner by itself, and reads at most Own bytes of each. Too many files of one owner are that
// owner's problem, a *FileError, and none of them is read. If all owners together are above Total, the files of the
// largest are not read. owner returns "" for files without an owner; too many of those stop the run.
func (l Limits) Of(owner func(file string) string) Limits {
	l.owner = owner
	return l
}

// fileCount counts files by their owners.
type fileCount struct {
	limits Limits
	of     map[string]int
}

// add counts a file. The error comes once, for the first file too many; it is a *FileError if the file has an owner.
func (c *fileCount) add(file, where string) (whose string, tooMany bool, err error) {
	if c.limits.owner != nil {
		whose = c.limits.owner(file)
	}
	if c.of == nil {
		c.of = map[string]int{}
	}
	c.of[whose]++
	switch n := c.of[whose]; {
	case n <= c.limits.Files:
		return whose, false, nil
	case whose == "":
		return whose, true, fmt.Errorf("%s: more than %d files", where, c.limits.Files)
	case n == c.limits.Files+1:
		return whose, true, &FileError{file, fmt.Errorf("%s: more than %d files in folder %s, want at most that: none of them is read", file, c.limits.Files, whose)}
	}
	return whose, true, nil
}

var (
	// Specs are the limits of handwritten files: a SIPCluster has a few kilobytes, and an API server accepts at most
	// 3 MiB.
	Specs = Limits{File: 16 << 20, Total: 256 << 20, Own: 16 << 20, One: 4 << 20, Values: 600_000, OneValues: 200_000,
		Files: 20_000, Documents: 20_000, Depth: 100, Aliases: 16 << 20}
	// Inventory are the limits of an inventory. One of 100,000 hosts is about 300 MiB, and may be one file, or three
	// files a host.
	Inventory = Limits{File: 1 << 30, Total: 2 << 30, Files: 1_000_000, Documents: 1_000_000, Depth: 100,
		Aliases: 64 << 20, Faulty: true}
)

// device bounds the input from a terminal or another device, which may have no end.
const device = 16 << 20

func megabytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// valuesIn is about how many values a text of YAML or JSON has: never fewer, and some more where strings have marks in
// them.
func valuesIn(text []byte) int {
	n := 1
	for _, mark := range []byte("\n,:[{") {
		n += bytes.Count(text, []byte{mark})
	}
	return n + bytes.Count(text, []byte("- ")) // nested lists can be on one line
}

// depthOf returns the depth of the mappings and lists of a JSON text. It stops above most.
func depthOf(text []byte, most int) int {
	depth, deepest, inString := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
			if deepest = max(deepest, depth); deepest > most {
				return deepest
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// CheckOne returns what is wrong with the size of one document, "" for nothing. It is cheap: nothing is parsed.
func (l Limits) CheckOne(text []byte) string {
	switch {
	case int64(len(text)) > l.One:
		return fmt.Sprintf("%d bytes, want at most %d", len(text), l.One)
	case valuesIn(text) > l.OneValues:
		return fmt.Sprintf("more than %d values", l.OneValues)
	}
	return ""
}

// CheckAliases returns what is wrong with a document's aliases, "" for nothing. An alias takes a few bytes and stands
// for any number, including other aliases: two kilobytes of text can expand to gibibytes.
func (l Limits) CheckAliases(text []byte) string {
	if !mayHold(text, '&') || !mayHold(text, '*') {
		return ""
	}
	if int64(len(text)) > 2*l.Aliases {
		return fmt.Sprintf("aliases in a document of more than %s", megabytes(2*l.Aliases))
	}
	var root yamlv3.Node
	if yamlv3.Unmarshal(text, &root) != nil {
		return "" // the decoder reports it, by the same rules
	}
	size := sizes{known: map[*yamlv3.Node]int64{}, most: int64(len(text)) + l.Aliases}
	switch n := size.of(&root); {
	case size.loop:
		return "an anchor that holds an alias of itself"
	case n > size.most:
		return fmt.Sprintf("its aliases stand for more than %s", megabytes(l.Aliases))
	}
	return ""
}

// mayHold reports whether a text may have an anchor (&name) or an alias (*name): the mark at the start of a value.
func mayHold(text []byte, mark byte) bool {
	for from := 0; ; {
		i := bytes.IndexByte(text[from:], mark)
		if i < 0 {
			return false
		}
		at := from + i
		if at == 0 || bytes.IndexByte([]byte(" \t\r\n[{,:?-"), text[at-1]) >= 0 {
			if at+1 < len(text) && bytes.IndexByte([]byte(" \t\r\n"), text[at+1]) < 0 {
				return true
			}
		}
		from = at + 1
	}
}

// sizes are the bytes of nodes with every alias expanded.
type sizes struct {
	known map[*yamlv3.Node]int64
	most  int64
	loop  bool
}

// of returns at most a little more than most.
func (s *sizes) of(node *yamlv3.Node) int64 {
	if n, done := s.known[node]; done {
		if n < 0 {
			s.loop = true
		}
		return max(n, 0)
	}
	s.known[node] = -1 // under way
	n := int64(len(node.Value)) + 2
	if node.Kind == yamlv3.AliasNode {
		n = s.of(node.Alias)
	}
	for _, child := range node.Content {
		if n += s.of(child); n > s.most {
			n = s.most + 1
			break
		}
	}
	s.known[node] = n
	return n
}
