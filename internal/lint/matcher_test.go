package lint

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestMatcher: the hosts of a selector are those that it matches one by one.
func TestMatcher(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	some := func(n int) string { return fmt.Sprintf("v%d", rng.IntN(n)) }
	var hosts []inventory.Host
	for i := range 60 {
		h := inventory.Host{Namespace: fmt.Sprintf("site-%d", i%2), Name: fmt.Sprintf("h%02d", i), Labels: map[string]string{}}
		for _, key := range []string{"a", "b", "c"} {
			switch rng.IntN(4) {
			case 0:
			case 1:
				h.Labels[key] = ""
			default:
				h.Labels[key] = some(5)
			}
		}
		hosts = append(hosts, h)
	}
	requirement := func() string {
		key := string("abc"[rng.IntN(3)])
		switch rng.IntN(7) {
		case 0:
			return key + "=" + some(6)
		case 1:
			return key + "==" + some(6)
		case 2:
			return key + "!=" + some(6)
		case 3:
			return fmt.Sprintf("%s in (%s,%s)", key, some(6), some(6))
		case 4:
			return fmt.Sprintf("%s notin (%s,%s)", key, some(6), some(6))
		case 5:
			return key + " in (,v1)"
		}
		return []string{"", "!"}[rng.IntN(2)] + key
	}
	var roles []role
	for range 300 {
		text := requirement()
		for range rng.IntN(3) {
			text += "," + requirement()
		}
		selector, err := labels.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		roles = append(roles, role{selector: selector})
	}
	roles = append(roles, role{selector: labels.Everything()})
	match, found, named := newMatcher(roles, hosts), 0, 0
	match.most = 1000 // it forgets some
	for _, r := range roles {
		var want []int
		for i := range hosts {
			if r.selector.Matches(v1.HostLabels{Namespace: hosts[i].Namespace, Labels: hosts[i].Labels}) {
				want = append(want, i)
			}
		}
		if got := match.selection(r.selector).hosts; !slices.Equal(got, want) {
			t.Errorf("%s: matches %v, want %v", r.selector, got, want)
		}
		found += len(want)
		if len(match.possible(r.selector)) < len(match.kinds) {
			named++
		}
	}
	if len(match.known) > 100 {
		t.Errorf("%d selections are kept, with %d hosts, want at most %d hosts", len(match.known), match.held, match.most)
	}
	if found < 1000 || named < 100 || named == len(roles) {
		t.Errorf("%d hosts matched, %d of %d selectors name values: not what this is to try", found, named, len(roles))
	}
}

// TestMatcherLooksAtFewHosts: with a selector that names a host, only that one is looked at.
func TestMatcherLooksAtFewHosts(t *testing.T) {
	var hosts []inventory.Host
	var roles []role
	for i := range 1000 {
		hosts = append(hosts, inventory.Host{Namespace: "site", Name: fmt.Sprint(i), Labels: map[string]string{"hostname": fmt.Sprintf("h%d", i), "kind": "any"}})
		selector, err := labels.Parse(fmt.Sprintf("kind=any,hostname in (h%d,h%d),hostname!=h7", i, i+1))
		if err != nil {
			t.Fatal(err)
		}
		roles = append(roles, role{selector: selector})
	}
	match := newMatcher(roles, hosts)
	for i := range roles {
		if looked := len(match.possible(roles[i].selector)); looked > 2 {
			t.Fatalf("%s: %d hosts are looked at, want 2", roles[i].selector, looked)
		}
	}
}
