package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFleet: what is wrong with many hosts at once, or with the Site's own images, is one finding.
func TestFleet(t *testing.T) {
	const labels = "sip.airshipit.org/cluster-namespace: gone, sip.airshipit.org/cluster-name: g, sip.airshipit.org/node-type: Worker"
	uid := func(host, uid string) string { return strings.Replace(host, "metadata:", "metadata:\n  uid: "+uid, 1) }
	const racks = `{nodes: {Worker: {count: {active: 1}, labelSelector: {}, topologyKey: rack}}}`
	inState := func(host, state string) string {
		return strings.Replace(bmh(host, "", ""), "---", "status: {provisioning: {state: "+state+"}}\n---", 1)
	}
	for _, row := range []struct {
		why, specs, hosts string
		images            v1alpha1.Images
		apply, byDigest   bool
		want              []string
		says              string
	}{
		{why: "hosts without a uid are one finding",
			hosts: uid(bmh("h1", "", ""), "u1") + bmh("h2", "", "") + bmh("h3", "", ""), apply: true,
			want: []string{"SIP038 warning Site dc1 spec.inputs.inventory"},
			says: "2 of 3 hosts have no metadata.uid, metal3/h2 (hosts.yaml:10) the first"},
		{why: "all have one", hosts: uid(bmh("h1", "", ""), "u1"), apply: true},
		{why: "nobody patches them by uid", hosts: bmh("h1", "", "")},
		{why: "labels of a cluster that is not there",
			hosts: bmh("h1", labels, "") + bmh("h2", labels, "") + bmh("h3", "", ""),
			want:  []string{"SIP039 warning BareMetalHost metal3/h1 metadata.labels"},
			says:  `labeled for cluster gone/g, which is in neither the specs nor the tree (the same of 1 more host)`},
		{why: "the first of them is meant",
			hosts: strings.Replace(bmh("h1", labels, ""), "metadata:",
				"metadata:\n  annotations: {sip.airshipit.org/lint-ignore: \"SIP039: by hand\"}", 1) + bmh("h2", labels,
				""),
			want: []string{"SIP039 warning BareMetalHost metal3/h2 metadata.labels"},
			says: "labeled for cluster gone/g, which is in neither the specs nor the tree: no cluster"},
		{why: "two spellings of a rack", specs: cluster("a", racks),
			hosts: bmh("h1", "rack: r1", "") + bmh("h2", "rack: R1", "") + bmh("h3", "rack: r2", ""),
			want:  []string{"SIP040 warning SIPCluster a/a spec.nodes.Worker"},
			says:  `rack is "r1" on metal3/h1 and "R1" on metal3/h2`},
		{why: "two racks", specs: cluster("a", racks),
			hosts: bmh("h1", "rack: r1", "") + bmh("h2", "rack: r2", "") + bmh("h3", "rack: r1", "")},
		{why: "a state that is misspelled",
			hosts: inState("h1", "available") + inState("h2", "availabel") + inState("h3", "ready"),
			want:  []string{"SIP068 warning BareMetalHost metal3/h2 status.provisioning.state"},
			says:  `found "availabel", which is not a state of metal3; did you mean "available"?: no cluster gets it`},
		{why: "on all hosts, and another one",
			hosts: inState("h1", "availabel") + inState("h2", "availabel") + inState("h3", "availabel") + inState("h4",
				"nonsense"),
			want: []string{"SIP068 warning BareMetalHost metal3/h1 status.provisioning.state",
				"SIP068 warning BareMetalHost metal3/h4 status.provisioning.state"},
			says: `did you mean "available"? (the same of 2 more hosts): no cluster gets it`},
		{why: "the states of metal3", hosts: inState("h1", "unmanaged") + inState("h2",
			"powering off before delete") + inState("h3", "match profile") + bmh("h4", "", "")},
		{why: "images of the Site", images: v1alpha1.Images{HAProxy: "haproxy:latest", JumpHost: "reg.example/jump",
			Dex: "dex:v2.45.0"},
			want: []string{"SIP030 warning Site dc1 spec.images.haproxy",
				"SIP030 warning Site dc1 spec.images.jumpHost"}},
		{why: "images without a digest are no finding unless asked for",
			specs:  cluster("a", "{"+fmt.Sprintf(imaged, "reg.example/jump:1")+"}"),
			images: v1alpha1.Images{HAProxy: "haproxy:3.2.24"}},
		{why: "asked for: a spec's own", specs: cluster("a", "{"+fmt.Sprintf(imaged, "reg.example/jump:1")+"}"),
			images: v1alpha1.Images{JumpHost: "reg.example/other:1", HAProxy: "haproxy:3.2.24"}, byDigest: true,
			want: []string{"SIP072 warning SIPCluster a/a spec.services.jumpHost[0].image"},
			says: `found "reg.example/jump:1", an image without a digest`},
		{why: "asked for: the Site's that a spec uses, and no other",
			specs:    cluster("a", "{"+fmt.Sprintf(jump, 30022)+"}") + cluster("b", "{"+fmt.Sprintf(jump, 30023)+"}"),
			images:   v1alpha1.Images{JumpHost: "reg.example/jump:1", HAProxy: "haproxy:3.2.24", Dex: "dex:v2.45.0"},
			byDigest: true, want: []string{"SIP072 warning Site dc1 spec.images.jumpHost"}},
		{why: "asked for: one that is replaced by the Site's",
			specs:  cluster("a", "{"+fmt.Sprintf(imaged, "quay.io/airshipit/jump-host:latest")+"}"),
			images: v1alpha1.Images{JumpHost: "reg.example/jump:1"}, byDigest: true,
			want: []string{"SIP072 warning Site dc1 spec.images.jumpHost",
				"SIP016 warning SIPCluster a/a spec.services.jumpHost[0].image"}},
		{why: "asked for: a tag that is moved is one finding",
			specs: cluster("a", "{"+fmt.Sprintf(imaged, "reg.example/jump:latest")+"}"), byDigest: true,
			images: v1alpha1.Images{HAProxy: "haproxy:3.2.24"},
			want:   []string{"SIP030 warning SIPCluster a/a spec.services.jumpHost[0].image"}},
		{why: "asked for: digests", specs: cluster("a",
			"{"+fmt.Sprintf(imaged, "reg.example/jump:1@sha256:"+strings.Repeat("ab", 32))+"}") + cluster("b",
			"{"+fmt.Sprintf(jump, 30023)+"}"),
			images: v1alpha1.Images{JumpHost: "reg.example/jump@sha256:" + strings.Repeat("ab", 32)}, byDigest: true},
	} {
		site := siteOf("")
		site.Name = "dc1"
		if row.images != (v1alpha1.Images{}) {
			site.Spec.Images = row.images
		}
		in := inputs(t, site, row.specs, row.hosts)
		in.ByUID, in.ByDigest = row.apply, row.byDigest
		findings := in.Check()
		assert.Equal(t, row.want, codes(findings), row.why)
		if row.says != "" {
			assert.Contains(t, findings[0].Message, row.says, row.why)
		}
	}
}

// TestEmptyFiles: they are named.
func TestEmptyFiles(t *testing.T) {
	in := inputs(t, siteOf(""), "", "")
	of := func(file string) []error {
		return []error{&manifest.FileError{File: file, Err: fmt.Errorf("%s: %w", file, manifest.ErrEmpty)}}
	}
	in.Empty, in.Notes = of("tenants/a.yaml"), of("hosts.yaml")
	found := in.Check()
	assert.Equal(t, []string{"SIP034 warning BareMetalHost ", "SIP034 warning SIPCluster "}, codes(found))
	assert.Truef(t, found[0].Place.File == "hosts.yaml" && found[1].Place.File == "tenants/a.yaml", "%+v", found)
}

// TestUnreadableIsNotPowerless: of a host that cannot be read nobody knows whether it has a power control. A value that
// wants quotes is told so.
func TestUnreadableIsNotPowerless(t *testing.T) {
	in := inputs(t, siteOf(""), cluster("a", "{nodes: {Worker: {labelSelector: {}, count: {active: 2}}}}"),
		bmh("h1", "", "bmc: {address: 'redfish://192.0.2.1/redfish/v1/Systems/1'}")+bmh("h2", "", ""))
	got := codes(in.Check())
	require.Truef(t, len(got) == 1 && strings.HasPrefix(got[0], "SIP031 "), "found %q, want one SIP031", got)
	fault := inventory.Fault{Kind: inventory.FaultObject, Field: "metadata.labels.rack",
		Text: "found a whole number, want a string"}
	for _, a := range in.Placement.Clusters[0].Roles[0].Assigned {
		a.Host.Faults = append(a.Host.Faults, fault)
	}
	in.Hosts[1].Faults = []inventory.Fault{fault}
	found := in.Check()
	assert.Truef(t, len(found) != 0, "no finding")
	for _, f := range found {
		assert.Truef(t, f.Code == finding.Object && strings.HasPrefix(f.Fix, "write it in quotes"), "%+v", f)
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
		in := inputs(t, siteOf(""), cluster("a",
			"{nodes: {Worker: {labelSelector: {matchLabels: {"+selector+"}}, count: {active: 1}}}}"), hosts)
		in.Placement = nil
		found := in.Check()
		assert.Truef(t, len(found) == 1 && strings.HasSuffix(found[0].Message, ": "+want), "%s: %v, want %s", selector,
			found, want)
	}
}
