// Package holdings finds the owner of each host: held by a cluster, leaving one, left alone, or free. It alone weighs
// the labels of hosts against the tree. It is pure: the answer depends only on its arguments, and never on their
// order.
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

// KeyOf returns the key of a host.
func KeyOf(h *inventory.Host) HostKey { return HostKey{h.Namespace, h.Name} }

// HostNamed returns the key of the host "namespace/name".
func HostNamed(name string) HostKey { return HostKey(ClusterNamed(name)) }

// ClusterNamed returns the key of the cluster "namespace/name".
func ClusterNamed(name string) ClusterKey {
	namespace, short, _ := strings.Cut(name, "/")
	return ClusterKey{namespace, short}
}

func (k HostKey) String() string    { return k.Namespace + "/" + k.Name }
func (k ClusterKey) String() string { return k.Namespace + "/" + k.Name }

// Valid reports whether the key can name a cluster. Labels from files can hold anything.
func (k ClusterKey) Valid() bool {
	return len(validation.IsDNS1123Label(k.Namespace)) == 0 && len(validation.IsDNS1123Label(k.Name)) == 0
}

// Quoted returns the name for a message, in quotes with escapes if it is not valid.
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
	// Pending: to be released once its user is gone or the release is approved.
	Pending bool
	// Replaced: another host got the slot of a pending one.
	Replaced bool
	// Releasing: the tree keeps the host's object without sipgen's labels, so that the engine removes them.
	Releasing bool
	// Use is what used the host when its release was approved, in the form of Use. It is empty if none was approved.
	Use string
	// Approval is the use that the cluster's approval covers, as Holding.Approval noted it. It is empty without an
	// approval.
	Approval string
	// Addresses are the host's addresses at its assignment, by network id.
	Addresses map[string][]netip.Addr
	// Source is the file with the claim, for messages.
	Source string
}

// Input is the input of Of.
type Input struct {
	Hosts []inventory.Host
	Tree  []Claim
	// Specs are the clusters with a spec, including frozen ones. Known are the clusters without hosts in the tree;
	// those of Tree are known as well.
	Specs, Known map[ClusterKey]bool
	// Release maps the hosts that the Site asks to release to the cluster that their labels name, which is in neither
	// the specs nor the tree.
	Release map[HostKey]ClusterKey
	// Approved reports whether the spec of a cluster names a host in its approvals. nil approves none.
	Approved func(ClusterKey, *inventory.Host) bool
	Keys     LabelKeys
}

// State is the state of a host.
type State string

// The states.
const (
	// Held by a cluster, in a role and a slot.
	Held State = "held"
	// Leaving a cluster: its release is committed, and it was not yet seen without labels and unused.
	Leaving State = "leaving"
	// LeftAlone: it has sipgen's labels, and is neither held nor leaving.
	LeftAlone State = "left alone"
	// Free: eligible if Why is empty, else not, for that one reason.
	Free State = "free"
)

// Line is the rule that decides the owner of a host.
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
	// Cluster, Role and Standby are set for a host that is held or leaving. By is the deciding rule.
	Cluster ClusterKey
	Role    string
	Standby bool
	By      Line
	// Rival is the cluster that the labels of a host in use name, if the tree has the host for another one: both want
	// it, and Cluster keeps it.
	Rival ClusterKey
	// Relabeled: the labels of a host in use were removed or changed. Cluster and Role are those of the tree.
	Relabeled bool
	// Approval is the use that the approval of Cluster covers: the uid and the use of the host in the first run that
	// read the approval, or VoidApproval. It is empty without an approval.
	Approval string
	// Labels is the claim of the host's labels.
	Labels Labels
	// Claim is the tree's claim of this very host, nil for none. It may be another cluster's.
	Claim *Claim
	// Restored: the object has a new uid, and its labels prove that it is the host of the tree.
	Restored bool
	// Recreated: the object has a new uid, and nothing proves that it is the host of the tree. It leaves the cluster of
	// the tree, and Claim is that release: Cluster API finds the host of a machine by its name, so the machine of the
	// old host may start on this one.
	Recreated bool
	// Why is why a host is left alone, is leaving, or is not eligible.
	Why Why
}

// Holdings is the answer for all hosts, by namespace and name.
type Holdings struct {
	Hosts []Holding
	// Tree are the tree's claims by host, including those of hosts that are gone.
	Tree []*Claim
	// Gone are the claims of hosts that are not in the inventory, and Recreated those of hosts that have another uid,
	// as the tree has them.
	Gone, Recreated []Claim
	// clusters are those of the specs and of the tree.
	clusters map[ClusterKey]bool
}

// Of finds the owner of each host. The error joins the contradictions: hosts that are given twice, in the inventory
// or in the tree.
func Of(in Input) (*Holdings, error) {
	out := &Holdings{Hosts: make([]Holding, len(in.Hosts))}
	for i := range in.Hosts {
		h := &in.Hosts[i]
		out.Hosts[i] = Holding{Host: h, Labels: LabelsOf(h, in.Keys)}
	}
	byName := func(a, b Holding) int { return compare(KeyOf(a.Host), KeyOf(b.Host)) }
	if !slices.IsSortedFunc(out.Hosts, byName) {
		slices.SortFunc(out.Hosts, byName)
	}
	var problems []error
	for i := 1; i < len(out.Hosts); i++ {
		if a, b := out.Hosts[i-1].Host, out.Hosts[i].Host; KeyOf(a) == KeyOf(b) {
			where := []string{a.Source.String(), b.Source.String()}
			slices.Sort(where)
			problems = append(problems, fmt.Errorf("host %s: is in the inventory twice: %s and %s", a.Key(), where[0],
				where[1]))
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
	out.clusters = maps.Clone(known)
	maps.Copy(out.clusters, in.Specs)
	for i := range out.Hosts {
		out.Hosts[i].decide(&in)
	}
	return out, nil
}

func compare(a, b HostKey) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// Find returns the answer for one host, nil if it is not in the inventory.
func (hs *Holdings) Find(key HostKey) *Holding {
	at, found := slices.BinarySearchFunc(hs.Hosts, key,
		func(h Holding, key HostKey) int { return compare(KeyOf(h.Host), key) })
	if !found {
		return nil
	}
	return &hs.Hosts[at]
}

// match returns each host its claim of the tree.
func (hs *Holdings) match(tree []Claim) (problems []error) {
	order := make([]*Claim, len(tree))
	for i := range tree {
		order[i] = &tree[i]
	}
	byHost := func(a, b *Claim) int {
		return cmp.Or(compare(a.Host, b.Host), compare(HostKey(a.Cluster), HostKey(b.Cluster)),
			strings.Compare(a.Source, b.Source), strings.Compare(a.Role, b.Role))
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
		case h.Labels.Complete && h.Labels.Cluster == claim.Cluster, h.Labels.Any && h.Host.State.InUse():
			h.Claim, h.Restored = claim, true
		default:
			hs.Recreated = append(hs.Recreated, *claim)
			h.Recreated = true
			h.Claim = &Claim{Host: claim.Host, UID: h.Host.UID, Cluster: claim.Cluster, Role: claim.Role,
				Standby: claim.Standby, Releasing: true, Approval: claim.Approval, Source: claim.Source}
		}
	}
	return problems
}

// decide finds the owner of a host by the first rule that holds.
func (h *Holding) decide(in *Input) {
	l := &h.Labels
	used := h.Host.State.InUse() && !h.Host.Unsure() && !(h.Claim != nil && h.Host.Untouchable())
	switch {
	case used && l.Complete && (in.Specs[l.Cluster] || in.Known[l.Cluster]):
		h.byUse(in)
	case h.Claim != nil:
		h.byTree()
		// A release empties the labels that another manager owns before they go: no person changed these. Labels of
		// this very claim are complete, and byUse has the host.
		h.Relabeled = used && (h.State == Held || l.named())
	case l.Any && h.Host.Old():
		h.State, h.Why = LeftAlone, Why{Code: OldLabels}
	case l.Complete && in.Specs[l.Cluster]:
		h.hold(l.Cluster, l.Role, l.Standby, ByLabels)
	case l.Any:
		h.leaveAlone(in)
	default:
		h.State, h.Why = Free, ineligible(h.Host)
	}
	if why, is := ofOldSIP(h.Host, in.Keys); is && (h.State == Free || h.Why.Code == IncompleteLabels) {
		h.State, h.Why = LeftAlone, why
	}
	h.Approval = h.approval(in)
}

// byUse decides for a host in use whose labels name a cluster of the specs or of the tree.
func (h *Holding) byUse(in *Input) {
	l, t := &h.Labels, h.Claim
	switch {
	case t == nil:
		h.hold(l.Cluster, l.Role, l.Standby, ByUse)
	case t.Cluster == l.Cluster && !t.Releasing:
		h.hold(t.Cluster, t.Role, t.Standby, ByUse)
		h.Relabeled = t.Role != l.Role
	case t.Cluster == l.Cluster && t.Approved(h.Host) && covers(h.approvalOf(in, t.Cluster), h.Host):
		h.byTree()
	case t.Releasing:
		h.hold(l.Cluster, l.Role, l.Standby, ByUse)
	case covers(h.approvalOf(in, t.Cluster), h.Host):
		h.hold(l.Cluster, l.Role, l.Standby, ByUse)
	default:
		h.byTree()
		h.Rival = l.Cluster
	}
}

// byTree decides for a host that the tree claims. A leaving host is free when it is seen without labels and unused,
// unless Cluster API keeps it for a machine. A recreated host is free in a later run: in the first one its old machine
// may be about to take it.
func (h *Holding) byTree() {
	t := h.Claim
	h.hold(t.Cluster, t.Role, t.Standby, ByTree)
	if !t.Releasing {
		return
	}
	h.State, h.Why = Leaving, Why{Code: Released}
	clean := !h.Labels.Any && !h.Host.State.InUse() && !h.mayBeLabelled()
	switch {
	case h.Recreated:
		h.Why = Why{Code: Recreated}
		return
	case clean && h.Host.State.NodeReuse != "":
		h.Why = Why{Code: KeptForReuse, Detail: h.Host.State.NodeReuse}
	case t.Use != "":
		h.Why = Why{Code: ReleaseApproved, Detail: t.Use}
	}
	h.Standby = h.Labels.Standby // the tree has no newer slot
	if clean && h.Host.State.NodeReuse == "" {
		*h = Holding{Host: h.Host, State: Free, Labels: h.Labels, Claim: t, Why: ineligible(h.Host)}
	}
}

// mayBeLabelled reports whether the host may carry labels that were not read.
func (h *Holding) mayBeLabelled() bool {
	return h.Host.Unsure() || slices.ContainsFunc(h.Host.Faults,
		func(f inventory.Fault) bool { return f.Kind == inventory.FaultLabel })
}

// hold gives the host to a role, unless the role is invalid.
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

// leaveAlone decides for a host with labels that is neither held nor leaving. The Site may ask to release it.
func (h *Holding) leaveAlone(in *Input) {
	l := &h.Labels
	switch {
	case !l.Complete:
		h.State, h.Why = LeftAlone, Why{IncompleteLabels, strings.Join(in.Keys.All(), ", ")}
	case h.Claim == nil && in.Release[KeyOf(h.Host)] == l.Cluster:
		h.hold(l.Cluster, l.Role, l.Standby, BySite)
	default:
		h.State, h.Why = LeftAlone, Why{Code: UnknownCluster, Detail: l.Cluster.Quoted()}
	}
}
