package manifest

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
)

// unit is the size of each of the files that owned writes.
const unit = 1 << 10

// owned is a folder with so many files in the folders of owners.
func owned(t *testing.T, files map[string]int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "specs")
	for folder, n := range files {
		for i := range n {
			text := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: f%d}\n", i)
			text += "#" + strings.Repeat("x", unit-len(text)-1)
			need.Write(t, filepath.Join(dir, folder, fmt.Sprintf("f%02d.yaml", i)), text)
		}
	}
	return dir
}

// owner has a file: bank, edge, zoo, or nobody.
func owner(file string) string {
	return regexp.MustCompile(`(?:/(bank|edge|zoo)/.*)?$`).FindStringSubmatch(file)[1]
}

// Too many files of one owner are that one's problem: none of them is read, everybody else's are. Nobody's are
// everybody's problem.
func TestTooManyFilesOfOneOwner(t *testing.T) {
	for _, row := range []struct {
		why              string
		bank, edge, none int
		// read is how many documents there are, of whom is in an error, fatal: it is no file's.
		read        int
		says, fatal bool
	}{
		{"all within", 3, 3, 3, 9, false, false},
		{"one too many in one folder", 4, 3, 1, 4, true, false},
		{"one too many of nobody's", 1, 1, 4, 0, false, true},
	} {
		t.Run(row.why, func(t *testing.T) {
			dir := owned(t, map[string]int{"bank/deep": row.bank, "edge": row.edge, ".": row.none})
			limits := Specs
			limits.Files = 3
			docs, err := limits.Of(owner).Read([]string{dir}, nil)
			var of *FileError
			if said := errors.As(err, &of); said != row.says || (err != nil) != (row.says || row.fatal) {
				t.Fatalf("found %v, want a file's problem: %t, an error: %t", err, row.says, row.says || row.fatal)
			}
			if row.says && (owner(of.File) != "bank" ||
				!strings.Contains(err.Error(), "more than 3 files in folder bank") ||
				strings.Contains(err.Error(), "\n")) {
				t.Errorf("found %v of %s, want it said once, of a file in bank", err, of.File)
			}
			if !row.fatal && len(docs) != row.read {
				t.Errorf("%d documents are read, want %d", len(docs), row.read)
			}
		})
	}
}

// Too many bytes of one owner are that one's problem, too, and where all have too many together, they are of whoever
// has the most: in whatever order the folders are named, the others are read.
func TestTooManyBytesOfOneOwner(t *testing.T) {
	for _, row := range []struct {
		why                       string
		bank, edge, zoo, ofNobody int
		// read is how many files are, and whose are not, with what is said. fatal: it is no owner's.
		read        int
		whose, says string
	}{
		{"all within", 4, 4, 4, 4, 16, "", ""},
		{"one more than an owner may", 9, 2, 2, 1, 5, "bank",
			"in the files of folder bank, want at most that: none of them is read; the largest: "},
		{"two owners", 9, 2, 9, 1, 3, "bank zoo", "folder zoo"},
		{"each within, and together too many", 5, 5, 7, 4, 14, "zoo",
			"in the files of all folders, and those of folder zoo have the most"},
		{"as many of two: the first by name", 7, 1, 7, 6, 14, "bank", "those of folder bank have the most"},
		{"nobody's are the most, but within", 1, 1, 1, 19, 20, "bank edge", "those of folder bank have the most"},
		{"nobody's are everybody's problem", 1, 1, 1, 21, 20, "", "with this file more than 0 MiB are read"},
	} {
		t.Run(row.why, func(t *testing.T) {
			dir := owned(t, map[string]int{"bank": row.bank, "edge": row.edge, "zoo": row.zoo, ".": row.ofNobody})
			limits := Specs
			limits.Own, limits.Total = 8*unit, 20*unit
			docs, err := limits.Of(owner).Read([]string{dir}, nil)
			assert.Equal(t, row.read, len(docs))
			if row.says == "" && err != nil ||
				row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)) {
				t.Fatalf("found %v, want %q", err, row.says)
			}
			if row.whose == "" {
				return
			}
			var found []string
			for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
				for _, file := range flat(e) {
					found = append(found, owner(file.File))
				}
			}
			assert.Equal(t, row.whose, strings.Join(found, " "), found)
		})
	}
}

// flat are the files that an error is of.
func flat(err error) []*FileError {
	if file, ok := err.(*FileError); ok {
		return []*FileError{file}
	}
	var out []*FileError
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			out = append(out, flat(e)...)
		}
	}
	return out
}
