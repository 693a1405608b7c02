package fleet

import (
	"maps"
	"slices"
)

// Applications are the names of the Applications that a Site has on an Argo CD elsewhere, which may have other Sites'.
type Applications struct {
	Site string
	// Namespace is Argo CD's.
	Namespace string
	Names     []string
}

// Clash is an Application that several Sites have: Argo CD lets one of them have it, and the others' roots fail.
type Clash struct {
	// Name is the Application's, Namespace that of Argo CD.
	Namespace, Name string
	// Sites are sorted.
	Sites []string
	// More is how many other Applications these Sites have in common.
	More int
}

// Clashes returns one clash for each group of Sites with the same Applications, by the first name that they share.
// Two Argo CDs with the same namespace are taken for one.
func Clashes(all []Applications) []Clash {
	sites := map[[2]string][]string{}
	for _, of := range all {
		for _, name := range of.Names {
			key := [2]string{of.Namespace, name}
			if !slices.Contains(sites[key], of.Site) {
				sites[key] = append(sites[key], of.Site)
			}
		}
	}
	var out []Clash
	at := map[string]int{}
	keys := slices.SortedFunc(maps.Keys(sites), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		group := slices.Sorted(slices.Values(sites[key]))
		if len(group) < 2 {
			continue
		}
		of := key[0]
		for _, site := range group {
			of += "\x00" + site
		}
		if i, known := at[of]; known {
			out[i].More++
			continue
		}
		at[of] = len(out)
		out = append(out, Clash{Namespace: key[0], Name: key[1], Sites: group})
	}
	return out
}
