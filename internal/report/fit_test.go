package report

import (
	"bytes"
	"strings"
	"testing"

	prettytext "github.com/jedib0t/go-pretty/v6/text"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/finding"
)

// TestTableFitsATerminal: no line of the table is wider than the terminal, no name is cut, and colors end where they began. Without a terminal nothing changes.
func TestTableFitsATerminal(t *testing.T) {
	const cluster, host, use = "tenant-of-a-bank/edge-of-the-city", "vino-system/rack-1-node-1", "consumed by Metal3Machine metal3/edge-of-the-city-control-plane-0"
	p := &Plan{Site: "dc1", Clusters: []ClusterResult{
		{Namespace: "tenant-of-a-bank", Name: "edge-of-the-city", Unschedulable: true, Roles: []RoleResult{{Name: "ControlPlane", New: 2, ShortActive: 1, shortage: true, Slots: []Slot{
			{Host: host, Domain: "rack-1", Addresses: []string{"198.51.100.41", "2001:db8:40::29"}, Status: StatusNew},
			{Host: "vino-system/rack-2-node-1", Domain: "rack-2", Status: StatusKept, use: use},
		}}}},
		{Namespace: "b", Name: "quiet"},
	}}
	rows := func(p *Plan, options TableOptions) ([]string, int) {
		var out bytes.Buffer
		slotTable(&out, p, options)
		lines, most := strings.Split(strings.TrimRight(out.String(), "\n"), "\n"), 0
		for _, line := range lines {
			most = max(most, prettytext.StringWidthWithoutEscSequences(line))
		}
		return lines, most
	}
	whole, natural := rows(p, TableOptions{})
	const head, byRole, once = "\n" + cluster + " (unschedulable)\n", "\n" + cluster + " (unschedulable) ControlPlane\n", "\nAll hosts are in namespace vino-system."
	for _, row := range []struct {
		width          int
		has, hasNot    []string
		ruled, colored bool
	}{
		{natural, []string{" " + cluster + " (unschedulable) ", host, use}, []string{head, once}, true, true},
		{natural - 1, []string{head, host, use, "\nb/quiet\n -"}, []string{once}, true, true},
		{100, []string{head, once, " rack-1-node-1 ", "\nb/quiet\n -"}, []string{host, use}, true, true},
		{80, []string{byRole, once, " rack-1-node-1 ", " rack-2-node-1 "}, []string{host, head, "b/quiet -"}, true, true},
		{70, []string{byRole, once, " rack-1-node-1 ", "198.51.100.41 ", "\n" + strings.Repeat(" ", 32) + "2001:db8:40::29"}, []string{host}, true, true},
		{20, []string{byRole, "rack-1-node-1"}, nil, false, true},
	} {
		lines, most := rows(p, TableOptions{Width: row.width, Color: true})
		text := strings.Join(lines, "\n")
		if row.ruled && most > max(row.width, len(byRole)-2) || strings.Contains(text, "───") != row.ruled || strings.Contains(text, "…") {
			t.Errorf("%d columns: the widest line has %d:\n%s", row.width, most, text)
		}
		need.Words(t, row.width, text, row.has...)
		for _, unwanted := range row.hasNot {
			need.Without(t, row.width, text, unwanted)
		}
		need.Words(t, row.width, text, "\x1b[32mnew\x1b[0m")
	}
	p.Clusters[0].Roles[0].Slots[0].Why, p.Clusters[0].Roles[0].Slots[0].UID = "new: rack=rack-1, "+strings.Repeat("one of many free hosts there ", 3)+"that fit", "4412bd68-0000"
	p.Clusters[0].Roles[0].Slots[1].Why = "held"
	lines, most := rows(p, TableOptions{Width: 80, Wide: true})
	if text := strings.Join(lines, "\n"); most > 80 || strings.Count(text, "───\n") != 2 || strings.Contains(text, "WHY") || !strings.Contains(text, "2001:db8:40::29\n    why: new: rack=rack-1, one of") ||
		!strings.Contains(text, "that fit\n    uid: 4412bd68-0000\n ControlPlane  rack-2-node-1 ") || !strings.Contains(text, "\n    why: held\n ControlPlane  -  ") || !strings.Contains(text, head) {
		t.Errorf("wide, on a narrow terminal (%d):\n%s", most, text)
	}
	lines, _ = rows(p, TableOptions{Width: 400, Wide: true})
	if text := strings.Join(lines, "\n"); strings.Contains(text, "why:") || !strings.Contains(lines[2], host) {
		t.Errorf("wide, with room:\n%s", text)
	}
	if text := strings.Join(whole, "\n"); !strings.Contains(text, use) || strings.Contains(text, "All hosts") {
		t.Errorf("without a terminal:\n%s", text)
	}
	p.Clusters[0].Roles[0].Slots[1].Host = "metal3/rack-2-node-1"
	if lines, most := rows(p, TableOptions{Width: 66}); most > 66 || !strings.Contains(strings.Join(lines, "\n"), " vino-system/ ") || strings.Contains(strings.Join(lines, "\n"), "All hosts") {
		t.Errorf("hosts of two namespaces: %d:\n%s", most, strings.Join(lines, "\n"))
	}
}

// A color ends with each line of a long status.
func TestWrappedColors(t *testing.T) {
	p := &Plan{Clusters: []ClusterResult{{Namespace: "t", Name: "a", Roles: []RoleResult{{Name: "Worker", Slots: []Slot{{Host: "m/h", Status: StatusReleased, use: strings.Repeat("long ", 20)}}}}}}}
	var out bytes.Buffer
	slotTable(&out, p, TableOptions{Width: 60, Color: true})
	for line := range strings.Lines(out.String()) {
		if strings.Count(line, "\x1b[31m") != strings.Count(line, "\x1b[0m") {
			t.Errorf("%q", line)
		}
	}
	if text := out.String(); strings.Count(text, "long") != 20 || strings.Count(text, "\x1b[31m") < 3 {
		t.Errorf("%q", text)
	}
}

// TestProseFitsATerminal: what is said below the table is folded between words.
func TestProseFitsATerminal(t *testing.T) {
	p := &Plan{Findings: []finding.Finding{{Message: strings.Repeat("word ", 30) + "end"}}}
	for width, lines := range map[int]int{0: 2, 40: 6} {
		var out bytes.Buffer
		Table(&out, p, TableOptions{Width: width})
		if got := strings.Count(out.String(), "\n"); got != lines || !strings.HasSuffix(out.String(), " word end\n") {
			t.Errorf("%d columns: %d lines, want %d:\n%s", width, got, lines, out.String())
		}
	}
}
