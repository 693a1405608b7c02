package app

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/manifest"
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
		{"nothing is lost", schedule.Loss{Claimed: 5}, NoAcceptance, ""},
		{"one host may go in any case", schedule.Loss{Claimed: 5, Missing: hosts("a")}, NoAcceptance, ""},
		{"as many as the site allows", schedule.Loss{Claimed: 20, Missing: hosts("a"), Released: hosts("b")}, NoAcceptance,
			""},
		{"more than the share, although no more than the number",
			schedule.Loss{Claimed: 18, Missing: hosts("a"), Released: hosts("b")}, NoAcceptance,
			"refused: 2 of 18 claimed hosts would be lost or released, but the site allows only 1 " +
				"(spec.brake: the smaller of 2 hosts and 10 %, at least 1): 1 no longer"},
		{"more than the number, although no more than the share",
			schedule.Loss{Claimed: 400, Missing: hosts("a", "b", "c")}, NoAcceptance,
			"refused: 3 of 400 claimed hosts would be lost or released, but the site allows only 2 " +
				"(spec.brake: the smaller of 2 hosts and 10 %, at least 1)"},
		{"one more, and each way by itself would be allowed", schedule.Loss{Claimed: 20, Missing: hosts("a", "b"),
			Released: hosts("c")}, NoAcceptance,
			": 2 no longer in the inventory: metal/a, metal/b; 1 released: metal/c"},
		{"hosts that were created anew", schedule.Loss{Claimed: 20, Recreated: hosts("a", "b"), Missing: hosts("c")}, NoAcceptance,
			"1 no longer in the inventory: metal/c; 2 recreated, with another uid: metal/a, metal/b"},
		{"accepted, by their number", schedule.Loss{Claimed: 20, Missing: hosts("a", "b"), Released: hosts("c")}, 3, ""},
		{"another number", schedule.Loss{Claimed: 20, Missing: hosts("a", "b"), Released: hosts("c")}, 2,
			"--accept-loss is 2, but this run would lose or release 3 hosts"},
	}
	site := &v1alpha1.Site{}
	site.Default()
	for _, row := range rows {
		p := &Planned{Loaded: &Loaded{Site: site}, Clusters: &admit.Clusters{}, loss: row.loss}
		err := p.brake(row.accept)
		switch {
		case row.want == "" && err != nil:
			t.Errorf("%s: %v", row.why, err)
		case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: found %v, want %q", row.why, err, row.want)
		}
	}
	for _, row := range []struct{ maxHosts, maxPercent, claimed, want int }{
		{2, 10, 400, 2}, {100, 10, 400, 40}, {40, 5, 400, 20}, {40, 100, 18, 18}, {40, 10, 19, 1}, {0, 0, 400, 1},
		{0, 50, 400, 1}, {2, 10, 0, 1},
	} {
		site.Spec.Brake = v1alpha1.Brake{MaxHosts: &row.maxHosts, MaxPercent: &row.maxPercent}
		p := &Planned{Loaded: &Loaded{Site: site}, Clusters: &admit.Clusters{}, loss: schedule.Loss{Claimed: row.claimed}}
		if got := p.brakeLimit(); got != row.want {
			t.Errorf("%+v: found %d", row, got)
		}
	}
}

// TestBeyondBrake is contract 22: what a spec gives up beyond the brake freezes its cluster until its annotation has
// the number, and then no longer counts among what all clusters lose together.
func TestBeyondBrake(t *testing.T) {
	site := &v1alpha1.Site{}
	site.Default()
	site.Spec.Decommission = []string{"tenants/listed"}
	cluster := func(name, accept string) v1.SIPCluster {
		c := v1.SIPCluster{Document: &manifest.Document{File: name + ".yaml", Index: 1}}
		c.Namespace, c.Name = "tenants", name
		if accept != "" {
			c.Annotations = map[string]string{v1.AcceptLossAnnotation: accept}
		}
		return c
	}
	for _, row := range []struct {
		why         string
		cluster     v1.SIPCluster
		asked, more int // hosts that the spec gives up, and that are lost otherwise
		frozen      string
		refused     string
	}{
		{"as many as a run may take", cluster("a", ""), 1, 0, "", ""},
		{"one more", cluster("a", ""), 2, 0,
			`loses 2 of 18 claimed hosts, but a run may take only 1 (spec.brake: the smaller of 2 hosts and 10 %, at least ` +
				`1): if that is intended, annotate the SIPCluster with sip.airshipit.org/accept-loss: "2"`, ""},
		{"accepted", cluster("a", "2"), 2, 0, "", ""},
		{"another number", cluster("a", "3"), 2, 0, `accept-loss: "2"`, ""},
		{"accepted, and the others lose no more than a run may take", cluster("a", "2"), 2, 1, "", ""},
		{"accepted, and the others lose more", cluster("a", "2"), 2, 2, "",
			"refused: 2 of 18 claimed hosts would be lost or released, but the site allows only 1 " +
				"(spec.brake: the smaller of 2 hosts and 10 %, at least 1; besides 2 that specs accept)"},
		{"an acceptance that is not needed counts for nothing", cluster("a", "1"), 1, 1, "", "refused: 2 of 18"},
		{"the Site's own list is the operator's to accept", cluster("listed", ""), 2, 0, "", "refused: 2 of 18"},
	} {
		p := &Planned{Loaded: &Loaded{Site: site}, Clusters: &admit.Clusters{All: []v1.SIPCluster{row.cluster}}}
		p.loss = schedule.Loss{Claimed: 18, Released: make([]schedule.HostKey, row.asked),
			Missing: make([]schedule.HostKey, row.more),
			Asked:   map[schedule.ClusterKey]int{keyOf(&row.cluster): row.asked}}
		var frozen string
		for _, f := range p.beyondBrake() {
			frozen += f.Err.Error()
		}
		if (row.frozen == "") != (frozen == "") || !strings.Contains(frozen, row.frozen) {
			t.Errorf("%s: frozen for %q, want %q", row.why, frozen, row.frozen)
		}
		if frozen != "" {
			continue
		}
		var refused string
		if err := p.brake(NoAcceptance); err != nil {
			refused = err.Error()
		}
		if (row.refused == "") != (refused == "") || !strings.Contains(refused, row.refused) {
			t.Errorf("%s: refused with %q, want %q", row.why, refused, row.refused)
		}
	}
}
