package capi

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/resource"
)

// deployment is a MachineDeployment of workers with its template. labels are those of both, besides the role.
func deployment(version, namespace, name, labels string) string {
	return strings.NewReplacer("VERSION", version, "NAMESPACE", namespace, "NAME", name, "LABELS", labels).Replace(`
---
apiVersion: cluster.x-k8s.io/VERSION
kind: MachineDeployment
metadata:
  {name: NAME, namespace: NAMESPACE, labels: {sip.airshipit.org/node-type: Worker, LABELS}, annotations: {mine: NAME}}
spec: {clusterName: mine, template: {metadata: {labels: {is: NAME}}}}
---
apiVersion: infrastructure.cluster.x-k8s.io/VERSION
kind: Metal3MachineTemplate
metadata: {name: NAME, namespace: NAMESPACE, labels: {sip.airshipit.org/node-type: Worker, LABELS}}
spec: {template: {spec: {hostSelector: {matchLabels: {mine: NAME}}}}}
`)
}

// byRack has workers in racks of rows.
func byRack(machines map[string]int) Input {
	c := cluster("tenant-a", "edge-a")
	c.Spec.Nodes[v1.RoleWorker] = v1.NodeSet{Count: &v1.NodeCount{Active: 4},
		TopologyKeys: []string{"row", "example.org/rack"}}
	in := input(c)
	in.Placed = map[string]map[string]int{v1.RoleWorker: machines}
	return in
}

// A MachineDeployment with the label of the narrowest key has the machines of its domain, and its template the hosts.
func TestWorkersByDomain(t *testing.T) {
	in := byRack(map[string]int{"r1": 3, "R1": 1})
	for _, version := range []string{v1beta1, v1beta2} {
		built, err := build(t, deployment(version, "metal3", "a", "example.org/rack: r1")+
			deployment(version, "metal3", "b", "example.org/rack: R1")+
			deployment(version, "metal3", "c", "example.org/rack: r3")+
			deployment(version, "metal3", "d", "example.org/rack: r4"), in)
		require.NoError(t, err)
		for name, want := range map[string]string{
			"a": "3 example.org/rack: r1 r1", "b": "1 example.org/rack: R1 R1", "c": "0 none", "d": "0 none",
		} {
			assert.Equal(t, want, numbers(t, built, name), version+" "+name)
			rack := at(t, built, "Metal3MachineTemplate", name, "metadata", "labels", "example.org/rack")
			assert.Equal(t, "annotations:\n  mine: "+name+"\nlabels:\n  example.org/rack: "+rack+
				"\n  sip.airshipit.org/cluster-name: edge-a\n  sip.airshipit.org/cluster-namespace: tenant-a"+
				"\n  sip.airshipit.org/node-type: Worker\nname: "+name+"\nnamespace: metal3",
				at(t, built, "MachineDeployment", name, "metadata"), name)
			assert.Equal(t, "cluster.x-k8s.io/"+version, at(t, built, "MachineDeployment", name, "apiVersion"), name)
			assert.Empty(t, at(t, built, "MachineDeployment", name, "sipgen"), name)
			is := at(t, built, "MachineDeployment", name, "spec", "template", "metadata", "labels", "is")
			assert.Equal(t, name, is, name)
		}
	}
	// One for all, as without topology keys.
	built, err := build(t, deployment(v1beta2, "metal3", "a", "x: y"), in)
	require.NoError(t, err)
	assert.Equal(t, "4 all", numbers(t, built, "a"), "one for all")
	// No host yet.
	built, err = build(t, deployment(v1beta2, "metal3", "a", "example.org/rack: r1"), byRack(nil))
	require.NoError(t, err)
	assert.Equal(t, "0 all", numbers(t, built, "a"), "no host yet")
}

// numbers are the replicas of a MachineDeployment, and which hosts its template selects.
func numbers(t *testing.T, built []*resource.Resource, name string) string {
	t.Helper()
	selector := []string{"spec", "template", "spec", "hostSelector"}
	labels := at(t, built, "Metal3MachineTemplate", name, append(selector, "matchLabels")...)
	expressions := at(t, built, "Metal3MachineTemplate", name, append(selector, "matchExpressions")...)
	assert.Contains(t, labels, "sip.airshipit.org/cluster-name: edge-a", name)
	assert.Contains(t, labels, "sip.airshipit.org/node-type: Worker", name)
	assert.NotContains(t, labels, "mine", name)
	assert.Contains(t, expressions, "key: sip.airshipit.org/standby", name)
	hosts := "all"
	if line, _, found := strings.Cut(labels, "\n"); found && strings.HasPrefix(line, "example.org/rack") {
		hosts = line + " " + strings.TrimPrefix(line, "example.org/rack: ")
	}
	if strings.Contains(expressions, "key: example.org/rack\n  operator: NotIn\n  values:\n  - R1\n  - r1") {
		hosts = "none"
	}
	return at(t, built, "MachineDeployment", name, "spec", "replicas") + " " + hosts
}

// Two that would ask for the same hosts do not build, however they differ otherwise.
func TestTwoDeploymentsForTheSameHosts(t *testing.T) {
	const wide = "SIPCluster tenant-a/edge-a: label sip.airshipit.org/node-type=Worker: want one MachineDeployment"
	const narrow = wide + " or one per value of label example.org/rack"
	racks := byRack(map[string]int{"r1": 2, "r2": 2})
	for _, row := range []struct {
		why, objects, want string
		in                 Input
	}{
		{"two for all", deployment(v1beta2, "metal3", "a", "x: y") + deployment(v1beta2, "metal3", "b", "x: y"), narrow,
			racks},
		{"two of one rack", deployment(v1beta2, "metal3", "a", "example.org/rack: r2") +
			deployment(v1beta2, "metal3", "b", "example.org/rack: r2"), narrow, racks},
		{"one for all and one of a rack", deployment(v1beta2, "metal3", "a", "x: y") +
			deployment(v1beta2, "metal3", "b", "example.org/rack: r2"), narrow, racks},
		{"a role without a key", deployment(v1beta2, "metal3", "a", "example.org/rack: r1") +
			deployment(v1beta2, "metal3", "b", "example.org/rack: r2"), wide, input(cluster("tenant-a", "edge-a"))},
		{"two versions of the kind are two kinds to kustomize", deployment(v1beta2, "metal3", "a", "x: y") +
			deployment(v1beta1, "metal3", "b", "x: y"), "", racks},
		{"other namespaces", deployment(v1beta2, "metal3", "a", "x: y") +
			deployment(v1beta2, "''", "b", "x: y"), narrow, racks},
		{"two for domains without hosts", deployment(v1beta2, "metal3", "a", "example.org/rack: r3") +
			deployment(v1beta2, "metal3", "b", "example.org/rack: r3"), narrow, racks},
		{"two racks, each named as the other", deployment(v1beta2, "metal3", "r2", "example.org/rack: r1") +
			deployment(v1beta2, "metal3", "r1", "example.org/rack: r2"), "", racks},
		{"one for all that is named as a rack", deployment(v1beta2, "metal3", "r1", "x: y"), "", racks},
		{"the label without a value", deployment(v1beta2, "metal3", "a", "example.org/rack: ''"), "", racks},
		{"the autoscaler's", deployment(v1beta2, "metal3", "a", "x: y") + strings.ReplaceAll(
			deployment(v1beta2, "metal3", "b", "x: y"), "annotations: {", "annotations: {"+autoscaled+": '1', "), "",
			racks},
	} {
		_, err := build(t, row.objects, row.in)
		if row.want == "" {
			require.NoError(t, err)
			continue
		}
		need.Error(t, row.why, err, row.want)
		assert.Truef(t, strings.Count(fmt.Sprint(err), wide) == 1, "%s: %v", row.why, err)
	}
}

// Users' own patches and references find the objects by their names.
func TestNamesAfterTheComponent(t *testing.T) {
	files, err := Component(byRack(map[string]int{"r1": 2}))
	require.NoError(t, err)
	built, err := buildWith(t, deployment(v1beta2, "metal3", "a", "example.org/rack: r1")+
		deployment(v1beta2, "metal3", "b", "example.org/rack: r2"),
		map[string]map[string][]byte{"mine": files}, `
patches:
- patch: |
    apiVersion: cluster.x-k8s.io/v1beta2
    kind: MachineDeployment
    metadata: {name: a, namespace: metal3}
    spec: {replicas: 7}
- target: {kind: MachineDeployment, name: b}
  patch: '[{"op": "replace", "path": "/spec/replicas", "value": 8}]'
`)
	require.NoError(t, err)
	for name, want := range map[string]string{"a": "7", "b": "8"} {
		assert.Equal(t, want, at(t, built, "MachineDeployment", name, "spec", "replicas"), name)
	}
}
