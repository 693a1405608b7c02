package report

import (
	"fmt"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// SiteLine is what the message of a fleet's commit says of a Site by itself.
type SiteLine struct {
	Site string
	// Summary is that of the plan.
	Summary string
	// Files is how many files of the tree change.
	Files int
}

// The parts of a fleet's message.
var (
	messageRoom = ReviewRoom{Bytes: maxBody / 2, Lines: mostDangers}
	mostSites   = 200
)

// FleetMessage returns the message of a commit for many Sites: the review, and then a line for each Site that changes,
// as many as fit. subject replaces the subject line if it is not empty.
func FleetMessage(review *Review, sites []SiteLine, subject string) string {
	first, rest, _ := strings.Cut(review.Text(messageRoom), "\n")
	if subject == "" {
		subject, first = first, ""
	}
	out := subject + "\n\n" + strings.TrimLeft(first+"\n"+rest, "\n")
	for i := range sites[:min(len(sites), mostSites)] {
		s := &sites[i]
		if i == 0 {
			out += "\n"
		}
		out += inert(bounded(fmt.Sprintf("%s: %s %s changed", s.Site, s.Summary, text.Count(s.Files, "file")))) + "\n"
	}
	if more := len(sites) - mostSites; more > 0 {
		out += "… and " + text.Count(more, "more site") + "\n"
	}
	return Cut(out, maxBody)
}

// FleetRequest returns the description of a pull request for many Sites.
func FleetRequest(review *Review, about About) string {
	if about.Empty {
		return nothingLeft + stamps(about)
	}
	return review.Markdown(ReviewComment) + stamps(about)
}
