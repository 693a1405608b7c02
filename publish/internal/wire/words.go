package wire

import (
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// mostWords is how many characters of a server's words are passed on.
const mostWords = 2000

// OneLine returns a server's words, of several lines perhaps, on one.
func OneLine(words string) string {
	return text.Truncate(strings.Join(text.Lines(words), "; "), mostWords)
}
