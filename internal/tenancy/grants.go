package tenancy

import (
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/redact"
)

// Spec reports what a cluster asks for that its tenant is not granted, in the order of its fields. A cluster of nobody is not looked at:
// Namespace complains about it.
func (t *Tenants) Spec(c *v1.SIPCluster) []v1.FieldError {
	tenant := t.Of(c.Namespace)
	if tenant == nil {
		return nil
	}
	s := asked{tenant: tenant, site: t.site, cluster: c}
	//guard: a tenant is served before others whenever it likes
	if c.Spec.Priority > tenant.MaxPriority {
		s.add("spec.priority", "found %d, but %s may have at most %d", c.Spec.Priority, tenant.where("maxPriority"), tenant.MaxPriority)
	}
	s.hostNamespaces()
	for _, e := range c.Entries() {
		s.entry(&e)
	}
	s.jumpImages()
	for i := range c.Spec.Services.Dex {
		s.dex(fmt.Sprintf("spec.services.%s[%d]", v1.ListDex, i), &c.Spec.Services.Dex[i])
	}
	if len(c.Spec.Patches) > 0 && tenant.Patches == v1alpha1.PatchesNone {
		s.add("spec.patches", "found %d, but %s is granted no patches", len(c.Spec.Patches), tenant.where("patches"))
	}
	//guard: a tenant that may patch safe fields writes HAProxy's configuration
	if tenant.Patches != v1alpha1.PatchesAny {
		for _, path := range c.HAProxyLines() {
			s.add(path, "raw lines of HAProxy's configuration can do anything, so they need the grant patches: any, which %s does not have; the other fields of haproxy need no grant", tenant.where("patches"))
		}
	}
	return s.errs
}

// asked gathers what a cluster asks for beyond its grants.
type asked struct {
	tenant  *Tenant
	site    *v1alpha1.Site
	cluster *v1.SIPCluster
	errs    []v1.FieldError
}

func (s *asked) add(path, format string, args ...any) {
	s.errs = append(s.errs, v1.FieldError{Path: path, Message: redact.Sprintf(format, args...)})
}

// hostNamespaces are those that roles name: the site's, and the tenant's.
func (s *asked) hostNamespaces() {
	site, granted := s.site.Spec.Hosts.Namespaces, s.tenant.Hosts.Namespaces
	for _, role := range slices.Sorted(maps.Keys(s.cluster.Spec.Nodes)) {
		for i, namespace := range s.cluster.Spec.Nodes[role].HostNamespaces {
			field := fmt.Sprintf("spec.nodes.%s.hostNamespaces[%d]", role, i)
			switch {
			//guard: a spec that names a namespace of another site waits for hosts for ever, and nobody says why
			case len(site) > 0 && !slices.Contains(site, namespace):
				s.add(field, "found %q, which has no hosts of the site (the Site's spec.hosts.namespaces)", namespace)
			//guard: a tenant takes hosts from namespaces that it is not granted
			case len(granted) > 0 && !slices.Contains(granted, namespace):
				s.add(field, "found %q, which %s is not granted", namespace, s.tenant.where("hosts.namespaces"))
			}
		}
	}
}

// entry checks what all services have in common.
func (s *asked) entry(e *v1.ServiceEntry) {
	t := s.tenant
	//guard: a tenant runs an image that it is not granted
	if image := e.Service.Image; image != "" && !t.mayRun(image) && !s.ofSite(image) {
		s.add(e.Path+".image", "found %q, which %s is not granted; the site's own images may always be used", image, t.where("images"))
	}
	if ip := e.Service.ClusterIP; ip != nil && *ip != "" && *ip != corev1.ClusterIPNone {
		s.address(e.Path+".clusterIP", *ip)
	}
	//guard: a tenant takes its addresses from another tenant's pool, by an annotation of all objects
	s.pools(e.Path+".annotations", e.Service.Annotations)
	if exposure := e.Service.Service; exposure != nil {
		//guard: a tenant takes its addresses from another tenant's pool
		s.pools(e.Path+".service.annotations", exposure.Annotations)
		for _, ip := range exposure.Addresses() {
			s.address(e.Path+".service.loadBalancerIP", ip)
		}
		//guard: a class opens a tenant's service to another network
		if class := exposure.LoadBalancerClass; class != "" && !slices.Contains(t.LoadBalancerClasses, class) {
			s.add(e.Path+".service.loadBalancerClass", "found %q, which %s is not granted", class, t.where("loadBalancerClasses"))
		}
	}
	switch p := e.NodePorts; {
	case p.Start == 0 || t.mayName(p):
	case t.Listed:
		s.add(e.NodePortField, "found node port %s, which is not granted to %s", p, t.where("nodePorts"))
	default:
		ports := s.site.Spec.NodePorts
		s.add(e.NodePortField, "found node port %s, want one within %d to %d, the site's range", p, ports.Start, ports.End)
	}
	//guard: a tenant runs more pods of a service than it may
	if n := e.Service.Replicas; n != nil && *n > *t.Limits.Replicas {
		s.add(e.Path+".replicas", "found %d, but %s may have at most %d", *n, t.where("limits.replicas"), *t.Limits.Replicas)
	}
	if pods := e.Service.Pods; pods != nil {
		//guard: a tenant's pods have labels that programs with more rights act on
		s.keys(e.Path+".pods.labels", pods.Labels, s.site.Spec.Defaults.Labels)
		//guard: a tenant's pods have annotations that programs with more rights act on
		s.keys(e.Path+".pods.annotations", pods.Annotations, s.site.Spec.Defaults.Annotations)
	}
	s.memoryAndCPU(e)
	//guard: a tenant has more ephemeral storage than it may, by not asking
	s.storage(e)
	//guard: a tenant puts its pods beside the management cluster's API server
	if asked := e.Service.ControlPlaneNodes; asked != nil && *asked && !t.ControlPlaneNodes {
		//guard: a tenant runs on the control-plane nodes of a site that says that nobody does
		if ofSite := s.site.Spec.Defaults.ControlPlaneNodes; ofSite == nil || !*ofSite {
			s.add(e.Path+".controlPlaneNodes", "found true, which %s is not granted; the Site's spec.defaults.controlPlaneNodes would allow it for every tenant", t.where("controlPlaneNodes"))
		}
	}
	for i, n := range e.Service.NetworkAttachments {
		//guard: a tenant attaches its pods to a network that is not its own
		if !t.mayAttach(s.cluster.Namespace, n.Namespace, n.Name) {
			s.add(fmt.Sprintf("%s.networkAttachments[%d]", e.Path, i), "found %q of namespace %q, which %s is not granted", n.Name, n.Namespace, t.where("networkAttachments"))
			continue
		}
		s.podAddresses(fmt.Sprintf("%s.networkAttachments[%d]", e.Path, i), n.Namespace, n.IPs)
	}
}

// pools checks the pools that annotations of a Service take addresses from. Those that the site gives all objects are the site's choice.
func (s *asked) pools(field string, annotations map[string]string) {
	named := v1.AddressPools(annotations)
	for _, key := range slices.Sorted(maps.Keys(named)) {
		pool := named[key]
		switch {
		//guard: where the site has a pool for all, a tenant takes another's
		case s.site.Spec.Defaults.Annotations[key] == pool:
		//guard: a pattern of pools grants names that no pool can have
		case !isPool(pool):
			s.add(fmt.Sprintf("%s[%s]", field, key), "found the address pool %q, which is not a valid pool name: want lower case letters, digits, - and .", pool)
		//guard: a tenant takes addresses from the pool of another
		case !s.tenant.mayTakeFrom(pool):
			s.add(fmt.Sprintf("%s[%s]", field, key), "found the address pool %q, which %s is not granted", pool, s.tenant.where("addressPools"))
		}
	}
}

// isPool says whether a pool of addresses can have that name.
func isPool(name string) bool { return len(validation.IsDNS1123Subdomain(name)) == 0 }

// memoryAndCPU compares what the pods of a service will have with what they may: by the spec, by the Site, or as they are rendered otherwise.
func (s *asked) memoryAndCPU(e *v1.ServiceEntry) {
	t := s.tenant
	switch defaults := s.site.Spec.Defaults.Resources; {
	case e.Service.Resources != nil:
		with := v1.WithStorage(*e.Service.Resources)
		s.resources(e.Path+".resources", e.Service.Resources, with.Limits)
	case defaults != nil:
		s.unlimited(e.Path+".resources", v1.WithStorage(*defaults).Limits)
	default:
		s.unlimited(e.Path+".resources", v1.WithStorage(corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: {}}}).Limits) // all services are rendered with that, and with no other
		if h := e.HAProxy; h != nil && h.MaxConnections > v1.DefaultMaxConnections {
			memory := h.Memory()
			//guard: a tenant has as much memory as it has connections, whatever it was granted
			if limit, bounded := t.Limits.Resources[corev1.ResourceMemory]; bounded && memory.Cmp(limit) > 0 {
				s.add(e.Path+".haproxy.maxConnections", "found %d, which gives the pods a memory limit of %s, but %s may have at most %s",
					h.MaxConnections, memory.String(), t.where("limits.resources"), limit.String())
			}
		}
	}
}

// jumpImages complains about jump hosts for which nobody named an image: there is none that everybody can pull. What a mirror has under the name
// that there was by default, nobody knows but the site.
func (s *asked) jumpImages() {
	if s.site.Spec.Images.RegistryMirror != "" {
		return
	}
	jumps := s.cluster.Spec.Services.JumpHost
	for i := range jumps {
		//guard: a jump host waits for an image that nobody publishes
		if s.site.Spec.Images.NoJumpHost && (jumps[i].Image == "" || v1.SIPImage(v1.ListJumpHost, jumps[i].Image)) {
			s.add(fmt.Sprintf("spec.services.%s[%d].image", v1.ListJumpHost, i),
				"missing here and in the Site's spec.images.jumpHost; there is no published image for jump hosts: in a checkout of sipgen, build the one in images/jump-host and push it to your own registry (make jump-image PUSH_JUMP=REGISTRY/jump-host:1), then name it in the Site")
		}
	}
}

// ofSite: the site's default images are everybody's.
func (s *asked) ofSite(image string) bool {
	images := s.site.Spec.Images
	return slices.ContainsFunc([]string{images.HAProxy, images.JumpHost, images.Dex}, func(own string) bool {
		return hubName(imageName(own)) == hubName(imageName(image))
	})
}

func (s *asked) address(path, text string) {
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return // complained about where the cluster is validated
	}
	//guard: a tenant takes an address of others
	if !s.tenant.mayHave(ip) {
		s.add(path, "found %s, which is in none of the networks that %s is granted", ip, s.tenant.where("addresses"))
	}
}

// podAddresses are the fixed ones of pods on a network. On one of another namespace others have theirs: they are the tenant's as those of its
// services are. The networks of its own namespace are its own.
func (s *asked) podAddresses(path, namespace string, ips []string) {
	//guard: a pod takes another one's address on a network that both may use
	if namespace == "" || namespace == s.cluster.Namespace {
		return
	}
	for i, ip := range ips {
		if prefix, err := netip.ParsePrefix(ip); err == nil {
			s.address(fmt.Sprintf("%s.ips[%d]", path, i), prefix.Addr().String())
		}
	}
}

// resources compares what a container has with the most that it may. No limit at all is more than
// that, and a limit of zero is none: so the kubelet reads it.
// limits are those that it is rendered with.
func (s *asked) resources(path string, r *corev1.ResourceRequirements, limits corev1.ResourceList) {
	most := s.tenant.Limits.Resources
	for _, list := range []struct {
		field string
		found corev1.ResourceList
	}{{".requests", r.Requests}, {".limits", r.Limits}} {
		for _, name := range slices.Sorted(maps.Keys(list.found)) {
			found := list.found[name]
			limit, bounded := most[name]
			switch {
			//guard: a limit of zero, which is none, passes for a small one
			case bounded && list.field == ".limits" && found.Sign() <= 0:
				s.add(path+".limits."+string(name), "found %s, which means \"no limit\", but %s may have at most %s", found.String(), s.tenant.where("limits.resources"), limit.String())
			case bounded && found.Cmp(limit) > 0:
				s.add(path+list.field+"."+string(name), "found %s, but %s may have at most %s", found.String(), s.tenant.where("limits.resources"), limit.String())
			}
		}
	}
	s.unlimited(path, limits)
}

// storage complains where a container that says nothing of ephemeral storage has more of it than the tenant may.
func (s *asked) storage(e *v1.ServiceEntry) {
	const name = corev1.ResourceEphemeralStorage
	said := e.Service.Resources
	if said == nil {
		said = s.site.Spec.Defaults.Resources
	}
	if said == nil {
		said = &corev1.ResourceRequirements{}
	}
	_, requests := said.Requests[name]
	_, limited := said.Limits[name]
	most, bounded := s.tenant.Limits.Resources[name]
	//guard: a tenant has more ephemeral storage than it may, by not asking, and others may not have the default
	if has := v1.StorageLimit(); bounded && !requests && !limited && has.Cmp(most) > 0 {
		s.add(e.Path+".resources.limits."+string(name), "missing, so the default of %s applies, but %s may have at most %s", has.String(), s.tenant.where("limits.resources"), most.String())
	}
}

// unlimited complains about what is bounded and has no limit.
func (s *asked) unlimited(path string, limits corev1.ResourceList) {
	most := s.tenant.Limits.Resources
	for _, name := range slices.Sorted(maps.Keys(most)) {
		limit := most[name]
		if _, found := limits[name]; !found {
			s.add(path+".limits."+string(name), "missing, but %s may have at most %s; set it here, or for every service in the Site's spec.defaults.resources", s.tenant.where("limits.resources"), limit.String())
		}
	}
}

func (s *asked) dex(path string, dex *v1.Dex) {
	//guard: a tenant has certificates for a name that is not its own
	if issuer, err := url.Parse(dex.Issuer); err == nil && !s.tenant.maySpeakFor(issuer.Hostname()) {
		s.add(path+".issuer", "found %q, which is in no domain that %s is granted", issuer.Hostname(), s.tenant.where("issuerDomains"))
	}
	//guard: a grant of logins without a question grants nothing
	if dex.SkipApprovalScreen && !s.tenant.Dex.SkipApprovalScreen {
		s.add(path+".skipApprovalScreen", "found true, which %s is not granted", s.tenant.where("dex.skipApprovalScreen"))
	}
	//guard: a tenant's logins go over lines that anybody on them can change
	if !s.tenant.Dex.InsecureConnectors {
		for _, e := range dex.Insecure() {
			s.add(path+e.Path, "%s, which %s is not granted", e.Message, s.tenant.where("dex.insecureConnectors"))
		}
	}
	//guard: a tenant has certificates of an issuer that it is not granted
	if ref := dex.TLS.IssuerRef; ref != nil && !s.tenant.mayAsk(*ref) {
		s.add(path+".tls.issuerRef", "found %s %q, which %s is not granted", kindOf(*ref), ref.Name, s.tenant.where("certificateIssuers"))
	}
}

func kindOf(ref v1.IssuerRef) string {
	if ref.Kind == "" {
		return "Issuer"
	}
	return ref.Kind
}
