package fleet

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestHostsAreOneSites: who has a host in its tree keeps it, else the first by name gets it, in whatever order the
// Sites are planned (contract 35).
func TestHostsAreOneSites(t *testing.T) {
	type site struct {
		name           string
		held, assigned []string
	}
	sites := []site{
		{"a", nil, []string{"1", "2", "4"}}, // 2 is b's by its tree
		{"b", []string{"2", "3"}, []string{"2", "3"}},
		{"c", []string{"3"}, []string{"1", "3", ""}}, // 1 is a's by name; 3 is in two trees
		{"d", nil, []string{"4", "5", ""}},
	}
	for range 50 {
		var h Hosts
		for _, i := range rand.Perm(len(sites)) {
			h.Held(sites[i].name, sites[i].held)
			h.Planned(sites[i].name, sites[i].assigned, []string{"10.0.0.1", "10.0.1." + sites[i].name})
		}
		assert.Equal(t, []string{"a", "c", "d"}, h.Resolve())
		assert.Equal(t, map[string]string{"2": "b"}, h.Taken("a"))
		assert.Equal(t, map[string]string{"1": "a"}, h.Taken("c"))
		assert.Equal(t, map[string]string{"4": "a"}, h.Taken("d"))
		assert.Empty(t, h.Taken("b"))
		h.Planned("a", []string{"1", "4", "5"}, nil) // planned again: another host, which d has
		h.Planned("c", []string{"3"}, nil)
		h.Planned("d", []string{"5"}, nil)
		assert.Equal(t, []string{"d"}, h.Resolve())
		assert.Equal(t, map[string]string{"4": "a", "5": "a"}, h.Taken("d"))
		h.Planned("d", nil, nil)
		assert.Empty(t, h.Resolve())
		h.Planned("a", []string{"1", "5"}, nil) // without 2, it is short, and leaves 4 to d
		assert.Equal(t, []string{"d"}, h.Resolve())
		assert.Equal(t, map[string]string{"5": "a"}, h.Taken("d"))
		h.Planned("d", []string{"4"}, nil)
		assert.Empty(t, h.Resolve())
		assert.Equal(t, []string{"danger: a host is in the trees of 2 Sites: b, c (uid 3); release it in all but one"},
			h.Words())
	}
	var h Hosts
	for _, site := range []string{"a", "b", "c"} {
		h.Planned(site, nil, []string{"10.0.0.1", "10.0.0.2", site})
	}
	assert.Equal(t, []string{"warning: 2 BMC addresses are at several Sites (a, b, c): right for networks that are apart"},
		h.Words())
}

// TestListedHostsAreOneSites: a host that a Site only lists is that of its cluster, else the first's by name.
func TestListedHostsAreOneSites(t *testing.T) {
	var h Hosts
	h.Held("c", []string{"1"})
	h.Listed("a", nil, []string{"1", "2", "3", "", ""})
	h.Listed("b", []string{"2"}, []string{"1", "2", "3", ""})
	h.Listed("c", []string{"1", "2"}, []string{"1", "2", "4"})
	assert.Equal(t, []string{"a", "b", "c"}, h.Resolve())
	assert.Equal(t, map[string]string{"1": "c", "2": "b"}, h.Taken("a"))
	assert.Equal(t, map[string]string{"1": "c", "3": "a"}, h.Taken("b"))
	assert.Equal(t, map[string]string{"2": "b"}, h.Taken("c"))
	h.Listed("a", nil, []string{"3"})
	h.Planned("b", nil, nil) // it cannot be listed again
	h.Listed("c", []string{"1"}, []string{"1", "4"})
	assert.Equal(t, []string{"a", "c"}, h.Resolve(), "2 is nobody's again")
	h.Listed("a", nil, []string{"2", "3"})
	h.Listed("c", []string{"1", "2"}, []string{"1", "2", "4"})
	assert.Equal(t, []string{"a"}, h.Resolve())
	assert.Equal(t, map[string]string{"1": "c", "2": "c"}, h.Taken("a"))
	h.Listed("a", nil, []string{"3"})
	assert.Empty(t, h.Resolve())
}

// TestDangersOfAFleet: the Applications that Sites share are dangers, and no kind of danger fills the commit.
func TestDangersOfAFleet(t *testing.T) {
	var h Hosts
	for _, site := range []string{"b", "a"} {
		h.Synced(Applications{Site: site, Namespace: "argocd", Names: []string{"t.x.infra", "t.y.infra"}})
	}
	assert.Equal(t, []string{"danger: a, b have the Application argocd/t.x.infra and 1 more: on one Argo CD all but " +
		"one of their roots fail; set spec.argocd.names: site (docs/application-names.md)"}, h.Words())

	var many Hosts
	var uids []string
	for i := range 53 {
		uids = append(uids, fmt.Sprint(i))
	}
	for _, site := range []string{"a", "b"} {
		many.Held(site, uids)
	}
	for i := range 23 {
		for _, side := range []string{"a", "b"} {
			many.Synced(Applications{Site: fmt.Sprintf("%s%02d", side, i), Namespace: "argocd", Names: []string{fmt.Sprint(i)}})
		}
	}
	words := many.Words()
	assert.Len(t, words, 50+1+20+1)
	assert.Equal(t, "danger: and 3 more hosts like it", words[50])
	assert.Equal(t, "danger: and 3 more groups of Sites like it", words[71])
}

// TestHostsAfterAPush: what a rival's push or a commit of the run itself put into a tree is that Site's.
func TestHostsAfterAPush(t *testing.T) {
	var h Hosts
	for _, site := range []string{"a", "b"} {
		h.Planned(site, []string{"1", "2"}, nil)
	}
	assert.Equal(t, []string{"b"}, h.Resolve())
	h.Planned("b", nil, nil)
	assert.Empty(t, h.Resolve())

	h.Again() // a rival has pushed b's tree, with both: only b is planned again
	assert.Empty(t, h.Taken("b"))
	h.Held("b", []string{"1", "2"})
	h.Planned("b", []string{"1", "2"}, nil)
	assert.Equal(t, []string{"a"}, h.Resolve())
	assert.Equal(t, map[string]string{"1": "b", "2": "b"}, h.Taken("a"))
	h.Planned("a", nil, nil)
	assert.Empty(t, h.Resolve())

	var two Hosts // of two branches: b's is written before a is planned
	two.Planned("b", []string{"1"}, nil)
	assert.Empty(t, two.Resolve())
	two.Written([]Site{{Name: "b"}})
	two.Again()
	two.Planned("a", []string{"1"}, nil)
	assert.Equal(t, []string{"a"}, two.Resolve())
	assert.Equal(t, map[string]string{"1": "b"}, two.Taken("a"))
}
