package picture

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestNamesToldApart: hosts of one rack have different names in a picture, whether they differ at their ends or in their middle.
func TestNamesToldApart(t *testing.T) {
	for _, row := range []struct {
		why, first string
		names      func(i int) string
	}{
		{"short names stay as they are", "node-0", func(i int) string { return fmt.Sprintf("node-%d", i) }},
		{"what differs is at the end", "…-compute-00", func(i int) string { return fmt.Sprintf("fra1-building-2-compute-%02d", i) }},
		{"what differs is in the middle", "…srv00-…lane", func(i int) string { return fmt.Sprintf("dc1-rack01-srv%02d-control-plane", i) }},
		{"what differs is at the front", "00-serv…main", func(i int) string { return fmt.Sprintf("%02d-server.example.org.domain", i) }},
	} {
		var names []string
		for i := range 12 {
			names = append(names, row.names(i))
		}
		cut, seen := shorten(names, 12), map[string]bool{}
		for _, name := range names {
			short := cut(name, 12)
			if seen[short] || utf8.RuneCountInString(short) > 12 {
				t.Errorf("%s: %s is %q", row.why, name, short)
			}
			seen[short] = true
		}
		if got := cut(names[0], 12); got != row.first {
			t.Errorf("%s: got %q, want %q", row.why, got, row.first)
		}
	}
	if got := shorten([]string{"a"}, 12)("a", 12); got != "a" {
		t.Error(got)
	}
}

// TestNoEmptyColumn: where no host has a row, the table has no column for it.
func TestNoEmptyColumn(t *testing.T) {
	for _, row := range []struct {
		row  string
		want bool
	}{{"", false}, {"a", true}} {
		page := string(HTML(Drawing{Name: "x", Hosts: []Cell{{Name: "m/h", Rack: "r1", Row: row.row, Tenant: -1}}}))
		if got := strings.Contains(page, "<th>Row</th>"); got != row.want || strings.Contains(page, "<td></td><td>r1</td>") {
			t.Errorf("row %q: column: %t, want %t", row.row, got, row.want)
		}
	}
}
