package virtualhosts

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
)

// TestBroken: ranges change nothing for machines that are there; another subnet, prefix, wiring or node selector does.
func TestBroken(t *testing.T) {
	const before = `spec:
  networks:
  - {name: a, subnet: 10.0.0.0/24, staticAllocationStart: 10.0.0.10, staticAllocationStop: 10.0.0.20}
  nodes:
  - {name: w, count: 2, bootInterfaceName: eth0, networkInterfaces: [{name: eth0, network: a}]}
`
	for _, row := range []struct{ why, old, new, want string }{
		{"the same", "", "", ""},
		{"it grows", "0.20}", "0.30}", ""},
		{"it shrinks", "0.20}", "0.15}", ""},
		{"it begins elsewhere", "0.10,", "0.11,", ""},
		{"another subnet", "0.0/24", "0.0/23", "network a has subnet 10.0.0.0/23, was 10.0.0.0/24"},
		{"other nodes", "spec:\n", "spec:\n  nodeSelector: {matchLabels: {kvm: \"yes\"}}\n", "another nodeSelector"},
		{"it goes", "name: a,", "name: b,", "network a is gone"},
		{"other interfaces", "name: eth0, network", "name: eth1, network", "node set w has interfaces eth1=a, was eth0*=a"},
		{"a set of no machine", "count: 2", "count: 0", ""},
	} {
		v := &v1alpha1.VirtualHosts{Name: "v", Namespace: "n"}
		was, ok := before, strings.Replace(before, row.old, row.new, 1)
		if row.why == "a set of no machine" {
			was, ok = ok, "spec: {networks: [{name: a, subnet: 10.0.0.0/24, staticAllocationStart: 10.0.0.10, staticAllocationStop: 10.0.0.20}]}"
		}
		spec := struct{ Spec *v1alpha1.VinoSpec }{&v.Spec}
		need.OK(t, yaml.Unmarshal([]byte(ok), &spec))
		found := strings.Join(Broken(v, map[string][]byte{Folder(v) + "/vino.yaml": []byte(was)}), "; ")
		need.Equal(t, row.why, found, row.want)
	}
}
