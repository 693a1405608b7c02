package lint

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// TestGrants: a role is held to the hosts that its tenant is granted, and what was found beyond a grant is at the field that asks for it.
func TestGrants(t *testing.T) {
	hosts := bmh("h1", "flavor: w, pool: red", "") + bmh("h2", "flavor: w, pool: blue", "")
	specs := cluster("a", "{nodes: {Worker: {labelSelector: {matchLabels: {flavor: w}}, count: {active: 1}}}}")
	role := schedule.RoleKey{Cluster: schedule.ClusterKey{Namespace: "a", Name: "a"}, Role: "Worker"}
	for _, row := range []struct {
		why, granted string
		want         []string
	}{
		{"one of the two is granted", "flavor=w,pool=red", nil},
		{"none of the two is granted", "flavor=w,pool=green", []string{"SIP029 error SIPCluster a/a spec.nodes.Worker.labelSelector"}},
		{"no host matches the spec's own selector: the grant is not what is wrong", "flavor=x,pool=green", []string{"SIP005 error SIPCluster a/a spec.nodes.Worker.labelSelector"}},
	} {
		spec := specs
		if strings.HasPrefix(row.granted, "flavor=x") {
			spec = strings.Replace(specs, "flavor: w", "flavor: x", 1)
		}
		in := inputs(t, siteOf(""), spec, hosts)
		in.Placement = nil
		selector, err := labels.Parse(row.granted)
		if err != nil {
			t.Fatal(err)
		}
		in.Granted = map[schedule.RoleKey]labels.Selector{role: selector}
		if got := codes(in.Check()); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.why, got, row.want)
		}
	}
	in := inputs(t, siteOf(""), specs, hosts)
	in.Beyond = []v1.ClusterError{{Cluster: &in.Clusters[0], FieldError: v1.FieldError{Path: "spec.nodes", Message: "asks for 9 hosts"}}}
	found := in.Check()
	if got := codes(found); !slices.Equal(got, []string{"SIP029 error SIPCluster a/a spec.nodes"}) || found[0].Place.Line == 0 {
		t.Errorf("%q at %v", got, found)
	}
}

// TestEmptyFiles: they are named.
func TestEmptyFiles(t *testing.T) {
	in := inputs(t, siteOf(""), "", "")
	in.Empty = []string{"tenants/a.yaml"}
	if found := in.Check(); !slices.Equal(codes(found), []string{"SIP034 warning SIPCluster "}) || found[0].Place.File != "tenants/a.yaml" {
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
		if f.Code != codeObject || !strings.HasPrefix(f.Fix, "write it in quotes") {
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
