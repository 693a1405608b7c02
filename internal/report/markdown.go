package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/airshipit/sipgen/internal/text"
)

// maxMarkdown is the longest plan in a comment, which holds the difference of the tree as well.
const maxMarkdown = 25_000

// Markdown describes the changes of the plan for a comment: dangers and problems first, then a table of the changed
// hosts for each cluster. What does not fit is counted by what becomes of it. With all, hosts without a change have
// rows, and nothing is left out.
func Markdown(p *Plan, all bool) string {
	b := &body{left: maxMarkdown}
	if all {
		b.left = math.MaxInt
	}
	b.add(p.Summary() + "\n")
	b.dangers("\n**Dangers**\n\n", p.dangers())
	b.changes(p)
	var problems []string
	for _, problem := range p.Problems() {
		problems = append(problems, bounded(problem))
	}
	b.list("\n", problems, b.left/2, "problem", "problems")
	b.clusters(p, all, "sipgen plan --all shows")
	return b.out.String()
}

// maxBody is the longest body of a pull request that forges accept (GitHub: 65,536 characters), less room for the
// cut.
const maxBody = 65_000

// maxDangers bounds the dangers of a commit message, which has the hosts as well, in bytes, and mostDangers their
// number: what becomes of a host has a line of its own further down, which sipgen history reads.
const (
	maxDangers  = maxBody / 2
	mostDangers = 50
)

// CommitMessage returns a subject line and a body for the changes of a run: counts in the subject; dangers, the
// changed hosts of every cluster, problems, and last the numbers of changed files, in the body.
//
// subject replaces the subject line if it is not empty.
func CommitMessage(p *Plan, subject string) string {
	areas := Areas(paths(p.Files))
	if subject == "" {
		subject = strings.Join(append([]string{inert(p.Site) + ": " + text.Count(p.Totals().Assigned, "host") + " assigned"},
			p.changedParts(areas)...), ", ")
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n\n", subject)
	line := func(words string) string { return "danger: " + inert(bounded(words)) + "\n" }
	dangers := p.dangers()
	shown := fairly(dangers, maxDangers, func(words string) int {
		return max(len(line(words)), maxDangers/mostDangers)
	})
	for _, danger := range shown {
		out.WriteString(line(danger.words))
	}
	if len(shown) < len(dangers) {
		out.WriteString(line("… and " + moreDangers(dangers, shown) + "; " + AllDangers))
	}
	changes := Changes(p)
	for _, change := range changes[:min(len(changes), mostDangers)] {
		out.WriteString("change: " + inert(bounded(change)) + "\n")
	}
	if more := len(changes) - mostDangers; more > 0 {
		fmt.Fprintf(&out, "change: … and %s; %s\n", text.Plural(more, "more change", "more changes"), AllDangers)
	}
	fmt.Fprintf(&out, "%s\n", p.Summary())
	if p.OneList {
		out.WriteString("Each cluster's folder gets a list of sipgen's files and a PLAN.md of its own, once: .sipgen.yaml had all files,\n" +
			"so any two proposals were in conflict.\n")
	}
	for i := range p.Clusters {
		if lines := p.Clusters[i].changedSlots(); lines != "" {
			fmt.Fprintf(&out, "\n%s\n%s", inert(p.Clusters[i].Key()), lines)
		}
	}
	untold := slices.DeleteFunc(slices.Clone(dangers), func(d danger) bool { // no other line names a host that is gone
		return d.kind != missing || slices.Contains(shown, d)
	})
	if problems := append(sentences(untold), p.Problems()...); len(problems) > 0 {
		out.WriteString("\n")
		for _, problem := range problems {
			fmt.Fprintf(&out, "%s\n", inert(bounded(problem)))
		}
	}
	if len(areas) > 0 {
		out.WriteString("\nChanged files\n")
		for _, area := range areas {
			fmt.Fprintf(&out, "  %s: %d\n", inert(area.Name), area.Files)
		}
	}
	return Cut(out.String(), maxBody)
}

// changedParts counts the changes of the placement or, if there are none, names the other changes.
func (p *Plan) changedParts(areas []Area) []string {
	t := p.Totals()
	free, stuck := 0, 0
	for i := range p.Freed {
		if p.Freed[i].But == "" {
			free++
		} else {
			stuck++
		}
	}
	var parts []string
	for _, part := range []struct {
		n    int
		text string
	}{{t.New, "new"}, {t.Promoted, "promoted"}, {t.Adopted, "adopted"}, {t.Released, "released"}, {free,
		"now free"}, {stuck, "not free"}, {t.Pending, "release pending"}, {t.Failed, "failed"}, {t.Short, "short"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.text))
		}
	}
	if len(p.left) > 0 {
		parts = append(parts, text.Count(len(p.left), "cluster")+" left")
	}
	if len(parts) > 0 {
		return parts
	}
	for _, area := range areas {
		parts = append(parts, inert(area.Name)+" changed")
	}
	if len(parts) > 3 {
		parts = append(parts[:2], fmt.Sprintf("%d more changed", len(parts)-2))
	}
	return parts
}

// changedSlots has a line for each host of the cluster that a run changes.
func (c *ClusterResult) changedSlots() string {
	var out strings.Builder
	for j := range c.Roles {
		role := &c.Roles[j]
		for _, slot := range role.Slots {
			if !slot.changed() {
				continue
			}
			var line strings.Builder
			fmt.Fprintf(&line, "  %-8s %s  %s", slot.Status.words(), inert(slot.Host), inert(role.Name))
			if slot.Standby {
				line.WriteString(" standby")
			}
			if slot.Domain != "" {
				line.WriteString("  " + inert(slot.Domain))
			}
			if len(slot.Addresses) > 0 {
				line.WriteString("  " + inert(strings.Join(slot.Addresses, " ")))
			}
			notes := slot.Changes
			if slot.From != "" {
				notes = append(slices.Clone(notes), slot.From+" had it")
			}
			if slot.Why != "" && slot.Status != StatusNew {
				notes = append(slices.Clone(notes), slot.Why)
			}
			if len(notes) > 0 {
				line.WriteString("  (" + inert(strings.Join(notes, "; ")) + ")")
			}
			out.WriteString(uncommanded(line.String()) + "\n") // a role's name and a domain may be an order together
		}
	}
	return out.String()
}

// maxSentence is the longest danger or problem in a commit and a pull request, and the longest cell and line of the
// table on a terminal, in characters. Without it, a long one of a tenant would push the following ones out of the text.
const maxSentence = 1000

func bounded(sentence string) string { return text.Truncate(sentence, maxSentence) }

// maxCommand is the longest command that is printed whole: half a command is none, and those for many hosts are long.
const maxCommand = 50000

// fixWords stand before the command that fixes a finding.
const fixWords = "; fix it with: kubectl "

// withCommand is bounded, but for the command that fixes a finding.
func withCommand(sentence string) string {
	words, command, found := strings.Cut(sentence, fixWords)
	if !found {
		return bounded(sentence)
	}
	return bounded(words) + fixWords + text.Truncate(command, maxCommand)
}

// Cut shortens body to at most limit bytes at a line's end, and adds the number of omitted lines.
func Cut(body string, limit int) string {
	if len(body) <= limit {
		return body
	}
	kept := body[:limit-100]
	for !utf8.ValidString(kept) {
		kept = kept[:len(kept)-1]
	}
	if end := strings.LastIndexByte(kept, '\n'); end > 0 {
		kept = kept[:end+1]
	}
	rest := strings.Count(body[len(kept):], "\n")
	return fmt.Sprintf("%s\n… %s; sipgen plan shows them all\n", kept, text.Count(rest, "more line"))
}
