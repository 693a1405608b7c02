package finding

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/text"
)

// The colors of a terminal (ECMA-48, select graphic rendition).
const (
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	faint  = "\x1b[2m"
	reset  = "\x1b[0m"
)

// Human writes the findings for a person at a terminal, errors first: each with its fix on the line below, and one for
// hosts with one cause.
func Human(w io.Writer, findings []Finding, color bool) error {
	out := bufio.NewWriter(w)
	findings = oneEachCause(findings)
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Compare(order(a.Severity), order(b.Severity))
	})
	for i := range findings {
		f := &findings[i]
		open, dim, shut := "", "", ""
		if color {
			open, dim, shut = yellow, faint, reset
			if f.Severity == Error {
				open = red
			}
		}
		prefix := ""
		if place := f.Place.String(); place != "" {
			prefix = place + ": "
		}
		fmt.Fprintf(out, "%s%s%s %s%s: %s\n    %s%s%s\n", prefix, open, f.Severity, f.Code, shut, f.text(), dim,
			text.Line(f.Fix), shut)
	}
	return out.Flush()
}

// order is the place of a severity: errors are read first.
func order(s Severity) int { return slices.Index([]Severity{Error, Warning}, s) }

// oneEachCause returns the findings with one for all hosts with the same cause: it is about the first of them, and has
// the number of the others.
func oneEachCause(findings []Finding) (out []Finding) {
	first, others := map[Finding]int{}, map[int]int{}
	for _, f := range findings {
		if !f.Object.IsHost() {
			out = append(out, f)
			continue
		}
		itself := regexp.MustCompile(`\b(` + regexp.QuoteMeta(f.Object.Key()) + `|` + regexp.QuoteMeta(f.Object.Name) + `)\b`)
		cause := Finding{Code: f.Code, Severity: f.Severity, Field: f.Field,
			Message: itself.ReplaceAllString(f.Message, "\x00"), Fix: itself.ReplaceAllString(f.Fix, "\x00")}
		if at, seen := first[cause]; seen {
			others[at]++
			continue
		}
		first[cause] = len(out)
		out = append(out, f)
	}
	for at, n := range others {
		out[at].Object.Others = n
	}
	return out
}

// JSON writes the findings as JSON: an object of kind Findings with the list "findings".
func JSON(w io.Writer, findings []Finding) error {
	if findings == nil {
		findings = []Finding{}
	}
	return text.JSON(w, struct {
		APIVersion string    `json:"apiVersion"`
		Kind       string    `json:"kind"`
		Findings   []Finding `json:"findings"`
	}{v1alpha1.APIVersion, "Findings", findings})
}

// maxAnnotations is how many annotations of one level GitHub keeps of a step.
const maxAnnotations = 10

// GitHub writes workflow commands, which GitHub Actions shows as annotations at the lines of the specs. GitHub keeps
// ten of a level and silently drops the rest: these are in the job's log, and the tenth annotation mentions it.
func GitHub(w io.Writer, findings []Finding) error {
	out := bufio.NewWriter(w)
	findings = oneEachCause(findings)
	errors, warnings := Counts(findings)
	for _, level := range []struct {
		severity Severity
		total    int
	}{{Error, errors}, {Warning, warnings}} {
		n := 0
		for i := range findings {
			f := &findings[i]
			if f.Severity != level.severity {
				continue
			}
			if n++; n < maxAnnotations || level.total <= maxAnnotations {
				out.WriteString(f.command())
				continue
			}
			if n == maxAnnotations {
				fmt.Fprintf(out, "::%s title=sipgen lint::%d more are in the log of this step\n", level.severity, level.total-n+1)
			}
			fmt.Fprintf(out, "- %s\n", inert(fmt.Sprintf("%s: %s %s: %s", f.Place, f.Severity, f.Code, f.text())))
		}
	}
	return out.Flush()
}

// command returns one workflow command (GitHub: "Workflow commands for GitHub Actions"). A value can end neither the
// line nor its property.
func (f *Finding) command() string {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	place := ""
	if f.Place.File != "" {
		place = "file=" + property.Replace(text.Line(f.Place.File)) + ","
		if f.Place.Line > 0 {
			place += fmt.Sprintf("line=%d,", f.Place.Line)
		}
	}
	return fmt.Sprintf("::%s %stitle=%s::%s%%0A%s\n", f.Severity, place,
		property.Replace("sipgen lint "+f.Code), data.Replace(inert(f.text())), data.Replace(inert(text.Line(f.Fix))))
}

// inert takes the older form of a command apart, which GitHub's runner finds anywhere in a line.
func inert(text string) string { return strings.ReplaceAll(text, "##[", "# #[") }
