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

// TestReaddressed: a held host moves to where its annotation says, unless another host is or was there.
func TestReaddressed(t *testing.T) {
	const one, two, three, four = "192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"
	held := func(name, cluster string, now ...string) inventory.Host {
		return at(claimed(host1(name, "w", name), cluster, v1.RoleWorker), inventory.FromHostAnnotation, now...)
	}
	free := func(origin inventory.AddressOrigin) inventory.Host { return at(host1("h9", "w", "h9"), origin, four) }
	tree := func(name, cluster string, was ...string) PreviousClaim {
		return knew(inTree(name, cluster, v1.RoleWorker), was...)
	}
	for _, row := range []struct {
		why   string
		hosts []inventory.Host
		tree  []PreviousClaim
		want  string // where the hosts of a and b are
		says  string // by whom they are kept where they are
	}{
		{"nobody is there", []inventory.Host{held("h1", "a", four)}, []PreviousClaim{tree("h1", "a", one)}, four, ""},
		{"another cluster's host is", []inventory.Host{held("h1", "a", two), held("h2", "b", two)},
			[]PreviousClaim{tree("h1", "a", one), tree("h2", "b", two)}, one + " " + two, "h1 by h2"},
		{"another cluster's host is, and the other way round",
			[]inventory.Host{held("h1", "a", one), held("h2", "b", one)},
			[]PreviousClaim{tree("h1", "a", one), tree("h2", "b", two)}, one + " " + two, "h2 by h1"},
		{"another cluster's host is, whose annotation is gone", []inventory.Host{held("h1", "a", two), held("h2", "b")},
			[]PreviousClaim{tree("h1", "a", one), tree("h2", "b", two)}, one + " " + two, "h1 by h2"},
		{"another host of the cluster is", []inventory.Host{held("h1", "a", two), held("h2", "a")},
			[]PreviousClaim{tree("h1", "a", one), tree("h2", "a", two)}, one + " " + two, "h1 by h2"},
		{"the second of two addresses", []inventory.Host{held("h1", "a", one, "2001:db8::2"), held("h2", "b")},
			[]PreviousClaim{tree("h1", "a", one), tree("h2", "b", two, "2001:db8::2")},
			one + " " + two + ",2001:db8::2", "h1 by h2"},
		{"a free host is", []inventory.Host{held("h1", "a", four), free(inventory.FromNetworkData)},
			[]PreviousClaim{tree("h1", "a", one)}, one, "h1 by h9"},
		{"a free host had the address from inspection",
			[]inventory.Host{held("h1", "a", four), free(inventory.FromHardware)},
			[]PreviousClaim{tree("h1", "a", one)}, four, ""},
		{"two of a cluster exchange theirs", []inventory.Host{held("h1", "a", two), held("h2", "a", one)},
			[]PreviousClaim{tree("h1", "a", one), tree("h2", "a", two)}, two + " " + one, ""},
		{"two of two clusters do", []inventory.Host{held("h1", "a", two), held("h2", "b", one)},
			[]PreviousClaim{tree("h1", "a", one), tree("h2", "b", two)}, one + " " + two, "h1 by h2, h2 by h1"},
		{"one follows another", []inventory.Host{held("h1", "a", two), held("h2", "a", four)},
			[]PreviousClaim{tree("h1", "a", one), tree("h2", "a", two)}, two + " " + four, ""},
		{"one follows another, who cannot go",
			[]inventory.Host{held("h1", "a", two), held("h2", "a", three), held("h3", "a", three)},
			[]PreviousClaim{tree("h1", "a", one), tree("h2", "a", two), tree("h3", "a", three)},
			one + " " + two + " " + three, "h1 by h2, h2 by h3"},
		{"one leaves another cluster's way: next time", []inventory.Host{held("h1", "a", two), held("h2", "b", four)},
			[]PreviousClaim{tree("h1", "a", one), tree("h2", "b", two)}, one + " " + four, "h1 by h2"},
		{"two want the same", []inventory.Host{held("h1", "a", four), held("h2", "b", four)},
			[]PreviousClaim{tree("h1", "a", one), tree("h2", "b", two)}, one + " " + two, "h1 by h2, h2 by h1"},
		{"one that the tree has nowhere points at another cluster's",
			[]inventory.Host{held("h1", "a", two), held("h2", "b", two), held("h3", "a", three)},
			[]PreviousClaim{inTree("h1", "a", v1.RoleWorker), tree("h2", "b", two)}, " " + three + " " + two, ""},
		{"two that the tree has there already: on wires of their own",
			[]inventory.Host{held("h1", "a", one), held("h2", "b", one)},
			[]PreviousClaim{tree("h1", "a", one), tree("h2", "b", one)}, one + " " + one, ""},
	} {
		// Nothing is left for the free host: it would be at its address then.
		count := map[string]int{}
		for _, h := range row.hosts {
			if h.Name != "h9" {
				count[h.Labels[testOptions.Keys.ClusterName]]++
			}
		}
		p := plan(t, []v1.SIPCluster{onOAM("a", count["a"], 0), onOAM("b", count["b"], 0)}, row.hosts,
			Previous{Claims: row.tree}, testOptions)
		var where, kept []string
		for _, c := range p.Clusters {
			for _, r := range c.Roles {
				for _, a := range r.Assigned {
					where = append(where, addressesOf(a.Host.On("oam")))
				}
			}
			for _, w := range c.Warnings {
				if taken, _ := w.(AddressDiffers); taken.Other != (HostKey{}) {
					kept = append(kept, taken.Host.Name+" by "+taken.Other.Name)
				}
			}
		}
		assert.Equal(t, row.want, strings.Join(where, " "), row.why)
		got := strings.Join(kept, ", ")
		assert.Truef(t, got == row.says, "%s: %q are kept, want %q", row.why, got, row.says)
	}
}

// TestReaddressedUnserved: what no service uses yet is no way around: the tree keeps what a service may use later.
func TestReaddressedUnserved(t *testing.T) {
	unserved := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)})
	hosts := []inventory.Host{
		at(claimed(host1("h1", "w", "r1"), "a", v1.RoleWorker), inventory.FromHostAnnotation, "192.0.2.2"),
		at(claimed(host1("h2", "w", "r2"), "b", v1.RoleWorker), inventory.FromNetworkData, "192.0.2.2"),
	}
	claims := []PreviousClaim{knew(inTree("h1", "a", v1.RoleWorker), "192.0.2.1"),
		knew(inTree("h2", "b", v1.RoleWorker), "192.0.2.2")}
	p := plan(t, []v1.SIPCluster{unserved, onOAM("b", 1, 0)}, hosts, Previous{Claims: claims}, testOptions)
	assert.Equal(t, "192.0.2.1", addressesOf(p.Clusters[0].Roles[0].Assigned[0].Host.On("oam")), "at")
	assert.Len(t, p.Clusters[0].Warnings, 0)
	want := "host metal/h1: on network oam the previous tree has 192.0.2.1, but the host's annotation sip.airshipit.org/address.oam has 192.0.2.2: " +
		"host metal/h2 has or had that address, so the tree's address stays, in the services too; correct the " +
		"annotation, or move host metal/h2 away first"
	p = plan(t, []v1.SIPCluster{onOAM("a", 1, 0), onOAM("b", 1, 0)}, hosts, Previous{Claims: claims}, testOptions)
	assert.Equal(t, []string{want}, Say.Warnings(p.Clusters[0].Warnings))
}

// TestMisplacedAddress: a host is not believed to be outside the networks of the site, or of its own network data. One
// that is held keeps what it has.
func TestMisplacedAddress(t *testing.T) {
	const inside, outside = "192.0.2.1", "10.96.0.1"
	beyond := func(h inventory.Host) inventory.Host {
		for i := range h.Addresses {
			if h.Addresses[i].IP.String() == outside {
				h.Addresses[i].Outside = "192.0.2.0/24"
			}
		}
		return h
	}
	free := host1("h1", "w", "r1")
	held := claimed(host1("h1", "w", "r1"), "a", v1.RoleWorker)
	tree := func(was ...string) []PreviousClaim {
		return []PreviousClaim{knew(inTree("h1", "a", v1.RoleWorker), was...)}
	}
	const own = "annotation sip.airshipit.org/address.oam: found 10.96.0.1, want an address in 192.0.2.0/24, where the host's networkData has network oam"
	const listed = "annotation sip.airshipit.org/address.oam: found 10.96.0.1, want an address in 192.0.2.0/24, 2001:db8::/32, by the Site's spec.hosts.networks for network oam"
	network := func(name string, namespaces ...string) []inventory.HostNetwork {
		return []inventory.HostNetwork{{Name: name, Namespaces: namespaces,
			Addresses: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")}}}
	}
	for _, row := range []struct {
		why      string
		host     inventory.Host
		tree     []PreviousClaim
		networks []inventory.HostNetwork
		want     string // where it is; none: nobody gets it
		says     string
	}{
		{"nothing is known", at(free, inventory.FromHostAnnotation, outside), nil, nil, outside, ""},
		{"free, and in another network than its own", beyond(at(free, inventory.FromHostAnnotation, outside)), nil, nil,
			"none", own},
		{"the site lists where", at(free, inventory.FromHostAnnotation, outside), nil, network("oam"), "none", listed},
		{"the site's list says it is all right", beyond(at(free, inventory.FromHostAnnotation, outside)), nil,
			append(network("oam"), inventory.HostNetwork{Name: "oam",
				Addresses: []netip.Prefix{netip.MustParsePrefix("10.96.0.0/16")}}), outside, ""},
		{"a list is for all that a host may say", at(free, inventory.FromNetworkData, outside), nil, network("oam"),
			"none",
			strings.Replace(listed, "annotation sip.airshipit.org/address.oam", "networkData", 1)},
		{"of the list", at(free, inventory.FromHostAnnotation, inside), nil, network("oam", "metal"), inside, ""},
		{"of the list, for other namespaces", at(free, inventory.FromHostAnnotation, inside), nil,
			network("oam", "other"), "none",
			"annotation sip.airshipit.org/address.oam: found 192.0.2.1 on network oam, which the Site's spec.hosts.networks does not list for hosts in namespace metal"},
		{"a network that is not listed", at(free, inventory.FromHostAnnotation, inside), nil, network("other"), "none",
			"found 192.0.2.1 on network oam, which the Site's"},
		{"the second of two", beyond(at(free, inventory.FromHostAnnotation, outside, "2001:db8::1")), nil, nil,
			"2001:db8::1", ""},
		{"held: it does not move there", beyond(at(held, inventory.FromHostAnnotation, outside)), tree(inside), nil,
			inside,
			own + "; the host keeps 192.0.2.1 on network oam, and the services stay as they are: correct the annotation, or list the address in the Site's spec.hosts.networks"},
		{"held: nor with one of two", beyond(at(held, inventory.FromHostAnnotation, "192.0.2.9", "2001:db8::1",
			outside)), tree(inside, "2001:db8::2"), nil, inside + ",2001:db8::2", own},
		{"held: it moves within", at(held, inventory.FromHostAnnotation, "192.0.2.9"), tree(inside), network("oam"),
			"192.0.2.9", "the services on that network change with it"},
		{"held, and the tree has it there", beyond(at(held, inventory.FromHostAnnotation, outside)), tree(outside), nil,
			outside, "the host keeps 10.96.0.1 on network oam"},
		{"held, the tree has it there, and nothing else does", at(held, ""), tree(outside), network("oam"), outside,
			"previous tree: found 10.96.0.1, want an address in"},
		{"labeled, and the tree is lost", beyond(at(held, inventory.FromHostAnnotation, outside)), nil, nil, outside,
			"the host keeps 10.96.0.1 on network oam"},
		{"labeled, the tree is lost, and the site lists where", at(held, inventory.FromHostAnnotation, outside), nil,
			network("oam"), "", listed},
		{"held, and the tree has it elsewhere only", beyond(at(held, inventory.FromHostAnnotation, outside)),
			func() []PreviousClaim {
				c := inTree("h1", "a", v1.RoleWorker)
				c.Addresses = map[string][]netip.Addr{"other": {netip.MustParseAddr(inside)}}
				return []PreviousClaim{c}
			}(), nil, "", own},
	} {
		options := testOptions
		options.Networks = row.networks
		p := plan(t, []v1.SIPCluster{onOAM("a", 1, 0)}, []inventory.Host{row.host}, Previous{Claims: row.tree}, options)
		got := "none"
		if hosts := p.Clusters[0].Roles[0].Assigned; len(hosts) == 1 {
			got = addressesOf(hosts[0].Host.On("oam"))
		}
		assert.Truef(t, got == row.want, "%s: at %q, want %q", row.why, got, row.want)
		said := append(Say.Warnings(p.Clusters[0].Warnings), Say.Warnings(p.Clusters[0].Roles[0].Warnings)...)
		for _, refusal := range p.Clusters[0].Refused {
			said = append(said, Say.Refusals([]Refusal{refusal})...)
		}
		if row.says == "" && len(said) > 0 ||
			!slices.ContainsFunc(said, func(text string) bool { return strings.Contains(text, row.says) }) &&
				row.says != "" {
			t.Errorf("%s: said %q, want %q", row.why, said, row.says)
		}
	}
}

// TestReaddressedElsewhere: a held host does not move to where another cluster's host is on another network, unless the
// two never meet.
func TestReaddressedElsewhere(t *testing.T) {
	hosts := []inventory.Host{
		at(claimed(host1("h1", "w", "r1"), "a", v1.RoleWorker), inventory.FromHostAnnotation, "192.0.2.2"),
		at(claimed(host1("h2", "w", "r2"), "b", v1.RoleWorker), ""),
	}
	far := inTree("h2", "b", v1.RoleWorker)
	far.Addresses = map[string][]netip.Addr{"far": {netip.MustParseAddr("192.0.2.2")}}
	claims := []PreviousClaim{knew(inTree("h1", "a", v1.RoleWorker), "192.0.2.1"), far}
	b := newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)})
	for _, row := range []struct {
		why    string
		spaces map[string]string
		want   string
	}{
		{"they meet", nil, "192.0.2.1"},
		{"they never do", map[string]string{"far": "far"}, "192.0.2.2"},
	} {
		options := testOptions
		options.Spaces = row.spaces
		p := plan(t, []v1.SIPCluster{onOAM("a", 1, 0), b}, hosts, Previous{Claims: claims}, options)
		got := addressesOf(p.Clusters[0].Roles[0].Assigned[0].Host.On("oam"))
		assert.Truef(t, got == row.want, "%s: at %s, want %s; %q", row.why, got, row.want,
			Say.Warnings(p.Clusters[0].Warnings))
	}
}
