package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/text"
)

// ReviewRoom bounds the forms of a review, in bytes.
type ReviewRoom struct {
	// Bytes is all that is written.
	Bytes int
	// Lines is how many sentences of one sort are written.
	Lines int
}

// ReviewComment is the room of a comment: forges take 65,536 characters, and a workflow has words of its own around it.
var ReviewComment = ReviewRoom{Bytes: 60_000, Lines: 200}

// noteRoom is what is kept for the notes about what does not fit.
const noteRoom = 1500

// reviewText writes a review within its room.
type reviewText struct {
	out      strings.Builder
	left     int
	lines    int
	markdown bool
}

func (w *reviewText) add(words string) bool {
	if len(words) > w.left {
		return false
	}
	w.left -= len(words)
	w.out.WriteString(words)
	return true
}

// note writes what was counted, for which room is kept.
func (w *reviewText) note(words string) { w.out.WriteString(words) }

// words returns a sentence in the form.
func (w *reviewText) words(sentence string) string {
	if w.markdown {
		return prose(sentence)
	}
	return inert(sentence)
}

// name returns the name of a Site in the form.
func (w *reviewText) name(site string) string {
	if w.markdown {
		return code(site)
	}
	return inert(site)
}

// fewSites is how many Sites of a group are named in its heading.
const fewSites = 3

// foldedSites is how many Sites of a group a text names; markdown folds them away.
const foldedSites = 10

// section writes sentences by Site within a part of the room, and counts the others with their Sites.
func (w *reviewText) section(s section, room int) {
	if len(s.lines) == 0 {
		return
	}
	if w.markdown && !w.add("\n**"+strings.ToUpper(s.many[:1])+s.many[1:]+"**\n\n") {
		return
	}
	room = w.left - room
	for i, l := range s.lines {
		row := fmt.Sprintf("%s: %s: %s\n", s.one, w.name(l.site), w.words(l.words))
		if w.markdown {
			row = fmt.Sprintf("- %s: %s\n", w.name(l.site), w.words(l.words))
		}
		if i < w.lines && w.left-len(row) >= room && w.add(row) {
			continue
		}
		sites := map[string]bool{}
		for _, l := range s.lines[i:] {
			sites[l.site] = true
		}
		mark := ""
		if w.markdown {
			mark = "- "
		}
		w.note(fmt.Sprintf("%s… and %s of %s\n", mark, text.Plural(len(s.lines)-i, "more of this kind",
			"more of this kind"), text.Count(len(sites), "site")))
		return
	}
}

// group writes a group with the names of its Sites, as many as fit into a part of the room.
func (w *reviewText) group(g *ReviewGroup, room int) bool {
	var head strings.Builder
	title := text.Count(len(g.Sites), "site")
	bullet := func(kind, words string) {
		if w.markdown {
			fmt.Fprintf(&head, "- %s%s\n", kind, w.words(words))
		} else {
			fmt.Fprintf(&head, "  %s%s\n", kind, w.words(words))
		}
	}
	few := ""
	if len(g.Sites) <= fewSites {
		var names []string
		for _, site := range g.Sites {
			names = append(names, w.name(site))
		}
		few = strings.Join(names, ", ")
		title += " (" + few + ")"
	}
	if w.markdown {
		fmt.Fprintf(&head, "\n### %s\n\n", title)
	} else {
		fmt.Fprintf(&head, "\n%s:\n", title)
	}
	for _, words := range g.Dangers {
		bullet("danger: ", words)
	}
	for _, words := range g.Changes {
		bullet("", words)
	}
	if g.Omitted > 0 {
		bullet("", "… and "+text.Count(g.Omitted, "more change"))
	}
	if head.Len() > room || !w.add(head.String()) {
		return false
	}
	if few != "" {
		return true
	}
	names, shown, separator := strings.Builder{}, 0, " "
	for _, site := range g.Sites {
		name := w.name(site)
		if !w.markdown && shown == foldedSites || names.Len()+len(name)+len(separator) > min(room-head.Len(), w.left)-100 {
			break
		}
		if shown++; shown > 1 {
			names.WriteString(separator)
		}
		names.WriteString(name)
	}
	more := text.More(len(g.Sites) - shown)
	if w.markdown {
		w.add("\n<details><summary>sites</summary>\n\n" + names.String() + more + "\n\n</details>\n")
	} else {
		w.add("  at " + names.String() + more + "\n")
	}
	return true
}

// write writes the whole review.
func (w *reviewText) write(r *Review) string {
	if w.markdown {
		w.add("**" + prose(r.Summary()) + "**\n")
	} else {
		w.add(r.Summary() + "\n")
	}
	sections := r.sections()
	for _, s := range sections {
		w.section(s, w.left/3)
	}
	if n := r.omitted(); n > 0 {
		w.note(fmt.Sprintf("\n… and %s of Sites that have more than %d of a kind\n", text.Count(n, "more line"), mostOfSite))
	}
	groups := r.Groups()
	for i := range groups {
		if i < w.lines && w.group(&groups[i], max(w.left/2, w.left/(len(groups)-i))) {
			continue
		}
		sites := 0
		for _, g := range groups[i:] {
			sites += len(g.Sites)
		}
		w.note(fmt.Sprintf("\n… and %s of %s\n", text.Count(len(groups)-i, "more group"), text.Count(sites, "site")))
		break
	}
	return w.out.String()
}

// Text returns the review for a terminal or a commit: the sentences by Site, the worst first, then each group. What
// does not fit is counted.
func (r *Review) Text(room ReviewRoom) string {
	w := &reviewText{left: room.Bytes - noteRoom, lines: room.Lines}
	return w.write(r)
}

// Markdown returns the review for a comment of a forge.
func (r *Review) Markdown(room ReviewRoom) string {
	w := &reviewText{left: room.Bytes - noteRoom, lines: room.Lines, markdown: true}
	return w.write(r)
}

// MarshalJSON returns the whole review: nothing is cut but the sentences of one Site.
func (r *Review) MarshalJSON() ([]byte, error) {
	own := r.own
	if own == nil {
		own = []SiteReview{}
	}
	return json.Marshal(struct {
		APIVersion string        `json:"apiVersion"`
		Kind       string        `json:"kind"`
		Sites      int           `json:"sites"`
		Changed    int           `json:"changed"`
		Failed     int           `json:"failed"`
		Summary    string        `json:"summary"`
		BySite     []SiteReview  `json:"bySite"`
		Groups     []ReviewGroup `json:"groups"`
	}{v1alpha1.APIVersion, "Review", r.Sites, r.Changed, r.Failed, r.Summary(), own, r.Groups()})
}
