package report

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

func TestComponentDangers(t *testing.T) {
	for _, row := range []struct {
		change ComponentChange
		want   string
	}{
		{ComponentChange{What: ComponentAuthentication, Files: []string{"dex-a"}}, "the authentication changes (dex-a), that is, who may log in; where the component is used, the control plane machines are replaced one by one"},
		{ComponentChange{What: ComponentAuthentication, Files: []string{"dex-a"}, Deleted: true}, "dex-a is deleted: a kustomization that includes that component does not build"},
		{ComponentChange{What: ComponentEndpoint, From: "192.0.2.1:6443", To: "192.0.2.2:6443"}, "controlPlaneEndpoint 192.0.2.1:6443 to 192.0.2.2:6443: "},
		{ComponentChange{What: ComponentEndpoint, From: "192.0.2.1:6443"}, "controlPlaneEndpoint 192.0.2.1:6443 is no longer set: "},
		{ComponentChange{What: ComponentDomains, To: "r1, r2"}, "failureDomains set to r1, r2: "},
		{ComponentChange{What: ComponentPatches, Files: []string{"kustomization.yaml"}}, "kustomization.yaml changes: "},
		{ComponentChange{What: ComponentPatches, Files: []string{"a.yaml", "b.yaml"}}, "a.yaml, b.yaml change: "},
	} {
		row.change.Cluster = "t/a"
		other := row.change
		other.Cluster = "t/b"
		p := &Plan{Clusters: []ClusterResult{{Namespace: "t", Name: "a"}}, Components: []ComponentChange{row.change, other}}
		for _, found := range [][]string{Dangers(p, nil)} {
			if len(found) != 2 || !strings.HasPrefix(found[0], "t/a: capi: "+row.want) {
				t.Errorf("found %q, want %q", found, row.want)
			}
		}
		need.Same(t, "of one cluster: found", Dangers(p.Only("t/a"), nil), Dangers(p, nil)[:1])
	}
}
