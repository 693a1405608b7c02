package status

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

var keys = schedule.LabelKeys{ClusterNamespace: "ns", ClusterName: "name", NodeType: "role", Standby: "standby"}

func answer(t *testing.T, hosts []inventory.Host, tree ...holdings.Claim) *holdings.Holdings {
	t.Helper()
	found := need.Value(holdings.Of(holdings.Input{Hosts: hosts, Tree: tree, Keys: keys}))(t)
	return found
}

// TestOf: every state, and whether it goes on by itself. Whole commands are in cmd/sipgen.
func TestOf(t *testing.T) {
	claim := schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "metal", Name: "h"}, UID: "u", Cluster: schedule.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker"}
	releasing, pending, standby := claim, claim, claim
	releasing.Releasing, pending.Pending, standby.Standby = true, true, true
	host := func(labels string, consumer string) *inventory.Host {
		h := &inventory.Host{Namespace: "metal", Name: "h", UID: "u", Labels: map[string]string{}}
		for _, word := range strings.Fields(labels) {
			key, value, _ := strings.Cut(word, "=")
			h.Labels[key] = value
		}
		if consumer != "" {
			h.State.Consumer = &inventory.Consumer{Kind: consumer, Namespace: "metal", Name: "m"}
		}
		return h
	}
	ill := func(h *inventory.Host) *inventory.Host {
		bad := *h
		bad.State.Operational, bad.State.ErrorType = "error", "power management error"
		return &bad
	}
	cordoned := func(h *inventory.Host) *inventory.Host { h.State.Cordoned = "audit"; return h }
	retired := func(h *inventory.Host) *inventory.Host { h.State.Retired = "disks"; return h }
	reused := func(h *inventory.Host) *inventory.Host { h.State.NodeReuse = "md-0"; return h }
	deleting := func(h *inventory.Host) *inventory.Host { h.State.Deleting = true; return h }
	empty := func(h *inventory.Host) *inventory.Host { h.State.Provisioning = "provisioned"; return h }
	const whole, machine, noTree = "ns=t name=a role=Worker", "Metal3Machine", "no tree"
	anew := host(whole, "")
	anew.UID = "other"
	for _, row := range []struct {
		why      string
		claim    schedule.PreviousClaim
		host     *inventory.Host
		approved bool
		refused  string
		want     State
		stuck    bool
	}{
		{"as the tree has it", claim, host(whole, machine), false, "", Synced, false},
		{"as the tree has it, cordoned", claim, cordoned(host(whole, machine)), false, "", Synced, false},
		{"retired, in use", claim, retired(host(whole, machine)), false, "", Failed, true},
		{"retired, idle: the next run replaces it", claim, retired(host(whole, "")), false, "", Failed, false},
		{"no label yet", claim, host("", ""), false, "", NotSynced, false},
		{"standby on its way", standby, host(whole, machine), false, "", NotSynced, false},
		{"another cluster's labels, and nobody uses it", claim, host("ns=t name=b role=Worker", ""), false, "", Drifted, false},
		{"the same in use", claim, host("ns=t name=b role=Worker", machine), false, "", Denied, true},
		{"a label is missing on a host in use: that is put back", claim, host("ns=t role=Worker", machine), false, "", Drifted, false},
		{"no label is left on a host in use", claim, host("", machine), false, "", Drifted, false},
		{"it waits for its consumer", pending, host(whole, machine), false, "", Pending, false},
		{"it waited, and nothing uses it any more", pending, host(whole, ""), false, "", Pending, false},
		{"on its way out", releasing, host(whole, ""), false, "", Releasing, false},
		{"on its way out, in use", releasing, host(whole, machine), false, "", Denied, true},
		{"the same, approved", releasing, host(whole, machine), true, "", Releasing, false},
		{"approved, but Cluster API keeps it", releasing, host(whole, inventory.ClusterKind), true, "", Denied, true},
		{"seen clean", releasing, host("", ""), false, "", Released, false},
		{"gone while it was released", releasing, nil, false, "", Released, false},
		{"gone", claim, nil, false, "", Missing, true},
		{"another one of its name", claim, anew, false, "", Recreated, true},
		{"preflight says no", claim, host("", ""), false, "spec is the engine's", Refused, true},
		{"in error, and it serves", claim, ill(host(whole, machine)), false, "", Failed, true},
		{"in error, and nothing runs on it: the next run replaces it", claim, ill(host(whole, "")), false, "", Failed, false},
		{"being deleted, in use", claim, deleting(host(whole, machine)), false, "", Failed, true},
		{"in error, and it waits for its labels", claim, ill(host("", "")), false, "", NotSynced, false},
		{"in error, but another host than the tree's", claim, ill(anew), false, "", Recreated, true},
		{"its spec was emptied", claim, empty(host(whole, "")), false, "", Emptied, true},
		{"the same, on its way out", releasing, empty(host(whole, "")), true, "", Emptied, true},
		{"the same, and a patch of it would do harm", claim, empty(host(whole, "")), false, "spec is the engine's", Emptied, true},
		{"the same, of others", schedule.PreviousClaim{}, empty(host("name=x", "")), false, "", Emptied, true},
		{"labels of others", schedule.PreviousClaim{}, host("name=x", ""), false, "", LeftAlone, false},
		{"kept for a machine, and of no cluster", schedule.PreviousClaim{}, reused(host("", "")), false, "", Reserved, false},
		{"kept for a machine by its cluster", claim, reused(host(whole, "")), false, "", Synced, false},
		{"kept for a machine, on its way out", releasing, reused(host(whole, "")), false, "", Releasing, false},
		{"kept for a machine, seen clean", releasing, reused(host("", "")), false, "", Released, false},
		{"kept for a machine, under labels of others", schedule.PreviousClaim{}, reused(host("name=x", "")), false, "", LeftAlone, false},
		{"labels, and the branch has no tree", schedule.PreviousClaim{}, host(whole, ""), false, noTree, LeftAlone, true},
	} {
		var hosts []inventory.Host
		if row.host != nil {
			hosts = append(hosts, *row.host)
		}
		if row.approved {
			row.claim.Use = holdings.Use(row.host)
		}
		var tree []holdings.Claim
		if row.claim.Role != "" {
			tree = append(tree, row.claim)
		}
		got := Of(Input{Holdings: answer(t, hosts, tree...), Keys: keys, NoTree: row.refused == noTree, Refused: map[string]string{"metal/h": row.refused}})
		if len(got) != 1 || got[0].State != row.want || got[0].Stuck != row.stuck || row.refused == noTree && !strings.HasPrefix(got[0].What, "there is no tree") {
			t.Errorf("%s: %+v, want %s, stuck %t", row.why, got, row.want, row.stuck)
		}
	}
}

// TestWhatIsSaid: who is on call is told what runs on a host whose labels are gone, and of which host the next run decides.
func TestWhatIsSaid(t *testing.T) {
	claim := schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "metal", Name: "h"}, Cluster: schedule.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker"}
	used := inventory.State{Consumer: &inventory.Consumer{Kind: "Metal3Machine", Namespace: "metal", Name: "m"}}
	for _, row := range []struct {
		why, host string
		labels    map[string]string
		state     inventory.State
		want      string
	}{
		{"a host in error that serves", "h", map[string]string{"ns": "t", "name": "a", "role": "Worker"}, inventory.State{Consumer: used.Consumer, ErrorType: "power management error", ErrorMessage: "no power"},
			"in error (power management error): no power; it probably still serves: consumed by Metal3Machine metal/m"},
		{"one that waits for its labels", "h", nil, inventory.State{Unhealthy: true}, "marked unhealthy; has none of its labels yet"},
		{"an empty spec", "h", map[string]string{"ns": "t", "name": "a", "role": "Worker"}, inventory.State{Provisioning: "provisioned"},
			"its spec is empty, and there is a system on it (provisioned): metal3 WIPES the server as soon as its BMC is put back without its image; " +
				`pause the host before anything else (sipgen help runbook spec-emptied)`},
		{"the same, paused, and without a label", "h", nil, inventory.State{Provisioning: "provisioned", Paused: true},
			"its spec is empty, and there is a system on it (provisioned): metal3 WIPES the server as soon as its BMC is put back without its image; " +
				`it is paused; continue with sipgen help runbook spec-emptied; drifted: has lost its labels, and is in use: provisioning state provisioned`},
		{"labels that were taken off", "h", nil, used, "has lost its labels, and is in use: consumed by Metal3Machine metal/m"},
		{"one that was taken off", "h", map[string]string{"ns": "t", "role": "Worker"}, used, `name: found "", want "a"; it is in use: consumed by Metal3Machine metal/m`},
		{"the same, and nobody uses it", "h", map[string]string{"ns": "t", "role": "Worker"}, inventory.State{}, `name: found "", want "a"`},
		{"a host that a rollback took from its cluster", "i", map[string]string{"ns": "t", "name": "a", "role": "Worker"}, used,
			"not among this cluster's hosts in the tree; the next run of sipgen decides: carries ns=t, name=a, role=Worker"},
		{"the same, of a cluster that has no hosts", "i", map[string]string{"ns": "t", "name": "empty"}, used,
			"not among this cluster's hosts in the tree; the next run of sipgen decides: carries ns=t, name=empty"},
		{"another site's", "i", map[string]string{"ns": "t", "name": "b"}, used, "not in the tree: carries ns=t, name=b"},
	} {
		hosts := []inventory.Host{{Namespace: "metal", Name: row.host, Labels: row.labels, State: row.state}}
		in := Input{Holdings: answer(t, hosts, claim), Keys: keys, Clusters: map[schedule.ClusterKey]bool{claim.Cluster: true, {Namespace: "t", Name: "empty"}: true}}
		found := false
		for _, h := range Of(in) {
			found = found || h.What == row.want && h.Host == "metal/"+row.host
		}
		need.That(t, found, "%s: found %+v, want %q", row.why, Of(in), row.want)
	}
}

// TestReleasedAndInUse: a released host without labels that somebody still uses is nobody's to have, and status says who uses it.
func TestReleasedAndInUse(t *testing.T) {
	claim := schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "metal", Name: "h"}, Cluster: schedule.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker", Releasing: true}
	for want, state := range map[string]inventory.State{
		"seen without labels: the next run can assign it": {},
		"seen without labels; Cluster API keeps it for the next machine of md-0, so no cluster can have it; if none is to come, remove its label (sipgen help runbook free-a-host)": {NodeReuse: "md-0"},
		"seen without labels, but still in use, so no cluster can have it yet: consumed by Metal3Machine metal/m":                                                                   {Consumer: &inventory.Consumer{Kind: "Metal3Machine", Namespace: "metal", Name: "m"}},
	} {
		got := Of(Input{Holdings: answer(t, []inventory.Host{{Namespace: "metal", Name: "h", State: state}}, claim), Keys: keys})
		need.That(t, len(got) == 1 && got[0].State == Released && got[0].What == want, "found %+v, want %q", got, want)
	}
}

// TestAllHostsAreToGo: a cluster that lets go of all its hosts may have lost its spec by mistake, and nobody is to delete its machines before that is known.
func TestAllHostsAreToGo(t *testing.T) {
	var tree []holdings.Claim
	var hosts []inventory.Host
	labels := map[string]string{"ns": "t", "name": "a", "role": "Worker"}
	for _, name := range []string{"h", "i"} {
		tree = append(tree, schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "metal", Name: name}, Cluster: schedule.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker", Pending: true})
		hosts = append(hosts, inventory.Host{Namespace: "metal", Name: name, Labels: labels, State: inventory.State{Consumer: &inventory.Consumer{Kind: "Metal3Machine", Namespace: "metal", Name: "m"}}})
	}
	const all = "its whole cluster is to go: if that is a mistake, restore the spec "
	for _, stays := range []bool{false, true} {
		tree[1].Pending = !stays
		got := Of(Input{Holdings: answer(t, hosts, tree...), Keys: keys})
		need.That(t, strings.HasPrefix(got[0].What, all) != stays, "one stays %t: %+v", stays, got)
	}
}

// TestStatesAreDocumented: docs/runbooks/host-states.md has the table of rows, which explains every state that an operator may have to act on.
func TestStatesAreDocumented(t *testing.T) {
	page := need.Read(t, "../../docs/runbooks/host-states.md")
	want, err := Page(string(page))
	need.That(t, err == nil && want == string(page), "docs/runbooks/host-states.md is not current: make generate (%v)", err)
	for _, state := range states {
		if state != Synced && !slices.ContainsFunc(rows, func(r row) bool { return r.State == state && r.Meaning != "" && r.Do != "" }) {
			t.Errorf("no row explains %q", state)
		}
	}
	_, err = Page("# No table\n")
	need.That(t, err != nil, "a page without a table: want an error")
}

// world is a cluster that asks for two workers and a standby one, and has them: what a row changes in it is what the status is about.
type world struct {
	live    v1.SIPCluster
	tenants Tenants
}

func newWorld() *world {
	key := schedule.ClusterKey{Namespace: "t", Name: "a"}
	spec := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "t", Name: "a", Generation: 3}}
	spec.Spec.Nodes = map[string]v1.NodeSet{"Worker": {Count: &v1.NodeCount{Active: 2, Standby: 1}}}
	w := &world{live: spec, tenants: Tenants{
		Specs: []v1.SIPCluster{spec}, Placement: &schedule.Placement{Clusters: []schedule.Cluster{{Key: key, Roles: []schedule.Role{{Name: "Worker", Active: 2, Standby: 1}}}}},
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
		Host: schedule.HostKey{Namespace: "metal", Name: name}, Cluster: schedule.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker", Standby: standby,
	})
	w.tenants.Hosts = append(w.tenants.Hosts, HostStatus{Host: "metal/" + name, Cluster: "t/a", Role: "Worker", State: Synced})
	w.role().Assigned = append(w.role().Assigned, schedule.Assignment{Host: &inventory.Host{Namespace: "metal", Name: name}, Standby: standby})
}

// TestOfTenants: for each thing that is not as it is asked for, the condition says the SIP operator's reason for it, and the counts hold.
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
		{"its spec is gone from the site", func(w *world) { w.tenants.Specs = nil }, v1.ReasonUnschedulable, "no longer has a spec of this cluster", 3, 0, 0},
		{"a host is to come, one to change and one to go", func(w *world) {
			w.role().Assigned = w.role().Assigned[:2]
			w.role().Assigned[0].Standby = false
			w.role().Assigned = append(w.role().Assigned, schedule.Assignment{Host: &inventory.Host{Namespace: "metal", Name: "h9"}})
		}, v1.ReasonProgressing, "1 host to come, 1 host to change slots, 1 host to go", 3, 0, 3},
		{"a label is on its way", func(w *world) { w.tenants.Hosts[1].State = NotSynced }, v1.ReasonProgressing, "metal/h1: not synced", 3, 0, 3},
		{"the guards deny a label", func(w *world) { w.tenants.Hosts[1].State, w.tenants.Hosts[1].Stuck = Denied, true }, v1.ReasonLabels, "metal/h1: denied", 3, 0, 3},
		{"a host is in error, and has its labels", func(w *world) { w.tenants.Hosts[0].State, w.tenants.Hosts[0].Stuck = Failed, true },
			v1.ReasonSucceeded, "; in error, marked unhealthy or being deleted: metal/h", 3, 0, 3},
		{"a host's spec was emptied", func(w *world) { w.tenants.Hosts[1].State, w.tenants.Hosts[1].Stuck = Emptied, true }, v1.ReasonLabels, "metal/h1: emptied", 3, 0, 3},
		{"a host is given back and the cluster has what it asks for", func(w *world) {
			w.claim("h4", false)
			w.tenants.Claims[3].Releasing, w.tenants.Hosts[3].State = true, Released
			w.role().Assigned = w.role().Assigned[:3]
		}, v1.ReasonSucceeded, "", 3, 0, 3},
		{"it is deleted, and has hosts", func(w *world) { w.live.DeletionTimestamp = &metav1.Time{Time: time.Unix(9, 0)} }, v1.ReasonProgressing, "3 hosts are still to be released", 3, -1, 3},
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
		need.That(t, ready.Type == "Ready" && ready.Status == want && ready.Reason == row.reason && strings.Contains(ready.Message, row.message) && ready.ObservedGeneration == row.observed,
			"%s: found %+v, want %s %q", row.why, ready, row.reason, row.message)
		need.That(t, *got.Assigned == row.assigned && short == row.short,
			"%s: found %d assigned, %d short; want %d, %d", row.why, *got.Assigned, short, row.assigned, row.short)
		need.That(t, !strings.Contains(ready.Message, "hunter2") && !strings.Contains(ready.Message, "\n") && len([]rune(ready.Message)) <= maxMessage,
			"%s: %q", row.why, ready.Message)
	}
}

// TestOfTenantsKeeps: conditions of others stay, a time is that of a change of the status, and hosts are in an order of their own.
func TestOfTenantsKeeps(t *testing.T) {
	w := newWorld()
	w.live.Status.Conditions = []metav1.Condition{
		{Type: "Paid", Status: metav1.ConditionTrue, Reason: "Bill", LastTransitionTime: metav1.Unix(5, 0)},
		{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Old", LastTransitionTime: metav1.Unix(7, 0)},
	}
	got, _ := w.tenants.Of(&w.live, metav1.Unix(100, 0))
	need.That(t, len(got.Conditions) == 2 && got.Conditions[0].Type == "Paid" && got.Conditions[1].LastTransitionTime.Unix() == 7 && got.Conditions[1].Reason == v1.ReasonSucceeded,
		"%+v", got.Conditions)
	need.Equal(t, "the live object was changed", w.live.Status.Conditions[1].Reason, "Old")
	var names []string
	for _, h := range got.Hosts {
		names = append(names, h.Name)
	}
	need.That(t, strings.Join(names, " ") == "metal/h1 metal/h2 metal/h3" && got.Hosts[2].Standby && !got.Hosts[0].Standby && got.Hosts[0].State == string(Synced),
		"%+v", got.Hosts)
	w.tenants.Hosts[0].State = NotSynced
	if got, _ = w.tenants.Of(&w.live, metav1.Unix(100, 0)); got.Conditions[1].LastTransitionTime.Unix() != 100 {
		t.Errorf("%+v", got.Conditions[1])
	}
	other := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "t", Name: "b"}}
	_, known := w.tenants.Of(&other, metav1.Unix(100, 0))
	need.That(t, !known, "a cluster of nobody's got a status")
}

const (
	newest = "1111111111111111111111111111111111111111"
	former = "2222222222222222222222222222222222222222"
)

// TestEngine: what the engine's objects say of the commit that they have applied. Their statuses are as kustomize-controller v1.7 and Argo CD v3.2 write
// them.
func TestEngine(t *testing.T) {
	kustomization := func(spec, revision, ready string) string {
		return "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {namespace: engine, name: a, generation: 2}\nspec: {" + spec + "}\n" +
			"status: {observedGeneration: 2, lastAppliedRevision: '" + revision + "', conditions: [{type: Ready, " + ready + "}]}\n"
	}
	application := func(automated, status string) string {
		return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {namespace: engine, name: a}\nspec: {syncPolicy: {" + automated + "}}\nstatus: {" + status + "}\n"
	}
	const well = "status: 'True', reason: ReconciliationSucceeded, message: ok"
	const automated = "automated: {prune: true}"
	for name, row := range map[string]struct {
		kind, object, commit string
		ready                bool
		what                 string
	}{
		"Flux has the tree's commit":         {Kustomization, kustomization("", "main@sha1:"+newest, well), newest, true, ""},
		"a branch with a colon has none":     {Kustomization, kustomization("", "sha1:"+newest, well), newest, true, ""},
		"Flux has another":                   {Kustomization, kustomization("", "main@sha1:"+former, well), former, false, "has commit 222222222222, the tree is of 111111111111"},
		"Flux is suspended":                  {Kustomization, kustomization("suspend: true", "main@sha1:"+newest, well), newest, false, "suspended"},
		"Flux is suspended at another":       {Kustomization, kustomization("suspend: true", "main@sha1:"+former, well), former, false, "suspended; has commit 222222222222"},
		"Flux cannot apply it":               {Kustomization, kustomization("", "main@sha1:"+former, "status: 'False', reason: BuildFailed, message: no such file"), former, false, "BuildFailed: no such file; has commit"},
		"Flux has applied nothing":           {Kustomization, kustomization("", "", "status: 'False', reason: DependencyNotReady, message: b"), "", false, "DependencyNotReady: b; nothing is applied yet"},
		"Argo CD has the tree's commit":      {Application, application(automated, "sync: {status: Synced, revision: '"+newest+"'}, health: {status: Healthy}"), newest, true, ""},
		"Argo CD has compared, not applied":  {Application, application(automated, "sync: {status: OutOfSync, revision: '"+newest+"'}, health: {status: Healthy}, operationState: {phase: Failed, message: denied, syncResult: {revision: '"+newest+"'}}, history: [{revision: '0'}, {revision: '"+former+"'}]"), former, false, "OutOfSync; Failed: denied; has commit 222222222222"},
		"Argo CD tries it again":             {Application, application(automated, "sync: {status: OutOfSync, revision: '"+newest+"'}, health: {status: Missing}, operationState: {phase: Running, retryCount: 2, message: 'denied. Retrying attempt #3', syncResult: {revision: '"+newest+"'}}"), "", false, "OutOfSync; Running: denied. Retrying attempt #3; health Missing; nothing is applied yet"},
		"Argo CD has another":                {Application, application(automated, "sync: {status: Synced, revision: '"+former+"'}, health: {status: Healthy}"), former, false, "has commit 222222222222"},
		"Argo CD does not sync by itself":    {Application, application("", "sync: {status: Synced, revision: '"+newest+"'}, health: {status: Healthy}"), newest, false, "suspended"},
		"Argo CD's automation is turned off": {Application, application("automated: {enabled: false}", "sync: {status: Synced, revision: '"+newest+"'}, health: {status: Healthy}"), newest, false, "suspended"},
		"Argo CD's objects are ill":          {Application, application(automated, "sync: {status: Synced, revision: '"+newest+"'}, health: {status: Degraded, message: no pods}"), newest, false, "health Degraded: no pods"},
		"Argo CD has not looked yet":         {Application, application(automated, ""), "", false, "not reported yet"},
	} {
		t.Run(name, func(t *testing.T) {
			docs := need.Value(manifest.Parse("x.yaml", []byte(row.object)))(t)
			found := Services([]Wanted{{Kind: row.kind, Namespace: "engine", Name: "a"}}, docs, newest)[0]
			if found.Commit != row.commit || found.Ready != row.ready || !strings.Contains(found.What, row.what) || row.what == "" && found.What != "" {
				t.Errorf("found %+v", found)
			}
			// Without the tree's commit, as of a folder, no commit is wrong.
			if found := Services([]Wanted{{Kind: row.kind, Namespace: "engine", Name: "a"}}, docs, "")[0]; strings.Contains(found.What, "the tree is of") {
				t.Errorf("a folder: found %+v", found)
			}
		})
	}
}

func TestApplied(t *testing.T) {
	at := func(commits ...string) (out []Service) {
		for _, commit := range commits {
			out = append(out, Service{Service: "Kustomization flux-system/a", Commit: commit})
		}
		return append(out, Service{Service: "Deployment a/b", Ready: true})
	}
	for want, found := range map[string]string{
		"": Applied(at(), newest),
		"The cluster has commit 111111111111, the tree's":                                           Applied(at(newest, newest), newest),
		"The cluster has commit 222222222222; the tree is of 111111111111":                          Applied(at(former, former), newest),
		"The cluster has commit 111111111111 (1 of 2), the tree's and commit 222222222222 (1 of 2)": Applied(at(former, newest), newest),
		"The cluster has no commit; the tree is of 111111111111":                                    Applied(at(""), newest),
		"The cluster has commit 222222222222":                                                       Applied(at(former), ""),
	} {
		need.Equal(t, "", found, want)
	}
	need.Equal(t, "", ServiceSummary(at(newest)), "1 service: 1 ready")
	need.Equal(t, "the engine's objects alone: found", ServiceSummary(at(newest)[:1]), "")
}

func TestServices(t *testing.T) {
	for _, row := range []struct {
		why, kind, object string
		ready, stuck      bool
		what              string
	}{
		{"nothing there", "Ironic", "", false, false, "not synced: there is no such object"},
		{"an Ironic that is ready", "Ironic", `"metadata": {"generation": 2}, "status": {"installedVersion": "35.0", "conditions": [{"type": "Ready", "status": "True", "observedGeneration": 2}]}`, true, false, "version 35.0"},
		{"one that is not", "Ironic", `"metadata": {"generation": 2}, "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "DeploymentInProgress", "message": "waiting", "observedGeneration": 2}]}`, false, false, "Ready False: DeploymentInProgress: waiting"},
		{"one of an earlier spec", "Ironic", `"metadata": {"generation": 3}, "status": {"conditions": [{"type": "Ready", "status": "True", "observedGeneration": 2}]}`, false, false, "its operator has not seen this spec yet"},
		{"a Vino without conditions", "Vino", `"status": {}`, false, false, "its operator has not reported yet"},
		{"a PlacementAPI of an earlier spec", "PlacementAPI", `"metadata": {"generation": 3}, "status": {"observedGeneration": 2, "conditions": [{"type": "Ready", "status": "True"}]}`, false, false, "its operator has not seen this spec yet"},
		{"a PlacementAPI that waits", "PlacementAPI", `"status": {"conditions": [{"type": "Ready", "status": "Unknown", "reason": "Requested", "message": "Setup started"}, {"type": "DBReady", "status": "False", "reason": "Error"}]}`, false, false, "Ready Unknown: Requested: Setup started; DBReady False: Error"},
		{"a rollout that is complete", "Deployment", `"metadata": {"generation": 1}, "spec": {"replicas": 2}, "status": {"observedGeneration": 1, "updatedReplicas": 2, "availableReplicas": 2}`, true, false, "2 of 2 pods available, 2 of this version"},
		{"a rollout under way", "Deployment", `"metadata": {"generation": 2}, "spec": {"replicas": 2}, "status": {"observedGeneration": 2, "updatedReplicas": 1, "availableReplicas": 2}`, false, false, "2 of 2 pods available, 1 of this version"},
		{"a rollout not begun", "Deployment", `"metadata": {"generation": 2}, "status": {"observedGeneration": 1, "updatedReplicas": 1, "availableReplicas": 1}`, false, false, "1 of 1 pods available, 1 of this version"},
		{"a rollout that failed", "Deployment", `"status": {"conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out"}]}`, false, true, "0 of 1 pods available, 0 of this version: timed out"},
		{"pods that are refused", "Deployment", `"status": {"conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out"}, {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota"}]}`, false, true, "0 of 1 pods available, 0 of this version: timed out: exceeded quota"},
		{"pods that were refused", "Deployment", `"metadata": {"generation": 1}, "status": {"observedGeneration": 1, "updatedReplicas": 1, "availableReplicas": 1, "conditions": [{"type": "ReplicaFailure", "status": "True", "message": "exceeded quota"}]}`, true, false, "1 of 1 pods available, 1 of this version"},
		{"no status at all", "Deployment", `"status": "x"`, false, false, "its status cannot be read"},
	} {
		var docs []manifest.Document
		if row.object != "" {
			docs = []manifest.Document{{Kind: row.kind, Namespace: "n", Name: "x", JSON: []byte("{" + row.object + "}")}}
		}
		s := Services([]Wanted{{Kind: row.kind, Namespace: "n", Name: "x"}}, docs, "")[0]
		need.That(t, s.Ready == row.ready && s.Stuck == row.stuck && s.What == row.what && s.Service == row.kind+" n/x",
			"%s: found %+v\nwant %v %v %s", row.why, s, row.ready, row.stuck, row.what)
	}
}

// TestServicesOfTenants: a tenant's SIPCluster has a condition of its own services and of those of the site; Ready is about its hosts.
func TestServicesOfTenants(t *testing.T) {
	key := schedule.ClusterKey{Namespace: "red", Name: "a"}
	tenants := &Tenants{
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{{Key: key}}},
		Services:  []Service{{Service: "Kustomization flux-system/x", What: "suspended"}, {Service: "Ironic m/i", What: "Ready False: X"}, {Service: "Deployment red/lb", Cluster: "red/a", Ready: true}, {Service: "Deployment blue/lb", Cluster: "blue/b", What: "of others"}},
	}
	live := &v1.SIPCluster{}
	live.Namespace, live.Name = key.Namespace, key.Name
	found := func() *metav1.Condition {
		status, _ := tenants.Of(live, metav1.Now())
		for i := range status.Conditions {
			if status.Conditions[i].Type == v1.ConditionServices {
				return &status.Conditions[i]
			}
		}
		return nil
	}
	if c := found(); c == nil || c.Status != metav1.ConditionFalse || !strings.Contains(c.Message, "Ironic m/i: Ready False: X") || strings.Contains(c.Message, "others") {
		t.Errorf("found %+v", c)
	}
	tenants.Services[1].Ready = true
	c := found()
	need.That(t, c != nil && c.Status == metav1.ConditionTrue && c.Message == "2 services: 2 ready", "found %+v", c)
	if tenants.Services = nil; found() != nil {
		t.Error("services that were not read are in the status")
	}
}
