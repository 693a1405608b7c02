package show

import (
	"strings"
	"testing"
)

// TestApart: a long line, such as the PermitOpen of a jump host, is shown from where it changes.
func TestApart(t *testing.T) {
	long := "PermitOpen" + strings.Repeat(" 192.0.2.1:22", 30)
	old, new := apart(long+" 192.0.2.7:22", long+" 192.0.2.8:22")
	if !strings.HasPrefix(old, "… 192.0.2.1:22 ") || !strings.HasSuffix(old, " 192.0.2.7:22") || len(old) > 80 || !strings.HasSuffix(new, " 192.0.2.8:22") {
		t.Errorf("got %q and %q", old, new)
	}
	for _, row := range [][2]string{{"a b", "a c"}, {strings.Repeat("a", 300), strings.Repeat("a", 301)}} {
		if old, new := apart(row[0], row[1]); old != row[0] || new != row[1] {
			t.Errorf("got %q and %q, want them as they are", old, new)
		}
	}
}
