package wire

import (
	"bytes"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// mostWords is how many characters of a server's words are passed on.
const mostWords = 2000

// OneLine returns a server's words, of several lines perhaps, on one.
func OneLine(words string) string {
	return text.Truncate(strings.Join(text.Lines(words), "; "), mostWords)
}

// FirstWords keeps as much of what is written to it as OneLine may pass on, with what that leaves out.
type FirstWords struct{ bytes.Buffer }

func (f *FirstWords) Write(words []byte) (int, error) {
	f.Buffer.Write(words[:min(len(words), max(32*mostWords-f.Len(), 0))])
	return len(words), nil
}
