package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule/solve"
)

// planner is the sorted and indexed input, with the findings of the steps of Plan.
type planner struct {
	options  Options
	holdings *holdings.Holdings
	hosts    []candidate // by namespace and name
	clusters []*cluster
	byKey    map[ClusterKey]*cluster
	roles    []*role // in the order served
	topology []*topology
	columns  map[string][]string             // values of labels by host, made for topology keys
	arounds  map[[2]string]map[string]string // what around found, by wide and narrow key
	// crossings are the hosts of narrow domains in several wide ones, by wide and narrow key.
	crossings map[[2]string][]int32
	names     map[string][]int32 // hosts by name and by namespace/name, filled for annotations that name some
	kinds     []int32            // by kind: its first host
	index     *v1.HostIndex      // of the kinds
	// selections holds for each selector which kinds it matches.
	selections map[string]*solve.Set
	lots       [][]lot        // by kind
	anyNames   map[int32]bool // hosts that an annotation of any cluster names
	guesses    int            // suggestions for selectors without a match

	pace  pace
	moved []readdressed // addresses of held hosts, by host and network

	shapes    []*shape
	classes   []class
	classesOf [][]int32         // by kind
	rooms     map[roomKey]*room // of shapes that several roles have

	shortages []Shortage
	kept      []Reserve
	foreign   map[ClusterKey][]HostKey     // hosts that are left alone, by the cluster that their labels name
	lost      map[RoleKey][]*PreviousClaim // hosts of the tree that are gone from the inventory
	empty     map[RoleKey]int              // slots of hosts that were gone before, as the tree notes them
	running   map[ClusterKey]bool          // the clusters that have slots in the tree, or hosts
	warnings  []Warning
	problems  []error
}

// candidate is one host of the inventory.
type candidate struct {
	*inventory.Host
	read *inventory.Host // as read; a held host keeps the addresses that it had
	// reject is why no cluster may take the host, nil for a free host.
	reject Reason
	// role that claims the host, nil if none.
	role    *role
	origin  Origin
	standby bool
	// releasing: the previous tree keeps the host's object without labels.
	releasing bool
	// holding is the owner of the host.
	holding *holdings.Holding
	// adopted: the host is claimed by its labels, and not in the previous tree.
	adopted bool
	// wasPending: its release was pending in the previous tree.
	wasPending bool
	// wasReplaced: so it was, because another host had got its slot.
	wasReplaced bool
	// domain is that of the previous tree, for hosts of frozen clusters.
	domain string
	tree   *PreviousClaim // the claim that counts; nil if the tree has none
	class  int32          // -1 if no role can use the host
	kind   int32          // hosts with equal labels, as far as selectors use them
}

// cluster is one SIPCluster, or a cluster whose spec is gone.
type cluster struct {
	key   ClusterKey
	spec  *v1.SIPCluster // nil if there is none
	gone  bool
	roles []*role

	approved, marked map[int32]bool // hosts of the cluster that its annotations name
	never            map[int32]bool // hosts that they name and the cluster does not hold
	named            map[int32]bool // hosts that they name, whatever their owner
	unschedulable    bool
	refused          []Refusal
	warnings         []Warning
}

// role is one role of a cluster.
type role struct {
	cluster         *cluster
	name            string
	index           int32 // in the order served
	active, standby int
	keys            []string
	limits          []int // by key: how many hosts may lie in one domain of it
	anyLabels       bool  // hosts that lack one of the keys may have slots
	spread          *v1.Spread
	even            int32 // the topology of the key of spread, -1: none
	pack            string
	packed          int32 // the topology of the key of pack, -1: none
	selector        labels.Selector
	wide            labels.Selector // as the spec has it, nil where selector is that
	shape           *shape
	topo            int32
	tree            *topology // nil without keys

	claimed []int32 // hosts that claim the role, by name
	// What keep decides for the claimed hosts.
	held     []int32          // they fill slots
	standIn  []int32          // failed or marked, they fill slots until a replacement is found
	pending  map[int32]Reason // to be released; the value is what the release waits for
	released []release        // by name
	frozen   []int32          // all claimed hosts of a refused cluster
	why      map[int32]Reason // of failed and marked hosts: their trouble
	fresh    map[int32]bool   // of these: those that lose their slots in this run
	stays    map[int32]Reason // of these: those that keep their slots although a host may be free
	// standbySlot has the held and pending hosts that are in standby slots now.
	standbySlot map[int32]bool
	newActive   int // active slots that new hosts get
	// gone are active slots whose hosts are gone, as the tree notes them or this run saw. refill of newActive are such,
	// and refilled of these got a host.
	gone, refill, refilled int

	// must, replace and spare count the new hosts asked for: for required slots, for stand-ins to be replaced, and
	// for slots that may stay empty.
	must, replaceActive, replaceSpare, spare int
	shortActive, shortStandby                int

	picks []pick

	rejected []ReasonCount
	warnings []Warning
}

// release is a host that loses its labels.
type release struct {
	host   int32
	reason Reason
	since  Origin
}

// pick is a host chosen for the role.
type pick struct {
	host   int32
	reason Reason
}

func (r *role) key() RoleKey { return RoleKey{r.cluster.key, r.name} }

func (r *role) String() string { return r.key().String() }

func (h *candidate) key() HostKey { return HostKey{Namespace: h.Namespace, Name: h.Name} }

func (r *role) want() int { return r.active + r.standby }

// asked returns the selector as the spec has it.
func (r *role) asked() labels.Selector {
	if r.wide != nil {
		return r.wide
	}
	return r.selector
}

func (s *planner) problem(format string, args ...any) {
	s.problems = append(s.problems, fmt.Errorf(format, args...))
}

func (s *planner) warn(w Warning) { s.warnings = append(s.warnings, w) }

func (c *cluster) warn(w Warning) { c.warnings = append(c.warnings, w) }

func (r *role) warn(w Warning) { r.warnings = append(r.warnings, w) }

// err joins the problems in an order that is independent of the input's.
func (s *planner) err() error {
	slices.SortStableFunc(s.problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(s.problems...)
}

// newSite sorts the clusters and the hosts.
func newSite(clusters []v1.SIPCluster, hosts []inventory.Host, options Options) *planner {
	s := &planner{options: options, byKey: map[ClusterKey]*cluster{}, rooms: map[roomKey]*room{},
		selections: map[string]*solve.Set{}, foreign: map[ClusterKey][]HostKey{}, lost: map[RoleKey][]*PreviousClaim{}}
	s.hosts = make([]candidate, len(hosts))
	for i := range hosts {
		s.hosts[i] = candidate{Host: &hosts[i], read: &hosts[i], class: -1}
	}
	byName := func(a, b candidate) int { return compareHosts(a.Host, b.Host) }
	if !slices.IsSortedFunc(s.hosts, byName) {
		slices.SortFunc(s.hosts, byName)
	}
	for i := range clusters {
		spec := &clusters[i]
		key := KeyOf(spec)
		if _, twice := s.byKey[key]; twice {
			s.problem("cluster %s: there are two specs", key)
			continue
		}
		s.addCluster(spec, key)
	}
	return s
}

func compareHosts(a, b *inventory.Host) int {
	if c := strings.Compare(a.Namespace, b.Namespace); c != 0 {
		return c
	}
	return strings.Compare(a.Name, b.Name)
}

// find returns the index of a host, -1 if it is not in the inventory.
func (s *planner) find(key HostKey) int32 {
	i, found := slices.BinarySearchFunc(s.hosts, key, func(h candidate, key HostKey) int {
		if c := strings.Compare(h.Namespace, key.Namespace); c != 0 {
			return c
		}
		return strings.Compare(h.Name, key.Name)
	})
	if !found {
		return -1
	}
	return int32(i)
}
