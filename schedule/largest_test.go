package schedule

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/labels"
)

func TestWithout(t *testing.T) {
	_, hosts, _ := sited(t, "", "h0/r0 h1/r1 h2/r1", "")
	selector := labels.SelectorFromSet(labels.Set{"rack": "r1"})
	left, gone, err := Without(hosts, selector)
	assert.Truef(t, err == nil && gone == 2 && len(left) == 1 && left[0].Name == "h0", "%d gone, left %v, %v", gone,
		left, err)
	_, _, err = Without(left, selector)
	assert.ErrorContains(t, err, `selector "rack=r1": matches none of the 1 host`, "a selector that matches nothing")
}

// TestLargestRows: how many workers a cluster may ask for, so that no other loses what it has today.
func TestLargestRows(t *testing.T) {
	const six = "h0/r0 h1/r1 h2/r2 h3/r3 h4/r4 h5/r5"
	for _, row := range []struct {
		why, clusters, hosts, of string
		want                     int
	}{
		{"a has its 4 and c its 2; that b could be placed with 1 for a takes c's hosts, and 5 for a too", "a:4 b:3 c:2",
			six, "a", 4},
		{"b has nothing today; any number of it takes hosts from c, but none", "a:4 b:3 c:2", six, "b", 0},
		{"a standby host of another cluster is a host of it", "a:2 b:2+1", six, "a", 3},
		{"a failed host that the cluster holds is no capacity", "a:2", "h0/r0*=a h1/r1* h2/r2 h3/r3 h4/r4 h5/r5", "a",
			4},
		{"nor is one whose replacement would be taken away from its cluster", "a:2 b:1",
			"h0/r0*=b h1/r1 h2/r2 h3/r3 h4/r4 h5/r5", "a", 4},
		{"a host that is being released elsewhere is free for nobody yet", "a:2 b:1",
			"h0/r0=b h1/r1=b h2/r2=b h3/r3 h4/r4 h5/r5", "a", 3},
	} {
		clusters, hosts, _ := sited(t, row.clusters, row.hosts, "")
		key := ClusterKey{Namespace: "tenants", Name: row.of}
		got, err := LargestUpTo(clusters, hosts, Previous{}, testOptions, key, v1.RoleWorker, v1.MaxCount, nil)
		assert.Truef(t, err == nil && got == row.want, "%s: got %d, %v, want %d", row.why, got, err, row.want)
	}
	clusters, hosts, _ := sited(t, "a:cp1,1", "h0/r0 h1/r1", "")
	for i := range hosts {
		delete(hosts[i].Labels, "rack")
	}
	largest := func(cluster, role string) (int, error) {
		return LargestUpTo(clusters, hosts, Previous{}, testOptions, ClusterKey{Namespace: "tenants", Name: cluster},
			role, v1.MaxCount, nil)
	}
	got, err := largest("a", v1.RoleWorker)
	assert.Truef(t, err == nil && got == -1,
		"a cluster that is refused gets nothing new, whatever the number of a role: found %d, %v", got, err)
	_, err = largest("a", "Edge")
	assert.ErrorContains(t, err, "has no role Edge, only ControlPlane, Worker", "a role that is none")
	_, err = largest("none", "Edge")
	assert.ErrorContains(t, err, "tenants/none: no such cluster", "a cluster that is none")
}

// TestMoreLike: how many more clusters like a get all that they ask for, while a and b lose nothing.
func TestMoreLike(t *testing.T) {
	key := ClusterKey{Namespace: "tenants", Name: "a"}
	for _, row := range []struct {
		why                string
		active, standby    int
		b                  int // hosts that another cluster of a lower name asks for
		hosts, racks, want int
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
		clusters := []v1.SIPCluster{newCluster("a",
			map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", row.active, row.standby)})}
		if row.b > 0 {
			clusters = append(clusters, newCluster("b",
				map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", row.b, 0)}))
		}
		var hosts []inventory.Host
		for i := range row.hosts {
			hosts = append(hosts, host1("h"+string(rune('A'+i)), "w", "r"+string(rune('a'+i%row.racks))))
		}
		got, why, err := MoreLike(clusters, hosts, Previous{}, testOptions, key)
		assert.Truef(t, err == nil && got == row.want, "%s: %d more, %v, want %d", row.why, got, err, row.want)
		assert.Truef(t,
			why != nil && strings.HasPrefix(why.Short.Cluster.Name, "a.like.") && why.Missing.Count == row.missing &&
				strings.Join(why.Missing.Keys, " ") == row.keys,
			"%s: the next one lacks %+v, want it to lack %d hosts by %q", row.why, why, row.missing, row.keys)
	}
	none := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 0, 0)})}
	_, _, err := MoreLike(none, nil, Previous{}, testOptions, key)
	assert.Truef(t, err != nil, "a cluster that asks for no host: no error")
}
