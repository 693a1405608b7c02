package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/text"
)

// danger is a sentence that a reviewer must not miss, or with the level change one about anything else.
type danger struct {
	kind    string // what it is about, such as "released"
	level   level
	cluster string // "namespace/name"; empty: of the site, or of several clusters
	tenant  string // of the cluster or clusters; empty: of the site, or of several tenants
	words   string
	// open is words without the cluster before it, and with NAME and NAMESPACE in place of its names, of one that is
	// said once for several clusters.
	open string
}

// ofCluster returns a danger of a cluster, "namespace/name".
func ofCluster(cluster, words string) danger { return danger{cluster: cluster, words: words} }

// The names of a cluster in a sentence that is about any cluster.
const (
	aName      = "\x00"
	aNamespace = "\x01"
)

// what is the sentence without the cluster before it, with the names of the cluster and its namespace left open.
func (d *danger) what() string {
	namespace, name, _ := strings.Cut(d.cluster, "/")
	return text.Renamed(text.Renamed(strings.TrimPrefix(d.words, d.cluster+": "), name, aName), namespace, aNamespace)
}

// unnamed writes the names that what leaves open.
func unnamed(what string) string {
	return strings.NewReplacer(aName, "NAME", aNamespace, "NAMESPACE").Replace(what)
}

func sentences(dangers []danger) []string {
	var out []string
	for _, d := range dangers {
		out = append(out, d.words)
	}
	return out
}

// fairly returns the dangers for which there is room, in their order. If not all fit, the strong ones come first. Of
// the others, kinds and tenants take turns: the first danger of each kind, then a second one of each, of another tenant
// if possible, and in between the first danger of each tenant, then a second one of each, of another kind if possible.
// So no tenant's dangers are hidden by another tenant's, and no kind by another kind.
func fairly(dangers []danger, room int, size func(words string) int) []danger {
	kind := func(d danger) string { return d.kind }
	tenant := func(d danger) string { return d.tenant }
	both := func(d danger) string { return d.kind + "/" + d.tenant }
	byKind, byTenant := inTurn(dangers, both, kind), inTurn(dangers, both, tenant)
	kept := make([]bool, len(dangers))
	keep := func(i int) {
		if n := size(dangers[i].words); !kept[i] && room >= n {
			kept[i], room = true, room-n
		} else if !kept[i] {
			room = 0
		}
	}
	for _, i := range byKind {
		if dangers[i].level == strong {
			keep(i)
		}
	}
	for i := range dangers {
		keep(byKind[i])
		keep(byTenant[i])
	}
	var out []danger
	for i := range dangers {
		if kept[i] {
			out = append(out, dangers[i])
		}
	}
	return out
}

// inTurn returns the dangers' places: the first one of each group, then the second one of each, and so on; the last
// grouping decides first.
func inTurn(dangers []danger, groups ...func(d danger) string) []int {
	order, turns := make([]int, len(dangers)), make([]int, len(dangers))
	for i := range dangers {
		order[i] = i
	}
	for _, group := range groups {
		seen := map[string]int{}
		for _, i := range order {
			turns[i] = seen[group(dangers[i])]
			seen[group(dangers[i])]++
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(turns[a], turns[b]) })
	}
	return order
}

// AllDangers names the command that lists all dangers.
const AllDangers = "sipgen plan shows them all"

// moreDangers counts the omitted dangers.
func moreDangers(all, shown []danger) string {
	return text.Plural(len(all)-len(shown), "more danger", "more dangers")
}
