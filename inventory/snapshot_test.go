package inventory

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/manifest"
)

// managed is a host with the managedFields of everyone who may have touched it.
const managed = `
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  namespace: metal
  name: n1
  labels: {rack: r1, sip.airshipit.org/cluster-name: edge-a}
  annotations: {sip.airshipit.org/address.oam: 192.0.2.7, sip.airshipit.org/lint-ignore: "SIP013: no rack", argocd.argoproj.io/tracking-id: "x:y"}
  managedFields:
  - {manager: kustomize-controller, operation: Apply, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1, fieldsV1: {"f:metadata": {"f:labels": {"f:sip.airshipit.org/node-type": {}, "f:sip.airshipit.org/cluster-name": {}}, "f:annotations": {"f:b": {}, "f:a": {}}}}}
  - {manager: people, operation: Update, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1, fieldsV1: {"f:metadata": {"f:annotations": {".": {}}}, "f:spec": {"f:online": {}}}}
  - {manager: whole, operation: Update, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {}}}
  - {manager: baremetal-operator, operation: Update, subresource: status, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1, fieldsV1: {"f:status": {"f:spec": {}}}}
  - {manager: nonsense, operation: Update, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1, fieldsV1: [1]}
  - {manager: empty, operation: Update, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1}
spec: {online: true}
`

func TestManagers(t *testing.T) {
	hosts, err := fromText(managed)
	if err != nil {
		t.Fatal(err)
	}
	want := []Manager{
		{Name: "kustomize-controller", Operation: "Apply", Labels: []string{"sip.airshipit.org/cluster-name", "sip.airshipit.org/node-type"}, Annotations: []string{"a", "b"}},
		{Name: "people", Operation: "Update", OwnsSpec: true},
		{Name: "whole", Operation: "Update", OwnsSpec: true},
		// A field named spec somewhere else is not the spec.
		{Name: "baremetal-operator", Operation: "Update", Subresource: "status"},
		// What cannot be read is taken to own the spec.
		{Name: "nonsense", Operation: "Update", OwnsSpec: true},
		{Name: "empty", Operation: "Update", OwnsSpec: true},
	}
	if !reflect.DeepEqual(hosts[0].Managers, want) {
		t.Errorf("got  %+v\nwant %+v", hosts[0].Managers, want)
	}
}

// TestSnapshot: what is written is read to the same hosts, in the same bytes whatever the order was, and without a secret.
func TestSnapshot(t *testing.T) {
	text := managed + "---\n" + hostYAML("n0", "", namesOther+"  bmc: {address: 'redfish://root:"+marker+"@198.51.100.1', credentialsName: n0-bmc}\n  bootMACAddress: \"00:11:22:33:44:aa\"\n") +
		secretYAML("other", "n1-net", stringData("networkData", bothYAML)) + secretYAML("metal", "n0-bmc", stringData("username", marker)) +
		hostYAML("a0", "", "  networkData: {name: none}\n")
	inv, err := Load([]string{"-"}, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	inv.Hosts[1].Managers = []Manager{} // known, and none
	if n0, n1 := inv.Hosts[1], inv.Hosts[2]; n0.BootMAC != "00:11:22:33:44:aa" || n1.LintIgnore != "SIP013: no rack" {
		t.Errorf("boot MAC %q, lint-ignore %q", n0.BootMAC, n1.LintIgnore)
	}
	inv.TakenAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var first bytes.Buffer
	if err := WriteSnapshot(&first, inv); err != nil {
		t.Fatal(err)
	}
	noMarker(t, first.String())
	read, err := Load([]string{"-"}, bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range read.Hosts {
		read.Hosts[i].Source = inv.Hosts[i].Source
	}
	inv.Secrets = nil // a snapshot knows of none
	if !reflect.DeepEqual(read, inv) {
		t.Errorf("read    %+v\nwritten %+v", read, inv)
	}
	slices.Reverse(inv.Hosts)
	var second bytes.Buffer
	if err := WriteSnapshot(&second, inv); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() {
		t.Errorf("other bytes for the same hosts:\n%s\n%s", &first, &second)
	}
}

func TestBadSnapshots(t *testing.T) {
	snapshot := "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: InventorySnapshot\ntakenAt: null\ncontext: x\ncount: 1\nhosts:\n"
	for _, row := range []struct{ why, text, want string }{
		{"a host twice", strings.Replace(snapshot, "1\nhosts", "2\nhosts", 1) + "- {namespace: a, name: b}\n- {namespace: a, name: b}\n", "host a/b stands in it twice"},
		{"a name that climbs out", snapshot + "- {namespace: a, name: ../b}\n", `found "../b"`},
		{"a field of a newer one", snapshot + "- {namespace: a, name: b, state: {prvisioning: x}}\n", `did you mean "provisioning"?`},
		{"another version", strings.Replace(snapshot, "v1alpha1", "v9", 1) + "- {namespace: a, name: b}\n", `found "sipgen.airshipit.org/v9", want sipgen.airshipit.org/v1alpha1`},
		{"a host beside it", snapshot + "- {namespace: a, name: b}\n---\n" + managed, "a snapshot beside other documents"},
		{"one that is cut off is YAML too", strings.Replace(snapshot, "1\nhosts", "2\nhosts", 1) + "- {namespace: a, name: b}\n", "found 1 hosts, and not as many announced"},
		{"cut off before the hosts", "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: InventorySnapshot\n", "found 0 hosts"},
	} {
		if _, err := Load([]string{"-"}, strings.NewReader(row.text)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %s", row.why, err, row.want)
		}
	}
}

// write makes a folder of files.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestKustomization: a folder with a kustomization is what kustomize builds from it, not the files that lie in it.
func TestKustomization(t *testing.T) {
	dir := write(t, map[string]string{
		"site/kustomization.yaml":  "resources: [../base]\nnamePrefix: r1-\npatches:\n- target: {kind: BareMetalHost}\n  patch: |\n    - {op: add, path: /metadata/labels, value: {rack: r1}}\n",
		"site/stray.yaml":          hostYAML("stray", "", ""),
		"base/kustomization.yaml":  "resources: [hosts.yaml]\nsecretGenerator:\n- name: n1-net\n  namespace: metal\n  files: [networkData=net.yaml]\n  options: {disableNameSuffixHash: true}\n",
		"base/hosts.yaml":          hostYAML("n1", "", ""),
		"base/net.yaml":            bothYAML,
		"broken/kustomization.yml": "resources: [none.yaml]\n",
		"plain/n2.yaml":            hostYAML("n2", "", ""),
	})
	inv, err := Load([]string{filepath.Join(dir, "site"), filepath.Join(dir, "plain")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(inv.Hosts) != 2 || inv.Hosts[0].Name != "n2" || inv.Hosts[1].Name != "r1-n1" || inv.Hosts[1].Labels["rack"] != "r1" {
		t.Errorf("got %+v", inv.Hosts)
	}
	if want := filepath.ToSlash(filepath.Join(dir, "site")); !strings.HasPrefix(inv.Hosts[1].Source, want+": document ") {
		t.Errorf("source %q", inv.Hosts[1].Source)
	}
	if _, err := Load([]string{filepath.Join(dir, "broken")}, nil); err == nil || !strings.Contains(err.Error(), "broken: kustomize: ") {
		t.Errorf("a kustomization that does not build: %v", err)
	}
}

// TestKustomizationKeepsSecrets: kustomize's own messages may hold what a file holds.
func TestKustomizationKeepsSecrets(t *testing.T) {
	for why, files := range map[string]map[string]string{
		"a broken Secret":     {"kustomization.yaml": "resources: [s.yaml]\n", "s.yaml": "kind: Secret\nstringData: {password: *" + marker + "}\n"},
		"a Secret of no kind": {"kustomization.yaml": "resources: [s.yaml]\n", "s.yaml": "stringData: {password: " + marker + "}\n"},
		"a literal":           {"kustomization.yaml": "secretGenerator:\n- name: x\n  literals: [" + marker + "]\n"},
		"a remote base":       {"kustomization.yaml": "resources: ['https://root:" + marker + "@127.0.0.1:1/x']\n"},
	} {
		_, err := Load([]string{write(t, files)}, nil)
		if err == nil {
			t.Errorf("%s: no error", why)
			continue
		}
		noMarker(t, err.Error())
	}
}

func TestOrderDoesNotMatter(t *testing.T) {
	parts := []string{managed + "---\n", hostYAML("n0", "", namesSecret), secretYAML("metal", "n1-net", stringData("networkData", bothYAML)), hostYAML("a0", "", "")}
	var want []Host
	for range parts {
		parts = append(parts[1:], parts[0])
		hosts, err := fromText(strings.Join(parts, ""))
		if err != nil {
			t.Fatal(err)
		}
		for i := range hosts {
			hosts[i].Source = ""
		}
		if want == nil {
			want = hosts
		}
		if !reflect.DeepEqual(hosts, want) {
			t.Errorf("got  %+v\nwant %+v", hosts, want)
		}
	}
}

func FuzzNetworkData(f *testing.F) {
	for _, seed := range []string{bothYAML, bothJSON, "networks: [{id: a, type: ipv6_static, ip_address: '::1/64'}]", "[", "networks: {}", "networks: [{id: '', type: ipv4}]", "&a [*a]", "null", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		host := Host{Namespace: "a", Name: "b"}
		secret, err := json.Marshal(map[string]any{"stringData": map[string]string{"networkData": text}})
		if err != nil {
			t.Fatal(err)
		}
		reader := addressReader{host: &host, settled: map[string]AddressOrigin{}}
		reader.secret(objects{secrets: map[string]*manifest.Document{"a/net": {File: "f", JSON: secret}}}, networkDataRef{"a", "net", FromNetworkData})
		for _, a := range host.Addresses {
			if NoHostAddress(a.IP) != "" || a.Network == "" {
				t.Errorf("%q gave %+v", text, a)
			}
		}
		if len(host.Addresses)+len(host.AddressProblems) == 0 {
			t.Errorf("%q: neither an address nor a word why", text)
		}
	})
}

func FuzzWithoutUser(f *testing.F) {
	for _, seed := range []string{"redfish://root:x@h/p", "ipmi://h", "@", "a@b@c", "://@", "x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		got := withoutUser(address)
		if strings.Contains(got, "@") || !strings.Contains(address, "@") && got != address || withoutUser(got) != got {
			t.Errorf("%q gave %q", address, got)
		}
	})
}
