package virtualhosts

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
)

// TestRemade: a network that grows remakes no machine; one that shrinks, moves or goes does.
func TestRemade(t *testing.T) {
	const before = `spec:
  networks:
  - {name: a, subnet: 10.0.0.0/24, staticAllocationStart: 10.0.0.10, staticAllocationStop: 10.0.0.20}
  nodes:
  - {name: w, count: 2, bootInterfaceName: eth0, networkInterfaces: [{name: eth0, network: a}]}
`
	for _, row := range []struct{ why, old, new, want string }{
		{"the same", "", "", ""},
		{"it grows", "0.20}", "0.30}", ""},
		{"it shrinks", "0.20}", "0.15}", "network a has staticAllocationStop 10.0.0.15, was 10.0.0.20"},
		{"it begins elsewhere", "0.10,", "0.11,", "network a has staticAllocationStart 10.0.0.11, was 10.0.0.10"},
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
		found := strings.Join(Remade(v, map[string][]byte{Folder(v) + "/vino.yaml": []byte(was)}), "; ")
		need.Equal(t, row.why, found, row.want)
	}
}
