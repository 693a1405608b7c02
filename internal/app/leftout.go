package app

import (
	"slices"

	"github.com/airshipit/sipgen/schedule"
)

// expectLeftOut drops the warnings that a host is not in the inventory from which --without took it.
func (p *Planned) expectLeftOut() {
	leftOut := map[schedule.HostKey]bool{}
	names := map[string]bool{}
	for i := range p.Loaded.LeftOut {
		h := &p.Loaded.LeftOut[i]
		leftOut[schedule.HostKey{Namespace: h.Namespace, Name: h.Name}] = true
		names[h.Name], names[h.Key()] = true, true
	}
	var of func(w schedule.Warning) bool
	of = func(w schedule.Warning) bool {
		switch w := w.(type) {
		case schedule.NotInInventory:
			return leftOut[w.Host]
		case schedule.NamesNothing:
			return len(w.Hosts) == 0 && names[w.Name]
		case schedule.ReleaseOfNothing:
			return !w.Found && leftOut[w.Host]
		case schedule.OfCluster:
			return of(w.Warning)
		}
		return false
	}
	p.Placement.Warnings = slices.DeleteFunc(p.Placement.Warnings, of)
	for i := range p.Placement.Clusters {
		c := &p.Placement.Clusters[i]
		c.Warnings = slices.DeleteFunc(c.Warnings, of)
	}
}
