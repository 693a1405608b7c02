package schedule

import (
	"maps"
	"slices"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
)

// Loss counts the hosts that a run takes away from the clusters: each that holdings or the previous tree give to a
// cluster, and that afterwards is not its own, is leaving, or waits to leave. A host counts in the run that decides,
// and not again until it is firmly held.
type Loss struct {
	// Claimed is how many hosts the clusters had, by the previous tree or by live labels.
	Claimed int
	// Missing hosts are gone from the inventory; Recreated have another uid; Moved are another cluster's now; Replaced
	// have failed, are in use, and lose their slots; Released leave, or wait to leave. All are sorted.
	Missing, Recreated, Moved, Replaced, Released []HostKey
	// Virtual are hosts that ViNO is no longer asked for, and that are in no other list. Losses does not set it.
	Virtual []HostKey
	// Remade are hosts that ViNO recreates or gives other addresses, and that are in no other list. Losses does not
	// set it.
	Remade []HostKey
	// Asked is how many of the released and replaced hosts each cluster gives up itself: by counts, by RemoveAnnotation
	// of package v1, or by leaving. Failed is how many of them have failed, and another host got their slot.
	Asked, Failed map[ClusterKey]int
}

// Total returns the number of hosts lost in any way.
func (l *Loss) Total() int {
	return len(l.Missing) + len(l.Recreated) + len(l.Moved) + len(l.Replaced) + len(l.Released) +
		len(l.Virtual) + len(l.Remade)
}

// Beyond is a cluster whose spec gives up more hosts than a run may still take.
type Beyond struct {
	Cluster ClusterKey
	// Number is how many hosts the cluster loses, failed ones included: what its annotation is to accept. Before is how
	// many the run loses that count before them.
	Number, Before int
}

// Beyond returns the clusters that give up more than a run may take, in the order in which clusters are served, and how
// many hosts the annotations of the others accept. What no spec asked for counts first, and what an annotation accepts
// does not count. answers are the clusters whose specs speak for them, with the number in AcceptLossAnnotation of
// package v1, -1 for none.
func (l *Loss) Beyond(limit int, clusters []Cluster, answers map[ClusterKey]int) (beyond []Beyond, accepted int) {
	before := l.Total()
	accepts := map[ClusterKey]bool{}
	for key, answer := range answers {
		before -= l.Asked[key]
		if accepts[key] = l.Asked[key] > 0 && answer == l.number(key); accepts[key] {
			before -= l.Failed[key]
			accepted += answer
		}
	}
	for i := range clusters {
		key := clusters[i].Key
		_, speaks := answers[key]
		switch asked := l.Asked[key]; {
		case !speaks || asked == 0 || accepts[key]:
		case before+asked > limit:
			beyond = append(beyond, Beyond{key, l.number(key), before - l.Failed[key]})
		default:
			before += asked
		}
	}
	return beyond, accepted
}

func (l *Loss) number(key ClusterKey) int { return l.Asked[key] + l.Failed[key] }

// had is what a cluster has in the previous tree or by labels.
type had struct {
	cluster ClusterKey
	// counted: an earlier run counted its loss. waited: its release waited.
	counted, waited bool
}

// kept is what becomes of a host that a cluster had.
type kept struct {
	cluster ClusterKey
	// stays: it neither leaves nor waits to leave. replaced: it failed, and another host gets its slot in this run. named:
	// the spec names it for removal.
	stays, waits, replaced, named bool
}

// Losses counts the hosts that the placement takes away. One that goes instead of one that waited to go is no new loss:
// as many of a cluster's losses do not count as hosts of it no longer wait.
func Losses(p *Placement) Loss {
	loss := Loss{Asked: map[ClusterKey]int{}, Failed: map[ClusterKey]int{}}
	before, after := p.had(), p.kept()
	instead := map[ClusterKey]int{}
	for key, was := range before {
		loss.Claimed++
		if is := after[key]; was.waited && is.cluster == was.cluster && is.stays {
			instead[was.cluster]++
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(before), compareKeys) {
		was := before[key]
		is, found := after[key]
		switch own := found && is.cluster == was.cluster; {
		case was.counted:
		case own && is.stays:
		case p.Holdings.Find(key) == nil:
			loss.Missing = append(loss.Missing, key)
		case p.Holdings.Find(key).Recreated:
			loss.Recreated = append(loss.Recreated, key)
		case !own:
			loss.Moved = append(loss.Moved, key)
		case is.replaced && !is.named && is.waits:
			loss.Replaced = append(loss.Replaced, key)
			loss.Failed[was.cluster]++
		case is.replaced && !is.named:
			loss.Released = append(loss.Released, key)
			loss.Failed[was.cluster]++
		case instead[was.cluster] > 0:
			instead[was.cluster]--
		default:
			loss.Released = append(loss.Released, key)
			loss.Asked[was.cluster]++
		}
	}
	return loss
}

// had returns the hosts that the clusters have in the previous tree, or else by holdings.
func (p *Placement) had() map[HostKey]had {
	out := map[HostKey]had{}
	for i := range p.Holdings.Hosts {
		if h := &p.Holdings.Hosts[i]; h.State == holdings.Held {
			out[holdings.KeyOf(h.Host)] = had{cluster: h.Cluster}
		}
	}
	for _, claim := range p.Holdings.Tree {
		was, held := out[claim.Host]
		switch {
		case !claim.Releasing:
			out[claim.Host] = had{claim.Cluster, claim.Pending, claim.Pending}
		case held && was.cluster == claim.Cluster:
			out[claim.Host] = had{cluster: was.cluster, counted: true}
		}
	}
	return out
}

// kept returns what becomes of the clusters' hosts.
func (p *Placement) kept() map[HostKey]kept {
	out := map[HostKey]kept{}
	for i := range p.Clusters {
		c := &p.Clusters[i]
		put := func(h *inventory.Host, is kept, why Reason) {
			is.cluster = c.Key
			if waits, ok := why.(ReleaseWaits); ok {
				why = waits.Why
			}
			if approved, ok := why.(Approved); ok {
				why = approved.Why
			}
			if replaced, ok := why.(Replaced); ok {
				_, is.named = replaced.Trouble.(MarkedForRemoval)
			}
			out[HostKey{Namespace: h.Namespace, Name: h.Name}] = is
		}
		for j := range c.Roles {
			for k := range c.Roles[j].Assigned {
				a := &c.Roles[j].Assigned[k]
				put(a.Host, kept{stays: !a.Pending, waits: a.Pending, replaced: a.Replaced}, a.Reason)
			}
			for k := range c.Roles[j].Releasing {
				gone := &c.Roles[j].Releasing[k]
				put(gone.Host, kept{replaced: gone.Replaced}, gone.Reason)
			}
		}
	}
	return out
}
