package infra

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// withOptions puts the tenant's labels, annotations and options of pods into a service's objects. Accounts, Roles and
// Certificates have none of them: they are not the tenant's.
func withOptions(spec *v1.Service, objects []any) []any {
	for _, o := range objects {
		switch o := o.(type) {
		case *appsv1.Deployment:
			own(&o.ObjectMeta, spec.Labels, spec.Annotations)
			podOptions(spec.Pods, &o.Spec.Template)
		case *corev1.Service:
			own(&o.ObjectMeta, spec.Labels, spec.Annotations)
		case *networkingv1.NetworkPolicy:
			own(&o.ObjectMeta, spec.Labels, spec.Annotations)
		case *policyv1.PodDisruptionBudget:
			own(&o.ObjectMeta, spec.Labels, spec.Annotations)
		}
	}
	return objects
}

// own adds labels and annotations. None of them is one by which objects find each other: those are Kubernetes' own,
// which the spec may not have.
func own(meta *metav1.ObjectMeta, labels, annotations map[string]string) {
	meta.Labels = joinedMaps(meta.Labels, labels)
	meta.Annotations = joinedMaps(meta.Annotations, annotations)
}

// joinedMaps returns a with b over it, in a map of its own unless b is empty.
func joinedMaps(a, b map[string]string) map[string]string {
	if len(b) == 0 {
		return a
	}
	out := maps.Clone(a)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, b)
	return out
}

func podOptions(p *v1.Pods, template *corev1.PodTemplateSpec) {
	if p != nil {
		own(&template.ObjectMeta, p.Labels, p.Annotations)
	}
}

// templateHash is the label that tells a Deployment's new pods from those that they replace: while both are there, the
// new ones are spread by themselves, and need no place that the old ones have.
const templateHash = "pod-template-hash"
