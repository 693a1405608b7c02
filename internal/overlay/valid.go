package overlay

import (
	"encoding/json"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	strict "sigs.k8s.io/json"

	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/manifest"
)

// types are the kinds that an overlay may have, each with a new object to decode it into.
var types = map[string]func() any{
	"v1/ConfigMap":                             func() any { return &corev1.ConfigMap{} },
	"v1/Service":                               func() any { return &corev1.Service{} },
	"v1/ServiceAccount":                        func() any { return &corev1.ServiceAccount{} },
	"apps/v1/Deployment":                       func() any { return &appsv1.Deployment{} },
	"policy/v1/PodDisruptionBudget":            func() any { return &policyv1.PodDisruptionBudget{} },
	"networking.k8s.io/v1/NetworkPolicy":       func() any { return &networkingv1.NetworkPolicy{} },
	"rbac.authorization.k8s.io/v1/Role":        func() any { return &rbacv1.Role{} },
	"rbac.authorization.k8s.io/v1/RoleBinding": func() any { return &rbacv1.RoleBinding{} },
	"cert-manager.io/v1/Certificate":           func() any { return &certificate{} },
}

// certificate is cert-manager's, in the fields that are rendered.
type certificate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		SecretName  string   `json:"secretName"`
		CommonName  string   `json:"commonName,omitempty"`
		DNSNames    []string `json:"dnsNames,omitempty"`
		IPAddresses []string `json:"ipAddresses,omitempty"`
		Usages      []string `json:"usages"`
		PrivateKey  struct {
			Algorithm      string `json:"algorithm"`
			Size           int    `json:"size"`
			RotationPolicy string `json:"rotationPolicy"`
		} `json:"privateKey"`
		IssuerRef struct {
			Name  string `json:"name"`
			Kind  string `json:"kind"`
			Group string `json:"group"`
		} `json:"issuerRef"`
	} `json:"spec"`
}

// Valid decodes every object strictly into its type, an unknown kind being refused, and holds the pods against the Pod
// Security profile "restricted", by the check that the API server has.
func Valid(built []Object) []error {
	var errs []error
	for i := range built {
		o := &built[i]
		make, known := types[o.APIVersion+"/"+o.Kind]
		if !known {
			errs = append(errs, fmt.Errorf("%s: of apiVersion %s, which no service has", o, quoted(o.APIVersion)))
			continue
		}
		text, err := json.Marshal(o.Fields)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", o, err))
			continue
		}
		typed, huge := make(), false
		manifest.HugeQuantities(text, typed, func(path string) {
			errs, huge = append(errs, o.complaint(path, "out of range, want a quantity as in 500m or 2Gi")), true
		})
		if huge {
			continue
		}
		unknown, err := strict.UnmarshalStrict(text, typed)
		if err != nil {
			errs = append(errs, o.decoding(err))
			continue
		}
		for _, err := range unknown {
			errs = append(errs, fmt.Errorf("%s: %w", o, err))
		}
		if deployment, isDeployment := typed.(*appsv1.Deployment); isDeployment {
			errs = append(errs, o.restricted(&deployment.Spec.Template)...)
			for i := range deployment.Spec.Template.Spec.Containers {
				for _, e := range validation.CheckResources(&deployment.Spec.Template.Spec.Containers[i].Resources) {
					errs = append(errs, o.complaint(fmt.Sprintf("spec.template.spec.containers[%d].resources%s", i, e.Path), "%s",
						e.Message))
				}
			}
		}
	}
	return errs
}

// decoding names the field of a wrong type. The message of a type's own decoder may quote the value.
func (o *Object) decoding(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return o.complaint(wrong.Field, "found a %.6s, want %s", wrong.Value, wrong.Type)
	}
	return fmt.Errorf("%s: a value is of another type than its field", o)
}

func (o *Object) restricted(template *corev1.PodTemplateSpec) []error {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		return []error{err}
	}
	var errs []error
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for _, result := range evaluator.EvaluatePod(level, &template.ObjectMeta, &template.Spec) {
		if !result.Allowed {
			errs = append(errs, o.complaint("spec.template", "the Pod Security profile restricted does not allow it: %s (%s)",
				result.ForbiddenReason, result.ForbiddenDetail))
		}
	}
	return errs
}
