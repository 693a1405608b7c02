// Package runner renders the CronJobs that run sipgen in the cluster, and what they may connect to.
package runner

import (
	"maps"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/object"
)

const (
	// Folder is synced by itself: it can be stopped without anything else.
	Folder = "runner"
	// configFolder and gitFolder are where the container has the Site and the credentials.
	configFolder = "/etc/sipgen/site"
	gitFolder    = "/etc/sipgen/git"
	// imageUser is that of the image.
	imageUser = 65532
	// deadlineSeconds bounds one run, in seconds.
	deadlineSeconds = 1800
)

// In is what runner/ is rendered from.
type In struct {
	// Site, defaulted and valid, with a runner.
	Site *v1alpha1.Site
	// Namespace is where the engine and the accounts are.
	Namespace string
	// Reader and Status are the accounts that publish, and that report to the tenants.
	Reader, Status string
}

// Files returns a CronJob that publishes the plan of the cluster's hosts and specs, with its reading account and
// network policy and, if the Site asks for it, one that reports to the tenants.
func Files(in In) (map[string][]byte, error) {
	s := jobs{in}
	labels := map[string]string{"app.kubernetes.io/name": "sipgen", "app.kubernetes.io/component": "runner",
		"app.kubernetes.io/instance": s.Site.Name}
	meta := metav1.ObjectMeta{Namespace: s.Namespace, Name: Name(s.Site), Labels: inventory.LabelsOf(s.Site.Name)}
	maps.Copy(meta.Labels, labels)
	publishes := job{account: s.Reader, schedule: s.Site.Spec.Runner.Schedule, secret: s.Site.GitSecretName(),
		args: s.args()}
	documents := map[string]any{
		"cronjob.yaml": batchv1.CronJob{
			TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "CronJob"}, ObjectMeta: meta, Spec: s.cronJob(publishes,
				labels),
		},
		"network-policy.yaml": networkingv1.NetworkPolicy{
			TypeMeta: metav1.TypeMeta{APIVersion: "networking.k8s.io/v1",
				Kind: "NetworkPolicy"}, ObjectMeta: meta, Spec: s.network(labels),
		},
	}
	if s.Site.Spec.Runner.Status != nil {
		reports := job{account: s.Status, schedule: s.Site.Spec.Runner.Status.Schedule, secret: s.Site.StatusSecretName(),
			args: s.statusArgs()}
		meta.Name = StatusName(s.Site)
		documents["status.yaml"] = batchv1.CronJob{
			TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "CronJob"}, ObjectMeta: meta, Spec: s.cronJob(reports,
				labels),
		}
	}
	documents["kustomization.yaml"] = object.NewKustomization(slices.Sorted(maps.Keys(documents))...)
	files := map[string][]byte{}
	for name, document := range documents {
		content, err := object.Marshal(document)
		if err != nil {
			return nil, err
		}
		files[name] = content
	}
	return files, nil
}

// jobs are those of one site.
type jobs struct{ In }

// job is what tells the CronJobs apart: what they run, when, as whom and with which credentials.
type job struct {
	account, schedule, secret string
	args                      []string
}

// Name returns that of the CronJob that publishes, and of its network policy.
func Name(site *v1alpha1.Site) string {
	return v1.Shorten("sipgen-"+site.Name+"-runner", maxCronJobName)
}

// StatusName returns that of the CronJob that reports to the tenants.
func StatusName(site *v1alpha1.Site) string {
	return v1.Shorten("sipgen-"+site.Name+"-status", maxCronJobName)
}

// maxCronJobName leaves room for what the controller appends to the names of Jobs.
const maxCronJobName = 52

func (s jobs) cronJob(job job, labels map[string]string) batchv1.CronJobSpec {
	zero, one, keep, deadline, late := int32(0), int32(1), int32(3), int64(deadlineSeconds), int64(300)
	return batchv1.CronJobSpec{
		Schedule:                   job.schedule,
		ConcurrencyPolicy:          batchv1.ForbidConcurrent,
		StartingDeadlineSeconds:    &late,
		SuccessfulJobsHistoryLimit: &one,
		FailedJobsHistoryLimit:     &keep,
		JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{
			// The next run begins again anyhow, with what is there then.
			BackoffLimit:          &zero,
			ActiveDeadlineSeconds: &deadline,
			Template:              corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: s.pod(job)},
		}},
	}
}

// What the runner may write on its node: the pack of one commit, where the server leaves out no files, of a tree that
// publish reads up to 2 GiB of; and its log. Far above that: a runner that is evicted publishes nothing.
const (
	temporarySize = "4Gi"
	storageSize   = "5Gi"
)

func (s jobs) pod(job job) corev1.PodSpec {
	yes, no, user, readable, temporary := true, false, int64(imageUser), int32(0o440), resource.MustParse(temporarySize)
	return corev1.PodSpec{
		ServiceAccountName: job.account,
		RestartPolicy:      corev1.RestartPolicyNever,
		EnableServiceLinks: &no,
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: &yes, RunAsUser: &user, RunAsGroup: &user, FSGroup: &user,
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{{
			Name:    "sipgen",
			Image:   s.Site.Spec.Runner.Image,
			Command: []string{"/usr/local/bin/sipgen"},
			Args:    job.args,
			Env:     s.env(job.secret),
			Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("128Mi"),
					corev1.ResourceEphemeralStorage: resource.MustParse("64Mi"),
				},
				Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi"),
					corev1.ResourceEphemeralStorage: resource.MustParse(storageSize)},
			},
			SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes,
				Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			},
			VolumeMounts: []corev1.VolumeMount{
				{Name: "site", MountPath: configFolder, ReadOnly: true},
				{Name: "git", MountPath: gitFolder, ReadOnly: true},
				{Name: "tmp", MountPath: "/tmp"},
			},
		}},
		Volumes: []corev1.Volume{
			{Name: "site", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: s.Site.ConfigName()}}}},
			{Name: "git", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: job.secret,
				DefaultMode: &readable}}},
			{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: &temporary}}},
		},
	}
}

// args are the arguments to publish from the live cluster. The Site's inputs have the specs, if set.
func (s jobs) args() []string {
	args := []string{"publish", "--site", configFolder + "/site.yaml", "--inventory", v1alpha1.InputCluster}
	if len(s.Site.Spec.Inputs.Specs) == 0 {
		args = append(args, "--filename", v1alpha1.InputCluster)
	}
	if s.Site.Spec.Runner.Propose != "" {
		args = append(args, "--propose", s.Site.Spec.Runner.Propose)
	}
	return args
}

// statusArgs report to the tenants, from the specs that the runner publishes from.
func (s jobs) statusArgs() []string {
	args := []string{"status", "--write", "--site", configFolder + "/site.yaml", "--inventory", v1alpha1.InputCluster}
	if len(s.Site.Spec.Inputs.Specs) == 0 {
		args = append(args, "--filename", v1alpha1.InputCluster)
	}
	return args
}

// env returns the credentials, by the keys that Flux uses, and what the Site adds.
func (s jobs) env(secret string) []corev1.EnvVar {
	env := []corev1.EnvVar{{Name: "HOME", Value: "/tmp"}, {Name: "TMPDIR", Value: "/tmp"}}
	if ssh, _ := s.Site.Spec.Repository.SSH(); ssh {
		env = append(env, corev1.EnvVar{Name: "SIPGEN_SSH_KEY_FILE", Value: gitFolder + "/identity"},
			corev1.EnvVar{Name: "SIPGEN_SSH_KNOWN_HOSTS", Value: gitFolder + "/known_hosts"})
	} else {
		env = append(env, corev1.EnvVar{Name: "SIPGEN_GIT_USERNAME",
			ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: secret}, Key: "username",
			}}}, corev1.EnvVar{Name: "SIPGEN_GIT_PASSWORD_FILE", Value: gitFolder + "/password"})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Site.Spec.Runner.Env)) {
		env = slices.DeleteFunc(env, func(v corev1.EnvVar) bool { return v.Name == name })
		env = append(env, corev1.EnvVar{Name: name, Value: s.Site.Spec.Runner.Env[name]})
	}
	return env
}

// network allows no ingress, and egress to DNS, the API server and the repository.
func (s jobs) network(labels map[string]string) networkingv1.NetworkPolicySpec {
	_, repository := s.Site.Spec.Repository.SSH()
	ports := []int32{53, 443, 6443, int32(repository)}
	ports = append(ports, s.Site.Spec.Runner.EgressPorts...)
	slices.Sort(ports)
	port := func(protocol corev1.Protocol, number int32) networkingv1.NetworkPolicyPort {
		at := intstr.FromInt32(number)
		return networkingv1.NetworkPolicyPort{Protocol: &protocol, Port: &at}
	}
	out := []networkingv1.NetworkPolicyPort{port(corev1.ProtocolUDP, 53)}
	for _, number := range slices.Compact(ports) {
		out = append(out, port(corev1.ProtocolTCP, number))
	}
	return networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: labels},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		Egress:      []networkingv1.NetworkPolicyEgressRule{{Ports: out}},
	}
}
