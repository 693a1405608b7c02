package app

import (
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/render"
)

// backendless warns of load balancers that answer no client, where that is not what freezes their cluster.
func (p *Planned) backendless() []string {
	var out []string
	for i := range p.Clusters.All {
		c := &p.Clusters.All[i]
		if c.Leaves() || len(p.Clusters.Options.Refused[keyOf(c)]) > 0 {
			continue
		}
		for _, lb := range c.Backendless() {
			out = append(out, c.Key()+": "+lb.Path+": "+lb.Message)
		}
	}
	slices.Sort(out)
	return out
}

// servedBefore are the load balancers without a backend that the tree before has, and that took no hosts away: of those lint only warns.
func (p *Planned) servedBefore() map[string]bool {
	there := map[string]bool{}
	for i := range p.Clusters.All {
		c := &p.Clusters.All[i]
		key := keyOf(c)
		if len(p.Clusters.Options.Refused[key]) > 0 {
			continue
		}
		for _, lb := range c.Backendless() {
			name := v1.ServiceName(lb.List, lb.Index, c.Name)
			if _, was := p.Before.Files[render.Folder(key)+"/infra/"+name+".cfg"]; was {
				there[c.Key()+" "+lb.Path] = true
			}
		}
	}
	return there
}
