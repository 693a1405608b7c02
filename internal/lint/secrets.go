package lint

import (
	"cmp"
	"fmt"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
)

// secrets finds referenced Secrets that are missing, by name. Files seldom have all Secrets, least of all those of
// BMCs: if a namespace has no known Secret of a kind, that kind is not checked there.
func (c *checker) secrets() {
	powered := map[string]bool{}
	for i := range c.Hosts {
		if host := &c.Hosts[i]; c.Secrets[host.Namespace+"/"+host.BMC.CredentialsName] {
			powered[host.Namespace] = true
		}
	}
	for i := range c.Hosts {
		host := &c.Hosts[i]
		for _, warning := range host.Warnings {
			// As the inventory writes it, where it looked for a host's network data.
			if strings.HasPrefix(warning, "network data Secret ") && strings.HasSuffix(warning, " is not in the inventory") {
				c.host(finding.Secret, finding.Warning, host, "spec.networkData", warning,
					"add the Secret, or the annotation sip.airshipit.org/address.<network> to the host")
			}
		}
		if name := host.BMC.CredentialsName; name != "" && powered[host.Namespace] && !c.Secrets[host.Namespace+"/"+name] {
			c.host(finding.Secret, finding.Warning, host, "spec.bmc.credentialsName", unknown(host.Namespace, name),
				"add the Secret, or correct the name")
		}
	}
	served := map[string]bool{}
	for i := range c.Clusters {
		for _, ref := range secretRefs(&c.Clusters[i]) {
			if namespace := c.Clusters[i].Namespace; c.Secrets[namespace+"/"+ref.name] {
				served[namespace] = true
			}
		}
	}
	for i := range c.Clusters {
		cluster := &c.Clusters[i]
		for _, ref := range secretRefs(cluster) {
			if served[cluster.Namespace] && !c.Secrets[cluster.Namespace+"/"+ref.name] {
				c.cluster(finding.Secret, finding.Warning, cluster, ref.field, unknown(cluster.Namespace, ref.name), ref.fix)
			}
		}
	}
}

func unknown(namespace, name string) string {
	return fmt.Sprintf("Secret %s/%s is not among the Secrets in the input", namespace, name)
}

type secretRef struct{ field, name, fix string }

// secretRefs returns the Secrets of its namespace that a cluster's services need and sipgen does not render.
func secretRefs(c *v1.SIPCluster) []secretRef {
	const add = "add the Secret, or correct the name"
	var out []secretRef
	for i := range c.Spec.Services.JumpHost {
		jump := &c.Spec.Services.JumpHost[i]
		field := fmt.Sprintf("spec.services.%s[%d]", v1.ListJumpHost, i)
		if jump.NodeSSHPrivateKeys != "" {
			out = append(out, secretRef{field + ".nodeSSHPrivateKeys", jump.NodeSSHPrivateKeys, add})
		}
		name := v1.ServiceName(v1.ListJumpHost, i, c.Name)
		out = append(out, secretRef{field + ".hostKeys", cmp.Or(jump.HostKeys, name+"-host-keys"),
			"generate the jump host's own keys with ssh-keygen, and add the Secret"})
	}
	for i := range c.Spec.Services.Dex {
		dex := &c.Spec.Services.Dex[i]
		field := fmt.Sprintf("spec.services.%s[%d]", v1.ListDex, i)
		if dex.TLS.IssuerRef == nil && dex.TLS.SecretName != "" {
			out = append(out, secretRef{field + ".tls.secretName", dex.TLS.SecretName, add})
		}
		seen := map[string]bool{}
		for j := range dex.Env {
			if name := dex.Env[j].SecretRef.Name; !seen[name] {
				seen[name] = true
				out = append(out, secretRef{fmt.Sprintf("%s.env[%d].secretRef.name", field, j), name, add})
			}
		}
	}
	return out
}
