package treefs

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// What one tree may take, where it is read and where it is written: nothing is written that the next run would not
// read. That of 100,000 hosts has some 100,000 files of a kilobyte, and PLAN.md and the lists of some 20 MiB.
const (
	MaxFile = 128 << 20
	MaxTree = 2 << 30
	// maxOwned is how many files an OwnershipFile may list.
	maxOwned = 1_000_000
)

// TooBig returns the error of a file that has more than MaxFile.
func TooBig(name string, size int64) error {
	return fmt.Errorf("%s: %d MiB, want at most %d in a file", name, size>>20, MaxFile>>20)
}

// Size is how much of a tree has been read.
type Size int64

// Add counts one more file of the tree: an error if the tree has more than MaxTree with it.
func (t *Size) Add(name string, text []byte) error {
	if *t += Size(len(text)); *t > MaxTree {
		return fmt.Errorf("%s: with this file the tree has more than %d MiB, want at most that", name, MaxTree>>20)
	}
	return nil
}

// ReadSized reads all, into as much memory as the size that it should have: a tree is thousands of small files, and
// they are held for the whole run.
func ReadSized(reader io.Reader, size int64) ([]byte, error) {
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
