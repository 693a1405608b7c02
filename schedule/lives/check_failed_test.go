package lives

import (
	"fmt"
	"slices"
)

// replaces says whether a cluster has a failed host, one that it names, or the empty slot of one that is gone, for
// which it may get another while it is short.
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

// mayReplace is how many hosts of a cluster failed, and how many are gone, that have no successor yet: one that waits
// to leave has one, or its slot was given up.
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

// beyond: if more hosts are handed out than failed or are gone, the clusters have no more than their limit together,
// those included that leave, and failed ones apart.
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

// successors is how many hosts may be handed out for others: for slots that were empty, and for hosts that failed or
// are gone.
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
