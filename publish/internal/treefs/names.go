package treefs

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/airshipit/sipgen/internal/redact"
)

// ErrName: a path that no tree may have.
var ErrName = errors.New("not a path for a tree")

// What a folder holds while it is written: what will be moved to its place, and the same before it is complete.
const (
	StageInside  = ".sipgen-new"
	StageWritten = ".sipgen-new.part"
)

// CheckTree reports every name in a tree that some git or file system would refuse.
func CheckTree(tree map[string][]byte) error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		if err := CheckName(name); err != nil {
			problems = append(problems, err)
			continue
		}
		first, _, _ := strings.Cut(name, "/")
		if isList(name) || strings.EqualFold(first, OwnershipFile) || strings.EqualFold(first, StageInside) ||
			strings.EqualFold(first, StageWritten) {
			problems = append(problems, fmt.Errorf("%s: %w: publish writes it itself", name, ErrName))
		}
		for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
			if _, both := tree[folder]; both {
				problems = append(problems, fmt.Errorf("%s: %w: both a file and a folder", folder, ErrName))
			}
		}
	}
	return errors.Join(problems...)
}

// CheckName holds a path to what git's fsck and every common file system take.
func CheckName(name string) error {
	bad := func(why string) error { return redact.Errorf("%q: %w: %s", name, ErrName, why) }
	switch {
	case name == "":
		return bad("empty")
	case !utf8.ValidString(name):
		return bad("not UTF-8")
	case strings.HasPrefix(name, "/"):
		return bad("absolute, want a relative path")
	case strings.Contains(name, `\`):
		return bad("holds a backslash, want slashes")
	case len(name) > 4000:
		return bad("longer than 4000 bytes")
	}
	for _, r := range name {
		if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return bad("holds a control character")
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "":
			return bad("has an empty part")
		case part == "." || part == "..":
			return bad("leaves the folder")
		case len(part) > 255:
			return bad("has a part longer than 255 bytes")
		case isDotGit(part):
			return bad("git keeps its own files there")
		}
	}
	return nil
}

// isDotGit reports whether a file system could take the name for .git or .gitmodules: in any case, in NTFS's
// short form, with the trailing dots and spaces that NTFS drops, with the code points that HFS+ ignores.
func isDotGit(part string) bool {
	if c := part[0]; c < utf8.RuneSelf && c != '.' && c != 'g' && c != 'G' {
		return false
	}
	bare := strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, part)
	bare, _, _ = strings.Cut(bare, ":")
	bare = strings.ToLower(strings.TrimRight(bare, ". "))
	return bare == ".git" || bare == ".gitmodules" || strings.HasPrefix(bare, "git~") ||
		strings.HasPrefix(bare, "gitmod~")
}
