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

// ownBefore is the entry by which a cluster had a host that is still the same host: by its uid, by its labels, or
// because it is in use under any labels.
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
// name; if the tree does not have it, or has it as leaving, with the one that its labels name. It leaves by an approval
// of its use.
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
