package v1alpha1

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	ironic "github.com/airshipit/sipgen/api/ironic/v1alpha1"
	"github.com/airshipit/sipgen/internal/redact"
)

func (c *ironicCheck) tls(tls *ironic.TLS) {
	secretName(c.at+".spec.tls.certificateName", tls.CertificateName, c.add)
	reference := func(field string, r *ironic.ResourceReference) {
		if r.Name == "" {
			c.say(field+".name", "missing")
		}
		optionalName(c.at+".spec."+field+".name", r.Name, c.add)
		oneOf(c.add, c.at+".spec."+field+".kind", r.Kind, ironic.ResourceKindConfigMap, ironic.ResourceKindSecret)
	}
	if tls.BMCCA != nil {
		reference("tls.bmcCA", tls.BMCCA)
	}
	if tls.TrustedCA != nil {
		reference("tls.trustedCA", &tls.TrustedCA.ResourceReference)
	}
}

func (c *ironicCheck) ramdisk(ramdisk *ironic.DeployRamdisk) {
	//guard: a private key is committed
	if key := ramdisk.SSHKey; key != "" && !publicKey.MatchString(key) {
		c.say("deployRamdisk.sshKey", "found %d bytes that are no public key (not shown), want one, as in ssh-ed25519 AAAA…", len(key))
	}
	if strings.ContainsAny(ramdisk.ExtraKernelParams, "\r\n") {
		c.say("deployRamdisk.extraKernelParams", "found more than one line, want one")
	}
}

// option is one of Ironic's configuration, which is in the open.
func (c *ironicCheck) option(at string, option ironic.ExtraConfig) {
	if option.Name == "" {
		c.say(at+".name", "missing")
	}
	for _, part := range []struct{ field, value string }{{"group", option.Group}, {"name", option.Name}} {
		if strings.ContainsAny(part.value, " \t\r\n[]=#") {
			c.say(at+"."+part.field, "found %q, want a name", part.value)
		}
	}
	//guard: a password of Ironic's configuration is committed
	if secretOption.MatchString(option.Name) && option.Value != "" {
		c.say(at+".value", "is of option %s and would be committed: want it in a Secret that the Ironic names", redact.Plain(option.Name))
	}
	if strings.ContainsAny(option.Value, "\r\n") {
		c.say(at+".value", "found more than one line, want one")
	}
}

// images: a reference to an image has no room for a login.
func (c *ironicCheck) images(images *ironic.Images) {
	for _, image := range []struct{ field, value string }{
		{"images.ironic", images.Ironic}, {"images.deployRamdiskDownloader", images.DeployRamdiskDownloader}, {"images.keepalived", images.Keepalived},
	} {
		c.image(image.field, image.value)
	}
	if branch := images.DeployRamdiskBranch; branch != "" && !ramdiskBranch.MatchString(branch) {
		c.say("images.deployRamdiskBranch", "found %q, want a branch", branch)
	}
}

func (c *ironicCheck) image(field, image string) {
	//guard: a login for a registry is committed
	checkImage(c.at+".spec."+field, image, c.add)
}

// containers are those that Ironic's pods have besides, which are in the open.
func (c *ironicCheck) containers(at string, list []corev1.Container) {
	for i := range list {
		c.image(fmt.Sprintf("%s[%d].image", at, i), list[i].Image)
		for n, e := range list[i].Env {
			//guard: a password of a container of Ironic's is committed
			if e.Value != "" && secretOption.MatchString(e.Name) {
				c.say(fmt.Sprintf("%s[%d].env[%d].value", at, i, n), "is of %s and would be committed: want valueFrom a Secret", redact.Plain(e.Name))
			}
		}
	}
}

var ramdiskBranch = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]*$`)

func (c *ironicCheck) prometheus(p *ironic.PrometheusExporter) {
	if p == nil {
		return
	}
	address := c.address("prometheusExporter.bindAddress", p.BindAddress)
	if p.Enabled && !p.DisableServiceMonitor && address.IsValid() && address.IsLoopback() {
		c.say("prometheusExporter.bindAddress", "found %s, which no Prometheus reaches: want another one, or disableServiceMonitor: true", address)
	}
	if n := p.SensorCollectionInterval; n != 0 && n < 60 {
		c.say("prometheusExporter.sensorCollectionInterval", "found %d, want 60 seconds or more", n)
	}
}

func (c *ironicCheck) agentImages(images []ironic.AgentImages) {
	first := map[ironic.CPUArchitecture]int{}
	for i, image := range images {
		at := fmt.Sprintf("overrides.agentImages[%d].", i)
		c.imageURL(at+"kernel", image.Kernel)
		c.imageURL(at+"initramfs", image.Initramfs)
		oneOf(c.add, c.at+".spec."+at+"architecture", string(image.Architecture), "", string(ironic.ArchX86_64), string(ironic.ArchAarch64))
		if other, twice := first[image.Architecture]; twice {
			c.say(at+"architecture", "found %q, which agentImages[%d] is for", string(image.Architecture), other)
		} else {
			first[image.Architecture] = i
		}
	}
}

func (c *ironicCheck) imageURL(field, raw string) {
	parsed, err := url.Parse(raw)
	switch {
	case raw == "":
		c.say(field, "missing: the URL of the image")
	case err != nil || parsed.User != nil:
		c.say(field, "is no URL, or one with a login in it (not shown)")
	case parsed.Scheme == "file" && parsed.Host == "" && path.IsAbs(parsed.Path):
	case (parsed.Scheme == "http" || parsed.Scheme == "https" || parsed.Scheme == "oci") && parsed.Host != "":
	default:
		c.say(field, "found %q, want file:///PATH, http://, https:// or oci:// with a host", raw)
	}
}

func (c *ironicCheck) switches(service *ironic.NetworkingService) {
	secretName(c.at+".spec.networkingService.switchConfigSecretName", service.SwitchConfigSecretName, c.add)
	secretName(c.at+".spec.networkingService.switchCredentialsSecretName", service.SwitchCredentialsSecretName, c.add)
	types := []string{"idle", "inspection", "cleaning", "rescuing", "servicing", "provisioning"}
	first := map[ironic.ProviderNetworkType]int{}
	for i := range service.ProviderNetworks {
		network := &service.ProviderNetworks[i]
		at := fmt.Sprintf("networkingService.providerNetworks[%d].", i)
		oneOf(c.add, c.at+".spec."+at+"type", string(network.Type), types...)
		if other, twice := first[network.Type]; twice {
			c.say(at+"type", "found %q, which providerNetworks[%d] is", string(network.Type), other)
		} else {
			first[network.Type] = i
		}
		c.provider(at, network)
	}
}

func (c *ironicCheck) provider(at string, network *ironic.ProviderNetworkConfig) {
	mode := network.Mode
	set(&mode, ironic.SwitchportModeAccess) // the CRD's default
	oneOf(c.add, c.at+".spec."+at+"mode", string(mode), "access", "trunk", "hybrid")
	if network.NativeVLAN < 1 || network.NativeVLAN > 4094 {
		c.say(at+"nativeVLAN", "found %d, want 1 to 4094", network.NativeVLAN)
	}
	if network.MTU != 0 && (network.MTU < 1280 || network.MTU > 9216) {
		c.say(at+"mtu", "found %d, want 1280 to 9216", network.MTU)
	}
	switch {
	case mode == ironic.SwitchportModeAccess && len(network.AllowedVLANs) > 0:
		c.say(at+"allowedVLANs", "given in mode access, which has one VLAN")
	case mode != ironic.SwitchportModeAccess && len(network.AllowedVLANs) == 0:
		c.say(at+"allowedVLANs", "missing: mode %s needs them", redact.Plain(string(mode)))
	}
	for i, text := range network.AllowedVLANs {
		if !isVLANs(text) {
			c.say(fmt.Sprintf("%sallowedVLANs[%d]", at, i), "found %q, want a VLAN or a range of them within 1 to 4094, as in 100-200", text)
		}
	}
}

// isVLANs: a VLAN, or two of them with a dash, the lower one first.
func isVLANs(text string) bool {
	from, to, isRange := strings.Cut(text, "-")
	low, err := strconv.Atoi(strings.TrimSpace(from))
	high := low
	if isRange && err == nil {
		high, err = strconv.Atoi(strings.TrimSpace(to))
	}
	return err == nil && low >= 1 && high <= 4094 && (low < high || !isRange && low == high)
}
