package main

import (
	"slices"
	"testing"
)

// TestCompletionWithoutNamespace: what a shell gets begins with what was typed, and names one thing.
func TestCompletionWithoutNamespace(t *testing.T) {
	names := []string{"racks/n1", "racks/n2", "racks/twin", "red", "shelf/twin", "tenant-a/edge/Storage=2", "tenant-a/own/Worker=4", "tenant-b/edge/Worker=3"}
	for _, row := range []struct {
		why, typed string
		want       []string
	}{
		{"nothing typed", "", names},
		{"the namespace is typed", "racks/", names},
		{"a tenant is typed", "re", names},
		{"a name is typed: twin and edge are in two namespaces", "n", []string{"n1", "n2", "own/Worker=4"}},
	} {
		if got := withoutNamespace(names, row.typed); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q gives %q, want %q", row.why, row.typed, got, row.want)
		}
	}
}
