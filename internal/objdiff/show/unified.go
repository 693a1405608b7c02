package show

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/airshipit/sipgen/internal/objdiff"
)

// Unified writes the difference by line, as patch(1) and git apply take it. So it is the one format in which nothing
// is escaped: a line that differs from the file's would not apply. It is for files and pipes, and not for a CI
// system's log.
func Unified(w io.Writer, d *objdiff.Diff) error {
	for i := range d.Files {
		f := &d.Files[i]
		from, to := fileName("a/"+f.Path), fileName("b/"+f.Path)
		if f.Status == objdiff.Added {
			from = "/dev/null"
		}
		if f.Status == objdiff.Removed {
			to = "/dev/null"
		}
		hunks := objdiff.Hunks(f.Old, f.New)
		if len(hunks) == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "--- %s\n+++ %s\n%s\n", from, to, strings.Join(hunks, "\n")); err != nil {
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
