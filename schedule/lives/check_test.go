package lives

import (
	"fmt"
	"maps"
	"slices"
)

// run is one run of the program, as the checks see it.
type run struct {
	specs         map[string]*spec
	hosts         []host // as they were read
	old           bool   // before the tree was committed
	left          bool   // the annex is none of the Site's namespaces
	limit         int    // how many hosts the clusters may have together, 0 for any
	reserved      []reserve
	asks          map[string]int // the losses that frozen clusters are to accept
	before, after *tree
	accepted      bool // any loss was
	refused       bool // by the brake: nothing is committed
}

// checks are the invariants, by the words of their errors. Each says what is wrong with a run, empty for nothing.
var checks = []struct {
	name  string
	wrong func(*run) string
}{
	{"two clusters have a host", (*run).doubled},
	{"a host in use moves or leaves", (*run).used},
	{"an old reading takes a host away", (*run).stale},
	{"a held host moves, or leaves in one commit", (*run).held},
	{"a host that was made anew is handed out", (*run).anew},
	{"a host is handed out that is not free", (*run).handed},
	{"a cluster whose spec is missing loses a host", (*run).missing},
	{"a faulty cluster gets or loses a host", (*run).frozen},
	{"the brake does not hold", (*run).brake},
	{"a host leaves with its namespace, and nobody accepted it", (*run).outside},
	{"a cluster gets some of its active hosts", (*run).some},
	{"a tenant gets more than it may have", (*run).beyond},
	{"reserved hosts are handed out", (*run).outOfReserve},
	{"clusters are served out of turn", (*run).turns},
	{"a domain has too many hosts", (*run).crowded},
	{"a role is uneven over its racks", (*run).uneven},
}

// check is all that is wrong with a run.
func (r *run) check() error {
	for _, c := range checks {
		if wrong := c.wrong(r); wrong != "" {
			return fmt.Errorf("%s: %s", c.name, wrong)
		}
	}
	return nil
}

// known says whether specs or the tree before have a cluster.
func (r *run) known(cluster string) bool {
	s := r.specs[cluster]
	return s != nil && s.here || r.before.clusters()[cluster]
}

// ownBefore is the entry by which a cluster had a host that is still the same host: by its uid, by its labels, or because
// it is in use under any labels.
func (r *run) ownBefore(h *host) (entry, bool) {
	e, ok := r.before.of(h.name)
	return e, ok && (r.old || e.uid == h.uid || h.label.complete() && e.cluster == h.label.cluster ||
		h.use != "" && h.label.cluster != "")
}

// disputed says whether tree and labels name two clusters for a host in use.
func (r *run) disputed(h *host) bool {
	was, ok := r.ownBefore(h)
	return ok && !r.old && h.here && h.use != "" && !was.leaving && h.label.complete() &&
		h.label.cluster != was.cluster && r.known(h.label.cluster)
}

// gives says whether the cluster of the tree approves that a disputed host goes to the one of its labels.
func (r *run) gives(h *host, was, e entry) bool {
	return r.disputed(h) && e.cluster == h.label.cluster && r.approved(was.cluster, h)
}

// readApprovals notes the approvals that this run reads for the first time, in the tree that it makes: each is for the
// use at that time, if the tree before had the host for its cluster.
func (r *run) readApprovals() {
	r.after.approvals = map[[2]string]string{}
	for i := range r.hosts {
		h := &r.hosts[i]
		for cluster, s := range r.specs {
			key := [2]string{cluster, h.name}
			was, had := r.before.of(h.name)
			note := ""
			if r.before != nil && had && was.cluster == cluster {
				note = r.before.approvals[key]
			}
			switch {
			case !s.here || r.old && had:
			case !slices.Contains(s.approve, h.name):
				note = ""
			case note == "" && had && was.cluster == cluster:
				note = h.token()
			case note == "":
				note = "void"
			}
			if note != "" {
				r.after.approvals[key] = note
			}
		}
	}
}

// approved says whether a cluster approved the end of a host's present use.
func (r *run) approved(cluster string, h *host) bool {
	return h.use != "" && r.after.approvals[[2]string{cluster, h.name}] == h.token()
}

func (r *run) doubled() string {
	for _, name := range slices.Sorted(maps.Keys(r.after.hosts)) {
		if entries := r.after.hosts[name]; len(entries) > 1 {
			return fmt.Sprintf("%s: %+v", name, entries)
		}
	}
	return ""
}

// used: a host in use stays with the cluster that has it in the tree, unless that gives it to the one that its labels
// name; if the tree does not have it, or has it as leaving, with the one that its labels name. It leaves by an approval of
// its use.
func (r *run) used() string {
	for i := range r.hosts {
		h := &r.hosts[i]
		if !h.here || h.use == "" || r.old {
			continue
		}
		was, had := r.ownBefore(h)
		e, ok := r.after.of(h.name)
		owner := was.cluster
		if had = had && !was.leaving; !had {
			if owner = h.label.cluster; !h.label.complete() || !r.known(owner) {
				continue
			}
		}
		switch {
		case had && r.gives(h, was, e) && !e.leaving:
		case !ok || e.cluster != owner:
			return fmt.Sprintf("%+v: %+v, then %+v", *h, was, e)
		case e.leaving && (e.token != h.token() || !r.approved(owner, h)):
			return fmt.Sprintf("%+v: %+v, and nobody approved it", *h, e)
		}
	}
	return ""
}

// stale: of a host that the tree has, hosts that were read before it say nothing. They only add.
func (r *run) stale() string {
	if !r.old {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(r.before.hosts)) {
		was, _ := r.before.of(name)
		if e, ok := r.after.of(name); !ok || e.cluster != was.cluster || e.role != was.role || e.uid != was.uid ||
			e.leaving && !was.leaving {
			return fmt.Sprintf("%s: %+v, then %+v", name, was, e)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.after.hosts)) {
		if was, _ := r.before.of(name); r.after.hosts[name][0].leaving && !was.leaving {
			return fmt.Sprintf("%s: %+v, then %+v", name, was, r.after.hosts[name][0])
		}
	}
	return ""
}

// held: a host stays in its cluster and role, or it is leaving first.
func (r *run) held() string {
	for i := range r.hosts {
		h := &r.hosts[i]
		was, is := r.ownBefore(h)
		if !is || !h.here || was.leaving {
			continue
		}
		if e, ok := r.after.of(h.name); (!ok || e.cluster != was.cluster || e.role != was.role) && !r.gives(h, was, e) {
			return fmt.Sprintf("%+v: %+v, then %+v", *h, was, e)
		}
	}
	return ""
}

// handed: who gets a host that was another's, or nobody's, gets one that was seen without labels, unused and well.
func (r *run) handed() string {
	for i := range r.hosts {
		h := &r.hosts[i]
		e, is := r.after.of(h.name)
		if !is || !h.here || e.leaving {
			continue
		}
		if was, ok := r.before.of(h.name); ok && was.cluster == e.cluster ||
			h.label.complete() && h.label.cluster == e.cluster {
			continue
		}
		w := r.specs[e.cluster].roles[e.role]
		if h.label.cluster != "" || h.use != "" || h.failed() || h.cordoned || h.reuse ||
			w.kind != "" && w.kind != h.kind || w.vendor != "" && w.vendor != h.vendor {
			return fmt.Sprintf("%+v: %+v", *h, e)
		}
	}
	return ""
}

// anew: a host that was made anew stays with its old cluster in this run: it leaves, unless its role takes it back.
func (r *run) anew() string {
	for i := range r.hosts {
		h := &r.hosts[i]
		was, had := r.before.of(h.name)
		if _, same := r.ownBefore(h); r.old || !had || same || !h.here {
			continue
		}
		if e, ok := r.after.of(h.name); !ok || e.cluster != was.cluster || !e.leaving && (h.use != "" || h.failed()) {
			return fmt.Sprintf("%+v: %+v, then %+v", *h, was, e)
		}
	}
	return ""
}

func (r *run) missing() string {
	return r.lossOf(func(cluster string, s *spec) bool { return !s.here && !r.before.left(cluster) })
}

// frozen: hosts of a faulty cluster stay its own, and it gets none.
func (r *run) frozen() string {
	if wrong := r.lossOf(func(_ string, s *spec) bool { return s.here && s.fault && !s.deleted }); wrong != "" {
		return wrong
	}
	for i := range r.hosts {
		h := &r.hosts[i]
		e, is := r.after.of(h.name)
		if s := r.specs[e.cluster]; !is || s == nil || !s.here || !s.fault || s.deleted ||
			h.label.cluster == e.cluster {
			continue
		}
		was, ok := r.before.of(h.name)
		if _, same := r.ownBefore(h); !ok || was.cluster != e.cluster || !same && !e.leaving {
			return fmt.Sprintf("%+v: new: %+v", *h, e)
		}
	}
	return ""
}

// lossOf is a host that a cluster had, and that is leaving or another's now, without its approval.
func (r *run) lossOf(of func(cluster string, s *spec) bool) string {
	for i := range r.hosts {
		h := &r.hosts[i]
		was, is := r.ownBefore(h)
		if !is || !h.here || was.leaving {
			continue
		}
		if s := r.specs[was.cluster]; s == nil || !of(was.cluster, s) {
			continue
		}
		if e, ok := r.after.of(h.name); (!ok || e.cluster != was.cluster || e.leaving) && !r.gives(h, was, e) {
			return fmt.Sprintf("%+v: %+v, then %+v", *h, was, e)
		}
	}
	return ""
}

// brake: what the tree gave to a cluster, and is not its own, is leaving or waits to leave now, is within the limit, or was
// accepted, by the spec or by the run. What goes instead of one that waited is no loss.
func (r *run) brake() string {
	if r.accepted || r.refused || r.before == nil {
		return ""
	}
	byName := map[string]*host{}
	for i := range r.hosts {
		byName[r.hosts[i].name] = &r.hosts[i]
	}
	var lost []string
	instead := 0
	for _, name := range slices.Sorted(maps.Keys(r.before.hosts)) {
		was := r.before.hosts[name][0]
		if s := r.specs[was.cluster]; was.leaving ||
			s != nil && s.acceptLoss > 0 && r.before.accepted[was.cluster] != s.acceptText {
			continue
		}
		e, ok := r.after.of(name)
		switch goes := !byName[name].here && !r.old || !ok || e.cluster != was.cluster || e.leaving || e.pending; {
		case was.pending && !goes:
			instead++
		case byName[name].here && byName[name].failed(): // another host may have its slot: then it is no loss
		case !was.pending && goes:
			lost = append(lost, name)
		}
	}
	if len(lost)-instead > allowed {
		return fmt.Sprintf("%v of %v, then %v", lost, r.before, r.after)
	}
	return ""
}

// outside: a host of the tree in a namespace that left the Site is in the next one, too, unless somebody accepts that it
// goes. The loss of one that waits to leave was counted when that was decided.
func (r *run) outside() string {
	for i := range r.hosts {
		h := &r.hosts[i]
		was, had := r.before.of(h.name)
		if _, has := r.after.of(h.name); r.left && h.annex && had && !was.leaving && !was.pending && !has &&
			!r.accepted && !r.refused {
			return fmt.Sprintf("%+v: %+v", *h, was)
		}
	}
	return ""
}

// some: a cluster that gets a new active host has all of its active hosts then.
func (r *run) some() string {
	gets, short, successors := map[string]string{}, map[string]string{}, map[slot]int{}
	active := map[slot]int{}
	for _, name := range slices.Sorted(maps.Keys(r.after.hosts)) {
		e := r.after.hosts[name][0]
		if e.leaving || e.standby {
			continue
		}
		active[slot{cluster: e.cluster, role: e.role}]++
		was, ok := r.before.of(name)
		if !ok || was.cluster != e.cluster {
			gets[e.cluster] = name
			if r.host(name).label.cluster != e.cluster { // else its labels may give it to the cluster
				successors[slot{cluster: e.cluster, role: e.role}]++
			}
		}
	}
	for cluster, s := range r.specs {
		for role, w := range s.roles {
			if s.here && active[slot{cluster: cluster, role: role}] < w.active {
				short[cluster] = role
			}
		}
	}
	for _, cluster := range slices.Sorted(maps.Keys(gets)) {
		h := r.host(gets[cluster])
		if short[cluster] != "" && h.label.cluster != cluster && !r.replaces(cluster) {
			return fmt.Sprintf("%s gets %s, and lacks %s", cluster, gets[cluster], short[cluster])
		}
		for role, w := range r.specs[cluster].roles {
			of := slot{cluster: cluster, role: role}
			if failed, empty := r.mayReplace(cluster); w.active-active[of] > empty && successors[of] > failed+empty {
				return fmt.Sprintf("%s %s gets %d hosts for %d that failed and %d that are gone, and lacks others: %v, then %v", cluster, role, successors[of], failed, empty, r.before, r.after)
			}
		}
	}
	return ""
}

// replaces says whether a cluster has a failed host, one that it names, or the empty slot of one that is gone, for which
// it may get another while it is short.
func (r *run) replaces(cluster string) bool {
	if r.before != nil && r.before.empty[cluster] > 0 {
		return true
	}
	return slices.ContainsFunc(r.hosts, func(h host) bool {
		was, ok := r.before.of(h.name)
		if h.label.cluster == cluster && (h.failed() ||
			slices.Contains(r.specs[cluster].remove, h.name)) { // its labels alone may give it to the cluster
			return true
		}
		return ok && was.cluster == cluster && (h.failed() || !h.here || h.uid != was.uid ||
			slices.Contains(r.specs[cluster].remove, h.name))
	})
}

// mayReplace is how many hosts of a cluster failed, and how many are gone, that have no successor yet: one that waits to leave
// has one, or its slot was given up.
func (r *run) mayReplace(cluster string) (failed, empty int) {
	if r.before != nil {
		empty = r.before.empty[cluster]
	}
	for i := range r.hosts {
		h := &r.hosts[i]
		was, had := r.before.of(h.name)
		had = had && was.cluster == cluster && !was.leaving
		switch {
		case had && (!h.here || h.uid != was.uid):
			empty++
		case !had && h.label.cluster == cluster && r.bad(h, cluster), had && !was.pending && r.bad(h, cluster):
			failed++
		}
	}
	return failed, empty
}

// beyond: if more hosts are handed out than failed or are gone, the clusters have no more than their limit together, those
// included that leave, and failed ones apart.
func (r *run) beyond() string {
	if r.limit == 0 {
		return ""
	}
	handed, successors, have := 0, r.successors(), 0
	for i := range r.hosts {
		h := &r.hosts[i]
		e, has := r.after.of(h.name)
		_, had := r.before.of(h.name)
		if has && !r.bad(h, e.cluster) {
			have++
		}
		if has && !had && !e.leaving && h.label.cluster == "" {
			handed++
		}
	}
	if handed > successors && have > r.limit {
		return fmt.Sprintf("%d hosts are handed out for %d that failed, and they have %d: %v, then %v", handed,
			successors, have, r.before, r.after)
	}
	return ""
}

// successors is how many hosts may be handed out for others: for slots that were empty, and for hosts that failed or are gone.
func (r *run) successors() (n int) {
	if r.before != nil {
		for _, slots := range r.before.empty {
			n += slots
		}
	}
	for i := range r.hosts {
		h := &r.hosts[i]
		e, has := r.after.of(h.name)
		was, had := r.before.of(h.name)
		if had && !was.leaving && (!h.here || h.uid != was.uid) || has && r.bad(h, e.cluster) {
			n++
		}
	}
	return n
}

// bad: the host failed, or its cluster names it.
func (r *run) bad(h *host, cluster string) bool {
	s := r.specs[cluster]
	return h.failed() || s != nil && slices.Contains(s.remove, h.name)
}

// free says whether a host is free, or was until this run handed it out. One that was made anew is for its old cluster
// alone in this run.
func (r *run) free(h *host) bool {
	was, had := r.ownBefore(h)
	if _, anew := r.before.of(h.name); anew && !had {
		return false
	}
	e, has := r.after.of(h.name)
	return h.here && h.label.cluster == "" && h.use == "" && !h.failed() && !h.cordoned && !h.reuse &&
		(!had || was.leaving && (!has || e.cluster != was.cluster)) // one that was leaving is free by now
}

func (r *run) host(name string) *host {
	return &r.hosts[slices.IndexFunc(r.hosts, func(h host) bool { return h.name == name })]
}

// gets says whether a cluster has a host from this run on, and not by its labels.
func (r *run) gets(h *host) (entry, bool) {
	e, is := r.after.of(h.name)
	was, had := r.before.of(h.name)
	return e, is && !e.leaving && !(had && was.cluster == e.cluster) && h.label.cluster != e.cluster
}

// inRack counts the hosts of a role in a rack, but for those that leave: all, and those that are well and stay.
func (r *run) inRack(e entry, rack string) (all, stay int) {
	for i := range r.hosts {
		h := &r.hosts[i]
		if o, ok := r.after.of(h.name); ok && !o.leaving && o.cluster == e.cluster && o.role == e.role &&
			h.rack == rack {
			all++
			if !r.bad(h, e.cluster) && !r.surplus(h, o) {
				stay++
			}
		}
	}
	return all, stay
}

// crowded: a rack in which a role gets a host has no more of its hosts than the role may have in a rack, but for those
// that are not well, or are to go.
func (r *run) crowded() string {
	for i := range r.hosts {
		h := &r.hosts[i]
		e, is := r.gets(h)
		if s := r.specs[e.cluster]; !is || s == nil || s.roles[e.role].perRack == 0 {
			continue
		}
		if _, stay := r.inRack(e, h.rack); stay > r.specs[e.cluster].roles[e.role].perRack {
			return fmt.Sprintf("%+v: %+v, one of %d", *h, e, stay)
		}
	}
	return ""
}

// uneven: where a role with racks gets a host, no rack with two of its hosts fewer has one that would have done as well.
func (r *run) uneven() string {
	for i := range r.hosts {
		h := &r.hosts[i]
		e, is := r.gets(h)
		s := r.specs[e.cluster]
		if !is || s == nil || s.roles[e.role].perRack == 0 {
			continue
		}
		_, most := r.inRack(e, h.rack)
		for j := range r.hosts {
			o := &r.hosts[j]
			if _, taken := r.after.of(o.name); taken || !r.free(o) || o.kind != h.kind || o.vendor != h.vendor ||
				slices.Contains(s.remove, o.name) || slices.Contains(s.approve, o.name) {
				continue
			}
			if least, _ := r.inRack(e, o.rack); most > least+1 {
				return fmt.Sprintf("%+v: %+v, one of %d in its rack; that of %s has %d", *h, e, most, o.name, least)
			}
		}
	}
	return ""
}

// surplus says whether a host waits to be released: it is in use, and its role has more hosts than it wants.
func (r *run) surplus(h *host, e entry) bool {
	n := 0
	for _, entries := range r.after.hosts {
		if o := entries[0]; !o.leaving && o.cluster == e.cluster && o.role == e.role {
			n++
		}
	}
	w := r.specs[e.cluster].roles[e.role]
	return h.use != "" && n > w.active+w.standby
}
