package lives

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// slot is a place in a cluster, as labels or the tree name it. The zero value is none; one without a role is a part of
// the labels.
type slot struct {
	cluster, role string
	standby       bool
}

func (s slot) complete() bool { return s.cluster != "" && s.role != "" }

// host is a server and its BareMetalHost.
type host struct {
	name, kind, rack, vendor string
	annex                    bool // it lies in a namespace of its own, which can leave the Site
	here                     bool // its object exists, and its namespace is the Site's
	uid                      int
	label                    slot
	use                      string // the machine that consumes it, or cleaning; empty for nothing
	machine                  string // of the object before: it finds its host by the name
	unhealthy, inError       bool
	retired, cordoned        bool // by an operator
	reuse                    bool // Cluster API keeps it for the next machine of its deployment
}

// cleaning is the use of a host whose machine has gone, and whose disks are being wiped.
const cleaning = "cleaning"

func (h *host) failed() bool { return h.unhealthy || h.inError || h.retired }

// token binds an approval to the host and to its use.
func (h *host) token() string { return fmt.Sprintf("%d/%s", h.uid, h.use) }

// wants is what a role asks for.
type wants struct {
	active, standby int
	kind, vendor    string // of hosts, empty for any
	perRack         int    // hosts in a rack at most, 0 for any number
}

// spec is a SIPCluster among the inputs.
type spec struct {
	here            bool
	roles           map[string]wants
	priority        int
	remove, approve []string // hosts that its annotations name
	deleted         bool     // it leaves by name
	fault           bool     // it is wrong
	acceptLoss      int      // the number that its annotation accepts
	acceptText      string   // the text of that annotation, which accepts one loss
}

func (s *spec) clone() *spec {
	out := *s
	out.roles, out.remove, out.approve = maps.Clone(s.roles), slices.Clone(s.remove), slices.Clone(s.approve)
	return &out
}

// entry is a host in the tree: the patch in the overlay of its cluster.
type entry struct {
	slot
	uid     int
	leaving bool   // the patch has no labels
	pending bool   // it is to leave, and waits for its user
	token   string // the use whose end is approved, empty for none
}

// tree is a commit: its entries by host, of which there is to be one, and what the program reads again.
type tree struct {
	hosts  map[string][]entry
	memory any
	empty  map[string]int // slots of hosts that are gone, by cluster
	// approvals are those that a run has read, by cluster and host: the use that each is for, void for none.
	approvals map[[2]string]string
	// accepted are the texts of acceptances that a loss has used up, by cluster.
	accepted map[string]string
}

// of is the entry of a host, and whether there is one.
func (t *tree) of(name string) (entry, bool) {
	if t == nil || len(t.hosts[name]) == 0 {
		return entry{}, false
	}
	return t.hosts[name][0], true
}

// all are the entries by host.
func (t *tree) all() map[string][]entry {
	if t == nil {
		return nil
	}
	return t.hosts
}

func (t *tree) String() string {
	var words []string
	if t != nil {
		for _, name := range slices.Sorted(maps.Keys(t.hosts)) {
			words = append(words, fmt.Sprintf("%s:%+v", name, t.hosts[name]))
		}
		words = append(words, fmt.Sprint(t.empty, t.accepted))
	}
	return strings.Join(words, " ")
}

// clusters are those that have a host in the tree.
func (t *tree) clusters() map[string]bool {
	out := map[string]bool{}
	if t != nil {
		for _, entries := range t.hosts {
			for _, e := range entries {
				out[e.cluster] = true
			}
		}
	}
	return out
}

// reserve is an entry of the reservations: hosts of a kind.
type reserve struct {
	kind string
	// first: they are for cluster a alone, which is its tenant's only one; else for replacements.
	first bool
	count int // 0 for all of them
}

func (r reserve) String() string {
	switch {
	case !r.first:
		return "spares"
	case r.count == 0:
		return "hosts of one cluster"
	}
	return "a minimum"
}

// site is what a run reads, in an order that must not matter.
type site struct {
	names []string // of clusters
	specs map[string]*spec
	hosts []host
	old   bool // the hosts were read before the tree was committed
	left  bool // the annex is none of the Site's namespaces
	most  int  // how many hosts one run may take without being told so
	limit int  // how many hosts the clusters may have together, 0 for any
	// reserved are the reservations, in their order.
	reserved []reserve
}

// loss is what the brake counts of a run: how many hosts it takes from clusters, those apart that specs accept, and the
// numbers that the specs of frozen clusters are to accept.
type loss struct {
	total int
	asks  map[string]int
	// outside are hosts in a namespace that left the Site: the run is accepted with them, or refused.
	outside int
}

// program is what decides: the next tree, and what it takes from clusters.
type program func(now site, before *tree) (after *tree, lost loss, err error)

// life is a site over time: specs, hosts, and each commit of the branch, of which the engine has applied some.
type life struct {
	*rand.Rand
	program  program
	specs    map[string]*spec
	names    []string // of clusters
	hosts    []host
	limit    int // how many hosts the clusters may have together, 0 for any
	reserved []reserve
	swings   bool // roles go to nothing and back, and some hosts lie in the annex
	left     bool // the annex has left the Site
	wild     bool // people label hosts by hand, and CI plans with old readings
	branch   []*tree
	synced   map[string]int // by cluster: the newest commit that was applied
	proposal *tree          // a commit that waits to be merged into the branch as it was
	proposed int            // the length of the branch then
	snapshot []host         // hosts that were read earlier
	readAt   int            // the length of the branch then
	machines int
	texts    int // of acceptances
	story    []string
	seen     map[string]int
}

// allowed is how many hosts one run may take without being told so.
const allowed = 2

// newLife begins without a tree. Every third life has one role a cluster and hosts of one kind; in every fourth hosts
// are labeled by hand, in every seventh the clusters may have three hosts together, and three of five have
// reservations: hosts for cluster a alone, spares, and a minimum for cluster a before or after a spare. In every fourth
// some roles want one vendor; in every fourth some hosts lie in a namespace of their own, and roles go to nothing and
// back. A third of the roles have one host a rack; in every second life the others have two.
func newLife(seed uint64, decides program) *life {
	l := &life{
		Rand: rand.New(rand.NewPCG(seed, 31)), program: decides,
		specs: map[string]*spec{}, synced: map[string]int{}, seen: map[string]int{},
	}
	simple := seed%3 == 0
	l.wild, l.swings = seed%4 == 1, seed%4 == 0
	if seed%7 == 5 {
		l.limit = 3
	}
	switch spare := (reserve{"a", false, 1 + int(seed%2)}); seed % 5 {
	case 1:
		l.reserved = []reserve{{"b", true, 0}}
	case 3:
		l.reserved = []reserve{spare}
	case 4:
		l.reserved = []reserve{{"a", true, 2}, spare}
		if seed%2 == 0 {
			slices.Reverse(l.reserved)
		}
	}
	for i := range 4 + l.IntN(7) {
		h := host{name: fmt.Sprintf("h%02d", i), here: true, uid: 1, kind: "a", rack: fmt.Sprintf("r%d", l.IntN(4)),
			vendor: []string{"HPE", "Dell Inc.", ""}[i%3], annex: l.swings && i%4 == 3}
		if !simple && l.IntN(3) == 0 {
			h.kind = "b"
		}
		l.hosts = append(l.hosts, h)
	}
	perRack := func() int {
		if l.IntN(3) == 0 {
			return 1
		}
		return 2 * int(seed%2)
	}
	for i := range 2 + l.IntN(2) {
		s := &spec{here: true, roles: map[string]wants{"Worker": {active: 1}}}
		if !simple {
			s.roles["Worker"] = wants{active: 1 + l.IntN(2), perRack: perRack()}
			s.roles["ControlPlane"] = wants{active: 1, kind: []string{"", "a", "b"}[l.IntN(3)], perRack: perRack(),
				vendor: map[bool]string{true: "HPE"}[seed%4 == 2]}
		}
		name := string(rune('a' + i))
		l.names, l.specs[name] = append(l.names, name), s
	}
	return l
}

func (l *life) tip() *tree {
	if len(l.branch) == 0 {
		return nil
	}
	return l.branch[len(l.branch)-1]
}

// clone is a life that can go on by itself.
func (l *life) clone() *life {
	out := *l
	out.hosts, out.branch, out.story = slices.Clone(l.hosts), slices.Clone(l.branch), slices.Clone(l.story)
	out.synced = maps.Clone(l.synced)
	out.specs = map[string]*spec{}
	for name, s := range l.specs {
		out.specs[name] = s.clone()
	}
	return &out
}

// denied is why the guards refuse an entry's patch, empty if they do not: the host is another one, or a host in use
// would lose its cluster.
func (e *entry) denied(h *host) string {
	switch {
	case !h.here:
		return "the host is not there"
	case h.uid != e.uid:
		return "the host is another one"
	case h.use != "" && h.label.cluster != "" && (e.leaving || e.cluster != h.label.cluster ||
		h.label.role != "" && e.role != h.label.role) && e.token != h.token():
		return "the host is in use"
	}
	return ""
}

// sync has the engine apply the overlay of a cluster at a commit. One patch that is refused stops the whole overlay.
func (l *life) sync(cluster string, commit int) {
	l.synced[cluster] = commit
	t := l.branch[commit]
	for i := range l.hosts {
		for _, e := range t.hosts[l.hosts[i].name] {
			if e.cluster == cluster && e.denied(&l.hosts[i]) != "" {
				l.seen["denied"]++
				return
			}
		}
	}
	for i := range l.hosts {
		for _, e := range t.hosts[l.hosts[i].name] {
			if e.cluster != cluster {
				continue
			}
			if l.hosts[i].label = e.slot; e.leaving {
				l.hosts[i].label = slot{}
			}
		}
	}
}

func (l *life) syncAll() {
	for _, name := range l.names {
		if len(l.branch) > 0 {
			l.sync(name, len(l.branch)-1)
		}
	}
}
