package schedule

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestContract: a role that wants fewer hosts loses hosts of the slots that it has too many of. A machine runs on an active host, and the
// standby label would take that host out of what Cluster API looks for.
func TestContract(t *testing.T) {
	worker := v1.RoleWorker
	held := func(name string) inventory.Host { return claimed(host1(name, "w", "of-"+name), "c", worker) }
	a, b, s := held("a"), held("b"), standbyOf(held("s"))
	am, bm, sm := provisionedBy(a, "ma"), provisionedBy(b, "mb"), provisionedBy(s, "ms")
	for _, row := range []struct {
		why             string
		active, standby int
		hosts           []inventory.Host
		want            string
	}{
		{"active hosts are too many, and in use: one of them waits, the standby host stays", 1, 1, []inventory.Host{am, bm, s}, "a (b) ~s"},
		{"active hosts are too many, and one is not in use", 1, 1, []inventory.Host{am, b, s}, "a ~s -b"},
		{"Cluster API let the other one go", 1, 1, []inventory.Host{a, bm, s}, "b ~s -a"},
		{"standby hosts are too many", 2, 0, []inventory.Host{a, b, s}, "a b -s"},
		{"the standby host that is too many is in use: it waits, and no slot changes", 2, 0, []inventory.Host{a, b, sm}, "a b (~s)"},
		{"active ones are too many, standby ones too few", 1, 1, []inventory.Host{am, b}, "a ~b"},
		{"both are too many: who is not in use goes first", 1, 0, []inventory.Host{am, bm, s}, "a (b) -s"},
		{"both are too many, and nobody is in use", 1, 0, []inventory.Host{a, b, s}, "a -b -s"},
	} {
		spec := newCluster("c", map[string]v1.NodeSet{worker: nodes("kind=w", row.active, row.standby)})
		p := plan(t, []v1.SIPCluster{spec}, row.hosts, Previous{}, testOptions)
		if got := strings.TrimSpace(strings.TrimPrefix(summary(p), "c Worker:")); got != row.want {
			t.Errorf("%s: %s, want %s", row.why, got, row.want)
		}
	}
}
