package main

import v1 "github.com/airshipit/sipgen/api/v1"

// foreseen decides as decide does, and where the run goes on, freezes whom render and publish would freeze for what was decided.
func (l *loaded) foreseen(ui *ui, before previousTree) (*decided, error) {
	for {
		d, err := l.decide(ui, before)
		if err != nil {
			return nil, err
		}
		refused := d.surges()
		if !d.keepGoing {
			for _, f := range refused {
				d.report.Refuse(f.cluster.String())
			}
			return d, nil
		}
		if len(refused) == 0 {
			refused = d.newcomers()
		}
		if len(refused) == 0 {
			return d, nil
		}
		l = l.with(refused)
	}
}

// surges are the clusters that would get more hosts than their tenant is granted, counting those that it has yet to let go: with --keep-going they are
// frozen, else the run is refused.
func (d *decided) surges() []finding {
	var out []finding
	for _, e := range d.surging() {
		out = append(out, finding{cluster: keyOf(e.Cluster), surge: true, err: e.Cluster.Problem(e.Path, "%s", e.Message)})
	}
	return out
}

func (d *decided) surging() []v1.ClusterError {
	if d.tenants == nil {
		return nil
	}
	again := map[string]bool{}
	for _, f := range d.findings {
		if tenant := d.tenants.Of(f.cluster.Namespace); f.surge && tenant != nil {
			again[tenant.Name] = true
		}
	}
	return d.tenants.Surges(d.clusters, d.placement, again)
}
