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
	namespace string // whose clusters it is about; empty: the site's
	words     string
}

// ofCluster is a danger of a cluster, "namespace/name".
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

// fairly gives those of the dangers for which there is room, in their order. Where not all fit, kinds take turns, and within a kind namespaces do: first
// comes one of each kind, then a second one of each, of another namespace where there is one. So nobody's dangers are hidden by another tenant's, however
// many that tenant makes and in however many namespaces, and none of a tenant's own by one of another kind.
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

// AllDangers says where those are that are left out: plan does not know what only files show, and diff does not say what a change does to a cluster.
const AllDangers = "sipgen plan and sipgen diff show them all"

// moreDangers says how many are left out, and of whom most of them are: that is where to look for the cause.
func moreDangers(all, shown []danger) string {
	left := map[string]int{}
	for _, d := range all {
		left[d.namespace]++
	}
	for _, d := range shown {
		left[d.namespace]--
	}
	most := ""
	for _, namespace := range sorted(left) {
		if namespace != "" && (most == "" || left[namespace] > left[most]) {
			most = namespace
		}
	}
	n := len(all) - len(shown)
	words := text.Plural(n, "more danger", "more dangers")
	if most != "" && 2*left[most] > n {
		words += ", " + text.Plural(left[most], "of which is", "of which are") + " of namespace " + most
	}
	return words
}
