package schedule

import (
	"os"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestWorkedExample: docs/placement.md shows what Plan says.
func TestWorkedExample(t *testing.T) {
	text, err := os.ReadFile("../docs/placement.md")
	if err != nil {
		t.Fatal(err)
	}
	quoted := func(what string) {
		t.Helper()
		indented := "    " + strings.ReplaceAll(strings.TrimSuffix(what, "\n"), "\n", "\n    ") + "\n"
		if !strings.Contains(string(text), indented) {
			t.Errorf("docs/placement.md does not show:\n%s", indented)
		}
	}
	clusters := []v1.SIPCluster{newCluster("red", map[string]v1.NodeSet{
		v1.RoleControlPlane: nodes("cp=yes", 2, 0), v1.RoleWorker: nodes("w=yes", 1, 0)})}
	hosts := []inventory.Host{newHost("n1", "rack=r1 cp=yes w=yes"), newHost("n2", "rack=r1 cp=yes"), newHost("n3", "rack=r2 cp=yes")}
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	said, _ := Say.ExplainCluster(p, ClusterKey{Namespace: "tenants", Name: "red"})
	quoted(said)
	hosts[1].State.Paused = true
	p = plan(t, clusters, hosts, Previous{}, testOptions)
	quoted(Say.Shortage(&p.Shortages[0]))
	if greedyPass(clusters, hosts) != 0 {
		t.Error("first fit places the example: it shows nothing")
	}
}
