package inventory

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestEmptied: what has something to say about what runs on a host is not empty, and neither is one that nobody could
// read.
func TestEmptied(t *testing.T) {
	for _, row := range []struct {
		why  string
		host Host
		want bool
	}{
		{"nothing is left", Host{State: State{Provisioning: "provisioned", Online: true}}, true},
		{"nothing is left of one that runs by itself", Host{State: State{Provisioning: "externally provisioned"}},
			true},
		{"nothing is left while the image is written", Host{State: State{Provisioning: "provisioning"}}, true},
		{"Cluster API put its name back",
			Host{State: State{Provisioning: "provisioned", Consumer: &Consumer{Name: "m"}}}, true},
		{"the image is there", Host{State: State{Provisioning: "provisioned", Image: true}}, false},
		{"the image is taken off, on purpose",
			Host{BMC: BMC{Address: "ipmi://192.0.2.9"}, State: State{Provisioning: "provisioned"}}, false},
		{"it runs by itself", Host{State: State{Provisioning: "externally provisioned", ExternallyProvisioned: true}},
			false},
		{"nothing runs on it", Host{State: State{Provisioning: "available"}}, false},
		{"it is wiped already", Host{State: State{Provisioning: "deprovisioning"}}, false},
		{"nobody knows", Host{}, false},
		{"nobody could read its spec", Host{State: State{Provisioning: "provisioned"},
			Faults: []Fault{{Kind: FaultObject}}}, false},
	} {
		assert.Equal(t, row.want, row.host.Emptied(), row.why)
	}
}

// TestProvisioned: what runs on a host is told by its spec, too, before its status says so.
func TestProvisioned(t *testing.T) {
	for _, row := range []struct {
		state State
		want  bool
	}{
		{State{}, false}, {State{Provisioning: "available"}, false}, {State{Image: true}, true},
		{State{Provisioning: "available", ExternallyProvisioned: true}, true},
		{State{Provisioning: "provisioning"}, true},
	} {
		assert.Equal(t, row.want, row.state.Provisioned(), row.state)
	}
}

// TestMisplaced: an address is believed where the Site lists it for the network and the host's namespace, or where it
// lists none at all.
func TestMisplaced(t *testing.T) {
	host := &Host{Namespace: "metal", Name: "h"}
	listed := []HostNetwork{
		{Name: "oam", Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}},
		{Name: "pxe", Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.1.0/24")}, Namespaces: []string{"other"}},
	}
	for _, row := range []struct{ why, network, ip, want string }{
		{"within", "oam", "10.0.0.9", ""},
		{"outside", "oam", "10.0.1.9", "want an address in 10.0.0.0/24, by the Site's spec.hosts.networks for network oam"},
		{"a network of a name of its own", "mine", "10.0.0.9",
			"found 10.0.0.9 on network mine, which the Site's spec.hosts.networks does not list for hosts in namespace metal"},
		{"a network of another namespace's hosts", "pxe", "10.0.1.9",
			"on network pxe, which the Site's spec.hosts.networks does not list for hosts in namespace metal"},
	} {
		a := Address{Network: row.network, IP: netip.MustParseAddr(row.ip)}
		if got := host.Misplaced(a, listed); !strings.Contains(got, row.want) || (got == "") != (row.want == "") {
			t.Errorf("%s: found %q, want %q", row.why, got, row.want)
		}
		assert.Empty(t, host.Misplaced(a, nil), row.why)
	}
}

// TestNoAddress: a source that cannot be read at all is why a host has no address on any network.
func TestNoAddress(t *testing.T) {
	host := &Host{AddressProblems: []AddressProblem{{Network: "oam", Text: "not an address"}, {Text: "no such Secret"}}}
	assert.Equal(t, "not an address; no such Secret", host.NoAddress("oam"))
	assert.Equal(t, "no such Secret", host.NoAddress("pxe"))
	host.AddressProblems = host.AddressProblems[:1]
	assert.Empty(t, host.NoAddress("pxe"))
}

// TestOwnersOf goes by entries as a kube-apiserver v1.34 writes them.
func TestOwnersOf(t *testing.T) {
	entry := func(manager, operation, subresource, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationType(operation),
			Subresource: subresource, FieldsV1: metav1.NewFieldsV1(fields)}
	}
	got := OwnersOf([]metav1.ManagedFieldsEntry{
		entry("manager", "Update", "", `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"jumphost\"}":{".":{},"f:image":{}}}}}}}`),
		entry("kube-controller-manager", "Update", "status", `{"f:status":{}}`),
		entry("manager", "Update", "", `{"f:spec":{"f:ports":{".":{},"k:{\"port\":22,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}},"f:type":{}}}`),
		entry("somebody", "Update", "", `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"jumphost\"}":{"f:image":{}}}}}}}`),
		entry("somebody", "Update", "", `{"f:spec":{"f:ports":{"k:{\"port\":22,\"protocol\":\"TCP\"}":{"f:nodePort":{}}}}}`),
		entry("unreadable", "Update", "", `[`),
	})
	want := []Owner{{0, "manager", "Update", true}, {2, "manager", "Update", true}, {3, "somebody", "Update", false},
		{4, "somebody", "Update", false}, {5, "unreadable", "Update", true}}
	assert.Equal(t, want, got)
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
		assert.Truef(t, (got != nil) == (why == "sip"), "%s: found %v", why, got)
	}
}
