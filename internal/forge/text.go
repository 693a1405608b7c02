package forge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// most is how many characters of a forge's words are passed on.
const most = 600

// oneLine makes words from outside fit for a terminal and a log: one line, no control characters, none that turn the
// direction of text or are not seen, not endless.
func oneLine(words string) string {
	words = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, words)
	return truncate(strings.Join(strings.Fields(words), " "), most)
}

// truncate shortens text to at most n characters, the last of them an ellipsis.
func truncate(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:n-1])) + "…"
}

// PullRequestHint is what a server prints about a pull request after a push.
type PullRequestHint struct {
	Page string // empty: nothing
	Open bool   // there is a pull request, and Page is it; else Page is where one is opened
}

// CutPullRequestHint takes a forge's invitation to a pull request out of a server's words, and gives the other words. The words
// are those of one push on one line, its lines separated by "; ".
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
					Open: strings.Contains(line, "existing pull request") || strings.Contains(line, "view merge request"), // Gitea, GitLab
				}
			}
			i++
			continue
		}
		kept = append(kept, lines[i])
	}
	return strings.Join(kept, "; "), invited
}

func isURL(text string) bool {
	return (strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")) && !strings.ContainsAny(text, " \t") && oneLine(text) == text
}
