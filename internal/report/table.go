package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	prettytext "github.com/jedib0t/go-pretty/v6/text"

	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
)

// TableOptions are options for the table on a terminal.
type TableOptions struct {
	// Wide adds the reasons and the uids.
	Wide bool
	// Changes leaves out the hosts that stay as they are, and counts them.
	Changes bool
	// Color marks what comes, goes and falls short.
	Color bool
	// Width is the number of columns of the terminal; 0 for none: no cell is shortened.
	Width int
}

// ManyHosts is from how many hosts on a plan is too long to be read whole.
const ManyHosts = 100

// Table writes the plan for a terminal: a table of the clusters' slots, then shortages and warnings.
func Table(w io.Writer, p *Plan, options TableOptions) {
	if same := slotTable(w, p, options); same > 0 {
		fmt.Fprintf(w, "%s unchanged; --all shows %s.\n", text.Count(same, "host"), sentence.Verb(same, "it", "them"))
	}
	folded := func(line string) string {
		line = text.Line(withCommand(line))
		if strings.Contains(line, fixWords) { // a command that is folded cannot be pasted
			return line
		}
		return text.Fold(line, options.Width, "  ")
	}
	say := func(line string) { fmt.Fprintln(w, folded(line)) }
	warn := func(line string) {
		fmt.Fprintln(w, options.painted(folded(line), bad))
	}
	say(p.Summary())
	for _, danger := range p.dangers() {
		if danger.kind == "relabeled" || danger.kind == "disputed" { // a command that is folded cannot be pasted
			fmt.Fprintln(w, options.painted(text.Line("danger: "+danger.words), bad))
			continue
		}
		warn("danger: " + danger.words)
	}
	for _, change := range Changes(p) {
		say("change: " + change)
	}
	for _, problem := range p.Problems() {
		say(problem)
	}
	for _, waits := range p.waiting() {
		say("waits: " + waits)
	}
}

// slotTable writes the table of slots, and counts those that did not change and are left out.
func slotTable(w io.Writer, p *Plan, options TableOptions) (same int) {
	wide := options.Wide
	head := table.Row{"CLUSTER", "ROLE", "HOST", "DOMAIN", "SLOT", "ADDRESSES", "STATUS"}
	if wide {
		head = append(head, "WHY", "UID")
	}
	var rows []table.Row
	for i := range p.Clusters {
		c := &p.Clusters[i]
		name := c.Key()
		switch {
		case c.Gone:
			name += " (leaving)"
		case len(c.Frozen) > 0:
			name += " (frozen)"
		case c.Unschedulable:
			name += " (unschedulable)"
		}
		for j := range c.Roles {
			role := &c.Roles[j]
			for _, slot := range role.Slots {
				if options.Changes && !slot.changed() {
					same++
					continue
				}
				state, colors := slot.State(), slot.colors()
				cells := []string{name, role.Name, slot.Host, slot.Domain, slotName(slot), strings.Join(slot.Addresses, " "),
					state}
				if slot.use != "" && !wide {
					cells[len(cells)-1] += ", " + slot.use
				}
				if wide {
					cells = append(cells, slot.Why, slot.UID)
				}
				rows = append(rows, options.paint(row(cells...), colors))
			}
			for _, short := range []struct {
				n    int
				slot string
			}{{role.ShortActive, "active"}, {role.ShortStandby, "standby"}} {
				if short.n > 0 {
					state := c.short(short.n)
					rows = append(rows, options.paint(row(name, role.Name, noHost, "", short.slot, "", state), bad))
				}
			}
		}
		if len(c.Roles) == 0 && !options.Changes {
			rows = append(rows, row(name, noHost, noHost, "", "", "", ""))
		}
	}
	if len(rows) > 0 {
		writeSlots(w, head, rows, options.Width)
	}
	return same
}

// short returns the state of n empty slots.
func (c *ClusterResult) short(n int) string {
	switch {
	case len(c.Frozen) > 0:
		return fmt.Sprintf("%d not placed", n)
	case n == 1:
		return "short"
	}
	return fmt.Sprintf("%d short", n)
}

// The colors of what comes, goes or fails, and changes otherwise: those of sipgen diff.
var (
	good = prettytext.Colors{prettytext.FgGreen}
	bad  = prettytext.Colors{prettytext.FgRed}
	warn = prettytext.Colors{prettytext.FgYellow}
)

// colors returns those of a slot, nil where nothing changes.
func (s *Slot) colors() prettytext.Colors {
	switch {
	case s.Status == StatusReleased, s.Status == StatusLeaving, s.failed:
		return bad
	case s.Status == StatusNew:
		return good
	case s.changed():
		return warn
	}
	return nil
}

// paint colors what becomes of a row's host. The escape sequences are written out: whether there is a terminal is for
// the caller to know.
func (o TableOptions) paint(r table.Row, colors prettytext.Colors) table.Row {
	if o.Color && colors != nil {
		r[statusColumn] = colors.EscapeSeq() + r[statusColumn].(string) + prettytext.Reset.EscapeSeq()
	}
	return r
}

// painted returns a line in a color, where there are colors.
func (o TableOptions) painted(line string, colors prettytext.Colors) string {
	if !o.Color {
		return line
	}
	return colors.EscapeSeq() + line + prettytext.Reset.EscapeSeq()
}

// row returns a table's row. A UID, or a domain that a label names, may be any text. A cell is bounded before it is
// measured: one long reason would widen its column in every row.
func row(cells ...string) table.Row {
	r := make(table.Row, len(cells))
	for i, cell := range cells {
		r[i] = text.Line(bounded(cell))
	}
	return r
}

func slotName(s Slot) string {
	switch {
	case s.Status == StatusReleased || s.Status == StatusLeaving:
		return ""
	case s.Standby:
		return "standby"
	}
	return "active"
}

// Summary returns the plan in one sentence.
func (p *Plan) Summary() string {
	t := p.Totals()
	parts := []string{fmt.Sprintf("%s, %s assigned (%d new)", text.Count(len(p.Clusters), "cluster"),
		text.Count(t.Assigned, "host"), t.New)}
	for _, part := range []struct {
		n    int
		text string
	}{{t.Adopted, "adopted (labeled already)"}, {t.Released, "released"}, {t.Leaving, "leaving"}, {t.Pending,
		"release pending"}, {t.Failed, "failed"}, {t.Short, "short"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.text))
		}
	}
	verdicts, lack := map[string]int{}, false
	for i := range p.Hosts {
		verdicts[p.Hosts[i].Verdict]++
		lack = lack || p.Hosts[i].lacks
	}
	kept, reserved := KeptWords(p.Kept)
	amongFree := reserved <= verdicts["free"] && !lack
	for _, verdict := range []string{"free", "not eligible"} {
		if verdicts[verdict] == 0 {
			continue
		}
		words := fmt.Sprintf("%d %s", verdicts[verdict], verdict)
		if verdict == "free" && reserved > 0 && amongFree {
			words += " (of which " + kept + ")"
		}
		parts = append(parts, words)
	}
	// Hosts that no role can use are not eligible, and may be kept.
	if reserved > 0 && !amongFree {
		parts = append(parts, "of these "+kept)
	}
	return strings.Join(parts, ", ") + "."
}

// Problems returns the shortages, their remedies, and the warnings, one line each.
func (p *Plan) Problems() []string {
	var lines []string
	for _, line := range p.WhatIf {
		lines = append(lines, "what if: "+line)
	}
	for i := range p.Clusters {
		for _, text := range p.Clusters[i].Frozen {
			lines = append(lines, "frozen: "+p.Clusters[i].Key()+": "+text)
		}
	}
	lines = append(lines, p.Shortages...)
	for _, trouble := range p.troubles() {
		lines = append(lines, "failed: "+trouble)
	}
	for _, stays := range p.staying() {
		lines = append(lines, "stays: "+stays)
	}
	for i := range p.Freed {
		lines = append(lines, p.Freed[i].String())
	}
	for i := range p.Findings {
		lines = append(lines, "warning: "+p.Findings[i].Words())
	}
	return unique(lines)
}

// unique drops repetitions: two kinds of slots may be short for one reason.
func unique(lines []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(lines, func(line string) bool {
		again := seen[line]
		seen[line] = true
		return again
	})
}
