package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// byteCount counts the bytes of files by owner before any is read. An owner above the limits is not read at all, in
// whatever order the files are named.
type byteCount struct {
	limits Limits
	of     map[string]int64
	// first are the owners' first files, by which their problems are named, and largest the files that have most of the
	// bytes.
	first   map[string]input
	largest map[string][]sized
	// over maps the owners that are not read to the reason.
	over map[string]string
}

// sized is a file and its size.
type sized struct {
	name  string
	bytes int64
}

// mostLargest is how many of the largest files are named.
const mostLargest = 3

// add counts a file by the size that the system gives it. One that grows meanwhile is read to the limits.
func (c *byteCount) add(whose string, file input) {
	if c.limits.owner == nil || c.limits.Own == 0 {
		return
	}
	if c.of == nil {
		c.of, c.first, c.largest, c.over = map[string]int64{}, map[string]input{}, map[string][]sized{}, map[string]string{}
	}
	if _, known := c.first[whose]; !known {
		c.first[whose] = file
	}
	bytes := min(file.size(), c.limits.File)
	c.of[whose] += bytes
	largest := append(c.largest[whose], sized{file.name, bytes})
	slices.SortStableFunc(largest, func(a, b sized) int { return cmp.Compare(b.bytes, a.bytes) })
	c.largest[whose] = largest[:min(mostLargest, len(largest))]
}

// largestOf names the files of an owner that have most of the bytes, by their paths in the owner's folder: wherever on
// this machine that is.
func (c *byteCount) largestOf(whose string) string {
	var names []string
	for _, file := range c.largest[whose] {
		name := path.Base(file.name)
		if _, inside, found := strings.Cut(file.name, "/"+whose+"/"); found {
			name = inside
		}
		names = append(names, fmt.Sprintf("%s (%d bytes)", name, file.bytes))
	}
	return strings.Join(names, ", ")
}

// decide finds the owners that are not read, and returns an error for each.
func (c *byteCount) decide() error {
	var total int64
	owners := slices.SortedFunc(maps.Keys(c.of), func(a,
		b string) int {
		return cmp.Or(cmp.Compare(c.of[b], c.of[a]), cmp.Compare(a, b))
	})
	for _, whose := range owners {
		if whose != "" && c.of[whose] > c.limits.Own {
			c.over[whose] = fmt.Sprintf("more than %s in the files of folder %s, want at most that", megabytes(c.limits.Own),
				whose)
			continue
		}
		total += c.of[whose]
	}
	for _, whose := range owners {
		if total <= c.limits.Total || c.of[""] > c.limits.Total { // the reader reports the latter
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
		errs = append(errs, &FileError{file.shown(), fmt.Errorf("%s: %s: none of them is read; the largest: %s", file.name,
			c.over[whose], c.largestOf(whose))})
	}
	return errors.Join(errs...)
}

// size returns the size of a regular file, 0 for everything else: the reader reports what cannot be read.
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
