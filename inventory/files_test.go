package inventory

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/manifest"
)

// marker is a secret value: it stands in every Secret of these tests, and nowhere in what comes out.
const marker = "hunter2-marker"

// hostYAML is a host that names its network data, with lines of spec or metadata to add.
func hostYAML(name, metadata, spec string) string {
	return fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata:\n  namespace: metal\n  name: %s\n%sspec:\n  online: true\n%s---\n", name, metadata, spec)
}

const (
	namesSecret = "  networkData: {name: n1-net}\n"
	namesOther  = "  networkData: {name: n1-net, namespace: other}\n"
)

// secretYAML is a network data Secret with a marker beside the field.
func secretYAML(namespace, name, fields string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {namespace: %s, name: %s}\n%s---\n", namespace, name, fields)
}

func stringData(key, text string) string {
	indented := strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
	return fmt.Sprintf("stringData:\n  password: %s\n  %s: |\n    %s\n", marker, key, indented)
}

const (
	bothYAML = "links: [{id: oam, note: " + marker + "}]\nnetworks:\n- {id: oam4, type: ipv4, ip_address: 192.0.2.7, netmask: 255.255.255.0, password: " + marker + "}\n- {id: oam6, type: ipv6, ip_address: '2001:db8::7/64'}\n"
	bothJSON = `{"networks":[{"id":"oam4","type":"ipv4","ip_address":"192.0.2.7/24"},{"id":"oam6","type":"ipv6","ip_address":"2001:db8::7","netmask":"ffff:ffff:ffff:ffff::"}],"x":"` + marker + `"}`
	both64   = "bmV0d29ya3M6Ci0ge2lkOiBvYW00LCB0eXBlOiBpcHY0LCBpcF9hZGRyZXNzOiAxOTIuMC4yLjd9Ci0ge2lkOiBvYW02LCB0eXBlOiBpcHY2LCBpcF9hZGRyZXNzOiAiMjAwMTpkYjg6OjcifQo="
)

func fromText(text string) ([]Host, error) {
	docs, err := manifest.Parse("hosts.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	return FromDocuments(docs)
}

// addressesOf writes a host's addresses as "network=address (origin)".
func addressesOf(h *Host) []string {
	var out []string
	for _, a := range h.Addresses {
		out = append(out, fmt.Sprintf("%s=%s (%s)", a.Network, a.IP, a.Origin))
	}
	return out
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
		{"YAML with netmask and with a prefix", hostYAML("n1", "", namesSecret) + secretYAML("metal", "n1-net", stringData("networkData", bothYAML)), fromNet, ""},
		{"JSON, prefix and netmask the other way round", hostYAML("n1", "", namesSecret) + secretYAML("metal", "n1-net", stringData("networkData", bothJSON)), fromNet, ""},
		{"the other key that metal3 reads", hostYAML("n1", "", namesSecret) + secretYAML("metal", "n1-net", stringData("value", bothYAML)), fromNet, ""},
		{"data is base64, as the API server gives it", hostYAML("n1", "", namesSecret) + secretYAML("metal", "n1-net", "data: {networkData: "+both64+"}\n"), fromNet, ""},
		{"stringData wins over data, as in the API server", hostYAML("n1", "", namesSecret) + secretYAML("metal", "n1-net", stringData("networkData", bothYAML)+"data: {networkData: '%%%'}\n"), fromNet, ""},
		{"networkData wins over value", hostYAML("n1", "", namesSecret) + secretYAML("metal", "n1-net", stringData("networkData", bothYAML)+"  value: nonsense\n"), fromNet, ""},
		{"the Secret may stand before the host", secretYAML("metal", "n1-net", stringData("networkData", bothYAML)) + hostYAML("n1", "", namesSecret), fromNet, ""},
		{"a Secret in another namespace", hostYAML("n1", "", namesOther) + secretYAML("other", "n1-net", stringData("networkData", bothYAML)), fromNet, ""},
		{"the same name in the host's own namespace is another Secret", hostYAML("n1", "", namesOther) + secretYAML("metal", "n1-net", stringData("networkData", bothYAML)), nil, "Secret other/n1-net is not in the inventory"},
		{"no Secret", hostYAML("n1", "", namesSecret), nil, "Secret metal/n1-net is not in the inventory"},
		{"dhcp has no address to know", hostYAML("n1", "", namesSecret) + secretYAML("metal", "n1-net", stringData("networkData", "networks: [{id: a, type: ipv4_dhcp}, {id: b, type: ipv6_slaac}]")), nil, ""},
		{"both families on one network", hostYAML("n1", "", namesSecret) + secretYAML("metal", "n1-net", stringData("networkData", `networks: [{id: a, type: ipv6, ip_address: "2001:db8::1"}, {id: a, type: ipv4, ip_address: 192.0.2.1}]`)), []string{"a=2001:db8::1 (networkData)", "a=192.0.2.1 (networkData)"}, ""},
		{"preprovisioning network data", hostYAML("n1", "", "  preprovisioningNetworkDataName: pre\n") + secretYAML("metal", "pre", stringData("networkData", "networks: [{id: a, type: ipv4, ip_address: 192.0.2.1}]")), []string{"a=192.0.2.1 (preprovisioningNetworkData)"}, ""},
		{
			"network data before preprovisioning, per network",
			hostYAML("n1", "", namesSecret+"  preprovisioningNetworkDataName: pre\n") + secretYAML("metal", "n1-net", stringData("networkData", bothYAML)) +
				secretYAML("metal", "pre", stringData("networkData", "networks: [{id: oam4, type: ipv4, ip_address: 203.0.113.1}, {id: a, type: ipv4, ip_address: 192.0.2.1}]")),
			append(slices.Clone(fromNet), "a=192.0.2.1 (preprovisioningNetworkData)"), "",
		},
		{"inspected NICs, said to be maybe a lease", strings.Replace(hostYAML("n1", "", ""), "---\n", nic, 1), []string{"oam4=192.0.2.99 (hardware)", "eno2=198.51.100.9 (hardware)"}, "may be a provisioning-time lease"},
		{
			"HardwareData before status.hardware",
			strings.Replace(hostYAML("n1", "", ""), "---\n", nic, 1) + "---\napiVersion: metal3.io/v1alpha1\nkind: HardwareData\nmetadata: {namespace: metal, name: n1}\nspec: {hardware: {nics: [{name: eno9, ip: 198.51.100.10}]}}\n",
			[]string{"eno9=198.51.100.10 (hardware)"}, "may be a provisioning-time lease",
		},
		{"an annotation", hostYAML("n1", "  annotations: {sip.airshipit.org/address.oam4: '192.0.2.7, 2001:db8::7/64'}\n", ""), []string{"oam4=192.0.2.7 (annotation)", "oam4=2001:db8::7 (annotation)"}, ""},
		{
			"the annotation is the strongest of all",
			strings.Replace(hostYAML("n1", "  annotations: {sip.airshipit.org/address.oam4: 203.0.113.1, sip.airshipit.org/address.eno2: 203.0.113.2, sip.airshipit.org/address.z: 203.0.113.3}\n", namesSecret), "---\n", nic+"---\n", 1) +
				secretYAML("metal", "n1-net", stringData("networkData", bothYAML)),
			[]string{"eno2=203.0.113.2 (annotation)", "oam4=203.0.113.1 (annotation)", "z=203.0.113.3 (annotation)", "oam6=2001:db8::7 (networkData)"}, "",
		},
	} {
		t.Run(row.why, func(t *testing.T) {
			hosts, err := fromText(row.text)
			if err != nil || len(hosts) != 1 {
				t.Fatalf("%d hosts, %v", len(hosts), err)
			}
			if got := addressesOf(&hosts[0]); !slices.Equal(got, row.want) {
				t.Errorf("got %v\nwant %v", got, row.want)
			}
			if got := strings.Join(hosts[0].Warnings, "; "); (row.warning == "") != (got == "") || !strings.Contains(got, row.warning) {
				t.Errorf("warnings %q, want %q", got, row.warning)
			}
			noMarker(t, fmt.Sprintf("%+v", hosts[0]))
		})
	}
}

func noMarker(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, marker) {
		t.Errorf("the secret came out: %s", text)
	}
}

// TestBadHosts wants messages that name the place and the field and never what stands in a Secret.
func TestBadHosts(t *testing.T) {
	for _, row := range []struct {
		why, text string
		want      []string
	}{
		{"a host twice, both places", hostYAML("n1", "", "") + hostYAML("n2", "", "") + hostYAML("n1", "", ""), []string{"hosts.yaml: document 3: line 21: metadata.name: host metal/n1 stands here again, first at hosts.yaml: document 1: line 1"}},
		{"a name that climbs out of the folder", hostYAML("../../etc/passwd", "", ""), []string{`document 1: line 5: metadata.name: found "../../etc/passwd"`}},
		{"a name with a line break", hostYAML(`"n1\nevil: true"`, "", ""), []string{"metadata.name: found"}},
		{"a name with a template in it", hostYAML(`"{{ .Secret }}"`, "", ""), []string{"metadata.name: found"}},
		{"no name", hostYAML(`""`, "", ""), []string{`metadata.name: found ""`}},
		{"a namespace with a slash", strings.Replace(hostYAML("n1", "", ""), "namespace: metal", "namespace: a/b", 1), []string{`metadata.namespace: found "a/b"`}},
		{"a label with a line break", hostYAML("n1", "  labels: {rack: \"r1\\nx: y\"}\n", ""), []string{`metadata.labels[rack]: found a value of 7 characters (not shown), want at most 63 letters`}},
		{"a label key that is a path", hostYAML("n1", "  labels: {../x: z}\n", ""), []string{`"../x" is no valid label`}},
		{"a wrong type", hostYAML("n1", "", "  bmc: "+marker+"\n"), []string{"spec.bmc: found a string, want"}},
	} {
		t.Run(row.why, func(t *testing.T) {
			_, err := fromText(row.text)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range row.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got  %v\nwant %s", err, want)
				}
			}
			noMarker(t, err.Error())
		})
	}
}

// TestBrokenSecretFile: a file that does not parse may be a Secret, and a YAML parser quotes what it does not understand.
func TestBrokenSecretFile(t *testing.T) {
	for _, value := range []string{"*" + marker, "!!int " + marker, `"\y` + marker, "[" + marker, "@" + marker, "%" + marker, "|x" + marker, "'" + marker, "&" + marker + " *" + marker + "2", "a: " + marker + ": b", "!<" + marker, "&" + marker + " [*" + marker + "]", "\n    ~: " + marker, "\n    ? {a: " + marker + "}\n    : x"} {
		file := filepath.Join(t.TempDir(), "s.yaml")
		text := "apiVersion: v1\nkind: Secret\nmetadata: {name: n1-net}\nstringData:\n  password: " + value + "\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load([]string{file}, nil)
		if err == nil {
			t.Errorf("%s: no error", value)
			continue
		}
		noMarker(t, err.Error())
	}
}

func TestState(t *testing.T) {
	hosts, err := fromText(`
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  name: n1
  uid: 0000-1
  deletionTimestamp: "2026-01-02T03:04:05Z"
  labels: {infrastructure.cluster.x-k8s.io/node-reuse: md-0, app.kubernetes.io/instance: site}
  annotations:
    baremetalhost.metal3.io/paused: ""
    baremetalhost.metal3.io/detached: ""
    capm3.metal3.io/unhealthy: ""
    argocd.argoproj.io/tracking-id: site:metal3.io/BareMetalHost:metal/n1
    kubectl.kubernetes.io/last-applied-configuration: '{"spec":{"bmc":{"address":"redfish://root:` + marker + `@198.51.100.1"}}}'
    example.org/foreign: x
spec:
  online: true
  externallyProvisioned: true
  image: {url: http://images/x}
  bmc: {address: "redfish://root:` + marker + `@198.51.100.1/x", credentialsName: n1-bmc, disableCertificateVerification: true}
  consumerRef: {apiVersion: v1beta1, kind: Metal3Machine, namespace: t, name: m}
status:
  operationalStatus: error
  errorType: power management error
  errorMessage: no answer
  provisioning: {state: provisioned}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := Host{
		Namespace: "default", Name: "n1", UID: "0000-1",
		Labels: map[string]string{"infrastructure.cluster.x-k8s.io/node-reuse": "md-0", "app.kubernetes.io/instance": "site"},
		BMC:    BMC{Address: "redfish://198.51.100.1/x", CredentialsName: "n1-bmc", InsecureTLS: true},
		State: State{
			Known: true, Provisioning: "provisioned", Operational: "error", ErrorType: "power management error", ErrorMessage: "no answer",
			Consumer: &Consumer{APIVersion: "v1beta1", Kind: "Metal3Machine", Namespace: "t", Name: "m"},
			Paused:   true, Detached: true, Unhealthy: true, NodeReuse: "md-0", Deleting: true, Online: true, ExternallyProvisioned: true, Image: true,
		},
		Engine: map[string]string{
			"app.kubernetes.io/instance": "site", "argocd.argoproj.io/tracking-id": "site:metal3.io/BareMetalHost:metal/n1",
			// Its content is a whole object, credentials and all: only that it is there.
			"kubectl.kubernetes.io/last-applied-configuration": "present",
		},
		Source: "hosts.yaml: document 1: line 2",
	}
	hosts[0].Source = strings.Replace(hosts[0].Source, "line 1", "line 2", 1)
	if !reflect.DeepEqual(hosts[0], want) {
		t.Errorf("got  %+v\nwant %+v", hosts[0], want)
	}
}

func TestOtherKindsAreLeftAlone(t *testing.T) {
	hosts, err := fromText("apiVersion: example.org/v1\nkind: BareMetalHost\nmetadata: {name: x}\n---\napiVersion: v1\nkind: ConfigMap\n---\n" + hostYAML("n1", "", ""))
	if err != nil || len(hosts) != 1 || hosts[0].Key() != "metal/n1" {
		t.Errorf("got %v, %v", hosts, err)
	}
	if _, err := Load([]string{"-"}, strings.NewReader("apiVersion: v1\nkind: ConfigMap\n")); err == nil || !strings.Contains(err.Error(), "no BareMetalHost") {
		t.Errorf("files without a host: %v", err)
	}
}

func TestWithoutUser(t *testing.T) {
	for _, row := range []struct{ why, address, want string }{
		{"nothing to take out", "redfish://198.51.100.1/redfish/v1/Systems/1", "redfish://198.51.100.1/redfish/v1/Systems/1"},
		{"a user and a password", "redfish://root:" + marker + "@198.51.100.1/x", "redfish://198.51.100.1/x"},
		{"an @ in the password", "ipmi://root:" + marker + "@x@198.51.100.1:623", "ipmi://198.51.100.1:623"},
		{"not a URL for the @ in it", "ipmi://root:" + marker + "%zz@198.51.100.1", "ipmi://198.51.100.1"},
		{"metal3 takes addresses without a scheme", "198.51.100.1:623", "198.51.100.1:623"},
		{"and there too a user may stand", "root:" + marker + "@198.51.100.1", "198.51.100.1"},
		{"an opaque one", "ipmi:root:" + marker + "@198.51.100.1", "198.51.100.1"},
		{"a slash in the password, which a parser of URLs takes for a path", "redfish://root:12/" + marker + "@198.51.100.1/x", "redfish://198.51.100.1/x"},
		{"a scheme within the password", "root:" + marker + "://x@198.51.100.1", "198.51.100.1"},
	} {
		if got := withoutUser(row.address); got != row.want {
			t.Errorf("%s: got %q, want %q", row.why, got, row.want)
		}
	}
}
