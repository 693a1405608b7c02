package infra

import (
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render/guard"
	"github.com/airshipit/sipgen/render/object"
	siteobject "github.com/airshipit/sipgen/render/site"
)

const dexGroup = "dex.coreos.com"

// dexKinds are the resources in which Dex keeps its state (storage/kubernetes in its source), by plural.
var dexKinds = []struct{ plural, singular, kind string }{
	{"authcodes", "authcode", "AuthCode"},
	{"authrequests", "authrequest", "AuthRequest"},
	{"authsessions", "authsession", "AuthSession"},
	{"connectors", "connector", "Connector"},
	{"devicerequests", "devicerequest", "DeviceRequest"},
	{"devicetokens", "devicetoken", "DeviceToken"},
	{"oauth2clients", "oauth2client", "OAuth2Client"},
	{"offlinesessionses", "offlinesessions", "OfflineSessions"},
	{"passwords", "password", "Password"},
	{"refreshtokens", "refreshtoken", "RefreshToken"},
	{"signingkeies", "signingkey", "SigningKey"},
	{"useridentities", "useridentity", "UserIdentity"},
}

func dexResources() []string {
	var out []string
	for _, k := range dexKinds {
		out = append(out, k.plural)
	}
	return out
}

// DefinitionNames returns those of the definitions of Dex's resources.
func DefinitionNames() []string {
	names := dexResources()
	for i := range names {
		names[i] += "." + dexGroup
	}
	return names
}

// SiteObjects renders what is needed once per site: the definitions of Dex's resources where a cluster has
// a Dex, and the site's policy for jump hosts where one has a jump host with metal3 access. It gives paths relative to
// a folder of the caller's choice, kustomization.yaml included, and nothing if nothing is needed. All objects are
// cluster-scoped.
func SiteObjects(site *v1alpha1.Site, clusters []v1.SIPCluster) (map[string][]byte, error) {
	files := map[string][]byte{}
	if slices.ContainsFunc(clusters, func(c v1.SIPCluster) bool { return len(c.Spec.Services.Dex) > 0 }) {
		var objects []any
		for _, k := range dexKinds {
			objects = append(objects, dexDefinition(site.Spec.Engine, k.plural, k.singular, k.kind))
		}
		text, err := object.Marshal(objects...)
		if err != nil {
			return nil, err
		}
		files["dex-crds.yaml"] = text
	}
	if slices.ContainsFunc(clusters, func(c v1.SIPCluster) bool {
		return slices.ContainsFunc(c.Spec.Services.JumpHost,
			func(j v1.JumpHost) bool { return bmcAccess(&j) == v1.BMCMetal3 })
	}) {
		text, err := object.Marshal(guard.JumpHosts(site)...)
		if err != nil {
			return nil, err
		}
		files["jump-host-guard.yaml"] = text
	}
	if len(files) == 0 {
		return nil, nil
	}
	text, err := object.Marshal(object.NewKustomization(slices.Sorted(maps.Keys(files))...))
	if err != nil {
		return nil, err
	}
	files[kustomizationFile] = text
	return files, nil
}

func dexDefinition(engine v1alpha1.Engine, plural, singular, kind string) *apiextensionsv1.CustomResourceDefinition {
	return &apiextensionsv1.CustomResourceDefinition{
		TypeMeta: metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{
			Name:   plural + "." + dexGroup,
			Labels: map[string]string{nameLabel: "dex", partOfLabel: "sip", managedByLabel: "sipgen"},
			// Without its definition every Dex loses its state, signing keys included.
			Annotations: siteobject.Keep(engine),
		},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: dexGroup,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Singular: singular, Kind: kind,
				ListKind: kind + "List"},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: ptr(true),
				}},
			}},
		},
	}
}
