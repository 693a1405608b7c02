package inventory

import (
	"testing"

	"github.com/airshipit/sipgen/hack/need"
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
