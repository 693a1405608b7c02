package schedule

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestMoreLike: how many more clusters like a get all that they ask for, while a and b lose nothing.
func TestMoreLike(t *testing.T) {
	key := ClusterKey{Namespace: "tenants", Name: "a"}
	for _, row := range []struct {
		why             string
		active, standby int
		b               int // hosts that another cluster of a lower name asks for
		hosts           int
		racks           int
		want            int
		// missing are the hosts that the next one lacks, and keys their topology.
		missing int
		keys    string
	}{
		{"none is left", 2, 0, 0, 2, 10, 0, 2, ""},
		{"one host is not enough", 2, 0, 0, 3, 10, 0, 1, ""},
		{"two more", 2, 0, 0, 6, 10, 2, 2, ""},
		{"standby hosts count", 1, 1, 0, 10, 10, 4, 1, ""},
		{"a cluster that comes after a has its hosts first", 2, 0, 3, 9, 10, 2, 2, ""},
		{"two hosts of a role are never in one rack", 2, 0, 0, 9, 1, 0, 1, "rack"},
		{"many", 1, 0, 0, 40, 40, 39, 1, ""},
	} {
		clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", row.active, row.standby)})}
		if row.b > 0 {
			clusters = append(clusters, newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", row.b, 0)}))
		}
		var hosts []inventory.Host
		for i := range row.hosts {
			hosts = append(hosts, host1("h"+string(rune('A'+i)), "w", "r"+string(rune('a'+i%row.racks))))
		}
		got, why, err := MoreLike(clusters, hosts, Previous{}, testOptions, key)
		if err != nil || got != row.want {
			t.Errorf("%s: %d more, %v, want %d", row.why, got, err, row.want)
		}
		if why == nil || !strings.HasPrefix(why.Short.Cluster.Name, "a.like.") || why.Missing.Count != row.missing || strings.Join(why.Missing.Keys, " ") != row.keys {
			t.Errorf("%s: the next one lacks %+v, want it to lack %d hosts by %q", row.why, why, row.missing, row.keys)
		}
	}
	none := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 0, 0)})}
	if _, _, err := MoreLike(none, nil, Previous{}, testOptions, key); err == nil {
		t.Error("a cluster that asks for no host: no error")
	}
}
