package holdings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConflicts: a host is written as name, cluster of the tree, and its user: machine@Cluster API cluster, in another
// namespace than m with "namespace:" before it, of another kind than Metal3Machine with "Kind=" before that. A host of
// "-" is no cluster's, one of "?red" leaves red, and one of "-red" does so by an approval.
func TestConflicts(t *testing.T) {
	for _, row := range []struct {
		why         string
		hosts, want []string
	}{
		{"each its own, under names of the platform's",
			[]string{"a red x@edge-red", "b red y@edge-red", "c old z@edge-old"}, nil},
		{"nothing runs", []string{"a red", "b old"}, nil},
		{"two on one cluster's hosts", []string{"a red x@one", "b red y@two", "c red z@two"},
			[]string{"0 t/red m/one(a) m/two(b c)"}},
		{"two of one name in two namespaces", []string{"a red x@one", "b red other:y@one"},
			[]string{"0 t/red m/one(a) other/one(b)"}},
		{"one on two clusters' hosts", []string{"a red x@one", "b old y@one"},
			[]string{"1 t/old m/one t/old(b) t/red(a)"}},
		{"the name of a cluster with idle hosts", []string{"a red x@old", "b old"}, []string{"2 t/red m/old t/old(a)"}},
		{"the name of a cluster without hosts", []string{"a red x@blue"}, []string{"2 t/red m/blue t/blue(a)"}},
		{"both, said once", []string{"a red x@old", "b old y@old"}, []string{"1 t/old m/old t/old(b) t/red(a)"}},
		{"its own name, which another one has too", []string{"a red x@red"}, nil},
		{"one machine", []string{"a red x@one", "b red x@one"},
			[]string{"3 t/red Metal3Machine m/x Metal3Machine m/x(a b)"}},
		{"one machine, on a host of no cluster too", []string{"a red x@one", "b - x@one"},
			[]string{"3 t/red Metal3Machine m/x Metal3Machine m/x(a b)"}},
		{"one machine, on hosts of no cluster", []string{"a - x@one", "b - x@one"}, nil},
		{"two machines of one name", []string{"a red x@one", "b red other:x@"}, nil},
		{"one consumer that may have several hosts", []string{"a red Cluster=x@one", "b red Cluster=x@one"}, nil},
		{"no label says which cluster", []string{"a red x@", "b red y@one"}, nil},
		{"a host of no cluster", []string{"a - x@one", "b red y@two"}, nil},
		{"a machine on a host of no cluster, its fellows on a cluster's",
			[]string{"a - x@one", "b red y@one", "c red z@one"},
			[]string{"4 t/red m/one m/one(a)"}},
		{"conflicts of several sorts come in one order", []string{"a red x@one", "b red y@two", "c old z@two",
			"d old v@three"}, []string{"0 t/old m/three(d) m/two(c)", "0 t/red m/one(a) m/two(b)",
			"1 t/old m/two t/old(c) t/red(b)"}},
		{"a machine on a host whose release is approved", []string{"a -red x@one", "b red y@one"}, nil},
		{"a machine on a host that leaves without approval", []string{"a ?red x@one", "b red y@one"},
			[]string{"4 t/red m/one m/one(a)"}},
		{"several of them", []string{"a - x@one", "b red y@one", "c - z@one", "d - v@two"},
			[]string{"4 t/red m/one m/one(a c)"}},
	} {
		var in Input
		for _, words := range row.hosts {
			fields := append(strings.Fields(words), "")
			h := inventory.Host{Namespace: "m", Name: fields[0], UID: "u", Labels: map[string]string{}}
			if machine, cluster, used := strings.Cut(fields[2], "@"); used {
				namespace, kind := "m", "Metal3Machine"
				if of, rest, other := strings.Cut(machine, "="); other {
					kind, machine = of, rest
				}
				if of, rest, other := strings.Cut(machine, ":"); other {
					namespace, machine = of, rest
				}
				h.State.Consumer = &inventory.Consumer{Kind: kind, Namespace: namespace, Name: machine}
				if cluster != "" {
					h.Labels["cluster.x-k8s.io/cluster-name"] = cluster
				}
			}
			if fields[1] != "-" {
				claim := Claim{Host: KeyOf(&h), UID: "u", Cluster: ClusterKey{"t", strings.Trim(fields[1], "-?")},
					Role: "Worker", Releasing: strings.ContainsAny(fields[1], "-?")}
				if strings.HasPrefix(fields[1], "-") {
					claim.Use = Use(&h)
				}
				in.Tree = append(in.Tree, claim)
			}
			in.Hosts = append(in.Hosts, h)
		}
		in.Keys, in.Specs = keys, map[ClusterKey]bool{{"t", "red"}: true, {"t", "blue"}: true, {"u", "red"}: true}
		of, err := Of(in)
		require.NoError(t, err)
		var got []string
		for _, c := range of.Conflicts() {
			words := fmt.Sprintf("%d %s %s", c.Kind, c.Cluster, c.User)
			for _, side := range c.Sides {
				var names []string
				for _, host := range side.Hosts {
					names = append(names, host.Name)
				}
				words += fmt.Sprintf(" %s(%s)", side.Name, strings.Join(names, " "))
			}
			got = append(got, strings.ReplaceAll(words, "  ", " "))
		}
		assert.Equal(t, row.want, got, row.why)
	}
}
