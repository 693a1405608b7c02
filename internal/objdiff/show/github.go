package show

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/airshipit/sipgen/internal/text"
)

const (
	// maxAnnotations is how many annotations of one level GitHub keeps of a step.
	maxAnnotations = 10
	// maxMessage bounds the text of one, in bytes.
	maxMessage = 4000
)

// GitHub writes workflow commands, which GitHub Actions shows as annotations: one for each folder of the tree, hosts
// first. It is a warning if a host patch is deleted or a host loses or changes a label, else a notice. GitHub
// silently drops the eleventh annotation of a level; the last one here counts the folders without one, whose changes
// follow as plain lines of the log. Files are not given as places, because they are in another repository than the
// one that is checked out.
func GitHub(w io.Writer, d *objdiff.Diff) error {
	groups := groupsOf(d)
	counts := map[string]int{}
	for _, g := range groups {
		counts[g.level]++
	}
	written := map[string]int{}
	for _, g := range groups {
		n := written[g.level]
		written[g.level]++
		total := counts[g.level]
		text := ""
		if n < maxAnnotations-1 || total <= maxAnnotations {
			text = command(g.level, "sipgen diff: "+g.folder, strings.Join(g.lines, "\n"))
		} else {
			if n == maxAnnotations-1 {
				text = command(g.level, "sipgen diff", fmt.Sprintf("%d more folders change: they are in the log of this step",
					total-n))
			}
			text += g.log()
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	return nil
}

type group struct {
	folder, level string
	lines         []string
}

// log returns the group as plain lines, in which GitHub's runner finds no command: it looks for :: at the beginning
// of a line, and for the older ##[ anywhere.
func (g *group) log() string {
	var b strings.Builder
	for _, line := range append([]string{g.folder}, strings.Split(strings.Join(g.lines, "\n"), "\n")...) {
		b.WriteString("- " + text.Line(line) + "\n")
	}
	return b.String()
}

// groupsOf collects the lines of every folder, in the order of the files.
func groupsOf(d *objdiff.Diff) []*group {
	var out []*group
	at := map[string]*group{}
	for i := range d.Files {
		f := &d.Files[i]
		if f.Derived {
			continue
		}
		folder := path.Dir(f.Path)
		g := at[folder]
		if g == nil {
			g = &group{folder: folder, level: "notice"}
			at[folder] = g
			out = append(out, g)
		}
		if takesLabels(f) {
			g.level = "warning"
		}
		g.lines = append(g.lines, words(f)...)
	}
	return out
}

// takesLabels reports whether a host loses or changes the labels that assign it.
func takesLabels(f *objdiff.File) bool {
	if !f.Host {
		return false
	}
	for i := range f.Objects {
		o := &f.Objects[i]
		if o.Kind != "BareMetalHost" {
			continue
		}
		if o.Status == objdiff.Removed {
			return true
		}
		for _, field := range o.Fields {
			if strings.HasPrefix(field.Path, "metadata.labels") && field.Change != objdiff.FieldAdded {
				return true
			}
		}
	}
	return f.Status == objdiff.Removed && len(f.Objects) == 0
}

// words returns the file's differences, a line for each object.
func words(f *objdiff.File) []string {
	if len(f.Objects) == 0 {
		return []string{fmt.Sprintf("%s %s: %s", path.Base(f.Path), f.Status, byLine(f))}
	}
	var out []string
	for i := range f.Objects {
		o := &f.Objects[i]
		text := fmt.Sprintf("%s %s", o.String(), o.Status)
		if o.Name == "" {
			text = path.Base(f.Path) + ": " + text
		}
		if o.Status == objdiff.Changed {
			var fields []string
			for _, field := range o.Fields {
				if !isDigest(&field) {
					fields = append(fields, string(field.Change)+" "+field.Path)
				}
			}
			text += ": " + strings.Join(fields, ", ")
		}
		out = append(out, short(text))
	}
	return out
}

// command returns one workflow command. Message and title can neither end the line nor the title.
func command(level, title, message string) string {
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	return fmt.Sprintf("::%s title=%s::%s\n", level, property.Replace(text.Line(title)), data.Replace(message))
}
