package app

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
)

// TestBrake is contract 19 and 22: hosts count together, in whatever way a run takes them, and a number is exact.
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
		{"as many as the site allows", schedule.Loss{Claimed: 20, Missing: hosts("a"), Released: hosts("b")},
			NoAcceptance, ""},
		{"more than the share, although no more than the number",
			schedule.Loss{Claimed: 18, Missing: hosts("a"), Released: hosts("b")}, NoAcceptance,
			"refused: 2 of 18 claimed hosts would be lost or released, but the site allows only 1 " +
				"(spec.brake: the smaller of 2 hosts and 10 %, at least 1): 1 not in the inventory"},
		{"more than the number, although no more than the share",
			schedule.Loss{Claimed: 400, Missing: hosts("a", "b", "c")}, NoAcceptance,
			"refused: 3 of 400 claimed hosts would be lost or released, but the site allows only 2 " +
				"(spec.brake: the smaller of 2 hosts and 10 %, at least 1)"},
		{"one more, and each way by itself would be allowed", schedule.Loss{Claimed: 20, Missing: hosts("a", "b"),
			Released: hosts("c")}, NoAcceptance,
			": 2 not in the inventory: metal/a, metal/b; 1 released: metal/c"},
		{"hosts that were created anew", schedule.Loss{Claimed: 20, Recreated: hosts("a", "b"), Missing: hosts("c")},
			NoAcceptance,
			"1 not in the inventory: metal/c; 2 recreated, with another uid: metal/a, metal/b"},
		{"a namespace leaves the Site, within the brake",
			schedule.Loss{Claimed: 20, Outside: hosts("a"), Missing: hosts("b")}, NoAcceptance,
			"spec.hosts.namespaces: leaves out metal, where the tree has 1 host: metal/a; add the namespace, or release the " +
				"hosts first; if every one of these hosts is meant to leave the site with its labels, repeat publish (or " +
				"render) with --accept-loss 2"},
		{"the same, accepted", schedule.Loss{Claimed: 20, Outside: hosts("a"), Missing: hosts("b")}, 2, ""},
		{"the same, by another number", schedule.Loss{Claimed: 20, Outside: hosts("a"), Missing: hosts("b")}, 1,
			"(1 not in the inventory: metal/b; 1 outside the Site's namespaces: metal/a)"},
		{"accepted, by their number", schedule.Loss{Claimed: 20, Missing: hosts("a", "b"), Released: hosts("c")}, 3,
			""},
		{"another number", schedule.Loss{Claimed: 20, Missing: hosts("a", "b"), Released: hosts("c")}, 2,
			"--accept-loss is 2, but this run would lose or release 3 hosts"},
		{"a larger number", schedule.Loss{Claimed: 20, Missing: hosts("a", "b"), Released: hosts("c")}, 4,
			"--accept-loss is 4, but this run would lose or release 3 hosts"},
		{"a larger number, within the brake", schedule.Loss{Claimed: 20, Missing: hosts("a")}, 2,
			"--accept-loss is 2, but this run would lose or release 1 host"},
	}
	site := &v1alpha1.Site{}
	site.Default()
	for _, row := range rows {
		p := &Planned{Loaded: &Loaded{Site: site}, Clusters: &admit.Clusters{}, Placement: &schedule.Placement{},
			loss: row.loss}
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
		p := &Planned{Loaded: &Loaded{Site: site}, Clusters: &admit.Clusters{}, Placement: &schedule.Placement{},
			loss: schedule.Loss{Claimed: row.claimed}}
		assert.Equal(t, row.want, p.BrakeLimit(), row)
	}
}

// TestOutsideInOverlay is contract 22: over manifests in git, a patch that goes takes the labels of its host away, and
// a namespace without guards lets that happen to a host in use. No number accepts it, also of a host that leaves.
func TestOutsideInOverlay(t *testing.T) {
	claim := func(namespace string, releasing bool) schedule.PreviousClaim {
		return schedule.PreviousClaim{Host: schedule.HostKey{Namespace: namespace, Name: "h"}, Role: "Worker",
			Cluster: schedule.ClusterKey{Namespace: "t", Name: "a"}, Releasing: releasing}
	}
	const refused = "spec.hosts.namespaces: leaves out other, where the tree has 1 host: other/h; with apply: " +
		"overlay the next sync would remove the labels"
	for _, row := range []struct {
		apply v1alpha1.ApplyMode
		claim schedule.PreviousClaim
		loss  schedule.Loss
		want  string
	}{
		{v1alpha1.ApplyOverlay, claim("other", false), schedule.Loss{Claimed: 20,
			Outside: []schedule.HostKey{{Namespace: "other", Name: "h"}}}, refused},
		{v1alpha1.ApplyOverlay, claim("other", true), schedule.Loss{Claimed: 20}, refused},
		{v1alpha1.ApplyOverlay, claim("mine", false), schedule.Loss{Claimed: 20}, ""},
		{v1alpha1.ApplyMerge, claim("other", false), schedule.Loss{Claimed: 20,
			Outside: []schedule.HostKey{{Namespace: "other", Name: "h"}}}, ""},
	} {
		site := &v1alpha1.Site{}
		site.Spec.Hosts.Apply = row.apply
		site.Default()
		p := &Planned{Loaded: &Loaded{Site: site}, Placement: &schedule.Placement{}, loss: row.loss,
			Clusters: &admit.Clusters{Input: admit.Input{Options: schedule.Options{Namespaces: []string{"mine"}},
				Claims: schedule.Previous{Claims: []schedule.PreviousClaim{row.claim}}}}}
		err := p.brake(row.loss.Total())
		if row.want == "" {
			assert.NoError(t, err, row)
		} else {
			assert.ErrorContains(t, err, row.want, row)
		}
	}
}

// TestBeyondBrake is contract 22: what specs give up beyond the brake, each by itself or together with those before it
// in the order in which clusters are served, freezes clusters until their annotations have the number. It is no longer
// in the sum then, and what no spec asked for comes before.
func TestBeyondBrake(t *testing.T) {
	site := &v1alpha1.Site{}
	most, share := 3, 100
	site.Spec.Brake = v1alpha1.Brake{MaxHosts: &most, MaxPercent: &share}
	site.Spec.Decommission = []string{"tenants/listed"}
	type spec struct {
		name, accept string
		asked        int // hosts that the spec gives up
	}
	for _, row := range []struct {
		why     string
		specs   []spec // in the order in which they are served
		more    int    // hosts that are lost otherwise
		frozen  []string
		refused string
	}{
		{"as many as a run may take", []spec{{"a", "", 3}}, 0, nil, ""},
		{"one more", []spec{{"a", "", 4}}, 0,
			[]string{"loses 4 of 18 claimed hosts, but a run may take only 3 (spec.brake: the smaller of 3 hosts and 100 %, " +
				`at least 1): if that is intended, annotate the SIPCluster with sip.airshipit.org/accept-loss: "4"`},
			""},
		{"accepted", []spec{{"a", "4", 4}}, 0, nil, ""},
		{"another number", []spec{{"a", "5", 4}}, 0, []string{`accept-loss: "4"`}, ""},
		{"two that fit each, and not together", []spec{{"b", "", 2}, {"a", "", 2}}, 0,
			[]string{`loses 2 of 18 claimed hosts, but a run may take only 3, and 2 count before (spec.brake: the smaller of 3 hosts and 100 %, at least 1): ` +
				`if that is intended, annotate the SIPCluster with sip.airshipit.org/accept-loss: "2"`}, ""},
		{"the second accepts", []spec{{"b", "", 2}, {"a", "2", 2}}, 0, nil, ""},
		{"the first accepts, and is no longer in the sum", []spec{{"b", "2", 2}, {"a", "", 2}}, 0, nil, ""},
		{"a small one after one that does not fit", []spec{{"a", "", 4}, {"b", "", 3}}, 0, []string{`accept-loss: "4"`},
			""},
		{"what no spec asked for comes first", []spec{{"a", "", 1}}, 3,
			[]string{`but a run may take only 3, and 3 count before`}, ""},
		{"accepted, and the others lose as many as a run may take", []spec{{"a", "4", 4}}, 3, nil, ""},
		{"accepted, and the others lose more", []spec{{"a", "4", 4}}, 4, nil,
			"refused: 4 of 18 claimed hosts would be lost or released, but the site allows only 3 (spec.brake: the smaller of 3 hosts and 100 %, at least 1; " +
				"besides 4 that specs accept)"},
		{"the Site's own list is the operator's to accept", []spec{{"listed", "4", 4}}, 0, nil, "refused: 4 of 18"},
	} {
		p := &Planned{Loaded: &Loaded{Site: site}, Clusters: &admit.Clusters{}, Placement: &schedule.Placement{}}
		p.loss = schedule.Loss{Claimed: 18, Missing: make([]schedule.HostKey, row.more),
			Asked: map[schedule.ClusterKey]int{}}
		for _, s := range row.specs {
			c := v1.SIPCluster{Document: &manifest.Document{File: s.name + ".yaml", Index: 1}}
			c.Namespace, c.Name = "tenants", s.name
			c.Annotations = map[string]string{v1.AcceptLossAnnotation: s.accept}
			p.Clusters.All = append(p.Clusters.All, c)
			p.Placement.Clusters = append(p.Placement.Clusters, schedule.Cluster{Key: schedule.KeyOf(&c)})
			p.loss.Asked[schedule.KeyOf(&c)] = s.asked
			p.loss.Released = append(p.loss.Released, make([]schedule.HostKey, s.asked)...)
		}
		frozen := p.beyondBrake()
		if len(frozen) != len(row.frozen) {
			t.Errorf("%s: %d are frozen, want %d", row.why, len(frozen), len(row.frozen))
			continue
		}
		for i := range frozen {
			assert.Contains(t, frozen[i].Message, row.frozen[i], row.why)
			key := frozen[i].Key()
			p.loss.Released = p.loss.Released[p.loss.Asked[key]:] // what is frozen loses nothing
			delete(p.loss.Asked, key)
		}
		var refused string
		if err := p.brake(NoAcceptance); err != nil {
			refused = err.Error()
		}
		assert.Truef(t, (row.refused == "") == (refused == "") && strings.Contains(refused, row.refused),
			"%s: refused with %q, want %q", row.why, refused, row.refused)
	}
}

// TestServicesOfOthers: a live Deployment that another controller made, with the name of one cluster's service, is that
// cluster's finding, and no other cluster is frozen for it.
func TestServicesOfOthers(t *testing.T) {
	cluster := func(namespace string) v1.SIPCluster {
		c := v1.SIPCluster{}
		c.Namespace, c.Name = namespace, "a"
		c.Spec.Services.LoadBalancerWorker = make([]v1.LoadBalancerWorker, 1)
		return c
	}
	l := &Loaded{
		Site: &v1alpha1.Site{}, Hosts: &inventory.Inventory{},
		Specs: Specs{Clusters: []v1.SIPCluster{cluster("bank"), cluster("edge")}},
	}
	l.objects.services.found = []inventory.ServiceObject{{
		Kind: "Deployment", Namespace: "bank", Name: v1.ServiceName(v1.ListWorker, 0, "a"),
		Owners: []inventory.Owner{{Manager: "manager", Operation: "Update", Made: true}},
	}}
	l.Site.Spec.Engine = v1alpha1.EngineFlux
	l.leaveAlone()
	var frozen []schedule.ClusterKey
	for _, f := range l.Problems {
		frozen = append(frozen, f.Key())
	}
	assert.Truef(t, len(frozen) == 1 && frozen[0] == (schedule.ClusterKey{Namespace: "bank", Name: "a"}),
		"frozen are %v, want bank/a", frozen)
}

// TestAcceptanceIsUsedUp is contract 22: a loss of its number uses the text of an annotation up, beyond the brake or
// not, until the annotation is another one. What a message prints works.
func TestAcceptanceIsUsedUp(t *testing.T) {
	site := &v1alpha1.Site{}
	most, share := 3, 100
	site.Spec.Brake = v1alpha1.Brake{MaxHosts: &most, MaxPercent: &share}
	key := schedule.ClusterKey{Namespace: "tenants", Name: "a"}
	for _, row := range []struct {
		why, noted, text string
		asked            int
		frozen           string // "" if it is not
		notes            string // afterwards
		says             string // a finding, "" for none
	}{
		{"a loss beyond the brake", "", "4", 4, "", "4", ""},
		{"a loss within it", "", "2", 2, "", "2", ""},
		{"with a reason", "", "4  rack 7 goes", 4, "", "4 rack 7 goes", ""},
		{"another number", "", "5 rack 7", 4, `accept-loss: "4"`, "", "the spec gives up 4 hosts in this run"},
		{"another loss of that number", "4", "4", 4,
			`accept-loss: "4 again"; its present text accepted an earlier loss`, "4",
			"its text accepted an earlier loss"},
		{"what the message prints", "4", "4 again", 4, "", "4 again", ""},
		{"the number again, after another text", "4 again", "4", 4, "", "4", ""},
		{"no loss any more", "4", "4", 0, "", "4", "its text accepted an earlier loss"},
		{"no loss yet", "", "4", 0, "", "", "it accepts nothing, because the spec gives up 0 hosts"},
		{"the annotation is gone", "4", "", 0, "", "", ""},
		{"and comes back", "", "4", 4, "", "4", ""},
	} {
		c := v1.SIPCluster{Document: &manifest.Document{File: "a.yaml", Index: 1}}
		c.Namespace, c.Name = key.Namespace, key.Name
		c.Annotations = map[string]string{v1.AcceptLossAnnotation: row.text}
		p := &Planned{Loaded: &Loaded{Site: site}, Clusters: &admit.Clusters{}, Placement: &schedule.Placement{}}
		p.Clusters.All, p.Placement.Clusters = []v1.SIPCluster{c}, []schedule.Cluster{{Key: key}}
		if row.noted != "" {
			p.Clusters.Claims.Accepted = map[schedule.ClusterKey]string{key: digestOf(row.noted)}
		}
		p.loss = schedule.Loss{Claimed: 18, Asked: map[schedule.ClusterKey]int{key: row.asked},
			Released: make([]schedule.HostKey, row.asked)}
		found := p.beyondBrake()
		assert.Truef(t, (len(found) > 0) == (row.frozen != ""), "%s: frozen for %v, want %q", row.why, found,
			row.frozen)
		if len(found) > 0 {
			assert.Contains(t, found[0].Message, row.frozen, row.why)
		}
		want := ""
		if row.notes != "" {
			want = digestOf(row.notes)
		}
		assert.Equal(t, want, p.accepted()[key], row.why+": the tree notes")
		said := p.idleAcceptances()
		assert.Truef(t, (len(said) > 0) == (row.says != ""), "%s: found %v, want %q", row.why, said, row.says)
		if len(said) > 0 {
			assert.Contains(t, said[0].Message, row.says, row.why)
		}
	}
}
