package wire

import (
	"io"
	"strings"
	"testing"
)

// The bound of the list is lifted where a pack comes.
func TestBoundIsLifted(t *testing.T) {
	lifted := &struct{ Stdout io.Reader }{strings.NewReader(strings.Repeat("x", maxRefs+1))}
	BoundSession(lifted, &Overlong{}).AllowPack()
	if n, err := io.Copy(io.Discard, lifted.Stdout); n != maxRefs+1 || err != nil {
		t.Errorf("after the list: %d bytes, %v", n, err)
	}
}

func TestFirstWords(t *testing.T) {
	var words FirstWords
	for range 100 {
		if n, err := words.Write(make([]byte, 5000)); n != 5000 || err != nil {
			t.Fatalf("found %d, %v", n, err)
		}
	}
	if n, err := (&FirstWords{}).Write(make([]byte, 1<<20)); n != 1<<20 || err != nil {
		t.Errorf("found %d, %v", n, err)
	}
	if words.Len() != 32*mostWords {
		t.Errorf("keeps %d bytes", words.Len())
	}
}
