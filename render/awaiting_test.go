package render

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// TestAwaitedIsNoted: assignments.yaml says who waits for a host that is being released, and the next run reads it.
func TestAwaitedIsNoted(t *testing.T) {
	waits := schedule.RoleKey{Cluster: schedule.ClusterKey{Namespace: "tenants", Name: "red"}, Role: "Worker"}
	for _, to := range []schedule.RoleKey{waits, {}} {
		host := &inventory.Host{Namespace: "metal", Name: "h1", UID: "u1"}
		c := &schedule.Cluster{Key: schedule.ClusterKey{Namespace: "tenants", Name: "gone"}, Roles: []schedule.Role{{
			Name: "Infra", Releasing: []schedule.Release{{Host: host, Since: schedule.New, For: to}},
		}}}
		site := &v1alpha1.Site{}
		text, err := assignmentsOf(site, c, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(text), "for:\n    name: red\n    namespace: tenants\n    role: Worker\n"); got != (to.Role != "") {
			t.Errorf("for %q:\n%s", to, text)
		}
		previous, err := Previous("tree", Tree{"clusters/tenants/gone/assignments.yaml": text}, site)
		if err != nil {
			t.Fatal(err)
		}
		if len(previous.Claims) != 1 || previous.Claims[0].For != to || !previous.Claims[0].Releasing {
			t.Errorf("read %+v", previous.Claims)
		}
	}
}
