// Package fleet is what a run of many Sites needs beyond the steps of each: which Sites are chosen, and which exit code
// they make together. It reads nothing: the caller does.
package fleet

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// Site is one Site of a fleet.
type Site struct {
	// Path is the file or folder as --site takes one.
	Path string
	// Name is metadata.name; of a Site that cannot be read that far, its path.
	Name   string
	Labels map[string]string
	// Unread: name and labels are unknown.
	Unread bool
	// URL, Branch and Folder are where its tree is; empty for a Site with an error.
	URL, Branch, Folder string
	// Base is the folder of the hosts' manifests on the branch, empty for none.
	Base string
	// Files are the Site and its specs.
	Files []string
}

// Choose returns the Sites with the labels, by name. A Site with unknown labels is among them: its run has the error.
// Two Sites of one name, with a tree in the other's folder, or with the same manifests of hosts are an error, chosen or
// not: runs for other labels would write over what these write. No Site is an error, too.
func Choose(sites []Site, labeled labels.Selector) ([]Site, error) {
	sites = slices.SortedFunc(slices.Values(sites), func(a, b Site) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path))
	})
	for i := range sites {
		if i > 0 && sites[i-1].Name == sites[i].Name {
			return nil, redact.Errorf("--site: %s and %s are both Site %s, want one of a name", sites[i-1].Path,
				sites[i].Path, sites[i].Name)
		}
	}
	if err := cmp.Or(apart(sites), ownBases(sites)); err != nil {
		return nil, err
	}
	chosen := slices.DeleteFunc(slices.Clone(sites), func(s Site) bool {
		return !s.Unread && !labeled.Matches(labels.Set(s.Labels))
	})
	if len(chosen) == 0 {
		return nil, redact.Errorf("--select: found %q, and no Site of %d has such labels", labeled.String(), len(sites))
	}
	return chosen, nil
}

// apart wants the tree of no Site in the folder of another's on the same branch.
func apart(sites []Site) error {
	placed := slices.DeleteFunc(slices.Clone(sites), func(s Site) bool { return s.URL == "" })
	folder := func(s Site) string { // with a slash at its end; of the whole branch it is empty
		return strings.TrimLeft(path.Join("/", s.Folder)+"/", "/")
	}
	slices.SortStableFunc(placed, func(a, b Site) int {
		return cmp.Or(strings.Compare(a.URL, b.URL), strings.Compare(a.Branch, b.Branch),
			strings.Compare(folder(a), folder(b)))
	})
	for i := range placed {
		if i == 0 {
			continue
		}
		a, b := &placed[i-1], &placed[i]
		if a.URL == b.URL && a.Branch == b.Branch && strings.HasPrefix(folder(*b), folder(*a)) {
			return redact.Errorf("--site: Site %s has its tree in %q, and Site %s in %q of the same branch "+
				"(spec.repository.path), want none in another", a.Name, a.Folder, b.Name, b.Folder)
		}
	}
	return nil
}

// ownBases wants manifests of hosts of its own for each Site: its engine applies all of them, whatever namespaces it
// has.
func ownBases(sites []Site) error {
	first := map[[3]string]*Site{}
	for i := range sites {
		s := &sites[i]
		if s.URL == "" || s.Base == "" {
			continue
		}
		at := [3]string{s.URL, s.Branch, path.Clean(s.Base)}
		if other := first[at]; other != nil {
			return redact.Errorf("--site: Sites %s and %s have their hosts in %q of the same branch (spec.hosts.base), "+
				"and each engine would apply those of both: want a folder for each", other.Name, s.Name, s.Base)
		}
		first[at] = s
	}
	return nil
}

// Slice is the part of a fleet that one of several runs takes: of N slices the one with this index, from 0. The zero
// value is all.
type Slice struct{ Index, N int }

// ParseSlice reads I/N.
func ParseSlice(words string) (Slice, error) {
	index, of, _ := strings.Cut(words, "/")
	i, bad := strconv.Atoi(index)
	n, worse := strconv.Atoi(of)
	if bad != nil || worse != nil || i < 0 || i >= n {
		return Slice{}, redact.Errorf("--slice: found %q, want I/N with I from 0 to N-1, as in 0/4", words)
	}
	return Slice{i, n}, nil
}

// Of returns the Sites of the slice: of those sorted by name each N-th. There may be none.
func (s Slice) Of(sites []Site) (out []Site) {
	if s.N == 0 {
		return sites
	}
	for i := s.Index; i < len(sites); i += s.N {
		out = append(out, sites[i])
	}
	return out
}

// The exit codes of a Site's run.
const (
	Done    = 0
	Finding = 1
	Failed  = 2
)

// Tally counts the Sites by exit code.
type Tally struct {
	sites         int
	found, failed []string
}

// Add counts one more Site.
func (t *Tally) Add(name string, code int) {
	t.sites++
	switch code {
	case Finding:
		t.found = append(t.found, name)
	case Failed:
		t.failed = append(t.failed, name)
	}
}

// Failed returns the names of the Sites that failed.
func (t *Tally) Failed() []string { return t.failed }

// Code returns the exit code of the run: Failed if each Site failed, Finding if one ended with a finding or failed.
func (t *Tally) Code() int {
	switch {
	case t.sites > 0 && len(t.failed) == t.sites:
		return Failed
	case len(t.failed)+len(t.found) > 0:
		return Finding
	}
	return Done
}

// String returns the counts, with the names of the first Sites.
func (t *Tally) String() string {
	out := text.Count(t.sites, "Site")
	if n := len(t.found); n > 0 {
		out += fmt.Sprintf("; %d with findings: %s", n, text.Some(t.found, mostNames))
	}
	if n := len(t.failed); n > 0 {
		out += fmt.Sprintf("; %d failed: %s", n, text.Some(t.failed, mostNames))
	}
	return out
}

// mostNames is how many Sites a message names.
const mostNames = 10
