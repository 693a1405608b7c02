package publish

import "fmt"

// What one tree may take, where it is read and where it is written: nothing is written that the next run would not read. That of 100,000 hosts has some 100,000 files of a kilobyte, and PLAN.md and the lists of some 20 MiB.
const (
	maxFile = 128 << 20
	maxTree = 2 << 30
	// maxOwned is how many files an OwnershipFile may list.
	maxOwned = 1_000_000
)

func tooBig(name string, size int64) error {
	return fmt.Errorf("%s: %d MiB, want at most %d in a file", name, size>>20, maxFile>>20)
}

// treeSize is how much of a tree has been read.
type treeSize int64

func (t *treeSize) add(name string, text []byte) error {
	if *t += treeSize(len(text)); *t > maxTree {
		return fmt.Errorf("%s: with this file the tree has more than %d MiB, want at most that", name, maxTree>>20)
	}
	return nil
}
