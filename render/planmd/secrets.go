package planmd

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/render/infra"
	siteobject "github.com/airshipit/sipgen/render/site"
	"github.com/airshipit/sipgen/render/site/ironic"
	"github.com/airshipit/sipgen/render/site/placement"
	"github.com/airshipit/sipgen/render/site/virtualhosts"
)

// writeSecrets lists what has to be there before the tree works, and how it is made. sipgen reads none of it. unnamed:
// the engine lacks the one that it reads the repository with.
func writeSecrets(out *bytes.Buffer, secrets []siteobject.Secret, unnamed bool) {
	if len(secrets) == 0 && !unnamed {
		return
	}
	out.WriteString("\n## Secrets to create\n\nCreate each from files with the names of its keys. sipgen neither reads nor renders these Secrets.\n\n")
	if unnamed {
		out.WriteString("- The one that Flux reads the repository with: by ssh it needs one, and `spec.flux.secretName` of the Site names none.\n\n")
	}
	for i := range secrets {
		fmt.Fprintf(out, "- %s %s/%s: %s\n\n", secrets[i].Kind, secrets[i].Namespace, secrets[i].Name, secrets[i].For)
		for _, command := range secrets[i].Commands() {
			for line := range strings.Lines(command) {
				fmt.Fprintf(out, "      %s\n", text.Line(strings.TrimSuffix(line, "\n")))
			}
		}
		out.WriteString("\n")
	}
}

// gitSecrets returns those that the repository is read with, and published to.
func (in In) gitSecrets() []siteobject.Secret {
	keys := []string{"username", "password"}
	if ssh, _ := in.Site.Spec.Repository.SSH(); ssh {
		keys = []string{"identity", "known_hosts"}
	}
	var secrets []siteobject.Secret
	add := func(name, purpose string) {
		if !slices.ContainsFunc(secrets, func(other siteobject.Secret) bool {
			return other.Name == name && slices.Equal(other.Keys, keys)
		}) {
			secrets = append(secrets, siteobject.Secret{Namespace: in.Namespace, Name: name, Kind: "Secret", For: purpose,
				Keys: keys})
		}
	}
	if name := in.Site.Spec.Flux.SecretName; name != "" && in.Site.Spec.Engine != v1alpha1.EngineArgoCD {
		own := keys
		if in.Site.Spec.Flux.Provider == v1alpha1.FluxProviderGitHub {
			keys = []string{"githubAppID", "githubAppInstallationID", "githubAppPrivateKey"}
		}
		add(name, "Flux reads the repository with it")
		keys = own
	}
	if in.Site.Spec.Runner != nil {
		secrets = append(secrets, siteobject.Secret{Namespace: in.Namespace, Name: in.Site.ConfigName(), Kind: "ConfigMap",
			Keys: []string{"site.yaml"},
			For:  "the runner reads the Site from it, and any specs that the Site names as files"})
		add(in.Site.GitSecretName(), "the runner publishes to the repository with it")
		if in.Site.Spec.Runner.Status != nil {
			add(in.Site.StatusSecretName(), "the CronJob that reports to the tenants reads the repository with it")
		}
	}
	return secrets
}

// serviceSecrets returns those of the site's own services.
func (in In) serviceSecrets() []siteobject.Secret {
	var secrets []siteobject.Secret
	services := &in.Site.Spec.Services
	for n := range services.Ironic {
		secrets = append(secrets, ironic.Secrets(&services.Ironic[n])...)
	}
	for n := range services.VirtualHosts {
		secrets = append(secrets, virtualhosts.Secrets(in.Site, &services.VirtualHosts[n])...)
	}
	for n := range services.Placement {
		secrets = append(secrets, placement.Secrets(&services.Placement[n])...)
	}
	return secrets
}

// tenantSecrets returns those that a cluster's services name.
func tenantSecrets(c *v1.SIPCluster) []siteobject.Secret {
	var secrets []siteobject.Secret
	add := func(kind, name, purpose string, keys ...string) {
		for i := range secrets {
			if secrets[i].Kind == kind && secrets[i].Name == name {
				for _, key := range keys {
					if !slices.Contains(secrets[i].Keys, key) {
						secrets[i].Keys = append(secrets[i].Keys, key)
					}
				}
				return
			}
		}
		secrets = append(secrets, siteobject.Secret{Namespace: c.Namespace, Name: name, Kind: kind, For: purpose,
			Keys: slices.Clone(keys)})
	}
	services := &c.Spec.Services
	for i := range services.LoadBalancerControlPlane {
		name := v1.ServiceName(v1.ListControlPlane, i, c.Name)
		check := services.LoadBalancerControlPlane[i].HealthCheck
		if check == nil || check.CA == nil {
			continue
		}
		for _, from := range []struct{ kind, name string }{
			{"Secret", check.CA.Secret}, {"ConfigMap", check.CA.ConfigMap},
		} {
			if from.name != "" {
				add(from.kind, from.name, "whose certificates the API servers behind "+name+" have",
					cmp.Or(check.CA.Key, v1.DefaultCAKey))
			}
		}
	}
	for i := range services.JumpHost {
		jump, name := &services.JumpHost[i], v1.ServiceName(v1.ListJumpHost, i, c.Name)
		keys := cmp.Or(jump.HostKeys, name+"-host-keys")
		add("Secret", keys, name+"'s own host keys, which the command generates", "ssh_host_ed25519_key")
		for n := range secrets {
			if secrets[n].Name == keys {
				secrets[n].Make = infra.HostKeysCommand(c.Namespace, keys)
			}
		}
		if jump.NodeSSHPrivateKeys != "" {
			add("Secret", jump.NodeSSHPrivateKeys, "the private keys that "+name+" logs in to the hosts with, under any names",
				"id_ed25519")
		}
	}
	for i := range services.Dex {
		dex, name := &services.Dex[i], v1.ServiceName(v1.ListDex, i, c.Name)
		if dex.TLS.IssuerRef == nil && dex.TLS.SecretName != "" {
			add("Secret", dex.TLS.SecretName, name+"'s certificate", siteobject.TLSKeys...)
		}
		for _, env := range dex.Env {
			add("Secret", env.SecretRef.Name, name+"'s connectors and clients", env.SecretRef.Key)
		}
	}
	return secrets
}
