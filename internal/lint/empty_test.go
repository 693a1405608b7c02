package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
)

// TestEmptyFiles: they are named.
func TestEmptyFiles(t *testing.T) {
	in := inputs(t, siteOf(""), "", "")
	of := func(file string) []error {
		return []error{&manifest.FileError{File: file, Err: fmt.Errorf("%s: %w", file, manifest.ErrEmpty)}}
	}
	in.Empty, in.Notes = of("tenants/a.yaml"), of("hosts.yaml")
	if found := in.Check(); !slices.Equal(codes(found), []string{"SIP034 warning BareMetalHost ", "SIP034 warning SIPCluster "}) ||
		found[0].Place.File != "hosts.yaml" || found[1].Place.File != "tenants/a.yaml" {
		t.Errorf("%+v", found)
	}
}

// TestUnreadableIsNotPowerless: of a host that cannot be read nobody knows whether it has a power control. A value that wants quotes is told so.
func TestUnreadableIsNotPowerless(t *testing.T) {
	in := inputs(t, siteOf(""), cluster("a", "{nodes: {Worker: {count: {active: 2}}}}"), bmh("h1", "", "bmc: {address: 'redfish://192.0.2.1/redfish/v1/Systems/1'}")+bmh("h2", "", ""))
	if got := codes(in.Check()); len(got) != 1 || !strings.HasPrefix(got[0], "SIP031 ") {
		t.Fatalf("found %q, want one SIP031", got)
	}
	fault := inventory.Fault{Kind: inventory.FaultObject, Field: "metadata.labels.rack", Text: "found a whole number, want a string"}
	for _, a := range in.Placement.Clusters[0].Roles[0].Assigned {
		a.Host.Faults = append(a.Host.Faults, fault)
	}
	in.Hosts[1].Faults = []inventory.Fault{fault}
	found := in.Check()
	if len(found) == 0 {
		t.Error("no finding")
	}
	for _, f := range found {
		if f.Code != finding.Object || !strings.HasPrefix(f.Fix, "write it in quotes") {
			t.Errorf("%+v", f)
		}
	}
}

// TestMeant: a selector that no host matches names the label that was likely meant.
func TestMeant(t *testing.T) {
	hosts := bmh("h1", "flavor: control-plane", "")
	for selector, want := range map[string]string{
		"flavor: controlplane":          "no host has flavor=controlplane, did you mean flavor=control-plane?",
		"flavour: control-plane":        "no host has flavour=control-plane, did you mean flavor=control-plane?",
		"flavor: gpu":                   "no host has flavor=gpu",
		"vino.airshipit.org/zone: left": "no host has vino.airshipit.org/zone=left",
	} {
		in := inputs(t, siteOf(""), cluster("a", "{nodes: {Worker: {labelSelector: {matchLabels: {"+selector+"}}, count: {active: 1}}}}"), hosts)
		in.Placement = nil
		found := in.Check()
		if len(found) != 1 || !strings.HasSuffix(found[0].Message, ": "+want) {
			t.Errorf("%s: %v, want %s", selector, found, want)
		}
	}
}
