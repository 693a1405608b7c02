package lint

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
)

func labelSet(set map[string]string) labels.Set { return labels.Set(set) }

// secrets are Secrets that somebody names and nobody has. Only names are looked at.
func (c *checker) secrets() {
	for i := range c.Hosts {
		host := &c.Hosts[i]
		for _, warning := range host.Warnings {
			// As the inventory writes it, where it looked for a host's network data.
			if strings.HasPrefix(warning, "network data Secret ") && strings.HasSuffix(warning, " is not in the inventory") {
				c.host(codeSecret, Warning, host, "spec.networkData", warning, "add the Secret, or the annotation sip.airshipit.org/address.<network> to the host")
			}
		}
		if name := host.BMC.CredentialsName; name != "" && c.absent(host.Namespace, name) {
			c.host(codeSecret, Warning, host, "spec.bmc.credentialsName", fmt.Sprintf("Secret %s/%s is not among those known", host.Namespace, name), "add the Secret, or correct the name")
		}
	}
	for i := range c.Clusters {
		cluster := &c.Clusters[i]
		for _, ref := range secretRefs(cluster) {
			if c.absent(cluster.Namespace, ref.name) {
				c.cluster(codeSecret, Warning, cluster, ref.field, fmt.Sprintf("Secret %s/%s is not among those known", cluster.Namespace, ref.name), ref.mend)
			}
		}
	}
}

func (c *checker) absent(namespace, name string) bool {
	if c.namespaces == nil {
		c.namespaces = map[string]bool{}
		for known, is := range c.Secrets {
			if is {
				c.namespaces[strings.SplitN(known, "/", 2)[0]] = true
			}
		}
	}
	return c.namespaces[namespace] && !c.Secrets[namespace+"/"+name]
}

type secretRef struct{ field, name, mend string }

// secretRefs are the Secrets of its namespace that a cluster's services need and sipgen does not render.
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
		out = append(out, secretRef{field + ".hostKeys", cmp.Or(jump.HostKeys, name+"-host-keys"), "make the host's keys as docs/services.md says, and add the Secret"})
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
