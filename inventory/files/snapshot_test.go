package files

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/inventorytest"
)

// TestSnapshot: what is written is read to the same hosts, in the same bytes whatever the order was, and without a secret.
func TestSnapshot(t *testing.T) {
	text := inventorytest.Managed + "---\n" + inventorytest.HostYAML("n0", "", inventorytest.NamesOther+"  bmc: {address: 'redfish://root:"+inventorytest.Marker+"@198.51.100.1', credentialsName: n0-bmc}\n  bootMACAddress: \"00:11:22:33:44:aa\"\n") +
		inventorytest.SecretYAML("other", "n1-net", inventorytest.StringData("networkData", inventorytest.BothYAML)) + inventorytest.SecretYAML("metal", "n0-bmc", inventorytest.StringData("username", inventorytest.Marker)) +
		inventorytest.HostYAML("a0", "", "  networkData: {name: none}\n")
	inv, err := Load([]string{"-"}, strings.NewReader(text))
	need.OK(t, err)
	inv.Hosts[1].Managers = []inventory.Manager{} // known, and none
	if n0, n1 := inv.Hosts[1], inv.Hosts[2]; n0.BootMAC != "00:11:22:33:44:aa" || n1.LintIgnore != "SIP013: no rack" {
		t.Errorf("boot MAC %q, lint-ignore %q", n0.BootMAC, n1.LintIgnore)
	}
	inv.TakenAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var first bytes.Buffer
	need.OK(t, WriteSnapshot(&first, inv))
	inventorytest.NoMarker(t, first.String())
	read, err := Load([]string{"-"}, bytes.NewReader(first.Bytes()))
	need.OK(t, err)
	for i := range read.Hosts {
		read.Hosts[i].Source = inv.Hosts[i].Source
	}
	inv.Secrets = nil // a snapshot knows of none
	if !reflect.DeepEqual(read, inv) {
		t.Errorf("read    %+v\nwritten %+v", read, inv)
	}
	slices.Reverse(inv.Hosts)
	var second bytes.Buffer
	need.OK(t, WriteSnapshot(&second, inv))
	if first.String() != second.String() {
		t.Errorf("other bytes for the same hosts:\n%s\n%s", &first, &second)
	}
}

func TestBadSnapshots(t *testing.T) {
	snapshot := "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: InventorySnapshot\ntakenAt: null\ncontext: x\ncount: 1\nhosts:\n"
	for _, row := range []struct{ why, text, want string }{
		{"a field of a newer one", snapshot + "- {namespace: a, name: b, state: {prvisioning: x}}\n", `did you mean "provisioning"?`},
		{"another version", strings.Replace(snapshot, "v1alpha1", "v9", 1) + "- {namespace: a, name: b}\n", `found "sipgen.airshipit.org/v9", want sipgen.airshipit.org/v1alpha1`},
		{"a host beside it", snapshot + "- {namespace: a, name: b}\n---\n" + inventorytest.Managed, "a snapshot among other documents"},
		{"one that is cut off is YAML too", strings.Replace(snapshot, "1\nhosts", "2\nhosts", 1) + "- {namespace: a, name: b}\n", "the file announces 2 hosts, but has 1: it is cut off, or was edited"},
		{"cut off before the hosts", "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: InventorySnapshot\n", "count: missing, want the number of hosts"},
	} {
		if _, err := Load([]string{"-"}, strings.NewReader(row.text)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %s", row.why, err, row.want)
		}
	}
}

// TestFaultyHostsOfSnapshots: one host's fault is that host's. A snapshot says what was wrong with the object that it was made from.
func TestFaultyHostsOfSnapshots(t *testing.T) {
	text := "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: InventorySnapshot\ntakenAt: null\ncontext: x\ncount: 6\nhosts:\n" +
		"- {namespace: a, name: b}\n- {namespace: a, name: b, uid: u, labels: {rack: r1, ../x: z, row: gh" + "p_Zt7Kw2Qp9Xv4Lm8Rb3Nd6Hs1Jc5Gf0Yau7}}\n- {namespace: a, name: ../b}\n" +
		"- {namespace: a, name: c, faults: [{kind: object, field: spec, text: found a string}]}\n- {namespace: a, name: d}\n" +
		"- {namespace: a, name: e" + strings.Repeat("e", 248) + "}\n"
	inv, err := Load([]string{"-"}, strings.NewReader(text))
	need.OK(t, err)
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
	need.Equal(t, "", got, want)
	if len(inv.LeftOut) != 1 || inv.LeftOut[0].Field != "hosts[2].metadata.name" || inv.LeftOut[0].Source.File != "stdin" {
		t.Errorf("left out %+v", inv.LeftOut)
	}
}

// write makes a folder of files.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		need.Write(t, path, content)
	}
	return dir
}
