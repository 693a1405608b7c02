package fleet

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"
)

func TestChoose(t *testing.T) {
	sites := []Site{
		{Path: "b.yaml", Name: "dc2", Labels: map[string]string{"wave": "2"}},
		{Path: "c.yaml", Name: "c.yaml", Unread: true},
		{Path: "a.yaml", Name: "dc1", Labels: map[string]string{"wave": "1"}},
		{Path: "d.yaml", Name: "dc10", Labels: map[string]string{"wave": "1"}},
	}
	for _, row := range []struct {
		why, labeled string
		want         []string
	}{
		{"all, by name", "", []string{"c.yaml", "dc1", "dc10", "dc2"}},
		{"unknown labels may be these", "wave=1", []string{"c.yaml", "dc1", "dc10"}},
		{"by a list of values", "wave in (2,3)", []string{"c.yaml", "dc2"}},
	} {
		selector, err := labels.Parse(row.labeled)
		require.NoError(t, err)
		chosen, err := Choose(sites, selector)
		require.NoError(t, err, row.why)
		var names []string
		for _, site := range chosen {
			names = append(names, site.Name)
		}
		assert.Equal(t, row.want, names, row.why)
	}
	wave9, err := labels.Parse("wave=9")
	require.NoError(t, err)
	_, err = Choose(sites[2:], wave9)
	assert.EqualError(t, err, `--select: found "wave=9", and no Site of 2 has such labels`)
	_, err = Choose(append(sites, Site{Path: "e.yaml", Name: "dc1"}), labels.Everything())
	assert.EqualError(t, err, "--site: a.yaml and e.yaml are both Site dc1, want one of a name")
	wave2, err := labels.Parse("wave=2")
	require.NoError(t, err)
	_, err = Choose(append(sites, Site{Path: "e.yaml", Name: "dc1"}), wave2) // another run would write over its tree
	assert.EqualError(t, err, "--site: a.yaml and e.yaml are both Site dc1, want one of a name")
}

// TestApart: no tree in the folder of another Site's on one branch, chosen or not.
func TestApart(t *testing.T) {
	for _, row := range []struct {
		why       string
		one, more Site
		refused   bool
	}{
		{"two folders", Site{Folder: "sites/a"}, Site{Folder: "sites/b"}, false},
		{"one is the beginning of the other's name", Site{Folder: "sites/a"}, Site{Folder: "sites/a-b"}, false},
		{"one folder", Site{Folder: "sites/a"}, Site{Folder: "sites/a"}, true},
		{"one folder, written otherwise", Site{Folder: "sites/a"}, Site{Folder: "./sites//a/"}, true},
		{"in the other's", Site{Folder: "sites/a/b"}, Site{Folder: "sites/a"}, true},
		{"in the other's, at a distance", Site{Folder: "sites/a/b/c"}, Site{Folder: "sites"}, true},
		{"the whole branch", Site{Folder: "."}, Site{Folder: "sites/a"}, true},
		{"no path", Site{}, Site{Folder: "sites/a"}, true},
		{"another branch", Site{Folder: "a", Branch: "x"}, Site{Folder: "a"}, false},
		{"another repository", Site{Folder: "a", URL: "https://b.example/b.git"}, Site{Folder: "a"}, false},
	} {
		row.one.Name, row.more.Name = "a", "b"
		row.more.Labels = map[string]string{"wave": "2"}
		for _, s := range []*Site{&row.one, &row.more} {
			s.URL = cmp.Or(s.URL, "https://git.example/fleet.git")
		}
		between := Site{Name: "c", URL: row.one.URL, Folder: "sites/a.b"} // sorts between a and a/b by its bytes
		if row.one.Folder == "." || row.one.Folder == "" || row.more.Folder == "sites" {
			between.Folder = "tmp"
			between.URL += "x"
		}
		wave2, err := labels.Parse("wave=2")
		require.NoError(t, err)
		_, err = Choose([]Site{row.one, between, row.more}, wave2)
		if row.refused {
			assert.ErrorContains(t, err, "of the same branch (spec.repository.path), want none in another", row.why)
		} else {
			assert.NoError(t, err, row.why)
		}
	}
	broken := []Site{{Name: "a"}, {Name: "b"}} // Sites with an error have no place
	_, err := Choose(broken, labels.Everything())
	assert.NoError(t, err)
}

// TestOwnBases: no two Sites apply the same manifests of hosts, chosen or not.
func TestOwnBases(t *testing.T) {
	for _, row := range []struct {
		why       string
		one, more Site
		refused   bool
	}{
		{"two folders", Site{Base: "metal/a"}, Site{Base: "metal/b"}, false},
		{"hosts in the cluster", Site{}, Site{}, false},
		{"one of each", Site{Base: "metal"}, Site{}, false},
		{"one folder", Site{Base: "metal"}, Site{Base: "metal"}, true},
		{"one folder, written otherwise", Site{Base: "metal"}, Site{Base: "./metal/"}, true},
		{"another branch", Site{Base: "metal", Branch: "x"}, Site{Base: "metal"}, false},
		{"another repository", Site{Base: "metal", URL: "https://b.example/b.git"}, Site{Base: "metal"}, false},
	} {
		row.one.Name, row.one.Folder, row.more.Name, row.more.Folder = "a", "a", "b", "b"
		row.more.Labels = map[string]string{"wave": "2"}
		for _, s := range []*Site{&row.one, &row.more} {
			s.URL = cmp.Or(s.URL, "https://git.example/fleet.git")
		}
		wave2, err := labels.Parse("wave=2")
		require.NoError(t, err)
		_, err = Choose([]Site{row.one, row.more}, wave2)
		if row.refused {
			assert.ErrorContains(t, err, "--site: Sites a and b have their hosts in ", row.why)
		} else {
			assert.NoError(t, err, row.why)
		}
	}
}

// TestSlice: the slices are a partition of the Sites, also where there are more slices than Sites.
func TestSlice(t *testing.T) {
	sites := []Site{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}}
	for n := 1; n <= 7; n++ {
		found := map[string]int{}
		for i := range n {
			slice, err := ParseSlice(fmt.Sprintf("%d/%d", i, n))
			require.NoError(t, err)
			for _, site := range slice.Of(sites) {
				found[site.Name]++
			}
		}
		assert.Equal(t, map[string]int{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1}, found, "%d slices", n)
	}
	assert.Equal(t, []Site{{Name: "b"}, {Name: "e"}}, Slice{1, 3}.Of(sites))
	assert.Equal(t, sites, Slice{}.Of(sites))
	for _, wrong := range []string{"", "1", "/", "3/3", "-1/3", "0/0", "a/b", "1/2/3", "1/-2"} {
		_, err := ParseSlice(wrong)
		assert.ErrorContains(t, err, "want I/N with I from 0 to N-1", wrong)
	}
}

// TestTally: exit 2 if all Sites failed, 1 if any ended with 1 or 2 (contract 34).
func TestTally(t *testing.T) {
	for _, row := range []struct {
		codes []int
		want  int
		words string
	}{
		{[]int{Done, Done}, Done, "2 Sites"},
		{[]int{Done, Finding}, Finding, "2 Sites; 1 with findings: b"},
		{[]int{Failed, Done}, Finding, "2 Sites; 1 failed: a"},
		{[]int{Failed, Finding}, Finding, "2 Sites; 1 with findings: b; 1 failed: a"},
		{[]int{Failed, Failed}, Failed, "2 Sites; 2 failed: a, b"},
		{[]int{Failed}, Failed, "1 Site; 1 failed: a"},
		{nil, Done, "0 Sites"},
	} {
		var tally Tally
		for i, code := range row.codes {
			tally.Add(string(rune('a'+i)), code)
		}
		assert.Equal(t, row.want, tally.Code(), row.words)
		assert.Equal(t, row.words, tally.String())
	}
}
