package overlay

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestUnchangeable: which changes of a Service the API server refuses, as measured with kube-apiserver 1.34 and
// server-side apply.
func TestUnchangeable(t *testing.T) {
	for _, row := range []struct{ why, old, new, want string }{
		{"another cluster IP", "{clusterIP: 10.96.0.50}", "{clusterIP: 10.96.0.51}", "spec.clusterIP"},
		{"a first one", "{}", "{clusterIP: 10.96.0.51}", "spec.clusterIP"},
		{"none any more, and the Service keeps it", "{clusterIP: 10.96.0.50}", "{}", ""},
		{"an address for node ports, after none", "{type: ClusterIP, clusterIP: None}", "{type: NodePort}",
			"spec.clusterIP"},
		{"an address of its own, after none, which it does not get", "{type: ClusterIP, clusterIP: None}",
			"{type: ClusterIP}", ""},
		{"another first family", "{ipFamilies: [IPv4]}", "{ipFamilies: [IPv6]}", "spec.ipFamilies"},
		{"a second family", "{ipFamilies: [IPv4]}", "{ipFamilies: [IPv4, IPv6]}", ""},
		{"a family where the API server chose", "{}", "{ipFamilies: [IPv4]}", ""},
		{"the API server's choice, which is the former one", "{ipFamilies: [IPv6]}", "{}", ""},
		{"a class", "{type: LoadBalancer}", "{type: LoadBalancer, loadBalancerClass: a/b}", "spec.loadBalancerClass"},
		{"another class", "{type: LoadBalancer, loadBalancerClass: a/b}",
			"{type: LoadBalancer, loadBalancerClass: a/c}", "spec.loadBalancerClass"},
		{"no class any more", "{type: LoadBalancer, loadBalancerClass: a/b}", "{type: LoadBalancer}",
			"spec.loadBalancerClass"},
		{"a class with the type", "{type: NodePort}", "{type: LoadBalancer, loadBalancerClass: a/b}", ""},
		{"no type that has a class", "{type: LoadBalancer, loadBalancerClass: a/b}", "{type: NodePort}", ""},
		{"another port for checks", "{type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 31000}",
			"{type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 31001}",
			"spec.healthCheckNodePort"},
		{"one where the API server chose", "{type: LoadBalancer, externalTrafficPolicy: Local}",
			"{type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 31001}",
			"spec.healthCheckNodePort"},
		{"one with the checks", "{type: LoadBalancer}",
			"{type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 31001}", ""},
		{"other node ports", "{type: NodePort, ports: [{port: 1, nodePort: 30001}]}",
			"{type: NodePort, ports: [{port: 1, nodePort: 30002}]}", ""},
	} {
		objects := [2]Object{{Kind: "Service"}, {Kind: "Service"}}
		for i, spec := range []string{row.old, row.new} {
			require.NoError(t, yaml.Unmarshal([]byte("spec: "+spec), &objects[i].Fields), row.why)
		}
		assert.Equal(t, row.want, strings.Join(unchangeable(&objects[0], &objects[1]), " "), row.why)
	}
}
