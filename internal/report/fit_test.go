package report

import (
	"bytes"
	"strings"
	"testing"

	prettytext "github.com/jedib0t/go-pretty/v6/text"
)

// TestTableFitsATerminal: no line of the table is wider than the terminal, colours end where they began, and the names of hosts are whole as long as
// there is room for them. Without a terminal nothing is shortened.
func TestTableFitsATerminal(t *testing.T) {
	p := &Plan{Site: "dc1", Clusters: []Cluster{{Namespace: "tenant-of-a-bank", Name: "edge-of-the-city", Roles: []Role{{Name: "ControlPlane", New: 2, Slots: []Slot{
		{Host: "vino-system/rack-1-node-1", Domain: "rack-1", Status: StatusNew},
		{Host: "vino-system/rack-2-node-1", Domain: "rack-2", Status: StatusKept, use: "consumed by Metal3Machine metal3/edge-of-the-city-control-plane-0"},
	}}}}}}
	rows := func(options TableOptions) ([]string, int) {
		var out bytes.Buffer
		slotTable(&out, p, options)
		lines, most := strings.Split(strings.TrimRight(out.String(), "\n"), "\n"), 0
		for _, line := range lines {
			most = max(most, prettytext.StringWidthWithoutEscSequences(line))
		}
		return lines, most
	}
	whole, natural := rows(TableOptions{})
	for _, row := range []struct {
		width int
		host  string
		ruled bool
	}{
		{natural, "vino-system/rack-1-node-1", true}, {120, "vino-system/rack-1-node-1", true}, {80, "…/rack-1-node-1 ", true}, {72, "…/rack-1-node-1 ", true},
	} {
		lines, most := rows(TableOptions{Width: row.width, Colour: true})
		text := strings.Join(lines, "\n")
		if most > row.width || !strings.Contains(text, row.host) || strings.Contains(text, "───") != row.ruled {
			t.Errorf("%d columns: the widest line has %d, want %q in it:\n%s", row.width, most, row.host, text)
		}
		if !strings.Contains(text, "\x1b[32mnew\x1b[0m") {
			t.Errorf("%d columns: a colour goes on:\n%q", row.width, text)
		}
	}
	if lines, most := rows(TableOptions{Width: 20}); strings.Contains(strings.Join(lines, "\n"), "───") || most > 67 {
		t.Errorf("much too narrow: rules, or not as narrow as it can be (%d):\n%s", most, strings.Join(lines, "\n"))
	}
	if lines, _ := rows(TableOptions{Width: 80, Wide: true}); strings.Contains(strings.Join(lines, "\n"), "───") || !strings.Contains(lines[1], "vino-system/rack-1-node-1") {
		t.Errorf("wide: what was asked for as it is, without rules that wrap:\n%s", strings.Join(lines, "\n"))
	}
	if text := strings.Join(whole, "\n"); !strings.Contains(text, "consumed by Metal3Machine metal3/edge-of-the-city-control-plane-0") || strings.Contains(text, "…") {
		t.Errorf("without a terminal:\n%s", text)
	}
}

// A colour that is cut off with a long status ends all the same.
func TestSnipEndsColours(t *testing.T) {
	p := &Plan{Clusters: []Cluster{{Namespace: "t", Name: "a", Roles: []Role{{Name: "Worker", Slots: []Slot{{Host: "m/h", Status: StatusReleased, use: strings.Repeat("long ", 20)}}}}}}}
	var out bytes.Buffer
	slotTable(&out, p, TableOptions{Width: 60, Colour: true})
	if text := out.String(); !strings.Contains(text, "\x1b[31m") || strings.LastIndex(text, "\x1b[0m") < strings.LastIndex(text, "\x1b[31m") || !strings.Contains(text, "…") {
		t.Errorf("%q", text)
	}
}
