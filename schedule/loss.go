package schedule

import (
	"maps"
	"slices"

	"github.com/airshipit/sipgen/internal/holdings"
)

// Loss counts the hosts that a run takes away from the clusters: each that holdings or the previous tree give to a
// cluster, and that afterwards is not its own, is leaving, or waits to leave. A host counts in the run that decides,
// and not again until it is firmly held.
type Loss struct {
	// Claimed is how many hosts the clusters had, by the previous tree or by live labels.
	Claimed int
	// Missing hosts are gone from the inventory; Outside are in none of the site's namespaces; Recreated have another
	// uid; Moved are another cluster's now; Released leave, or wait to leave. All are sorted. A failed host whose slot
	// another one got is in none: see Options.Brake.
	Missing, Outside, Recreated, Moved, Released []HostKey
	// Virtual are hosts that ViNO is no longer asked for, and that are in no other list. Losses does not set it.
	Virtual []HostKey
	// Remade are hosts whose Vino ends or changes so that it may break them, and that are in no other list. Losses does
	// not set it.
	Remade []HostKey
	// Asked is how many of the released hosts each cluster gives up itself: by counts, by RemoveAnnotation of package
	// v1, or by leaving.
	Asked map[ClusterKey]int
}

// Total returns the number of hosts lost in any way.
func (l *Loss) Total() int {
	return len(l.Missing) + len(l.Outside) + len(l.Recreated) + len(l.Moved) + len(l.Released) + len(l.Virtual) +
		len(l.Remade)
}

// Beyond is a cluster whose spec gives up more hosts than a run may still take.
type Beyond struct {
	Cluster ClusterKey
	// Number is how many hosts the cluster loses: what its annotation is to accept. Before is how many the run loses
	// that count before them.
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
		if accepts[key] = l.Asked[key] > 0 && answer == l.Asked[key]; accepts[key] {
			accepted += answer
		}
	}
	for i := range clusters {
		key := clusters[i].Key
		_, speaks := answers[key]
		switch asked := l.Asked[key]; {
		case !speaks || asked == 0 || accepts[key]:
		case before+asked > limit:
			beyond = append(beyond, Beyond{key, asked, before})
		default:
			before += asked
		}
	}
	return beyond, accepted
}

// had is what a cluster has in the previous tree or by labels.
type had struct {
	cluster ClusterKey
	// counted: an earlier run counted its loss. waited: its release waited.
	counted, waited bool
}

// kept is what becomes of a host that a cluster had.
type kept struct {
	cluster ClusterKey
	// stays: it neither leaves nor waits to leave. replaced: it failed by itself, and another host gets its slot in
	// this run.
	stays, replaced bool
}

// Losses counts the hosts that the placement takes away. One that goes instead of one that waited to go is no new loss:
// as many of a cluster's losses do not count as hosts of it no longer wait.
func Losses(p *Placement) Loss {
	loss := Loss{Asked: map[ClusterKey]int{}}
	before, after := hadBy(p.Holdings), p.kept()
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
		case p.Holdings.Find(key) == nil && p.site.options.Outside(key):
			loss.Outside = append(loss.Outside, key)
		case p.Holdings.Find(key) == nil:
			loss.Missing = append(loss.Missing, key)
		case p.Holdings.Find(key).Recreated:
			loss.Recreated = append(loss.Recreated, key)
		case !own:
			loss.Moved = append(loss.Moved, key)
		case is.replaced:
		case instead[was.cluster] > 0:
			instead[was.cluster]--
		default:
			loss.Released = append(loss.Released, key)
			loss.Asked[was.cluster]++
		}
	}
	return loss
}

// hadBy returns the hosts that the clusters have in the previous tree, or else by holdings.
func hadBy(by *holdings.Holdings) map[HostKey]had {
	out := map[HostKey]had{}
	for i := range by.Hosts {
		if h := &by.Hosts[i]; h.State == holdings.Held {
			out[holdings.KeyOf(h.Host)] = had{cluster: h.Cluster}
		}
	}
	for _, claim := range by.Tree {
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
		for j := range c.Roles {
			for k := range c.Roles[j].Assigned {
				a := &c.Roles[j].Assigned[k]
				out[holdings.KeyOf(a.Host)] = kept{c.Key, !a.Pending, a.Replaced}
			}
			for k := range c.Roles[j].Releasing {
				gone := &c.Roles[j].Releasing[k]
				out[holdings.KeyOf(gone.Host)] = kept{c.Key, false, gone.Replaced}
			}
		}
	}
	return out
}
