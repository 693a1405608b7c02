// Package fleet is what a run of many Sites needs beyond the steps of each: which Sites are chosen, and which exit code
// they make together. It reads nothing: the caller does.
package fleet

import (
	"cmp"
	"fmt"
	"slices"
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
}

// Choose returns the Sites with the labels, by name. A Site with unknown labels is among them: its run has the error.
// Two Sites of one name are an error, and none is.
func Choose(sites []Site, labeled labels.Selector) ([]Site, error) {
	chosen := slices.DeleteFunc(slices.Clone(sites), func(s Site) bool {
		return !s.Unread && !labeled.Matches(labels.Set(s.Labels))
	})
	if len(chosen) == 0 {
		return nil, redact.Errorf("--select: found %q, and no Site of %d has such labels", labeled.String(), len(sites))
	}
	slices.SortFunc(chosen, func(a, b Site) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path))
	})
	for i := range chosen[1:] {
		if a, b := chosen[i], chosen[i+1]; a.Name == b.Name {
			return nil, redact.Errorf("--site: %s and %s are both Site %s, want one of a name", a.Path, b.Path, a.Name)
		}
	}
	return chosen, nil
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

// Code returns the exit code of the run: Failed if each Site failed, Finding if one ended with a finding or failed.
func (t *Tally) Code() int {
	switch {
	case len(t.failed) == t.sites:
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
