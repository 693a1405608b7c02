package main

import (
	"slices"
	"testing"
)

func TestWithoutFormulas(t *testing.T) {
	got := withoutFormulas([][]string{{"=1+2", "+1", "-1", "@a", "\ta", "\ra", "a=1", "", "m/h", "2-1"}})
	if want := []string{"'=1+2", "'+1", "'-1", "'@a", "'\ta", "'\ra", "a=1", "", "m/h", "2-1"}; !slices.Equal(got[0], want) {
		t.Errorf("got %q, want %q", got[0], want)
	}
}
