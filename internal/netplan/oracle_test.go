package netplan

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ironic "github.com/airshipit/sipgen/api/ironic/v1alpha1"
	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
)

// The oracle knows a site of 32 addresses, 10.0.0.0 to 10.0.0.31. It reads a site by itself, writes down address by address what is there, and looks
// each pair up in the table of docs/site-services.md.

type thing struct {
	// kind is a row of the table, who the thing that has it, in the range of whom it is meant to be.
	kind, who, in string
	space, field  string
	host, cluster string
	network       string
	on            [32]bool
}

func (x *thing) party() int {
	switch {
	case x.host != "":
		return 2
	case x.cluster != "":
		return 1
	}
	return 0
}

func paint(x thing, from, to string) thing {
	last := func(text string) int {
		var n int
		if _, err := fmt.Sscanf(text, "10.0.0.%d", &n); err != nil {
			panic(text)
		}
		return n
	}
	for n := last(from); n <= last(to); n++ {
		x.on[n] = true
	}
	return x
}

// ranges are the kinds that something gives out; machine those of an address that a machine may have anyway.
var (
	ranges  = []string{"dhcp", "vdhcp", "static", "pool", "pods"}
	machine = []string{"node", "ironic", "host", "lease", "program"}
)

// verdict is the table: bad, warn or empty.
func verdict(a, b *thing) string {
	if a.space != b.space {
		return ""
	}
	if a.party() == 1 && b.party() == 1 {
		return "" // told by the check of clusters against each other
	}
	is := func(kinds []string, x *thing) bool { return slices.Contains(kinds, x.kind) }
	pair := func(x, y string) bool { return a.kind == x && b.kind == y || a.kind == y && b.kind == x }
	switch {
	case a.host != "" && b.host != "":
		switch {
		case a.host == b.host:
			return ""
		case pair("host", "host") && a.network == b.network:
			return "bad"
		case (pair("lease", "host") || pair("lease", "lease")) && a.network == b.network:
			return "warn"
		case pair("power", "host"), pair("power", "lease"):
			return "warn"
		}
		return ""
	case is(ranges, a) && is(ranges, b):
		if a.who == b.who {
			return ""
		}
		return "bad"
	case is(ranges, a) || is(ranges, b):
		giver, taker := a, b
		if is(ranges, b) {
			giver, taker = b, a
		}
		switch {
		case taker.in == giver.who, taker.in == "pool" && giver.kind == "pool":
			return ""
		case taker.kind == "lease" && (giver.kind == "dhcp" || giver.kind == "vdhcp"):
			return ""
		case taker.kind == "lease":
			return "warn"
		case (taker.kind == "power" || taker.kind == "program") && giver.kind == "dhcp":
			return "warn"
		}
		return "bad"
	case a.kind == "gateway" || b.kind == "gateway", a.who == b.who:
		return ""
	case is(machine, a) && is(machine, b):
		if a.kind == b.kind {
			return "bad"
		}
		return ""
	case pair("power", "node"):
		return "warn"
	}
	return "bad"
}

// guilty is which of two has to change.
func guilty(a, b *thing) *thing {
	if a.party() > b.party() {
		a, b = b, a
	}
	switch {
	case a.party() == 0 && b.party() == 0:
		if a.field > b.field {
			return a
		}
		return b
	case a.party() == 0:
		return b
	case a.party() == 1:
		if owner := ownerOf(namespaceOf(b.host)); owner == "" || owner == ownerOf(namespaceOf(a.cluster)) {
			return a
		}
		return b
	case a.kind == "power" && b.kind != "power": // of several hosts with the address one is named, and the power control is the odd one
		return a
	case b.kind == "power" && a.kind != "power":
		return b
	case a.host > b.host:
		return a
	}
	return b
}

func namespaceOf(key string) string { namespace, _, _ := strings.Cut(key, "/"); return namespace }

func ownerOf(namespace string) string {
	if owner, has := strings.CutPrefix(namespace, "own-"); has {
		return owner
	}
	return ""
}

// read writes down what is on a site.
func read(site *v1alpha1.Site, clusters []v1.SIPCluster, hosts []inventory.Host) []thing {
	space := func(network string) string {
		for _, s := range site.Spec.Services.AddressSpaces {
			if slices.Contains(s.Networks, network) {
				return s.Name
			}
		}
		return ""
	}
	var out []thing
	one := func(x thing, at string) {
		if at != "" {
			out = append(out, paint(x, at, at))
		}
	}
	for i, it := range site.Spec.Services.Ironic {
		n := it.Spec.Networking
		x := thing{who: "ironic" + it.Name, space: space("ironic/i/" + it.Name), field: fmt.Sprintf("spec.services.ironic[%d].spec.networking.", i)}
		with := func(kind, in, field string) thing { x := x; x.kind, x.in, x.field = kind, in, x.field+field; return x }
		if n.Keepalived != nil && n.Keepalived.Enabled {
			one(with("vip", "", "ipAddress"), n.IPAddress)
			for k, v := range n.Keepalived.AdditionalVIPs {
				one(with("vip", "", fmt.Sprintf("keepalived.additionalVIPs[%d].ipAddress", k)), v.IPAddress)
			}
		} else {
			one(with("ironic", "", "ipAddress"), n.IPAddress)
		}
		one(with("external", "pool", "externalIP"), n.ExternalIP)
		if n.DHCP != nil {
			out = append(out, paint(with("dhcp", "", "dhcp.rangeBegin"), n.DHCP.RangeBegin, n.DHCP.RangeEnd))
			one(with("gateway", "", "dhcp.gatewayAddress"), n.DHCP.GatewayAddress)
		}
	}
	for i, v := range site.Spec.Services.VirtualHosts {
		for k, n := range v.Spec.Networks {
			x := thing{who: "vino" + v.Name + n.SubNet, space: space("virtualHosts/v/" + v.Name + "/" + n.Name)}
			at := fmt.Sprintf("spec.services.virtualHosts[%d].spec.networks[%d].", i, k)
			x.kind, x.field = "static", at+"staticAllocationStart"
			out = append(out, paint(x, n.StaticAllocationStart, n.StaticAllocationStop))
			x.kind, x.field = "vdhcp", at+"dhcpAllocationStart"
			out = append(out, paint(x, n.DHCPAllocationStart, n.DHCPAllocationStop))
		}
		for k, n := range v.Nodes {
			one(thing{kind: "node", who: "node" + n.Name, field: fmt.Sprintf("spec.services.virtualHosts[%d].nodes[%d].address", i, k)}, n.Address)
		}
	}
	for i, n := range site.Spec.Services.Networks {
		x := thing{space: space("networks/n/" + n.Name), field: fmt.Sprintf("spec.services.networks[%d].", i)}
		if n.Pool != nil {
			for k, text := range n.Pool.Addresses {
				x := x
				x.kind, x.who, x.field = "pool", "pool"+n.Name, fmt.Sprintf("%spool.addresses[%d]", x.field, k)
				from, to, _ := strings.Cut(text, "-")
				out = append(out, paint(x, from, to))
			}
			continue
		}
		x.kind, x.who, x.field = "pods", podsOf(&n), x.field+"attachment"
		from, to := attachmentRange(n.Attachment)
		out = append(out, paint(x, from, to))
	}
	for _, c := range clusters {
		for i, lb := range c.Spec.Services.LoadBalancerControlPlane {
			at := fmt.Sprintf("spec.services.loadBalancerControlPlane[%d].", i)
			x := thing{who: "cluster" + c.Key(), cluster: c.Key()}
			with := func(kind, in, field string) thing {
				x := x
				x.kind, x.in, x.field = kind, in, at+field
				return x
			}
			if lb.ClusterIP != nil {
				one(with("clusterip", "", "clusterIP"), *lb.ClusterIP)
			}
			if lb.Service.Service != nil {
				in := "pool"
				if lb.Service.Service.Provider == "kube-vip" {
					in = ""
				}
				one(with("lb", in, "service.loadBalancerIP"), lb.Service.Service.LoadBalancerIP)
			}
			for k, a := range lb.NetworkAttachments {
				x := with("pod", "", fmt.Sprintf("networkAttachments[%d].ips", k))
				x.space = "unknown " + a.Name
				for _, n := range site.Spec.Services.Networks {
					if n.Name == a.Name && n.Pool == nil {
						x.space, x.in = space("networks/n/"+n.Name), podsOf(&n)
					}
				}
				for _, ip := range a.IPs {
					one(x, strings.TrimSuffix(ip, "/24"))
				}
			}
		}
	}
	for _, h := range hosts {
		for _, a := range h.Addresses {
			x := thing{kind: "host", who: "host" + h.Key(), host: h.Key(), network: a.Network, space: space("hosts/" + a.Network), field: "spec.networkData"}
			if a.Origin == inventory.FromHardware {
				x.kind, x.field = "lease", "status.hardware.nics"
			}
			for _, v := range site.Spec.Services.VirtualHosts {
				for _, n := range v.Spec.Networks {
					if h.Namespace == v.HostNamespace && strings.HasPrefix(h.Name, "v-"+v.Name+"-") && n.Name == a.Network {
						x.in = "vino" + v.Name + n.SubNet
					}
				}
			}
			one(x, a.IP.String())
		}
		if at, found := strings.CutPrefix(h.BMC.Address, "redfish://"); found {
			one(thing{kind: "power", who: "host" + h.Key(), host: h.Key(), space: space("bmc"), field: "spec.bmc.address"}, strings.TrimSuffix(at, "/x"))
		} else if at, found := strings.CutPrefix(h.BMC.Address, "redfish+http://"); found {
			one(thing{kind: "program", who: "host" + h.Key(), host: h.Key(), space: space("bmc"), field: "spec.bmc.address"}, strings.TrimSuffix(at, ":8000/x"))
		}
	}
	return out
}

func podsOf(n *v1alpha1.Network) string {
	if from, to := attachmentRange(n.Attachment); strings.Contains(n.Attachment, "whereabouts") {
		return "whereabouts" + from + to
	}
	return "pods" + n.Name
}

func attachmentRange(config string) (from, to string) {
	i := strings.Index(config, "10.0.0.")
	from, to, _ = strings.Cut(config[i:strings.LastIndex(config, `"`)], "-")
	return from, strings.TrimSuffix(to, "/27")
}

// random makes a site on which things meet often.
func random(r *rand.Rand) (*v1alpha1.Site, []v1.SIPCluster, []inventory.Host) {
	ip := func() string { return fmt.Sprintf("10.0.0.%d", r.IntN(32)) }
	maybe := func() string {
		if r.IntN(3) == 0 {
			return ip()
		}
		return ""
	}
	some := func() (string, string) {
		from := r.IntN(32)
		return fmt.Sprintf("10.0.0.%d", from), fmt.Sprintf("10.0.0.%d", min(31, from+r.IntN(5)))
	}
	site := &v1alpha1.Site{}
	services := &site.Spec.Services
	for i := range r.IntN(3) {
		it := v1alpha1.Ironic{Name: fmt.Sprint(i), Namespace: "i"}
		n := &it.Spec.Networking
		n.IPAddress, n.ExternalIP = maybe(), maybe()
		if r.IntN(2) == 0 {
			from, to := some()
			n.DHCP = &ironic.DHCP{RangeBegin: from, RangeEnd: to, GatewayAddress: maybe()}
		}
		if r.IntN(2) == 0 {
			n.Keepalived = &ironic.KeepalivedConfig{Enabled: true, AdditionalVIPs: []ironic.KeepalivedIP{{IPAddress: ip()}}}
		}
		services.Ironic = append(services.Ironic, it)
	}
	for i := range r.IntN(3) {
		v := v1alpha1.VirtualHosts{Name: fmt.Sprint(i), Namespace: "v", HostNamespace: "hosts"}
		for k := range 1 + r.IntN(2) {
			n := v1alpha1.VinoNetwork{Name: []string{"oam", "data"}[k], SubNet: []string{"10.0.0.0/27", "10.0.0.0/26"}[r.IntN(2)]}
			n.StaticAllocationStart, n.StaticAllocationStop = some()
			n.DHCPAllocationStart, n.DHCPAllocationStop = some()
			v.Spec.Networks = append(v.Spec.Networks, n)
		}
		for k := range r.IntN(3) {
			v.Nodes = append(v.Nodes, v1alpha1.VirtualHostNode{Name: fmt.Sprint("metal", k), Address: maybe()})
		}
		services.VirtualHosts = append(services.VirtualHosts, v)
	}
	for i := range r.IntN(4) {
		n := v1alpha1.Network{Name: fmt.Sprint(i), Namespace: "n"}
		from, to := some()
		switch r.IntN(3) {
		case 0:
			n.Attachment = fmt.Sprintf(`{"type":"x","ipam":{"type":"whereabouts","range":"%s-%s/27"}}`, from, to)
		case 1:
			n.Attachment = fmt.Sprintf(`{"type":"x","ipam":{"type":"other","range":"%s-%s"}}`, from, to)
		default:
			n.Pool = &v1alpha1.AddressPool{Addresses: []string{from + "-" + to}}
		}
		services.Networks = append(services.Networks, n)
	}
	if r.IntN(3) == 0 {
		services.AddressSpaces = []v1alpha1.AddressSpace{{Name: "apart", Networks: []string{"hosts/oam", "networks/n/0", "virtualHosts/v/0/oam"}}, {Name: "power", Networks: []string{"bmc"}}}
	}
	var clusters []v1.SIPCluster
	for i := range r.IntN(4) {
		c := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: []string{"own-a", "b"}[r.IntN(2)], Name: fmt.Sprint(i)}}
		lb := v1.LoadBalancerControlPlane{}
		if at := maybe(); at != "" {
			lb.ClusterIP = &at
		}
		if at := maybe(); at != "" {
			lb.Service.Service = &v1.ServiceExposure{LoadBalancerIP: at, Provider: []string{"", "kube-vip"}[r.IntN(2)]}
		}
		if at := maybe(); at != "" {
			lb.NetworkAttachments = []v1.NetworkAttachment{{Name: fmt.Sprint(r.IntN(4)), Namespace: "n", IPs: []string{at + "/24"}}}
		}
		c.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{lb}
		clusters = append(clusters, c)
	}
	var hosts []inventory.Host
	for i := range r.IntN(6) {
		h := inventory.Host{Namespace: []string{"hosts", "own-a", "own-c"}[r.IntN(3)], Name: fmt.Sprintf("%sh%d", []string{"", "v-0-", "v-1-"}[r.IntN(3)], i)}
		for _, network := range []string{"oam", "data"} {
			if at := maybe(); at != "" {
				origin := []inventory.AddressOrigin{inventory.FromNetworkData, inventory.FromHardware}[r.IntN(2)]
				h.Addresses = append(h.Addresses, inventory.Address{Network: network, IP: netip.MustParseAddr(at), Origin: origin})
			}
		}
		if at := maybe(); at != "" {
			h.BMC.Address = []string{"redfish://" + at + "/x", "redfish+http://" + at + ":8000/x"}[r.IntN(2)]
		}
		hosts = append(hosts, h)
	}
	inventory.Sort(hosts)
	return site, clusters, hosts
}

// found is who has to change because of what: with the other thing for what the site's services are part of, without for pairs of hosts, of which
// one of several is named, and for a host whose address a cluster asks for.
func found(at, with string, mild bool, atParty, withParty int) string {
	if atParty == 2 && withParty == 2 || atParty == 2 && withParty == 1 {
		with = "another"
	}
	if atParty == 1 && withParty == 2 {
		with = "a host"
	}
	return fmt.Sprintf("%s / %s / mild %t", at, with, mild)
}

func TestPlanAgreesWithTheOracle(t *testing.T) {
	sites, conflicts := 20_000, 0
	if testing.Short() {
		sites = 4_000
	}
	for seed := range uint64(sites) {
		r := rand.New(rand.NewPCG(seed, 17))
		site, clusters, hosts := random(r)
		things := read(site, clusters, hosts)
		want, got := map[string]bool{}, map[string]bool{}
		for i := range things {
			for j := range i {
				a, b := &things[i], &things[j]
				meet := false
				for n := range a.on {
					meet = meet || a.on[n] && b.on[n]
				}
				said := verdict(a, b)
				if !meet || said == "" {
					continue
				}
				at := guilty(a, b)
				with := a
				if at == a {
					with = b
				}
				want[found(at.host+at.cluster+" "+at.field, with.host+with.cluster+" "+with.field, said == "warn", at.party(), with.party())] = true
			}
		}
		name := func(c *Claim) string {
			switch {
			case c.Host != nil:
				return c.Host.Key() + " " + c.Field
			case c.Cluster != nil:
				return c.Cluster.Key() + " " + c.Field
			}
			return " " + c.Field
		}
		plan := Of(site, clusters, hosts, ownerOf)
		each := map[*Claim]int{}
		for _, c := range plan.Conflicts {
			if c.At.Kind != Addresses {
				continue
			}
			each[c.At]++
			each[c.With]++
			got[found(name(c.At), name(c.With), c.Mild, int(c.At.party()), int(c.With.party()))] = true
		}
		conflicts += len(want)
		// A host with an address that is both another host's and another one's lease is named once, as the worse of the two; and no more than
		// maxEach are named of one claim.
		full := false
		for _, n := range each {
			full = full || n >= maxEach
		}
		for line := range want {
			hard := strings.Replace(line, "mild true", "mild false", 1)
			if !got[line] && !full && !(strings.Contains(line, "another") && got[hard]) {
				t.Errorf("site %d: not found: %s\n%s", seed, line, describe(plan))
			}
		}
		for line := range got {
			if !want[line] {
				t.Errorf("site %d: found, and there is none: %s\n%s", seed, line, describe(plan))
			}
		}
		if t.Failed() {
			return
		}
	}
	if conflicts < sites {
		t.Errorf("%d conflicts in %d sites: the sites are too peaceful to say anything", conflicts, sites)
	}
}

func describe(p *Plan) string {
	var out strings.Builder
	for i := range p.Claims {
		c := &p.Claims[i]
		fmt.Fprintf(&out, "  %s %s %s, in %q, space %q: %s\n", c.Kind, c.text(), c.what(), c.Within, c.Space, c.Field)
	}
	return out.String()
}

// The plan does not depend on the order of what it is of.
func TestOrderDoesNotMatter(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 18))
		site, clusters, hosts := random(r)
		words := func() string {
			plan := Of(site, clusters, hosts, ownerOf)
			var out []string
			for i := range plan.Conflicts {
				out = append(out, plan.words(&plan.Conflicts[i]))
			}
			return describe(plan) + strings.Join(out, "\n")
		}
		first := words()
		r.Shuffle(len(clusters), func(i, j int) { clusters[i], clusters[j] = clusters[j], clusters[i] })
		r.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
		if again := words(); again != first {
			t.Fatalf("site %d:\n%s\nand in another order\n%s", seed, first, again)
		}
	}
}
