package tenancy

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	apivalidation "github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/redact"
)

// Spec reports what a cluster asks for beyond its tenant's grants, in the order of its fields. It skips a cluster
// without a tenant, which Namespace reports.
func (t *Tenants) Spec(c *v1.SIPCluster) []apivalidation.FieldError {
	tenant := t.Of(c.Namespace)
	if tenant == nil {
		return nil
	}
	s := asked{tenant: tenant, site: t.site, cluster: c}
	if c.Spec.Priority > tenant.MaxPriority {
		s.add("spec.priority", "found %d, but %s may have at most %d", c.Spec.Priority, tenant.where("maxPriority"),
			tenant.MaxPriority)
	}
	s.hostNamespaces()
	for _, e := range c.Entries() {
		s.entry(&e)
	}
	for _, claim := range apivalidation.Claims(c) {
		s.claim(&claim)
	}
	s.jumpImages()
	for i := range c.Spec.Services.Dex {
		s.dex(fmt.Sprintf("spec.services.%s[%d]", v1.ListDex, i), &c.Spec.Services.Dex[i])
	}
	if len(c.Spec.Patches) > 0 && tenant.Patches == v1alpha1.PatchesNone {
		s.add("spec.patches", "found %d, but %s is granted no patches", len(c.Spec.Patches), tenant.where("patches"))
	}
	if tenant.Patches != v1alpha1.PatchesAny {
		for _, path := range c.HAProxyLines() {
			s.add(path, "raw lines of HAProxy's configuration can do anything, so they need the grant patches: any, which %s does not have; the other fields of haproxy need no grant", tenant.where("patches"))
		}
	}
	return s.errs
}

// asked collects what a cluster asks for beyond its grants.
type asked struct {
	tenant  *Tenant
	site    *v1alpha1.Site
	cluster *v1.SIPCluster
	errs    []apivalidation.FieldError
}

func (s *asked) add(path, format string, args ...any) {
	s.say(apivalidation.OfField, path, format, args...)
}

func (s *asked) say(kind apivalidation.Kind, path, format string, args ...any) {
	s.errs = append(s.errs, apivalidation.FieldError{Path: path, Message: redact.Sprintf(format, args...), Kind: kind})
}

// hostNamespaces are those that roles name: the site's, and the tenant's.
func (s *asked) hostNamespaces() {
	site, granted := s.site.Spec.Hosts.Namespaces, s.tenant.Hosts.Namespaces
	for _, role := range slices.Sorted(maps.Keys(s.cluster.Spec.Nodes)) {
		for i, namespace := range s.cluster.Spec.Nodes[role].HostNamespaces {
			field := fmt.Sprintf("spec.nodes.%s.hostNamespaces[%d]", role, i)
			switch {
			case len(site) > 0 && !slices.Contains(site, namespace):
				s.say(apivalidation.OfSite, field, "found %q, which has no hosts of the site (the Site's spec.hosts.namespaces)",
					namespace)
			case len(granted) > 0 && !slices.Contains(granted, namespace):
				s.add(field, "found %q, which %s is not granted", namespace, s.tenant.where("hosts.namespaces"))
			}
		}
	}
}

// entry checks the fields that all services have.
func (s *asked) entry(e *v1.ServiceEntry) {
	t := s.tenant
	if image := e.Image; image != "" && !t.mayRun(image) && !s.ofSite(image) {
		s.add(e.Path+".image", "found %q, which %s is not granted; the site's own images may always be used", image,
			t.where("images"))
	}
	s.pools(e.Path+".annotations", e.Service.Annotations)
	if exposure := e.Service.Service; exposure != nil {
		s.pools(e.Path+".service.annotations", exposure.Annotations)
		if class := exposure.LoadBalancerClass; class != "" && !slices.Contains(t.LoadBalancerClasses, class) {
			s.add(e.Path+".service.loadBalancerClass", "found %q, which %s is not granted", class,
				t.where("loadBalancerClasses"))
		}
	}
	if asked := e.Service.ControlPlaneNodes; asked != nil && *asked {
		if ofSite := s.site.Spec.Defaults.ControlPlaneNodes; ofSite == nil || !*ofSite {
			s.add(e.Path+".controlPlaneNodes", "found true, which only the Site allows, for all tenants, with spec.defaults.controlPlaneNodes")
		}
	}
	s.families(e)
	for i, n := range e.Service.NetworkAttachments {
		if !t.mayAttach(s.cluster.Namespace, n.Namespace, n.Name) {
			s.add(fmt.Sprintf("%s.networkAttachments[%d]", e.Path, i), "found %q of namespace %q, which %s is not granted",
				n.Name, n.Namespace, t.where("networkAttachments"))
		}
	}
}

// families complains about addresses of a family in which nothing listens: the Site's load balancers have one alone.
func (s *asked) families(e *v1.ServiceEntry) {
	only := v1.AddressFamily(s.site.Spec.Defaults.IPFamily)
	check := func(field, ip string) {
		if family := v1.FamilyOf(ip); only != "" && family != "" && family != only {
			s.add(e.Path+field, "found %s, want an %s address: the Site's services have no other "+
				"(spec.defaults.ipFamily)", ip, only)
		}
	}
	if e.Service.ClusterIP != nil {
		check(".clusterIP", *e.Service.ClusterIP)
	}
	if exposure := e.Service.Service; exposure != nil {
		for _, ip := range exposure.Addresses() {
			check(".service.loadBalancerIP", ip)
		}
	}
}

// claim checks a node port or an address.
func (s *asked) claim(claim *apivalidation.Asked) {
	network, name, _ := strings.Cut(claim.Attachment, "/")
	switch p := claim.Ports; {
	case claim.Attachment != "" && !s.tenant.mayAttach(s.cluster.Namespace, network, name):
	case needsAddress(s.cluster, claim):
		s.address(claim.Field, claim.IP)
	case claim.Kind != apivalidation.NodePort || s.tenant.mayName(p):
	case s.tenant.Listed:
		s.add(claim.Field, "found node port %s, which is not granted to %s", p, s.tenant.where("nodePorts"))
	default:
		ports := s.site.Spec.NodePorts
		s.say(apivalidation.PortOutside, claim.Field, "found %s, want one within %d to %d, the site's range",
			p.Described(), ports.Start, ports.End)
	}
}

// needsAddress reports whether a claim is of an address that is to be granted: on a network of another namespace others
// have theirs, too, and the networks of its own namespace are the cluster's own.
func needsAddress(c *v1.SIPCluster, claim *apivalidation.Asked) bool {
	return claim.IP.IsValid() && !strings.HasPrefix(claim.Attachment, c.Namespace+"/")
}

// pools checks the pools that annotations of a Service take addresses from. Those that the site gives all objects are
// the site's choice.
func (s *asked) pools(field string, annotations map[string]string) {
	named := apivalidation.AddressPools(annotations)
	for _, key := range slices.Sorted(maps.Keys(named)) {
		pool := named[key]
		switch {
		case s.site.Spec.Defaults.Annotations[key] == pool:
		case !isPool(pool):
			s.add(fmt.Sprintf("%s[%s]", field, key), "found the address pool %q, which is not a valid pool name: want lower case letters, digits, - and .", pool)
		case !s.tenant.mayTakeFrom(pool):
			s.add(fmt.Sprintf("%s[%s]", field, key), "found the address pool %q, which %s is not granted", pool,
				s.tenant.where("addressPools"))
		}
	}
}

// isPool reports whether a pool of addresses can have that name.
func isPool(name string) bool { return len(validation.IsDNS1123Subdomain(name)) == 0 }

// jumpImages complains about jump hosts without an image: for a program that was not built from a tag none is
// published. Only the site's operator can tell what a mirror has under the former default name.
func (s *asked) jumpImages() {
	if s.site.Spec.Images.RegistryMirror != "" {
		return
	}
	jumps := s.cluster.Spec.Services.JumpHost
	for i := range jumps {
		if s.site.Spec.Images.NoJumpHost && (jumps[i].Image == "" || v1.SIPImage(v1.ListJumpHost, jumps[i].Image)) {
			s.say(apivalidation.ImageMissing, fmt.Sprintf("spec.services.%s[%d].image", v1.ListJumpHost, i),
				"missing here and in the Site's spec.images.jumpHost; this sipgen was not built from a tag, so no image was published with it: in a checkout, build the one in images/jump-host and push it to your own registry (make jump-image PUSH_JUMP=REGISTRY/jump-host:1), then name it in the Site")
		}
	}
}

// ofSite reports whether the image is one of the site's defaults, which all tenants may use.
func (s *asked) ofSite(image string) bool {
	images := s.site.Spec.Images
	return slices.ContainsFunc([]string{images.HAProxy, images.JumpHost, images.Dex}, func(own string) bool {
		return v1.HubName(own) == v1.HubName(image)
	})
}

func (s *asked) address(path string, ip netip.Addr) {
	if !s.tenant.mayHave(ip) {
		s.add(path, "found %s, which is in none of the networks that %s is granted", ip, s.tenant.where("addresses"))
	}
}

func (s *asked) dex(path string, dex *v1.Dex) {
	if issuer, err := url.Parse(dex.Issuer); err == nil && !s.tenant.maySpeakFor(issuer.Hostname()) {
		s.add(path+".issuer", "found %q, which is in no domain that %s is granted", issuer.Hostname(),
			s.tenant.where("issuerDomains"))
	}
	if ref := dex.TLS.IssuerRef; ref != nil && !s.tenant.mayAsk(*ref) {
		s.add(path+".tls.issuerRef", "found %s %q, which %s is not granted", kindOf(*ref), ref.Name,
			s.tenant.where("certificateIssuers"))
	}
}

func kindOf(ref v1.IssuerRef) string { return cmp.Or(ref.Kind, "Issuer") }
