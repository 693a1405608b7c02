package main

import (
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/internal/text"
)

// showGrants prints the grants that the specs need, and reports what cannot be granted.
func showGrants(ui *terminal.UI, l *app.Loaded, held tenancy.Counts) error {
	tenants := l.Tenants.Suggest(l.Clusters, l.Written, held)
	_, invalid := withTenants(l.Site, tenants) // two that ask for the same
	left := app.Flatten(invalid)
	ungranted := l.Tenants.Ungranted(l.Clusters)
	if len(tenants) > 0 || len(ungranted) == 0 {
		grants, err := tenancy.Render(tenants)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprint(ui.Out, grants); err != nil {
			return err
		}
	}
	for i := range tenants {
		for _, namespace := range tenants[i].Namespaces {
			if near := l.Tenants.Alike(namespace); near != "" {
				ui.Say("namespace %s gets a tenant of its own: if %s is meant, correct the spec instead", text.Line(namespace),
					text.Line(near))
			}
		}
	}
	if slices.ContainsFunc(tenants, func(t v1alpha1.Tenant) bool { return !isListed(l.Site, t.Name) }) {
		ui.Say("each new tenant may have twice the hosts that it has or asks for: " +
			"adjust hosts.max and hosts.maxStandby")
	}
	for i := range tenants {
		if tenants[i].Patches == v1alpha1.PatchesAny && !isTrusted(l.Site, tenants[i].Name) {
			ui.Say("tenant %s gets patches: any, for the patches that it has: read them first, or remove them and the grant",
				text.Line(tenants[i].Name))
		}
		if len(tenants[i].Specs) == 0 && len(l.Written) > 0 {
			ui.Say("tenant %s gets no specs: its files are not in a folder of their own, "+
				"so only its namespaces determine its specs", text.Line(tenants[i].Name))
		}
	}
	for _, e := range ungranted {
		left = append(left, e.Cluster.Problem(e.Path, "%s", e.Message))
	}
	for _, problem := range left {
		ui.Say("cannot be granted: %s", problem)
	}
	if len(left) > 0 {
		return errFinding
	}
	return nil
}

// isListed reports whether the Site has a tenant.
func isListed(site *v1alpha1.Site, name string) bool {
	return slices.ContainsFunc(site.Spec.Tenants, func(t v1alpha1.Tenant) bool { return t.Name == name })
}

// isTrusted reports whether the Site grants a tenant any patches already.
func isTrusted(site *v1alpha1.Site, name string) bool {
	return slices.ContainsFunc(site.Spec.Tenants,
		func(t v1alpha1.Tenant) bool { return t.Name == name && t.Patches == v1alpha1.PatchesAny })
}

// withTenants returns the Site with other tenants, valid.
func withTenants(site *v1alpha1.Site, tenants []v1alpha1.Tenant) (*v1alpha1.Site, error) {
	spec := site.Spec
	spec.Tenants = tenants
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": v1alpha1.APIVersion, "kind": v1alpha1.Kind, "metadata": map[string]any{"name": site.Name}, "spec": spec,
	})
	if err != nil {
		return nil, err
	}
	return api.ParseSite("the Site with these tenants", text)
}
