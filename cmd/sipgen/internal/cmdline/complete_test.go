package cmdline

import (
	"slices"
	"testing"
)

// TestCompletionWithoutNamespace: what a shell gets begins with what was typed, and names one thing.
func TestCompletionWithoutNamespace(t *testing.T) {
	names := []string{"racks/n1", "racks/n2", "racks/tom", "racks/twin", "red", "shelf/twin", "tenant-a/edge/Storage=2", "tenant-a/own/Worker=4", "tenant-b/edge/Worker=3"}
	for _, row := range []struct {
		why, typed string
		want       []string
	}{
		{"nothing typed", "", names},
		{"the namespace is typed", "racks/", []string{"racks/n1", "racks/n2", "racks/tom", "racks/twin"}},
		{"a tenant is typed", "re", []string{"red"}},
		{"a name is typed", "n", []string{"n1", "n2"}},
		{"a name that a role follows", "ow", []string{"own/Worker=4"}},
		{"a name or a namespace: twin is in two namespaces", "t", []string{"tenant-a/edge/Storage=2", "tenant-a/own/Worker=4", "tenant-b/edge/Worker=3", "tom"}},
		{"nothing begins so", "x", nil},
	} {
		if got := beginningWith(row.typed, names); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q gives %q, want %q", row.why, row.typed, got, row.want)
		}
	}
}
