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

// TestLostHosts: the services of a refused cluster stay byte by byte, and its rights lose the hosts that are another cluster's by now. The tree is
// one that Site rendered.
func TestLostHosts(t *testing.T) {
	spec := func(name string) v1.SIPCluster {
		c := testCluster(name)
		c.Spec.Services.LoadBalancerControlPlane[0].NodePort = map[string]int32{"a": 30000, "b": 30001}[name]
		c.Spec.Services.JumpHost = []v1.JumpHost{{Service: v1.Service{NodeInterface: "oam"}, SSHAuthorizedKeys: []string{
			"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJVN6LKNPjAJqQxKPMQ4Kg6u4WWRcAxGNAkHBYkZmHZP a@example.org"}}}
		return c
	}
	const rights = "rights/lab/a/jumphost-a.yaml"
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
			[]string{rights}, []string{"  - h1\n"}, []string{"  - h10\n", "  - h2\n", "kind: RoleBinding"}},
		{"all: no rule without names, which would be for every host", []schedule.Assignment{h1, h2}, []schedule.Cluster{refused(controlPlane("a")), controlPlane("b", h1, h2)},
			[]string{rights}, []string{"baremetalhosts"}, []string{"rules: []\n", "kind: RoleBinding"}},
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
			if name == rights {
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
