package validation

import (
	"fmt"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	specs "github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
)

var (
	// Names with "*" for anything.
	imagePattern  = regexp.MustCompile(`^[a-z0-9*]([a-zA-Z0-9._:/*-]*[a-zA-Z0-9_*])?$`)
	objectPattern = regexp.MustCompile(`^[a-z0-9*]([a-z0-9.*-]*[a-z0-9*])?$`)
	className     = regexp.MustCompile(`^[a-z0-9]([A-Za-z0-9./-]*[A-Za-z0-9])?$`)
	issuerKind    = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,62}$`)
)

// validateTenants checks each tenant, and that no two have a thing in common.
func validateTenants(s *v1alpha1.SiteSpec, add Report) {
	if s.Tenants != nil && len(s.Tenants) == 0 {
		add("spec.tenants", "is empty: list tenants, or remove the field, which makes every namespace a tenant")
		return
	}
	clashes := clashes{add: add, names: map[string]string{}, namespaces: map[string]string{}}
	for i := range s.Tenants {
		t := &s.Tenants[i]
		at := fmt.Sprintf("spec.tenants[%d]", i)
		validateTenant(t, at, s, add)
		clashes.gather(t, at)
	}
	clashes.report()
}

func validateTenant(t *v1alpha1.Tenant, at string, s *v1alpha1.SiteSpec, add Report) {
	if t.Name == "" {
		add(at+".name", "missing")
	} else {
		checkName(at+".name", t.Name, add)
	}
	for i, folder := range t.Specs {
		field := fmt.Sprintf("%s.specs[%d]", at, i)
		if folder == "" {
			add(field, "found nothing, want a folder or a file below --filename")
		} else if folder != v1alpha1.SpecsFromStdin {
			checkSpecs(field, folder, add)
		}
	}
	if len(t.Namespaces) == 0 {
		add(at+".namespaces", "missing: where its SIPClusters and services are")
	}
	for i, namespace := range t.Namespaces {
		checkName(fmt.Sprintf("%s.namespaces[%d]", at, i), namespace, add)
	}
	validateTenantHosts(&t.Hosts, at+".hosts", s.Hosts.Namespaces, add)
	for i, p := range t.NodePorts {
		if p.Start > p.End || p.Start < s.NodePorts.Start || p.End > s.NodePorts.End {
			add(fmt.Sprintf("%s.nodePorts[%d]", at, i), "found %d to %d, want a range within %d to %d, the site's",
				p.Start, p.End, s.NodePorts.Start, s.NodePorts.End)
		}
	}
	for i, network := range t.Addresses {
		checkNetwork(fmt.Sprintf("%s.addresses[%d]", at, i), network, add)
	}
	for i, domain := range t.IssuerDomains {
		if _, err := netip.ParseAddr(domain); err != nil && len(validation.IsDNS1123Subdomain(domain)) > 0 {
			add(fmt.Sprintf("%s.issuerDomains[%d]", at, i), "found %q, want a domain, as in bank.example.org", domain)
		}
	}
	for i, class := range t.LoadBalancerClasses {
		if !className.MatchString(class) {
			add(fmt.Sprintf("%s.loadBalancerClasses[%d]", at, i),
				"found %q, want the name of a class, as in kube-vip.io/kube-vip-class", class)
		}
	}
	validatePatterns(t, at, add)
}

func validatePatterns(t *v1alpha1.Tenant, at string, add Report) {
	for i, issuer := range t.CertificateIssuers {
		parts := strings.Split(issuer, "/")
		name, kind, group := parts[len(parts)-1], parts[max(0, len(parts)-2)], ""
		if len(parts) == 3 {
			group = parts[0]
		}
		if len(parts) != 2 && len(parts) != 3 || !issuerKind.MatchString(kind) || !objectPattern.MatchString(name) ||
			len(parts) == 3 && len(validation.IsDNS1123Subdomain(group)) > 0 {
			add(fmt.Sprintf("%s.certificateIssuers[%d]", at, i),
				"found %q, want KIND/NAME or GROUP/KIND/NAME, as in ClusterIssuer/site-ca", issuer)
		}
	}
	for i, image := range t.Images {
		if !imagePattern.MatchString(image) || strings.Contains(image, "**") || strings.Contains(image, "//") ||
			hasTag(image) {
			add(fmt.Sprintf("%s.images[%d]", at, i),
				"found %q, want the name of an image without tag and digest, with * for anything, as in "+
					"registry.example.org/bank/*", image)
		}
	}
	for i, pool := range t.AddressPools {
		if !objectPattern.MatchString(pool) {
			add(fmt.Sprintf("%s.addressPools[%d]", at, i),
				"found %q, want the name of an address pool, in which * stands for anything, as in bank-*", pool)
		}
	}
	for i, attachment := range t.NetworkAttachments {
		namespace, name, _ := strings.Cut(attachment, "/")
		if !objectPattern.MatchString(namespace) || !objectPattern.MatchString(name) {
			add(fmt.Sprintf("%s.networkAttachments[%d]", at, i),
				"found %q, want NAMESPACE/NAME, with * for anything, as in networks/storage-*", attachment)
		}
	}
}

// hasTag reports whether there is a colon behind the last slash: before it, a colon separates a registry's port.
func hasTag(image string) bool { return strings.Contains(path.Base(image), ":") }

func checkSpecs(field, folder string, add Report) {
	name := folder
	for strings.HasPrefix(name, "../") {
		name = strings.TrimPrefix(name, "../")
	}
	if !pathName.MatchString(name) || path.Clean(name) != name || strings.HasPrefix(name, ".") {
		add(field, "found %q, want a folder or a file, relative to the Site's file, as in \"tenants/bank\" or "+
			"\"../bank\"", folder)
	}
}

// maxRequirements bounds a label selector.
const maxRequirements = 100

// validateTenantHosts checks the hosts that a tenant may have. site are the namespaces of the site's hosts, none: all.
func validateTenantHosts(h *v1alpha1.TenantHosts, at string, site []string, add Report) {
	if n := len(h.Selector.MatchLabels) + len(h.Selector.MatchExpressions); n > maxRequirements {
		add(at+".selector", "found %d requirements, want at most %d", n, maxRequirements)
	} else if _, err := metav1.LabelSelectorAsSelector(&h.Selector); err != nil {
		add(at+".selector", "%s", specs.SelectorError(err))
	}
	for i, namespace := range h.Namespaces {
		field := fmt.Sprintf("%s.namespaces[%d]", at, i)
		checkName(field, namespace, add)
		if len(site) > 0 && !slices.Contains(site, namespace) {
			add(field, "found %q, which is none of spec.hosts.namespaces", namespace)
		}
	}
	if *h.MaxStandby > *h.Max && *h.Max >= 0 {
		add(at+".maxStandby", "found %d, want 0 to %d, which is max", *h.MaxStandby, *h.Max)
	}
}

// noHostHas are networks of which no tenant gets an address: of the node itself, of the link, of nobody, and of
// groups.
var noHostHas = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("169.254.0.0/16"),
	netip.MustParsePrefix("224.0.0.0/4"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/127"), netip.MustParsePrefix("fe80::/10"), netip.MustParsePrefix("ff00::/8"),
}

func checkNetwork(field, network string, add Report) {
	prefix, err := netip.ParsePrefix(network)
	switch {
	case err != nil || prefix.Addr().Is4In6():
		add(field, "found %q, want a network in CIDR notation, as in 203.0.113.16/28", network)
		return
	case prefix != prefix.Masked():
		add(field, "found %q, want %s: the address has bits behind the prefix", network, prefix.Masked())
		return
	}
	for _, bad := range noHostHas {
		if bad.Overlaps(prefix) {
			add(field, "found %s, of which %s is in every machine, of the link, or of groups", prefix, bad)
			return
		}
	}
}
