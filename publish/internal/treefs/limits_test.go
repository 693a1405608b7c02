package treefs

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestReadSized: whatever the size was said to be, all is read.
func TestReadSized(t *testing.T) {
	for _, text := range []string{"", "a", strings.Repeat("x", 5000)} {
		for _, size := range []int{0, len(text) / 2, len(text), len(text) + 1, 3 * len(text)} {
			got, err := ReadSized(iotest.OneByteReader(strings.NewReader(text)), int64(size))
			if err != nil || string(got) != text {
				t.Errorf("%d bytes, said to be %d: got %d, %v", len(text), size, len(got), err)
			}
			if size == len(text) && cap(got) != size {
				t.Errorf("%d bytes are held in %d", size, cap(got))
			}
			broken := io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrClosedPipe))
			if _, err := ReadSized(broken, int64(size)); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("%d bytes, said to be %d, and then an error: got %v", len(text), size, err)
			}
		}
	}
}
