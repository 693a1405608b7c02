package infra

import (
	"maps"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
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
		text, err := object.Marshal(jumpPolicy(site), jumpPolicyBinding(site))
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

// JumpGuardName returns that of a site's policy for jump hosts. It is cluster-scoped, and every site on an API server
// has its own.
func JumpGuardName(site *v1alpha1.Site) string { return "sipgen-" + site.Name + "-jump-host-guard-v1" }

func jumpGuardMeta(site *v1alpha1.Site) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:        JumpGuardName(site),
		Labels:      inventory.LabelsOf(site.Name),
		Annotations: siteobject.Keep(site.Spec.Engine),
	}
}

// jumpPolicy limits the identities of jump hosts to the annotations with which metal3 is told to reboot, and to the
// hosts with the labels of their own cluster. Their Roles name the hosts, but RBAC cannot limit fields, a changed
// spec may deprovision a host, and a late Role still names a host that another cluster has by now.
func jumpPolicy(site *v1alpha1.Site) *admissionv1.ValidatingAdmissionPolicy {
	const (
		oldNotes = "(has(oldObject.metadata.annotations) ? oldObject.metadata.annotations : {})"
		newNotes = "(has(object.metadata.annotations) ? object.metadata.annotations : {})"
		ours     = "(k == 'reboot.metal3.io' || k.startsWith('reboot.metal3.io/'))"
	)
	same := func(path string) string {
		return "has(object." + path + ") == has(oldObject." + path + ") && (!has(object." + path + ") || object." + path +
			" == oldObject." + path + ")"
	}
	fail := admissionv1.Fail
	policy := &admissionv1.ValidatingAdmissionPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "ValidatingAdmissionPolicy"},
		ObjectMeta: jumpGuardMeta(site),
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: &fail,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update, admissionv1.Delete},
					Rule: admissionv1.Rule{APIGroups: []string{"metal3.io"}, APIVersions: []string{"*"},
						Resources: []string{"baremetalhosts"}},
				},
			}}},
			MatchConditions: []admissionv1.MatchCondition{{
				Name:       "jump-host",
				Expression: "request.userInfo.username.matches('^system:serviceaccount:[a-z0-9-]+:jumphost[0-9]*-[a-z0-9-]+$')",
			}},
			Variables: []admissionv1.Variable{
				{Name: "labels", Expression: "oldObject != null && has(oldObject.metadata.labels) && dyn(oldObject.metadata.labels) != null ? oldObject.metadata.labels : {}"},
				{Name: "clusterNamespace", Expression: label(site.Spec.LabelKeys.ClusterNamespace)},
				{Name: "clusterName", Expression: label(site.Spec.LabelKeys.ClusterName)},
				// The account is jumphost-NAME, or of a further entry jumphost2-NAME; see v1.ServiceName.
				{Name: "account", Expression: "request.userInfo.username.split(':')[3]"},
			},
			Validations: []admissionv1.Validation{
				{Expression: "request.operation == 'UPDATE'", Message: "a jump host neither creates nor deletes hosts"},
				{Expression: "request.operation != 'UPDATE' || (" + same("spec") + ")", Message: "a jump host changes no spec"},
				{
					Expression: "request.operation != 'UPDATE' || (" + same("metadata.labels") + " && " +
						same("metadata.finalizers") + " && " + same("metadata.ownerReferences") + ")",
					Message: "a jump host changes no labels, finalizers or owners",
				},
				{
					Expression: "request.operation != 'UPDATE' || (" + newNotes + ".all(k, " + ours + " || (k in " + oldNotes +
						" && " + newNotes + "[k] == " + oldNotes + "[k])) && " +
						oldNotes + ".all(k, " + ours + " || k in " + newNotes + "))",
					Message: "a jump host changes no annotation but reboot.metal3.io",
				},
				{
					// A host without the labels is nobody's: no account has an empty namespace, and none ends with a dash.
					Expression: "request.operation != 'UPDATE' || (request.userInfo.username.split(':')[2] == variables.clusterNamespace && " +
						"variables.account.endsWith('-' + variables.clusterName) && variables.account.substring(0, size(variables.account) - size(variables.clusterName)).matches('^jumphost[0-9]*-$'))",
					Message: "a jump host has power over the hosts of its own cluster, by their labels",
				},
			},
		},
	}
	Forbid(policy.Spec.Validations)
	return policy
}

// Forbid sets the reason of each rule to Forbidden (status 403). Flux takes a denial without a reason (422) for an
// immutable field: it deletes and recreates an object that has the annotation kustomize.toolkit.fluxcd.io/force:
// enabled.
func Forbid(rules []admissionv1.Validation) {
	forbidden := metav1.StatusReasonForbidden
	for i := range rules {
		rules[i].Reason = &forbidden
	}
}

func jumpPolicyBinding(site *v1alpha1.Site) *admissionv1.ValidatingAdmissionPolicyBinding {
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{
		TypeMeta: metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(),
			Kind: "ValidatingAdmissionPolicyBinding"},
		ObjectMeta: jumpGuardMeta(site),
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: JumpGuardName(site), ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	}
	// The guards of several sites are ANDed, and their labels may have other keys.
	if namespaces := slices.Compact(slices.Sorted(slices.Values(site.Spec.Hosts.Namespaces))); len(namespaces) > 0 {
		binding.Spec.MatchResources = &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: corev1.LabelMetadataName,
				Operator: metav1.LabelSelectorOpIn, Values: namespaces}},
		}}
	}
	return binding
}

// label returns the value of a label, "" where there is none. Keys of labels need no quoting.
func label(key string) string {
	return "'" + key + "' in variables.labels ? variables.labels['" + key + "'] : ''"
}
