package fleet

import (
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
