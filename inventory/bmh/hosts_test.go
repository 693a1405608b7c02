package bmh

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/inventorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func fromText(text string) ([]inventory.Host, error) {
	docs, err := manifest.Parse("hosts.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	hosts, leftOut := FromDocuments(docs)
	if len(leftOut) > 0 {
		return hosts, fmt.Errorf("left out: %v", leftOut)
	}
	return hosts, nil
}

func TestAddresses(t *testing.T) {
	var (
		fromNet = []string{"oam4=192.0.2.7 (networkData)", "oam6=2001:db8::7 (networkData)"}
		nic     = "status:\n  hardware: {nics: [{name: oam4, ip: 192.0.2.99}, {name: eno2, ip: 198.51.100.9}, {name: eno3}]}\n"
	)
	for _, row := range []struct {
		why, text string
		want      []string
		warning   string
	}{
		{"YAML with netmask and with a prefix",
			inventorytest.HostYAML("n1", "", inventorytest.NamesSecret) + inventorytest.SecretYAML("metal", "n1-net",
				inventorytest.StringData("networkData", inventorytest.BothYAML)), fromNet, ""},
		{"JSON, prefix and netmask the other way round",
			inventorytest.HostYAML("n1", "", inventorytest.NamesSecret) + inventorytest.SecretYAML("metal", "n1-net",
				inventorytest.StringData("networkData", inventorytest.BothJSON)), fromNet, ""},
		{"the other key that metal3 reads",
			inventorytest.HostYAML("n1", "", inventorytest.NamesSecret) + inventorytest.SecretYAML("metal", "n1-net",
				inventorytest.StringData("value", inventorytest.BothYAML)), fromNet, ""},
		{"data is base64, as the API server gives it",
			inventorytest.HostYAML("n1", "", inventorytest.NamesSecret) + inventorytest.SecretYAML("metal", "n1-net",
				"data: {networkData: "+inventorytest.Both64+"}\n"), fromNet, ""},
		{"stringData wins over data, as in the API server",
			inventorytest.HostYAML("n1", "", inventorytest.NamesSecret) + inventorytest.SecretYAML("metal", "n1-net",
				inventorytest.StringData("networkData", inventorytest.BothYAML)+"data: {networkData: '%%%'}\n"),
			fromNet, ""},
		{"a Secret in another namespace",
			inventorytest.HostYAML("n1", "", inventorytest.NamesOther) + inventorytest.SecretYAML("other", "n1-net",
				inventorytest.StringData("networkData", inventorytest.BothYAML)), nil, ""},
		{"the same name in the host's own namespace is another Secret",
			inventorytest.HostYAML("n1", "", inventorytest.NamesOther) + inventorytest.SecretYAML("metal", "n1-net",
				inventorytest.StringData("networkData", inventorytest.BothYAML)), nil, ""},
		{"a Secret in another namespace, and inspection: the host is installed with neither",
			strings.Replace(inventorytest.HostYAML("n1", "", inventorytest.NamesOther), "---\n", nic, 1), nil, ""},
		{"no Secret", inventorytest.HostYAML("n1", "", inventorytest.NamesSecret), nil,
			"Secret metal/n1-net is not in the inventory"},
		{"dhcp has no address to know", inventorytest.HostYAML("n1", "",
			inventorytest.NamesSecret) + inventorytest.SecretYAML("metal", "n1-net",
			inventorytest.StringData("networkData", "networks: [{id: a, type: ipv4_dhcp}, {id: b, type: ipv6_slaac}]")),
			nil, ""},
		{"both families on one network",
			inventorytest.HostYAML("n1", "", inventorytest.NamesSecret) + inventorytest.SecretYAML("metal", "n1-net",
				inventorytest.StringData("networkData",
					`networks: [{id: a, type: ipv6, ip_address: "2001:db8::1"}, {id: a, type: ipv4, ip_address: 192.0.2.1}]`)), []string{"a=2001:db8::1 (networkData)", "a=192.0.2.1 (networkData)"}, ""},
		{"preprovisioning network data",
			inventorytest.HostYAML("n1", "",
				"  preprovisioningNetworkDataName: pre\n") + inventorytest.SecretYAML("metal", "pre",
				inventorytest.StringData("networkData", "networks: [{id: a, type: ipv4, ip_address: 192.0.2.1}]")),
			[]string{"a=192.0.2.1 (preprovisioningNetworkData)"}, ""},
		{"network data before preprovisioning, per network",
			inventorytest.HostYAML("n1", "",
				inventorytest.NamesSecret+"  preprovisioningNetworkDataName: pre\n") + inventorytest.SecretYAML("metal",
				"n1-net", inventorytest.StringData("networkData", inventorytest.BothYAML)) +
				inventorytest.SecretYAML("metal", "pre",
					inventorytest.StringData("networkData",
						"networks: [{id: oam4, type: ipv4, ip_address: 203.0.113.1}, {id: a, type: ipv4, ip_address: 192.0.2.1}]")),
			append(slices.Clone(fromNet), "a=192.0.2.1 (preprovisioningNetworkData)"), ""},
		{"inspected NICs, said to be maybe a lease",
			strings.Replace(inventorytest.HostYAML("n1", "", ""), "---\n", nic, 1),
			[]string{"oam4=192.0.2.99 (hardware)", "eno2=198.51.100.9 (hardware)"}, "may be a provisioning-time lease"},
		{"HardwareData before status.hardware",
			strings.Replace(inventorytest.HostYAML("n1", "", ""), "---\n", nic,
				1) + "---\napiVersion: metal3.io/v1alpha1\nkind: HardwareData\nmetadata: {namespace: metal, name: n1}\nspec: {hardware: {nics: [{name: eno9, ip: 198.51.100.10}]}}\n",
			[]string{"eno9=198.51.100.10 (hardware)"}, "may be a provisioning-time lease"},
		{"an annotation", inventorytest.HostYAML("n1",
			"  annotations: {sip.airshipit.org/address.oam4: '192.0.2.7, 2001:db8::7/64'}\n", ""),
			[]string{"oam4=192.0.2.7 (annotation)", "oam4=2001:db8::7 (annotation)"}, ""},
		{"the annotation is the strongest of all",
			strings.Replace(inventorytest.HostYAML("n1",
				"  annotations: {sip.airshipit.org/address.oam4: 203.0.113.1, sip.airshipit.org/address.eno2: 203.0.113.2, sip.airshipit.org/address.z: 203.0.113.3}\n", inventorytest.NamesSecret), "---\n", nic+"---\n", 1) +
				inventorytest.SecretYAML("metal", "n1-net",
					inventorytest.StringData("networkData", inventorytest.BothYAML)),
			[]string{"eno2=203.0.113.2 (annotation)", "oam4=203.0.113.1 (annotation)", "z=203.0.113.3 (annotation)",
				"oam6=2001:db8::7 (networkData)"}, ""},
	} {
		t.Run(row.why, func(t *testing.T) {
			hosts, err := fromText(row.text)
			require.Truef(t, err == nil && len(hosts) == 1, "%d hosts, %v", len(hosts), err)
			assert.Equal(t, row.want, inventorytest.Addresses(&hosts[0]))
			if got := strings.Join(hosts[0].Warnings, "; "); (row.warning == "") != (got == "") ||
				!strings.Contains(got, row.warning) {
				t.Errorf("warnings %q, want %q", got, row.warning)
			}
			inventorytest.NoMarker(t, fmt.Sprintf("%+v", hosts[0]))
		})
	}
}

// token is one of GitHub's, by its form.
const token = "gh" + "p_Zt7Kw2Qp9Xv4Lm8Rb3Nd6Hs1Jc5Gf0Yau7"

// TestBadHosts wants the fault with the host, in words that name the field and never say what stands in a Secret, and
// the host beside it whole.
func TestBadHosts(t *testing.T) {
	twice := inventorytest.HostYAML("n1", "", "") + inventorytest.HostYAML("n2", "", "") + inventorytest.HostYAML("n1",
		"", "")
	for _, row := range []struct {
		why, text, left, fault string
		unsure                 bool
	}{
		{"a host twice", twice, "", "defined more than once", true},
		{"a name that climbs out of the folder", inventorytest.HostYAML("../../etc/passwd", "", ""),
			`hosts.yaml: document 1: line 1 metadata.name found "../../etc/passwd": a lowercase RFC 1123 subdomain`, "",
			false},
		{"a name with a line break", inventorytest.HostYAML(`"n1\nevil: true"`, "", ""), "metadata.name found", "",
			false},
		{"no name", inventorytest.HostYAML(`""`, "", ""), `metadata.name missing`, "", false},
		{"a namespace with a slash", strings.Replace(inventorytest.HostYAML("n1", "", ""), "namespace: metal",
			"namespace: a/b", 1), `metadata.namespace found "a/b"`, "", false},
		{"a label with a line break", inventorytest.HostYAML("n1", "  labels: {rack: \"r1\\nx: y\", flavor: x}\n", ""),
			"", `metadata.labels[rack]: found a value of 7 characters (not shown), want at most 63 letters`, false},
		{"a label key that is a path", inventorytest.HostYAML("n1", "  labels: {../x: z, flavor: x}\n", ""), "",
			`metadata.labels: "../x" is no valid label`, false},
		{"a label that is a token", inventorytest.HostYAML("n1", "  labels: {rack: "+token+", flavor: x}\n", ""), "",
			`metadata.labels[rack]: found an access token of GitHub (not shown), want no secret in a label`, false},
		{"a label key that is a token", inventorytest.HostYAML("n1", "  labels: {"+token+": r1, flavor: x}\n", ""), "",
			`metadata.labels: found an access token of GitHub (not shown)`, false},
		{"a uid that is a token", inventorytest.HostYAML("n1", "  uid: "+token+"\n", ""), "",
			`metadata.uid: found an access token of GitHub (not shown), want the uid that the API server gave it`,
			true},
		{"a label that is a number", inventorytest.HostYAML("n1", "  labels: {rack: 1}\n", ""), "",
			`metadata.labels.rack: found a whole number, want a string`, true},
		{"a name that no file can have", inventorytest.HostYAML("n1"+strings.Repeat("x", 243), "", ""), "",
			"found 250 characters in namespace and name, want at most 249", false},
		{"a field twice, in JSON", `{"apiVersion": "metal3.io/v1alpha1", "kind": "BareMetalHost", "metadata": ` +
			`{"namespace": "metal", "name": "n1"}, "spec": {"consumerRef": {"name": "m"}, "consumerRef": null}}` + "\n---\n",
			"", "spec.consumerRef: given twice", true},
		{"a wrong type", inventorytest.HostYAML("n1", "", "  bmc: "+inventorytest.Marker+"\n"), "",
			"spec.bmc: found a string, want", true},
	} {
		t.Run(row.why, func(t *testing.T) {
			docs := need.Value(manifest.Parse("hosts.yaml", []byte(row.text+inventorytest.HostYAML("n9", "", ""))))(t)
			hosts, left := FromDocuments(docs)
			whole := &hosts[len(hosts)-1]
			assert.Truef(t, whole.Name == "n9" && len(whole.Faults) == 0, "the host beside it: %+v", whole)
			got := ""
			for _, l := range left {
				got += l.Source.String() + " " + l.Field + " " + l.Text
			}
			assert.Truef(t, strings.Contains(got, row.left) && (row.left == "") == (got == ""), "left out %q, want %q",
				got, row.left)
			assert.NotContains(t, fmt.Sprintf("%+v", hosts), token, "the token is still there")
			inventorytest.NoMarker(t, fmt.Sprintf("%+v %+v", hosts, left))
			if row.fault == "" {
				assert.Equal(t, 1, len(hosts))
				return
			}
			host := &hosts[0]
			assert.Truef(t,
				strings.HasPrefix(host.Name, "n1") && len(host.Faults) == 1 &&
					strings.HasPrefix(host.Faults[0].String(), row.fault) && host.Unsure() == row.unsure,
				"host %+v", host)
			if host.Faults[0].Kind == inventory.FaultLabel && (len(host.Labels) != 1 || host.Labels["flavor"] != "x") {
				t.Errorf("labels %q, want the good one", host.Labels)
			}
			if row.text == twice && host.Faults[0].Other.String() != "hosts.yaml: document 3: line 17" {
				t.Errorf("the other is at %q", host.Faults[0].Other)
			}
		})
	}
}

// TestImageName: enough to tell one image from another, and no secret. e2e's TestMovedHosts has the API server agree.
func TestImageName(t *testing.T) {
	for _, row := range []struct{ why, spec, want string }{
		{"no image", "{}", ""},
		{"user, port and query may be secrets or change",
			"{image: {url: \"https://u:" + inventorytest.Marker + "@images.example:8443/a/b.qcow2?token=" +
				inventorytest.Marker + "\"}}", "image/images.example/a/b.qcow2"},
		{"no URL", "{image: {url: node.qcow2}}", "image/"},
		{"an image without a URL, which metal3 takes for none", "{image: {url: \"\"}}", ""},
		{"such an image, and a method", "{image: {url: \"\"}, customDeploy: {method: install_coreos}}",
			"customDeploy/install_coreos"},
		{"a method", "{customDeploy: {method: install_coreos}}", "customDeploy/install_coreos"},
	} {
		hosts, err := fromText("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {name: n1}\nspec: " +
			row.spec + "\n")
		require.NoError(t, err)
		if got := hosts[0].State; got.ImageName != row.want || got.Image != (row.want != "") {
			t.Errorf("%s: got %q, %t, want %q, and whether there is one", row.why, got.ImageName, got.Image, row.want)
		}
	}
}

func TestWithoutUser(t *testing.T) {
	for _, row := range []struct{ why, address, want string }{
		{"nothing to take out", "redfish://198.51.100.1/redfish/v1/Systems/1",
			"redfish://198.51.100.1/redfish/v1/Systems/1"},
		{"a user and a password", "redfish://root:" + inventorytest.Marker + "@198.51.100.1/x",
			"redfish://198.51.100.1/x"},
		{"an @ in the password", "ipmi://root:" + inventorytest.Marker + "@x@198.51.100.1:623",
			"ipmi://198.51.100.1:623"},
		{"not a URL for the @ in it", "ipmi://root:" + inventorytest.Marker + "%zz@198.51.100.1",
			"ipmi://198.51.100.1"},
		{"metal3 takes addresses without a scheme", "198.51.100.1:623", "198.51.100.1:623"},
		{"and there too a user may stand", "root:" + inventorytest.Marker + "@198.51.100.1", "198.51.100.1"},
		{"an opaque one", "ipmi:root:" + inventorytest.Marker + "@198.51.100.1", "198.51.100.1"},
		{"a slash in the password, which a parser of URLs takes for a path",
			"redfish://root:12/" + inventorytest.Marker + "@198.51.100.1/x", "redfish://198.51.100.1/x"},
		{"a scheme within the password", "root:" + inventorytest.Marker + "://x@198.51.100.1", "198.51.100.1"},
	} {
		assert.Equal(t, row.want, WithoutUser(row.address), row.why)
	}
}

func TestManagers(t *testing.T) {
	hosts := need.Value(fromText(inventorytest.Managed))(t)
	want := []inventory.Manager{
		{Name: "kustomize-controller", Operation: "Apply",
			Labels:      []string{"sip.airshipit.org/cluster-name", "sip.airshipit.org/node-type"},
			Annotations: []string{"a", "b"}, Metadata: []string{"finalizers", "ownerReferences"}},
		{Name: "people", Operation: "Update", OwnsSpec: true},
		{Name: "whole", Operation: "Update", OwnsSpec: true},
		// A field named spec somewhere else is not the spec.
		{Name: "baremetal-operator", Operation: "Update", Subresource: "status"},
		// What cannot be read is taken to own the spec.
		{Name: "nonsense", Operation: "Update", OwnsSpec: true},
		{Name: "empty", Operation: "Update", OwnsSpec: true},
	}
	assert.Equal(t, want, hosts[0].Managers)
}

func FuzzNetworkData(f *testing.F) {
	for _, seed := range []string{inventorytest.BothYAML, inventorytest.BothJSON,
		"networks: [{id: a, type: ipv6_static, ip_address: '::1/64'}]", "[", "networks: {}",
		"networks: [{id: '', type: ipv4}]", "&a [*a]", "null", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		host := inventory.Host{Namespace: "a", Name: "b"}
		secret := need.Value(json.Marshal(map[string]any{"stringData": map[string]string{"networkData": text}}))(t)
		reader := addressReader{host: &host, settled: map[string]inventory.AddressOrigin{}}
		reader.secret(Related{Secrets: map[string]*manifest.Document{"a/net": {File: "f", JSON: secret}}},
			SecretRef{"a", "net", inventory.FromNetworkData, false})
		for _, a := range host.Addresses {
			assert.Truef(t, inventory.NoHostAddress(a.IP) == "" && a.Network != "", "%q gave %+v", text, a)
		}
		assert.Truef(t, len(host.Addresses)+len(host.AddressProblems) != 0, "%q: neither an address nor a word why",
			text)
	})
}

func FuzzWithoutUser(f *testing.F) {
	for _, seed := range []string{"redfish://root:x@h/p", "ipmi://h", "@", "a@b@c", "://@", "x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		got := WithoutUser(address)
		if strings.Contains(got, "@") || !strings.Contains(address, "@") && got != address || WithoutUser(got) != got {
			t.Errorf("%q gave %q", address, got)
		}
	})
}

// A disk with several paths counts once, volumes of one controller each, and a spec can declare the architecture.
func TestHardware(t *testing.T) {
	const disks = `{sizeBytes: 4096, wwn: "0x1"}, {sizeBytes: 4096, wwn: "0x1"}, {sizeBytes: 4096}, {sizeBytes: 4096}, ` +
		`{sizeBytes: 8192, wwn: "0x2", wwnVendorExtension: "0xa"}, {sizeBytes: 8192, wwn: "0x2", wwnVendorExtension: "0xb"}`
	of := func(spec, status string) *inventory.Hardware {
		text := "apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {name: n1}\nspec: {" + spec + "}\n"
		if status != "" {
			text += "status: {hardware: {" + status + "}}\n"
		}
		hosts, err := fromText(text)
		require.NoError(t, err)
		return hosts[0].Hardware
	}
	found := of("architecture: x86_64", "storage: ["+disks+"]")
	assert.Equal(t, []inventory.Disks{{Count: 3, Bytes: 4096}, {Count: 2, Bytes: 8192}}, found.Disks, "disks")
	assert.Equal(t, "x86_64", found.Architecture, "declared beside an inspection")
	assert.Equal(t, "aarch64", of("architecture: x86_64", "cpu: {arch: aarch64}").Architecture, "inspected")
	declared := of("architecture: aarch64", "")
	assert.Truef(t, declared.Architecture == "aarch64" && !declared.Inspected(), "found %+v", declared)
}
