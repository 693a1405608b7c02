package status

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// maxMessage is the longest message of a condition. The API server allows 32768 bytes; a column of kubectl shows
// less.
const maxMessage = 1000

// Tenants is the input for the status of SIPClusters.
type Tenants struct {
	// Specs are those of the placement. Placement is the decision on top of Claims, the tree's.
	Specs     []v1.SIPCluster
	Placement *schedule.Placement
	Claims    []schedule.PreviousClaim
	// Hosts are the tree's hosts compared with the live ones, from Of.
	Hosts []HostStatus
	// Frozen has the reasons why clusters keep what they have. Unread are those whose spec could not be read.
	Frozen map[schedule.ClusterKey][]string
	Unread map[schedule.ClusterKey]bool
	// Services are those of the tree compared with the live ones, empty if they were not read.
	Services []Service
}

// Of returns the status of one live SIPCluster: its hosts in the tree, how many it lacks, and the condition Ready
// with the SIP operator's reasons. Conditions of other types stay, and so does the transition time while Ready does
// not change. now is the time of a new transition. known is false for a cluster that is in neither the specs nor the
// tree: it may be another site's.
func (t *Tenants) Of(live *v1.SIPCluster, now metav1.Time) (_ v1.SIPClusterStatus, known bool) {
	key := schedule.ClusterKey{Namespace: live.Namespace, Name: live.Name}
	if t.placed(key) == nil && !t.inTree(key) {
		return live.Status, false
	}
	status := v1.SIPClusterStatus{Conditions: slices.Clone(live.Status.Conditions), Hosts: t.hosts(key)}
	assigned := int32(len(status.Hosts))
	status.Assigned = &assigned
	ready := metav1.Condition{Type: v1.ConditionReady, Status: metav1.ConditionFalse, LastTransitionTime: now}
	spec := t.spec(key)
	same := spec != nil && equality.Semantic.DeepEqual(spec.Spec, live.Spec)
	if same {
		ready.ObservedGeneration = live.Generation
	}
	if !t.Unread[key] && live.DeletionTimestamp == nil {
		short := t.short(live, status.Hosts)
		status.Short = &short
	}
	ready.Reason, ready.Message = t.ready(live, key, spec, same)
	if ready.Reason == v1.ReasonSucceeded {
		ready.Status = metav1.ConditionTrue
		if n := status.Short; n != nil && *n > 0 {
			ready.Message += fmt.Sprintf("; short of %s", text.Count(int(*n), "standby host"))
		}
	}
	if failed := t.failed(key); len(failed) > 0 {
		ready.Message += "; in error, marked unhealthy or being deleted: " + strings.Join(failed, ", ")
	}
	ready.Message = text.Truncate(text.Line(redact.Text(ready.Message)), maxMessage)
	status.Conditions = withCondition(status.Conditions, ready)
	t.services(&status, live, now)
	return status, true
}

// services adds the condition of the services of the cluster, and of those that all clusters share.
func (t *Tenants) services(status *v1.SIPClusterStatus, live *v1.SIPCluster, now metav1.Time) {
	var own []Service
	var words []string
	for _, s := range t.Services {
		if s.Cluster != "" && s.Cluster != live.Key() || s.isEngines() {
			continue // another's, or the operator's alone
		}
		own = append(own, s)
		if !s.Ready {
			words = append(words, s.Service+": "+s.What)
		}
	}
	if len(own) == 0 {
		return
	}
	c := metav1.Condition{Type: v1.ConditionServices, Status: metav1.ConditionTrue, Reason: v1.ReasonServicesReady,
		Message: ServiceSummary(own), LastTransitionTime: now}
	if len(words) > 0 {
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, v1.ReasonServicesNotReady, text.Truncate(strings.Join(words,
			"; "), maxMessage)
	}
	status.Conditions = withCondition(status.Conditions, c)
}

// inTree reports whether the tree has a host of a cluster, or is releasing one.
func (t *Tenants) inTree(key schedule.ClusterKey) bool {
	return slices.Contains(holdings.Clusters(t.Claims), key)
}

// withCondition replaces the condition of the same type, and keeps its time while its status is the same.
func withCondition(conditions []metav1.Condition, c metav1.Condition) []metav1.Condition {
	i := slices.IndexFunc(conditions, func(old metav1.Condition) bool { return old.Type == c.Type })
	if i < 0 {
		return append(conditions, c)
	}
	if old := conditions[i]; old.Status == c.Status && !old.LastTransitionTime.IsZero() {
		c.LastTransitionTime = old.LastTransitionTime
	}
	conditions[i] = c
	return conditions
}

func (t *Tenants) spec(key schedule.ClusterKey) *v1.SIPCluster {
	for i := range t.Specs {
		if t.Specs[i].Namespace == key.Namespace && t.Specs[i].Name == key.Name && !t.Unread[key] {
			return &t.Specs[i]
		}
	}
	return nil
}

// hosts returns the cluster's hosts in the tree, by role and name.
func (t *Tenants) hosts(key schedule.ClusterKey) []v1.HostStatus {
	states := map[string]State{}
	for i := range t.Hosts {
		if t.Hosts[i].Cluster == key.String() {
			states[t.Hosts[i].Host] = t.Hosts[i].State
		}
	}
	var out []v1.HostStatus
	for _, claim := range holdings.ClusterHosts(t.Claims, key) {
		name := claim.Host.String()
		out = append(out, v1.HostStatus{Name: name, Role: claim.Role, Standby: claim.Standby, State: string(states[name])})
	}
	return out
}

// short counts, by role, the hosts that the live spec asks for and the cluster lacks.
func (t *Tenants) short(live *v1.SIPCluster, hosts []v1.HostStatus) int32 {
	has := map[string]int{}
	for _, h := range hosts {
		has[h.Role]++
	}
	short := 0
	for name, role := range live.Spec.Nodes {
		active, standby := role.Want()
		short += max(0, active+standby-has[name])
	}
	return int32(min(short, 1<<31-1))
}

// ready returns the reason of the condition, and its message. The first deviation from the spec decides.
func (t *Tenants) ready(live *v1.SIPCluster, key schedule.ClusterKey, spec *v1.SIPCluster,
	same bool) (reason, message string) {
	stuck, moving := t.unfinished(key)
	if live.DeletionTimestamp != nil {
		return t.deleting(key, stuck)
	}
	placed := t.placed(key)
	switch why := t.Frozen[key]; {
	case len(why) > 0:
		return v1.ReasonUnschedulable, "frozen: " + strings.Join(why, "; ")
	case spec == nil || placed == nil:
		return v1.ReasonUnschedulable, "the site has no spec of this cluster, and releases its hosts"
	case !same:
		return v1.ReasonProgressing, "the tree has not been rendered from this version of the spec yet"
	case placed.Unschedulable:
		return v1.ReasonUnschedulable, shortages(placed)
	case len(stuck) > 0:
		return v1.ReasonLabels, strings.Join(stuck, ", ")
	}
	if next := t.next(placed); next != "" {
		return v1.ReasonProgressing, next
	}
	if len(moving) > 0 {
		return v1.ReasonProgressing, strings.Join(moving, ", ")
	}
	return v1.ReasonSucceeded, "the cluster has its active hosts, and they have its labels"
}

func (t *Tenants) placed(key schedule.ClusterKey) *schedule.Cluster {
	for i := range t.Placement.Clusters {
		if t.Placement.Clusters[i].Key == key {
			return &t.Placement.Clusters[i]
		}
	}
	return nil
}

// deleting returns the reason for a leaving cluster.
func (t *Tenants) deleting(key schedule.ClusterKey, stuck []string) (reason, message string) {
	left := 0
	for i := range t.Hosts {
		if t.Hosts[i].Cluster == key.String() && t.Hosts[i].State != Released {
			left++
		}
	}
	switch {
	case len(stuck) > 0:
		return v1.ReasonDecommission, strings.Join(stuck, ", ")
	case left > 0:
		return v1.ReasonProgressing, "being deleted: " +
			text.Plural(left, "host is still to be released", "hosts are still to be released")
	}
	return v1.ReasonProgressing, "being deleted: all hosts are released"
}

// unfinished returns the hosts of a cluster that differ from the tree: those that are stuck, and those that continue
// by themselves.
func (t *Tenants) unfinished(key schedule.ClusterKey) (stuck, moving []string) {
	for i := range t.Hosts {
		h := &t.Hosts[i]
		switch {
		case h.Cluster != key.String() || h.State == Synced || h.State == Failed || h.State == Released:
		case h.Stuck:
			stuck = append(stuck, h.Host+": "+string(h.State))
		default:
			moving = append(moving, h.Host+": "+string(h.State))
		}
	}
	return stuck, moving
}

// failed returns the hosts of a cluster that have its labels, and have failed or may fail soon. They do not affect
// whether the cluster has what it asks for.
func (t *Tenants) failed(key schedule.ClusterKey) (names []string) {
	for i := range t.Hosts {
		if t.Hosts[i].Cluster == key.String() && t.Hosts[i].State == Failed {
			names = append(names, t.Hosts[i].Host)
		}
	}
	return names
}

// shortages names the roles that lack required hosts.
func shortages(c *schedule.Cluster) string {
	var words []string
	for i := range c.Roles {
		r := &c.Roles[i]
		if r.ShortActive > 0 {
			words = append(words, fmt.Sprintf("%s: short of %d of %s", r.Name, r.ShortActive,
				text.Count(r.Active, "active host")))
		}
		if r.ShortStandby > 0 {
			words = append(words, fmt.Sprintf("%s: short of %d of %s", r.Name, r.ShortStandby,
				text.Count(r.Standby, "standby host")))
		}
	}
	if len(words) == 0 {
		return "the cluster cannot be placed"
	}
	return strings.Join(words, "; ")
}

// next describes the changes of the next commit to a cluster's hosts, "" for none.
func (t *Tenants) next(c *schedule.Cluster) string {
	type slot struct {
		role    string
		standby bool
	}
	was := map[string]slot{}
	for _, claim := range holdings.ClusterHosts(t.Claims, c.Key) {
		was[claim.Host.String()] = slot{claim.Role, claim.Standby}
	}
	fresh, changed := 0, 0
	for i := range c.Roles {
		for _, a := range c.Roles[i].Assigned {
			before, had := was[a.Host.Key()]
			delete(was, a.Host.Key())
			switch {
			case !had:
				fresh++
			case before != slot{c.Roles[i].Name, a.Standby}:
				changed++
			}
		}
	}
	var words []string
	for _, n := range []struct {
		n    int
		what string
	}{{fresh, "to come"}, {changed, "to change slots"}, {len(was), "to go"}} {
		if n.n > 0 {
			words = append(words, text.Count(n.n, "host")+" "+n.what)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "decided, and not committed yet: " + strings.Join(words, ", ")
}
