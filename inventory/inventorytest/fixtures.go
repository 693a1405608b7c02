// Package inventorytest has the manifests that the tests of an inventory's sources read.
package inventorytest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/inventory"
)

// Marker is a secret value: it is in every Secret of these tests, and must not be in any output.
const Marker = "hunter2-Marker"

// HostYAML returns a host that names its network data, with lines of spec or metadata to add.
func HostYAML(name, metadata, spec string) string {
	return fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata:\n  namespace: metal\n  name: %s\n%sspec:\n  online: true\n%s---\n", name, metadata, spec)
}

const (
	NamesSecret = "  networkData: {name: n1-net}\n"
	NamesOther  = "  networkData: {name: n1-net, namespace: other}\n"
)

// SecretYAML returns a network data Secret with a Marker next to the field.
func SecretYAML(namespace, name, fields string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {namespace: %s, name: %s}\n%s---\n", namespace, name,
		fields)
}

func StringData(key, text string) string {
	indented := strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
	return fmt.Sprintf("stringData:\n  password: %s\n  %s: |\n    %s\n", Marker, key, indented)
}

const (
	BothYAML = "links: [{id: oam, note: " + Marker +
		"}]\nnetworks:\n- {id: oam4, type: ipv4, ip_address: 192.0.2.7, netmask: 255.255.255.0, password: " + Marker +
		"}\n- {id: oam6, type: ipv6, ip_address: '2001:db8::7/64'}\n"
	BothJSON = `{"networks":[{"id":"oam4","type":"ipv4","ip_address":"192.0.2.7/24"},{"id":"oam6","type":"ipv6","ip_address":"2001:db8::7","netmask":"ffff:ffff:ffff:ffff::"}],"x":"` + Marker + `"}`
	Both64   = "bmV0d29ya3M6Ci0ge2lkOiBvYW00LCB0eXBlOiBpcHY0LCBpcF9hZGRyZXNzOiAxOTIuMC4yLjd9Ci0ge2lkOiBvYW02LCB0eXBlOiBpcHY2LCBpcF9hZGRyZXNzOiAiMjAwMTpkYjg6OjcifQo="
)

// Managed is a host with the managedFields of all usual managers.
const Managed = `
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  namespace: metal
  name: n1
  labels: {rack: r1, sip.airshipit.org/cluster-name: edge-a}
  annotations: {sip.airshipit.org/address.oam: 192.0.2.7, sip.airshipit.org/lint-ignore: "SIP013: no rack", argocd.argoproj.io/tracking-id: "x:y"}
  managedFields:
  - {manager: kustomize-controller, operation: Apply, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1, fieldsV1: {"f:metadata": {"f:labels": {"f:sip.airshipit.org/node-type": {}, "f:sip.airshipit.org/cluster-name": {}}, "f:annotations": {"f:b": {}, "f:a": {}}, "f:finalizers": {".": {}, 'v:"baremetalhost.metal3.io"': {}}, "f:ownerReferences": {}}}}
  - {manager: people, operation: Update, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1, fieldsV1: {"f:metadata": {"f:annotations": {".": {}}}, "f:spec": {"f:online": {}}}}
  - {manager: whole, operation: Update, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {}}}
  - {manager: baremetal-operator, operation: Update, subresource: status, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1, fieldsV1: {"f:status": {"f:spec": {}}}}
  - {manager: nonsense, operation: Update, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1, fieldsV1: [1]}
  - {manager: empty, operation: Update, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1}
spec: {online: true}
`

// addressesOf writes a host's addresses as "network=address (origin)".
func Addresses(h *inventory.Host) []string {
	var out []string
	for _, a := range h.Addresses {
		out = append(out, fmt.Sprintf("%s=%s (%s)", a.Network, a.IP, a.Origin))
	}
	return out
}

func NoMarker(t testing.TB, text string) {
	t.Helper()
	if strings.Contains(text, Marker) {
		t.Errorf("the secret came out: %s", text)
	}
}
