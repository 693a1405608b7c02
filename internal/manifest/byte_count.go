package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// byteCount counts the bytes of files by their owners, before one is read: who is above the limits is not read at all, in whatever order
// the files are named.
type byteCount struct {
	limits Limits
	of     map[string]int64
	// first are the owners' first files, by which their problems are named.
	first map[string]input
	// over are the owners of whom nothing is read, and why.
	over map[string]string
}

// add counts a file by the size that the system gives it. One that grows meanwhile is read to the limits.
func (c *byteCount) add(whose string, file input) {
	if c.limits.owner == nil || c.limits.Own == 0 {
		return
	}
	if c.of == nil {
		c.of, c.first, c.over = map[string]int64{}, map[string]input{}, map[string]string{}
	}
	if _, known := c.first[whose]; !known {
		c.first[whose] = file
	}
	c.of[whose] += min(file.size(), c.limits.File)
}

// decide finds the owners of whom nothing is read, and gives what is wrong with each.
func (c *byteCount) decide() error {
	var total int64
	owners := slices.SortedFunc(maps.Keys(c.of), func(a, b string) int { return cmp.Or(cmp.Compare(c.of[b], c.of[a]), cmp.Compare(a, b)) })
	for _, whose := range owners {
		if whose != "" && c.of[whose] > c.limits.Own {
			c.over[whose] = fmt.Sprintf("more than %s in the files of folder %s, want at most that", megabytes(c.limits.Own), whose)
			continue
		}
		total += c.of[whose]
	}
	for _, whose := range owners {
		if total <= c.limits.Total || c.of[""] > c.limits.Total { // the latter is said where they are read
			break
		}
		if whose != "" && c.over[whose] == "" {
			c.over[whose] = fmt.Sprintf("more than %s in the files of all folders, and those of folder %s have the most, %d bytes", megabytes(c.limits.Total), whose, c.of[whose])
			total -= c.of[whose]
		}
	}
	var errs []error
	for _, whose := range slices.Sorted(maps.Keys(c.over)) {
		file := c.first[whose]
		errs = append(errs, &FileError{file.shown(), fmt.Errorf("%s: %s: none of them is read", file.name, c.over[whose])})
	}
	return errors.Join(errs...)
}

// size is that of a regular file, 0 of everything else: what cannot be read is said where it is read.
func (in input) size() int64 {
	if in.name == Stdin {
		return 0
	}
	info, err := in.stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}
