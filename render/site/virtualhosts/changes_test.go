package virtualhosts

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestChanges: ranges change nothing for machines that are there; fewer of them, another subnet, wiring or node
// selector does. Another prefix changes nothing either: ViNO refuses it. lost are the hosts that each change is about.
func TestChanges(t *testing.T) {
	const before = `spec:
  networks:
  - {name: a, subnet: 10.0.0.0/24, staticAllocationStart: 10.0.0.10, staticAllocationStop: 10.0.0.20}
  nodes:
  - {name: w, count: 2, bootInterfaceName: eth0, networkInterfaces: [{name: eth0, network: a}]}
`
	const all = "n-v-m-1-w-0 n-v-m-1-w-1 n-v-m-2-w-0 n-v-m-2-w-1"
	for _, row := range []struct{ why, old, new, want, lost, refused string }{
		{why: "the same"},
		{why: "it grows", old: "0.20}", new: "0.30}"},
		{why: "it shrinks", old: "0.20}", new: "0.15}"},
		{why: "it begins elsewhere", old: "0.10,", new: "0.11,"},
		{why: "more machines", old: "count: 2", new: "count: 3"},
		{"fewer machines", "count: 2", "count: 1", "fewer hosts (node set w has 1, was 2)", "n-v-m-1-w-1 n-v-m-2-w-1",
			""},
		{"another name", "{name: w,", "{name: x,", "fewer hosts (node set w is gone)", all, ""},
		{"another subnet", "0.0/24", "0.0/23", "network a has subnet 10.0.0.0/23, was 10.0.0.0/24", all, ""},
		{"other nodes", "spec:\n", "spec:\n  nodeSelector: {matchLabels: {kvm: \"yes\"}}\n", "another nodeSelector",
			all, ""},
		{"it goes", "name: a,", "name: b,", "network a is gone", all, ""},
		{"other interfaces", "name: eth0, network", "name: eth1, network",
			"node set w has interfaces eth1=a, was eth0*=a", all, ""},
		{"another prefix", "subnet:", "macPrefix: '52:54:00:06:00:00', subnet:", "", "",
			"Vino n/v: network a has macPrefix 52:54:00:06:00:00, was 02:00:00:00:00:00: ViNO refuses that"},
		{"the end", "spec:", "end:", "ends: its machines lose libvirt and their BMC", all, ""},
	} {
		v := v1alpha1.VirtualHosts{Name: "v", Namespace: "n", HostNamespace: "metal3"}
		is := strings.Replace(before, row.old, row.new, 1)
		require.NoError(t, yaml.Unmarshal([]byte(is), &struct{ Spec *v1alpha1.VinoSpec }{&v.Spec}))
		site := &v1alpha1.Site{}
		if row.why != "the end" {
			site.Spec.Services.VirtualHosts = []v1alpha1.VirtualHosts{v}
		}
		tree := map[string][]byte{Folder(&v) + "/vino.yaml": []byte("metadata: {namespace: \"n\", name: v}\n" + before)}
		var found, lost []string
		for _, c := range Changes(site, tree) {
			found = append(found, c.Does)
			hosts := append(strings.Fields(all), "n-w-m-1-w-0")
			if c.Fewer {
				hosts = append(hosts, "n-v-m-1-y-0", "n-v-m-1-w") // of a set that the Vino never had
			}
			for _, host := range hosts {
				if c.Loses("metal3", host) {
					lost = append(lost, host)
				}
			}
		}
		assert.Contains(t, strings.Join(found, "; "), row.want, row.why)
		assert.Truef(t, (len(found) > 0) == (row.want != ""), "%s: found %q, want %q", row.why, found, row.want)
		assert.Equal(t, row.lost, strings.Join(lost, " "), row.why+": hosts")
		refused := strings.Join(Refused(site, tree), "; ")
		assert.Contains(t, refused, row.refused, row.why)
		assert.Truef(t, (refused != "") == (row.refused != ""), "%s: refused %q, want %q", row.why, refused,
			row.refused)
	}
}
