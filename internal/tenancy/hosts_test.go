package tenancy

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
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
		return schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "m", Name: host}, Cluster: schedule.ClusterKey{Namespace: "bank", Name: cluster}, Role: "Worker", Standby: standby, Releasing: releasing}
	}
	labeled := hostsOf("m", map[string]string{"cn": "bank", "cc": "a", "nt": "Worker", "sb": "true"}, "h1", "h2", "h4")
	half := hostsOf("m", map[string]string{"cn": "bank", "cc": "a"}, "h5")
	held := Held([]v1.SIPCluster{wanting("a", 0, 0, 0)}, schedule.Previous{Claims: []schedule.PreviousClaim{
		claim("h1", "a", false, false), // the tree is the later word
		claim("h2", "a", false, true),  // it leaves, and its labels are not gone yet
		claim("h3", "b", true, false),  // not in the inventory
	}}, append(labeled, half...), schedule.Options{Keys: keys})
	for key, want := range map[string]Count{"a": {2, 1}, "b": {1, 1}, "c": {}} {
		if found := held.Of(schedule.ClusterKey{Namespace: "bank", Name: key}); found != want {
			t.Errorf("%s: found %+v, want %+v", key, found, want)
		}
	}
}

// holding are clusters of one namespace with so many hosts in the role Worker.
func holding(namespace string, counts map[string]Count) Counts {
	held := Counts{counts: map[schedule.ClusterKey]Count{}, kept: map[schedule.RoleKey]Count{}}
	for name, count := range counts {
		key := schedule.ClusterKey{Namespace: namespace, Name: name}
		held.counts[key], held.kept[schedule.RoleKey{Cluster: key, Role: "Worker"}] = count, count
	}
	return held
}

// TestHostCaps: clusters are "name active+standby", holdings "name hosts/standby"; bank may have 6, 2 of them standby.
func TestHostCaps(t *testing.T) {
	tenants := Of(siteOf(t, bank), nil)
	for _, row := range []struct {
		why      string
		clusters []v1.SIPCluster
		held     map[string]Count
		frozen   string
		want     string
	}{
		{"as many as it may", []v1.SIPCluster{wanting("a", 0, 4, 2)}, nil, "", ""},
		{"one more", []v1.SIPCluster{wanting("a", 0, 5, 2)}, nil, "", "bank/a: spec.nodes: needs 7 new hosts; the tenant's clusters have 0, including those being released and those of clusters served before this one, and tenant bank (the Site's spec.tenants[].hosts.max) may have at most 6"},
		{"too many standby", []v1.SIPCluster{wanting("a", 0, 1, 3)}, nil, "", "needs 3 new standby hosts; the tenant's clusters have 0"},
		{"a great many standby", []v1.SIPCluster{wanting("a", 0, 1, 100_000)}, nil, "", "needs 100001 new hosts"},
		{"a held host is never too many", []v1.SIPCluster{wanting("a", 0, 9, 3)}, map[string]Count{"a": {12, 3}}, "", ""},
		{"fewer than it holds, and still too many", []v1.SIPCluster{wanting("a", 0, 8, 0)}, map[string]Count{"a": {12, 3}}, "", ""},
		{"more than it holds, and too many already", []v1.SIPCluster{wanting("a", 0, 13, 0)}, map[string]Count{"a": {12, 3}}, "", "needs 1 new host; the tenant's clusters have 12"},
		{"the newcomer goes without, not the holder", []v1.SIPCluster{wanting("a", 10, 4, 0), wanting("b", 0, 4, 0)}, map[string]Count{"b": {3, 0}}, "", "bank/a: spec.nodes"},
		{"the holder fits first", []v1.SIPCluster{wanting("a", 10, 2, 0), wanting("b", 0, 4, 0)}, map[string]Count{"b": {3, 0}}, "", ""},
		{"of two newcomers, the one with less priority", []v1.SIPCluster{wanting("a", 0, 4, 0), wanting("b", 5, 4, 0)}, nil, "", "bank/a: spec.nodes"},
		{"what a cluster without a spec holds counts", []v1.SIPCluster{wanting("a", 0, 4, 0)}, map[string]Count{"gone": {3, 0}}, "", "bank/a: spec.nodes"},
		{"a frozen cluster gets nothing new", []v1.SIPCluster{wanting("a", 0, 4, 0), wanting("b", 9, 4, 0)}, nil, "b", ""},
		{"another role's active for standby", []v1.SIPCluster{wanting("a", 0, 3, 2)}, map[string]Count{"a": {5, 3}}, "", ""},
	} {
		held := holding("bank", row.held)
		frozen := map[schedule.ClusterKey]bool{{Namespace: "bank", Name: row.frozen}: true}
		found := tenants.Hosts(row.clusters, held, frozen)
		want(t, row.why, said(found), row.want)
		if row.want != "" && len(found) != 1 {
			t.Errorf("%s: %d complaints, want one", row.why, len(found))
		}
	}
	// A tenant's namespaces are one: what the clusters in all of them have and ask for counts together.
	other := func(c v1.SIPCluster) v1.SIPCluster { c.Namespace = "bank-test"; return c }
	elsewhere := holding("bank-test", map[string]Count{"old": {3, 1}})
	want(t, "held in its other namespace", said(tenants.Hosts([]v1.SIPCluster{wanting("a", 0, 3, 0)}, elsewhere, nil)), "")
	want(t, "too many with what is held in its other namespace", said(tenants.Hosts([]v1.SIPCluster{wanting("a", 0, 4, 0)}, elsewhere, nil)),
		"bank/a: spec.nodes: needs 4 new hosts; the tenant's clusters have 3")
	want(t, "too many in both namespaces", said(tenants.Hosts([]v1.SIPCluster{wanting("a", 0, 4, 0), other(wanting("a", 0, 3, 0))}, Counts{}, nil)), "bank/a: spec.nodes: needs 4 new hosts; the tenant's clusters have 3")
	want(t, "too many standby in both", said(tenants.Hosts([]v1.SIPCluster{wanting("a", 0, 0, 2), other(wanting("a", 0, 0, 1))}, Counts{}, nil)), "bank/a: spec.nodes: needs 2 new standby hosts; the tenant's clusters have 1")
	many := make([]v1.SIPCluster, 0, 7)
	for i := range 7 {
		many = append(many, wanting(string(rune('a'+i)), 0, 1, 0))
	}
	want(t, "one host each in one cluster too many", said(tenants.Hosts(many, Counts{}, nil)), "bank/g: spec.nodes: needs 1 new host; the tenant's clusters have 6")
	plain := Of(siteOf(t, "  maxHostsPerTenant: 3\n"), nil)
	want(t, "by default", said(plain.Hosts([]v1.SIPCluster{wanting("a", 0, 4, 0)}, Counts{}, nil)), "and each namespace (the Site's spec.maxHostsPerTenant) may have at most 3")
}

// TestCountedHosts: what counts towards hosts.max, of a tenant that may have two. r, u and f are hosts that are ready, in use and in error.
func TestCountedHosts(t *testing.T) {
	tenants := Of(siteOf(t, "  maxHostsPerTenant: 2\n"), nil)
	hosts := hostsOf("m", nil, "r1", "r2", "u1", "u2", "f1", "f2")
	for i := range hosts {
		hosts[i].Labels = map[string]string{}
		if hosts[i].Name == "r2" {
			hosts[i].Labels[keys.ClusterName] = "a" // one that leaves still has a label
		}
		switch hosts[i].Name[0] {
		case 'u':
			hosts[i].State.Image = true
		case 'f':
			hosts[i].State.ErrorType = "registration error"
		}
	}
	claim := func(host string, pending, releasing bool) schedule.PreviousClaim {
		return schedule.PreviousClaim{Host: schedule.HostKey{Namespace: "m", Name: host}, Cluster: schedule.ClusterKey{Namespace: "bank", Name: "a"}, Role: "Worker", Pending: pending, Releasing: releasing}
	}
	const over = "needs 1 new host; the tenant's clusters have 2"
	for _, row := range []struct {
		why    string
		claims []schedule.PreviousClaim
		wants  int
		remove string
		want   string
	}{
		{"all that it may have", []schedule.PreviousClaim{claim("r1", false, false), claim("u1", false, false)}, 2, "", ""},
		{"one that is being released", []schedule.PreviousClaim{claim("r1", false, false), claim("r2", false, true)}, 2, "", over},
		{"one that its user has not let go", []schedule.PreviousClaim{claim("r1", false, false), claim("u1", true, false)}, 2, "", over},
		{"a failed host gets a successor", []schedule.PreviousClaim{claim("r1", false, false), claim("f1", false, false)}, 2, "", ""},
		{"and two of them", []schedule.PreviousClaim{claim("f1", false, false), claim("f2", false, false)}, 2, "", ""},
		{"a failed host whose successor is there", []schedule.PreviousClaim{claim("r1", false, false), claim("f1", true, false)}, 2, "", ""},
		{"one that is gone", []schedule.PreviousClaim{claim("r1", false, false), claim("gone", false, false)}, 2, "", ""},
		{"a successor for one that it names", []schedule.PreviousClaim{claim("r1", false, false), claim("r2", false, false)}, 2, "r2", ""},
		{"and for one that it names and uses", []schedule.PreviousClaim{claim("r1", false, false), claim("u1", false, false)}, 2, "m/u1", over},
		{"fewer hosts, and one that it names", []schedule.PreviousClaim{claim("r1", false, false), claim("u1", false, false)}, 1, "u1", ""},
	} {
		c := wanting("a", 0, row.wants, 0)
		c.Annotations = map[string]string{v1.RemoveAnnotation: row.remove}
		previous := schedule.Previous{Claims: row.claims}
		clusters := []v1.SIPCluster{c}
		want(t, row.why, said(tenants.Hosts(clusters, Held(clusters, previous, hosts, schedule.Options{Keys: keys}), nil)), row.want)
	}
}

func TestClusterCaps(t *testing.T) {
	tenants := Of(siteOf(t, bank), nil)
	key := func(name string) schedule.ClusterKey { return schedule.ClusterKey{Namespace: "bank", Name: name} }
	for _, row := range []struct {
		why, specs, known, frozen, want string
	}{
		{"as many as it may", "a b", "", "", ""},
		{"one more, without a host", "a b c", "", "", "bank/c: metadata.name: one cluster too many: the tenant already has 2, counting those in the tree and those served before this one, and tenant bank (the Site's spec.tenants[].maxClusters) may have at most 2"},
		{"the newcomer, though its name comes first", "a b c", "b c", "", "bank/a: metadata.name"},
		{"what it has stays", "a b c", "a b c", "", ""},
		{"more than it may, and one more", "a b c d", "a b c", "", "bank/d: metadata.name"},
		{"one without a spec has services still", "a b", "gone", "", "bank/b: metadata.name"},
		{"a new one that is frozen has nothing", "a b c", "", "a", ""},
	} {
		var clusters []v1.SIPCluster
		for name := range strings.FieldsSeq(row.specs) {
			clusters = append(clusters, wanting(name, 0, 0, 0))
		}
		var known []schedule.ClusterKey
		for name := range strings.FieldsSeq(row.known) {
			known = append(known, key(name))
		}
		found := tenants.Clusters(clusters, known, map[schedule.ClusterKey]bool{key(row.frozen): true})
		want(t, row.why, said(found), row.want)
		if row.want != "" && len(found) != 1 {
			t.Errorf("%s: %d complaints, want one", row.why, len(found))
		}
	}
	elsewhere := wanting("b", 0, 0, 0)
	elsewhere.Namespace = "bank-test"
	want(t, "in its other namespace", said(tenants.Clusters([]v1.SIPCluster{wanting("a", 0, 0, 0), wanting("b", 0, 0, 0), elsewhere}, nil, nil)), "bank/b: metadata.name")
	urgent := wanting("z", 5, 0, 0)
	want(t, "of newcomers, the one with less priority", said(tenants.Clusters([]v1.SIPCluster{wanting("a", 0, 0, 0), wanting("b", 0, 0, 0), urgent}, nil, nil)), "bank/b: metadata.name")
	plain := Of(siteOf(t, "  maxClustersPerTenant: 1\n"), nil)
	want(t, "by default", said(plain.Clusters([]v1.SIPCluster{wanting("a", 0, 0, 0), urgent}, nil, nil)), "bank/a: metadata.name: one cluster too many: the tenant already has 1, counting those in the tree and those served before this one, and each namespace (the Site's spec.maxClustersPerTenant) may have at most 1")
}

func wanting(name string, priority int32, active, standby int) v1.SIPCluster {
	c := v1.SIPCluster{}
	c.Namespace, c.Name, c.Spec.Priority = "bank", name, priority
	c.Spec.Nodes = map[string]v1.NodeSet{"Worker": {Count: &v1.NodeCount{Active: active, Standby: standby}}}
	return c
}

// TestNarrowed places clusters whose tenant has a pool: they get new hosts of the pool only, and keep what they have.
func TestNarrowed(t *testing.T) {
	tenants := Of(siteOf(t, bank), nil)
	hosts := append(hostsOf("m", map[string]string{"pool": "finance"}, "f1", "f2"), hostsOf("m", map[string]string{"pool": "else"}, "e1", "e2")...)
	c := wanting("a", 0, 2, 0)
	held := schedule.Previous{Claims: []schedule.PreviousClaim{{Host: schedule.HostKey{Namespace: "m", Name: "e1"}, Cluster: keyOf(&c), Role: "Worker"}}}
	given := []v1.SIPCluster{c}
	placement, err := schedule.Plan(tenants.Narrowed(given), hosts, held, schedule.Options{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, a := range placement.Clusters[0].Roles[0].Assigned {
		found = append(found, a.Host.Name)
	}
	if strings.Join(found, " ") != "e1 f1" || len(placement.Clusters[0].Roles[0].Releasing) != 0 {
		t.Errorf("found %v, want e1, which it held, and f1, of its pool", found)
	}
	if set := given[0].Spec.Nodes["Worker"]; len(set.LabelSelector.MatchExpressions) != 0 {
		t.Error("the spec itself was changed")
	}
	c.Spec.Nodes["Worker"] = v1.NodeSet{Count: &v1.NodeCount{Active: 3}}
	placement, err = schedule.Plan(tenants.Narrowed([]v1.SIPCluster{c}), hosts, schedule.Previous{}, schedule.Options{Keys: keys})
	if err != nil || placement.Schedulable() {
		t.Errorf("three hosts of a pool of two: found %v, want it to be unschedulable", err)
	}
}

// TestOthersVirtualHosts: new hosts are no virtual hosts that the Site has for other tenants.
func TestOthersVirtualHosts(t *testing.T) {
	site := siteOf(t, bank)
	site.Spec.Services.VirtualHosts = []v1alpha1.VirtualHosts{
		{Namespace: "vino", Name: "mine", Tenants: []string{"bank"}}, {Namespace: "vino", Name: "all"}, {Namespace: "vino", Name: "theirs", Tenants: []string{"else"}},
	}
	var hosts []inventory.Host
	for _, name := range []string{"all", "mine", "theirs"} {
		hosts = append(hosts, hostsOf("m", map[string]string{"pool": "finance", v1alpha1.VirtualHostsLabel: "vino." + name}, name)...)
	}
	for active, placed := range map[int]bool{2: true, 3: false} {
		placement, err := schedule.Plan(Of(site, nil).Narrowed([]v1.SIPCluster{wanting("a", 0, active, 0)}), hosts, schedule.Previous{}, schedule.Options{Keys: keys})
		if err != nil || placement.Schedulable() != placed {
			t.Errorf("%d hosts: found %v, want schedulable %t", active, err, placed)
		}
	}
}

// TestNarrowedNamespaces: new hosts come from the tenant's namespaces of hosts only, and what it has stays.
func TestNarrowedNamespaces(t *testing.T) {
	tenants := Of(siteOf(t, "  hosts: {namespaces: [east, west, north]}\n  tenants:\n  - {name: bank, namespaces: [bank], hosts: {namespaces: [west, north], max: 9}}\n"), nil)
	hosts := append(append(hostsOf("east", nil, "e1", "e2"), hostsOf("west", nil, "w1", "w2")...), hostsOf("north", nil, "n1")...)
	c := wanting("a", 0, 3, 0)
	held := schedule.Previous{Claims: []schedule.PreviousClaim{{Host: schedule.HostKey{Namespace: "east", Name: "e2"}, Cluster: keyOf(&c), Role: "Worker"}}}
	placement, err := schedule.Plan(tenants.Narrowed([]v1.SIPCluster{c}), hosts, held, schedule.Options{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, a := range placement.Clusters[0].Roles[0].Assigned {
		found = append(found, a.Host.Name)
	}
	if strings.Join(found, " ") != "e2 n1 w1" {
		t.Errorf("found %v, want e2, which it held, and two of its namespaces", found)
	}
	for spec, message := range map[string]string{
		"{nodes: {Worker: {hostNamespaces: [west, north]}}}": "",
		"{nodes: {Worker: {hostNamespaces: [west, east]}}}":  `spec.nodes.Worker.hostNamespaces[1]: found "east", which tenant bank (the Site's spec.tenants[].hosts.namespaces) is not granted`,
		"{nodes: {Worker: {hostNamespaces: [racks]}}}":       `spec.nodes.Worker.hostNamespaces[0]: found "racks", which has no hosts of the site (the Site's spec.hosts.namespaces)`,
	} {
		c := clusterOf(t, "bank/a", spec)
		want(t, spec, said(tenants.Spec(&c)), message)
	}
}
