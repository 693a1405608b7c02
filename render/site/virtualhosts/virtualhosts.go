// Package virtualhosts renders the Vinos of a site, and next to each the hosts that ViNO will make of it. ViNO owns
// the hosts: no BareMetalHost is rendered.
package virtualhosts

import (
	"fmt"
	"maps"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/vino"
	"github.com/airshipit/sipgen/render/object"
	siteobject "github.com/airshipit/sipgen/render/site"
)

// root has a folder for each Vino.
const root = "site/virtual-hosts/"

// hostsFile lists the hosts that ViNO will make. It is no object: no engine applies it.
const hostsFile = "hosts.tsv"

// The variables that Flux puts in place of. The quote keeps a value a string, whatever it looks like: Flux writes it
// into YAML as it is.
const (
	QuoteVariable    = "sipgen_quote"
	Quote            = "'"
	UsernameVariable = "bmc_username"
	PasswordVariable = "bmc_password"
)

// Folder returns that of a Vino in the tree. A namespace has no dots.
func Folder(v *v1alpha1.VirtualHosts) string { return root + v.Group() }

// Files returns those of all Vinos, by their paths in the tree.
func Files(site *v1alpha1.Site) (map[string][]byte, error) {
	var problems manifest.Problems
	files := map[string][]byte{}
	for n := range site.Spec.Services.VirtualHosts {
		v := &site.Spec.Services.VirtualHosts[n]
		preview, short := vino.Of(v)
		if short != nil {
			problems.Add(short.Problem(site, n, len(preview.Hosts)))
		}
		content, err := object.Marshal(vinoObject(site, v))
		problems.Add(err)
		kustomization, err := object.Marshal(object.NewKustomization("vino.yaml"))
		problems.Add(err)
		folder := Folder(v) + "/"
		maps.Copy(files, map[string][]byte{folder + "vino.yaml": content, folder + "kustomization.yaml": kustomization,
			folder + hostsFile: list(preview)})
	}
	return files, problems.Err()
}

// vinoObject returns the Vino. Its credentials are variables with Flux; with Argo CD it has none, and the operator
// owns that field. Every host gets a label for grants, and
// one for each network.
func vinoObject(site *v1alpha1.Site, v *v1alpha1.VirtualHosts) any {
	spec := v.Spec.Object()
	if site.Spec.Engine != v1alpha1.EngineArgoCD {
		// Between single quotes YAML reads two of them as one.
		variable := func(name string) string {
			return "${" + QuoteVariable + "}${" + name + "//'/''}${" + QuoteVariable + "}"
		}
		spec["bmcCredentials"] = map[string]any{"username": variable(UsernameVariable),
			"password": variable(PasswordVariable)}
	}
	sets, _ := spec["nodes"].([]any)
	for i, set := range sets {
		if set, ok := set.(map[string]any); ok {
			set["bmhLabels"] = v.HostLabels(&v.Spec.Nodes[i])
		}
	}
	return siteobject.Object(site, upstream.Vino, v.Namespace, v.Name, spec)
}

// list has a line for each host: name, node, boot MAC, and on each network the address and the MAC.
func list(preview *vino.Preview) []byte {
	out := []byte("# What ViNO will make of vino.yaml: host, node, boot MAC, and by network the address and the MAC. Rendered by sipgen; nothing applies it.\n")
	for i := range preview.Hosts {
		h := &preview.Hosts[i]
		out = append(out, h.Namespace+"/"+h.Name+"\t"+h.Node+"\t"+h.BootMAC...)
		for _, iface := range h.Interfaces {
			out = append(out, "\t"+iface.Network+"="+iface.IP.String()+"="+iface.MAC...)
		}
		out = append(out, '\n')
	}
	return out
}

// CredentialsManager is the field manager that has a Vino's credentials where the engine puts none in.
const CredentialsManager = "bmc-credentials"

// CredentialsFile returns the file with which an operator gives credentials to a Vino, if no engine does. It is never
// in the tree.
func CredentialsFile(v *v1alpha1.VirtualHosts) string {
	return fmt.Sprintf("apiVersion: airship.airshipit.org/v1\nkind: Vino\nmetadata: {namespace: %s, name: %s}\n"+
		"spec: {bmcCredentials: {username: ..., password: ...}}\n", v.Namespace, v.Name)
}

// CredentialsCommands make a Vino in the folder of the tree, from that file: whole, since ViNO acts on half of one,
// and in the name of Argo CD's manager, so that what leaves git leaves the Vino; then the credentials in a name of
// their own, so that they stay. The second alone changes them. Server-side, since kubectl otherwise keeps a copy of
// the password in an annotation.
func CredentialsCommands(v *v1alpha1.VirtualHosts, manager string) []string {
	const file = " -f credentials.yaml"
	return []string{
		"kubectl patch --local -f " + Folder(v) + "/vino.yaml --type merge --patch-file credentials.yaml -o yaml | kubectl apply --server-side --field-manager=" + manager + " -f -",
		"kubectl apply --server-side --field-manager=" + CredentialsManager + file,
	}
}

// Secrets returns those that the Vinos need. Flux reads them, in its own namespace.
func Secrets(site *v1alpha1.Site, v *v1alpha1.VirtualHosts) []siteobject.Secret {
	var secrets []siteobject.Secret
	if site.Spec.Engine != v1alpha1.EngineArgoCD {
		secrets = append(secrets, siteobject.Secret{
			Namespace: site.Spec.Flux.Namespace, Name: v.CredentialsSecret, Kind: "Secret",
			For:  "the BMCs of Vino " + v.Key() + ", which Flux puts into it; no value may have a ' or a line end",
			Keys: []string{UsernameVariable, PasswordVariable},
		})
	}
	named := map[v1alpha1.VinoNamespacedName]bool{}
	for _, set := range v.Spec.Nodes {
		if t := set.NetworkDataTemplate; !named[t] {
			named[t] = true
			secrets = append(secrets, siteobject.Secret{
				Namespace: t.Namespace, Name: t.Name, Kind: "Secret", For: "the template of the hosts' network data",
				Keys: []string{"template"},
			})
		}
	}
	return secrets
}
