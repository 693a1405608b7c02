// Package report turns a placement into data for programs, a table for a terminal, markdown for a review, and a
// commit message.
package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// Plan is a placement as data, for `sipgen plan -o json` and `-o yaml`. Its fields are stable.
type Plan struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Site       string          `json:"site"`
	Clusters   []ClusterResult `json:"clusters"`
	// Hosts is one line for every host of the inventory, by namespace and name.
	Hosts []HostResult `json:"hosts"`
	// Shortages are why slots stay empty.
	Shortages []string `json:"shortages,omitempty"`
	// Kept are the free hosts that reservations of the Site keep.
	Kept []KeptHosts `json:"kept,omitempty"`
	// Freed are hosts that an earlier run released, and that are free now.
	Freed []Freed `json:"freed,omitempty"`
	// Findings are about hosts, clusters and roles as they are placed.
	Findings []finding.Finding `json:"findings,omitempty"`
	// InputWarnings are about the Site, the specs and the inventory as they were read.
	InputWarnings []string `json:"inputWarnings,omitempty"`
	// Preflight are the warnings of render and publish, and Refusals why they would refuse the plan.
	Preflight []string `json:"preflight,omitempty"`
	Refusals  []string `json:"refusals,omitempty"`
	// Dangers and Changes are what the functions of these names return.
	Dangers []string `json:"dangers,omitempty"`
	Changes []string `json:"changes,omitempty"`
	// Services are the changes in the services of clusters that have some already, by cluster, if there is a tree to
	// compare with.
	Services []ServiceChanges `json:"services,omitempty"`
	// Replicas are the numbers of machines that change in the components for Cluster API, where there is a tree to
	// compare with.
	Replicas []ReplicaChange `json:"replicas,omitempty"`
	// Components are the other changes in those components.
	Components []ComponentChange `json:"components,omitempty"`
	// WhatIf is how the planned site differs from the real one, and what would fit.
	WhatIf []string `json:"whatIf,omitempty"`

	// NoTree: there is no tree before, and hosts carry labels of clusters, in words.
	NoTree string `json:"-"`
	// Source: the engine reads another repository, branch or folder until a person acts, in words.
	Source string `json:"-"`
	// HasTree: there is a tree to compare with. A host that it does not have for a cluster is new to the cluster,
	// whatever its labels.
	HasTree bool `json:"-"`
	// Overlay: the tree patches manifests in git, and a patch that goes takes its labels away.
	Overlay bool `json:"-"`
	// Files are the files of the tree that the run changes.
	Files []File `json:"-"`
	// Virtual are the Vinos whose change may break hosts, in words.
	Virtual []string `json:"-"`
	// Tenants are the names of the tenants, by namespace.
	Tenants map[string]string `json:"-"`
	// OneList: the tree before has one list of all of sipgen's files. The commit gives each cluster's folder its own.
	OneList bool `json:"-"`

	// leftOut are about specs that are left out, the first of the Findings.
	leftOut []finding.Finding
	// relabeled are the hosts in use with other labels than the tree's.
	relabeled []relabeled
	// lost are the hosts that clusters without a spec lost, in words.
	lost []lostHost
	// left are the clusters that had no host any more, and leave the tree.
	left []string
	// shortOf are the clusters that each of the Shortages is about.
	shortOf [][]string
}

// ClusterResult is one tenant cluster, in the order served.
type ClusterResult struct {
	Namespace     string `json:"namespace"`
	Name          string `json:"name"`
	Priority      int32  `json:"priority"`
	Gone          bool   `json:"gone,omitempty"`
	Unschedulable bool   `json:"unschedulable,omitempty"`
	// Frozen is why the cluster keeps what it has and its spec is not placed: the spec is invalid, exceeds the
	// grants, or contradicts the hosts.
	Frozen []string `json:"frozen,omitempty"`
	// AnyPatches: it has patches, and its tenant the grant patches: any.
	AnyPatches bool `json:"anyPatches,omitempty"`
	// HAProxyLines: its load balancers have raw lines of HAProxy's configuration, whose effect is unknown.
	HAProxyLines bool         `json:"haproxyLines,omitempty"`
	Roles        []RoleResult `json:"roles"`

	// reasons are why it is frozen.
	reasons []finding.Finding
	// lost are the hosts of its previous tree that are gone without a release, as text.
	lost []lostHost
	// back: it was leaving in the previous tree, and has a spec again.
	back bool
	// first: the previous tree does not have it.
	first bool
}

// Key returns the cluster's "namespace/name".
func (c *ClusterResult) Key() string { return c.Namespace + "/" + c.Name }

// AddReasons adds why a cluster, "namespace/name", is frozen.
func (p *Plan) AddReasons(cluster string, reasons ...finding.Finding) {
	for i := range p.Clusters {
		if c := &p.Clusters[i]; c.Key() == cluster {
			c.reasons = append(c.reasons, reasons...)
		}
	}
}

// Reasons returns why the cluster is frozen, sorted by their texts at a terminal, the number of those that are not
// listed last.
func (c *ClusterResult) Reasons() []finding.Finding {
	return slices.SortedStableFunc(slices.Values(c.reasons), func(a, b finding.Finding) int {
		return text.LastMore(a.Reason(), b.Reason())
	})
}

// LeaveOut adds findings about specs that are left out.
func (p *Plan) LeaveOut(found []finding.Finding) {
	p.Findings = append(leftOut(found, (*finding.Finding).InTree), p.Findings...)
	p.leftOut = found
}

// leftOut returns findings about specs that are left out, with their words.
func leftOut(found []finding.Finding, words func(*finding.Finding) string) (out []finding.Finding) {
	for i := range found {
		f := &found[i]
		out = append(out, finding.Finding{Code: f.Code, Severity: finding.Error, Object: f.Object, Fix: f.Fix,
			Message: "left out: " + words(f)})
	}
	return out
}

// Here returns the plan for a reader on this machine: its reasons for frozen clusters and its findings name files as
// they were given.
func (p *Plan) Here() *Plan {
	out := *p
	out.Clusters = slices.Clone(p.Clusters)
	for i := range out.Clusters {
		c := &out.Clusters[i]
		c.Frozen = nil
		for _, f := range c.Reasons() {
			c.Frozen = append(c.Frozen, f.Reason())
		}
		c.Frozen = slices.Compact(c.Frozen)
	}
	out.Findings = append(leftOut(p.leftOut, (*finding.Finding).Reason), p.Findings[len(p.leftOut):]...)
	return &out
}

// RoleResult is one role of a cluster, with its counts.
type RoleResult struct {
	Name         string   `json:"name"`
	Active       int      `json:"active"`
	Standby      int      `json:"standby"`
	Held         int      `json:"held"`
	New          int      `json:"new"`
	Pending      int      `json:"pending"`
	Released     int      `json:"released"`
	ShortActive  int      `json:"shortActive"`
	ShortStandby int      `json:"shortStandby"`
	Slots        []Slot   `json:"slots"`
	Rejected     []Reject `json:"rejected,omitempty"`

	reached bool // by services of its cluster
	running int  // hosts that it selects, and that run machines of no cluster
}

// Only returns the part of the plan that is about one cluster, "namespace/name": its hosts, its services, the
// shortages that it is part of and its own warnings.
func (p *Plan) Only(cluster string) *Plan {
	out := *p
	out.Clusters = only(p.Clusters, func(c *ClusterResult) bool { return c.Key() == cluster })
	out.Hosts = only(p.Hosts, func(h *HostResult) bool { return h.Cluster == cluster })
	out.Freed = only(p.Freed, func(f *Freed) bool { return f.Cluster == cluster })
	out.Services = only(p.Services, func(s *ServiceChanges) bool { return s.Cluster == cluster })
	out.Replicas = only(p.Replicas, func(r *ReplicaChange) bool { return r.Cluster == cluster })
	out.Components = only(p.Components, func(c *ComponentChange) bool { return c.Cluster == cluster })
	out.Findings = only(p.Findings, func(f *finding.Finding) bool { return f.Cluster == cluster })
	out.relabeled = only(p.relabeled, func(r *relabeled) bool { return r.of(cluster) })
	out.lost, out.left, out.Files, out.Shortages, out.shortOf = nil, nil, nil, nil, nil
	out.Virtual = nil
	out.leftOut = nil // a spec that is left out is none of the cluster's
	for i, of := range p.shortOf {
		if slices.Contains(of, cluster) {
			out.Shortages, out.shortOf = append(out.Shortages, p.Shortages[i]), append(out.shortOf, of)
		}
	}
	if len(p.Dangers)+len(p.Changes) > 0 {
		out.Dangers, out.Changes = Dangers(&out), Changes(&out)
	}
	return &out
}

// only returns those of some things that are so.
func only[T any](all []T, is func(*T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !is(&one) })
}

// Unschedulable reports whether a cluster lacks required hosts.
func (p *Plan) Unschedulable() bool {
	for i := range p.Clusters {
		if p.Clusters[i].Unschedulable {
			return true
		}
	}
	return false
}

// Reject counts hosts that a selector matches and that are not eligible, for one reason.
type Reject struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// HostResult is the state of one host after the run.
type HostResult struct {
	Host    string `json:"host"`
	Verdict string `json:"verdict"`
	Cluster string `json:"cluster,omitempty"`
	Role    string `json:"role,omitempty"`
	Why     string `json:"why,omitempty"`
	// Emptied: its spec is empty, and by its status there is a system on it.
	Emptied bool `json:"emptied,omitempty"`

	forgotten bool // in use, and without a status
	lacks     bool // free, but for what the roles that select it ask for
}

// Of makes the data from a placement. clusters are its specs, for the networks whose addresses are shown.
func Of(site string, clusters []v1.SIPCluster, p *schedule.Placement) *Plan {
	specs := map[schedule.ClusterKey]*v1.SIPCluster{}
	for i := range clusters {
		specs[schedule.KeyOf(&clusters[i])] = &clusters[i]
	}
	plan := &Plan{
		APIVersion: v1alpha1.APIVersion, Kind: "Plan", Site: site, Clusters: make([]ClusterResult, 0,
			len(p.Clusters)), Hosts: make([]HostResult, 0, len(p.Hosts)),
		Findings: sentence.Findings(p),
	}
	for i := range p.Clusters {
		c := &p.Clusters[i]
		cluster := ClusterResult{
			Namespace: c.Key.Namespace, Name: c.Key.Name, Priority: c.Priority,
			Gone: c.Gone, Unschedulable: c.Unschedulable, Frozen: sentence.Refusals(c.Refused), Roles: []RoleResult{},
			lost: lost(c.Key, c.Warnings),
		}
		for j := range c.Roles {
			cluster.Roles = append(cluster.Roles, roleOf(&c.Roles[j], specs[c.Key]))
		}
		plan.Clusters = append(plan.Clusters, cluster)
	}
	for _, w := range p.Warnings {
		if of, ok := w.(schedule.OfCluster); ok {
			plan.lost = append(plan.lost, lost(of.Cluster, []schedule.Warning{of.Warning})...)
		}
	}
	for i := range p.Hosts {
		line := &p.Hosts[i]
		host := HostResult{Host: line.Host.Key(), Verdict: string(line.Verdict), Role: line.Role,
			Why: sentence.Reason(line.Reason), Emptied: line.Host.Emptied(),
			forgotten: line.Host.Forgotten(), lacks: line.Unused && line.Verdict == schedule.NotEligible}
		if line.Cluster != (schedule.ClusterKey{}) {
			host.Cluster = line.Cluster.String()
		}
		plan.Hosts = append(plan.Hosts, host)
	}
	for _, k := range p.Kept {
		plan.Kept = append(plan.Kept, KeptHosts{k.Name, k.Tenants, k.Alone, k.Left, k.LackAfter, k.LeftTwice})
	}
	for i := range p.Shortages {
		plan.Shortages = append(plan.Shortages, sentence.Shortage(&p.Shortages[i]))
		var clusters []string
		for _, role := range p.Shortages[i].Roles {
			clusters = append(clusters, role.Cluster.String())
		}
		plan.shortOf = append(plan.shortOf, clusters)
	}
	return plan
}

// KeptHosts are free hosts that a reservation of the Site keeps.
type KeptHosts struct {
	Name string `json:"name"`
	// Tenants for whom they are kept; none for spares, which only replacements get.
	Tenants []string `json:"tenants,omitempty"`
	// Alone: all free hosts that the reservation selects, for its tenants alone.
	Alone bool `json:"alone,omitempty"`
	// Hosts that are kept, of Want that were to be.
	Hosts int `json:"hosts"`
	Want  int `json:"want"`
	// Twice are those of Hosts that are reserved for tenants alone as well.
	Twice int `json:"twice,omitempty"`
}

// KeptBefore returns what the reservations of a placement keep before anything is assigned.
func KeptBefore(p *schedule.Placement) (out []KeptHosts) {
	for _, k := range p.Kept {
		out = append(out, KeptHosts{k.Name, k.Tenants, k.Alone, k.Could, k.Lack, k.CouldTwice})
	}
	return out
}

// KeptWords describes what is kept, "2 are reserved: 1 for ml (gpus), 1 spare (spares)", and counts each host once.
func KeptWords(kept []KeptHosts) (words string, total int) {
	var parts []string
	for _, k := range kept {
		n := k.Hosts - k.Twice
		if n == 0 {
			continue
		}
		total += n
		whom := text.Plural(n, "spare", "spares")
		if len(k.Tenants) > 0 {
			whom = strconv.Itoa(n) + " for " + text.Some(k.Tenants, 3)
		}
		parts = append(parts, whom+" ("+k.Name+")")
	}
	return fmt.Sprintf("%d %s reserved: %s", total, sentence.Verb(total, "is", "are"), strings.Join(parts, ", ")), total
}

func roleOf(r *schedule.Role, spec *v1.SIPCluster) RoleResult {
	role := RoleResult{
		Name: r.Name, Active: r.Active, Standby: r.Standby,
		ShortActive: r.ShortActive, ShortStandby: r.ShortStandby, Slots: make([]Slot, 0, len(r.Assigned)+len(r.Releasing)),
		reached: spec != nil && len(spec.Networks(r.Name)) > 0,
	}
	for i := range r.Assigned {
		a := &r.Assigned[i]
		slot := Slot{Host: a.Host.Key(), UID: a.Host.UID, Standby: a.Standby, Domain: a.Domain, Status: StatusKept,
			Why: sentence.Reason(a.Reason), uncleaned: a.Host.State.Uncleaned}
		kept, _ := a.Reason.(schedule.Kept)
		if len(kept.Refused) > 0 {
			kept.Refused = nil
			slot.Why = sentence.Reason(kept) + "; its cluster is frozen" // the plan has the reason once
		}
		slot.Trouble, slot.trouble, slot.Changes, slot.adopted = sentence.Reason(a.Trouble), sentence.Trouble(a.Trouble),
			sentence.Changes(a), a.Adopted
		slot.failed = a.Trouble != nil && a.Trouble != schedule.MarkedForRemoval{}
		slot.standIn = kept.StandIn
		if waits, ok := a.Reason.(schedule.ReleaseWaits); ok {
			slot.marked = sentence.Marked(waits.Why)
		}
		switch by := a.Host.State.Consumer; {
		case kept.Use != nil && kept.Trouble == nil:
			slot.use = sentence.Use(kept.Use)
		case by != nil && a.Trouble == nil: // a host that is to leave, or of a frozen cluster
			slot.use = sentence.Use(schedule.Condition{Why: holdings.Why{Code: holdings.InUse, Detail: by.String()}})
		}
		switch {
		case a.Pending:
			slot.Status, slot.InUse = StatusPending, inUse(a.Host.State)
			role.Pending++
		case a.Origin == schedule.New:
			slot.Status = StatusNew
			role.New++
		default:
			role.Held++
		}
		if spec != nil {
			for _, network := range spec.Networks(r.Name) {
				for _, ip := range a.Host.On(network) {
					slot.Addresses = append(slot.Addresses, ip.String())
				}
			}
		}
		role.Slots = append(role.Slots, slot)
	}
	for _, release := range r.Releasing {
		slot := Slot{Host: release.Host.Key(), UID: release.Host.UID, Status: StatusReleased,
			Why: sentence.Reason(release.Reason), InUse: inUse(release.Host.State)}
		slot.unseen = !release.Host.State.Known && slot.InUse == ""
		if release.Since == schedule.FromTree {
			slot.Status = StatusLeaving
		}
		role.Released++
		role.Slots = append(role.Slots, slot)
	}
	for _, reject := range sentence.Sorted(r.Rejected) {
		role.Rejected = append(role.Rejected, Reject{reject.Reason, reject.Count})
	}
	role.running = sentence.Running(r.Rejected)
	return role
}
