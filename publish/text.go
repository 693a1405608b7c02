package publish

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// mostWords is how many characters of a server's words are passed on.
const mostWords = 2000

// oneLine is a server's words, of several lines perhaps, on one.
func oneLine(words string) string {
	return text.Truncate(strings.Join(text.Lines(words), "; "), mostWords)
}

// firstWords keeps as much of what is written to it as oneLine may pass on, with what that leaves out.
type firstWords struct{ bytes.Buffer }

func (f *firstWords) Write(words []byte) (int, error) {
	//guard: a hook that prints without an end takes no memory without an end
	f.Buffer.Write(words[:min(len(words), max(32*mostWords-f.Len(), 0))])
	return len(words), nil
}

// readSized reads all, into as much memory as the size that it should have: a tree is thousands of small files, and they are held for the whole run.
func readSized(reader io.Reader, size int64) ([]byte, error) {
	text := make([]byte, size)
	n, err := io.ReadFull(reader, text)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return text[:n], nil
	}
	if err != nil {
		return text[:n], err
	}
	more := make([]byte, 1)
	if _, err := io.ReadFull(reader, more); errors.Is(err, io.EOF) {
		return text, nil
	} else if err != nil {
		return text, err
	}
	rest, err := io.ReadAll(reader)
	return slices.Concat(text, more, rest), err
}
