package infra

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
)

// TestPortNameOfSIP: a Service that is taken over keeps the name of its port, and leads to it by number.
func TestPortNameOfSIP(t *testing.T) {
	site := &v1alpha1.Site{}
	site.Default()
	for name, want := range map[string]string{"": "{name: https, nodePort: 30001, port: 6443, protocol: TCP, targetPort: https}", "http": "{name: http, nodePort: 30001, port: 6443, protocol: TCP, targetPort: 6443}"} {
		cluster := &v1.SIPCluster{}
		cluster.Namespace, cluster.Name = "a", "b"
		cluster.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{{Service: v1.Service{Image: "haproxy:2.3.2"}, NodeInterface: "oam", NodePort: 30001, PortName: name}}
		files, err := overlayOf(Input{Cluster: cluster, Site: site})
		need.OK(t, err)
		text := string(files["loadbalancer-controlplane-b.yaml"])
		need.Words(t, name, text, want)
		if strings.Contains(text, "haproxy:2.3.2") || !strings.Contains(text, site.Spec.Images.HAProxy) {
			t.Errorf("an image of SIP's time is kept:\n%s", text)
		}
	}
}
