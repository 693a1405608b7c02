package live

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/airshipit/sipgen/inventory"
)

// guardBinding is the part of a ValidatingAdmissionPolicyBinding with its scope.
type guardBinding struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		MatchResources *struct {
			NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector"`
		} `json:"matchResources"`
	} `json:"spec"`
}

// Guards reads the bindings of the guards that limit engines, of all sites on the API server, by name. They carry
// the site's name.
func Guards(ctx context.Context, cfg *rest.Config) ([]inventory.GuardBinding, error) {
	gvr := schema.GroupVersionResource{Group: inventory.GuardGroup, Version: "v1", Resource: inventory.GuardResource}
	docs, err := Documents(ctx, cfg, gvr, "ValidatingAdmissionPolicyBinding")
	if err != nil {
		return nil, err
	}
	var out []inventory.GuardBinding
	for i := range docs {
		var object guardBinding
		if err := docs[i].DecodeLoose(&object); err != nil {
			return nil, err
		}
		site := object.Labels[inventory.SiteLabel]
		if kind, of := strings.CutPrefix(object.Name, "sipgen-"+site+"-"); site == "" ||
			of && (strings.HasPrefix(kind, inventory.ServiceGuard) || strings.HasPrefix(kind, inventory.JumpGuard)) {
			continue
		}
		binding := inventory.GuardBinding{Name: object.Name, Site: site}
		if match := object.Spec.MatchResources; match != nil {
			binding.Namespaces = named(match.NamespaceSelector)
		}
		out = append(out, binding)
	}
	slices.SortFunc(out, func(a, b inventory.GuardBinding) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// named returns the namespaces that a selector names, nil where it may select any: it is read as sipgen writes it.
func named(selector *metav1.LabelSelector) []string {
	if selector == nil {
		return nil
	}
	for _, expression := range selector.MatchExpressions {
		if expression.Key == corev1.LabelMetadataName && expression.Operator == metav1.LabelSelectorOpIn &&
			len(expression.Values) > 0 {
			return expression.Values
		}
	}
	return nil
}
