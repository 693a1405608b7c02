package app

import "testing"

func TestBelow(t *testing.T) {
	for where, want := range map[string]string{
		"http://127.0.0.1/fleet.git main site": "http://127.0.0.1/fleet.git main site/clusters/a",
		"https://git.example.org/fleet.git/":   "https://git.example.org/fleet.git/clusters/a",
		"./tree/":                              "tree/clusters/a",
		".":                                    "clusters/a",
	} {
		if found := below(where, "clusters/a"); found != want {
			t.Errorf("%s: found %s, want %s", where, found, want)
		}
	}
}
