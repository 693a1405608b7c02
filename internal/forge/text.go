package forge

import (
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// most is how many characters of a forge's message are passed on.
const most = 600

// oneLine returns words from outside on one line, not endless.
func oneLine(words string) string { return text.Truncate(text.Line(words), most) }

// PullRequestHint is a server's message about a pull request after a push.
type PullRequestHint struct {
	Page string // empty: nothing
	Open bool   // there is a pull request, and Page is it; else Page is where one is opened
}

// CutPullRequestHint takes a forge's invitation to a pull request out of a server's words, and gives the other words.
// The words are those of one push on one line, its lines separated by "; ".
func CutPullRequestHint(words string) (rest string, invited PullRequestHint) {
	var kept []string
	lines := strings.Split(words, "; ")
	for i := 0; i < len(lines); i++ {
		line := strings.ToLower(lines[i])
		about := strings.Contains(line, "pull request") || strings.Contains(line, "merge request")
		if about && i+1 < len(lines) && isURL(strings.TrimSpace(lines[i+1])) {
			if invited.Page == "" {
				invited = PullRequestHint{
					Page: strings.TrimSpace(lines[i+1]),
					// Gitea, GitLab
					Open: strings.Contains(line, "existing pull request") || strings.Contains(line, "view merge request"),
				}
			}
			i++
			continue
		}
		kept = append(kept, lines[i])
	}
	return strings.Join(kept, "; "), invited
}

func isURL(words string) bool {
	return (strings.HasPrefix(words, "https://") || strings.HasPrefix(words, "http://")) &&
		!strings.Contains(words, " ") && oneLine(words) == words
}
