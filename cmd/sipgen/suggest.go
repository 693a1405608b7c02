package main

import (
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/render"
)

// suggest prints the grants that the specs need, and says what they ask for that cannot be granted.
func (l *loaded) suggest(ui *ui, before previousTree, held tenancy.Holdings) error {
	tenants := l.tenants.Suggest(l.clusters, l.written, held)
	left, err := l.suggestPatches(ui, before, tenants)
	if err != nil {
		return err
	}
	ungranted := l.tenants.Ungranted(l.clusters)
	if len(tenants) > 0 || len(ungranted) == 0 {
		grants, err := tenancy.Render(tenants)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprint(ui.out, grants); err != nil {
			return err
		}
	}
	for i := range tenants {
		for _, namespace := range tenants[i].Namespaces {
			if near := l.tenants.Alike(namespace); near != "" {
				ui.say("namespace %s gets a tenant of its own: if %s is meant, correct the spec instead", text.Line(namespace), text.Line(near))
			}
		}
	}
	for _, e := range ungranted {
		left = append(left, e.Cluster.Problem(e.Path, "%s", e.Message))
	}
	for _, problem := range left {
		ui.say("this cannot be granted as it is: %s", problem)
	}
	if len(left) > 0 {
		return errFinding
	}
	return nil
}

// suggestPatches finds out, by building the services, which tenants have patches that are not safe, and grants them any where that helps. It gives
// what cannot be granted: what two tenants ask for, and what patches do that no grant allows.
func (l *loaded) suggestPatches(ui *ui, before previousTree, tenants []v1alpha1.Tenant) (left []error, err error) {
	site, invalid := withTenants(l.site, tenants)
	if invalid != nil {
		return flatten(invalid), nil
	}
	safe, pods, err := l.beyond(ui, before, site)
	if err != nil {
		return nil, err
	}
	defer func() {
		for i := range tenants {
			tenancy.NeedPods(l.site, &tenants[i], pods[tenants[i].Name])
		}
	}()
	if len(safe) == 0 {
		return nil, nil
	}
	was := slices.Clone(tenants)
	for i := range tenants {
		if wrongOf(safe, tenants[i]) != nil && tenants[i].Patches == v1alpha1.PatchesSafe {
			tenants[i].Patches = v1alpha1.PatchesAny
		}
	}
	site, invalid = withTenants(l.site, tenants)
	if invalid != nil {
		return nil, invalid
	}
	wide, all, err := l.beyond(ui, before, site)
	if err != nil {
		return nil, err
	}
	pods = all
	for i := range tenants {
		wrong := wrongOf(wide, tenants[i])
		if len(wrong) > 0 && len(wrong) == len(wrongOf(safe, tenants[i])) {
			tenants[i] = was[i] // it does not help
		}
		left = append(left, wrong...)
	}
	return left, nil
}

// wrongOf is what is wrong with the clusters of a tenant.
func wrongOf(errs []error, tenant v1alpha1.Tenant) (out []error) {
	for _, err := range errs {
		var of *render.ClusterError
		if errors.As(err, &of) && slices.Contains(tenant.Namespaces, of.Cluster.Namespace) {
			out = append(out, err)
		}
	}
	return out
}

// beyond is what the services of patched clusters ask for as they are built that a Site with other grants would refuse, and how many pods each tenant's have,
// of which there may be any number.
func (l *loaded) beyond(ui *ui, before previousTree, site *v1alpha1.Site) (wrong []error, pods map[string]int, err error) {
	trial := *l
	lifted := *site
	lifted.Spec.Tenants = slices.Clone(site.Spec.Tenants)
	for i := range lifted.Spec.Tenants {
		most := v1alpha1.MaxTenantPods
		lifted.Spec.Tenants[i].MaxPods = &most
	}
	site = &lifted
	trial.site, trial.tenants, trial.built = site, tenancy.Of(site, l.hostNamespaces), &serviceBuilds{}
	decided, err := trial.decide(ui, before)
	if err != nil {
		return nil, nil, err
	}
	_, services, err := render.Site(render.Input{Site: site, Clusters: decided.clusters, Placement: decided.placement, Previous: before.files})
	if err != nil {
		return nil, nil, err
	}
	checked := &checked{decided: decided}
	_, refused := checked.checkServices(services, nil, nil)
	pods = map[string]int{}
	for _, use := range checked.podUses(services, nil, nil) {
		if tenant := trial.tenants.Of(use.Cluster.Namespace); tenant != nil {
			pods[tenant.Name] += use.Wants
		}
	}
	return flatten(refused), pods, nil
}

// withTenants is the Site with other tenants, valid.
func withTenants(site *v1alpha1.Site, tenants []v1alpha1.Tenant) (*v1alpha1.Site, error) {
	spec := site.Spec
	spec.Tenants = tenants
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": v1alpha1.APIVersion, "kind": v1alpha1.Kind, "metadata": map[string]any{"name": site.Name}, "spec": spec,
	})
	if err != nil {
		return nil, err
	}
	return v1alpha1.Parse("the Site with these tenants", text)
}
