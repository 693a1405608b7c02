package schedule

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestLabelsOfOthers: whoever owns a host writes its labels, and brings it into no cluster of another tenant with them. What the tree gave stays.
func TestLabelsOfOthers(t *testing.T) {
	site := host1("h1", "w", "r1")
	owned := func(cluster string, used bool) inventory.Host {
		h := claimed(host1("h2", "o", "r2"), cluster, v1.RoleWorker)
		h.Namespace = "edge-hosts"
		if used {
			h = provisionedBy(h, "m1")
		}
		return h
	}
	tree := func(cluster string) []PreviousClaim {
		c := inTree("h2", cluster, v1.RoleWorker)
		c.Host.Namespace = "edge-hosts"
		return []PreviousClaim{c}
	}
	for _, row := range []struct {
		why   string
		owner string // of edge-hosts
		mine  string // whose the clusters are
		host  inventory.Host
		tree  []PreviousClaim
		want  string
		says  string
	}{
		{"another tenant's cluster", "edge", "bank", owned("a", false), nil, "a Worker: +h1\n",
			"1 host of tenant edge (ownsHosts) labelled for tenants/a, which is not that tenant's: edge-hosts/h2: nobody gets them; take the labels off"},
		{"another tenant's cluster, and it is in use", "edge", "bank", owned("a", true), nil, "a Worker: +h1\n", "nobody gets them"},
		{"nobody's", "edge", "", owned("a", true), nil, "a Worker: +h1\n", "nobody gets them"},
		{"its own", "edge", "edge", owned("a", true), nil, "a Worker: h2\n", ""},
		{"the site's host", "", "bank", owned("a", true), nil, "a Worker: h2\n", ""},
		{"the tree gave it", "edge", "bank", owned("a", true), tree("a"), "a Worker: h2\n", ""},
		{"the tree gave it to another cluster", "edge", "bank", owned("a", true), tree("b"), "a Worker: +h1\nb Worker: h2\n",
			"1 host of tenant edge (ownsHosts) labelled for tenants/a, which is not that tenant's: edge-hosts/h2: tenants/b keeps its claim"},
	} {
		options := testOptions
		options.LabelsNewer = true
		options.Owner = func(namespace string) string { return map[string]string{"edge-hosts": row.owner}[namespace] }
		options.Tenant = func(string) string { return row.mine }
		clusters := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)})}
		if strings.Contains(row.want, "b Worker") {
			clusters = append(clusters, newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=o", 1, 0)}))
		}
		p := plan(t, clusters, []inventory.Host{site, row.host}, Previous{Claims: row.tree}, options)
		if got := summary(p); got != row.want {
			t.Errorf("%s: got\n%swant\n%s", row.why, got, row.want)
		}
		if got := strings.Join(Say.Warnings(p.Warnings), "\n"); !strings.Contains(got, row.says) || row.says == "" && strings.Contains(got, "ownsHosts") {
			t.Errorf("%s: warnings %q, want %q", row.why, got, row.says)
		}
	}
}

// TestReleaseOfAnOwnersHost: the operators may release a host that its owner's labels give to a cluster that nobody has.
func TestReleaseOfAnOwnersHost(t *testing.T) {
	host := claimed(host1("h2", "o", "r2"), "dead", v1.RoleWorker)
	host.Namespace = "edge-hosts"
	options := testOptions
	options.Owner = func(namespace string) string { return map[string]string{"edge-hosts": "edge"}[namespace] }
	options.Tenant = func(string) string { return "" }
	options.Release = map[HostKey]ClusterKey{{Namespace: "edge-hosts", Name: "h2"}: {Namespace: "tenants", Name: "dead"}}
	if got, want := summary(plan(t, nil, []inventory.Host{host}, Previous{}, options)), "dead Worker: -h2\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestApprovedRelease: a host whose release was approved by its name, and that leaves already, is taken back by its role if that needs it. An approval of a host without a uid is none.
func TestApprovedRelease(t *testing.T) {
	used := func(name string) inventory.Host {
		return provisionedBy(claimed(host1(name, "w", "r"+name), "a", v1.RoleWorker), name)
	}
	nameless := used("h2")
	nameless.UID = ""
	for _, row := range []struct {
		why             string
		active, standby int
		hosts           []inventory.Host
		tree            []PreviousClaim
		want            string
	}{
		{"for a standby slot", 1, 1, []inventory.Host{used("h1"), used("h2"), host1("h3", "w", "r3")}, []PreviousClaim{inTree("h1", "a", v1.RoleWorker), releasing(inTree("h2", "a", v1.RoleWorker))}, "a Worker: h1 ~h2\n"},
		{"for an active slot", 2, 0, []inventory.Host{used("h1"), used("h2"), host1("h3", "w", "r3")}, []PreviousClaim{inTree("h1", "a", v1.RoleWorker), releasing(inTree("h2", "a", v1.RoleWorker))}, "a Worker: h1 h2\n"},
		{"its uid is not known", 1, 0, []inventory.Host{used("h1"), nameless}, []PreviousClaim{inTree("h1", "a", v1.RoleWorker), inTree("h2", "a", v1.RoleWorker)}, "a Worker: h1 (h2)\n"},
	} {
		a := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", row.active, row.standby)})
		a.Annotations = map[string]string{v1.ApproveReleaseAnnotation: "h2"}
		p := plan(t, []v1.SIPCluster{a}, row.hosts, Previous{Claims: row.tree}, testOptions)
		if got := summary(p); got != row.want {
			t.Errorf("%s: got\n%swant\n%s", row.why, got, row.want)
		}
	}
}
