package render

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/schedule"
)

// lostFiles are those of a cluster's services and of their rights that know hosts.
var lostFiles = []string{
	"clusters/lab/a/infra/jumphost-a.yaml", "clusters/lab/a/infra/jumphost-a/hosts", "clusters/lab/a/infra/jumphost-a/ssh_config",
	"clusters/lab/a/infra/jumphost-a/sshd_config", "clusters/lab/a/infra/loadbalancer-controlplane-a.cfg", "rights/lab/a/jumphost-a.yaml",
}

// TestLostHosts: the services of a refused cluster stay byte by byte, but for the power over hosts that are another cluster's by now and the way
// to them. The tree is one that Site rendered.
func TestLostHosts(t *testing.T) {
	spec := func(name string) v1.SIPCluster {
		c := testCluster(name)
		c.Spec.Services.LoadBalancerControlPlane[0].NodePort = map[string]int32{"a": 30000, "b": 30001}[name]
		c.Spec.Services.JumpHost = []v1.JumpHost{{Service: v1.Service{NodeInterface: "oam"}, SSHAuthorizedKeys: []string{
			"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJVN6LKNPjAJqQxKPMQ4Kg6u4WWRcAxGNAkHBYkZmHZP a@example.org"}}}
		return c
	}
	h1, h2, h10 := at("h1", "192.0.2.1"), at("h2", "192.0.2.2"), at("h10", "2001:db8::10")
	site := func(previous Tree, clusters ...schedule.Cluster) Tree {
		return render(t, Input{Site: testSite(nil), Clusters: []v1.SIPCluster{spec("a"), spec("b")}, Placement: &schedule.Placement{Clusters: clusters}, Previous: previous})
	}
	for _, row := range []struct {
		why     string
		had     []schedule.Assignment
		now     []schedule.Cluster
		changed []string // files of a's services and their rights
		gone    []string // what they do not have any more
		stays   []string
	}{
		{"nothing is another's", []schedule.Assignment{h1, h2}, []schedule.Cluster{refused(controlPlane("a", h1)), controlPlane("b")}, nil, nil, nil},
		{"its services are its own", []schedule.Assignment{h1, h2}, []schedule.Cluster{refused(controlPlane("a", h1, h2)), controlPlane("b", h10)}, nil, nil, nil},
		{"one of three", []schedule.Assignment{h1, h2, h10}, []schedule.Cluster{refused(controlPlane("a", h2, h10)), controlPlane("b", h1)},
			lostFiles,
			[]string{"  - h1\n", "h1.metal3\t", " h1:22", " h1.metal3:22", "192.0.2.1", "Host h1 ", "server h1 "},
			[]string{"  - h10\n", "  - h2\n", "h10.metal3\t", " h10:22", " h10.metal3:22", " [2001:db8::10]:22", " 192.0.2.2:22", "kind: RoleBinding", "Host h2 h2.metal3\n    HostName 192.0.2.2\n", "Host *\n", "server h2 192.0.2.2:6443\n", "server h10 [2001:db8::10]:6443\n", "        ip: 192.0.2.2\n", "replicas: 1\n"}},
		{"an address in brackets", []schedule.Assignment{h1, h10}, []schedule.Cluster{controlPlane("b", h10), refused(controlPlane("a", h1))},
			lostFiles,
			[]string{"  - h10\n", "2001:db8::10", "h10:22", "Host h10 "}, []string{"  - h1\n", " 192.0.2.1:22"}},
		{"all: no rule without names, which would be for every host", []schedule.Assignment{h1, h2}, []schedule.Cluster{refused(controlPlane("a")), controlPlane("b", h1, h2)},
			lostFiles,
			[]string{"baremetalhosts", "192.0.2.1", "192.0.2.2", "hostAliases"}, []string{"backend kube-apiservers\n", "rules: []\n", "PermitOpen none\n", "kind: RoleBinding"}},
	} {
		before := site(nil, controlPlane("a", row.had...), controlPlane("b"))
		after := site(before, row.now...)
		var changed []string
		var text strings.Builder
		for _, name := range slices.Sorted(maps.Keys(before)) {
			if !strings.HasPrefix(name, "clusters/lab/a/infra/") && !strings.HasPrefix(name, "rights/lab/a/") {
				continue
			}
			if !bytes.Equal(before[name], after[name]) {
				changed = append(changed, name)
			}
			if slices.Contains(lostFiles, name) {
				text.Write(after[name])
			}
		}
		if !slices.Equal(changed, row.changed) {
			t.Errorf("%s: changed %q, want %q", row.why, changed, row.changed)
		}
		for _, gone := range row.gone {
			if strings.Contains(text.String(), gone) {
				t.Errorf("%s: %q is still there:\n%s", row.why, gone, &text)
			}
		}
		for _, stays := range row.stays {
			if !strings.Contains(text.String(), stays) {
				t.Errorf("%s: %q is gone:\n%s", row.why, stays, &text)
			}
		}
		if again := site(after, row.now...); !maps.EqualFunc(after, again, bytes.Equal) {
			t.Errorf("%s: rendered once more it is another tree", row.why)
		}
	}
}
