package main

// surges are the clusters that would get more hosts than their tenant is granted, counting those that it has yet to let go: with --keep-going they are
// frozen, else the run is refused.
func (d *decided) surges() []finding {
	if d.tenants == nil {
		return nil
	}
	again := map[string]bool{}
	for _, f := range d.findings {
		if tenant := d.tenants.Of(f.cluster.Namespace); f.surge && tenant != nil {
			again[tenant.Name] = true
		}
	}
	var out []finding
	for _, e := range d.tenants.Surges(d.clusters, d.placement, again) {
		out = append(out, finding{cluster: keyOf(e.Cluster), surge: true, err: e.Cluster.Problem(e.Path, "%s", e.Message)})
	}
	return out
}
