package assignments

import (
	"bytes"
	"fmt"
	"net/netip"
	"testing"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestKept: what a service may need later is kept, and nothing that may not be the host's own.
func TestKept(t *testing.T) {
	of := func(origin inventory.AddressOrigin) inventory.Host {
		return inventory.Host{Addresses: []inventory.Address{{Network: "oam", IP: netip.MustParseAddr("192.0.2.1"),
			Origin: origin}}}
	}
	used := of(inventory.FromNetworkData)
	used.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Name: "m"}
	wide := inventory.Host{}
	for i := range 2 * maxUnserved {
		wide.Addresses = append(wide.Addresses,
			inventory.Address{Network: fmt.Sprintf("n%02d", i), IP: netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)}),
				Origin: inventory.FromNetworkData})
	}
	for _, row := range []struct {
		why    string
		host   inventory.Host
		served []string
		want   int
	}{
		{"its network data, before anybody uses it", of(inventory.FromNetworkData), nil, 1},
		{"its network data may be its consumer's", used, nil, 0},
		{"the same, and a service needs it: a warning says so", used, []string{"oam"}, 1},
		{"an annotation", of(inventory.FromHostAnnotation), nil, 1},
		{"preprovisioning data, which no consumer replaces", of(inventory.FromPreprovisioning), nil, 1},
		{"the previous tree", of(inventory.FromPreviousTree), nil, 1},
		{"a lease of inspection", of(inventory.FromHardware), nil, 0},
		{"a lease that a service needs", of(inventory.FromHardware), []string{"oam"}, 1},
		{"many networks", wide, nil, maxUnserved},
		{"many networks, and a service needs one of the last", wide, []string{"n60"}, maxUnserved + 1},
	} {
		assert.Len(t, Kept(&row.host, row.served), row.want, row.why)
	}
}

// FuzzRead: whatever lies where a cluster's assignments are, reading it ends in an error or in claims of that cluster
// alone, and a plan on top of those in an error or a placement in which no host has two clusters. An edit that is not
// sealed by its digest is refused.
func FuzzRead(f *testing.F) {
	const path = "clusters/lab/a/assignments.yaml"
	site, err := api.ParseSite("site.yaml",
		[]byte("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: lab}\nspec:\n  repository: {url: ssh://git@git.example.org/x.git}\n"))
	require.NoError(f, err)
	head := "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Assignments\nmetadata: {namespace: lab, name: a}\n"
	for _, rest := range []string{
		"hosts: []\n",
		"hosts:\n- {namespace: metal3, name: h1, uid: u1, role: Worker, domain: r1, addresses: {oam: [192.0.2.1, \"fe80::1%eth0\"]}}\nreleasing:\n- {namespace: metal3, name: h2, role: Worker}\n",
		"hosts:\n- {namespace: metal3, name: h1, role: Worker}\n- {namespace: metal3, name: h1, role: ControlPlane, standby: true}\n",
		"hosts:\n- {namespace: metal3, name: h1, role: Worker, pending: true}\nreleasing:\n- {namespace: metal3, name: h1, role: Worker}\n",
		"hosts: &a []\nreleasing: *a\n", "hosts: null\nhots: []\n",
		"hosts:\n- {namespace: \"\", name: ../x, role: \"\\u001b[31m\"}\n",
	} {
		f.Add([]byte(head + rest))
	}
	hosts := []inventory.Host{{Namespace: "metal3", Name: "h1", UID: "u1", Labels: map[string]string{"rack": "r1"}},
		{Namespace: "metal3", Name: "h2", UID: "u2"}}
	keys := site.Spec.LabelKeys
	options := schedule.Options{Keys: schedule.LabelKeys{ClusterNamespace: keys.ClusterNamespace,
		ClusterName: keys.ClusterName, NodeType: keys.NodeType, Standby: keys.Standby}}
	f.Fuzz(func(t *testing.T, text []byte) {
		read := func(text []byte) (schedule.Previous, error) {
			return Read("tree", map[string][]byte{path: text},
				site)
		}
		previous, err := read(text)
		if err == nil && !bytes.Contains(text, []byte("digest")) {
			t.Fatalf("%q is taken without a digest", text)
		}
		// Sealed as sipgen does, so that more than the digest is looked at.
		var file File
		if err != nil && yaml.Unmarshal(text, &file) == nil {
			file.Site = conditionsOf(site)
			var sealErr error
			if file.Digest, sealErr = file.digest(); sealErr != nil {
				return
			}
			if text, sealErr = yaml.Marshal(file); sealErr != nil {
				return
			}
			previous, err = read(text)
		}
		if err != nil {
			return
		}
		for _, claim := range previous.Claims {
			assert.Equal(t, (schedule.ClusterKey{Namespace: "lab", Name: "a"}), claim.Cluster, text)
		}
		placement, err := schedule.Plan(nil, hosts, previous, options)
		if err != nil {
			return
		}
		held := map[string]bool{}
		for _, cluster := range placement.Clusters {
			for _, role := range cluster.Roles {
				for _, assigned := range role.Assigned {
					assert.Truef(t, !held[assigned.Host.Key()], "host %s is held twice after %q", assigned.Host.Key(),
						text)
					held[assigned.Host.Key()] = true
				}
			}
		}
	})
}
