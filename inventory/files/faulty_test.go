package files

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
)

// TestValuesOfOneHostThatCannotBeRead: they are that host's fault, and the other hosts are read.
func TestValuesOfOneHostThatCannotBeRead(t *testing.T) {
	deep := strings.Repeat("[", 300) + strings.Repeat("]", 300)
	head := "apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\n"
	named := head + "metadata: {namespace: metal3, name: bad}\n"
	good := head + "metadata: {namespace: metal3, name: good}\nspec: {bmc: {address: 'ipmi://192.0.2.1'}}\n"
	list := func(bad string) string {
		return "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(good), "\n",
			"\n  ") + "\n- " +
			strings.ReplaceAll(strings.TrimSpace(bad), "\n", "\n  ") + "\n"
	}
	for _, row := range []struct{ why, text, want string }{
		{"NaN", named + "spec: {online: .nan}\n", "spec.online: found a string, want true or false"},
		{"NaN as a label", head + "metadata: {namespace: metal3, name: bad, labels: {rack: .nan}}\n",
			`metadata.labels[rack]: found ".nan", want at most 63`},
		{"too deep", named + "x: " + deep + "\n", "mappings and lists within one another more than 100 deep"},
		{"too deep in a list", list(named + "x: " + deep + "\n"),
			"mappings and lists within one another more than 100 deep"},
		{"aliases of a gibibyte", named +
			"a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\n" +
			"d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\ne: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]\ng: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f, *f]\nh: [*g, *g, *g, *g, *g, *g, *g, *g, *g, *g]\n",
			"its aliases stand for more than 64 MiB"},
		{"a key given twice", named + "spec: {online: true, online: false}\n",
			"not valid YAML: key \"online\" already set in map"},
		{"a key that is a mapping", named + "spec: {online: {{ .online }}}\n", "not valid YAML"},
		{"a huge number", named + "status: {errorCount: 1e999}\n", "status.errorCount: found "},
		{"a huge number in JSON", `{"apiVersion": "metal3.io/v1alpha1", "kind": "BareMetalHost", "metadata": {"namespace": "metal3", "name": "bad"}, "status": {"errorCount": 1e999}}`, "not an object of its kind: a value in it has the wrong form"},
		{"labels of another type", head + "metadata: {namespace: metal3, name: bad, labels: 7}\n",
			"metadata.labels: found a whole number, want a mapping"},
		{"a label that is too long", head + "metadata: {namespace: metal3, name: bad, labels: {" + strings.Repeat("k",
			400) + ": x}}\n", "metadata.labels: "},
		{"a label that is not UTF-8", head + "metadata: {namespace: metal3, name: bad, labels: {rack: \"r\xff\"}}\n",
			"metadata.labels[rack]: found "},
		{"a NUL before a key, as in a file that was not written to its end", named + "\x00spec: {image: {url: x}}\n",
			"not valid YAML: a key has a character that is not printable or not UTF-8"},
		{"a key that is not UTF-8", named + "spec: {\"image\xff\": {url: x}}\n", "not valid YAML: a key has a character"},
		{"an annotation's key with a control character", head +
			"metadata: {namespace: metal3, name: bad, annotations: {\"capm3.metal3.io/unhealthy\x7f\": \"\"}}\n",
			"not valid YAML: a key has a character"},
	} {
		text := row.text
		if !strings.Contains(text, "kind: List") {
			text = good + "---\n" + row.text
		}
		wantFault(t, row.why, text, row.want)
	}
	for _, row := range []struct{ why, host, want string }{
		{"NaN", "{namespace: metal3, name: bad, hardware: {cpus: .nan}}",
			"hardware.cpus: found a string, want a whole number"},
		{"too deep", "{namespace: metal3, name: bad, labels: " + deep + "}",
			"mappings and lists within one another more than 100 deep"},
		{"labels of another type", "{namespace: metal3, name: bad, labels: 7}",
			"labels: found a whole number, want a mapping"},
		{"an address that is none", "{namespace: metal3, name: bad, addresses: [{network: oam, ip: x, origin: annotation}]}", "addresses[0].ip: found a string"},
	} {
		wantFault(t, "snapshot: "+row.why, snapshotHead+"- "+row.host+"\n", row.want)
	}
}

// TestWhoAHostIs: a host with a value that cannot be read has its uid and those of its labels that can.
func TestWhoAHostIs(t *testing.T) {
	const metadata = "metadata: {namespace: metal3, name: bad, uid: u-1, labels: {kind: worker"
	const head = "apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\n"
	for _, text := range []string{
		head + metadata + "}}\nspec: {online: 7}\n",
		head + metadata + ", rack: 7}}\n",
		head + metadata + ", rack: a, rack: b}}\n",
		head + metadata + "}}\nspec: {online: true, online: false}\n",
		head + metadata + "}}\n\x00spec: {online: true}\n",
		head + metadata + "}}\nx: " + strings.Repeat("[", 300) + strings.Repeat("]", 300) + "\n",
		snapshotHead + "- {namespace: metal3, name: bad, uid: u-1, labels: {kind: worker, rack: 7}}\n",
		snapshotHead + "- {namespace: metal3, name: bad, uid: u-1, labels: {kind: worker}, hardware: {cpus: x}}\n",
	} {
		hosts := need.Value(Load([]string{"-"}, strings.NewReader(text)))(t).Hosts
		bad := hosts[slices.IndexFunc(hosts, func(h inventory.Host) bool { return h.Name == "bad" })]
		assert.Equal(t, "u-1 map[kind:worker] true\n", fmt.Sprintln(bad.UID, bad.Labels, bad.Unsure()),
			text[:min(200, len(text))])
	}
}

// snapshotHead is a snapshot without its two hosts.
const snapshotHead = "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: InventorySnapshot\ntakenAt: null\ncontext: x\ncount: 2\nhosts:\n- {namespace: metal3, name: good, bmc: {address: 'ipmi://192.0.2.1'}}\n"

// wantFault reads the hosts good and bad. bad has the fault, and good has none.
func wantFault(t *testing.T, why, text, want string) {
	t.Helper()
	inv, err := Load([]string{"-"}, strings.NewReader(text))
	if err != nil {
		t.Errorf("%s: got %.300s", why, err)
		return
	}
	found, good := "", false
	for i := range inv.Hosts {
		host := &inv.Hosts[i]
		if host.Name == "good" {
			good = len(host.Faults) == 0 && host.BMC.Address != ""
		}
		for n := range host.Faults {
			found += host.Key() + ": " + host.Faults[n].String() + "\n"
		}
	}
	want = "metal3/bad: " + want
	assert.Truef(t, good && strings.HasPrefix(found, want) && strings.Count(found, "\n") == 1,
		"%s: the other host is read: %t; found %q, want %q", why, good, found, want)
	var out bytes.Buffer
	assert.NoError(t, WriteSnapshot(&out, inv), why)
}

// TestWhatMayBeAnyHostStopsTheRun: what may hide a host is no fault of one host. A host of the tree that is not in the
// inventory counts as gone.
func TestWhatMayBeAnyHostStopsTheRun(t *testing.T) {
	head := "apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\n"
	for why, text := range map[string]string{
		"no line between two": head + "metadata: {namespace: metal3, name: a}\n" + head +
			"metadata: {namespace: metal3, name: b}\n",
		"two names":                head + "metadata: {namespace: metal3, name: a, name: b}\n",
		"cut off":                  head + "metadata: {namespace: metal3, name: a}\nspec: {bmc: {address: 'ipmi://192",
		"metadata of another type": head + "metadata: 7\n",
		"a name of another type":   head + "metadata: {namespace: metal3, name: 7}\n",
		"a namespace of another":   head + "metadata: {namespace: 7, name: a}\n",
		"in a list":                "apiVersion: v1\nkind: List\nitems: [{apiVersion: metal3.io/v1alpha1, kind: BareMetalHost, metadata: {namespace: metal3, name: [x]}}]\n",
		"in a snapshot":            snapshotHead + "- {namespace: metal3, name: 7}\n",
		"no host in a snapshot":    snapshotHead + "- 7\n",
		"no name for a kind":       "apiVersion: metal3.io/v1alpha1\nkind: 7\nmetadata: {namespace: metal3, name: a}\n",
	} {
		inv, err := Load([]string{"-"}, strings.NewReader(text))
		assert.Truef(t, err != nil, "%s: read %+v", why, inv)
	}
}
