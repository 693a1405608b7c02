package files

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/inventorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSnapshot: what is written is read to the same hosts, in the same bytes whatever the order was, and without a
// secret.
func TestSnapshot(t *testing.T) {
	text := inventorytest.Managed + "---\n" + inventorytest.HostYAML("n0", "",
		inventorytest.NamesOther+"  bmc: {address: 'redfish://root:"+inventorytest.Marker+
			"@198.51.100.1', credentialsName: n0-bmc}\n  bootMACAddress: \"00:11:22:33:44:aa\"\n") +
		inventorytest.SecretYAML("other", "n1-net",
			inventorytest.StringData("networkData", inventorytest.BothYAML)) + inventorytest.SecretYAML("metal",
		"n0-bmc", inventorytest.StringData("username", inventorytest.Marker)) +
		inventorytest.HostYAML("a0", "", "  networkData: {name: none}\n")
	inv := need.Value(Load([]string{"-"}, strings.NewReader(text)))(t)
	inv.Hosts[1].Managers = []inventory.Manager{} // known, and none
	if n0, n1 := inv.Hosts[1], inv.Hosts[2]; n0.BootMAC != "00:11:22:33:44:aa" || n1.LintIgnore != "SIP013: no rack" {
		t.Errorf("boot MAC %q, lint-ignore %q", n0.BootMAC, n1.LintIgnore)
	}
	inv.TakenAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var first bytes.Buffer
	require.NoError(t, WriteSnapshot(&first, inv))
	inventorytest.NoMarker(t, first.String())
	read := need.Value(Load([]string{"-"}, bytes.NewReader(first.Bytes())))(t)
	for i := range read.Hosts {
		read.Hosts[i].Source = inv.Hosts[i].Source
	}
	inv.Secrets = nil // a snapshot knows of none
	assert.Equal(t, inv, read, "read")
	slices.Reverse(inv.Hosts)
	var second bytes.Buffer
	require.NoError(t, WriteSnapshot(&second, inv))
	assert.Equal(t, second.String(), first.String(), "other bytes for the same hosts")
}

func TestBadSnapshots(t *testing.T) {
	snapshot := "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: InventorySnapshot\ntakenAt: null\ncontext: x\ncount: 1\nhosts:\n"
	for _, row := range []struct{ why, text, want string }{
		{"a field of a newer one", snapshot + "- {namespace: a, name: b, state: {prvisioning: x}}\n",
			`did you mean "provisioning"?`},
		{"another version", strings.Replace(snapshot, "v1alpha1", "v9", 1) + "- {namespace: a, name: b}\n",
			`found "sipgen.airshipit.org/v9", want sipgen.airshipit.org/v1alpha1`},
		{"a host beside it", snapshot + "- {namespace: a, name: b}\n---\n" + inventorytest.Managed,
			"a snapshot among other documents"},
		{"one that is cut off is YAML too",
			strings.Replace(snapshot, "1\nhosts", "2\nhosts", 1) + "- {namespace: a, name: b}\n",
			"the file announces 2 hosts, but has 1: it is cut off, or was edited"},
		{"cut off before the hosts", "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: InventorySnapshot\n",
			"count: missing, want the number of hosts"},
	} {
		_, err := Load([]string{"-"}, strings.NewReader(row.text))
		assert.Truef(t, err != nil && strings.Contains(err.Error(), row.want), "%s: got %v, want %s", row.why, err,
			row.want)
	}
}

// TestFaultyHostsOfSnapshots: one host's fault is that host's. A snapshot says what was wrong with the object that it
// was made from.
func TestFaultyHostsOfSnapshots(t *testing.T) {
	text := "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: InventorySnapshot\ntakenAt: null\ncontext: x\ncount: 6\nhosts:\n" +
		"- {namespace: a, name: b}\n- {namespace: a, name: b, uid: u, labels: {rack: r1, ../x: z, row: gh" +
		"p_Zt7Kw2Qp9Xv4Lm8Rb3Nd6Hs1Jc5Gf0Yau7}}\n- {namespace: a, name: ../b}\n" +
		"- {namespace: a, name: c, faults: [{kind: object, field: spec, text: found a string}]}\n- {namespace: a, name: d}\n" +
		"- {namespace: a, name: e" + strings.Repeat("e", 248) + "}\n"
	inv := need.Value(Load([]string{"-"}, strings.NewReader(text)))(t)
	got := ""
	for i := range inv.Hosts {
		h := &inv.Hosts[i]
		got += fmt.Sprintf("%.3s %s %v", h.Name, h.UID, h.Labels)
		for n := range h.Faults {
			got += "; " + h.Faults[n].String()
		}
		got += "\n"
	}
	want := `b u map[rack:r1]; metadata.labels: "../x" is no valid label; metadata.labels[row]: found an access token of GitHub (not shown), want no secret in a label; defined more than once
c  map[]; spec: found a string
d  map[]
eee  map[]; found 250 characters in namespace and name, want at most 249: they name a file in the tree
`
	assert.Equal(t, want, got)
	assert.Truef(t,
		len(inv.LeftOut) == 1 && inv.LeftOut[0].Field == "hosts[2].metadata.name" &&
			inv.LeftOut[0].Source.File == "stdin",
		"left out %+v", inv.LeftOut)
}

func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		need.Write(t, filepath.Join(dir, name), content)
	}
	return dir
}

// TestBrokenSecretFile: a file that does not parse may be a Secret, and a YAML parser quotes what it does not
// understand.
func TestBrokenSecretFile(t *testing.T) {
	for _, value := range []string{"*" + inventorytest.Marker, "!!int " + inventorytest.Marker,
		`"\y` + inventorytest.Marker, "[" + inventorytest.Marker, "@" + inventorytest.Marker,
		"%" + inventorytest.Marker, "|x" + inventorytest.Marker, "'" + inventorytest.Marker,
		"&" + inventorytest.Marker + " *" + inventorytest.Marker + "2", "a: " + inventorytest.Marker + ": b",
		"!<" + inventorytest.Marker, "&" + inventorytest.Marker + " [*" + inventorytest.Marker + "]",
		"\n    ~: " + inventorytest.Marker, "\n    ? {a: " + inventorytest.Marker + "}\n    : x"} {
		file := filepath.Join(t.TempDir(), "s.yaml")
		text := "apiVersion: v1\nkind: Secret\nmetadata: {name: n1-net}\nstringData:\n  password: " + value + "\n"
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := Load([]string{file}, nil)
		if err == nil {
			t.Errorf("%s: no error", value)
			continue
		}
		inventorytest.NoMarker(t, err.Error())
	}
}

// TestOtherKindsAreLeftAlone: whatever lies beside a host that could not be meant as one, and an empty file.
func TestOtherKindsAreLeftAlone(t *testing.T) {
	const other = "apiVersion: example.org/v1\nkind: Machine\nmetadata: {name: x}\n---\napiVersion: v1\nkind: ConfigMap\n---\n"
	folder := write(t, map[string]string{"empty.yaml": "", "n1.yaml": other + inventorytest.HostYAML("n1", "", "")})
	loaded, err := Load([]string{filepath.Join(folder, "empty.yaml"), filepath.Join(folder, "n1.yaml")}, nil)
	assert.Truef(t, err == nil && len(loaded.Hosts) == 1 && loaded.Hosts[0].Key() == "metal/n1", "got %v, %v", loaded,
		err)
	for text, want := range map[string]string{
		"kind: BaremetalHost\n---\n" + inventorytest.HostYAML("n1", "", ""): "did you mean",
		"kind: HostClaim\n": "no BareMetalHost",
	} {
		_, err := Load([]string{"-"}, strings.NewReader("apiVersion: metal3.io/v1alpha1\n"+text))
		need.Error(t, text, err, want)
	}
}

// TestKustomization: a folder with a kustomization is what kustomize builds from it, not the files that lie in it.
func TestKustomization(t *testing.T) {
	dir := write(t, map[string]string{
		"site/kustomization.yaml":  "resources: [../base]\nnamePrefix: r1-\npatches:\n- target: {kind: BareMetalHost}\n  patch: |\n    - {op: add, path: /metadata/labels, value: {rack: r1}}\n",
		"site/stray.yaml":          inventorytest.HostYAML("stray", "", ""),
		"base/kustomization.yaml":  "resources: [hosts.yaml]\nsecretGenerator:\n- name: n1-net\n  namespace: metal\n  files: [networkData=net.yaml]\n  options: {disableNameSuffixHash: true}\n",
		"base/hosts.yaml":          inventorytest.HostYAML("n1", "", ""),
		"base/net.yaml":            inventorytest.BothYAML,
		"broken/kustomization.yml": "resources: [none.yaml]\n",
		"plain/n2.yaml":            inventorytest.HostYAML("n2", "", ""),
	})
	inv := need.Value(Load([]string{filepath.Join(dir, "site"), filepath.Join(dir, "plain")}, nil))(t)
	assert.Truef(t,
		len(inv.Hosts) == 2 && inv.Hosts[0].Name == "n2" && inv.Hosts[1].Name == "r1-n1" &&
			inv.Hosts[1].Labels["rack"] == "r1",
		"got %+v", inv.Hosts)
	assert.Equal(t, filepath.ToSlash(filepath.Join(dir, "base/hosts.yaml")), inv.Hosts[1].Source.String(), "source")
	_, err := Load([]string{filepath.Join(dir, "broken")}, nil)
	assert.ErrorContains(t, err, "broken: kustomize: ", "a kustomization that does not build")
}

// TestKustomizationKeepsSecrets: kustomize's own messages may hold what a file holds.
func TestKustomizationKeepsSecrets(t *testing.T) {
	for why, files := range map[string]map[string]string{
		"a broken Secret": {"kustomization.yaml": "resources: [s.yaml]\n",
			"s.yaml": "kind: Secret\nstringData: {password: *" + inventorytest.Marker + "}\n"},
		"a Secret of no kind": {"kustomization.yaml": "resources: [s.yaml]\n",
			"s.yaml": "stringData: {password: " + inventorytest.Marker + "}\n"},
		"a literal": {"kustomization.yaml": "secretGenerator:\n- name: x\n  literals: [" +
			inventorytest.Marker + "]\n"},
		"a remote base": {"kustomization.yaml": "resources: ['https://root:" + inventorytest.Marker +
			"@127.0.0.1:1/x']\n"},
	} {
		_, err := Load([]string{write(t, files)}, nil)
		if err == nil {
			t.Errorf("%s: no error", why)
			continue
		}
		inventorytest.NoMarker(t, err.Error())
	}
}
