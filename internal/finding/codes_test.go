package finding

import (
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// TestTable: each code has its words, and none stands twice.
func TestTable(t *testing.T) {
	var all []string
	for _, c := range Codes() {
		all = append(all, c.Code)
		if c.Title == "" || !strings.HasSuffix(c.Meaning, ".") || !strings.HasSuffix(c.Remedy, ".") || Remedy(c.Code) == "" || c.Severities == "" {
			t.Errorf("%s lacks words", c.Code)
		}
	}
	if !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) || Find("SIP001") == nil || Find("SIP041") != nil {
		t.Errorf("codes %q", all)
	}
	for _, code := range []string{NodePort, Blind} {
		if Find(code) == nil {
			t.Errorf("%s has no row", code)
		}
	}
}

// TestFold: a list that is folded says how much is missing, and one that fits is whole.
func TestFold(t *testing.T) {
	all := []Finding{{Code: Object, Object: "a"}, {Code: Object, Object: "b"}, {Code: Object, Object: "c"}}
	if got := Fold(all, 1, "see lint"); len(got) != 2 || got[0] != all[0] || got[1].String() != "SIP026: 2 more: see lint" {
		t.Errorf("found %v", got)
	}
	need.Same(t, "", Fold(all, 3, "see lint"), all)
}
