package objdiff

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/rogpeppe/go-internal/diff"
)

// Unified writes the difference by line, as patch(1) and git apply take it. So it is the one format in which nothing is escaped: a line that differs from
// the file's would not apply. It is for files and pipes, and not for a CI system's log.
func (d *Diff) Unified(w io.Writer) error {
	for i := range d.Files {
		f := &d.Files[i]
		from, to := fileName("a/"+f.Path), fileName("b/"+f.Path)
		if f.Status == Added {
			from = "/dev/null"
		}
		if f.Status == Removed {
			to = "/dev/null"
		}
		if _, err := w.Write(unified(from, f.old, to, f.new)); err != nil {
			return err
		}
	}
	return nil
}

// fileName quotes a name that would not stay on its line.
func fileName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == '"' || r == '\\' }) {
		return strconv.Quote(name)
	}
	return name
}

// unified returns the difference of two texts, without the library's first line, which repeats the names.
func unified(from string, old []byte, to string, new []byte) []byte {
	body := diff.Diff(from, old, to, new)
	if i := bytes.IndexByte(body, '\n'); bytes.HasPrefix(body, []byte("diff ")) && i >= 0 {
		body = body[i+1:]
	}
	return body
}

// hunks returns the difference of two texts without the names.
func hunks(old, new []byte) []string {
	all := strings.Split(strings.TrimSuffix(string(unified("a", old, "b", new)), "\n"), "\n")
	if len(all) < 3 {
		return nil
	}
	return all[2:]
}

func countLines(old, new []byte) (added, removed int) {
	for _, line := range hunks(old, new) {
		switch {
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}
