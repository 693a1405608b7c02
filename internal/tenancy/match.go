package tenancy

import (
	"cmp"
	"net/netip"
	"path"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
)

// MayHaveAddress reports whether the Site grants an address to the tenant of a cluster.
func (t *Tenants) MayHaveAddress(c *v1.SIPCluster, ip netip.Addr) bool {
	tenant := t.Of(c.Namespace)
	return tenant != nil && tenant.mayHave(ip)
}

// mayHave reports whether the tenant may ask for an address.
func (t *Tenant) mayHave(ip netip.Addr) bool {
	return slices.ContainsFunc(t.Addresses, func(network string) bool {
		prefix, err := netip.ParsePrefix(network)
		return err == nil && prefix.Contains(ip.Unmap())
	})
}

// mayName reports whether the tenant may name all of the ports. Adjacent ranges of one tenant count as one.
func (t *Tenant) mayName(ports v1.PortRange) bool {
	ranges := slices.SortedFunc(slices.Values(t.NodePorts),
		func(a, b v1alpha1.NodePorts) int { return int(a.Start - b.Start) })
	next := ports.Start
	for _, r := range ranges {
		if r.Start <= next && next <= r.End {
			next = r.End + 1
		}
	}
	return next > ports.End
}

// maySpeakFor reports whether a host name or an address is in the tenant's issuer domains.
func (t *Tenant) maySpeakFor(host string) bool {
	host = strings.ToLower(host)
	if ip, err := netip.ParseAddr(host); err == nil {
		return slices.ContainsFunc(t.IssuerDomains, func(domain string) bool {
			granted, err := netip.ParseAddr(domain)
			return err == nil && granted.Unmap() == ip.Unmap()
		})
	}
	return host != "" && slices.ContainsFunc(t.IssuerDomains, func(domain string) bool {
		return host == domain || strings.HasSuffix(host, "."+domain)
	})
}

// mayAsk reports whether the tenant may use a certificate issuer. kind and group may be empty, as in a spec.
func (t *Tenant) mayAsk(ref v1.IssuerRef) bool {
	group, kind := cmp.Or(ref.Group, "cert-manager.io"), kindOf(ref)
	return slices.ContainsFunc(t.CertificateIssuers, func(granted string) bool {
		if strings.Count(granted, "/") == 1 {
			granted = "cert-manager.io/" + granted
		}
		parts := strings.Split(granted, "/")
		return len(parts) == 3 && parts[0] == group && parts[1] == kind && matches(parts[2], ref.Name)
	})
}

// mayRun reports whether the tenant may use an image. An image without a registry is Docker Hub's. An invalid
// reference, such as one with "..", is not allowed, because a registry's proxy may read it otherwise.
func (t *Tenant) mayRun(image string) bool {
	if !validation.IsImage(image) {
		return false
	}
	name, _, _ := v1.SplitImage(image)
	full := v1.HubName(image)
	return slices.ContainsFunc(t.Images, func(pattern string) bool {
		return pattern == "*" || imageMatches(pattern, name) || imageMatches(pattern, full)
	})
}

func imageMatches(pattern, name string) bool {
	if folder, all := strings.CutSuffix(pattern, "/*"); all {
		// Anything below: as many parts of the name as the pattern has are compared.
		parts := strings.Split(name, "/")
		n := strings.Count(folder, "/") + 1
		return len(parts) > n && matches(folder, strings.Join(parts[:n], "/"))
	}
	return matches(pattern, name)
}

// mayAttach reports whether the tenant may use a NetworkAttachmentDefinition. own is the pod's namespace.
func (t *Tenant) mayAttach(own, namespace, name string) bool {
	if namespace == "" || namespace == own {
		return true
	}
	return slices.ContainsFunc(t.NetworkAttachments,
		func(pattern string) bool { return matches(pattern, namespace+"/"+name) })
}

// mayTakeFrom reports whether the tenant may name a pool of addresses.
func (t *Tenant) mayTakeFrom(pool string) bool {
	return slices.ContainsFunc(t.AddressPools, func(pattern string) bool { return matches(pattern, pool) })
}

// matches compares a name with a pattern, in which "*" is anything but a slash. Brackets and backslashes are in no
// valid pattern.
func matches(pattern, name string) bool {
	matched, err := path.Match(pattern, name)
	return err == nil && matched
}
