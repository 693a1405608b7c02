package v1

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/labels"
)

// TestHostIndex: the index finds what a look at each host finds, whatever the selector asks for.
func TestHostIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var hosts []HostLabels
	for range 60 {
		h := HostLabels{Namespace: fmt.Sprint("n", rng.IntN(3)), Labels: map[string]string{}}
		for _, key := range []string{"a", "b", "c"} {
			if rng.IntN(3) > 0 {
				h.Labels[key] = fmt.Sprint(rng.IntN(4))
			}
		}
		hosts = append(hosts, h)
	}
	index := IndexHosts(hosts)
	matched := 0
	for range 500 {
		var parts []string
		for range rng.IntN(4) {
			key := []string{"a", "b", "c", HostNamespaceKey, "unknown"}[rng.IntN(5)]
			value := fmt.Sprint([]string{"", "n"}[rng.IntN(2)], rng.IntN(4))
			parts = append(parts, strings.NewReplacer("K", key, "V", value).Replace(
				[]string{"K=V", "K!=V", "K in (V,0,1,V)", "K notin (V,1)", "K", "!K", "K==V", "K>1", "K<2"}[rng.IntN(9)]))
		}
		selector := need.Value(labels.Parse(strings.Join(parts, ",")))(t)
		var want []int32
		for i := range hosts {
			if selector.Matches(hosts[i]) {
				want = append(want, int32(i))
			}
		}
		got := index.Match(selector)
		matched += len(got)
		assert.Truef(t, slices.Equal(got, want), "%s: found %v, want %v", selector, got, want)
	}
	assert.Truef(t, matched > 1000, "%d matches: want more than 1000", matched)
	assert.Truef(t, len(index.Match(labels.Nothing())) == 0, "a selector of nothing matches hosts")
}
