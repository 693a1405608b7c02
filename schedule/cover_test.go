package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/labels"
)

// TestCovered: on random small sites, as many kept hosts are among the free ones as trying everything finds.
func TestCovered(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := 0
	for range 3_000 {
		var reserved []Reservation
		var keeps []int
		label := func() string { return fmt.Sprint("l", random.IntN(3)) }
		for i := range 1 + random.IntN(3) {
			one, count := Reservation{Name: fmt.Sprint(i),
				Selector: labels.SelectorFromSet(labels.Set{label(): "y"})}, random.IntN(4)
			if random.IntN(2) == 0 {
				one.Tenants = []string{fmt.Sprint("t", random.IntN(2))}
			}
			if one.Count = &count; len(one.Tenants) > 0 && random.IntN(3) == 0 {
				one.Count, count = nil, 0
			}
			reserved, keeps = append(reserved, one), append(keeps, count)
		}
		var free []*inventory.Host
		for range random.IntN(6) {
			free = append(free, &inventory.Host{Labels: map[string]string{label(): "y", label(): "y"}})
		}
		var most func(rest []*inventory.Host, left []int) int
		most = func(rest []*inventory.Host, left []int) int {
			if len(rest) == 0 {
				return 0
			}
			best := most(rest[1:], left)
			for i := range reserved {
				if left[i] > 0 && reserved[i].Fills(rest[0], reserved) {
					left[i]--
					best = max(best, 1+most(rest[1:], left))
					left[i]++
				}
			}
			return best
		}
		want := most(free, slices.Clone(keeps))
		if found := Covered(reserved, keeps, free); found != want {
			t.Fatalf("%d of %v kept hosts are among %d free ones, want %d: %+v", found, keeps, len(free), want,
				reserved)
		}
		some += want
	}
	assert.Truef(t, some >= 1_000, "only %d hosts", some)
}
