// Package tenancy binds SIPClusters to tenants: the tenant of each SIPCluster, whether it stays within the Site's
// grants, and which grants the present specs would need.
//
// It is pure: its findings depend only on its arguments, and not on their order. A finding concerns one tenant; the
// others are served.
package tenancy

import (
	"fmt"
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
)

// Tenants are the tenants of a site.
type Tenants struct {
	site *v1alpha1.Site
	// byNamespace are those that spec.tenants lists.
	byNamespace map[string]*Tenant
	// folders are the listed tenants by the paths of their specs.
	folders map[string]*Tenant
	// hosts are the namespaces that have hosts.
	hosts []string
}

// Tenant is one tenant and its grants.
type Tenant struct {
	v1alpha1.Tenant
	// Listed: spec.tenants has it. Else it is a namespace, under the defaults of a site without spec.tenants.
	Listed bool
}

// Of returns the tenants of a site, which must be defaulted and valid. hostNamespaces are those that have hosts,
// those that are not the site's too.
func Of(site *v1alpha1.Site, hostNamespaces []string) *Tenants {
	t := &Tenants{site: site, byNamespace: map[string]*Tenant{}, folders: map[string]*Tenant{}}
	t.hosts = append(slices.Clone(hostNamespaces), site.Spec.Hosts.Namespaces...)
	for i := range site.Spec.Tenants {
		tenant := &Tenant{Tenant: site.Spec.Tenants[i], Listed: true}
		for _, namespace := range tenant.Namespaces {
			t.byNamespace[namespace] = tenant
		}
		for _, folder := range tenant.Specs {
			t.folders[folder] = tenant
		}
	}
	return t
}

// Of returns the tenant of a namespace, nil if there is none.
func (t *Tenants) Of(namespace string) *Tenant {
	if t.whyNot(namespace) != "" {
		return nil
	}
	if len(t.site.Spec.Tenants) > 0 {
		return t.byNamespace[namespace]
	}
	return t.byDefault(namespace)
}

// byDefault returns the tenant that a namespace is where the Site lists none.
func (t *Tenants) byDefault(namespace string) *Tenant {
	hosts, clusters := *t.site.Spec.MaxHostsPerTenant, *t.site.Spec.MaxClustersPerTenant
	return &Tenant{Tenant: v1alpha1.Tenant{
		Name: namespace, Namespaces: []string{namespace},
		Hosts:       v1alpha1.TenantHosts{Max: &hosts, MaxStandby: &hosts},
		MaxClusters: &clusters,
		NodePorts:   []v1alpha1.NodePorts{*t.site.Spec.NodePorts},
		Images:      []string{"*"},
		Patches:     v1alpha1.PatchesNone,
	}}
}

// operators are namespaces of programs that work with the Site's services, under the names that their installations
// give them. Engines may apply things there.
var operators = map[string]string{
	"openstack-operators": "OpenStack's operators", "mariadb-system": "MariaDB's operator",
}

// whyNot returns why a namespace has no tenant, empty if it has one.
func (t *Tenants) whyNot(namespace string) string {
	if why := t.taken(namespace); why != "" {
		return why
	}
	if t.byNamespace[namespace] == nil && len(t.site.Spec.Tenants) > 0 {
		return "belongs to none of the Site's spec.tenants"
	}
	return ""
}

// taken returns the other use of a namespace that keeps tenants out, unless the Site opens it.
func (t *Tenants) taken(namespace string) string {
	listed := t.byNamespace[namespace]
	spec := &t.site.Spec
	if slices.Contains(t.hosts, namespace) && !slices.Contains(spec.Hosts.SharedNamespaces, namespace) {
		return fmt.Sprintf("has hosts, and their BMC credentials; if its tenants are trusted with these, add it to the Site: spec.hosts.sharedNamespaces: [%s]", namespace)
	}
	if slices.Contains(spec.Hosts.ClaimNamespaces, namespace) {
		return "may have HostClaims for any host (spec.hosts.claimNamespaces of the Site)"
	}
	if listed != nil {
		return ""
	}
	if whose := t.site.Reserved(namespace); whose != "" {
		return whose
	}
	if !slices.Contains(spec.Hosts.SharedNamespaces, namespace) {
		const opens = " (a Site opens it with spec.hosts.sharedNamespaces, or by naming it in spec.tenants[].namespaces)"
		if operator := operators[namespace]; operator != "" {
			return "is of " + operator + opens
		}
		if service := t.site.ServiceIn(namespace); service != "" {
			return "has " + service + " of the Site, and its credentials" + opens
		}
	}
	return ""
}

// Namespace complains about a cluster in a namespace without a tenant.
func (t *Tenants) Namespace(c *v1.SIPCluster) []validation.FieldError {
	if why := t.whyNot(c.Namespace); why != "" {
		return []validation.FieldError{{Path: "metadata.namespace", Kind: validation.OfSite,
			Message: fmt.Sprintf("found %q, which %s: want a namespace of the tenant's own", c.Namespace, why)}}
	}
	return nil
}

// where returns the grant of a tenant as a message names it.
func (t *Tenant) where(field string) string {
	if !t.Listed {
		return "a namespace without an entry in the Site's spec.tenants"
	}
	return fmt.Sprintf("tenant %s (the Site's spec.tenants[].%s)", t.Name, field)
}
