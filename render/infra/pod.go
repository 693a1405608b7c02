package infra

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

func ptr[T any](value T) *T { return &value }

func (o *overlay) meta(s service) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: s.name, Namespace: o.Cluster.Namespace, Labels: s.labels()}
}

// rules returns the metadata of an object that holds for the pods of a Deployment of its name. Administrators of the
// management cluster look such objects up by site.
func (o *overlay) rules(s service) metav1.ObjectMeta {
	meta := o.meta(s)
	meta.Labels[inventory.SiteLabel] = o.Site.Name
	return meta
}

func replicasOf(spec *v1.Service, otherwise int32) int32 {
	if spec.Replicas != nil {
		return *spec.Replicas
	}
	return otherwise
}

// serve adds an entry's file: a Deployment of the pod and a Service, the pod's account where it has one of its own, a
// NetworkPolicy, a PodDisruptionBudget, and more.
func (o *overlay) serve(s service, spec *v1.Service, pod corev1.PodTemplateSpec, ports []corev1.ServicePort,
	public portRange, metrics int32, more ...any) error {
	replicas := v1.DefaultReplicas(s.list)
	objects := []any{o.deployment(s, spec, replicas, pod), o.expose(s, spec, ports)}
	if pod.Spec.ServiceAccountName == s.name {
		objects = append(objects, &corev1.ServiceAccount{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
			ObjectMeta: o.meta(s), AutomountServiceAccountToken: ptr(false),
		})
	}
	objects = append(objects, o.networkPolicy(s, public, metrics))
	if budget := o.budget(s, spec, replicas); budget != nil {
		objects = append(objects, budget)
	}
	return o.add(s.name+".yaml", withOptions(spec, append(objects, more...))...)
}

// pod returns a pod that the Pod Security profile "restricted" admits: not root, nothing writable,
// no capability, no token.
func (o *overlay) pod(s service, spec *v1.Service, uid int64, container corev1.Container,
	volumes ...corev1.Volume) corev1.PodTemplateSpec {
	pod := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: s.labels(), Annotations: map[string]string{}},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: ptr(false),
			EnableServiceLinks:           ptr(false),
			Containers:                   []corev1.Container{container},
			NodeSelector:                 spec.NodeLabels,
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot:   ptr(true),
				RunAsUser:      ptr(uid),
				RunAsGroup:     ptr(uid),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Tolerations: o.tolerations(spec),
			TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{
				// Not DoNotSchedule: a management cluster of one node would never be in sync.
				MaxSkew: 1, TopologyKey: "kubernetes.io/hostname", WhenUnsatisfiable: corev1.ScheduleAnyway,
				LabelSelector:  &metav1.LabelSelector{MatchLabels: s.own()},
				MatchLabelKeys: []string{templateHash},
			}},
			Volumes: volumes,
		},
	}
	if slices.ContainsFunc(volumes, func(v corev1.Volume) bool { return v.Secret != nil || v.Projected != nil }) {
		pod.Spec.SecurityContext.FSGroup = ptr(uid)
	}
	if networks := networksAnnotation(spec.NetworkAttachments); networks != "" {
		pod.Annotations["k8s.v1.cni.cncf.io/networks"] = networks
	}
	return pod
}

// tolerations let the pods run on the management cluster's control-plane nodes: where the entry asks for it, else
// where the Site does.
func (o *overlay) tolerations(spec *v1.Service) []corev1.Toleration {
	asked := spec.ControlPlaneNodes
	if asked == nil {
		asked = o.Site.Spec.Defaults.ControlPlaneNodes
	}
	if asked == nil || !*asked {
		return nil
	}
	return []corev1.Toleration{{Key: ControlPlaneTaint, Operator: corev1.TolerationOpExists,
		Effect: corev1.TaintEffectNoSchedule}}
}

// ControlPlaneTaint is the taint of control-plane nodes.
const ControlPlaneTaint = "node-role.kubernetes.io/control-plane"

// restricted returns the container's half of the restricted profile.
func restricted() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: ptr(false),
		ReadOnlyRootFilesystem:   ptr(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}

// networksAnnotation returns the JSON form of Multus' network selection annotation.
func networksAnnotation(attachments []v1.NetworkAttachment) string {
	if len(attachments) == 0 {
		return ""
	}
	type selection struct {
		Name      string   `json:"name"`
		Namespace string   `json:"namespace,omitempty"`
		Interface string   `json:"interface,omitempty"`
		IPs       []string `json:"ips,omitempty"`
	}
	var list []selection
	for _, a := range attachments {
		list = append(list, selection(a))
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(text)
}

func hasFixedIPs(spec *v1.Service) bool {
	for _, a := range spec.NetworkAttachments {
		if len(a.IPs) > 0 {
			return true
		}
	}
	return false
}

// resourcesFor returns what the entry asks for, or modest requests and a memory limit, which a site's defaults
// replace. No CPU limit: it would delay health checks under load.
func resourcesFor(spec *v1.Service, cpu, memory, memoryLimit string) corev1.ResourceRequirements {
	if spec.Resources != nil {
		return v1.WithStorage(*spec.Resources)
	}
	return v1.WithStorage(corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu),
			corev1.ResourceMemory: resource.MustParse(memory)},
		Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memoryLimit)},
	})
}

// emptyDir returns a folder that a pod may write to, of which it may fill so much: who writes more is evicted.
func emptyDir(name, limit string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: ptr(resource.MustParse(limit))},
	}}
}

// budget lets one pod go at a time. One replica has none: it would block every drain.
func (o *overlay) budget(s service, spec *v1.Service, replicas int32) *policyv1.PodDisruptionBudget {
	if replicasOf(spec, replicas) < 2 {
		return nil
	}
	return &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: o.rules(s),
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: ptr(intstr.FromInt32(1)),
			// Pods that are not ready serve no client, and would keep their node from being drained forever.
			UnhealthyPodEvictionPolicy: ptr(policyv1.AlwaysAllow),
			Selector:                   &metav1.LabelSelector{MatchLabels: s.own()},
		},
	}
}
