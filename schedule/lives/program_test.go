package lives

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

const first, tenants, metal, annex = "first", "tenants", "metal", "annex"

var keys = schedule.LabelKeys{
	ClusterNamespace: "sip.airshipit.org/cluster-namespace", ClusterName: "sip.airshipit.org/cluster-name",
	NodeType: "sip.airshipit.org/node-type", Standby: "sip.airshipit.org/standby",
}

// keyOf is the key of a cluster. That of cluster a lies in a namespace of its own, and so has a tenant of its own.
func keyOf(cluster string) schedule.ClusterKey {
	if cluster == "a" {
		return schedule.ClusterKey{Namespace: first, Name: cluster}
	}
	return schedule.ClusterKey{Namespace: tenants, Name: cluster}
}

// plan is the program: schedule.Plan, and what the next run reads of a tree that was rendered from it.
func plan(now site, before *tree) (*tree, loss, error) {
	clusters, inventoried := now.inputs()
	previous := schedule.Previous{}
	if before != nil {
		previous = before.memory.(schedule.Previous)
	}
	options := schedule.Options{
		Keys: keys, LabelsNewer: true, Refused: map[schedule.ClusterKey][]string{},
		Known: map[schedule.ClusterKey]bool{}, Absent: map[schedule.ClusterKey]bool{},
	}
	for name, s := range now.specs {
		if s.here && s.fault {
			options.Refused[keyOf(name)] = []string{"it is wrong"}
		}
	}
	options.Namespaces = []string{metal, annex}
	if now.left {
		options.Namespaces = []string{metal}
	}
	if now.old { // the Site is not old, and says which namespaces it has
		inside := slices.DeleteFunc(slices.Clone(previous.Claims),
			func(c schedule.PreviousClaim) bool { return options.Outside(c.Host) })
		inventoried, options.Old = holdings.AsOfTree(inventoried, inside, keys), true
	}
	for _, claim := range previous.Claims {
		options.Known[claim.Cluster] = true
		name := claim.Cluster.Name
		if s := now.specs[name]; s != nil && s.here || previous.Leaving[claim.Cluster] ||
			options.Refused[claim.Cluster] != nil {
			continue
		}
		// As the commands do: a cluster of the tree without a spec is frozen, with an empty one.
		options.Refused[claim.Cluster] = []string{"its spec is missing"}
		options.Absent[claim.Cluster] = true
		clusters = append(clusters, (&spec{}).cluster(name))
	}
	if now.limit > 0 {
		options.Limits = map[schedule.ClusterKey]*schedule.Limit{}
		limit := &schedule.Limit{Hosts: now.limit, Standby: now.limit}
		for name := range now.specs { // those of the tree are among them
			options.Limits[keyOf(name)] = limit
		}
	}
	for i, by := range now.reserved {
		selector, _ := labels.Parse("kind=" + by.kind)
		one := schedule.Reservation{Name: fmt.Sprint("r", i), Selector: selector}
		if by.count > 0 {
			one.Count = &by.count
		}
		if by.first {
			one.Tenants, one.Namespaces = []string{first}, map[string]bool{first: true}
		}
		options.Reserved = append(options.Reserved, one)
	}
	answer, err := schedule.Holdings(clusters, inventoried, previous, options)
	if err != nil {
		return nil, loss{}, err
	}
	for _, h := range answer.Disputes() { // as package admit does
		for _, key := range []schedule.ClusterKey{h.Cluster, h.Rival} {
			if s := now.specs[key.Name]; !previous.Leaving[key] && (s == nil || !s.here || !s.deleted) {
				options.Refused[key] = append(options.Refused[key], "a host is disputed")
			}
		}
	}
	// Clusters whose specs lose too many hosts are frozen, and the others placed again, as package app does.
	acceptances, texts, asks := map[schedule.ClusterKey]schedule.Acceptance{}, map[schedule.ClusterKey]string{}, map[string]int{}
	for name, s := range now.specs {
		if s.here {
			acceptances[keyOf(name)] = schedule.Acceptance{Number: s.acceptLoss, Text: s.acceptText}
			texts[keyOf(name)] = s.acceptText
		}
	}
	answers := previous.Answers(acceptances)
	for {
		placement, err := schedule.Plan(clusters, inventoried, previous, options)
		if err != nil {
			return nil, loss{}, err
		}
		lost := schedule.Losses(placement)
		beyond, accepted := lost.Beyond(now.most, placement.Clusters, answers)
		if len(beyond) == 0 {
			after := treeOf(placement, now.hosts)
			after.accept(previous.Accepts(&lost, texts, acceptances))
			return after, loss{lost.Total() - accepted, asks, len(lost.Outside)}, nil
		}
		for _, b := range beyond {
			asks[b.Cluster.Name] = b.Number
			options.Refused[b.Cluster] = []string{"it loses too many hosts"}
			for i := range clusters {
				if clusters[i].Name == b.Cluster.Name {
					clusters[i].DeletionTimestamp = nil
				}
			}
		}
	}
}

// inputs are specs and hosts as the program reads them.
func (now *site) inputs() (clusters []v1.SIPCluster, hosts []inventory.Host) {
	for _, name := range now.names {
		if s := now.specs[name]; s.here {
			clusters = append(clusters, s.cluster(name))
		}
	}
	for i := range now.hosts {
		if now.hosts[i].here {
			hosts = append(hosts, now.hosts[i].inventoried())
		}
	}
	return clusters, hosts
}

func (s *spec) cluster(name string) v1.SIPCluster {
	c := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: keyOf(name).Namespace, Name: name,
		Annotations: map[string]string{}}}
	c.Spec.Priority = int32(s.priority)
	c.Spec.Nodes = map[string]v1.NodeSet{}
	for role, w := range s.roles {
		set := v1.NodeSet{Count: &v1.NodeCount{Active: w.active, Standby: w.standby}}
		if w.vendor != "" {
			set.Hardware = &v1.Hardware{Vendor: v1.Names{w.vendor}}
		}
		if w.kind != "" {
			set.LabelSelector.MatchLabels = map[string]string{"kind": w.kind}
		}
		if w.perRack > 0 {
			set.TopologyKey, set.MaxPerDomain = "rack", w.perRack
		}
		c.Spec.Nodes[role] = set
	}
	if s.deleted {
		c.DeletionTimestamp = &metav1.Time{}
	}
	c.Annotations[v1.RemoveAnnotation] = strings.Join(s.remove, ",")
	c.Annotations[v1.ApproveReleaseAnnotation] = strings.Join(s.approve, ",")
	return c
}

func (h *host) namespace() string {
	if h.annex {
		return annex
	}
	return metal
}

func (h *host) inventoried() inventory.Host {
	out := inventory.Host{
		Namespace: h.namespace(), Name: h.name, UID: fmt.Sprint(h.uid), Source: manifest.Place{File: h.name + ".yaml"},
		Labels: map[string]string{"kind": h.kind, "rack": h.rack},
		State:  inventory.State{Known: true, Provisioning: "available", Operational: "OK", Unhealthy: h.unhealthy},
	}
	if h.vendor != "" {
		out.Hardware = &inventory.Hardware{Vendor: h.vendor}
	}
	if h.label.cluster != "" {
		out.Labels[keys.ClusterNamespace] = keyOf(h.label.cluster).Namespace
		out.Labels[keys.ClusterName] = h.label.cluster
		if h.label.role != "" {
			out.Labels[keys.NodeType] = h.label.role
		}
		if h.label.standby {
			out.Labels[keys.Standby] = "true"
		}
	}
	if h.retired {
		out.State.Retired = "disks"
	}
	if h.cordoned {
		out.State.Cordoned = "audit"
	}
	if h.reuse {
		out.State.NodeReuse = "md-0"
	}
	if h.inError {
		out.State.Operational, out.State.ErrorType = "error", "power management error"
	}
	switch h.use {
	case "":
	case cleaning:
		out.State.Provisioning = "deprovisioning"
	default:
		out.State.Provisioning, out.State.Image = "provisioned", true
		out.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Namespace: tenants, Name: h.use}
	}
	return out
}

// treeOf is what is committed of a placement.
func treeOf(p *schedule.Placement, hosts []host) *tree {
	byName := map[string]*host{}
	for i := range hosts {
		byName[hosts[i].name] = &hosts[i]
	}
	t := &tree{hosts: map[string][]entry{}, empty: map[string]int{}}
	memory := schedule.Previous{Leaving: map[schedule.ClusterKey]bool{}, Empty: map[schedule.RoleKey]int{}}
	for _, c := range p.Clusters {
		if c.Gone {
			memory.Leaving[c.Key] = true
		}
		for _, r := range c.Roles {
			claim := schedule.PreviousClaim{Cluster: c.Key, Role: r.Name, Source: c.Key.String()}
			put := func(h *inventory.Host, e entry) {
				e.cluster, e.role = c.Key.Name, r.Name
				e.uid, _ = strconv.Atoi(h.UID)
				t.hosts[h.Name] = append(t.hosts[h.Name], e)
				claim.Host, claim.UID = schedule.HostKey{Namespace: h.Namespace, Name: h.Name}, h.UID
				claim.Standby, claim.Releasing = e.standby, e.leaving
				memory.Claims = append(memory.Claims, claim)
			}
			for _, a := range r.Assigned {
				claim.Domain, claim.Pending, claim.Approval = a.Domain, a.Pending, a.Approval
				put(a.Host, entry{slot: slot{standby: a.Standby}, pending: a.Pending})
			}
			if r.Empty > 0 {
				memory.Empty[schedule.RoleKey{Cluster: c.Key, Role: r.Name}] = r.Empty
				t.empty[c.Key.Name] += r.Empty
			}
			claim.Domain, claim.Pending = "", false
			for _, gone := range r.Releasing {
				e := entry{leaving: true}
				claim.Use, claim.Approval = gone.Use, gone.Approval
				if _, approved := gone.Reason.(schedule.Approved); approved {
					e.token = byName[gone.Host.Name].token()
				}
				put(gone.Host, e)
			}
		}
	}
	t.memory = memory
	return t
}

// accept notes the texts that losses have used up.
func (t *tree) accept(texts map[schedule.ClusterKey]string) {
	memory := t.memory.(schedule.Previous)
	memory.Accepted, t.accepted = texts, map[string]string{}
	t.memory = memory
	for cluster, text := range texts {
		t.accepted[cluster.Name] = text
	}
}

// left says whether a cluster was leaving when the tree was made.
func (t *tree) left(cluster string) bool { return t.memory.(schedule.Previous).Leaving[keyOf(cluster)] }
