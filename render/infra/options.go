package infra

import (
	"cmp"
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
func withOptions(s service, spec *v1.Service, objects []any) []any {
	for _, o := range objects {
		switch o := o.(type) {
		case *appsv1.Deployment:
			own(&o.ObjectMeta, spec.Labels, spec.Annotations)
			podOptions(s, spec.Pods, &o.Spec.Template)
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

func podOptions(s service, p *v1.Pods, template *corev1.PodTemplateSpec) {
	if p == nil {
		return
	}
	own(&template.ObjectMeta, p.Labels, p.Annotations)
	pod := &template.Spec
	affinity := corev1.Affinity{NodeAffinity: nodeAffinity(p.NodeAffinity)}
	if required, preferred := podTerms(s, p.PodAffinity); len(required)+len(preferred) > 0 {
		affinity.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: required,
			PreferredDuringSchedulingIgnoredDuringExecution: preferred}
	}
	if required, preferred := podTerms(s, p.PodAntiAffinity); len(required)+len(preferred) > 0 {
		affinity.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: required,
			PreferredDuringSchedulingIgnoredDuringExecution: preferred}
	}
	if affinity != (corev1.Affinity{}) {
		pod.Affinity = &affinity
	}
	if len(p.TopologySpread) > 0 {
		pod.TopologySpreadConstraints = nil
	}
	for i := range p.TopologySpread {
		t := &p.TopologySpread[i]
		constraint := corev1.TopologySpreadConstraint{
			MaxSkew: cmp.Or(t.MaxSkew, 1), TopologyKey: t.TopologyKey,
			WhenUnsatisfiable: corev1.UnsatisfiableConstraintAction(cmp.Or(t.WhenUnsatisfiable, string(corev1.ScheduleAnyway))),
			LabelSelector:     &metav1.LabelSelector{MatchLabels: s.own()},
			MatchLabelKeys:    []string{templateHash},
		}
		if t.MinDomains > 0 {
			constraint.MinDomains = ptr(t.MinDomains)
		}
		pod.TopologySpreadConstraints = append(pod.TopologySpreadConstraints, constraint)
	}
	if p.Probes != nil {
		probes(p.Probes, &pod.Containers[0])
	}
}

// templateHash is the label that tells a Deployment's new pods from those that they replace: while both are there, the
// new ones are spread by themselves, and need no place that the old ones have.
const templateHash = "pod-template-hash"

func nodeAffinity(a *v1.NodeAffinity) *corev1.NodeAffinity {
	if a == nil || len(a.Required)+len(a.Preferred) == 0 {
		return nil
	}
	requirement := func(r *v1.NodeRequirement) corev1.NodeSelectorRequirement {
		return corev1.NodeSelectorRequirement{Key: r.Key, Operator: corev1.NodeSelectorOperator(r.Operator),
			Values: r.Values}
	}
	out := &corev1.NodeAffinity{}
	if len(a.Required) > 0 {
		term := corev1.NodeSelectorTerm{}
		for i := range a.Required {
			term.MatchExpressions = append(term.MatchExpressions, requirement(&a.Required[i]))
		}
		out.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{term},
		}
	}
	for i := range a.Preferred {
		out.PreferredDuringSchedulingIgnoredDuringExecution = append(out.PreferredDuringSchedulingIgnoredDuringExecution,
			corev1.PreferredSchedulingTerm{
				Weight: a.Preferred[i].Weight, Preference: corev1.NodeSelectorTerm{
					MatchExpressions: []corev1.NodeSelectorRequirement{requirement(&a.Preferred[i].NodeRequirement)},
				},
			})
	}
	return out
}

// podTerms are about the service's own pods, in its own namespace.
func podTerms(s service, terms []v1.PodTerm) (required []corev1.PodAffinityTerm,
	preferred []corev1.WeightedPodAffinityTerm) {
	for _, t := range terms {
		term := corev1.PodAffinityTerm{
			LabelSelector: &metav1.LabelSelector{MatchLabels: s.own()}, TopologyKey: t.TopologyKey,
			MatchLabelKeys: []string{templateHash},
		}
		if t.Weight == 0 {
			required = append(required, term)
		} else {
			preferred = append(preferred, corev1.WeightedPodAffinityTerm{Weight: t.Weight, PodAffinityTerm: term})
		}
	}
	return required, preferred
}

func probes(p *v1.Probes, container *corev1.Container) {
	times(p.Readiness, container.ReadinessProbe)
	if p.Startup != nil {
		container.StartupProbe = &corev1.Probe{ProbeHandler: container.LivenessProbe.ProbeHandler}
		times(p.Startup, container.StartupProbe)
	}
	times(p.Liveness, container.LivenessProbe)
}

func times(t *v1.ProbeTimes, probe *corev1.Probe) {
	if t == nil {
		return
	}
	for _, field := range []struct {
		asked *int32
		into  *int32
	}{
		{t.InitialDelaySeconds, &probe.InitialDelaySeconds}, {t.PeriodSeconds, &probe.PeriodSeconds},
		{t.TimeoutSeconds, &probe.TimeoutSeconds}, {t.FailureThreshold, &probe.FailureThreshold},
	} {
		if field.asked != nil {
			*field.into = *field.asked
		}
	}
}
