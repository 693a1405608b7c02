package app

import (
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

func TestBelow(t *testing.T) {
	for where, want := range map[string]string{
		"http://127.0.0.1/fleet.git main site": "http://127.0.0.1/fleet.git main site/clusters/a",
		"https://git.example.org/fleet.git/":   "https://git.example.org/fleet.git/clusters/a",
		"./tree/":                              "tree/clusters/a",
		".":                                    "clusters/a",
	} {
		need.Equal(t, where, below(where, "clusters/a"), want)
	}
}
