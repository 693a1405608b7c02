package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// TestMinFreeCountsWhatIsReserved: on random small sites, --min-free of all hosts finds as many reserved ones as every
// other sum, and --min-free of some hosts and of the others find no more than that together.
func TestMinFreeCountsWhatIsReserved(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 63))
	label := func() string { return fmt.Sprint("l", random.IntN(3)) }
	reservedOf, twice := 0, 0
	for n := range 2_000 {
		options := schedule.Options{Keys: schedule.LabelKeys{ClusterNamespace: "of/namespace", ClusterName: "of/name",
			NodeType: "of/role", Standby: "of/standby"}}
		for i := range 1 + random.IntN(3) {
			count := random.IntN(4)
			one := schedule.Reservation{Name: fmt.Sprint("r", i),
				Selector: labels.SelectorFromSet(labels.Set{label(): "y"})}
			if tenant := fmt.Sprint("t", random.IntN(2)); random.IntN(3) > 0 {
				one.Tenants, one.Namespaces = []string{tenant}, map[string]bool{tenant: true}
			}
			if one.Count = &count; len(one.Tenants) > 0 && random.IntN(3) == 0 {
				one.Count = nil
			}
			options.Reserved = append(options.Reserved, one)
		}
		var hosts []inventory.Host
		for i := range random.IntN(8) {
			h := inventory.Host{Namespace: "m", Name: fmt.Sprint("h", i), UID: fmt.Sprint(i),
				Labels: map[string]string{label(): "y", label(): "y"}}
			h.State = inventory.State{Known: true, Provisioning: "available", Operational: "OK"}
			if random.IntN(5) == 0 {
				h.State.Cordoned = "audit"
			}
			hosts = append(hosts, h)
		}
		var clusters []v1.SIPCluster
		for i := range random.IntN(3) {
			c := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprint("t", i), Name: "c"}}
			c.Spec.Nodes = map[string]v1.NodeSet{"Worker": {Count: &v1.NodeCount{Active: random.IntN(3)}}}
			clusters = append(clusters, c)
		}
		placement, err := schedule.Plan(clusters, hosts, schedule.Previous{}, options)
		require.NoError(t, err)
		answer, err := schedule.Holdings(clusters, hosts, schedule.Previous{}, options)
		require.NoError(t, err)
		kept := report.KeptBefore(placement)
		_, want := report.KeptWords(kept)
		of := func(selector string) int {
			parsed, err := labels.Parse(selector)
			require.NoError(t, err)
			return (&leastFree{selector: parsed}).of(answer, kept, options.Reserved).Kept
		}
		if found := of(""); found != want {
			t.Fatalf("%d: %d hosts are reserved, and to --min-free %d: %+v\n%+v\n%+v", n, want, found, kept,
				options.Reserved, hosts)
		}
		if some, others := of("l0"), of("!l0"); some+others > want {
			t.Fatalf("%d: %d hosts are reserved, and to --min-free %d and %d: %+v", n, want, some, others, kept)
		}
		reservedOf += want
		if slices.ContainsFunc(kept, func(k report.KeptHosts) bool { return k.Twice > 0 }) {
			twice++
		}
	}
	assert.Truef(t, reservedOf > 1_000 && twice > 20, "%d reserved hosts, %d sites with some reserved twice",
		reservedOf, twice)
}
