package show

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/airshipit/sipgen/internal/text"
)

// The colors of a terminal (ECMA-48, select graphic rendition).
const (
	bold   = "\x1b[1m"
	green  = "\x1b[32m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	reset  = "\x1b[0m"
)

// Human writes the difference for a terminal: files with their objects, objects with their fields, with "+" for
// added, "-" removed, "~" changed. For an object that is added or removed only the labels are shown. Files that only
// follow from the others are named in one line at the end.
//
// With brief, entirely new folders, as in a first tree, are summed up: each host is a line, and other objects are
// counted by kind.
func Human(w io.Writer, d *objdiff.Diff, color, brief bool) error {
	out := bufio.NewWriter(w)
	p := &printer{out, color}
	var derived []string
	fresh, more := freshFolders(d, brief), ""
	for i := range d.Files {
		f := &d.Files[i]
		files, ok := fresh[f.Fresh]
		switch {
		case f.Derived:
			derived = append(derived, f.Path)
		case !ok:
			p.file(f)
		case f == files[0]: // the others are shown with the first
			p.fresh(f.Fresh, files)
			more = "; --all shows each file of what is new"
		}
	}
	if len(derived) > 0 {
		verb := "change"
		if len(derived) == 1 {
			verb = "changes"
		}
		fmt.Fprintf(out, "%s %s accordingly\n", strings.Join(derived, " and "), verb)
	}
	if len(d.Files) > 0 {
		fmt.Fprintf(out, "\n%s%s\n", summary(d), more)
	}
	return out.Flush()
}

// freshFolders returns the files of folders that are entirely new and have several; none if not brief.
func freshFolders(d *objdiff.Diff, brief bool) map[string][]*objdiff.File {
	fresh := map[string][]*objdiff.File{}
	for i := range d.Files {
		if f := &d.Files[i]; brief && f.Fresh != "" && !f.Derived {
			fresh[f.Fresh] = append(fresh[f.Fresh], f)
		}
	}
	maps.DeleteFunc(fresh, func(_ string, files []*objdiff.File) bool { return len(files) == 1 })
	return fresh
}

// fresh writes the new objects of a folder.
func (p *printer) fresh(name string, files []*objdiff.File) {
	hosts, counted := freshObjects(name, files)
	p.line(0, "", fmt.Sprintf("%s/: added, %s", text.Verbatim(name), text.Count(len(files), "file")))
	for _, host := range hosts {
		p.line(2, "+", short(host))
	}
	if len(counted) > 0 {
		p.line(2, "+", short(strings.Join(counted, ", ")))
	}
}

// freshObjects returns the hosts of a new folder with their labels, and counts its other objects by kind.
func freshObjects(name string, files []*objdiff.File) (hosts, counted []string) {
	kinds := map[string]int{}
	for _, f := range files {
		for i := range f.Objects {
			o := &f.Objects[i]
			switch {
			case f.Host && o.Kind == "BareMetalHost":
				hosts = append(hosts, o.String()+": "+strings.Join(labelsOf(o), ", "))
			case o.Kind != "" && o.Kind != "Kustomization" || strings.HasPrefix(name, "flux"):
				kinds[o.Kind]++
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		counted = append(counted, text.Plural(kinds[kind], kind, kindsOf(kind)))
	}
	return hosts, counted
}

// kindsOf returns a kind's plural.
func kindsOf(kind string) string {
	switch stem, y := strings.CutSuffix(kind, "y"); {
	case y && !strings.ContainsAny(kind[max(0, len(kind)-2):len(kind)-1], "aeiou"):
		return stem + "ies"
	case strings.HasSuffix(kind, "s"), strings.HasSuffix(kind, "x"), strings.HasSuffix(kind, "ch"):
		return kind + "es"
	}
	return kind + "s"
}

// labelsOf returns the labels of an object that is added, their keys without the domain.
func labelsOf(o *objdiff.Object) []string {
	var out []string
	for _, field := range o.Fields {
		key, ok := strings.CutPrefix(field.Path, "metadata.labels")
		if !ok {
			continue
		}
		key = strings.Trim(key, `.[]"`)
		out = append(out, key[strings.LastIndex(key, "/")+1:]+"="+textOf(field.New))
	}
	return out
}

type printer struct {
	out   *bufio.Writer
	color bool
}

// colors are those of a line by its mark; a line without one is a heading.
var colors = map[string]string{"": bold, "+": green, "-": red, "~": yellow}

// line writes one line; mark decides the color.
func (p *printer) line(indent int, mark, text string) {
	open, shut := colors[mark], reset
	if !p.color || open == "" {
		open, shut = "", ""
	}
	if mark != "" {
		mark += " "
	}
	fmt.Fprintf(p.out, "%s%s%s%s%s\n", strings.Repeat(" ", indent), open, mark, text, shut)
}

var marks = map[objdiff.Status]string{objdiff.Added: "+", objdiff.Removed: "-", objdiff.Changed: "~"}

func (p *printer) file(f *objdiff.File) {
	p.line(0, "", fmt.Sprintf("%s: %s", text.Verbatim(f.Path), f.Status))
	if len(f.Objects) == 0 {
		p.lines(f)
		return
	}
	for i := range f.Objects {
		o := &f.Objects[i]
		p.line(2, marks[o.Status], short(o.String()))
		for _, field := range o.Fields {
			if isDigest(&field) {
				continue
			}
			if o.Status == objdiff.Changed || strings.HasPrefix(field.Path, "metadata.labels") {
				p.field(field)
			}
		}
	}
}

func (p *printer) lines(f *objdiff.File) {
	if f.Note != "" {
		p.line(2, "#", f.Note)
	}
	if f.Status != objdiff.Changed {
		p.line(2, "#", byLine(f))
		return
	}
	p.hunks(2, objdiff.Hunks(f.Old, f.New))
}

func (p *printer) hunks(indent int, all []string) {
	all = slices.Clone(all)
	for i := 1; i < len(all); i++ { // a line that takes the place of one
		if old, ok := strings.CutPrefix(all[i-1], "-"); ok && strings.HasPrefix(all[i], "+") {
			old, new := apart(old, all[i][1:])
			all[i-1], all[i] = "-"+old, "+"+new
		}
	}
	for _, line := range all {
		mark, rest := " ", line
		switch {
		case strings.HasPrefix(line, "@@"):
			mark = "@@"
			rest = strings.TrimPrefix(line, "@@ ")
		case line != "":
			mark, rest = line[:1], line[1:]
		}
		p.line(indent, mark, short(rest))
	}
}

func (p *printer) field(f objdiff.Field) {
	path := short(f.Path)
	mark, value := "+", f.New
	if f.Change == objdiff.FieldRemoved {
		mark, value = "-", f.Old
	}
	old, isOld := lines(f.Old)
	new, isNew := lines(f.New)
	switch {
	case f.Change == objdiff.FieldReordered:
		p.line(4, "~", path+": in another order: "+short(textOf(f.Old))+" → "+short(textOf(f.New)))
	case f.Change == objdiff.FieldChanged && isOld && isNew:
		p.line(4, "~", path+":")
		p.hunks(6, objdiff.Hunks([]byte(old), []byte(new)))
	case f.Change == objdiff.FieldChanged:
		before, after := apart(textOf(f.Old), textOf(f.New))
		p.line(4, "~", path+": "+short(before)+" → "+short(after))
	case isOld || isNew:
		p.line(4, mark, path+": "+sizeOf(old+new))
	default:
		p.value(mark, path, value)
	}
}

// value is a field that comes or goes: of a list of objects each is a line.
func (p *printer) value(mark, path string, value any) {
	items, isList := value.([]any)
	if isList && len(items) > 0 && !slices.ContainsFunc(items,
		func(item any) bool { _, is := item.(map[string]any); return !is }) {
		for _, item := range items {
			p.line(4, mark, path+"[]: "+short(inFields(item)))
		}
		return
	}
	p.line(4, mark, path+": "+short(inFields(value)))
}

// inFields returns a mapping by its fields on one line, as YAML would have it there without the outer braces;
// anything else is as textOf has it.
func inFields(value any) string {
	fields, ok := value.(map[string]any)
	if !ok || len(fields) == 0 {
		return textOf(value)
	}
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		words := inFields(fields[key])
		if inner, nested := fields[key].(map[string]any); nested && len(inner) > 0 {
			words = "{" + words + "}"
		}
		parts = append(parts, key+": "+words)
	}
	return strings.Join(parts, ", ")
}
