package schedule

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestReleaseIsOfOneCluster: a request releases the hosts that it names, as long as they carry the labels of the cluster that it names, and that
// cluster has no spec. All others stay as they are, and it is said why.
func TestReleaseIsOfOneCluster(t *testing.T) {
	host := HostKey{Namespace: "metal", Name: "h1"}
	asks := func(cluster string) map[HostKey]ClusterKey {
		return map[HostKey]ClusterKey{host: {Namespace: "tenants", Name: cluster}}
	}
	mine := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("", 1, 0)})}
	for _, row := range []struct {
		why      string
		clusters []v1.SIPCluster
		host     inventory.Host
		release  map[HostKey]ClusterKey
		want     string // the summary
		says     string // among the warnings
	}{
		{"not asked for", nil, claimed(newHost("h1", ""), "a", v1.RoleWorker), nil, "", "1 host left alone"},
		{"asked for", nil, claimed(newHost("h1", ""), "a", v1.RoleWorker), asks("a"), "a Worker: -h1", ""},
		{"asked for, and in use", nil, provisionedBy(claimed(newHost("h1", ""), "a", v1.RoleWorker), "m"), asks("a"), "a Worker: (h1)", "in use by Metal3Machine tenants/m: the request does not approve its release, which waits until it is free"},
		{"another cluster's by now", nil, claimed(newHost("h1", ""), "b", v1.RoleWorker), asks("a"), "", "its labels name tenants/b, so the host is not released"},
		{"the cluster has a spec again", mine, claimed(newHost("h1", "rack=r1"), "a", v1.RoleWorker), asks("a"), "a Worker: h1", "the cluster has a SIPCluster, which decides"},
		{"done", nil, newHost("h1", ""), asks("a"), "", "the host no longer carries a cluster's labels: remove this entry from spec.hosts.release"},
		{"a host that is not there", nil, newHost("h2", ""), asks("a"), "", "the inventory has no such host"},
	} {
		options := testOptions
		options.Release = row.release
		p := plan(t, row.clusters, []inventory.Host{row.host}, Previous{}, options)
		if got := strings.TrimSpace(summary(p)); got != row.want {
			t.Errorf("%s: got %q, want %q", row.why, got, row.want)
		}
		if said := strings.Join(Say.Warnings(p.Warnings), "\n"); !strings.Contains(said, row.says) || row.says == "" && strings.Contains(said, "spec.hosts.release") {
			t.Errorf("%s: said %q, want %q", row.why, said, row.says)
		}
	}
}
