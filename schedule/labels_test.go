package schedule

import (
	"fmt"
	"math/rand/v2"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestSelected holds what selectors match to what they match host by host, also where one names few hosts and so the others are not looked at.
func TestSelected(t *testing.T) {
	const n = 2000
	rng := rand.New(rand.NewPCG(9, 15))
	var hosts []inventory.Host
	for i := range n {
		labels := fmt.Sprintf("hostname=h%d slot=%d", i, i%60)
		if i%3 > 0 {
			labels += fmt.Sprintf(" pool=p%d", i%7)
		}
		hosts = append(hosts, newHost(fmt.Sprintf("node-%04d", i), labels))
	}
	names := func() (names []string) {
		for range 1 + rng.IntN(3) {
			names = append(names, fmt.Sprintf("h%d", rng.IntN(n+n/20)))
		}
		return names
	}
	others := []func() metav1.LabelSelectorRequirement{
		func() metav1.LabelSelectorRequirement {
			return expression("pool", metav1.LabelSelectorOpIn, fmt.Sprintf("p%d", rng.IntN(8)), fmt.Sprintf("p%d", rng.IntN(8)))
		},
		func() metav1.LabelSelectorRequirement {
			return expression("slot", metav1.LabelSelectorOpNotIn, fmt.Sprint(rng.IntN(60)), fmt.Sprint(rng.IntN(60)))
		},
		func() metav1.LabelSelectorRequirement { return expression("pool", metav1.LabelSelectorOpExists) },
		func() metav1.LabelSelectorRequirement {
			return expression("pool", metav1.LabelSelectorOpDoesNotExist)
		},
		func() metav1.LabelSelectorRequirement { return is("hostname", names()...) },
		func() metav1.LabelSelectorRequirement {
			return expression("hostname", metav1.LabelSelectorOpNotIn, names()...)
		},
	}
	var clusters []v1.SIPCluster
	for c := range 400 {
		by := []metav1.LabelSelectorRequirement{}
		if c%2 == 0 {
			by = append(by, is("hostname", names()...))
		}
		for range rng.IntN(3) {
			by = append(by, others[rng.IntN(len(others))]())
		}
		rng.Shuffle(len(by), func(i, j int) { by[i], by[j] = by[j], by[i] })
		clusters = append(clusters, tenant(c, chosenBy(1, 0, by...)))
	}
	s := newSite(clusters, hosts, testOptions)
	s.sortByTurn()
	s.sortByLabels()
	matched := 0
	for _, r := range s.roles {
		requirements, _ := r.selector.Requirements()
		got := s.selects(r.selector)
		all := 0
		for i := range s.hosts {
			want := matches(r.selector, s.hosts[i].Host)
			if want {
				all++
			}
			if got[s.hosts[i].kind] != want {
				t.Fatalf("%s: %s matches %s: %t, want %t", r, r.selector, s.hosts[i].key(), !want, want)
			}
		}
		if len(requirements) > 1 && all > 0 && all < 3 {
			matched++
		}
	}
	if matched < 10 {
		t.Errorf("%d selectors match few hosts by several requirements, want 10", matched)
	}
}
