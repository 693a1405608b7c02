package show

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/airshipit/sipgen/internal/text"
)

// JSON writes the difference as JSON: an object of kind Difference with the list "files". apiVersion is that of
// sipgen's output.
func JSON(w io.Writer, d *objdiff.Diff, apiVersion string) error {
	out := struct {
		APIVersion string         `json:"apiVersion"`
		Kind       string         `json:"kind"`
		Files      []objdiff.File `json:"files"`
	}{apiVersion, "Difference", d.Files}
	if out.Files == nil {
		out.Files = []objdiff.File{}
	}
	return text.JSON(w, out)
}

// maxValue is how many characters of a value are shown on a line.
const maxValue = 240

// short returns a value for one line of a terminal or a table, cut where it is long.
func short(value string) string { return text.Truncate(text.Verbatim(value), maxValue) }

// apart cuts the common start of two long values, except for the last words before they differ.
func apart(old, new string) (string, string) {
	const kept = 40
	if len(old) <= maxValue && len(new) <= maxValue {
		return old, new
	}
	same := 0
	for same < min(len(old), len(new)) && old[same] == new[same] {
		same++
	}
	from := strings.LastIndexByte(old[:max(0, same-kept)], ' ') + 1
	if from == 0 {
		return old, new
	}
	return "… " + old[from:], "… " + new[from:]
}

// summary counts files: "2 files added, 1 changed".
func summary(d *objdiff.Diff) string {
	added, removed, changed := d.Counts()
	var parts []string
	for i, n := range []int{added, removed, changed} {
		if n == 0 {
			continue
		}
		count := fmt.Sprint(n)
		if len(parts) == 0 {
			count = text.Count(n, "file")
		}
		parts = append(parts, fmt.Sprintf("%s %s", count,
			[]objdiff.Status{objdiff.Added, objdiff.Removed, objdiff.Changed}[i]))
	}
	return cmp.Or(strings.Join(parts, ", "), "no difference")
}

// byLine returns how many lines of the file differ, or its note.
func byLine(f *objdiff.File) string {
	var parts []string
	if f.LinesAdded > 0 {
		parts = append(parts, fmt.Sprintf("%d added", f.LinesAdded))
	}
	if f.LinesRemoved > 0 {
		parts = append(parts, fmt.Sprintf("%d removed", f.LinesRemoved))
	}
	text := "empty"
	if len(parts) > 0 {
		text = "lines: " + strings.Join(parts, ", ")
	}
	if f.Note != "" {
		text += " (" + f.Note + ")"
	}
	return text
}

// sizeOf returns the length of a text of several lines.
func sizeOf(text string) string {
	return fmt.Sprintf("%d lines", strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1)
}
