package schedule

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
)

// onOAM is a cluster whose workers are reached on network oam.
func onOAM(name string, active, standby int) v1.SIPCluster {
	c := newCluster(name, map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", active, standby)})
	c.Spec.Services.LoadBalancerWorker = []v1.LoadBalancerWorker{{NodeInterface: "oam"}}
	return c
}

func at(h inventory.Host, origin inventory.AddressOrigin, addresses ...string) inventory.Host {
	h.Addresses = nil
	for _, a := range addresses {
		h.Addresses = append(h.Addresses, inventory.Address{Network: "oam", IP: netip.MustParseAddr(a), Origin: origin})
	}
	return h
}

func knew(c PreviousClaim, addresses ...string) PreviousClaim {
	c.Addresses = map[string][]netip.Addr{"oam": nil}
	for _, a := range addresses {
		c.Addresses["oam"] = append(c.Addresses["oam"], netip.MustParseAddr(a))
	}
	return c
}

// TestHeldAddress is contract 8: a held host is where it was when it was handed out, unless its annotation says that it
// moved.
func TestHeldAddress(t *testing.T) {
	live := claimed(host1("h1", "w", "r1"), "a", v1.RoleWorker)
	released := releasing(knew(inTree("h1", "a", v1.RoleWorker), "192.0.2.1"))
	rows := []struct {
		why           string
		host          inventory.Host
		claim         PreviousClaim
		want, warning string
	}{
		{"its network data says the same", at(live, inventory.FromNetworkData, "192.0.2.1"),
			knew(inTree("h1", "a", v1.RoleWorker), "192.0.2.1"), "192.0.2.1", ""},
		{"its network data went with who consumes it", at(live, ""),
			knew(inTree("h1", "a", v1.RoleWorker), "192.0.2.1", "2001:db8::1"), "192.0.2.1,2001:db8::1", ""},
		{"not synced yet: the same", at(host1("h1", "w", "r1"), ""),
			knew(inTree("h1", "a", v1.RoleWorker), "192.0.2.1"), "192.0.2.1", ""},
		{"its network data says another", at(live, inventory.FromNetworkData, "192.0.2.9"),
			knew(inTree("h1", "a", v1.RoleWorker), "192.0.2.1"), "192.0.2.1",
			"host metal/h1: on network oam the previous tree has 192.0.2.1, but the host's networkData has " +
				"192.0.2.9: the tree's address stays; if the host's address is right, confirm it with the host's " +
				"annotation sip.airshipit.org/address.oam: 192.0.2.9"},
		{"the annotation says another", at(live, inventory.FromHostAnnotation, "192.0.2.9"),
			knew(inTree("h1", "a", v1.RoleWorker), "192.0.2.1"), "192.0.2.9",
			"host metal/h1: on network oam the previous tree has 192.0.2.1, but the host's annotation " +
				"sip.airshipit.org/address.oam has 192.0.2.9: sipgen uses the host's address, and the services on that " +
				"network change with it"},
		{"the annotation says the same", at(live, inventory.FromHostAnnotation, "192.0.2.1"),
			knew(inTree("h1", "a", v1.RoleWorker), "192.0.2.1"), "192.0.2.1", ""},
		{"the tree knows none", at(live, inventory.FromNetworkData, "192.0.2.9"), inTree("h1", "a", v1.RoleWorker),
			"192.0.2.9", ""},
		{"the tree has one that no host can have", at(live, inventory.FromNetworkData, "192.0.2.9"),
			knew(inTree("h1", "a", v1.RoleWorker), "127.0.0.1"), "192.0.2.9", ""},
		{"it was on its way out, and somebody uses it", provisionedBy(at(live, ""), "m1"), released, "192.0.2.1", ""},
		{"nobody knew where it was, and its network data may be its consumer's",
			provisionedBy(at(live, inventory.FromNetworkData, "192.0.2.9"), "m1"), inTree("h1", "a", v1.RoleWorker),
			"192.0.2.9",
			"host metal/h1: on network oam its networkData has 192.0.2.9, and sipgen uses that; but the host is in use by Metal3Machine tenants/m1, which may have replaced its network data, and the previous tree has no address to compare with: check the address, and confirm it with the host's annotation sip.airshipit.org/address.oam: 192.0.2.9"},
		{"the same, and the annotation confirms it",
			provisionedBy(at(live, inventory.FromHostAnnotation, "192.0.2.9"), "m1"), inTree("h1", "a", v1.RoleWorker),
			"192.0.2.9", ""},
		{"the same, and it is preprovisioning data, which no consumer replaces",
			provisionedBy(at(live, inventory.FromPreprovisioning, "192.0.2.9"), "m1"), inTree("h1", "a", v1.RoleWorker),
			"192.0.2.9", ""},
		{"it is in use, and the tree knows where it is",
			provisionedBy(at(live, inventory.FromNetworkData, "192.0.2.1"), "m1"),
			knew(inTree("h1", "a", v1.RoleWorker), "192.0.2.1"), "192.0.2.1", ""},
	}
	for _, row := range rows {
		hosts := []inventory.Host{row.host}
		before := slices.Clone(row.host.Addresses)
		p := plan(t, []v1.SIPCluster{onOAM("a", 1, 0)}, hosts, Previous{Claims: []PreviousClaim{row.claim}},
			testOptions)
		if len(p.Clusters[0].Roles[0].Assigned) != 1 {
			t.Errorf("%s: %s", row.why, summary(p))
			continue
		}
		assert.Equal(t, row.want, addressesOf(p.Clusters[0].Roles[0].Assigned[0].Host.On("oam")), row.why)
		if got := Say.Warnings(p.Clusters[0].Warnings); row.warning == "" && slices.ContainsFunc(got,
			func(w string) bool { return strings.Contains(w, "oam") }) ||
			row.warning != "" && !slices.Contains(got, row.warning) {
			t.Errorf("%s: warnings %q, want %q", row.why, got, row.warning)
		}
		assert.Truef(t, slices.Equal(hosts[0].Addresses, before), "%s: Plan changed the inventory", row.why)
	}
}

// TestFrozenAddress: the hosts of a frozen cluster stay where the tree has them, as its services do.
func TestFrozenAddress(t *testing.T) {
	options := testOptions
	options.Refused = map[ClusterKey][]string{{Namespace: "tenants", Name: "a"}: {"its spec is wrong"}}
	host := at(claimed(host1("h1", "w", "r1"), "a", v1.RoleWorker), inventory.FromHostAnnotation, "192.0.2.9")
	p := plan(t, []v1.SIPCluster{onOAM("a", 1, 0)}, []inventory.Host{host},
		Previous{Claims: []PreviousClaim{knew(inTree("h1", "a", v1.RoleWorker), "192.0.2.1")}}, options)
	want := []string{"host metal/h1: on network oam the previous tree has 192.0.2.1, but the host's annotation " +
		"sip.airshipit.org/address.oam has 192.0.2.9: its cluster is frozen, so the tree's address stays, in its " +
		"services too"}
	assert.Equal(t, "192.0.2.1", addressesOf(p.Clusters[0].Roles[0].Assigned[0].Host.On("oam")), "at")
	assert.Equal(t, want, Say.Warnings(p.Clusters[0].Warnings))
}

// TestUnconfirmedAddress: a fleet that was labeled by hand, and a host whose hand-out was rolled back, work on with the
// address that their network data has. That it may be the consumer's is said, unless no service uses it.
func TestUnconfirmedAddress(t *testing.T) {
	adopted := provisionedBy(at(claimed(host1("h1", "w", "r1"), "a", v1.RoleWorker), inventory.FromNetworkData,
		"192.0.2.9"), "m1")
	p := plan(t, []v1.SIPCluster{onOAM("a", 1, 0)}, []inventory.Host{adopted}, Previous{}, testOptions)
	wantPlaced(t, "", p, "a Worker: h1")
	assert.Len(t, Say.Warnings(p.Clusters[0].Warnings), 1, "warnings")
	// The tree before the host was handed out, and the tree when it left another cluster.
	newer := testOptions
	newer.LabelsNewer = true
	for _, tree := range []PreviousClaim{knew(inTree("h2", "a", v1.RoleWorker), "192.0.2.2"),
		releasing(knew(inTree("h1", "b", v1.RoleWorker), "192.0.2.1"))} {
		h2 := at(claimed(host1("h2", "w", "r2"), "a", v1.RoleWorker), inventory.FromNetworkData, "192.0.2.2")
		p = plan(t, []v1.SIPCluster{onOAM("a", 2, 0)}, []inventory.Host{adopted, h2},
			Previous{Claims: []PreviousClaim{tree}}, newer)
		wantPlaced(t, "rolled back", p, "a Worker: h1 h2")
		got := Say.Warnings(p.Clusters[0].Warnings)
		assert.Truef(t,
			len(got) == 1 && strings.Contains(got[0], "host metal/h1: on network oam its networkData has 192.0.2.9"),
			"found %q", got)
	}
	unreached := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)})
	p = plan(t, []v1.SIPCluster{unreached}, []inventory.Host{adopted}, Previous{}, testOptions)
	assert.Truef(t, len(p.Clusters[0].Warnings) == 0, "no service uses the address: %q",
		Say.Warnings(p.Clusters[0].Warnings))
}

// TestUnreachable: a held host without an address is left out of the services and said; if there is no other, the
// cluster is refused rather than that its services end with nothing behind them.
func TestUnreachable(t *testing.T) {
	lost := at(claimed(host1("h1", "w", "r1"), "a", v1.RoleWorker), "")
	lost.AddressProblems = []inventory.AddressProblem{{Network: "oam", Origin: inventory.FromNetworkData, Text: "DHCP"}}
	other := claimed(host1("h2", "w", "r2"), "a", v1.RoleWorker)
	p := plan(t, []v1.SIPCluster{onOAM("a", 2, 0)}, []inventory.Host{lost, other}, Previous{}, testOptions)
	want := "services on network oam leave out metal/h1 (DHCP), because no address there is known; set the address in the host's annotation sip.airshipit.org/address.oam"
	wantPlaced(t, "", p, "a Worker: h1 h2")
	assert.Contains(t, strings.Join(Say.Warnings(p.Clusters[0].Roles[0].Warnings), "\n"), want)
	free := host1("h3", "w", "r3")
	p = plan(t, []v1.SIPCluster{onOAM("a", 2, 0), onOAM("b", 1, 0)}, []inventory.Host{lost, free}, Previous{},
		testOptions)
	want = "Worker: none of its hosts has an address on network oam: metal/h1 (DHCP); set the address in the host's annotation sip.airshipit.org/address.oam"
	wantPlaced(t, "", p, "a Worker: h1 short 1/0 unschedulable\nb Worker: +h3")
	assert.Equal(t, []string{want}, Say.Refusals(p.Clusters[0].Refused))
}

// TestUnreadable: a free host whose address could not be read is there for roles that need none, and said where one is
// needed.
func TestUnreadable(t *testing.T) {
	h1 := at(host1("h1", "w", "r1"), "")
	h1.AddressProblems = []inventory.AddressProblem{{Origin: inventory.FromNetworkData, Text: "found NMState"}}
	p := plan(t, []v1.SIPCluster{onOAM("a", 1, 0)}, []inventory.Host{h1, host1("h2", "w", "r2")}, Previous{},
		testOptions)
	want := "matched but unavailable: metal/h1 (no address on oam: found NMState)"
	wantPlaced(t, "", p, "a Worker: +h2")
	assert.Equal(t, []string{want}, Say.Warnings(p.Clusters[0].Roles[0].Warnings))
	assert.Equal(t, "no address on oam (found NMState)", Say.Reason(p.Hosts[0].Reason), "the host's line")
	none := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)})
	p = plan(t, []v1.SIPCluster{none}, []inventory.Host{h1}, Previous{}, testOptions)
	wantPlaced(t, "no service needs an address", p, "a Worker: +h1")
	assert.Len(t, p.Clusters[0].Roles[0].Warnings, 0, "no service needs an address")
	p = plan(t, []v1.SIPCluster{onOAM("a", 1, 0)},
		[]inventory.Host{at(newHost("h1", "kind=other"), ""), host1("h2", "w", "r2")}, Previous{}, testOptions)
	assert.Truef(t, len(p.Clusters[0].Roles[0].Warnings) == 0, "no role selects it: %q",
		p.Clusters[0].Roles[0].Warnings)
}

// TestSharedAddress: of hosts with one address one is handed out: the holder, or the first by name.
func TestSharedAddress(t *testing.T) {
	same := func(name, rack string) inventory.Host {
		return at(host1(name, "w", rack), inventory.FromNetworkData, "192.0.2.1")
	}
	leased := func(name, rack string) inventory.Host {
		return at(host1(name, "w", rack), inventory.FromHardware, "192.0.2.1")
	}
	held := func(h inventory.Host, cluster string) inventory.Host { return claimed(h, cluster, v1.RoleWorker) }
	elsewhere := same("h2", "r2")
	elsewhere.Addresses = append(elsewhere.Addresses,
		inventory.Address{Network: "storage", IP: netip.MustParseAddr("192.0.2.1")})
	elsewhere.Addresses = elsewhere.Addresses[1:]
	rows := []struct {
		why      string
		clusters []v1.SIPCluster
		hosts    []inventory.Host
		previous []PreviousClaim
		want     string
		at       string // where the hosts of the first cluster are reached
	}{
		{"two free ones: the first by name", []v1.SIPCluster{onOAM("a", 1, 1)},
			[]inventory.Host{same("h2", "r2"), same("h1", "r1")}, nil, "a Worker: +h1 short 0/1\n", "192.0.2.1"},
		{"a free one and a held one: the holder", []v1.SIPCluster{onOAM("a", 1, 1)},
			[]inventory.Host{same("h1", "r1"), held(same("h2", "r2"), "a")}, nil, "a Worker: h2 short 0/1\n",
			"192.0.2.1"},
		{"the holder is of another cluster", []v1.SIPCluster{onOAM("a", 1, 0), onOAM("b", 1, 0)},
			[]inventory.Host{same("h1", "r1"), held(same("h2", "r2"), "b"), host1("h3", "w", "r3")}, nil,
			"a Worker: +h3\nb Worker: h2\n", addressOf("h3").String()},
		{"two held ones: the one whose address is in the tree", []v1.SIPCluster{onOAM("a", 2, 0)},
			[]inventory.Host{held(same("h1", "r1"), "a"), held(same("h2", "r2"), "a")},
			[]PreviousClaim{knew(inTree("h2", "a", v1.RoleWorker), "192.0.2.1")}, "a Worker: h1 h2\n", " 192.0.2.1"},
		{"two clusters hold one each: perhaps on wires of their own",
			[]v1.SIPCluster{onOAM("a", 1, 0), onOAM("b", 1, 0)},
			[]inventory.Host{held(same("h1", "r1"), "a"), held(same("h2", "r2"), "b")}, nil,
			"a Worker: h1\nb Worker: h2\n", "192.0.2.1"},
		{"a lease may have been given on", []v1.SIPCluster{onOAM("a", 1, 1)},
			[]inventory.Host{leased("h1", "r1"), same("h2", "r2")}, nil, "a Worker: +h2 short 0/1\n", "192.0.2.1"},
		{"no service needs the address yet", []v1.SIPCluster{newCluster("a",
			map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 2, 0)})},
			[]inventory.Host{same("h1", "r1"), same("h2", "r2")}, nil, "a Worker: +h1 +h2\n", "192.0.2.1 "},
		{"no service of one cluster needs the address yet, and another cluster's host has it",
			[]v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)}),
				newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)})},
			[]inventory.Host{same("h1", "r1"), held(same("h2", "r2"), "b")},
			[]PreviousClaim{knew(inTree("h2", "b", v1.RoleWorker), "192.0.2.1")}, "a Worker: +h1\nb Worker: h2\n", ""},
		{"a host of the tree comes to an address that another cluster's host has",
			[]v1.SIPCluster{onOAM("a", 1, 0), onOAM("b", 1, 0)},
			[]inventory.Host{held(same("h1", "r1"), "a"), held(same("h2", "r2"), "b")},
			[]PreviousClaim{inTree("h1", "a", v1.RoleWorker), knew(inTree("h2", "b", v1.RoleWorker), "192.0.2.1")},
			"a Worker: h1 unschedulable\nb Worker: h2\n", ""},
		{"it comes to the address of one whose labels the tree does not have yet",
			[]v1.SIPCluster{onOAM("a", 1, 0), onOAM("b", 1, 0)},
			[]inventory.Host{held(same("h1", "r1"), "a"), held(same("h2", "r2"), "b")},
			[]PreviousClaim{inTree("h1", "a", v1.RoleWorker)}, "a Worker: h1 unschedulable\nb Worker: h2\n", ""},
		{"another network's id may be another wire", []v1.SIPCluster{onOAM("a", 1, 0)},
			[]inventory.Host{elsewhere, same("h3", "r3")}, nil, "a Worker: +h3\n", "192.0.2.1"},
	}
	for _, row := range rows {
		p := plan(t, row.clusters, row.hosts, Previous{Claims: row.previous}, testOptions)
		wantPlaced(t, row.why, p, row.want)
		var where []string
		for _, a := range p.Clusters[0].Roles[0].Assigned {
			where = append(where, addressesOf(a.Host.On("oam")))
		}
		assert.Equal(t, row.at, strings.Join(where, " "), row.why)
	}
}

func addressesOf(addresses []netip.Addr) string {
	var texts []string
	for _, ip := range addresses {
		texts = append(texts, ip.String())
	}
	return strings.Join(texts, ",")
}
