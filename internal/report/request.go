package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
)

// File is a file of the tree that a run changes.
type File struct {
	Path string
	Kind string // added, changed, deleted
	// Foreign: sipgen did not write the file that is replaced.
	Foreign bool
}

// About is the content of a pull request apart from the plan.
type About struct {
	// Inventory is where the hosts were read and how old that was, as text; empty if unknown.
	Inventory string
	// Stamps are names and values that tell inputs and versions apart: a commit, a version.
	Stamps [][2]string
	// Empty: the base has everything of the branch.
	Empty bool
}

// maxRequest is the largest body of a pull request: GitHub's limit is 65,536 characters, GitLab's a million; Gitea's,
// and Forgejo's, is its database's.
const maxRequest = 65_000

// PullRequest returns the body of a pull request in markdown: dangers first, then the totals, shortages, failed
// hosts, hosts being released, and a table of the changed hosts for every cluster. It is shorter than 65,536
// characters: the end is left out, with a count. Text from outside makes no link, mention or markup.
func PullRequest(p *Plan, about About) string {
	end := stamps(about)
	b := &body{left: maxRequest - size(end) - 1_000} // the note about omitted parts
	if about.Empty {
		b.add(nothingLeft)
		return b.out.String() + end
	}
	dangers := p.dangers()
	if len(dangers) == 0 {
		b.add(noDangers)
	}
	b.dangers("**Dangers**\n\n", dangers)
	b.changes(p)
	b.add("\n" + paragraph(p, about))
	b.list("\n### Short\n\n", unique(p.Shortages), b.left/3, "shortage", "shortages")
	b.list("\n### Failed\n\n", unique(p.troubles()), b.left/3, "failed host", "failed hosts")
	b.releases(p)
	b.clusters(p, false, "PLAN.md in the branch has")
	b.list("\n### Notes\n\n", notes(p), b.left, "note", "notes")
	return b.out.String() + end
}

// nothingLeft and noDangers begin the description of a pull request.
const (
	nothingLeft = "**There is nothing left to merge here**: the base branch has all of it. Close this pull request, or " +
		"leave it open: the next proposal reuses it.\n"
	noDangers = "No dangers: nothing in use is touched, nothing is lost or opened, and no guard changes.\n"
)

// paragraph returns the plan in figures, and how fresh they are.
func paragraph(p *Plan, about About) string {
	words := "Site " + code(p.Site) + ": " + p.Summary()
	if about.Inventory == "" {
		words += " The age of the inventory is unknown, because it comes from manifests."
	} else {
		words += " The inventory, " + prose(about.Inventory) + " when this was planned."
	}
	var parts []string
	for _, area := range Areas(paths(p.Files)) {
		parts = append(parts, fmt.Sprintf("%s (%s)", prose(area.Name), text.Count(area.Files, "file")))
	}
	const most = 12
	if more := len(parts) - most; more > 0 {
		parts = append(parts[:most], "and "+text.Plural(more, "more part of the tree", "more parts of the tree"))
	}
	if len(parts) > 0 {
		words += " Changed: " + strings.Join(parts, ", ") + "."
	}
	return words + "\n"
}

// notes returns the problems that are neither a shortage nor a failed host: those have lists of their own.
func notes(p *Plan) []string {
	var lines []string
	for _, problem := range p.Problems() {
		if !strings.HasPrefix(problem, "short ") && !strings.HasPrefix(problem, "failed: ") {
			lines = append(lines, problem)
		}
	}
	return lines
}

func stamps(about About) string {
	if len(about.Stamps) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString("\n### Inputs\n\n")
	for _, stamp := range about.Stamps {
		fmt.Fprintf(&out, "- %s: %s\n", stamp[0], code(stamp[1]))
	}
	return out.String()
}

// body is markdown with a limit.
type body struct {
	out  strings.Builder
	left int
}

// add adds a block, or reports that it does not fit.
func (b *body) add(block string) bool {
	n := size(block)
	if n > b.left {
		return false
	}
	b.left -= n
	b.out.WriteString(block)
	return true
}

// dangers adds those for which a third of the room suffices, and counts the others.
func (b *body) dangers(heading string, dangers []danger) {
	shown := fairly(dangers, b.left/3, func(words string) int { return size(item(words)) })
	b.list(heading, sentences(shown), b.left, "danger", "dangers")
	if len(shown) < len(dangers) {
		b.force(fmt.Sprintf("- … and **%s**: %s\n", prose(moreDangers(dangers, shown)), AllDangers))
	}
}

// changes adds what the run does besides.
func (b *body) changes(p *Plan) {
	b.list("\n**Changes**\n\n", Changes(p), b.left/3, "change", "changes")
}

// list adds sentences within a budget, and counts those that do not fit.
func (b *body) list(heading string, sentences []string, budget int, one, many string) {
	if len(sentences) == 0 || !b.add(heading) {
		return
	}
	for i, sentence := range sentences {
		if budget -= size(item(sentence)); budget < 0 || !b.add(item(sentence)) {
			b.force(fmt.Sprintf("- … and **%s**: sipgen plan shows them all\n",
				text.Plural(len(sentences)-i, "more "+one, "more "+many)))
			return
		}
	}
}

// item returns a sentence in a list.
func item(sentence string) string { return "- " + prose(sentence) + "\n" }

// force adds the note about omitted parts, for which room is kept.
func (b *body) force(text string) {
	b.out.WriteString(text)
}

// releases is a table of the hosts that are on their way out, and the step each is at.
func (b *body) releases(p *Plan) {
	var rows []string
	for i := range p.Clusters {
		for j := range p.Clusters[i].Roles {
			role := &p.Clusters[i].Roles[j]
			for _, slot := range role.Slots {
				if step := releaseStep(slot.Status); step != "" {
					rows = append(rows, text.TableRow(code(slot.Host), code(p.Clusters[i].Key()+" "+role.Name), step,
						prose(slot.Why)))
				}
			}
		}
	}
	if len(rows) == 0 || !b.add("\n### Hosts being released\n\n"+text.TableHead("host", "from", "step", "why")) {
		return
	}
	for i, row := range rows {
		if size(row) > b.left/2 || !b.add(row) {
			b.force(fmt.Sprintf("\n… and **%s being released**: sipgen plan shows them all\n",
				text.Count(len(rows)-i, "more host")))
			return
		}
	}
}

// releaseStep describes the step of a release that a host is in.
func releaseStep(status Status) string {
	switch status {
	case StatusPending:
		return "1 of 3: it stays until Cluster API deletes its machine"
	case StatusReleased:
		return "2 of 3: this pull request removes its labels"
	case StatusLeaving:
		return "3 of 3: its labels are removed in git, but the live host has not yet been seen without them"
	}
	return ""
}

// clusters adds a table of the changed hosts, or with all of all hosts, for every cluster that has some, in the order
// served. It counts what does not fit by what becomes of it, and the hosts without a change: where has them.
func (b *body) clusters(p *Plan, all bool, where string) {
	same, clusters, left := 0, 0, []*Slot{}
	for i := range p.Clusters {
		c := &p.Clusters[i]
		before, open := same, false
		for j := range c.Roles {
			role := &c.Roles[j]
			for k := range role.Slots {
				slot := &role.Slots[k]
				if !all && !slot.changed() {
					same++
					continue
				}
				row := slotRow(role, slot)
				if !open {
					row = fmt.Sprintf("\n### %s\n\n", code(c.Key())) +
						text.TableHead("host", "role", "domain", "address", "status", "why") + row
				}
				if len(left) > 0 || !b.add(row) {
					left = append(left, slot)
					continue
				}
				open = true
			}
		}
		if same > before {
			clusters++
		}
		if all && !open && len(left) == 0 {
			b.add(fmt.Sprintf("\n### %s\n\nNo hosts.\n", code(c.Key())))
		}
	}
	if len(left) > 0 {
		b.force(fmt.Sprintf("\n… and **%s that do not fit here**: %s; %s them all\n",
			text.Count(len(left), "more changed host"), byStatus(left), where))
	}
	if same > 0 {
		b.force(fmt.Sprintf("\n%s of %s unchanged; %s %s.\n", text.Count(same, "host"), text.Count(clusters, "cluster"),
			where, sentence.Verb(same, "it", "them")))
	}
}

// byStatus counts slots by what becomes of their hosts.
func byStatus(slots []*Slot) string {
	var parts []string
	for _, status := range []Status{StatusNew, StatusReleased, StatusLeaving, StatusPending, StatusKept} {
		n := 0
		for _, slot := range slots {
			if slot.Status == status {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status.words()))
		}
	}
	return strings.Join(parts, ", ")
}

// slotRow returns a host's row of its cluster's table.
func slotRow(role *RoleResult, slot *Slot) string {
	status := slot.State()
	if slot.Standby && !slices.Contains(slot.Changes, sentence.NowStandby) {
		status = slot.state("standby")
	}
	return text.TableRow(code(slot.Host), code(role.Name), code(slot.Domain),
		code(strings.Join(slot.Addresses, " ")), prose(status), prose(slot.Why))
}

func paths(files []File) []string {
	var names []string
	for _, file := range files {
		names = append(names, file.Path)
	}
	return names
}
