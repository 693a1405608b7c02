package treefs

import (
	"context"
	"errors"
	"strings"
)

// ErrTaken: a path of the tree holds something that sipgen did not write.
var ErrTaken = errors.New("taken by something that sipgen did not write")

// EntryKind is what a Reader can hold at a path.
type EntryKind int

// The kinds of entries.
const (
	Nothing EntryKind = iota
	File
	Folder
	Other // a symbolic link, a submodule, a device
)

// Reader is a folder of files: on disk, or in a commit.
type Reader interface {
	// At returns the kind of the entry at a path, with a file's content.
	At(name string) (EntryKind, []byte, error)
	// Below lists the files and others below a folder, as paths from the root.
	Below(ctx context.Context, name string) ([]string, error)
}

// Lookup is At of a Reader, where what lies behind a link does not exist: an owned file is never looked for, and never
// deleted, outside the folder. For names that are asked for one behind the other, sorted, the folders around the last
// one are not looked at again.
type Lookup struct {
	Here Reader
	// folder ends with a slash; it, and all around it, are folders.
	folder string
}

// At returns what is at a path.
func (l *Lookup) At(name string) (EntryKind, []byte, error) {
	if !strings.HasPrefix(name, l.folder) {
		l.folder = ""
	}
	for i := len(l.folder); ; {
		next := strings.IndexByte(name[i:], '/')
		if next < 0 {
			return l.Here.At(name)
		}
		kind, _, err := l.Here.At(name[:i+next])
		if err != nil || kind != Folder {
			return Nothing, nil, err
		}
		i += next + 1
		l.folder = name[:i]
	}
}
