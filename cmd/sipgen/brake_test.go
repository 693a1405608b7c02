package main

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/schedule"
)

// TestBrake: hosts count together, in whatever way a run takes them.
func TestBrake(t *testing.T) {
	hosts := func(names ...string) (keys []schedule.HostKey) {
		for _, name := range names {
			keys = append(keys, schedule.HostKey{Namespace: "metal", Name: name})
		}
		return keys
	}
	rows := []struct {
		why    string
		loss   schedule.Loss
		accept int
		want   string // empty: it goes on
	}{
		{"nothing is lost", schedule.Loss{Claimed: 5}, noAcceptance, ""},
		{"one host may go in any case", schedule.Loss{Claimed: 5, Missing: hosts("a")}, noAcceptance, ""},
		{"as many as the site allows", schedule.Loss{Claimed: 20, Missing: hosts("a"), Released: hosts("b")}, noAcceptance, ""},
		{"more than the share, although no more than the number", schedule.Loss{Claimed: 18, Missing: hosts("a"), Released: hosts("b")}, noAcceptance,
			"refused: 2 of 18 claimed hosts would be lost or released, but the site allows only 1 (spec.brake: the smaller of 2 hosts and 10 %, at least 1): 1 no longer"},
		{"more than the number, although no more than the share", schedule.Loss{Claimed: 400, Missing: hosts("a", "b", "c")}, noAcceptance,
			"refused: 3 of 400 claimed hosts would be lost or released, but the site allows only 2 (spec.brake: the smaller of 2 hosts and 10 %, at least 1)"},
		{"one more, and each way by itself would be allowed", schedule.Loss{Claimed: 20, Missing: hosts("a", "b"), Released: hosts("c")}, noAcceptance,
			": 2 no longer in the inventory: metal/a, metal/b; 1 released: metal/c"},
		{"hosts that were created anew", schedule.Loss{Claimed: 20, Anew: hosts("a", "b"), Missing: hosts("c")}, noAcceptance,
			"1 no longer in the inventory: metal/c; 2 created anew, with another uid: metal/a, metal/b"},
		{"hosts that others labelled count too", schedule.Loss{Claimed: 20, Foreign: hosts("a", "b"), Released: hosts("c")}, noAcceptance,
			"2 labelled for a cluster that is not this site's: metal/a, metal/b; 1 released: metal/c"},
		{"accepted, by their number", schedule.Loss{Claimed: 20, Missing: hosts("a", "b"), Released: hosts("c")}, 3, ""},
		{"another number", schedule.Loss{Claimed: 20, Missing: hosts("a", "b"), Released: hosts("c")}, 2, "--accept-loss is 2, but this run would lose or release 3 hosts"},
	}
	site := &v1alpha1.Site{}
	site.Default()
	for _, row := range rows {
		err := brake(site, row.loss, row.accept)
		switch {
		case row.want == "" && err != nil:
			t.Errorf("%s: %v", row.why, err)
		case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: found %v, want %q", row.why, err, row.want)
		}
	}
	for _, row := range []struct{ maxHosts, maxPercent, claimed, want int }{
		{2, 10, 400, 2}, {100, 10, 400, 40}, {40, 5, 400, 20}, {40, 100, 18, 18}, {40, 10, 19, 1}, {0, 0, 400, 1}, {0, 50, 400, 1}, {2, 10, 0, 1},
	} {
		site.Spec.Brake = v1alpha1.Brake{MaxHosts: &row.maxHosts, MaxPercent: &row.maxPercent}
		if got := brakeLimit(site, schedule.Loss{Claimed: row.claimed}); got != row.want {
			t.Errorf("%+v: found %d", row, got)
		}
	}
}
