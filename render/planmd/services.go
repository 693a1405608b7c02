package planmd

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/internal/vino"
	"github.com/airshipit/sipgen/render/argocd"
	"github.com/airshipit/sipgen/render/site/virtualhosts"
)

// writeServices lists where the site's own services are reached, and which hosts ViNO makes.
func writeServices(out *bytes.Buffer, site *v1alpha1.Site) {
	services := &site.Spec.Services
	if len(services.Ironic)+len(services.VirtualHosts)+len(services.Placement) > 0 {
		out.WriteString("\n## Services of the site\n\n")
	}
	for n := range services.Ironic {
		writeIronic(out, &services.Ironic[n])
	}
	for n := range services.Placement {
		writePlacement(out, &services.Placement[n])
	}
	for n := range services.VirtualHosts {
		v := &services.VirtualHosts[n]
		fmt.Fprintf(out, "- Virtual hosts `%s`", v.Key())
		if len(v.Tenants) > 0 {
			fmt.Fprintf(out, " for %s", strings.Join(v.Tenants, ", "))
		}
		if preview, _ := vino.Of(v); len(v.Nodes) > 0 { // rendering reports addresses that run out
			fmt.Fprintf(out, ": %s on %s, see `%s/hosts.tsv`", text.Count(len(preview.Hosts), "host"),
				text.Count(len(preview.Nodes), "node"), virtualhosts.Folder(v))
		}
		out.WriteString("\n")
	}
	for n := range services.VirtualHosts {
		if site.Spec.Engine == v1alpha1.EngineArgoCD {
			writeVinoCredentials(out, &services.VirtualHosts[n])
		}
	}
}

// writeIronic tells where an Ironic answers, and the names in its certificate: those that the baremetal-operator and
// the hosts call it by, and the one by which Ironic calls its database, if both have one certificate.
func writeIronic(out *bytes.Buffer, i *v1alpha1.Ironic) {
	spec, scheme := &i.Spec, "http"
	service := i.Name + "." + i.Namespace + ".svc" // as the baremetal-operator has it
	names := []string{service}
	addresses := []string{spec.Networking.IPAddress, spec.Networking.ExternalIP}
	if k := spec.Networking.Keepalived; k != nil {
		for _, vip := range k.AdditionalVIPs {
			addresses = append(addresses, vip.IPAddress)
		}
	}
	for _, address := range addresses {
		if address != "" && !slices.Contains(names, address) {
			names = append(names, address)
		}
	}
	if spec.TLS.CertificateName != "" {
		scheme = "https"
	}
	fmt.Fprintf(out, "- Ironic `%s`: `%s://%s` in the cluster", i.Key(), scheme, service)
	for _, address := range names[1:] {
		if a, err := netip.ParseAddr(address); err == nil {
			fmt.Fprintf(out, ", `%s://%s`", scheme, netip.AddrPortFrom(a, uint16(v1alpha1.IronicPorts(spec)[0].Port)))
		}
	}
	certificate, database := spec.TLS.CertificateName, ""
	if i.MariaDB != nil {
		database = i.MariaDB.TLSCertificateName
	}
	host := ""
	if database != "" {
		host = i.Database().Host
	}
	if database == certificate && host != "" {
		names = append(names, host)
	}
	if certificate != "" {
		fmt.Fprintf(out, ". Names in the certificate `%s`: `%s`", certificate, strings.Join(names, "`, `"))
		if spec.Networking.IPAddress == "" {
			out.WriteString(", and the address of each node that runs it")
		}
	}
	if database != certificate && host != "" {
		fmt.Fprintf(out, ". Name in the database's certificate `%s`: `%s`", database, host)
	}
	out.WriteString("\n")
}

// writePlacement names the Services that the operator makes for a PlacementAPI, with their addresses.
func writePlacement(out *bytes.Buffer, p *v1alpha1.Placement) {
	const port = 8778
	for _, endpoint := range []string{"internal", "public"} {
		var vips []string
		if p.Spec.Override != nil {
			service := p.Spec.Override.Service[endpoint]
			vips = service.VIPs()
		}
		fmt.Fprintf(out, "- Placement `%s`, %s: `%s://placement-%s.%s.svc:%d`", p.Key(), endpoint, p.Spec.Scheme(endpoint),
			endpoint, p.Namespace, port)
		if len(vips) > 0 {
			fmt.Fprintf(out, " at `%s`. Clients outside the cluster need this name in DNS or in their hosts files",
				strings.Join(vips, "`, `"))
		}
		out.WriteString("\n")
	}
}

// writeVinoCredentials explains how a Vino gets its credentials if the engine puts none in.
func writeVinoCredentials(out *bytes.Buffer, v *v1alpha1.VirtualHosts) {
	fmt.Fprintf(out, "\n### Credentials of virtual hosts %s\n", v.Key())
	out.WriteString("\nGit has no credentials for its BMCs, and Argo CD puts none in: until the Vino has them, the guard denies its sync. Write them to a file\n" +
		"`credentials.yaml` that is not committed, and make the Vino once, in the folder of this tree. The last command alone changes them later.\n\n")
	for line := range strings.Lines(virtualhosts.CredentialsFile(v)) {
		out.WriteString("    " + line)
	}
	out.WriteString("\n")
	for _, command := range virtualhosts.CredentialsCommands(v, argocd.Manager) {
		out.WriteString("    " + command + "\n")
	}
}
