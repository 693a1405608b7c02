package v1

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
)

// TestWantIsWithinBounds: counts that validation refuses are summed all the same.
func TestWantIsWithinBounds(t *testing.T) {
	for _, row := range []struct{ asked, want int }{{-5, 0}, {0, 0}, {MaxCount, MaxCount}, {MaxCount + 1, MaxCount},
		{math.MaxInt, MaxCount}, {math.MinInt, 0}} {
		set := NodeSet{Count: &NodeCount{Active: row.asked, Standby: row.asked}}
		if active, standby := set.Want(); active != row.want || standby != row.want {
			t.Errorf("%d: want %d active and %d standby, want %d of both", row.asked, active, standby, row.want)
		}
	}
}

// TestMayBeReserved: a prefix that a token's name completes to one of Kubernetes' own.
func TestMayBeReserved(t *testing.T) {
	for prefix, want := range map[string]bool{"": true, "sys": true, "system:": true, "system:node:": true,
		"oidc:": false} {
		assert.Equal(t, want, MayBeReserved(prefix), prefix)
	}
}

// TestHostLabels: a label does not say in which namespace a host is.
func TestHostLabels(t *testing.T) {
	h := HostLabels{Namespace: "metal", Labels: map[string]string{HostNamespaceKey: "other", "rack": "r1"}}
	for key, want := range map[string]string{HostNamespaceKey: "metal", "rack": "r1"} {
		got, exists := h.Lookup(key)
		assert.Truef(t, got == want && exists, "%s: found %q, %t, want %q", key, got, exists, want)
	}
}

func TestNamesNeverMeet(t *testing.T) {
	seen := map[string]string{}
	for _, cluster := range []string{"a", "a-2", "2-a", "controlplane-a", "worker-a", "2"} {
		for _, list := range []string{ListControlPlane, ListWorker, ListJumpHost, ListDex} {
			for i := range 3 {
				name := ServiceName(list, i, cluster)
				other, twice := seen[name]
				assert.Truef(t, !twice, "%s is the name of %s and of %s %s[%d]", name, other, cluster, list, i)
				seen[name] = cluster + " " + list
			}
		}
	}
}

// TestSyncNamesOfThePage: the pages say how long namespace and name may be together, so that the commands there find
// what syncs a cluster.
func TestSyncNamesOfThePage(t *testing.T) {
	longest := func(parts ...string) int {
		for n := 2; ; n++ {
			namespace, name := strings.Repeat("n", n/2), strings.Repeat("m", n-n/2)
			for _, part := range parts {
				if SyncName(namespace, name, part) != namespace+"."+name+"."+part {
					return n - 1
				}
			}
		}
	}
	for page, says := range map[string]string{
		"runbooks/stop-one-tenant.md": fmt.Sprintf("namespace and name have more than %d characters together",
			longest(SyncParts...)),
		"argocd.md": fmt.Sprintf("more than %d characters in namespace and name together",
			longest("infra")),
	} {
		text := need.Read(t, "../../docs/"+page)
		assert.Contains(t, strings.Join(strings.Fields(string(text)), " "), says, page)
	}
	namespace, name := strings.Repeat("n", 40), strings.Repeat("m", 20)
	cut := func(part string) string { return strings.TrimSuffix(SyncName(namespace, name, part), "."+part) }
	assert.Truef(t, cut("infra") == cut("hosts") && len(cut("rights")) == len(cut("infra"))-1,
		"a long name is cut to %s, %s and %s", cut("infra"), cut("hosts"), cut("rights"))
}
