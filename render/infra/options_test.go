package infra

import (
	"reflect"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

const everyOption = `
labels: {team: net}
annotations: {example.org/contact: ops}
pods:
  labels: {tier: edge}
  annotations: {example.org/log: verbose, prometheus.io/scrape: 'false'}
`

// TestPodOptions: what a tenant says of its pods is in the objects, of each service, and nothing else is other than
// without.
func TestPodOptions(t *testing.T) {
	var options v1.Service
	require.NoError(t, yaml.UnmarshalStrict([]byte(everyOption), &options))
	in := tenant()
	services := &in.Cluster.Spec.Services
	two := int32(2)
	services.JumpHost[0].Replicas = &two
	plain := render(t, in)
	for _, s := range []*v1.Service{&services.LoadBalancerControlPlane[0].Service,
		&services.LoadBalancerWorker[0].Service, &services.JumpHost[0].Service, &services.Dex[0].Service} {
		s.Labels, s.Annotations, s.Pods = options.Labels, options.Annotations, options.Pods
	}
	files := render(t, in)
	before, after := ofKind[appsv1.Deployment](t, plain, "Deployment"), ofKind[appsv1.Deployment](t, files,
		"Deployment")
	require.Truef(t, len(after) == 4, "%d Deployments, want 4", len(after))
	for name, d := range after {
		was := before[name]
		pod := &was.Spec.Template
		was.Labels["team"], pod.Labels["tier"] = "net", "edge"
		was.Annotations = map[string]string{"example.org/contact": "ops"}
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		pod.Annotations["example.org/log"], pod.Annotations["prometheus.io/scrape"] = "verbose", "false"
		if !reflect.DeepEqual(d, was) {
			found, _ := yaml.Marshal(d)
			want, _ := yaml.Marshal(was)
			t.Errorf("%s: found\n%s\nwant\n%s", name, found, want)
		}
	}
	for name, o := range ofKind[corev1.Service](t, files, "Service") {
		wantOwn(t, "Service "+name, o.Labels, o.Annotations, true)
	}
	for name, o := range ofKind[networkingv1.NetworkPolicy](t, files, "NetworkPolicy") {
		wantOwn(t, "NetworkPolicy "+name, o.Labels, o.Annotations, true)
		assert.Empty(t, o.Spec.PodSelector.MatchLabels["team"], name)
	}
	for name, o := range ofKind[policyv1.PodDisruptionBudget](t, files, "PodDisruptionBudget") {
		wantOwn(t, "PodDisruptionBudget "+name, o.Labels, o.Annotations, true)
	}
	for name, o := range ofKind[corev1.ServiceAccount](t, files, "ServiceAccount") {
		wantOwn(t, "ServiceAccount "+name, o.Labels, o.Annotations, false)
	}
	for name, o := range ofKind[certificate](t, files, "Certificate") {
		wantOwn(t, "Certificate "+name, o.Labels, o.Annotations, false)
	}
	services.JumpHost[0].Pods = &v1.Pods{Annotations: map[string]string{"a b": "c"}}
	assert.ErrorContains(t, need.Err(Check(in)), `pods.annotations["a b"]: name part must consist`,
		"a key that the API server refuses")
}

func wantOwn(t *testing.T, what string, labels, annotations map[string]string, wanted bool) {
	t.Helper()
	assert.Equal(t, wanted, labels["team"] == "net", what)
	assert.Equal(t, wanted, annotations["example.org/contact"] == "ops", what)
}

// The Site's labels win over a tenant's.
func TestSiteLabelsWin(t *testing.T) {
	in := tenant()
	in.Site.Spec.Defaults.Labels = map[string]string{"team": "site"}
	s := &in.Cluster.Spec.Services.JumpHost[0].Service
	s.Labels, s.Pods = map[string]string{"team": "tenant"}, &v1.Pods{Labels: map[string]string{"team": "tenant"}}
	d := ofKind[appsv1.Deployment](t, render(t, in), "Deployment")["jumphost-edge-a"]
	assert.Truef(t, d.Labels["team"] == "site" && d.Spec.Template.Labels["team"] == "site",
		"found %v and %v, want the Site's", d.Labels, d.Spec.Template.Labels)
}

// TestControlPlaneNodes: pods run beside the management cluster's API server where the entry asks for it, else where
// the Site does.
func TestControlPlaneNodes(t *testing.T) {
	yes, no := true, false
	for _, row := range []struct {
		entry, site *bool
		want        int
	}{{nil, nil, 0}, {nil, &no, 0}, {nil, &yes, 1}, {&no, &yes, 0}, {&yes, &no, 1}} {
		site := &v1alpha1.Site{}
		site.Spec.Defaults.ControlPlaneNodes = row.site
		o := &overlay{Input: Input{Site: site}}
		assert.Len(t, o.tolerations(&v1.Service{ControlPlaneNodes: row.entry}), row.want, row)
	}
}

// TestGroupOfSecrets: a pod that mounts a Secret has the group that may read it, and one that mounts none has no group
// for its volumes.
func TestGroupOfSecrets(t *testing.T) {
	in := tenant()
	in.Cluster.Spec.Services.LoadBalancerControlPlane[0].HealthCheck = &v1.HealthCheck{CA: &v1.BackendCA{Secret: "ca"}}
	for name, d := range ofKind[appsv1.Deployment](t, render(t, in), "Deployment") {
		pod := &d.Spec.Template.Spec
		want := name != "loadbalancer-worker-edge-a"
		assert.Equal(t, want, pod.SecurityContext.FSGroup != nil, name)
	}
}

// TestPortNameOfSIP: a Service that is taken over keeps the name of its port, and leads to it by number.
func TestPortNameOfSIP(t *testing.T) {
	site := &v1alpha1.Site{}
	site.Default()
	for name, want := range map[string]string{
		"":     "name: https\n    nodePort: 30001\n    port: 6443\n    protocol: TCP\n    targetPort: https\n",
		"http": "name: http\n    nodePort: 30001\n    port: 6443\n    protocol: TCP\n    targetPort: 6443\n",
	} {
		cluster := &v1.SIPCluster{}
		cluster.Namespace, cluster.Name = "a", "b"
		cluster.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{{Service: v1.Service{Image: "haproxy:2.3.2"}, NodeInterface: "oam", NodePort: 30001, PortName: name}}
		files, err := overlayOf(Input{Cluster: cluster, Site: site})
		require.NoError(t, err)
		text := string(files["loadbalancer-controlplane-b.yaml"])
		assert.Contains(t, text, want, name)
		assert.Truef(t, !strings.Contains(text, "haproxy:2.3.2") && strings.Contains(text, site.Spec.Images.HAProxy),
			"an image of SIP's time is kept:\n%s", text)
	}
}
