package render

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/internal/vino"
	"github.com/airshipit/sipgen/render/site/ironic"
	"github.com/airshipit/sipgen/render/site/virtualhosts"
)

// servicesMarkdown is what PLAN.md says of the site's own services.
func (s *site) servicesMarkdown(out *bytes.Buffer) {
	if !s.hasServices() {
		return
	}
	out.WriteString("\n## Services of the site\n")
	s.orderMarkdown(out)
	for n := range s.Site.Spec.Services.Ironic {
		i := &s.Site.Spec.Services.Ironic[n]
		ironicMarkdown(out, i)
	}
	for n := range s.Site.Spec.Services.VirtualHosts {
		v := &s.Site.Spec.Services.VirtualHosts[n]
		vinoMarkdown(out, v)
		if s.Site.Spec.Engine == v1alpha1.EngineArgoCD {
			vinoCredentialsMarkdown(out, v)
		}
	}
}

// maxListed is how many nodes, and hosts, of a Vino PLAN.md shows.
const maxListed = 50

// vinoMarkdown shows the hosts that ViNO will make.
func vinoMarkdown(out *bytes.Buffer, v *v1alpha1.VirtualHosts) {
	fmt.Fprintf(out, "\n### Virtual hosts %s\n\n", v.Key())
	if len(v.Tenants) > 0 {
		fmt.Fprintf(out, "For tenants %s only.\n\n", strings.Join(v.Tenants, ", "))
	}
	if len(v.Nodes) == 0 {
		out.WriteString("Its nodes are not listed in the Site: which hosts there will be is not known.\n")
		return
	}
	preview, _ := vino.Of(v) // what runs short is an error of the rendering
	fmt.Fprintf(out, "ViNO makes %d hosts on %d nodes, if it comes to the nodes in this order. They are not there before it has.\n\n",
		len(preview.Hosts), len(preview.Nodes))
	out.WriteString(text.TableHead("node", "network", "bridge", "DHCP"))
	for i := range preview.Nodes[:min(maxListed, len(preview.Nodes))] {
		for _, n := range preview.Nodes[i].Networks {
			out.WriteString(text.TableRow(preview.Nodes[i].Name, n.Network, n.BridgeIP.String()+" "+n.BridgeMAC, n.DHCP.String()))
		}
	}
	out.WriteString("\n" + text.TableHead("host", "boot MAC", "addresses"))
	for i := range preview.Hosts[:min(maxListed, len(preview.Hosts))] {
		h := &preview.Hosts[i]
		var addresses []string
		for _, iface := range h.Interfaces {
			addresses = append(addresses, iface.Network+" "+iface.IP.String())
		}
		out.WriteString(text.TableRow(h.Namespace+"/"+h.Name, h.BootMAC, strings.Join(addresses, ", ")))
	}
	if more := len(preview.Hosts) - maxListed; more > 0 {
		fmt.Fprintf(out, "\nand %d more, in %s/hosts.tsv\n", more, virtualhosts.Folder(v))
	}
}

// vinoCredentialsMarkdown says how a Vino comes by its credentials where the engine puts none in.
func vinoCredentialsMarkdown(out *bytes.Buffer, v *v1alpha1.VirtualHosts) {
	out.WriteString("\nGit has no credentials for its BMCs, and Argo CD puts none in: until the Vino has them, the guard denies its sync. Write them to a file\n" +
		"`credentials.yaml` that is not committed, and make the Vino once, in the folder of this tree. The last command alone changes them later.\n\n")
	for line := range strings.Lines(virtualhosts.CredentialsFile(v)) {
		out.WriteString("    " + line)
	}
	out.WriteString("\n")
	for _, command := range virtualhosts.CredentialsCommands(v, argoManager) {
		out.WriteString("    " + command + "\n")
	}
}

func ironicMarkdown(out *bytes.Buffer, i *v1alpha1.Ironic) {
	fmt.Fprintf(out, "\n### Ironic %s\n\n", i.Key())
	var parts []string
	if i.Spec.Version != "" {
		parts = append(parts, "version "+i.Spec.Version)
	} else {
		parts = append(parts, "the operator's default version")
	}
	if i.Spec.HighAvailability {
		parts = append(parts, "highly available (the operator needs its feature gate HighAvailability)")
	}
	if net := &i.Spec.Networking; net.IPAddress != "" {
		parts = append(parts, "address "+net.IPAddress)
	}
	if dhcp := i.Spec.Networking.DHCP; dhcp != nil {
		parts = append(parts, "DHCP "+dhcp.RangeBegin+" to "+dhcp.RangeEnd+" in "+dhcp.NetworkCIDR)
	}
	if db := i.Database(); db != nil {
		parts = append(parts, "database "+db.Name+" on "+db.Host)
	} else {
		parts = append(parts, "no database: it forgets all hosts when its pod restarts")
	}
	if i.BMOConfigMap {
		parts = append(parts, "the baremetal-operator in "+i.BMONamespace+" finds it by ConfigMap "+ironic.ConfigMap)
	}
	fmt.Fprintf(out, "- %s\n", strings.Join(parts, "\n- "))
	if i.Spec.TLS.CertificateName != "" {
		fmt.Fprintf(out, "- The operator owns Secret %s from then on: whoever deletes the Ironic deletes its certificate.\n", i.Spec.TLS.CertificateName)
	}
}
