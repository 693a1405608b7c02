package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestHandedOut: hosts that metal3 does not clean are counted apart, and the promoted ones are named as such.
func TestHandedOut(t *testing.T) {
	for _, row := range []struct {
		totals Totals
		want   string
	}{
		{Totals{}, ""},
		{Totals{Offered: 2, New: 2}, "2 hosts are handed out: "},
		{Totals{Offered: 2, New: 1}, "2 hosts are handed out or promoted from standby: "},
		{Totals{Offered: 2}, "2 hosts are promoted from standby: "},
		{Totals{Offered: 3, New: 1, Uncleaned: []string{"a"}, UncleanedNew: 1}, "2 hosts are promoted from standby: "},
		{Totals{Offered: 3, New: 3, Uncleaned: []string{"a"}, UncleanedNew: 1}, "2 hosts are handed out: "},
		{Totals{Offered: 1, New: 1, Uncleaned: []string{"a"}, UncleanedNew: 1}, ""},
	} {
		if found := handedOut(row.totals); row.want == "" {
			assert.Empty(t, found, row.totals)
		} else {
			assert.Contains(t, found, row.want, row.totals)
		}
	}
}

func TestCapacityRowsAreSummed(t *testing.T) {
	c := Capacity{Classes: []CapacityClass{
		{Class: "a", Total: 12, Held: 1, Leaving: 2, LeftAlone: 3, Free: 4, Cordoned: 5, NotEligible: 6},
		{Class: "b", Total: 21, Held: 10, Leaving: 20, LeftAlone: 30, Free: 40, Cordoned: 50, NotEligible: 60},
	}}
	rows := c.Rows()
	assert.Equal(t, []string{"all", "33", "11", "22", "33", "44", "55", "66"}, rows[len(rows)-1])
	c.Classes = c.Classes[:1]
	assert.Len(t, c.Rows(), 2, "one class is its own sum")
}

// TestSummaryOfReservedHosts: reserved hosts are a part of the free ones where all of them can be.
func TestSummaryOfReservedHosts(t *testing.T) {
	for _, row := range []struct {
		reserved int
		more     []HostResult
		want     string
	}{
		{0, nil, "2 free."},
		{1, nil, "2 free (of which 1 is reserved: 1 spare (spares))."},
		{2, nil, "2 free (of which 2 are reserved: 2 spares (spares))."},
		{3, nil, "2 free, of these 3 are reserved: 3 spares (spares)."},
		{1, []HostResult{{Verdict: "not eligible"}},
			"2 free (of which 1 is reserved: 1 spare (spares)), 1 not eligible."},
		{1, []HostResult{{Verdict: "not eligible", lacks: true}},
			"2 free, 1 not eligible, of these 1 is reserved: 1 spare (spares)."},
		{0, []HostResult{{Verdict: "not eligible", lacks: true}}, "2 free, 1 not eligible."},
	} {
		p := Plan{Hosts: append([]HostResult{{Verdict: "free"}, {Verdict: "free"}}, row.more...),
			Kept: []KeptHosts{{Name: "spares", Hosts: row.reserved}}}
		assert.Equal(t, "0 clusters, 0 hosts assigned (0 new), "+row.want, p.Summary())
	}
}
