package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestNamedHosts: what a tenant names in an annotation is that tenant's affair, however many hosts are called so, and however many names there are.
func TestNamedHosts(t *testing.T) {
	worker := v1.RoleWorker
	elsewhere := claimed(host1("h1", "w", "r2"), "a", worker)
	elsewhere.Namespace, elsewhere.UID = "metbl", "uid-other"
	hosts := []inventory.Host{claimed(host1("h1", "w", "r1"), "a", worker), elsewhere, host1("h3", "w", "r3")}
	many := make([]string, 1000)
	for i := range many {
		many[i] = fmt.Sprintf("x%d", i)
	}
	for _, row := range []struct {
		why, annotation, names string
		plan                   string
		want                   []string // what is said; with a count at its end, the rest is not looked at
		says                   int
	}{
		{"two are called so", v1.RemoveAnnotation, "h1", "a Worker: h1 h1\n",
			[]string{`annotation sip.airshipit.org/remove names host "h1", but the cluster holds two hosts of that name, metal/h1 and metbl/h1: this entry has no effect; write namespace/name`}, 1},
		{"and one is meant", v1.RemoveAnnotation, "metal/h1", "a Worker: +h3 h1 -h1\n", nil, 0},
		{"two whose release is approved", v1.ApproveReleaseAnnotation, "h1,", "a Worker: h1 h1\n",
			[]string{`annotation sip.airshipit.org/approve-release names host "h1", but the cluster holds two hosts of that name`}, 1},
		{"a thousand that are not there", v1.RemoveAnnotation, strings.Join(many, ","), "a Worker: h1 h1\n",
			[]string{"annotation sip.airshipit.org/remove: 990 more names have no effect"}, 11},
	} {
		a := newCluster("a", map[string]v1.NodeSet{worker: nodes("kind=w", 2, 0)})
		a.Annotations = map[string]string{row.annotation: row.names}
		p := plan(t, []v1.SIPCluster{a}, hosts, Previous{}, testOptions)
		said := Say.Warnings(p.Clusters[0].Warnings)
		if got := summary(p); got != row.plan {
			t.Errorf("%s: got %q, want %q", row.why, got, row.plan)
		}
		for _, want := range row.want {
			if !slices.ContainsFunc(said, func(words string) bool { return strings.HasPrefix(words, want) }) {
				t.Errorf("%s: said %.500q, want %q", row.why, said, want)
			}
		}
		if len(said) != row.says {
			t.Errorf("%s: %d warnings, want %d", row.why, len(said), row.says)
		}
	}
}
