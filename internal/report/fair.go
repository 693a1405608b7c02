package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// danger is a sentence that a reviewer must not miss.
type danger struct {
	kind      string // what it is about, such as "released"
	namespace string // of the clusters; empty: the site
	words     string
}

// ofCluster returns a danger of a cluster, "namespace/name".
func ofCluster(cluster, words string) danger {
	namespace, _, _ := strings.Cut(cluster, "/")
	return danger{namespace: namespace, words: words}
}

func sentences(dangers []danger) []string {
	var out []string
	for _, d := range dangers {
		out = append(out, d.words)
	}
	return out
}

// fairly returns the dangers for which there is room, in their order. If not all fit, kinds take turns, and within a
// kind namespaces do: first one danger of each kind, then a second one of each, of another namespace if possible. So
// no tenant's dangers are hidden by another tenant's, and no kind by another kind.
func fairly(dangers []danger, room int, size func(words string) int) []danger {
	turns := make([]int, len(dangers))
	order := make([]int, len(dangers))
	for i := range dangers {
		order[i] = i
	}
	take := func(who func(d danger) string) {
		seen := map[string]int{}
		for _, i := range order {
			turns[i] = seen[who(dangers[i])]
			seen[who(dangers[i])]++
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(turns[a], turns[b]) })
	}
	take(func(d danger) string { return d.kind + "/" + d.namespace })
	take(func(d danger) string { return d.kind })
	var kept []int
	for _, i := range order {
		if room -= size(dangers[i].words); room < 0 {
			break
		}
		kept = append(kept, i)
	}
	slices.Sort(kept)
	var out []danger
	for _, i := range kept {
		out = append(out, dangers[i])
	}
	return out
}

// AllDangers names the commands that list all dangers: plan does not have those of files, and diff does not show the
// effect on clusters.
const AllDangers = "sipgen plan and sipgen diff show them all"

// moreDangers counts the omitted dangers.
func moreDangers(all, shown []danger) string {
	return text.Plural(len(all)-len(shown), "more danger", "more dangers")
}
