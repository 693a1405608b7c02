package v1alpha1

import (
	"cmp"
	"fmt"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// The most that a Site may list: more than any has, and so few that every check of it is quick.
const (
	maxTenants     = 1_000
	maxGrants      = 100 // of one kind, for one tenant
	maxTenantHosts = 100_000

	maxTenantClusters = 10_000
)

// SpecsFromStdin is what spec.tenants[].specs calls standard input.
const SpecsFromStdin = manifest.Stdin

var (
	// Names with "*" for anything.
	imagePattern   = regexp.MustCompile(`^[a-z0-9*]([a-zA-Z0-9._:/*-]*[a-zA-Z0-9_*])?$`)
	objectPattern  = regexp.MustCompile(`^[a-z0-9*]([a-z0-9.*-]*[a-z0-9*])?$`)
	className      = regexp.MustCompile(`^[a-z0-9]([A-Za-z0-9./-]*[A-Za-z0-9])?$`)
	issuerKind     = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,62}$`)
	plainResources = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage}
)

// validateTenants checks each tenant, and that no two have a thing in common.
func (s *SiteSpec) validateTenants(add problem) {
	if n := *s.MaxHostsPerTenant; n < 0 || n > maxTenantHosts {
		add("spec.maxHostsPerTenant", "found %d, want 0 to %d", n, maxTenantHosts)
	}
	if n := *s.MaxClustersPerTenant; n < 0 || n > maxTenantClusters {
		add("spec.maxClustersPerTenant", "found %d, want 0 to %d", n, maxTenantClusters)
	}
	switch {
	case s.Tenants != nil && len(s.Tenants) == 0:
		add("spec.tenants", "is empty: list tenants, or remove the field, which makes every namespace a tenant")
		return
	case len(s.Tenants) > maxTenants:
		add("spec.tenants", "found %d, want at most %d", len(s.Tenants), maxTenants)
		return
	}
	clashes := clashes{add: add, names: map[string]string{}, namespaces: map[string]string{}}
	for i := range s.Tenants {
		t := &s.Tenants[i]
		at := fmt.Sprintf("spec.tenants[%d]", i)
		if !t.bounded(at, add) {
			continue
		}
		t.validate(at, s, add)
		clashes.gather(t, at)
	}
	clashes.report()
}

// bounded complains about lists that are too long, of which nothing else is looked at.
func (t *Tenant) bounded(at string, add problem) bool {
	bounded := true
	for _, list := range []struct {
		field string
		n     int
	}{
		{"specs", len(t.Specs)}, {"namespaces", len(t.Namespaces)}, {"nodePorts", len(t.NodePorts)}, {"addresses", len(t.Addresses)},
		{"loadBalancerClasses", len(t.LoadBalancerClasses)}, {"addressPools", len(t.AddressPools)},
		{"issuerDomains", len(t.IssuerDomains)}, {"certificateIssuers", len(t.CertificateIssuers)}, {"images", len(t.Images)},
		{"networkAttachments", len(t.NetworkAttachments)},
		{"hosts.namespaces", len(t.Hosts.Namespaces)},
		{"hosts.selector", len(t.Hosts.Selector.MatchLabels) + len(t.Hosts.Selector.MatchExpressions)},
	} {
		if list.n > maxGrants {
			add(at+"."+list.field, "found %d, want at most %d", list.n, maxGrants)
			bounded = false
		}
	}
	return bounded
}

func (t *Tenant) validate(at string, s *SiteSpec, add problem) {
	if t.Name == "" {
		add(at+".name", "missing")
	} else {
		checkName(at+".name", t.Name, add)
	}
	for i, folder := range t.Specs {
		field := fmt.Sprintf("%s.specs[%d]", at, i)
		if folder == "" {
			add(field, "found nothing, want a folder or a file below --filename")
		} else if folder != SpecsFromStdin {
			checkSpecs(field, folder, add)
		}
	}
	if len(t.Namespaces) == 0 {
		add(at+".namespaces", "missing: where its SIPClusters and services are")
	}
	for i, namespace := range t.Namespaces {
		checkName(fmt.Sprintf("%s.namespaces[%d]", at, i), namespace, add)
	}
	t.Hosts.validate(at+".hosts", s.Hosts.Namespaces, add)
	t.validateNumbers(at, add)
	for i, p := range t.NodePorts {
		if p.Start > p.End || p.Start < s.NodePorts.Start || p.End > s.NodePorts.End {
			add(fmt.Sprintf("%s.nodePorts[%d]", at, i), "found %d to %d, want a range within %d to %d, the site's", p.Start, p.End, s.NodePorts.Start, s.NodePorts.End)
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
		if !className.MatchString(class) || len(class) > 253 {
			add(fmt.Sprintf("%s.loadBalancerClasses[%d]", at, i), "found %q, want the name of a class, as in kube-vip.io/kube-vip-class", class)
		}
	}
	t.validatePatterns(at, add)
	oneOf(add, at+".patches", string(t.Patches), string(PatchesNone), string(PatchesAny))
	validateQuota(at+".quota", t.Quota, add)
	t.LimitRange.validate(at+".limitRange", add)
}

func (t *Tenant) validateNumbers(at string, add problem) {
	if n := *t.MaxClusters; n < 0 || n > maxTenantClusters {
		add(at+".maxClusters", "found %d, want 0 to %d", n, maxTenantClusters)
	}
	if t.MaxPriority < 0 {
		add(at+".maxPriority", "found %d, want 0 or more", t.MaxPriority)
	}
}

func (t *Tenant) validatePatterns(at string, add problem) {
	for i, issuer := range t.CertificateIssuers {
		parts := strings.Split(issuer, "/")
		name, kind, group := parts[len(parts)-1], parts[max(0, len(parts)-2)], ""
		if len(parts) == 3 {
			group = parts[0]
		}
		if len(parts) != 2 && len(parts) != 3 || !issuerKind.MatchString(kind) || !objectPattern.MatchString(name) ||
			len(parts) == 3 && len(validation.IsDNS1123Subdomain(group)) > 0 {
			add(fmt.Sprintf("%s.certificateIssuers[%d]", at, i), "found %q, want KIND/NAME or GROUP/KIND/NAME, as in ClusterIssuer/site-ca", issuer)
		}
	}
	for i, image := range t.Images {
		if !imagePattern.MatchString(image) || strings.Contains(image, "**") || strings.Contains(image, "//") || hasTag(image) || len(image) > 400 {
			add(fmt.Sprintf("%s.images[%d]", at, i), "found %q, want the name of an image without tag and digest, with * for anything, as in registry.example.org/bank/*", image)
		}
	}
	for i, pool := range t.AddressPools {
		if !objectPattern.MatchString(pool) {
			add(fmt.Sprintf("%s.addressPools[%d]", at, i), "found %q, want the name of an address pool, in which * stands for anything, as in bank-*", pool)
		}
	}
	for i, attachment := range t.NetworkAttachments {
		namespace, name, _ := strings.Cut(attachment, "/")
		if !objectPattern.MatchString(namespace) || !objectPattern.MatchString(name) {
			add(fmt.Sprintf("%s.networkAttachments[%d]", at, i), "found %q, want NAMESPACE/NAME, with * for anything, as in networks/storage-*", attachment)
		}
	}
}

// hasTag says whether there is a colon behind the last slash: before it, it is a registry's port.
func hasTag(image string) bool { return strings.Contains(path.Base(image), ":") }

func checkSpecs(field, folder string, add problem) {
	if !pathName.MatchString(folder) || path.Clean(folder) != folder || strings.HasPrefix(folder, ".") {
		add(field, "found %q, want a folder or a file below --filename, as in \"bank\" or \"tenants/bank\"", folder)
	}
}

// validate checks the hosts that a tenant may have. site are the namespaces of the site's hosts, none: all.
func (h *TenantHosts) validate(at string, site []string, add problem) {
	if _, err := metav1.LabelSelectorAsSelector(&h.Selector); err != nil {
		add(at+".selector", "not a valid selector: %s", redact.Quotes(err.Error()))
	}
	for i, namespace := range h.Namespaces {
		field := fmt.Sprintf("%s.namespaces[%d]", at, i)
		checkName(field, namespace, add)
		if len(site) > 0 && !slices.Contains(site, namespace) {
			add(field, "found %q, which is none of spec.hosts.namespaces", namespace)
		}
	}
	if *h.Max < 0 || *h.Max > maxTenantHosts {
		add(at+".max", "found %d, want 0 to %d", *h.Max, maxTenantHosts)
		return // maxStandby is measured by it
	}
	if *h.MaxStandby < 0 || *h.MaxStandby > *h.Max {
		add(at+".maxStandby", "found %d, want 0 to %d, which is max", *h.MaxStandby, *h.Max)
	}
}

// noHostHas are networks of which no tenant gets an address: of the node itself, of the link, of nobody, and of groups.
var noHostHas = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("169.254.0.0/16"),
	netip.MustParsePrefix("224.0.0.0/4"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/127"), netip.MustParsePrefix("fe80::/10"), netip.MustParsePrefix("ff00::/8"),
}

func checkNetwork(field, network string, add problem) {
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

// clashes finds what two tenants have in common.
type clashes struct {
	add               problem
	names, namespaces map[string]string // → where it is
	specs, domains    []nestedName
	ports             []portRange
	networks          []network
}

// nestedName is a folder or a domain by its parts, outermost first, and where it is said.
type nestedName struct {
	parts        []string
	text, at, of string
}

type portRange struct {
	NodePorts
	at, of string
}

type network struct {
	netip.Prefix
	at, of string
}

func (c *clashes) gather(t *Tenant, at string) {
	of := t.Name
	if first, taken := c.names[t.Name]; taken && t.Name != "" {
		c.add(at+".name", "%q is the name of %s, too", t.Name, first)
	}
	c.names[t.Name] = at
	for i, namespace := range t.Namespaces {
		field := fmt.Sprintf("%s.namespaces[%d]", at, i)
		if first, taken := c.namespaces[namespace]; taken {
			c.add(field, "%q is %s already: a namespace has one tenant", namespace, first)
			continue
		}
		c.namespaces[namespace] = field + " (" + of + ")"
	}
	for i, folder := range t.Specs {
		c.specs = append(c.specs, nestedName{strings.Split(folder, "/"), folder, fmt.Sprintf("%s.specs[%d]", at, i), of})
	}
	for i, domain := range t.IssuerDomains {
		parts := strings.Split(domain, ".")
		if _, err := netip.ParseAddr(domain); err == nil {
			parts = []string{domain}
		}
		slices.Reverse(parts)
		c.domains = append(c.domains, nestedName{parts, domain, fmt.Sprintf("%s.issuerDomains[%d]", at, i), of})
	}
	for i, p := range t.NodePorts {
		c.ports = append(c.ports, portRange{p, fmt.Sprintf("%s.nodePorts[%d]", at, i), of})
	}
	for i, text := range t.Addresses {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			c.networks = append(c.networks, network{prefix.Masked(), fmt.Sprintf("%s.addresses[%d]", at, i), of})
		}
	}
}

// report complains about what lies in, or is, another tenant's. Sorted, a thing comes right behind those that hold it, so one look at
// the last of another tenant is enough to find an overlap.
func (c *clashes) report() {
	c.nested(c.specs, "lies in, or is,")
	c.nested(c.domains, "lies in, or is,")
	slices.SortStableFunc(c.ports, func(a, b portRange) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	var ports []portRange // for each tenant so far, the range that ends last
	for _, p := range c.ports {
		for _, other := range ports {
			if other.of != p.of && p.Start <= other.End && p.Start <= p.End {
				c.add(p.at, "%d to %d and %d to %d of %s (%s) overlap", p.Start, p.End, other.Start, other.End, other.at, other.of)
				break
			}
		}
		ports = latest(ports, p)
	}
	slices.SortStableFunc(c.networks, func(a, b network) int { return cmp.Or(a.Addr().Compare(b.Addr()), cmp.Compare(a.Bits(), b.Bits())) })
	var open []network // those that hold each other, the widest first
	for _, n := range c.networks {
		for len(open) > 0 && !open[len(open)-1].Contains(n.Addr()) {
			open = open[:len(open)-1]
		}
		for _, other := range open {
			if other.of != n.of {
				c.add(n.at, "%s and %s of %s (%s) overlap", n.Prefix, other.Prefix, other.at, other.of)
				break
			}
		}
		open = append(open, n)
	}
}

// latest keeps two ranges of different tenants, those that end last: a later one that overlaps with any overlaps with one of them.
func latest(ports []portRange, p portRange) []portRange {
	for i, other := range ports {
		if other.of == p.of {
			if p.End > other.End {
				ports[i] = p
			}
			return ports
		}
	}
	ports = append(ports, p)
	slices.SortStableFunc(ports, func(a, b portRange) int { return cmp.Compare(b.End, a.End) })
	return ports[:min(2, len(ports))]
}

func (c *clashes) nested(names []nestedName, how string) {
	first := map[string]nestedName{}
	slices.SortStableFunc(names, func(a, b nestedName) int { return slices.Compare(a.parts, b.parts) })
	for _, p := range names {
		for n := 1; n <= len(p.parts); n++ {
			if other, found := first[strings.Join(p.parts[:n], "\x00")]; found && other.of != p.of {
				c.add(p.at, "%q %s %q of %s (%s)", p.text, how, other.text, other.at, other.of)
				break
			}
		}
		key := strings.Join(p.parts, "\x00")
		if _, found := first[key]; !found {
			first[key] = p
		}
	}
}
