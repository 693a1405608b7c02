package tenancy

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/internal/redact"
)

// Built reports what the objects of a cluster's services have beyond its tenant's grants, after patches, as the
// engine would apply them. Images are checked before a registry mirror renames them, so built must be without one.
// Errors begin with the object and the field, and quote no value that may be a secret.
func (t *Tenants) Built(c *v1.SIPCluster, built []overlay.Object) []error {
	tenant := t.Of(c.Namespace)
	if tenant == nil {
		return nil
	}
	b := builtCheck{asked: asked{tenant: tenant, site: t.site, cluster: c}, hosts: t.hosts}
	var errs []error
	for i := range built {
		o := &built[i]
		b.errs = nil
		b.object(o)
		for _, e := range b.errs {
			errs = append(errs, fmt.Errorf("%s: %w", o, e))
		}
	}
	return errs
}

type builtCheck struct {
	asked
	hosts []string
}

func (b *builtCheck) object(o *overlay.Object) {
	// A jump host reboots hosts: its Role and RoleBinding are where the hosts are.
	beside := (o.Kind == "Role" || o.Kind == "RoleBinding") && slices.Contains(b.hosts, o.Namespace)
	if o.Namespace != b.cluster.Namespace && !beside {
		b.add("metadata.namespace", "found %q, want %q, the cluster's", o.Namespace, b.cluster.Namespace)
	}
	switch o.Kind {
	case "Service":
		var service corev1.Service
		if b.decode(o, &service) {
			b.service(&service)
		}
	case "Deployment":
		var deployment appsv1.Deployment
		if b.decode(o, &deployment) {
			b.deployment(&deployment)
		}
	case "Certificate":
		b.certificate(o)
	case "RoleBinding":
		var binding rbacv1.RoleBinding
		if b.decode(o, &binding) {
			b.binding(&binding)
		}
	}
}

func (b *builtCheck) decode(o *overlay.Object, into any) bool {
	text, err := json.Marshal(o.Fields)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		b.add("", "a value is of another type than its field")
	}
	return err == nil
}

// text checks an address. A name or a list of addresses is none: who resolves or splits it is not known here.
func (b *builtCheck) text(field, text string) {
	ip, err := netip.ParseAddr(text)
	if err != nil {
		b.add(field, "found %q, want an address", text)
		return
	}
	b.address(field, ip)
}

func (b *builtCheck) service(s *corev1.Service) {
	if len(s.Spec.ExternalIPs) > 0 {
		b.add("spec.externalIPs", "no tenant may set external IPs: they can capture traffic for any address")
	}
	if s.Spec.ExternalName != "" {
		b.add("spec.externalName", "no tenant may set it: it makes the Service an alias for a name outside the cluster's services")
	}
	for _, ip := range append(slices.Clone(s.Spec.ClusterIPs), s.Spec.ClusterIP) {
		if ip != "" && ip != corev1.ClusterIPNone {
			b.text("spec.clusterIP", ip)
		}
	}
	if class := s.Spec.LoadBalancerClass; class != nil && !slices.Contains(b.tenant.LoadBalancerClasses, *class) {
		b.add("spec.loadBalancerClass", "found %q, which %s is not granted", *class, b.tenant.where("loadBalancerClasses"))
	}
	if ip := s.Spec.LoadBalancerIP; ip != "" {
		b.text("spec.loadBalancerIP", ip)
	}
	b.pools("metadata.annotations", s.Annotations)
	for _, key := range overlay.AddressNotes() {
		for ip := range strings.SplitSeq(s.Annotations[key], ",") {
			if ip = strings.TrimSpace(ip); ip != "" {
				b.text("metadata.annotations["+key+"]", ip)
			}
		}
	}
	if n := s.Spec.HealthCheckNodePort; n != 0 && !b.tenant.mayName(v1.PortRange{Start: n, End: n}) {
		b.add("spec.healthCheckNodePort", "found node port %d, which %s is not granted", n, b.tenant.where("nodePorts"))
	}
	for i := range s.Spec.Ports {
		if n := s.Spec.Ports[i].NodePort; n != 0 && !b.tenant.mayName(v1.PortRange{Start: n, End: n}) {
			b.add(fmt.Sprintf("spec.ports[%d].nodePort", i), "found node port %d, which %s is not granted", n,
				b.tenant.where("nodePorts"))
		}
	}
}

func (b *builtCheck) deployment(d *appsv1.Deployment) {
	spec := &d.Spec.Template.Spec
	for _, list := range []struct {
		name       string
		containers []corev1.Container
	}{{"initContainers", spec.InitContainers}, {"containers", spec.Containers}} {
		for i := range list.containers {
			c := &list.containers[i]
			path := fmt.Sprintf("spec.template.spec.%s[%d]", list.name, i)
			b.image(path+".image", c.Image)
			for j := range c.Ports {
				if c.Ports[j].HostPort != 0 {
					b.add(fmt.Sprintf("%s.ports[%d].hostPort", path, j), "no tenant may set it: it opens a port on the node")
				}
			}
		}
	}
	for i := range spec.Volumes {
		b.volume(fmt.Sprintf("spec.template.spec.volumes[%d]", i), &spec.Volumes[i].VolumeSource)
	}
	b.networks(d.Spec.Template.Annotations[networksNote])
}

func (b *builtCheck) image(field, image string) {
	if !b.tenant.mayRun(image) && !b.ofSite(image) {
		b.add(field, "found %q, which %s is not granted; the site's own images may always be used", image,
			b.tenant.where("images"))
	}
}

// volume checks what a volume brings into a pod from elsewhere than the tenant's namespace: the profile restricted
// allows these kinds of volumes to everybody.
func (b *builtCheck) volume(path string, v *corev1.VolumeSource) {
	if v.Image != nil {
		b.image(path+".image.reference", v.Image.Reference)
	}
	if v.CSI != nil {
		b.add(path+".csi", "no tenant may set it: a driver gets what the pod asks for, images and certificates too")
	}
	if v.Projected == nil {
		return
	}
	for i := range v.Projected.Sources {
		if v.Projected.Sources[i].PodCertificate != nil {
			b.add(fmt.Sprintf("%s.projected.sources[%d].podCertificate", path, i),
				"no tenant may set it: it asks for a certificate of any signer")
		}
	}
}

// networksNote is the annotation by which Multus attaches networks to a pod.
const networksNote = "k8s.v1.cni.cncf.io/networks"

// networks parses what Multus parses: JSON, or names with commas.
func (b *builtCheck) networks(text string) {
	const path = "spec.template.metadata.annotations[" + networksNote + "]"
	if strings.TrimSpace(text) == "" {
		return
	}
	var list []struct {
		Name, Namespace string
		IPs             []string
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		b.add(path, "want the JSON that networkAttachments makes")
		return
	}
	for i, n := range list {
		if !b.tenant.mayAttach(b.cluster.Namespace, n.Namespace, n.Name) {
			b.add(path, "found %q of namespace %q, which %s is not granted", n.Name, n.Namespace,
				b.tenant.where("networkAttachments"))
			continue
		}
		for j, ip := range n.IPs {
			prefix, err := netip.ParsePrefix(ip)
			if err == nil && n.Namespace != "" && n.Namespace != b.cluster.Namespace {
				b.address(fmt.Sprintf("%s[%d].ips[%d]", path, i, j), prefix.Addr())
			}
		}
	}
}

func (b *builtCheck) certificate(o *overlay.Object) {
	var c struct {
		Spec struct {
			CommonName, LiteralSubject  string
			IsCA                        bool
			DNSNames, IPAddresses, URIs []string
			EmailAddresses, Usages      []string
			OtherNames                  []any
			IssuerRef                   v1.IssuerRef
		}
	}
	if !b.decode(o, &c) {
		return
	}
	names := append(slices.Clone(c.Spec.DNSNames), c.Spec.IPAddresses...)
	for _, name := range names {
		if !b.tenant.maySpeakFor(name) {
			b.add("spec.dnsNames", "found %q, which is in no domain that %s is granted", name, b.tenant.where("issuerDomains"))
		}
	}
	other := c.Spec.CommonName != "" && !slices.Contains(names, c.Spec.CommonName)
	if c.Spec.IsCA || other || c.Spec.LiteralSubject != "" ||
		len(c.Spec.URIs)+len(c.Spec.EmailAddresses)+len(c.Spec.OtherNames) > 0 {
		b.add("spec", "it asks for more than a server's certificate in the tenant's names")
	}
	for _, usage := range c.Spec.Usages {
		if usage != "server auth" {
			b.add("spec.usages", "found %q, want server auth", usage)
		}
	}
	if !b.tenant.mayAsk(c.Spec.IssuerRef) {
		b.add("spec.issuerRef", "found %s %q, which %s is not granted", redact.Plain(kindOf(c.Spec.IssuerRef)),
			c.Spec.IssuerRef.Name, b.tenant.where("certificateIssuers"))
	}
}

// binding checks that rights go to accounts of the cluster's namespace, and come from a Role next to it.
func (b *builtCheck) binding(r *rbacv1.RoleBinding) {
	if r.RoleRef.Kind != "Role" {
		b.add("roleRef", "found a %s, want a Role", redact.Plain(r.RoleRef.Kind))
	}
	for i, subject := range r.Subjects {
		if subject.Kind != rbacv1.ServiceAccountKind || subject.Namespace != b.cluster.Namespace {
			b.add(fmt.Sprintf("subjects[%d]", i), "want a ServiceAccount of namespace %s", b.cluster.Namespace)
		}
	}
}
