package inventory

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
)

// TestEmptied: what has something to say about what runs on a host is not empty, and neither is one that nobody could read.
func TestEmptied(t *testing.T) {
	for _, row := range []struct {
		why  string
		host Host
		want bool
	}{
		{"nothing is left", Host{State: State{Provisioning: "provisioned", Online: true}}, true},
		{"nothing is left of one that runs by itself", Host{State: State{Provisioning: "externally provisioned"}}, true},
		{"nothing is left while the image is written", Host{State: State{Provisioning: "provisioning"}}, true},
		{"Cluster API put its name back", Host{State: State{Provisioning: "provisioned", Consumer: &Consumer{Name: "m"}}}, true},
		{"the image is there", Host{State: State{Provisioning: "provisioned", Image: true}}, false},
		{"the image is taken off, on purpose", Host{BMC: BMC{Address: "ipmi://192.0.2.9"}, State: State{Provisioning: "provisioned"}}, false},
		{"it runs by itself", Host{State: State{Provisioning: "externally provisioned", ExternallyProvisioned: true}}, false},
		{"nothing runs on it", Host{State: State{Provisioning: "available"}}, false},
		{"it is wiped already", Host{State: State{Provisioning: "deprovisioning"}}, false},
		{"nobody knows", Host{}, false},
		{"nobody could read its spec", Host{State: State{Provisioning: "provisioned"}, Faults: []Fault{{Kind: FaultObject}}}, false},
	} {
		need.Equal(t, row.why, row.host.Emptied(), row.want)
	}
}

// TestProvisioned: what runs on a host is told by its spec, too, before its status says so.
func TestProvisioned(t *testing.T) {
	for _, row := range []struct {
		state State
		want  bool
	}{
		{State{}, false}, {State{Provisioning: "available"}, false}, {State{Image: true}, true}, {State{Provisioning: "available", ExternallyProvisioned: true}, true},
		{State{Provisioning: "provisioning"}, true},
	} {
		need.Equal(t, row.state, row.state.Provisioned(), row.want)
	}
}

// TestMisplaced: an address is believed where the Site lists it for the network and the host's namespace, or where it lists none at all.
func TestMisplaced(t *testing.T) {
	host := &Host{Namespace: "metal", Name: "h"}
	listed := []HostNetwork{
		{Name: "oam", Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}},
		{Name: "pxe", Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.1.0/24")}, Namespaces: []string{"other"}},
	}
	for _, row := range []struct{ why, network, ip, want string }{
		{"within", "oam", "10.0.0.9", ""},
		{"outside", "oam", "10.0.1.9", "want an address in 10.0.0.0/24, by the Site's spec.hosts.networks for network oam"},
		{"a network of a name of its own", "mine", "10.0.0.9", "found 10.0.0.9 on network mine, which the Site's spec.hosts.networks does not list for hosts in namespace metal"},
		{"a network of another namespace's hosts", "pxe", "10.0.1.9", "on network pxe, which the Site's spec.hosts.networks does not list for hosts in namespace metal"},
	} {
		a := Address{Network: row.network, IP: netip.MustParseAddr(row.ip)}
		if got := host.Misplaced(a, listed); !strings.Contains(got, row.want) || (got == "") != (row.want == "") {
			t.Errorf("%s: found %q, want %q", row.why, got, row.want)
		}
		need.Equal(t, row.why, host.Misplaced(a, nil), "")
	}
}

// TestOwnersOf goes by entries as a kube-apiserver v1.34 writes them.
func TestOwnersOf(t *testing.T) {
	entry := func(manager, operation, subresource, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationType(operation), Subresource: subresource, FieldsV1: metav1.NewFieldsV1(fields)}
	}
	got := OwnersOf([]metav1.ManagedFieldsEntry{
		entry("manager", "Update", "", `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"jumphost\"}":{".":{},"f:image":{}}}}}}}`),
		entry("kube-controller-manager", "Update", "status", `{"f:status":{}}`),
		entry("manager", "Update", "", `{"f:spec":{"f:ports":{".":{},"k:{\"port\":22,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}},"f:type":{}}}`),
		entry("somebody", "Update", "", `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"jumphost\"}":{"f:image":{}}}}}}}`),
		entry("somebody", "Update", "", `{"f:spec":{"f:ports":{"k:{\"port\":22,\"protocol\":\"TCP\"}":{"f:nodePort":{}}}}}`),
		entry("unreadable", "Update", "", `[`),
	})
	want := []Owner{{0, "manager", "Update", true}, {2, "manager", "Update", true}, {3, "somebody", "Update", false}, {4, "somebody", "Update", false}, {5, "unreadable", "Update", true}}
	need.Deep(t, "", got, want)
}

// TestMadeByOther: the engine takes over by itself what it made, and kubectl.
func TestMadeByOther(t *testing.T) {
	for why, owner := range map[string]Owner{
		"sip":      {Manager: "sip", Operation: "Update", Made: true},
		"engine":   {Manager: "engine", Operation: "Update", Made: true},
		"kubectl":  {Manager: "kubectl-create", Operation: "Update", Made: true},
		"applied":  {Manager: "sip", Operation: "Apply", Made: true},
		"not made": {Manager: "sip", Operation: "Update"},
	} {
		object := &ServiceObject{Owners: []Owner{owner}}
		got := object.MadeByOther("engine")
		need.That(t, (got != nil) == (why == "sip"), "%s: found %v", why, got)
	}
}

// TestOnce: of a host that is defined twice the one that is in use counts, then the one that has a uid, then the first.
func TestOnce(t *testing.T) {
	used := State{Provisioning: "provisioned"}
	for _, row := range []struct {
		why   string
		hosts []Host
		want  string
	}{
		{"the first", []Host{{Name: "b", Source: manifest.Place{File: "1"}}, {Name: "a", Source: manifest.Place{File: "2"}}, {Name: "b", Source: manifest.Place{File: "3"}}}, "a 2 [], b 1 [3]"},
		{"the one in use, wherever it is", []Host{{Name: "b", Source: manifest.Place{File: "1"}, UID: "u"}, {Name: "b", Source: manifest.Place{File: "2"}, State: used}}, "b 2 [1]"},
		{"the one that has a uid", []Host{{Name: "b", Source: manifest.Place{File: "1"}}, {Name: "b", Source: manifest.Place{File: "2"}, UID: "u"}}, "b 2 [1]"},
		{"three", []Host{{Name: "b", Source: manifest.Place{File: "1"}}, {Name: "b", Source: manifest.Place{File: "2"}}, {Name: "b", Source: manifest.Place{File: "3"}}}, "b 1 [2]"},
		{"two namespaces", []Host{{Namespace: "n", Name: "b", Source: manifest.Place{File: "1"}}, {Namespace: "m", Name: "b", Source: manifest.Place{File: "2"}}}, "b 2 [], b 1 []"},
	} {
		var got []string
		for _, h := range Once(slices.Clone(row.hosts)) {
			var others []string
			for _, f := range h.Faults {
				others = append(others, f.Other.String())
			}
			got = append(got, fmt.Sprintf("%s %s %v", h.Name, h.Source, others))
		}
		need.Equal(t, row.why, strings.Join(got, ", "), row.want)
	}
}

// TestConflicts: both hosts have the fault, however the thing that they share is written; but for an object of a tenant the site's hosts, and
// another tenant's, have none.
func TestConflicts(t *testing.T) {
	bmc := func(address string) BMC { return BMC{Address: address} }
	for _, row := range []struct {
		why   string
		hosts []Host
		want  string
	}{
		{"nothing in common", []Host{{Name: "a", UID: "1"}, {Name: "b", UID: "2"}, {Name: "c"}, {Name: "d"}}, ""},
		{"a uid", []Host{{Name: "a", UID: "1"}, {Name: "b", UID: "1"}}, "a: has the uid of host /b; b: has the uid of host /a"},
		{"a power control in two spellings", []Host{{Name: "a", BMC: bmc("ipmi://bmc.example.org")}, {Name: "b", BMC: bmc("BMC.example.org:623")}},
			"a: has the power control of host /b; b: has the power control of host /a"},
		{"two systems of one controller", []Host{{Name: "a", BMC: bmc("redfish://b/Systems/1")}, {Name: "b", BMC: bmc("redfish://b/Systems/2")}}, ""},
		{"a MAC in two spellings, three hosts", []Host{{Name: "a", BootMAC: "00:aa"}, {Name: "b", BootMAC: "00-AA"}, {Name: "c", BootMAC: "00:aa"}},
			"a: has the boot MAC address of host /b; b: has the boot MAC address of host /a; c: has the boot MAC address of host /a"},
	} {
		Conflicts(row.hosts)
		var got []string
		for _, h := range row.hosts {
			for n := range h.Faults {
				got = append(got, h.Name+": "+h.Faults[n].String())
			}
		}
		need.That(t, strings.Join(got, "; ") == row.want, "%s: got %s, want %s", row.why, strings.Join(got, "; "), row.want)
	}
}

// TestNoHostAddress goes by the special-purpose registries of IANA.
func TestNoHostAddress(t *testing.T) {
	for text, want := range map[string]string{
		"0.0.0.0": "unspecified", "::": "unspecified", "127.0.0.1": "loopback", "127.255.255.254": "loopback", "::1": "loopback",
		"169.254.169.254": "link-local", "fe80::1": "link-local", "224.0.0.1": "multicast", "ff02::1": "multicast", "239.255.255.255": "multicast",
		"255.255.255.255": "broadcast", "240.0.0.1": "reserved", "254.255.255.255": "reserved", "0.1.2.3": "0.0.0.0/8", "::ffff:192.0.2.7": "mapped", "fe80::1%eth0": "zone",
		"::a9fe:a9fe": "stands for 169.254.169.254", "::7f00:1": "stands for 127.0.0.1", "64:ff9b::a9fe:a9fe": "stands for 169.254.169.254", "2002:a9fe:a9fe::1": "stands for 169.254.169.254",
		"2002:7f00:1::": "a loopback address", "64:ff9b::c000:207": "", "2002:cb00:7107::1": "",
		"10.0.0.1": "", "192.168.255.255": "", "100.64.0.1": "", "203.0.113.7": "", "2001:db8::7": "", "fd00:40:1::10": "", "223.255.255.254": "", "1.0.0.0": "",
	} {
		ip := need.Value(netip.ParseAddr(text))(t)
		got := NoHostAddress(ip)
		need.That(t, (got == "") == (want == "") && strings.Contains(got, want), "%s: %q, want %q", text, got, want)
	}
}

// TestEndsOfSubnets: with its netmask an address may be one that no host has.
func TestEndsOfSubnets(t *testing.T) {
	for _, row := range []struct{ address, netmask, want string }{
		{"192.0.2.0", "255.255.255.0", "its network"}, {"192.0.2.255", "255.255.255.0", "broadcast"}, {"192.0.2.255/24", "", "broadcast"}, {"192.0.2.127", "25", "broadcast"},
		{"192.0.2.255", "", ""}, {"192.0.2.255", "255.255.254.0", ""}, {"192.0.3.255", "255.255.254.0", "broadcast"}, {"192.0.2.0", "/24", "its network"},
		{"192.0.2.254", "255.255.255.254", ""}, {"192.0.2.7", "255.255.255.255", ""}, {"192.0.2.0/31", "", ""}, {"192.0.2.1", "0.0.0.0", ""},
		{"192.0.2.0", "255.0.255.0", ""}, {"192.0.2.0", "nonsense", ""}, {"192.0.2.0", "64", ""}, {"192.0.2.0", "ffff::", ""},
		{"2001:db8::", "64", "its network"}, {"2001:db8::", "ffff:ffff:ffff:ffff::", "its network"}, {"2001:db8::/127", "", ""}, {"2001:db8::ffff:ffff:ffff:ffff/64", "", ""}, {"2001:db8::7", "64", ""},
	} {
		ip, err := ParseAddress(row.address, row.netmask)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s %s: %v, %v, want %q", row.address, row.netmask, ip, err, row.want)
		}
	}
}

// TestCheckPower: what metal3 would take is no problem, in whatever form it takes it; what it would not is the problem that it has.
func TestCheckPower(t *testing.T) {
	for _, row := range []struct {
		address string
		want    PowerProblem
		scheme  string
	}{
		{"", PowerFine, ""},
		{"192.0.2.7", PowerFine, ""},
		{"192.0.2.7:6230", PowerFine, ""},
		{"192.0.2.7/a%zz", PowerUnreadable, ""},
		{"redfish://192.0.2.7/redfish/v1/Systems/1", PowerFine, "redfish"},
		{"redfish://192.0.2/x", PowerFine, "redfish"},
		{"[2001:db8::7]:6230", PowerFine, ""},
		{"bmc.example.org", PowerFine, ""},
		{"ipmi.example.org", PowerFine, ""},
		{"ipmi://192.0.2.7", PowerFine, "ipmi"},
		{"ipmi:192.0.2.7", PowerFine, "ipmi"},
		{"libvirt://bmc-1:6230", PowerFine, "libvirt"},
		{"Redfish+HTTP://192.0.2.7:8000/redfish/v1/Systems/a%20b", PowerFine, "redfish+http"},
		{"redfish-virtualmedia+https://[2001:db8::7]/redfish/v1/Systems/1", PowerFine, "redfish-virtualmedia+https"},
		{"idrac-redfish://bmc.example.org/redfish/v1/Systems/System.Embedded.1", PowerFine, "idrac-redfish"},
		{"ilo4+https://192.0.2.7", PowerFine, "ilo4+https"},
		{"redfsh://192.0.2.7/x", PowerUnknownScheme, "redfsh"},
		{"https://192.0.2.7/x", PowerUnknownScheme, "https"},
		{"ipmi+https://192.0.2.7", PowerUnknownScheme, "ipmi+https"},
		{"ilo4+http://192.0.2.7", PowerUnknownScheme, "ilo4+http"},
		{"redfish+ftp://192.0.2.7", PowerUnknownScheme, "redfish+ftp"},
		{"bmc.example.org:623", PowerUnknownScheme, ""},
		{"redfish:///redfish/v1/Systems/1", PowerNoHost, "redfish"},
		{"redfish://", PowerNoHost, "redfish"},
		{"ipmi://:623", PowerNoHost, "ipmi"},
		{"redfish:/192.0.2.7/redfish/v1", PowerNoHost, "redfish"},
		{"redfish//192.0.2.7/redfish/v1", PowerNoHost, "redfish"},
		{"redfish", PowerNoHost, "redfish"},
		{"redfish://192.0.2.7_/x", PowerBadHost, "redfish"},
		{"redfish://bmc..example.org/x", PowerBadHost, "redfish"},
		{"redfish://192.0.2.7:99999/x", PowerBadPort, "redfish"},
		{"redfish://192.0.2.7:0/x", PowerBadPort, "redfish"},
		{"redfish://192.0.2.7:/x", PowerBadPort, "redfish"},
		{"192.0.2.7:65536", PowerBadPort, ""},
		{"redfish://192.0.2.7:http/x", PowerUnreadable, "redfish"},
		{"redfish://2001:db8::7/x", PowerBadHost, "redfish"},
		{"redfish://192.0.2. 7/x", PowerUnreadable, "redfish"},
		{"2001:db8::7", PowerBadHost, ""},
	} {
		if got, scheme := CheckPower(row.address); got != row.want || scheme != row.scheme {
			t.Errorf("%s: got problem %d of scheme %q, want %d of %q", row.address, got, scheme, row.want, row.scheme)
		}
	}
}

// wantHost is metal3's rule for the name of a power control's host.
var wantHost = regexp.MustCompile(`^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)*[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$`)

// FuzzPowerAddress: an address that is taken apart byte by byte has the parts that url.Parse gives, and what is said of it is what would be said with those.
func FuzzPowerAddress(f *testing.F) {
	for _, seed := range []string{
		"", "redfish://192.0.2.7/redfish/v1/Systems/1", "Redfish+HTTP://BMC.example.org.:8000//a/", "ipmi://a:", "ipmi://a:0", "ipmi://a:65536", "ipmi://:1", "://a",
		"1pmi://a", "+ipmi://a", "redfish://a-/x", "redfish://-a", "redfish://a..b", "redfish://a.", "ipmi://a/b?c#d", "ipmi://a%20b", "ipmi://a/%2F", "ipmi://u:p@a",
		"ipmi://[2001:db8::7]:1/x", "redfsh://a", "ipmi://a:1x", "ipmi://a:b", "ipmi://a_b", "ipmi://" + strings.Repeat("a", 64), "ipmi:a://b", "ipmi://a://b", "ipmi://a b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if problem, scheme := CheckPower(address); address != "" {
			if wantProblem, wantScheme := parsedPower(address); problem != wantProblem || scheme != wantScheme {
				t.Errorf("CheckPower(%q) = %d of %q, want %d of %q", address, problem, scheme, wantProblem, wantScheme)
			}
		}
		if got, want := powerHost(address), wantHost.MatchString(address); got != want {
			t.Errorf("powerHost(%q) = %t, want %t", address, got, want)
		}
		scheme, host, port, path, ok := plainURL(address)
		if !ok {
			return
		}
		want, err := url.Parse(address)
		need.That(t, err == nil && strings.EqualFold(scheme, want.Scheme) && host == want.Hostname() && port == want.Port() && path == want.Path && want.RawQuery+want.Fragment+want.RawPath == "" && want.User == nil,
			"plainURL(%q) = %q %q %q %q, want %#v, %v", address, scheme, host, port, path, want, err)
	})
}

// FuzzMACProblem holds it to package net: six pairs of hexadecimal digits, as metal3's CustomResourceDefinition wants them, that one
// network card can have.
func FuzzMACProblem(f *testing.F) {
	for _, seed := range []string{"", "52:54:00:12:34:56", "52:54:00:12:34:5", "52:54:00:12:34:567", "5:254:00:12:34:56", "ff:ff:ff:ff:ff:ff", "fe:FF:0a:0A:00:00", "00:00:00:00:00:00", "0::::::::::::::::", "52:54:00:12:34:5g",
		"52-54-00-12-34-56", "5254.0012.3456", "52:54:00:12:34", "02:00:5e:10:00:00:00:01", " 52:54:00:12:34:56", "01:00:5e:00:00:01", "eth0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, mac string) {
		hardware, err := net.ParseMAC(mac)
		fine := mac == "" || err == nil && len(mac) == 17 && strings.Count(mac, ":") == 5 && hardware[0]&1 == 0 && hardware.String() != "00:00:00:00:00:00"
		need.Equal(t, mac, MACProblem(mac) == "", fine)
	})
}
