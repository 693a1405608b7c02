// Package holdings answers whose a host is: held by a cluster, leaving one, left alone, or free. It is the one place that weighs the
// labels of hosts against the tree, and it is pure: the answer depends on its arguments only, and never on their order.
package holdings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/inventory"
)

// HostKey and ClusterKey name a BareMetalHost and a SIPCluster.
type (
	HostKey    struct{ Namespace, Name string }
	ClusterKey struct{ Namespace, Name string }
)

func (k HostKey) String() string    { return k.Namespace + "/" + k.Name }
func (k ClusterKey) String() string { return k.Namespace + "/" + k.Name }

// Valid: it can be the name of a cluster. Labels from files can hold anything.
func (k ClusterKey) Valid() bool {
	return len(validation.IsDNS1123Label(k.Namespace)) == 0 && len(validation.IsDNS1123Label(k.Name)) == 0
}

// Quoted is the name for a message: in quotes, with escapes, where it is not valid.
func (k ClusterKey) Quoted() string {
	if !k.Valid() {
		return strconv.Quote(k.String())
	}
	return k.String()
}

// Claim is one host in the tree: a decision that may not have been synced yet.
type Claim struct {
	Host    HostKey
	UID     string
	Cluster ClusterKey
	Role    string
	Domain  string
	Standby bool
	// Pending: it is to be released once it is let go, or its release approved.
	Pending bool
	// Releasing: the tree keeps the host's object without sipgen's labels, so that the engine removes them.
	Releasing bool
	// Use is what used the host when its release was approved, as Use gives it. Empty: no release was approved.
	Use string
	// Addresses are those that the host had when it was handed out, by network id.
	Addresses map[string][]netip.Addr
	// Source is the file that has the claim, for messages.
	Source string
}

// Input is what the answer depends on.
type Input struct {
	Hosts []inventory.Host
	Tree  []Claim
	// Specs are the clusters that have a spec, the frozen ones among them, and Known those that the tree has without hosts; those of Tree are known, too.
	Specs, Known map[ClusterKey]bool
	// Release are hosts that the Site asks to release from clusters that are in neither the specs nor the tree, and the clusters that their
	// labels name.
	Release map[HostKey]ClusterKey
	// Approved says whether a cluster approves the release of a host that it has, nil: none does.
	Approved func(ClusterKey, *inventory.Host) bool
	Keys     LabelKeys
	// Stale: the hosts were read before the tree was committed. One that leaves may have had no labels yet when it was read.
	Stale bool
}

// State is what a host is.
type State string

// The states.
const (
	// Held by a cluster, in a role and a slot.
	Held State = "held"
	// Leaving a cluster: its release is committed, and it was not yet seen without labels and unused.
	Leaving State = "leaving"
	// LeftAlone: it has labels of sipgen's, and is neither held nor leaving.
	LeftAlone State = "left alone"
	// Free: eligible where Why is empty, else not for that one reason.
	Free State = "free"
)

// Line is what decides whose a host is.
type Line string

// The lines.
const (
	ByUse    Line = "use"    // it is in use, under labels that name the cluster
	ByTree   Line = "tree"   // the tree has it
	BySite   Line = "site"   // the Site asks to release it from the cluster that its labels name
	ByLabels Line = "labels" // nothing is in the tree, and its labels name a cluster of the specs
)

// Holding is the answer for one host.
type Holding struct {
	Host  *inventory.Host
	State State
	// Cluster, Role and Standby are of a host that is held or leaving, By what says so.
	Cluster ClusterKey
	Role    string
	Standby bool
	By      Line
	// Labels is what the host's labels claim.
	Labels Labels
	// Claim is what the tree has of this very host, nil for nothing. It may be another cluster's.
	Claim *Claim
	// Restored: the object is a new one, and its labels show that the host is the one that the tree has.
	Restored bool
	// Why a host is left alone, is leaving, or is not eligible.
	Why Why
}

// Holdings is the answer for all hosts, by namespace and name.
type Holdings struct {
	Hosts []Holding
	// Tree is what the tree has, by host, whatever became of the hosts.
	Tree []*Claim
	// Gone are the claims of hosts that the inventory does not have, and Recreated those of hosts that are new ones of the same name.
	Gone, Recreated []Claim
}

// Of says whose each host is. The error joins what nobody can answer: a host that stands twice, in the inventory or in the tree.
func Of(in Input) (*Holdings, error) {
	out := &Holdings{Hosts: make([]Holding, len(in.Hosts))}
	for i := range in.Hosts {
		h := &in.Hosts[i]
		out.Hosts[i] = Holding{Host: h, Labels: LabelsOf(h, in.Keys)}
	}
	byName := func(a, b Holding) int { return compare(keyOf(a.Host), keyOf(b.Host)) }
	if !slices.IsSortedFunc(out.Hosts, byName) {
		slices.SortFunc(out.Hosts, byName)
	}
	var problems []error
	for i := 1; i < len(out.Hosts); i++ {
		if a, b := out.Hosts[i-1].Host, out.Hosts[i].Host; keyOf(a) == keyOf(b) {
			where := []string{a.Source, b.Source}
			slices.Sort(where)
			problems = append(problems, fmt.Errorf("host %s: is in the inventory twice: %s and %s", a.Key(), where[0], where[1]))
		}
	}
	problems = append(problems, out.match(in.Tree)...)
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	// A cluster that has a host in the tree is in the tree.
	known := maps.Clone(in.Known)
	if known == nil {
		known = map[ClusterKey]bool{}
	}
	for i := range in.Tree {
		known[in.Tree[i].Cluster] = true
	}
	in.Known = known
	for i := range out.Hosts {
		out.Hosts[i].decide(&in)
	}
	return out, nil
}

func keyOf(h *inventory.Host) HostKey { return HostKey{h.Namespace, h.Name} }

func compare(a, b HostKey) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// Find is the answer for one host, nil if the inventory does not have it.
func (hs *Holdings) Find(key HostKey) *Holding {
	at, found := slices.BinarySearchFunc(hs.Hosts, key, func(h Holding, key HostKey) int { return compare(keyOf(h.Host), key) })
	if !found {
		return nil
	}
	return &hs.Hosts[at]
}

// match gives each host the claim that the tree has of it.
func (hs *Holdings) match(tree []Claim) (problems []error) {
	order := make([]*Claim, len(tree))
	for i := range tree {
		order[i] = &tree[i]
	}
	byHost := func(a, b *Claim) int {
		return cmp.Or(compare(a.Host, b.Host), compare(HostKey(a.Cluster), HostKey(b.Cluster)), strings.Compare(a.Source, b.Source), strings.Compare(a.Role, b.Role))
	}
	if !slices.IsSortedFunc(order, byHost) {
		slices.SortFunc(order, byHost)
	}
	hs.Tree = order
	for i, claim := range order {
		if i > 0 && order[i-1].Host == claim.Host {
			problems = append(problems, fmt.Errorf("host %s: claimed twice in the previous tree: by %s %s in %s and by %s %s in %s",
				claim.Host, order[i-1].Cluster, order[i-1].Role, order[i-1].Source, claim.Cluster, claim.Role, claim.Source))
			continue
		}
		h := hs.Find(claim.Host)
		switch {
		case h == nil:
			hs.Gone = append(hs.Gone, *claim)
		case claim.UID == "" || h.Host.UID == "" || claim.UID == h.Host.UID || h.Host.Unsure():
			h.Claim = claim
		//guard: a host that a backup restored, under another uid, is taken from who uses it
		case h.Labels.Complete && h.Labels.Cluster == claim.Cluster:
			h.Claim, h.Restored = claim, true
		default:
			hs.Recreated = append(hs.Recreated, *claim)
		}
	}
	return problems
}

// decide says whose a host is, by the first rule that holds.
func (h *Holding) decide(in *Input) {
	used := h.Host.State.InUse() && !h.Host.Unsure()
	switch {
	//guard: a host that cannot be patched has the labels that its patch in the tree gives it, whatever is seen
	case h.Claim != nil && h.Host.Untouchable():
		h.byTree(in)
	//guard: a server that runs for one cluster becomes another's because a tree says so
	case used && h.Labels.Complete:
		h.byUse(in)
	case h.Claim != nil:
		h.byTree(in)
	case h.Labels.Complete && in.Specs[h.Labels.Cluster]:
		h.hold(h.Labels.Cluster, h.Labels.Role, h.Labels.Standby, ByLabels)
	case h.Labels.Any:
		h.leaveAlone(in)
	default:
		h.State, h.Why = Free, ineligible(h.Host)
	}
}

// byUse is for a host in use whose labels are complete.
func (h *Holding) byUse(in *Input) {
	l, t := &h.Labels, h.Claim
	same := t != nil && t.Cluster == l.Cluster
	switch {
	case !in.Specs[l.Cluster] && !in.Known[l.Cluster]:
		h.leaveAlone(in)
	//guard: an approval is good for the next use of the host, and for a host that nobody approved
	case same && t.Releasing && t.Approved(h.Host) && in.Approved != nil && in.Approved(t.Cluster, h.Host):
		h.byTree(in)
	case same && !t.Releasing && t.Role == l.Role:
		h.hold(t.Cluster, t.Role, t.Standby, ByUse)
	default:
		h.hold(l.Cluster, l.Role, l.Standby, ByUse)
	}
}

// byTree is for a host of which the tree decides. One that leaves is free when it is seen without labels and unused.
func (h *Holding) byTree(in *Input) {
	t := h.Claim
	h.hold(t.Cluster, t.Role, t.Standby, ByTree)
	if !t.Releasing {
		return
	}
	h.State, h.Why = Leaving, Why{Code: Released}
	h.Standby = h.Labels.Standby // the tree says no more of its slot
	if t.Use != "" {
		h.Why = Why{Code: ReleaseApproved, Detail: t.Use}
	}
	//guard: a host whose labels are still on it, or may be, is handed to another cluster
	if !h.Labels.Any && !h.Host.State.InUse() && !in.Stale && !h.mayBeLabelled() {
		*h = Holding{Host: h.Host, State: Free, Labels: h.Labels, Claim: t, Why: ineligible(h.Host)}
	}
}

// mayBeLabelled says whether labels that are not seen may be on the host all the same.
func (h *Holding) mayBeLabelled() bool {
	return h.Host.Unsure() || slices.ContainsFunc(h.Host.Faults, func(f inventory.Fault) bool { return f.Kind == inventory.FaultLabel })
}

// hold gives the host to a role, unless it can be none.
func (h *Holding) hold(cluster ClusterKey, role string, standby bool, by Line) {
	if !cluster.Valid() {
		h.State, h.Why = LeftAlone, Why{Code: UnknownCluster, Detail: cluster.Quoted()}
		return
	}
	if role == "" || len(validation.IsValidLabelValue(role)) > 0 {
		h.State, h.Why = LeftAlone, Why{Code: InvalidRole, Detail: strconv.Quote(role)}
		return
	}
	h.State, h.Cluster, h.Role, h.Standby, h.By = Held, cluster, role, standby, by
}

// leaveAlone is for a host with labels that is neither held nor leaving. The Site may ask to release it.
func (h *Holding) leaveAlone(in *Input) {
	l := &h.Labels
	switch {
	case !l.Complete:
		h.State, h.Why = LeftAlone, Why{IncompleteLabels, strings.Join(in.Keys.All(), ", ")}
	//guard: a host of another site is released because its labels are not known here
	case h.Claim == nil && in.Release[keyOf(h.Host)] == l.Cluster:
		h.hold(l.Cluster, l.Role, l.Standby, BySite)
	default:
		h.State, h.Why = LeftAlone, Why{Code: UnknownCluster, Detail: l.Cluster.Quoted()}
	}
}
