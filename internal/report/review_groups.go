package report

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// Review is a fleet's changes for a reviewer: equal ones once, with the Sites that have them.
type Review struct {
	// Sites is their number. Changed have a changed file, Failed no plan.
	Sites, Changed, Failed int
	totals                 Totals
	warnings, warned       int
	own                    []SiteReview
	groups                 map[[sha256.Size]byte]*ReviewGroup
}

// ReviewGroup is Sites with equal changes.
type ReviewGroup struct {
	Sites []string `json:"sites"`
	// Dangers and Changes are in words without the names of Sites, clusters, hosts and addresses.
	Dangers []string `json:"dangers,omitempty"`
	Changes []string `json:"changes,omitempty"`
	// Omitted is how many more there are.
	Omitted int `json:"omitted,omitempty"`
}

// Add adds a Site. The order of the Sites is that in which they are listed.
func (r *Review) Add(s SiteReview) {
	r.Sites++
	r.totals.add(s.totals)
	if s.Warnings > 0 {
		r.warned++
		r.warnings += s.Warnings
	}
	if len(s.Errors) > 0 {
		r.Failed++
	}
	if s.files > 0 {
		r.Changed++
	}
	if s.key != ([sha256.Size]byte{}) {
		if r.groups == nil {
			r.groups = map[[sha256.Size]byte]*ReviewGroup{}
		}
		group := r.groups[s.key]
		if group == nil {
			group = &ReviewGroup{}
			for i, change := range s.shared {
				switch {
				case i >= mostShared:
					group.Omitted++
				case change.danger:
					group.Dangers = append(group.Dangers, change.words)
				default:
					group.Changes = append(group.Changes, change.words)
				}
			}
			r.groups[s.key] = group
		}
		group.Sites = append(group.Sites, s.Site)
	}
	s.shared = nil
	if len(s.Errors)+len(s.Dangers)+len(s.Problems)+len(s.Changes) > 0 {
		r.own = append(r.own, s)
	}
}

// Groups returns the groups: those with dangers first, and of these and of the others the ones of the fewest Sites.
func (r *Review) Groups() []ReviewGroup {
	out := make([]ReviewGroup, 0, len(r.groups))
	for _, group := range r.groups {
		out = append(out, *group)
	}
	slices.SortFunc(out, func(a, b ReviewGroup) int {
		if (len(a.Dangers) > 0) != (len(b.Dangers) > 0) {
			return len(b.Dangers) - len(a.Dangers)
		}
		if len(a.Sites) != len(b.Sites) {
			return len(a.Sites) - len(b.Sites)
		}
		return slices.Compare(a.Sites, b.Sites)
	})
	return out
}

// line is a sentence about one Site.
type line struct{ site, words string }

// inTurns returns a sort of sentences of all Sites: the first ones of each Site, then the second ones, so that none is
// hidden behind another Site's.
func (r *Review) inTurns(of func(*SiteReview) []string) (out []line) {
	for n, more := 0, true; more; n++ {
		more = false
		for i := range r.own {
			if words := of(&r.own[i]); n < len(words) {
				out, more = append(out, line{r.own[i].Site, words[n]}), true
			}
		}
	}
	return out
}

// sections are the sentences by Site, the worst first.
func (r *Review) sections() []section {
	return []section{
		{"failed", "failed", r.inTurns(func(s *SiteReview) []string { return s.Errors })},
		{"danger", "dangers", append(r.inTurns(func(s *SiteReview) []string { return s.Dangers[:s.strong] }),
			r.inTurns(func(s *SiteReview) []string { return s.Dangers[s.strong:] })...)},
		{"problem", "problems", r.inTurns(func(s *SiteReview) []string { return s.Problems })},
		{"change", "changes", r.inTurns(func(s *SiteReview) []string { return s.Changes })},
	}
}

type section struct {
	one, many string
	lines     []line
}

// omitted counts the sentences that no Site's part has room for.
func (r *Review) omitted() (n int) {
	for i := range r.own {
		n += r.own[i].Omitted
	}
	return n
}

// Summary counts the Sites and the hosts.
func (r *Review) Summary() string {
	out := fmt.Sprintf("%s: %d changed, %d unchanged", text.Count(r.Sites, "site"), r.Changed, r.Sites-r.Changed-r.Failed)
	if r.Failed > 0 {
		out += fmt.Sprintf(", %d failed", r.Failed)
	}
	t := &r.totals
	out += "; " + text.Count(t.Assigned, "host") + " assigned"
	var parts []string
	for _, part := range []struct {
		n     int
		words string
	}{{t.New, "new"}, {t.Promoted, "promoted"}, {t.Adopted, "adopted"}, {t.Released, "released"},
		{t.Pending, "release pending"}, {t.Failed, "failed"}, {t.Short, "short"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.words))
		}
	}
	if len(parts) > 0 {
		out += " (" + strings.Join(parts, ", ") + ")"
	}
	if r.warnings > 0 {
		out += fmt.Sprintf("; %s at %s", text.Count(r.warnings, "warning"), text.Count(r.warned, "site"))
	}
	return redact.Text(out)
}
