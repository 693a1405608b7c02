package v1alpha1

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/internal/redact"
)

// readPlacement moves the fields of older PlacementAPIs, and holds each spec against its definition. The operator's webhook fills in the
// image.
func (s *Site) readPlacement(add problem) {
	for n := range s.Spec.Services.Placement {
		p, at := &s.Spec.Services.Placement[n], fmt.Sprintf("spec.services.placement[%d].spec", n)
		spec := p.Spec.Object()
		m := &modernizer{site: s, at: strings.TrimSuffix(at, ".spec"), add: add, spec: spec}
		m.move("networkAttachents", "networkAttachments")
		m.move("databaseUser", "databaseAccount")
		m.endpoints()
		if m.changed {
			s.reread(at, spec, &p.Spec, add)
		}
		if _, given := spec["containerImage"]; !given {
			spec["containerImage"] = ""
		}
		s.check(upstream.PlacementAPI, at, spec, add)
	}
	for n := range s.Spec.Services.Networks {
		if pool := s.Spec.Services.Networks[n].Pool; pool != nil {
			s.check(upstream.IPAddressPool, fmt.Sprintf("spec.services.networks[%d].pool", n), pool.Object(), add)
		}
	}
}

// endpoints moves externalEndpoints, the addresses of MetalLB that an older PlacementAPI asked for, to the annotations of its Services.
func (m *modernizer) endpoints() {
	const was, is = "externalEndpoints", "override.service"
	if !m.has(was) || !m.moved(was, is, m.has(is)) {
		return
	}
	services := map[string]any{}
	for _, item := range anyList(m.take(was)) {
		endpoint, _ := item.(map[string]any)
		name, pool := text(endpoint, "endpoint"), text(endpoint, "ipAddressPool")
		annotations := map[string]any{metalLB[0] + "address-pool": pool}
		if shared, given := endpoint["sharedIP"].(bool); shared || !given { // its default was true
			annotations[metalLB[0]+"allow-shared-ip"] = cmp.Or(text(endpoint, "sharedIPKey"), pool)
		}
		var ips []string
		for _, ip := range anyList(endpoint["loadBalancerIPs"]) {
			ips = append(ips, fmt.Sprint(ip))
		}
		if len(ips) > 0 {
			annotations[metalLB[0]+"loadBalancerIPs"] = strings.Join(ips, ",")
		}
		services[name] = map[string]any{"metadata": map[string]any{"annotations": annotations}, "spec": map[string]any{"type": "LoadBalancer"}}
	}
	_ = unstructured.SetNestedMap(m.spec, services, strings.Split(is, ".")...) // m.has says that it is not there
}

// validatePlacement checks what the definition of a PlacementAPI does not say.
func (s *Site) validatePlacement(add problem) {
	eachService(s, "spec.services.placement", s.Spec.Services.Placement, add, func(one serviceCheck, p *Placement) {
		c := &placementCheck{one}
		checkName(c.at+".name", p.Name, add)
		checkName(c.at+".namespace", p.Namespace, add)
		c.spec(p)
	})
}

// placementCheck checks one PlacementAPI.
type placementCheck struct{ serviceCheck }

func (c *placementCheck) spec(p *Placement) {
	spec := &p.Spec
	c.images("", map[string]string{"containerImage": spec.ContainerImage})
	secretName(c.at+".spec.secret", spec.Secret, c.add)
	if tls := spec.TLS; tls != nil {
		secretName(c.at+".spec.tls.caBundleSecretName", tls.CABundleSecretName, c.add)
		if tls.API != nil {
			for _, certificate := range []*PlacementCertificate{tls.API.Internal, tls.API.Public} {
				if certificate != nil {
					secretName(c.at+".spec.tls.api", certificate.SecretName, c.add)
				}
			}
		}
	}
	for i, line := range strings.Split(spec.CustomServiceConfig, "\n") {
		name, value, _ := strings.Cut(line, "=")
		//guard: a password of Placement's configuration is committed
		if name = strings.TrimSpace(name); !strings.HasPrefix(name, "#") && strings.TrimSpace(value) != "" && secretOption.MatchString(name) {
			c.say("customServiceConfig", "sets option %s in its line %d, which would be committed", redact.Plain(name), i+1)
		}
	}
	c.override(p)
	c.attachments(p)
}

func (c *placementCheck) override(p *Placement) {
	if p.Spec.Override == nil {
		return
	}
	for _, endpoint := range slices.Sorted(maps.Keys(p.Spec.Override.Service)) {
		at := "override.service." + redact.Plain(endpoint)
		service := p.Spec.Override.Service[endpoint]
		for _, text := range service.VIPs() {
			checkAddress(c.at+".spec."+at+".metadata.annotations", text, c.add)
		}
		if pool := service.Pool(); pool != "" && c.site.hasPools() && !c.site.hasPool(pool) {
			c.say(at+".metadata.annotations", "names the address pool %q, which spec.services.networks does not have", pool)
		}
	}
}

// attachments: a network that services name, and the Site does not have, is a mistake where the Site has networks in that namespace.
func (c *placementCheck) attachments(p *Placement) {
	has := map[string]bool{}
	for i := range c.site.Spec.Services.Networks {
		if n := &c.site.Spec.Services.Networks[i]; n.Namespace == p.Namespace && n.Attachment != "" {
			has[n.Name] = true
		}
	}
	for i, name := range p.Spec.NetworkAttachments {
		if len(has) > 0 && !has[name] {
			c.say(fmt.Sprintf("networkAttachments[%d]", i), "found %q, want one of spec.services.networks in namespace %s: %s", name, p.Namespace, keysOf(has))
		}
	}
}

// The annotations by which a Service asks MetalLB for addresses, in both of its domains.
var metalLB = []string{"metallb.universe.tf/", "metallb.io/"}

// VIPs are the addresses that a Service asks MetalLB for.
func (s *PlacementService) VIPs() []string {
	var out []string
	for _, domain := range metalLB {
		for _, text := range strings.Split(s.annotation(domain+"loadBalancerIPs"), ",") {
			if text = strings.TrimSpace(text); text != "" {
				out = append(out, text)
			}
		}
	}
	return out
}

// Pool is the address pool that a Service names, empty for none.
func (s *PlacementService) Pool() string {
	for _, domain := range metalLB {
		if pool := s.annotation(domain + "address-pool"); pool != "" {
			return pool
		}
	}
	return ""
}

func (s *PlacementService) annotation(key string) string {
	if s.Metadata == nil {
		return ""
	}
	return s.Metadata.Annotations[key]
}

func (s *Site) hasPools() bool {
	return slices.ContainsFunc(s.Spec.Services.Networks, func(n Network) bool { return n.Pool != nil })
}

func (s *Site) hasPool(name string) bool {
	return slices.ContainsFunc(s.Spec.Services.Networks, func(n Network) bool { return n.Pool != nil && n.Name == name })
}
