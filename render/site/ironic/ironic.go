// Package ironic renders the Ironics of a site, for metal3's ironic-standalone-operator, with the database of each
// where that is asked for, and the ConfigMap by which the baremetal-operator finds one.
package ironic

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/render/object"
	siteobject "github.com/airshipit/sipgen/render/site"
)

// Folder is where the objects are in the tree.
const Folder = "site/ironic"

// ConfigMap is the one that the baremetal-operator finds its Ironic by, in its own namespace.
const ConfigMap = "ironic"

// Files returns those of the folder, nothing without an Ironic.
func Files(site *v1alpha1.Site) (map[string][]byte, error) {
	var problems manifest.Problems
	files := map[string][]byte{}
	for n := range site.Spec.Services.Ironic {
		i := &site.Spec.Services.Ironic[n]
		content, err := marshal(append(database(site, i), ironicObject(site, i), bmoConfigMap(site, i)))
		problems.Add(err)
		files[File(i)] = content
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return siteobject.Files(files)
}

// File returns that of one Ironic, in the folder. A namespace has no dots.
func File(i *v1alpha1.Ironic) string { return i.Namespace + "." + i.Name + ".yaml" }

func marshal(objects []any) ([]byte, error) {
	var there []any
	for _, o := range objects {
		if o != nil {
			there = append(there, o)
		}
	}
	return object.Marshal(there...)
}

// ironicObject returns the Ironic as it is written, with its credentials and its database.
func ironicObject(site *v1alpha1.Site, i *v1alpha1.Ironic) any {
	spec := i.Spec.Object()
	spec["apiCredentialsName"] = i.Spec.APICredentialsName
	if db := i.Database(); db != nil {
		spec["database"] = db
	}
	return siteobject.Object(site, upstream.Ironic, i.Namespace, i.Name, spec)
}

// bmoConfigMap has what the baremetal-operator reads at its start.
func bmoConfigMap(site *v1alpha1.Site, i *v1alpha1.Ironic) any {
	if !i.BMOConfigMap {
		return nil
	}
	return corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: siteobject.Meta(site, i.BMONamespace, ConfigMap),
		Data:       map[string]string{"IRONIC_NAME": i.Name, "IRONIC_NAMESPACE": i.Namespace},
	}
}

// Secrets returns those that an Ironic and its database read, in the order in which they are needed. One that is read
// for several purposes has the keys of all.
func Secrets(i *v1alpha1.Ironic) []siteobject.Secret {
	const label = "environment.metal3.io/ironic-standalone-operator" + "=true" // by which the operator sees it
	var secrets []siteobject.Secret
	addKind := func(kind, name, purpose, label string, keys ...string) {
		if name == "" {
			return
		}
		for n := range secrets {
			s := &secrets[n]
			if s.Kind != kind || s.Name != name {
				continue
			}
			s.For += ", " + purpose
			s.Label = cmp.Or(s.Label, label)
			for _, key := range keys {
				if !slices.Contains(s.Keys, key) {
					s.Keys = append(s.Keys, key)
				}
			}
			return
		}
		secrets = append(secrets, siteobject.Secret{Namespace: i.Namespace, Name: name, Kind: kind, For: purpose,
			Keys: slices.Clone(keys), Label: label})
	}
	add := func(name, purpose, label string, keys ...string) { addKind("Secret", name, purpose, label, keys...) }
	if db := i.MariaDB; db != nil {
		add(db.RootCredentialsName, "root of the database", "", "password")
	}
	if db := i.Database(); db != nil {
		add(db.CredentialsName, "the database's user", label, "username", "password")
		if i.MariaDB != nil {
			add(db.TLSCertificateName, "the database's certificate and CA", label,
				append([]string{"ca.crt"}, siteobject.TLSKeys...)...)
		} else {
			add(db.TLSCertificateName, "the database's CA", label, "ca.crt")
		}
	}
	spec := &i.Spec
	add(spec.APICredentialsName, "Ironic's API", label, "username", "password")
	add(spec.TLS.CertificateName, "Ironic's certificate", label, siteobject.TLSKeys...)
	for _, ca := range []struct {
		what      string
		reference *v1alpha1.IronicReference
	}{{"CA of the BMCs", spec.TLS.BMCCA}, {"CA of image servers", spec.TLS.TrustedCA}} {
		if ca.reference != nil {
			addKind(ca.reference.Kind, ca.reference.Name, ca.what, label, "ca.crt")
		}
	}
	if service := spec.NetworkingService; service != nil && service.Enabled {
		add(service.SwitchCredentialsSecretName, "keys of switches", label)
		add(service.SwitchConfigSecretName, "configuration of switches", label)
	}
	return secrets
}
