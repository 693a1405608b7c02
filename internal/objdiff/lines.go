package objdiff

import (
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Hunks returns the lines in which two texts differ, as a unified difference has them below the names.
func Hunks(old, new []byte) []string {
	// The library's first three lines are of the names.
	all := strings.Split(strings.TrimSuffix(string(diff.Diff("a", old, "b", new)), "\n"), "\n")
	if len(all) < 4 {
		return nil
	}
	return all[3:]
}

func countLines(old, new []byte) (added, removed int) {
	for _, line := range Hunks(old, new) {
		switch {
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}
