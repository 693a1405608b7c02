package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/airshipit/sipgen/internal/text"
)

// maxMarkdown is the longest difference in a comment on a pull request, which holds the plan as well (GitHub: 65,536
// characters).
const maxMarkdown = 20_000

// Markdown writes the difference for a comment on a pull request: a table of the hosts' fields, then one of
// everything else. With brief, entirely new folders are summed up as Human does it, and what does not fit is counted by
// what becomes of the files. Values cannot leave their cell or mention users.
func Markdown(w io.Writer, d *objdiff.Diff, brief bool) error {
	var out strings.Builder
	fmt.Fprintf(&out, "**%s**\n", summary(d))
	fresh := freshFolders(d, brief)
	left := &objdiff.Diff{}
	for _, part := range []struct {
		title string
		hosts bool
	}{{"Hosts", true}, {"Everything else", false}} {
		open := false
		for i := range d.Files {
			f := &d.Files[i]
			files, ofFolder := fresh[f.Fresh]
			if f.Derived || ofFolder && f != files[0] || f.Host != part.hosts { // a folder stands where its first file does
				continue
			}
			lines, about := rows(f), []*objdiff.File{f}
			if ofFolder {
				lines, about = text.TableRow(string(objdiff.Added), code(f.Fresh+"/"), freshCounts(f.Fresh, files), "", ""), files
			}
			if brief && (len(left.Files) > 0 || out.Len()+len(lines) > maxMarkdown) {
				for _, f := range about {
					left.Files = append(left.Files, *f)
				}
				continue
			}
			if !open {
				fmt.Fprintf(&out, "\n### %s\n\n%s", part.title, text.TableHead("", "object", "field", "before", "after"))
				open = true
			}
			out.WriteString(lines)
		}
	}
	if len(left.Files) > 0 {
		fmt.Fprintf(&out, "\n… and **%s that do not fit here**: sipgen diff shows them all\n", summary(left))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// freshCounts counts the files and the objects of a new folder.
func freshCounts(name string, files []*objdiff.File) string {
	hosts, objects := freshObjects(name, files)
	parts := []string{text.Count(len(files), "file")}
	if len(hosts) > 0 {
		parts = append(parts, text.Count(len(hosts), "BareMetalHost"))
	}
	return escape(strings.Join(append(parts, objects...), ", "))
}

// rows returns the file's lines of the table.
func rows(f *objdiff.File) string {
	var out strings.Builder
	row := func(cells ...string) { out.WriteString(text.TableRow(cells...)) }
	if len(f.Objects) == 0 {
		row(string(f.Status), code(f.Path), escape(byLine(f)), "", "")
		return out.String()
	}
	for i := range f.Objects {
		o := &f.Objects[i]
		name := code(o.String())
		if o.Name == "" {
			name = code(f.Path) + " " + name
		}
		if o.Status != objdiff.Changed {
			row(string(o.Status), name, "", "", "")
		}
		for _, field := range o.Fields {
			if isDigest(&field) {
				continue
			}
			if o.Status == objdiff.Changed || f.Host && strings.HasPrefix(field.Path, "metadata.labels") {
				before, after := sides(&field)
				row(whatChanged(&field), name, code(field.Path), before, after)
			}
		}
	}
	return out.String()
}

// whatChanged returns "label removed" for a field that goes from an object that stays: "removed" is the object.
func whatChanged(f *objdiff.Field) string {
	switch {
	case f.Change != objdiff.FieldAdded && f.Change != objdiff.FieldRemoved:
		return string(f.Change)
	case strings.HasPrefix(f.Path, "metadata.labels"):
		return "label " + string(f.Change)
	}
	return "field " + string(f.Change)
}

func sides(f *objdiff.Field) (before, after string) {
	side := func(value any) string {
		if text, many := lines(value); many {
			return sizeOf(text)
		}
		return code(wordsOf(value))
	}
	if f.Change != objdiff.FieldAdded {
		before = side(f.Old)
	}
	if f.Change != objdiff.FieldRemoved {
		after = side(f.New)
	}
	return before, after
}

// code returns text in a code element of HTML. The backticks of Markdown would not do: within a table, no text can be
// quoted in them that ends in a backslash.
func code(text string) string { return "<code>" + escape(text) + "</code>" }

// escape writes every character as an entity that Markdown or a forge gives a meaning to.
func escape(text string) string {
	var out strings.Builder
	for _, r := range short(text) {
		if r < 0x80 && strings.ContainsRune("&<>\"'`*_~[](){}!#@|\\$^+", r) {
			fmt.Fprintf(&out, "&#%d;", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}
