package render

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	siteobject "github.com/airshipit/sipgen/render/site"
	"github.com/airshipit/sipgen/render/site/ironic"
)

// servicesMarkdown is what PLAN.md says of the site's own services.
func (s *site) servicesMarkdown(out *bytes.Buffer) {
	if !s.hasServices() {
		return
	}
	out.WriteString("\n## Services of the site\n")
	var secrets []siteobject.Secret
	for n := range s.Site.Spec.Services.Ironic {
		i := &s.Site.Spec.Services.Ironic[n]
		ironicMarkdown(out, i)
		secrets = append(secrets, ironic.Secrets(i)...)
	}
	secretsMarkdown(out, secrets)
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

// secretsMarkdown lists what has to be there before the services work, and how it is made. sipgen reads none of it.
func secretsMarkdown(out *bytes.Buffer, secrets []siteobject.Secret) {
	if len(secrets) == 0 {
		return
	}
	out.WriteString("\n### Secrets that somebody has to make\n\nEach is made from files that are called as its keys are. sipgen reads and renders none of them.\n\n")
	for i := range secrets {
		fmt.Fprintf(out, "- %s %s/%s: %s\n\n", secrets[i].Kind, secrets[i].Namespace, secrets[i].Name, secrets[i].For)
		for _, command := range secrets[i].Commands() {
			fmt.Fprintf(out, "      %s\n", command)
		}
		out.WriteString("\n")
	}
}
