package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/finding"
	prettytext "github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/assert"
)

// TestTableFitsATerminal: on a narrow terminal no line of the table is wider than it, no name is cut, and colors end
// where they began. Without a terminal nothing changes.
func TestTableFitsATerminal(t *testing.T) {
	const cluster, host = "tenant-of-a-bank/edge-of-the-city", "vino-system/rack-1-node-1"
	const use = "consumed by Metal3Machine metal3/edge-of-the-city-control-plane-0"
	p := &Plan{Site: "dc1", Clusters: []ClusterResult{
		{Namespace: "tenant-of-a-bank", Name: "edge-of-the-city", Unschedulable: true, Roles: []RoleResult{
			{Name: "ControlPlane", New: 2, ShortActive: 1, Slots: []Slot{
				{Host: host, Domain: "rack-1", Addresses: []string{"198.51.100.41", "2001:db8:40::29"},
					Status: StatusNew},
				{Host: "vino-system/rack-2-node-1", Domain: "rack-2", Status: StatusKept, use: use},
			}}}},
		{Namespace: "b", Name: "quiet"},
	}}
	rows := func(options TableOptions) (string, int) {
		var out bytes.Buffer
		slotTable(&out, p, options)
		return out.String(), prettytext.LongestLineLen(out.String())
	}
	whole, natural := rows(TableOptions{})
	const head = cluster + " (unschedulable) ControlPlane\n HOST "
	assert.Truef(t,
		strings.Contains(whole, " "+cluster+" (unschedulable) ") && strings.Contains(whole, use) &&
			!strings.Contains(whole, head),
		"without a terminal:\n%s", whole)
	for _, row := range []struct {
		width  int
		broken bool
		has    []string
	}{
		{natural, false, []string{use}},
		{natural - 1, true, []string{host, use}},
		{100, true, []string{"\nb/quiet\n", "198.51.100.41 2001:db8:40::29"}},
		{80, true, []string{"\nb/quiet\n", " 198.51.100.41 ", " 2001:db8:40::29"}},
	} {
		text, most := rows(TableOptions{Width: row.width, Color: true})
		for _, word := range append(row.has, " "+host+" ", "\x1b[32mnew\x1b[0m") {
			assert.Contains(t, text, word, row.width)
		}
		assert.Truef(t,
			strings.HasPrefix(text, head) == row.broken && most <= row.width && !strings.Contains(text, "…"),
			"%d columns: the widest line has %d:\n%s", row.width, most, text)
	}
	p.Clusters[0].Roles[0].Slots[0].Why = "new: rack=rack-1, one of many free hosts there that fit"
	if text, most := rows(TableOptions{Width: 110, Wide: true}); most > 110 || !strings.Contains(text, " WHY") ||
		!strings.Contains(text, " new: rack=rack-1, ") {
		t.Errorf("wide, on a narrow terminal (%d):\n%s", most, text)
	}
}

// TestProseFitsATerminal: what is said below the table is folded between words.
func TestProseFitsATerminal(t *testing.T) {
	p := &Plan{Findings: []finding.Finding{{Message: strings.Repeat("word ", 30) + "end"}}}
	for width, lines := range map[int]int{0: 2, 40: 6} {
		var out bytes.Buffer
		Table(&out, p, TableOptions{Width: width})
		assert.Equal(t, lines, strings.Count(out.String(), "\n"), width)
		assert.Contains(t, out.String(), " word end\n", width)
	}
}
