package tenancy

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func hostsOf(namespace string, label map[string]string, names ...string) []inventory.Host {
	var out []inventory.Host
	for _, name := range names {
		out = append(out, inventory.Host{Namespace: namespace, Name: name, Labels: label})
	}
	return out
}

func TestHeld(t *testing.T) {
	claim := func(host, cluster string, standby, releasing bool) schedule.PreviousClaim {
		return schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "m", Name: host},
			Cluster: schedule.ClusterKey{Namespace: "bank", Name: cluster}, Role: "Worker", Standby: standby,
			Releasing: releasing}
	}
	labeled := hostsOf("m", map[string]string{"cn": "bank", "cc": "a", "nt": "Worker", "sb": "true"}, "h1", "h2", "h4")
	half := hostsOf("m", map[string]string{"cn": "bank", "cc": "a"}, "h5")
	held := Held([]v1.SIPCluster{wanting("a", 0, 0, 0)}, schedule.Previous{Claims: []schedule.PreviousClaim{
		claim("h1", "a", false, false), // the tree is the later word
		claim("h2", "a", false, true),  // it leaves, and its labels are not gone yet
		claim("h3", "b", true, false),  // not in the inventory
	}}, append(labeled, half...), schedule.Options{Keys: keys})
	for key, want := range map[string]Count{"a": {2, 1}, "b": {}, "c": {}} {
		assert.Equal(t, want, held.Of(schedule.ClusterKey{Namespace: "bank", Name: key}), key)
	}
}

// TestLimits: the clusters of one tenant, in any of its namespaces, have one limit, and say where it stands.
func TestLimits(t *testing.T) {
	key := func(namespace string) schedule.ClusterKey {
		return schedule.ClusterKey{Namespace: namespace, Name: "a"}
	}
	listed := Of(siteOf(t, bank), nil).Limits([]schedule.ClusterKey{key("bank"), key("bank-test"), key("nobodys")})
	assert.Truef(t, len(listed) == 2 && listed[key("bank")] == listed[key("bank-test")],
		"found %v, want one limit for two namespaces, and none for a namespace without a tenant", listed)
	want := schedule.Limit{Hosts: 6, Standby: 2, HostsFrom: "tenant bank (the Site's spec.tenants[].hosts.max)",
		StandbyFrom: "tenant bank (the Site's spec.tenants[].hosts.maxStandby)"}
	assert.Equal(t, want, *listed[key("bank")])
	each := Of(siteOf(t, "  maxHostsPerTenant: 3\n"), nil).Limits([]schedule.ClusterKey{key("bank"), key("bank-test")})
	if got := each[key("bank")]; got.Hosts != 3 ||
		got.HostsFrom != "each namespace (the Site's spec.maxHostsPerTenant)" || got == each[key("bank-test")] {
		t.Errorf("by default: found %+v, want 3 for each namespace", got)
	}
}

// TestRoom is contract 23: a tenant with six hosts at most has room for those that its clusters neither have nor let
// go. Failed hosts in use that are to leave do not count, up to the number of the brake.
func TestRoom(t *testing.T) {
	tenants := Of(siteOf(t, bank), nil)
	leaves := func(h *inventory.Host, c *schedule.PreviousClaim) { c.Releasing = true }
	waits := func(h *inventory.Host, c *schedule.PreviousClaim) { c.Pending = true }
	used := func(h *inventory.Host) { h.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Name: "m"} }
	for _, row := range []struct {
		why   string
		is    func(h *inventory.Host, c *schedule.PreviousClaim)
		state func(h *inventory.Host)
		room  int
	}{
		{"they stay", nil, nil, 4},
		{"they leave, idle", leaves, nil, 6},
		{"they leave, and keep their labels", leaves, func(h *inventory.Host) { h.Labels = map[string]string{"cn": "bank"} }, 4},
		{"they wait to leave, in use", waits, used, 4},
		{"they wait to leave, and have failed", waits, func(h *inventory.Host) { used(h); h.State.Unhealthy = true }, 5},
		{"they wait to leave, and have failed, idle", waits, func(h *inventory.Host) { h.State.Unhealthy = true }, 4},
		{"they wait to leave, in use and in error", waits, func(h *inventory.Host) { used(h); h.State.Operational = "error" }, 4},
		{"they have failed, and stay", nil, func(h *inventory.Host) { used(h); h.State.Unhealthy = true }, 4},
	} {
		hosts := hostsOf("m", nil, "h1", "h2")
		var tree schedule.Previous
		for i := range hosts {
			claim := schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "m", Name: hosts[i].Name},
				Cluster: schedule.ClusterKey{Namespace: "bank", Name: "a"}, Role: "Worker"}
			if row.is != nil {
				row.is(&hosts[i], &claim)
			}
			if row.state != nil {
				row.state(&hosts[i])
			}
			tree.Claims = append(tree.Claims, claim)
		}
		held := Held([]v1.SIPCluster{wanting("a", 0, 2, 0)}, tree, hosts, schedule.Options{Keys: keys})
		const brake = 1
		assert.Equal(t, row.room, tenants.Room(tenants.Of("bank"), held, brake), row.why)
	}
}

func TestClusterCaps(t *testing.T) {
	tenants := Of(siteOf(t, bank), nil)
	key := func(name string) schedule.ClusterKey { return schedule.ClusterKey{Namespace: "bank", Name: name} }
	for _, row := range []struct{ why, specs, known, frozen, want string }{
		{"as many as it may", "a b", "", "", ""},
		{"one more, without a host", "a b c", "", "",
			"bank/c: metadata.name: one cluster too many: the tenant already has 2, counting those in the tree and those served before this one, and tenant bank (the Site's spec.tenants[].maxClusters) may have at most 2"},
		{"the newcomer, though its name comes first", "a b c", "b c", "", "bank/a: metadata.name"},
		{"what it has stays", "a b c", "a b c", "", ""},
		{"more than it may, and one more", "a b c d", "a b c", "", "bank/d: metadata.name"},
		{"one without a spec has services still", "a b", "gone", "", "bank/b: metadata.name"},
		{"a new one that is frozen uses up nothing", "a b", "", "a", ""},
		{"and is told that there is no place for it", "a b c", "", "a", "bank/a: metadata.name"},
	} {
		var clusters []v1.SIPCluster
		for name := range strings.FieldsSeq(row.specs) {
			clusters = append(clusters, wanting(name, 0, 0, 0))
		}
		var known []schedule.ClusterKey
		for name := range strings.FieldsSeq(row.known) {
			known = append(known, key(name))
		}
		found := tenants.Clusters(clusters, known, (*v1.SIPCluster).Leaves,
			map[schedule.ClusterKey]bool{key(row.frozen): true})
		want(t, row.why, said(found), row.want)
		if row.want != "" && len(found) != 1 {
			t.Errorf("%s: %d complaints, want one", row.why, len(found))
		}
	}
	elsewhere := wanting("b", 0, 0, 0)
	elsewhere.Namespace = "bank-test"
	want(t, "in its other namespace", said(tenants.Clusters([]v1.SIPCluster{wanting("a", 0, 0, 0),
		wanting("b", 0, 0, 0), elsewhere}, nil, (*v1.SIPCluster).Leaves, nil)), "bank/b: metadata.name")
	urgent := wanting("z", 5, 0, 0)
	want(t, "of newcomers, the one with less priority",
		said(tenants.Clusters([]v1.SIPCluster{wanting("a", 0, 0, 0), wanting("b", 0, 0, 0), urgent}, nil,
			(*v1.SIPCluster).Leaves, nil)), "bank/b: metadata.name")
	nobodys := wanting("a", 0, 0, 0)
	nobodys.Namespace = "nobodys"
	want(t, "without a tenant, which is another finding", said(tenants.Clusters([]v1.SIPCluster{nobodys}, nil,
		(*v1.SIPCluster).Leaves, nil)), "")
	plain := Of(siteOf(t, "  maxClustersPerTenant: 1\n"), nil)
	want(t, "by default", said(plain.Clusters([]v1.SIPCluster{wanting("a", 0, 0, 0), urgent}, nil,
		(*v1.SIPCluster).Leaves, nil)), "bank/a: metadata.name: one cluster too many: the tenant already has 1, counting those in the tree and those served before this one, and each namespace (the Site's spec.maxClustersPerTenant) may have at most 1")
}

func wanting(name string, priority int32, active, standby int) v1.SIPCluster {
	c := v1.SIPCluster{}
	c.Namespace, c.Name, c.Spec.Priority = "bank", name, priority
	c.Spec.Nodes = map[string]v1.NodeSet{"Worker": {Count: &v1.NodeCount{Active: active, Standby: standby}}}
	return c
}

// TestGranted places clusters whose tenant has a pool: they get new hosts of the pool only, and keep what they have.
func TestGranted(t *testing.T) {
	tenants := Of(siteOf(t, bank), nil)
	hosts := append(hostsOf("m", map[string]string{"pool": "finance"}, "f1", "f2"),
		hostsOf("m", map[string]string{"pool": "else"}, "e1", "e2")...)
	c := wanting("a", 0, 2, 0)
	held := schedule.Previous{Claims: []schedule.PreviousClaim{{Host: schedule.HostKey{Namespace: "m", Name: "e1"},
		Cluster: schedule.KeyOf(&c), Role: "Worker"}}}
	options := schedule.Options{Keys: keys, Granted: tenants.Granted([]schedule.ClusterKey{schedule.KeyOf(&c)})}
	placement, err := schedule.Plan([]v1.SIPCluster{c}, hosts, held, options)
	require.NoError(t, err)
	var found []string
	for _, a := range placement.Clusters[0].Roles[0].Assigned {
		found = append(found, a.Host.Name)
	}
	assert.Truef(t, strings.Join(found, " ") == "e1 f1" && len(placement.Clusters[0].Roles[0].Releasing) == 0,
		"found %v, want e1, which it held, and f1, of its pool", found)
	c.Spec.Nodes["Worker"] = v1.NodeSet{Count: &v1.NodeCount{Active: 3}}
	placement, err = schedule.Plan([]v1.SIPCluster{c}, hosts, schedule.Previous{}, options)
	assert.Truef(t, err == nil && !placement.Schedulable(),
		"three hosts of a pool of two: found %v, want it to be unschedulable", err)
}

// TestOthersVirtualHosts: new hosts are no virtual hosts that the Site has for other tenants.
func TestOthersVirtualHosts(t *testing.T) {
	site := siteOf(t, bank)
	site.Spec.Services.VirtualHosts = []v1alpha1.VirtualHosts{
		{Namespace: "vino", Name: "mine", Tenants: []string{"bank"}}, {Namespace: "vino", Name: "all"},
		{Namespace: "vino", Name: "theirs", Tenants: []string{"else"}},
	}
	var hosts []inventory.Host
	for _, name := range []string{"all", "mine", "theirs"} {
		hosts = append(hosts, hostsOf("m",
			map[string]string{"pool": "finance", v1alpha1.VirtualHostsLabel: "vino." + name}, name)...)
	}
	for active, placed := range map[int]bool{2: true, 3: false} {
		c := wanting("a", 0, active, 0)
		placement, err := schedule.Plan([]v1.SIPCluster{c}, hosts, schedule.Previous{}, schedule.Options{Keys: keys,
			Granted: Of(site, nil).Granted([]schedule.ClusterKey{schedule.KeyOf(&c)})})
		assert.Truef(t, err == nil && placement.Schedulable() == placed, "%d hosts: found %v, want schedulable %t",
			active, err, placed)
	}
}

// TestGrantedNamespaces: new hosts come from the tenant's namespaces of hosts only, and what it has stays.
func TestGrantedNamespaces(t *testing.T) {
	tenants := Of(siteOf(t, "  hosts: {namespaces: [east, west, north]}\n  tenants:\n  - {name: bank, namespaces: [bank], hosts: {namespaces: [west, north], max: 9}}\n"), nil)
	hosts := append(append(hostsOf("east", nil, "e1", "e2"), hostsOf("west", nil, "w1", "w2")...),
		hostsOf("north", nil, "n1")...)
	c := wanting("a", 0, 3, 0)
	held := schedule.Previous{Claims: []schedule.PreviousClaim{{Host: schedule.HostKey{Namespace: "east", Name: "e2"},
		Cluster: schedule.KeyOf(&c), Role: "Worker"}}}
	placement, err := schedule.Plan([]v1.SIPCluster{c}, hosts, held, schedule.Options{Keys: keys,
		Granted: tenants.Granted([]schedule.ClusterKey{schedule.KeyOf(&c)})})
	require.NoError(t, err)
	var found []string
	for _, a := range placement.Clusters[0].Roles[0].Assigned {
		found = append(found, a.Host.Name)
	}
	assert.Equal(t, "e2 n1 w1", strings.Join(found, " "), found)
	for spec, message := range map[string]string{
		"{nodes: {Worker: {hostNamespaces: [west, north]}}}": "",
		"{nodes: {Worker: {hostNamespaces: [west, east]}}}":  `spec.nodes.Worker.hostNamespaces[1]: found "east", which tenant bank (the Site's spec.tenants[].hosts.namespaces) is not granted`,
		"{nodes: {Worker: {hostNamespaces: [racks]}}}":       `spec.nodes.Worker.hostNamespaces[0]: found "racks", which has no hosts of the site (the Site's spec.hosts.namespaces)`,
	} {
		c := clusterOf(t, "bank/a", spec)
		want(t, spec, said(tenants.Spec(&c)), message)
	}
}
