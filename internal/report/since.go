package report

import (
	"maps"
	"slices"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/schedule"
)

// Since compares with the previous tree, of which known are the clusters and leaving those that it notes as leaving:
// hosts that another cluster had, adopted hosts, hosts that are given up, released hosts that are free now, and
// clusters that are back or have left.
func (p *Plan) Since(before *holdings.Holdings, known, leaving map[schedule.ClusterKey]bool) {
	from, releasing, pending := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, claim := range before.Tree {
		host := claim.Host.String()
		from[host], releasing[host], pending[host] = claim.Cluster.String(), claim.Releasing, claim.Pending
	}
	p.freed(before)
	left := maps.Clone(known)
	for i := range p.Clusters {
		c := &p.Clusters[i]
		key := schedule.ClusterKey{Namespace: c.Namespace, Name: c.Name}
		delete(left, key)
		c.back, c.first = leaving[key] && !c.Gone, !known[key]
		for j := range c.Roles {
			for k := range c.Roles[j].Slots {
				slot := &c.Roles[j].Slots[k]
				was := from[slot.Host]
				slot.decided = slot.Status == StatusPending && !(pending[slot.Host] && was == c.Key())
				if was != c.Key() {
					slot.From = was
					if was != "" && slot.Status != StatusNew {
						slot.Changes = append(slot.Changes, "was "+was+"'s")
					}
				}
				if slot.Status == StatusKept && was == c.Key() && releasing[slot.Host] {
					slot.Changes = append(slot.Changes, takenBack)
				}
				if slot.adopted {
					slot.Changes = append(slot.Changes, adopted)
				}
			}
		}
	}
	for key := range left {
		p.left = append(p.left, key.String())
	}
	slices.Sort(p.left)
}

// Freed is a host that was released by an earlier run and has been seen without labels since.
type Freed struct {
	Host string `json:"host"`
	// Cluster and Role released it.
	Cluster string `json:"cluster"`
	Role    string `json:"role"`
	// But is why it cannot be assigned nevertheless, empty if it can.
	But string `json:"but,omitempty"`
}

// String describes it as the other changes are described.
func (f *Freed) String() string {
	words := f.Host + ", which " + f.Cluster + " " + f.Role + " released"
	if f.But != "" {
		return "not free: " + words + ", has lost its labels; it cannot be assigned: " + f.But
	}
	return "now free: " + words
}

// freed finds the hosts that the previous tree releases and that no cluster has now.
func (p *Plan) freed(before *holdings.Holdings) {
	for i := range p.Hosts { // both by name
		host, was := &p.Hosts[i], &before.Hosts[i]
		if was.Claim == nil || !was.Claim.Releasing || host.Cluster != "" {
			continue
		}
		free := Freed{Host: host.Host, Cluster: was.Claim.Cluster.String(), Role: was.Claim.Role}
		if host.Verdict != string(schedule.Free) {
			free.But = host.Why
		}
		p.Freed = append(p.Freed, free)
	}
}
