package objdiff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// String returns "BareMetalHost metal3/node-1", "Kustomization", or "document 2".
func (o *Object) String() string {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + name
	}
	if name = strings.TrimSpace(o.Kind + " " + name); name != "" {
		return name
	}
	return fmt.Sprintf("document %d", o.Document)
}

// JSON writes the difference as JSON: an object of kind Difference with the list "files". apiVersion is that of
// sipgen's output.
func (d *Diff) JSON(w io.Writer, apiVersion string) error {
	out := struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Files      []File `json:"files"`
	}{apiVersion, "Difference", d.Files}
	if out.Files == nil {
		out.Files = []File{}
	}
	return text.JSON(w, out)
}

// MarshalJSON leaves out the side that a change does not have, and keeps a null, an empty text and a zero on the side that it has.
func (f Field) MarshalJSON() ([]byte, error) {
	type side struct {
		Path   string `json:"path"`
		Change Change `json:"change"`
		Old    *any   `json:"old,omitempty"`
		New    *any   `json:"new,omitempty"`
	}
	out := side{Path: f.Path, Change: f.Change}
	if f.Change != FieldAdded {
		out.Old = &f.Old
	}
	if f.Change != FieldRemoved {
		out.New = &f.New
	}
	return json.Marshal(out)
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
func (d *Diff) summary() string {
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
		parts = append(parts, fmt.Sprintf("%s %s", count, []Status{Added, Removed, Changed}[i]))
	}
	return cmp.Or(strings.Join(parts, ", "), "no difference")
}

// byLine returns how many lines of the file differ, or its note.
func (f *File) byLine() string {
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
