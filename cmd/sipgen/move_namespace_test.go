package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostIn is the manifest of a host: the numbers of its site and of the host, and its cluster, "" for none. A cluster's
// host is in use, with the labels that an engine wrote.
func hostIn(site, number int, namespace, cluster string) string {
	labels, use, state, manager := "", "", "available", ""
	if cluster != "" {
		labels = fmt.Sprintf("\n    sip.airshipit.org/cluster-namespace: %[1]s\n"+
			"    sip.airshipit.org/cluster-name: %[1]s\n    sip.airshipit.org/node-type: Worker", cluster)
		use = fmt.Sprintf("\n  consumerRef: {kind: Metal3Machine, name: m%d, namespace: %s}\n"+
			"  image: {url: 'http://x/i', checksum: 'http://x/s'}", number, namespace)
		manager = `
  - {manager: kustomize-controller, operation: Apply, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1, fieldsV1: ` +
			`{"f:metadata": {"f:labels": {"f:sip.airshipit.org/cluster-name": {}}}}}`
		state = "provisioned"
	}
	return fmt.Sprintf(`---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  namespace: %[1]s
  name: %[1]s%[2]d
  uid: 00000000-0000-0000-0000-0000000000%[3]d%[2]d
  annotations: {sip.airshipit.org/address.oam: 198.51.100.%[3]d%[2]d}
  managedFields:
  - {manager: me, operation: Apply, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {}}}%[4]s
  labels:
    kind: worker%[5]s
spec:
  online: true
  bmc: {address: "redfish+https://10.0.%[3]d.%[2]d/redfish/v1/Systems/1", credentialsName: x}
  bootMACAddress: "52:54:00:00:0%[3]d:0%[2]d"%[6]s
status: {operationalStatus: OK, provisioning: {state: %[7]s, ID: x}}
`, namespace, number, site, manager, labels, use, state)
}

// TestMoveNamespace runs the commands of docs/move-a-namespace.md: a namespace with hosts in use goes from one site to
// another. Its hosts stay with their cluster, and no flag is needed but the number that the run prints.
func TestMoveNamespace(t *testing.T) {
	blocks := namedBlocks(t, "move-namespace")
	require.Len(t, blocks, 3)
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	site := func(name, namespaces, more string) {
		write(name+".yaml", "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: "+name+"}\n"+
			"spec:\n  repository: {url: 'file://"+dir+"/"+name+".git'}\n  hosts: {namespaces: ["+namespaces+"]}\n"+
			"  inputs: {specs: ["+name+"], inventory: hosts.yaml}\n"+more)
	}
	spec := func(site, name, namespace string, port int) {
		write(site+"/"+name+".yaml", fmt.Sprintf("apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\n"+
			"metadata: {namespace: %[1]s, name: %[1]s}\nspec:\n  nodes:\n    Worker: {labelSelector: {matchLabels: "+
			"{kind: worker}}, hostNamespaces: [%[2]s], count: {active: 2}}\n  services:\n    jumpHost: [{nodeInterfaceId: "+
			"oam, nodePort: %[3]d, image: 'registry.example.org/jump:1', sshAuthorizedKeys: [ssh-ed25519 "+
			"AAAAC3NzaC1lZDI1NTE5AAAAIJfKcCzbQPBmRmSRzOKDY4pTRZ6cC7E3GTPKdKu0jIyf a]}]\n", name, namespace, port))
	}
	hosts := func(synced bool) {
		var text strings.Builder
		for n, namespace := range []string{"west", "edge", "south"} {
			for number := 1; number <= 3; number++ {
				cluster := ""
				if synced && number < 3 {
					cluster = namespace + "-t"
				}
				text.WriteString(hostIn(n+1, number, namespace, cluster))
			}
		}
		write("hosts.yaml", text.String())
	}
	for _, name := range []string{"dc1", "dc2"} {
		git(t, "init", "-q", "--bare", "-b", "main", name+".git")
	}
	site("dc1", "west, edge", "")
	site("dc2", "south", "")
	spec("dc1", "west-t", "west", 30000)
	spec("dc1", "edge-t", "edge", 30001)
	spec("dc2", "south-t", "south", 30002)
	hosts(false)
	for _, name := range []string{"dc1", "dc2"} {
		code, _, said := ran(t, "publish", "--site", name+".yaml")
		require.Equal(t, 0, code, said)
	}
	hosts(true)

	require.NoError(t, os.Rename("dc1/edge-t.yaml", "dc2/edge-t.yaml"))
	t.Setenv("SIPGEN_PREVIOUS", "")
	// The halves of step 3. The number is that of the whole step, and so a person has to read the words.
	for _, half := range []struct{ namespaces, decommission, want string }{
		{"west, edge", "  decommission: [edge-t/edge-t]\n", "2 hosts IN USE, with release pending"},
		{"west", "", "danger: edge-t/edge-t is frozen"},
	} {
		site("dc1", half.namespaces, half.decommission)
		_, out, said := ran(t, "plan", "--site", "dc1.yaml")
		assert.Contains(t, said+out, half.want)
		assert.Contains(t, said+out, "with --accept-loss 2")
	}
	site("dc1", "west", "  decommission: [edge-t/edge-t]\n")
	code, out, said := ran(t, "plan", "--site", "dc1.yaml")
	assert.Equal(t, 2, code)
	assert.Equal(t, 2, strings.Count(out, "the host keeps its labels"), out)
	assert.NotContains(t, out, "release pending")
	assert.NotContains(t, out, "frozen")
	assert.Contains(t, said+out, "with --accept-loss 2")
	assert.Contains(t, out, "danger: edge-t/edge-t: its services leave this tree: the engine deletes them, unless it ")
	assert.NotContains(t, said+out, "all its services are deleted")
	shell(t, dir, "docs/move-a-namespace.md", "unset SIPGEN_REPO\nexport LOSS=2\n"+blocks[0])
	site("dc1", "west", "")
	site("dc2", "south, edge", "")
	shell(t, dir, "docs/move-a-namespace.md", "unset SIPGEN_REPO\n"+blocks[1])
	assert.NotContains(t, git(t, "-C", "dc1.git", "ls-tree", "-r", "--name-only", "main"), "edge-t")
	code, out, said = ran(t, "plan", "--site", "dc2.yaml")
	assert.Equal(t, 0, code, said)
	assert.Contains(t, out, "4 hosts assigned (0 new)")
	assert.Contains(t, out,
		"edge-t/edge-t Worker takes 2 hosts that only labels give to it, not the tree: edge/edge1, edge/edge2")
	shell(t, dir, "docs/move-a-namespace.md", "unset SIPGEN_REPO\n"+blocks[2])
	for _, name := range []string{"dc1", "dc2"} {
		code, _, said = ran(t, "diff", "--site", name+".yaml")
		assert.Equal(t, 0, code, said)
	}
	_, out, _ = ran(t, "history", "edge-t", "--site", "dc1.yaml")
	assert.Contains(t, out, " gone")
	_, out, _ = ran(t, "history", "edge-t", "--site", "dc2.yaml")
	assert.Contains(t, out, "edge/edge1")
}
