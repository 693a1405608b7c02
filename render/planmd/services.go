package planmd

import (
	"bytes"
	"fmt"
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
	if len(services.Ironic)+len(services.VirtualHosts) > 0 {
		out.WriteString("\n## Services of the site\n\n")
	}
	for n := range services.Ironic {
		i := &services.Ironic[n]
		fmt.Fprintf(out, "- Ironic `%s`", i.Key())
		if address := i.Spec.Networking.IPAddress; address != "" {
			fmt.Fprintf(out, ": `%s`", address)
		}
		out.WriteString("\n")
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
