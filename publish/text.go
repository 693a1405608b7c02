package publish

import (
	"bytes"
	"io"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// mostWords is how many characters of a server's words are passed on.
const mostWords = 2000

// oneLine is a server's words, of several lines perhaps, on one.
func oneLine(words string) string {
	return text.Truncate(strings.Join(text.Lines(words), "; "), mostWords)
}

func appendAll(begun []byte, reader io.Reader) ([]byte, error) {
	buffer := bytes.NewBuffer(begun)
	_, err := buffer.ReadFrom(reader)
	return buffer.Bytes(), err
}
