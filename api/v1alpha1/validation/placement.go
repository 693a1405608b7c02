package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/redact"
)

// validatePlacement checks what the definition of a PlacementAPI does not say.
func validatePlacement(s *v1alpha1.Site, add Report) {
	in := map[string]*v1alpha1.Placement{}
	eachService(s, "spec.services.placement", s.Spec.Services.Placement, add,
		func(one serviceCheck, p *v1alpha1.Placement) {
			c := &placementCheck{one}
			checkName(c.at+".name", p.Name, add)
			checkName(c.at+".namespace", p.Namespace, add)
			if other := in[p.Namespace]; other != nil && other.Name != p.Name {
				add(c.at+".namespace", "found %q, which has PlacementAPI %q: placement-operator makes the Services "+
					"placement-internal and placement-public for each, want a namespace of its own", p.Namespace,
					other.Name)
			} else {
				in[p.Namespace] = p
			}
			c.spec(p)
		})
}

// placementCheck checks one PlacementAPI.
type placementCheck struct{ serviceCheck }

func (c *placementCheck) spec(p *v1alpha1.Placement) {
	spec := &p.Spec
	c.images("", map[string]string{"containerImage": spec.ContainerImage})
	secretName(c.at+".spec.secret", spec.Secret, c.add)
	if tls := spec.TLS; tls != nil {
		secretName(c.at+".spec.tls.caBundleSecretName", tls.CABundleSecretName, c.add)
		if tls.API != nil {
			for _, certificate := range []*v1alpha1.PlacementCertificate{tls.API.Internal, tls.API.Public} {
				if certificate != nil {
					secretName(c.at+".spec.tls.api", certificate.SecretName, c.add)
				}
			}
		}
	}
	for i, line := range strings.Split(spec.CustomServiceConfig, "\n") {
		name, value, _ := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !strings.HasPrefix(name, "#") && strings.TrimSpace(value) != "" &&
			secretOption.MatchString(name) {
			c.say("customServiceConfig", "sets option %s in its line %d, which would be committed",
				redact.Plain(name), i+1)
		}
	}
	c.override(p)
	c.attachments(p)
}

func (c *placementCheck) override(p *v1alpha1.Placement) {
	if p.Spec.Override == nil {
		return
	}
	for _, endpoint := range slices.Sorted(maps.Keys(p.Spec.Override.Service)) {
		at := "override.service." + redact.Plain(endpoint)
		service := p.Spec.Override.Service[endpoint]
		for _, text := range service.VIPs() {
			checkAddress(c.at+".spec."+at+".metadata.annotations", text, c.add)
		}
		if pool := service.Pool(); pool != "" && hasPools(c.site) && !hasPool(c.site, pool) {
			c.say(at+".metadata.annotations",
				"names the address pool %q, which spec.services.networks does not have", pool)
		}
	}
}

// attachments refuses a network that the Site does not have, if the Site has networks in that namespace.
func (c *placementCheck) attachments(p *v1alpha1.Placement) {
	has := map[string]bool{}
	for i := range c.site.Spec.Services.Networks {
		if n := &c.site.Spec.Services.Networks[i]; n.Namespace == p.Namespace && n.Attachment != "" {
			has[n.Name] = true
		}
	}
	for i, name := range p.Spec.NetworkAttachments {
		if len(has) > 0 && !has[name] {
			c.say(fmt.Sprintf("networkAttachments[%d]", i),
				"found %q, want one of spec.services.networks in namespace %s: %s", name, p.Namespace, keysOf(has))
		}
	}
}

func hasPools(s *v1alpha1.Site) bool {
	return slices.ContainsFunc(s.Spec.Services.Networks, func(n v1alpha1.Network) bool { return n.Pool != nil })
}

func hasPool(s *v1alpha1.Site, name string) bool {
	return slices.ContainsFunc(s.Spec.Services.Networks,
		func(n v1alpha1.Network) bool { return n.Pool != nil && n.Name == name })
}
