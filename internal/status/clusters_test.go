package status

import (
	"strings"
	"testing"
	"time"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// world is a cluster that asks for two workers and a standby one, and has them: what a row changes in it is what the
// status is about.
type world struct {
	live    v1.SIPCluster
	tenants Tenants
}

func newWorld() *world {
	key := schedule.ClusterKey{Namespace: "t", Name: "a"}
	spec := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "t", Name: "a", Generation: 3}}
	spec.Spec.Nodes = map[string]v1.NodeSet{"Worker": {Count: &v1.NodeCount{Active: 2, Standby: 1}}}
	w := &world{live: spec, tenants: Tenants{
		Specs: []v1.SIPCluster{spec}, Placement: &schedule.Placement{Clusters: []schedule.Cluster{{Key: key,
			Roles: []schedule.Role{{Name: "Worker", Active: 2, Standby: 1}}}}},
		Frozen: map[schedule.ClusterKey][]string{}, Unread: map[schedule.ClusterKey]bool{},
	}}
	for _, name := range []string{"h3", "h1", "h2"} {
		w.claim(name, name == "h3")
	}
	return w
}

func (w *world) role() *schedule.Role { return &w.tenants.Placement.Clusters[0].Roles[0] }

// claim has the cluster have a host, by the tree, by the placement and live.
func (w *world) claim(name string, standby bool) {
	w.tenants.Claims = append(w.tenants.Claims, schedule.PreviousClaim{
		Host: schedule.HostKey{Namespace: "metal", Name: name}, Cluster: schedule.ClusterKey{Namespace: "t", Name: "a"},
		Role: "Worker", Standby: standby,
	})
	w.tenants.Hosts = append(w.tenants.Hosts,
		HostStatus{Host: "metal/" + name, Cluster: "t/a", Role: "Worker", State: Synced})
	w.role().Assigned = append(w.role().Assigned,
		schedule.Assignment{Host: &inventory.Host{Namespace: "metal", Name: name}, Standby: standby})
}

// TestOfTenants: for each thing that is not as it is asked for, the condition says the SIP operator's reason for it,
// and the counts hold.
func TestOfTenants(t *testing.T) {
	key := schedule.ClusterKey{Namespace: "t", Name: "a"}
	for _, row := range []struct {
		why             string
		change          func(*world)
		reason, message string
		assigned, short int32
		observed        int64
	}{
		{"all is done", func(*world) {}, v1.ReasonSucceeded, "the cluster has its active hosts", 3, 0, 3},
		{"a standby host is short", func(w *world) {
			w.tenants.Claims, w.tenants.Hosts, w.role().Assigned = w.tenants.Claims[1:], w.tenants.Hosts[1:], w.role().Assigned[1:]
			w.role().ShortStandby = 1
		}, v1.ReasonSucceeded, "; short of 1 standby host", 2, 1, 3},
		{"an active host is short", func(w *world) {
			w.tenants.Claims, w.tenants.Hosts, w.role().Assigned = w.tenants.Claims[:2], w.tenants.Hosts[:2], w.role().Assigned[:2]
			w.tenants.Placement.Clusters[0].Unschedulable, w.role().ShortActive = true, 1
		}, v1.ReasonUnschedulable, "Worker: short of 1 of 2 active hosts", 2, 1, 3},
		{"it is frozen", func(w *world) {
			w.tenants.Frozen[key] = []string{"spec.services: no"}
			w.tenants.Placement.Clusters[0].Unschedulable = true
		}, v1.ReasonUnschedulable, "frozen: spec.services: no", 3, 0, 3},
		{"it is frozen, and nobody can read what it asks for", func(w *world) {
			w.tenants.Frozen[key], w.tenants.Unread[key] = []string{"spec.nods: unknown"}, true
		}, v1.ReasonUnschedulable, "frozen: spec.nods: unknown", 3, -1, 0},
		{"the site is rendered from another spec", func(w *world) {
			w.live.Spec.Nodes = map[string]v1.NodeSet{"Worker": {Count: &v1.NodeCount{Active: 4}}}
		}, v1.ReasonProgressing, "has not been rendered from this version of the spec yet", 3, 1, 0},
		{"its spec is gone from the site", func(w *world) { w.tenants.Specs = nil }, v1.ReasonUnschedulable,
			"has no spec of this cluster", 3, 0, 0},
		{"a host is to come, one to change and one to go", func(w *world) {
			w.role().Assigned = w.role().Assigned[:2]
			w.role().Assigned[0].Standby = false
			w.role().Assigned = append(w.role().Assigned,
				schedule.Assignment{Host: &inventory.Host{Namespace: "metal", Name: "h9"}})
		}, v1.ReasonProgressing, "1 host to come, 1 host to change slots, 1 host to go", 3, 0, 3},
		{"a label is on its way", func(w *world) { w.tenants.Hosts[1].State = NotSynced }, v1.ReasonProgressing,
			"metal/h1: not synced", 3, 0, 3},
		{"the guards deny a label", func(w *world) { w.tenants.Hosts[1].State, w.tenants.Hosts[1].Stuck = Denied, true }, v1.ReasonLabels, "metal/h1: denied", 3, 0, 3},
		{"a host is in error, and has its labels",
			func(w *world) { w.tenants.Hosts[0].State, w.tenants.Hosts[0].Stuck = Failed, true },
			v1.ReasonSucceeded, "; in error, marked unhealthy or being deleted: metal/h", 3, 0, 3},
		{"a host's spec was emptied", func(w *world) { w.tenants.Hosts[1].State, w.tenants.Hosts[1].Stuck = Emptied, true }, v1.ReasonLabels, "metal/h1: emptied", 3, 0, 3},
		{"a host is given back and the cluster has what it asks for", func(w *world) {
			w.claim("h4", false)
			w.tenants.Claims[3].Releasing, w.tenants.Hosts[3].State = true, Released
			w.role().Assigned = w.role().Assigned[:3]
		}, v1.ReasonSucceeded, "", 3, 0, 3},
		{"it is deleted, and has hosts",
			func(w *world) { w.live.DeletionTimestamp = &metav1.Time{Time: time.Unix(9, 0)} }, v1.ReasonProgressing,
			"3 hosts are still to be released", 3, -1, 3},
		{"it is deleted, and a host cannot go", func(w *world) {
			w.live.DeletionTimestamp = &metav1.Time{Time: time.Unix(9, 0)}
			w.tenants.Hosts[0].State, w.tenants.Hosts[0].Stuck = Denied, true
		}, v1.ReasonDecommission, "metal/h3: denied", 3, -1, 3},
		{"words of others are one short line without secrets", func(w *world) {
			w.tenants.Frozen[key] = []string{"https://u:hunter2hunter2@example.org\n" + strings.Repeat("x", 5000)}
		}, v1.ReasonUnschedulable, "…", 3, 0, 3},
	} {
		w := newWorld()
		row.change(w)
		got, known := w.tenants.Of(&w.live, metav1.Unix(100, 0))
		if !known || len(got.Conditions) != 1 {
			t.Errorf("%s: %+v", row.why, got)
			continue
		}
		ready := got.Conditions[0]
		want := metav1.ConditionFalse
		if row.reason == v1.ReasonSucceeded {
			want = metav1.ConditionTrue
		}
		short := int32(-1)
		if got.Short != nil {
			short = *got.Short
		}
		assert.Equal(t, "Ready", ready.Type, row.why)
		assert.Equal(t, want, ready.Status, row.why)
		assert.Equal(t, row.reason, ready.Reason, row.why)
		assert.Contains(t, ready.Message, row.message, row.why)
		assert.Equal(t, row.observed, ready.ObservedGeneration, row.why)
		assert.Truef(t, *got.Assigned == row.assigned && short == row.short,
			"%s: found %d assigned, %d short; want %d, %d", row.why, *got.Assigned, short, row.assigned, row.short)
		assert.Truef(t,
			!strings.Contains(ready.Message, "hunter2") && !strings.Contains(ready.Message, "\n") &&
				len([]rune(ready.Message)) <= maxMessage,
			"%s: %q", row.why, ready.Message)
	}
}

// TestOfTenantsKeeps: conditions of others stay, a time is that of a change of the status, and hosts are in an order of
// their own.
func TestOfTenantsKeeps(t *testing.T) {
	w := newWorld()
	w.live.Status.Conditions = []metav1.Condition{
		{Type: "Paid", Status: metav1.ConditionTrue, Reason: "Bill", LastTransitionTime: metav1.Unix(5, 0)},
		{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Old", LastTransitionTime: metav1.Unix(7, 0)},
	}
	got, _ := w.tenants.Of(&w.live, metav1.Unix(100, 0))
	assert.Truef(t,
		len(got.Conditions) == 2 && got.Conditions[0].Type == "Paid" &&
			got.Conditions[1].LastTransitionTime.Unix() == 7 && got.Conditions[1].Reason == v1.ReasonSucceeded,
		"%+v", got.Conditions)
	assert.Equal(t, "Old", w.live.Status.Conditions[1].Reason, "the live object was changed")
	var names []string
	for _, h := range got.Hosts {
		names = append(names, h.Name)
	}
	assert.Truef(t,
		strings.Join(names, " ") == "metal/h1 metal/h2 metal/h3" && got.Hosts[2].Standby && !got.Hosts[0].Standby &&
			got.Hosts[0].State == string(Synced),
		"%+v", got.Hosts)
	w.tenants.Hosts[0].State = NotSynced
	if got, _ = w.tenants.Of(&w.live, metav1.Unix(100, 0)); got.Conditions[1].LastTransitionTime.Unix() != 100 {
		t.Errorf("%+v", got.Conditions[1])
	}
	other := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "t", Name: "b"}}
	_, known := w.tenants.Of(&other, metav1.Unix(100, 0))
	assert.Truef(t, !known, "a cluster of nobody's got a status")
}
