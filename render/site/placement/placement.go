// Package placement renders the PlacementAPIs of a site, for openstack-k8s-operators.
package placement

import (
	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/render/object"
	siteobject "github.com/airshipit/sipgen/render/site"
)

// Folder is where the objects are in the tree.
const Folder = "site/placement"

// Files returns those of the folder, nothing without a PlacementAPI.
func Files(site *v1alpha1.Site) (map[string][]byte, error) {
	var problems manifest.Problems
	files := map[string][]byte{}
	for n := range site.Spec.Services.Placement {
		p := &site.Spec.Services.Placement[n]
		content, err := object.Marshal(siteobject.Object(site, upstream.PlacementAPI, p.Namespace, p.Name, p.Spec.Object()))
		problems.Add(err)
		files[p.Namespace+"."+p.Name+".yaml"] = content
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return siteobject.Files(files)
}

// Secrets returns those that a PlacementAPI reads.
func Secrets(p *v1alpha1.Placement) []siteobject.Secret {
	key := "PlacementPassword"
	if s := p.Spec.PasswordSelectors; s != nil && s.Service != "" {
		key = s.Service
	}
	secrets := []siteobject.Secret{{Namespace: p.Namespace, Name: p.Spec.Secret, Kind: "Secret",
		For: "the password of Placement's user", Keys: []string{key}}}
	add := func(c *v1alpha1.PlacementCertificate, purpose string) {
		if c != nil && c.SecretName != "" {
			secrets = append(secrets, siteobject.Secret{Namespace: p.Namespace, Name: c.SecretName, Kind: "Secret",
				For: purpose, Keys: siteobject.TLSKeys})
		}
	}
	if tls := p.Spec.TLS; tls != nil {
		if tls.API != nil {
			add(tls.API.Internal, "the certificate of the internal endpoint")
			add(tls.API.Public, "the certificate of the public endpoint")
		}
		if tls.CABundleSecretName != "" {
			secrets = append(secrets, siteobject.Secret{
				Namespace: p.Namespace, Name: tls.CABundleSecretName, Kind: "Secret", For: "the CAs that Placement trusts",
				Keys: []string{"tls-ca-bundle.pem"},
			})
		}
	}
	return secrets
}
