package infra

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
)

// TestControlPlaneNodes: pods run beside the management cluster's API server where the entry asks for it, else where the Site does.
func TestControlPlaneNodes(t *testing.T) {
	yes, no := true, false
	for _, row := range []struct {
		entry, site *bool
		want        int
	}{{nil, nil, 0}, {nil, &no, 0}, {nil, &yes, 1}, {&no, &yes, 0}, {&yes, &no, 1}} {
		site := &v1alpha1.Site{}
		site.Spec.Defaults.ControlPlaneNodes = row.site
		o := &overlay{Input: Input{Site: site}}
		if got := o.tolerations(&v1.Service{ControlPlaneNodes: row.entry}); len(got) != row.want {
			t.Errorf("%+v: found %v", row, got)
		}
	}
}

// TestGroupOfSecrets: a pod that mounts a Secret has the group that may read it, and one that mounts none has no group for its volumes.
func TestGroupOfSecrets(t *testing.T) {
	in := tenant()
	in.Cluster.Spec.Services.LoadBalancerControlPlane[0].HealthCheck = &v1.HealthCheck{CA: &v1.BackendCA{Secret: "ca"}}
	for name, d := range ofKind[appsv1.Deployment](t, render(t, in), "Deployment") {
		pod := &d.Spec.Template.Spec
		want := name != "loadbalancer-worker-edge-a"
		need.Equal(t, name, pod.SecurityContext.FSGroup != nil, want)
	}
}
