package schedule

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/inventory"
)

// site is the input, sorted and indexed, and what the steps of Plan find out about it.
type site struct {
	options  Options
	holdings *holdings.Holdings
	hosts    []host // by namespace and name
	clusters []*cluster
	byKey    map[ClusterKey]*cluster
	roles    []*role // in the order served
	topology []*topology
	columns  map[string][]string             // values of labels by host, made for topology keys
	arounds  map[[2]string]map[string]string // what around found, by wide and narrow key
	names    map[string][]int32              // hosts by name and by namespace/name, made for annotations that name some
	kinds    []int32                         // by kind: its first host
	// selections says of each kind whether a selector matches it, by the selector.
	selections map[string][]bool
	lots       []lot
	anyNames   map[int32]bool // hosts that an annotation of any cluster names

	moved []readdressed // addresses of held hosts, by host and network

	shapes  []*shape
	classes []class
	rooms   map[roomKey]*room // of shapes that several roles have

	shortages []Shortage
	foreign   map[ClusterKey][]HostKey     // hosts that are left alone, by the cluster that their labels name
	lost      map[RoleKey][]*PreviousClaim // hosts of the tree that the inventory does not have any more
	warnings  []Warning
	problems  []error
}

// host is one host of the inventory.
type host struct {
	*inventory.Host
	read *inventory.Host // as it was read; a held host keeps the addresses that it had
	// reject is why nobody may take the host, nil for a host that is free to be taken.
	reject Reason
	// role that claims the host, nil if none.
	role    *role
	origin  Origin
	standby bool
	// releasing: the previous tree keeps the host's object without labels.
	releasing bool
	// holding is whose the host is.
	holding *holdings.Holding
	// foreign: its labels name a cluster that is in neither the specs nor the tree.
	foreign bool
	// adopted: the previous tree has no claim of the host, and its labels have.
	adopted bool
	// wasPending: the previous tree says that it is to be released. wasRole is the role that it has the host in, where the labels say another.
	wasPending bool
	wasRole    string
	// domain as the previous tree has it, for hosts of clusters that stay as they are.
	domain string
	tree   *PreviousClaim // the one that is believed; nil if the tree has none
	class  int32          // -1 if no role can use the host
	kind   int32          // hosts with the same labels, as far as selectors look
}

// cluster is one SIPCluster, or the memory of one.
type cluster struct {
	key   ClusterKey
	spec  *v1.SIPCluster // nil if there is none
	gone  bool
	roles []*role

	approved, marked map[int32]bool // hosts of the cluster that its annotations name
	never            map[int32]bool // hosts that they name and the cluster does not have
	named            map[int32]bool // hosts that they name, whoever has them
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
	// What keep decides about the claimed hosts.
	held     []int32          // they fill slots
	standIn  []int32          // failed or marked, they fill slots until a replacement is found
	pending  map[int32]Reason // to be released; the value says what it waits for
	released []release        // by name
	frozen   []int32          // all claimed hosts of a refused cluster
	why      map[int32]Reason // of failed and marked hosts: what is wrong with them
	fresh    map[int32]bool   // of these: those whose slots others get in this run
	// standbySlot says which of the held and pending hosts have standby slots now.
	standbySlot map[int32]bool
	newActive   int // active slots that new hosts get

	// must, replace and spare are the new hosts wanted: slots that have to be filled, stand-ins to
	// be replaced, and slots that may stay empty.
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

func (h *host) key() HostKey { return HostKey{Namespace: h.Namespace, Name: h.Name} }

func (r *role) want() int { return r.active + r.standby }

func (s *site) problem(format string, args ...any) {
	s.problems = append(s.problems, fmt.Errorf(format, args...))
}

func (s *site) warn(w Warning)    { s.warnings = append(s.warnings, w) }
func (c *cluster) warn(w Warning) { c.warnings = append(c.warnings, w) }
func (r *role) warn(w Warning)    { r.warnings = append(r.warnings, w) }

// err joins the problems in an order that does not depend on the input's.
func (s *site) err() error {
	slices.SortStableFunc(s.problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(s.problems...)
}

// newSite sorts the clusters and the hosts.
func newSite(clusters []v1.SIPCluster, hosts []inventory.Host, options Options) *site {
	s := &site{options: options, byKey: map[ClusterKey]*cluster{}, rooms: map[roomKey]*room{}, selections: map[string][]bool{}, foreign: map[ClusterKey][]HostKey{}, lost: map[RoleKey][]*PreviousClaim{}}
	s.hosts = make([]host, len(hosts))
	for i := range hosts {
		s.hosts[i] = host{Host: &hosts[i], read: &hosts[i], class: -1}
	}
	byName := func(a, b host) int { return compareHosts(a.Host, b.Host) }
	if !slices.IsSortedFunc(s.hosts, byName) {
		slices.SortFunc(s.hosts, byName)
	}
	for i := range clusters {
		spec := &clusters[i]
		key := ClusterKey{Namespace: spec.Namespace, Name: spec.Name}
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

func (s *site) addCluster(spec *v1.SIPCluster, key ClusterKey) *cluster {
	c := &cluster{key: key, spec: spec, gone: spec == nil || spec.Leaves()}
	s.byKey[key] = c
	s.clusters = append(s.clusters, c)
	if spec == nil {
		return c
	}
	for name := range spec.Spec.Nodes { // sorted by serve
		if invalidRole(name) || shown(name) != name { // a role's name is printed, and committed
			if len(s.options.Refused[key]) == 0 { // else that is said already
				c.refuse(Contradiction{redact.Sprintf("spec.nodes: found a role %q, want a valid label value that is not a secret", name)})
			}
			continue
		}
		s.addRole(c, name)
	}
	return c
}

// invalidRole says that no role can have a name: it becomes a label's value.
func invalidRole(name string) bool {
	return name == "" || len(validation.IsValidLabelValue(name)) > 0
}

// notShown stands for a topology key that is no label key, which no host can have, for a network that is none, and for keys and networks that are secrets.
// Reasons repeat them, also those of a cluster that is frozen for them.
const notShown = "(not shown)"

func labelKey(key string) string {
	if len(validation.IsQualifiedName(key)) > 0 {
		return notShown
	}
	return shown(key)
}

// shown is a name of the spec's that reasons repeat.
func shown(name string) string {
	if _, secret := redact.Find(name); secret {
		return notShown
	}
	return name
}

// networksOf are the networks on which services reach a role.
func networksOf(spec *v1.SIPCluster, role string) []string {
	networks := spec.Networks(role)
	for i, network := range networks {
		if network != "" && !v1.IsNetworkID(network) {
			networks[i] = notShown
			continue
		}
		networks[i] = shown(network)
	}
	return networks
}

func (s *site) addRole(c *cluster, name string) *role {
	r := &role{cluster: c, name: name, selector: labels.Nothing(), topo: -1, even: -1, packed: -1}
	c.roles = append(c.roles, r)
	if c.spec == nil {
		return r
	}
	set, is := c.spec.Spec.Nodes[name]
	if !is {
		return r
	}
	for _, key := range set.Keys() {
		most := set.PerDomain(key)
		r.keys = append(r.keys, labelKey(key))
		r.limits = append(r.limits, most)
	}
	if c.gone {
		return r
	}
	r.active, r.standby = set.Want()
	r.anyLabels = set.Unlabelled == v1.UnlabelledAllow
	if set.Pack != "" {
		r.pack = labelKey(set.Pack)
	}
	if set.Spread != nil {
		r.spread = &v1.Spread{TopologyKey: labelKey(set.Spread.TopologyKey), MaxSkew: set.Spread.MaxSkew}
	}
	selector, err := set.HostSelector()
	if err != nil {
		if len(s.options.Refused[c.key]) == 0 { // else that is said already
			c.refuse(Contradiction{redact.Sprintf("%s: labelSelector: not a valid selector: %s", name, redact.Quotes(err.Error()))})
		}
		return r
	}
	r.selector = selector
	if wide := s.options.Asked[r.key()]; wide != nil {
		r.wide = wide
	}
	return r
}

// role of a cluster by name, nil if it has none.
func (c *cluster) role(name string) *role {
	for _, r := range c.roles {
		if r.name == name {
			return r
		}
	}
	return nil
}

// priority is that of the spec, 0 if there is none.
func (c *cluster) priority() int32 {
	if c.spec == nil {
		return 0
	}
	return c.spec.Spec.Priority
}

// serve puts clusters and roles into the order in which they are served: priority (highest first),
// namespace, name; ControlPlane, Worker, other roles by name.
func (s *site) serve() {
	slices.SortFunc(s.clusters, func(a, b *cluster) int {
		return cmp.Or(cmp.Compare(b.priority(), a.priority()),
			strings.Compare(a.key.Namespace, b.key.Namespace), strings.Compare(a.key.Name, b.key.Name))
	})
	rank := func(r *role) int {
		switch r.name {
		case v1.RoleControlPlane:
			return 0
		case v1.RoleWorker:
			return 1
		}
		return 2
	}
	for _, c := range s.clusters {
		slices.SortFunc(c.roles, func(a, b *role) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.name, b.name))
		})
		for _, r := range c.roles {
			r.index = int32(len(s.roles))
			s.roles = append(s.roles, r)
		}
	}
}

// find gives the index of a host, -1 if the inventory has none of that name.
func (s *site) find(key HostKey) int32 {
	i, found := slices.BinarySearchFunc(s.hosts, key, func(h host, key HostKey) int {
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
