// Package report says a placement in words and figures: as data for programs, as a table for a
// terminal, as markdown for a review, and as a commit message.
package report

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Plan is a placement as data, for `sipgen plan -o json` and `-o yaml`. Its fields are stable.
type Plan struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Site       string    `json:"site"`
	Clusters   []Cluster `json:"clusters"`
	// Hosts is one line for every host of the inventory, by namespace and name.
	Hosts []Host `json:"hosts"`
	// Shortages say why slots stay empty.
	Shortages []string `json:"shortages,omitempty"`
	// Moves would make the site feasible, or were made.
	Moves []string `json:"moves,omitempty"`
	// Freed are hosts that an earlier run released, and that are free now.
	Freed    []Freed  `json:"freed,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// InputWarnings are about the Site, the specs and the inventory as they were read.
	InputWarnings []string `json:"inputWarnings,omitempty"`
	// Preflight is what render and publish would warn of, and Refusals why they would refuse the plan.
	Preflight []string `json:"preflight,omitempty"`
	Refusals  []string `json:"refusals,omitempty"`
	// Services are what changes in the services of clusters that have some already, by cluster, where there is a tree to compare with.
	Services []ServiceChanges `json:"services,omitempty"`
	// WhatIf says in what the planned site differs from the real one, and what would fit.
	WhatIf []string `json:"whatIf,omitempty"`

	// shortOf are the clusters that each of the Shortages is about.
	shortOf [][]string
}

// Cluster is one tenant cluster, in the order served.
type Cluster struct {
	Namespace     string `json:"namespace"`
	Name          string `json:"name"`
	Priority      int32  `json:"priority"`
	Gone          bool   `json:"gone,omitempty"`
	Unschedulable bool   `json:"unschedulable,omitempty"`
	// Refused says why the spec is not placed at all: it and the hosts contradict each other.
	Refused []string `json:"refused,omitempty"`
	// AnyPatches: it has patches, and the Site lets them change more than the fields that are safe.
	AnyPatches bool `json:"anyPatches,omitempty"`
	// HAProxyLines: its load balancers have lines of HAProxy's configuration, of which nobody knows what they do.
	HAProxyLines bool     `json:"haproxyLines,omitempty"`
	Roles        []Role   `json:"roles"`
	Warnings     []string `json:"warnings,omitempty"`
}

// Key is the cluster's "namespace/name".
func (c *Cluster) Key() string { return c.Namespace + "/" + c.Name }

// Role is one role of a cluster, with its counts.
type Role struct {
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
	Warnings     []string `json:"warnings,omitempty"`
}

// Status is what happens to a slot's host in this run.
type Status string

// The statuses of a slot.
const (
	StatusNew      Status = "new"
	StatusKept     Status = "kept"
	StatusPending  Status = "pending"  // to be released, once it is let go or approved
	StatusReleased Status = "released" // by this run
	StatusLeaving  Status = "leaving"  // released by an earlier run, not yet seen clean
)

// words are what a reviewer reads.
func (s Status) words() string {
	if s == StatusPending {
		return "release pending"
	}
	return string(s)
}

// Slot is one host of a role.
type Slot struct {
	Host      string   `json:"host"`
	UID       string   `json:"uid,omitempty"`
	Standby   bool     `json:"standby,omitempty"`
	Domain    string   `json:"domain,omitempty"`
	Addresses []string `json:"addresses,omitempty"`
	Status    Status   `json:"status"`
	Why       string   `json:"why,omitempty"`
	// From is the cluster that the previous tree had the host in, where that is another one.
	From string `json:"from,omitempty"`
	// Trouble is what is wrong with a host that is held: it is in error, marked unhealthy, being deleted, or named for removal.
	Trouble string `json:"trouble,omitempty"`
	// Changes are what this run does to the host besides: it is promoted, replaces another one, is adopted.
	Changes []string `json:"changes,omitempty"`
	// use is what consumes the host, in words; empty: nothing, or it is said by Why and more.
	use string
	// trouble is Trouble without what metal3 says in its own words. failed: it is more than somebody's wish to remove the host.
	trouble string
	failed  bool
	adopted bool
	// InUse says what a host that is released runs, in words; empty: nothing.
	InUse string `json:"-"`
}

// Since notes what is different from a previous tree: which hosts another cluster had before, which ones are adopted, and which ones that were
// released are free now.
func (p *Plan) Since(previous schedule.Previous) {
	from := map[string]string{}
	for _, claim := range previous.Claims {
		from[claim.Host.String()] = claim.Cluster.String()
	}
	p.freed(previous)
	for i := range p.Clusters {
		c := &p.Clusters[i]
		for j := range c.Roles {
			for k := range c.Roles[j].Slots {
				slot := &c.Roles[j].Slots[k]
				was := from[slot.Host]
				if (slot.Status == StatusNew || slot.Status == StatusKept) && was != c.Key() {
					slot.From = was
				}
				if slot.adopted {
					slot.Changes = append(slot.Changes, adopted)
				}
			}
		}
	}
}

// Freed is a host that was released by an earlier run and has been seen without labels since.
type Freed struct {
	Host string `json:"host"`
	// Cluster and Role released it.
	Cluster string `json:"cluster"`
	Role    string `json:"role"`
	// But says why it cannot be assigned all the same, empty if it can.
	But string `json:"but,omitempty"`
}

// String says it in the words of the other changes.
func (f *Freed) String() string {
	words := f.Host + ", which " + f.Cluster + " " + f.Role + " released"
	if f.But != "" {
		return "not free: " + words + ", has lost its labels; it cannot be assigned: " + f.But
	}
	return "now free: " + words
}

// freed finds the hosts that the previous tree releases, and that nobody has now.
func (p *Plan) freed(previous schedule.Previous) {
	claims := map[string]*schedule.PreviousClaim{}
	for i := range previous.Claims {
		if previous.Claims[i].Releasing {
			claims[previous.Claims[i].Host.String()] = &previous.Claims[i]
		}
	}
	for i := range p.Hosts {
		host := &p.Hosts[i]
		claim := claims[host.Host]
		if claim == nil || host.Cluster != "" {
			continue
		}
		free := Freed{Host: host.Host, Cluster: claim.Cluster.String(), Role: claim.Role}
		if host.Verdict != string(schedule.Free) {
			free.But = host.Why
		}
		p.Freed = append(p.Freed, free)
	}
}

// Only is the part of the plan that is about one cluster, "namespace/name": its hosts, its services, the shortages that it is part of and its own
// warnings.
func (p *Plan) Only(cluster string) *Plan {
	out := *p
	out.Clusters, out.Hosts, out.Shortages, out.shortOf, out.Freed, out.Services = []Cluster{}, []Host{}, nil, nil, nil, nil
	out.Moves, out.Warnings = nil, nil
	for i := range p.Clusters {
		if p.Clusters[i].Key() == cluster {
			out.Clusters = append(out.Clusters, p.Clusters[i])
		}
	}
	for i := range p.Hosts {
		if p.Hosts[i].Cluster == cluster {
			out.Hosts = append(out.Hosts, p.Hosts[i])
		}
	}
	for i := range p.Shortages {
		if slices.Contains(p.shortOf[i], cluster) {
			out.Shortages, out.shortOf = append(out.Shortages, p.Shortages[i]), append(out.shortOf, p.shortOf[i])
		}
	}
	for i := range p.Freed {
		if p.Freed[i].Cluster == cluster {
			out.Freed = append(out.Freed, p.Freed[i])
		}
	}
	for i := range p.Services {
		if p.Services[i].Cluster == cluster {
			out.Services = append(out.Services, p.Services[i])
		}
	}
	return &out
}

// Unschedulable says whether a cluster cannot have all the hosts it must have.
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

// Host is what became of one host.
type Host struct {
	Host    string `json:"host"`
	Verdict string `json:"verdict"`
	Cluster string `json:"cluster,omitempty"`
	Role    string `json:"role,omitempty"`
	Why     string `json:"why,omitempty"`
}

// Of makes the data from a placement. clusters are the specs it was made from, for the networks
// whose addresses are shown.
func Of(site string, clusters []v1.SIPCluster, p *schedule.Placement) *Plan {
	specs := map[schedule.ClusterKey]*v1.SIPCluster{}
	for i := range clusters {
		specs[schedule.ClusterKey{Namespace: clusters[i].Namespace, Name: clusters[i].Name}] = &clusters[i]
	}
	plan := &Plan{APIVersion: v1alpha1.APIVersion, Kind: "Plan", Site: site, Clusters: []Cluster{}, Hosts: []Host{}, Warnings: sentence.Warnings(p.Warnings)}
	for i := range p.Clusters {
		c := &p.Clusters[i]
		cluster := Cluster{
			Namespace: c.Key.Namespace, Name: c.Key.Name, Priority: c.Priority,
			Gone: c.Gone, Unschedulable: c.Unschedulable, Refused: sentence.Refusals(c.Refused), Roles: []Role{}, Warnings: sentence.Warnings(c.Warnings),
		}
		for j := range c.Roles {
			cluster.Roles = append(cluster.Roles, roleOf(&c.Roles[j], specs[c.Key]))
		}
		plan.Clusters = append(plan.Clusters, cluster)
	}
	for i := range p.Hosts {
		line := &p.Hosts[i]
		host := Host{Host: line.Host.Key(), Verdict: string(line.Verdict), Role: line.Role, Why: sentence.Reason(line.Reason)}
		if line.Cluster != (schedule.ClusterKey{}) {
			host.Cluster = line.Cluster.String()
		}
		plan.Hosts = append(plan.Hosts, host)
	}
	for i := range p.Shortages {
		plan.Shortages = append(plan.Shortages, sentence.Shortage(&p.Shortages[i]))
		var clusters []string
		for _, role := range p.Shortages[i].Roles {
			clusters = append(clusters, role.Cluster.String())
		}
		plan.shortOf = append(plan.shortOf, clusters)
	}
	for _, m := range p.Moves {
		plan.Moves = append(plan.Moves, sentence.Move(m))
	}
	return plan
}

func roleOf(r *schedule.Role, spec *v1.SIPCluster) Role {
	role := Role{
		Name: r.Name, Active: r.Active, Standby: r.Standby,
		ShortActive: r.ShortActive, ShortStandby: r.ShortStandby, Slots: []Slot{}, Warnings: sentence.Warnings(r.Warnings),
	}
	for i := range r.Assigned {
		a := &r.Assigned[i]
		slot := Slot{Host: a.Host.Key(), UID: a.Host.UID, Standby: a.Standby, Domain: a.Domain, Status: StatusKept, Why: sentence.Reason(a.Reason)}
		slot.Trouble, slot.trouble, slot.Changes, slot.adopted = sentence.Reason(a.Trouble), sentence.Trouble(a.Trouble), sentence.Changes(a), a.Adopted
		slot.failed = a.Trouble != nil && a.Trouble != schedule.MarkedForRemoval{}
		if held, is := a.Reason.(schedule.Consumed); is {
			slot.use = sentence.Use(held.Use)
		}
		switch {
		case a.Pending:
			slot.Status = StatusPending
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
		slot := Slot{Host: release.Host.Key(), UID: release.Host.UID, Status: StatusReleased, Why: sentence.Reason(release.Reason), InUse: inUse(release.Host.State)}
		if release.Since == schedule.FromTree {
			slot.Status = StatusLeaving
		}
		role.Released++
		role.Slots = append(role.Slots, slot)
	}
	for _, reject := range sentence.Sorted(r.Rejected) {
		role.Rejected = append(role.Rejected, Reject{reject.Reason, reject.Count})
	}
	return role
}

// State is what happens to the slot's host, and what is wrong with it: "kept, promoted from standby, in error".
func (s *Slot) State() string { return s.state() }

// state has more words between the status and the changes.
func (s *Slot) state(more ...string) string {
	words := slices.Concat([]string{s.Status.words()}, more, s.Changes)
	if s.trouble != "" {
		words = append(words, s.trouble)
	}
	return strings.Join(words, ", ")
}

// changed: this run does something to the host, it was another cluster's, or something is wrong with it.
func (s *Slot) changed() bool {
	return s.Status != StatusKept || len(s.Changes) > 0 || s.From != "" || s.failed
}

// troubles are the hosts that have failed, a sentence each.
func (p *Plan) troubles() []string {
	var lines []string
	for i := range p.Clusters {
		c := &p.Clusters[i]
		for j := range c.Roles {
			for _, slot := range c.Roles[j].Slots {
				if !slot.failed {
					continue
				}
				why := slot.Why
				if !strings.HasPrefix(why, slot.Trouble) {
					why = slot.Trouble + "; " + why
				}
				lines = append(lines, fmt.Sprintf("%s %s %s: %s", c.Key(), c.Roles[j].Name, slot.Host, why))
			}
		}
	}
	return lines
}

// inUse says what a host runs, as far as its state tells.
func inUse(state inventory.State) string {
	switch {
	case state.Consumer != nil:
		return "it is in use by " + state.Consumer.String()
	case state.ExternallyProvisioned:
		return "it is externally provisioned"
	case state.Provisioning == "provisioned" || state.Provisioning == "provisioning":
		return "it is " + state.Provisioning
	case state.Image:
		return "it has an image"
	}
	return ""
}

// promoted and adopted are two of the changes of a slot.
const adopted = "adopted"

var promoted = sentence.Reason(schedule.Promoted{})

// Totals counts slots over all clusters.
type Totals struct {
	Assigned, New, Pending, Released, Leaving, Short int
	// Promoted and Adopted are among those that are Assigned; so are those that have Failed.
	Promoted, Adopted, Failed int
	// Offered are those that Cluster API may provision from now on: new ones, and promoted ones that nothing uses.
	Offered int
}

// Totals counts what the plan does.
func (p *Plan) Totals() Totals {
	var t Totals
	for i := range p.Clusters {
		for j := range p.Clusters[i].Roles {
			role := &p.Clusters[i].Roles[j]
			t.Assigned += role.Held + role.New + role.Pending
			t.New += role.New
			t.Offered += role.New
			t.Pending += role.Pending
			t.Short += role.ShortActive + role.ShortStandby
			for _, slot := range role.Slots {
				if slot.failed {
					t.Failed++
				}
				for _, change := range slot.Changes {
					switch change {
					case promoted:
						t.Promoted++
						if slot.use == "" {
							t.Offered++
						}
					case adopted:
						t.Adopted++
					}
				}
				switch slot.Status {
				case StatusReleased:
					t.Released++
				case StatusLeaving:
					t.Leaving++
				}
			}
		}
	}
	return t
}
