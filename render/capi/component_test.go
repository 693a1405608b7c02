package capi

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

func cluster(namespace, name string) *v1.SIPCluster {
	c := &v1.SIPCluster{}
	c.Namespace, c.Name = namespace, name
	c.Spec.Nodes = map[string]v1.NodeSet{
		v1.RoleControlPlane: {Count: &v1.NodeCount{Active: 3, Standby: 1}},
		v1.RoleWorker:       {Count: &v1.NodeCount{Active: 4, Standby: 1}},
	}
	c.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{{Service: v1.Service{Service: &v1.ServiceExposure{
		Type: corev1.ServiceTypeLoadBalancer, LoadBalancerIP: "203.0.113.20"}}}}
	return c
}

func input(c *v1.SIPCluster) Input {
	return Input{Cluster: c, Keys: v1alpha1.LabelKeys{
		ClusterNamespace: "sip.airshipit.org/cluster-namespace", ClusterName: "sip.airshipit.org/cluster-name",
		NodeType: "sip.airshipit.org/node-type", Standby: "sip.airshipit.org/standby"}}
}

// templates are objects of somebody who knows nothing of sipgen but the label of a role, in the versions of the
// contract that are served today.
func templates(version string) string {
	return strings.ReplaceAll(`
apiVersion: infrastructure.cluster.x-k8s.io/VERSION
kind: Metal3Cluster
metadata: {name: mine, namespace: metal3}
---
apiVersion: infrastructure.cluster.x-k8s.io/VERSION
kind: Metal3MachineTemplate
metadata: {name: mine-cp, namespace: metal3, labels: {sip.airshipit.org/node-type: ControlPlane}}
spec:
  template:
    spec:
      image: {url: "http://images/cp.raw"}
      hostSelector:
        matchLabels: {rack: r1}
        matchExpressions: [{key: size, operator: In, values: [small]}]
---
apiVersion: infrastructure.cluster.x-k8s.io/VERSION
kind: Metal3MachineTemplate
metadata: {name: mine-wk, namespace: metal3, labels: {sip.airshipit.org/node-type: Worker}}
spec: {template: {spec: {image: {url: "http://images/wk.raw"}}}}
---
apiVersion: controlplane.cluster.x-k8s.io/VERSION
kind: KubeadmControlPlane
metadata: {name: mine, namespace: metal3}
spec: {replicas: 1, version: v1.34.0}
---
apiVersion: cluster.x-k8s.io/VERSION
kind: MachineDeployment
metadata: {name: mine, namespace: metal3, labels: {sip.airshipit.org/node-type: Worker}}
spec: {clusterName: mine}
`, "VERSION", version)
}

// build builds the templates with the components, each in a folder of its own.
func build(t *testing.T, templates string, inputs ...Input) ([]*resource.Resource, error) {
	t.Helper()
	components := map[string]map[string][]byte{}
	for _, in := range inputs {
		files, err := Component(in)
		require.NoError(t, err)
		components[in.Cluster.Namespace+"."+in.Cluster.Name] = files
	}
	return buildWith(t, templates, components, "")
}

// buildWith is build of components by folder. rest is the rest of the kustomization.
func buildWith(
	t *testing.T, templates string, components map[string]map[string][]byte, rest string,
) ([]*resource.Resource, error) {
	t.Helper()
	files := filesys.MakeFsInMemory()
	write := func(name string, content []byte) { require.NoError(t, files.WriteFile(name, content)) }
	kustomization := "resources: [templates.yaml]\ncomponents:\n"
	for _, folder := range slices.Sorted(maps.Keys(components)) {
		kustomization += "- " + folder + "\n"
		for name, content := range components[folder] {
			write("/"+folder+"/"+name, content)
		}
	}
	write("/templates.yaml", []byte(templates))
	write("/kustomization.yaml", []byte(kustomization+rest))
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/")
	if err != nil {
		return nil, err
	}
	return built.Resources(), nil
}

// at is a field of the object of a kind and name as YAML, "" if it has none.
func at(t *testing.T, built []*resource.Resource, kind, name string, fields ...string) string {
	t.Helper()
	for _, r := range built {
		if r.GetKind() != kind || r.GetName() != name {
			continue
		}
		value, err := r.Map()
		require.NoError(t, err)
		var found any = value
		for _, field := range fields {
			fields, _ := found.(map[string]any)
			if found = fields[field]; found == nil {
				return ""
			}
		}
		text, err := yaml.Marshal(found)
		require.NoError(t, err)
		return strings.TrimSpace(string(text))
	}
	t.Fatalf("no %s %s", kind, name)
	return ""
}

func TestComponentMakesTemplatesComplete(t *testing.T) {
	for _, version := range []string{v1beta1, v1beta2} {
		built, err := build(t, templates(version), input(cluster("tenant-a", "edge-a")))
		require.NoError(t, err)
		selector := func(role string) string {
			return "matchExpressions:\n- key: sip.airshipit.org/standby\n  operator: NotIn\n  values:\n  - \"true\"\nmatchLabels:\n" +
				"  sip.airshipit.org/cluster-name: edge-a\n  sip.airshipit.org/cluster-namespace: tenant-a\n  sip.airshipit.org/node-type: " + role
		}
		control, workers := []string{"spec", "rolloutStrategy"}, []string{"spec", "strategy"}
		if version == v1beta2 {
			control, workers = []string{"spec", "rollout", "strategy"}, []string{"spec", "rollout", "strategy"}
		}
		for _, row := range []struct {
			why, kind, name string
			fields          []string
			want            string
		}{
			{"the load balancer's address", "Metal3Cluster", "mine", []string{"spec", "controlPlaneEndpoint"},
				"host: 203.0.113.20\nport: 6443"},
			{"a selector of the template's own is gone", "Metal3MachineTemplate", "mine-cp",
				[]string{"spec", "template", "spec", "hostSelector"}, selector("ControlPlane")},
			{"a template without one", "Metal3MachineTemplate", "mine-wk",
				[]string{"spec", "template", "spec", "hostSelector"}, selector("Worker")},
			{"the rest of a template stays", "Metal3MachineTemplate", "mine-cp",
				[]string{"spec", "template", "spec", "image", "url"}, "http://images/cp.raw"},
			{"active hosts are counted, standby ones are not", "KubeadmControlPlane", "mine",
				[]string{"spec", "replicas"}, "3"},
			{"the same", "MachineDeployment", "mine", []string{"spec", "replicas"}, "4"},
			{"there is no host to go up on", "KubeadmControlPlane", "mine", control,
				"rollingUpdate:\n  maxSurge: 0\ntype: RollingUpdate"},
			{"the same", "MachineDeployment", "mine", workers, "rollingUpdate:\n  maxSurge: 0\n  maxUnavailable: 1"},
			{"whose it is", "Metal3Cluster", "mine", []string{"metadata", "labels"},
				"sip.airshipit.org/cluster-name: edge-a\nsip.airshipit.org/cluster-namespace: tenant-a"},
			{"the version is the template's", "KubeadmControlPlane", "mine", []string{"apiVersion"},
				"controlplane.cluster.x-k8s.io/" + version},
			{"no failure domains without the key", "Metal3Cluster", "mine", []string{"spec", "failureDomains"}, ""},
		} {
			assert.Equal(t, row.want, at(t, built, row.kind, row.name, row.fields...), version+": "+row.why)
		}
		for _, r := range built {
			assert.Equal(t, "metal3", r.GetNamespace(), r.GetKind())
		}
	}
}

// What the user has and the component does not own stays; what it owns is replaced and not added to.
func TestWhatIsTheUsers(t *testing.T) {
	c := cluster("t", "c")
	set := c.Spec.Nodes[v1.RoleControlPlane]
	set.TopologyKey = FailureDomainLabel
	c.Spec.Nodes[v1.RoleControlPlane] = set
	in := input(c)
	in.Domains = []string{"r1"}
	for version, row := range map[string]struct {
		domains, found, strategy string
		at                       []string
	}{
		v1beta1: {"{mine: {controlPlane: true}, r1: {controlPlane: false}}", "r1:\n  controlPlane: true",
			"{strategy: {type: OnDelete}}", []string{"spec", "strategy"}},
		v1beta2: {"[{name: mine, controlPlane: true}]", "- controlPlane: true\n  name: r1",
			"{rollout: {strategy: {type: OnDelete}}}", []string{"spec", "rollout", "strategy"}},
	} {
		text := templates(version)
		for old, with := range map[string]string{
			"kind: Metal3Cluster\nmetadata: {name: mine, namespace: metal3}": "kind: Metal3Cluster\n" +
				"metadata: {name: mine, namespace: metal3}\nspec: {failureDomains: " + row.domains + "}",
			"spec: {clusterName: mine}": "spec: " + strings.Replace(row.strategy, "{", "{clusterName: mine, ", 1),
		} {
			assert.Contains(t, text, old, version)
			text = strings.Replace(text, old, with, 1)
		}
		built, err := build(t, text, in)
		require.NoError(t, err)
		assert.Equal(t, row.found, at(t, built, "Metal3Cluster", "mine", "spec", "failureDomains"), version+": domains")
		assert.Equal(t, "rollingUpdate:\n  maxSurge: 0\n  maxUnavailable: 1\ntype: OnDelete",
			at(t, built, "MachineDeployment", "mine", row.at...), version+": OnDelete")
		assert.Equal(t, "4", at(t, built, "MachineDeployment", "mine", "spec", "replicas"), version+": replicas")

		scaled := strings.Replace(text, "labels: {sip.airshipit.org/node-type: Worker}}\nspec: {clusterName",
			"labels: {sip.airshipit.org/"+
				"node-type: Worker}, annotations: {"+autoscaled+": '1'}}\nspec: {replicas: 2, clusterName", 1)
		assert.Truef(t, scaled != text, "no MachineDeployment in %s", text)
		built, err = build(t, scaled, in)
		require.NoError(t, err)
		assert.Equal(t, "2", at(t, built, "MachineDeployment", "mine", "spec", "replicas"),
			version+": the autoscaler's replicas")
		assert.Contains(t, at(t, built, "MachineDeployment", "mine", "metadata", "labels"),
			"sip.airshipit.org/cluster-name: c", version+": whose it is")
	}
}

// Control planes of other providers have replicas, too; a hosted one has no hosts.
func TestControlPlanesOfOthers(t *testing.T) {
	const down = "rollingUpdate:\n  maxSurge: 0\ntype: RollingUpdate"
	for _, row := range []struct{ kind, version, replicas, strategy string }{
		{"RKE2ControlPlane", "v1beta1", "3", down},
		{"RKE2ControlPlane", "v1beta2", "3", down},
		{"TalosControlPlane", "v1alpha3", "3", down},
		{"KThreesControlPlane", "v1beta2", "3", ""},
		{"K0sControlPlane", "v1beta1", "3", ""},
		{"K0smotronControlPlane", "v1beta1", "1", ""},
		{"RKE2ControlPlaneTemplate", "v1beta1", "1", ""},
	} {
		text := strings.Replace(templates(v1beta1), "controlplane.cluster.x-k8s.io/v1beta1\nkind: KubeadmControlPlane",
			"controlplane.cluster.x-k8s.io/"+row.version+"\nkind: "+row.kind, 1)
		built, err := build(t, text, input(cluster("t", "c")))
		require.NoError(t, err)
		assert.Equal(t, row.replicas, at(t, built, row.kind, "mine", "spec", "replicas"), row.kind)
		assert.Equal(t, row.strategy, at(t, built, row.kind, "mine", "spec", "rolloutStrategy"), row.kind)
		assert.Empty(t, at(t, built, row.kind, "mine", "spec", "rollout"), row.kind)
	}
}

// What the component would leave as it is, or take for its own, ends the build.
func TestBuildFails(t *testing.T) {
	a, b, nobody := cluster("tenant-a", "edge"), cluster("tenant-b", "edge"), cluster("tenant-a", "other")
	alone := cluster("tenant-a", "edge")
	delete(alone.Spec.Nodes, v1.RoleWorker)
	for _, row := range []struct {
		why, templates string
		inputs         []Input
		want           string
	}{
		{"a template without a role would take any host",
			templates(v1beta1) + "---\napiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: Metal3MachineTemplate\nmetadata: {name: new}\n",
			[]Input{input(a)}, "Metal3MachineTemplate: label sip.airshipit.org~1node-type: want ControlPlane or Worker"},
		{"a deployment without a role keeps its replicas",
			strings.Replace(templates(v1beta2),
				"name: mine, namespace: metal3, labels: {sip.airshipit.org/node-type: Worker}", "name: mine", 1),
			[]Input{input(a)}, "MachineDeployment: label sip.airshipit.org~1node-type: want Worker"},
		{"a role that the cluster has no more", templates(v1beta2), []Input{input(alone)},
			"Metal3MachineTemplate: label sip.airshipit.org~1node-type: want ControlPlane"},
		{"two clusters over one set of templates", templates(v1beta2), []Input{input(a), input(b)},
			"label sip.airshipit.org~1cluster-namespace: found another cluster's"},
		{"two clusters of one tenant", templates(v1beta2), []Input{input(a), input(nobody)},
			"label sip.airshipit.org~1cluster-name: found another cluster's"},
	} {
		_, err := build(t, row.templates, row.inputs...)
		need.Error(t, row.why, err, row.want)
	}
}

func TestEndpoint(t *testing.T) {
	ip := "10.96.0.44"
	for _, row := range []struct {
		why      string
		service  v1.Service
		nodePort int32
		host     string
		port     int32
	}{
		{"an address", v1.Service{Service: &v1.ServiceExposure{Type: corev1.ServiceTypeLoadBalancer,
			LoadBalancerIP: "203.0.113.20"}}, 0, "203.0.113.20", 6443},
		{"the first of two", v1.Service{Service: &v1.ServiceExposure{Type: corev1.ServiceTypeLoadBalancer,
			LoadBalancerIP: "2001:DB8::1,203.0.113.20"}}, 0, "2001:db8::1", 6443},
		{"an address that somebody else gives",
			v1.Service{Service: &v1.ServiceExposure{Type: corev1.ServiceTypeLoadBalancer}}, 0, "", 6443},
		{"any node", v1.Service{}, 30443, "", 30443},
		{"inside the management cluster, where no host comes", v1.Service{}, 0, "", 0},
		{"a cluster IP that was asked for", v1.Service{ClusterIP: &ip}, 0, ip, 6443},
	} {
		c := cluster("t", "c")
		c.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{{Service: row.service,
			NodePort: row.nodePort}}
		host, port := endpoint(c)
		assert.Truef(t, host == row.host && port == row.port, "%s: found %q %d, want %q %d", row.why, host, port,
			row.host, row.port)
	}
	c := cluster("t", "c")
	c.Spec.Services.LoadBalancerControlPlane = nil
	host, port := endpoint(c)
	assert.Truef(t, host == "" && port == 0, "no load balancer: found %q %d", host, port)
}

// TestEndpointOfAPatch: an endpoint is read as Component writes it, and not if somebody has edited it into something
// else.
func TestEndpointOfAPatch(t *testing.T) {
	for endpoint, want := range map[string]string{
		"{host: 203.0.113.20, port: 6443}":       "203.0.113.20:6443",
		"{host: '2001:db8::1', port: 6443}":      "[2001:db8::1]:6443",
		"{port: 30443}":                          "port 30443",
		"{host: '2001:DB8::1', port: 6443}":      "",
		"{host: '2001:db8::1]:1 x', port: 6443}": "",
		"{host: api.example.org, port: 6443}":    "",
		"{host: '2001:db8::1', port: 70000}":     "",
		"{host: '2001:db8::1'}":                  "",
	} {
		assert.Equal(t, want,
			ReadPatch([]byte("kind: Metal3Cluster\nspec: {controlPlaneEndpoint: "+endpoint+"}\n")).Endpoint, endpoint)
	}
}

// TestEndpointOfATemplate: what the spec does not know stays as the template has it.
func TestEndpointOfATemplate(t *testing.T) {
	c := cluster("t", "c")
	c.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{{NodePort: 30443}}
	own := strings.Replace(templates(v1beta2), "kind: Metal3Cluster\nmetadata: {name: mine, namespace: metal3}",
		"kind: Metal3Cluster\nmetadata: {name: mine, namespace: metal3}\nspec: {controlPlaneEndpoint: {host: 192.0.2.5, port: 6443}, cloudProviderEnabled: false}", 1)
	built, err := build(t, own, input(c))
	require.NoError(t, err)
	assert.Equal(t, "cloudProviderEnabled: false\ncontrolPlaneEndpoint:\n  host: 192.0.2.5\n  port: 30443",
		at(t, built, "Metal3Cluster", "mine", "spec"))
}

// TestSelectorsParse: kustomize reads the selectors of roles that a parser could stumble over.
func TestSelectorsParse(t *testing.T) {
	roles := []string{"in", "notin", "a.b_c-d", "worker", strings.Repeat("x", 63)}
	c := cluster("t", "c")
	var own strings.Builder
	for i, role := range roles {
		c.Spec.Nodes[role] = v1.NodeSet{Count: &v1.NodeCount{Active: 1}}
		fmt.Fprintf(&own, "---\napiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: Metal3MachineTemplate\n"+
			"metadata: {name: t%d, labels: {sip.airshipit.org/node-type: '%s'}}\n", i, role)
	}
	built, err := build(t, own.String(), input(c))
	require.NoError(t, err)
	for i, role := range roles {
		where := []string{"spec", "template", "spec", "hostSelector", "matchLabels", "sip.airshipit.org/node-type"}
		assert.Equal(t, role, at(t, built, "Metal3MachineTemplate", fmt.Sprint("t", i), where...), role)
	}
}

func TestTextFromOutsideIsChecked(t *testing.T) {
	for _, row := range []struct {
		why    string
		change func(*Input)
		want   string
	}{
		{"a namespace", func(in *Input) { in.Cluster.Namespace = "a\nb" }, "metadata.namespace"},
		{"a name", func(in *Input) { in.Cluster.Name = "a,b" }, "metadata.name"},
		{"a role", func(in *Input) { in.Cluster.Spec.Nodes["x),y in (z"] = v1.NodeSet{} }, `role "x),y in (z"`},
		{"no role", func(in *Input) { in.Cluster.Spec.Nodes[""] = v1.NodeSet{} }, `role "": want a name`},
		{"a label of a host", func(in *Input) { in.Domains = []string{"r1", "a: b"} }, `failure domain "a: b"`},
	} {
		in := input(cluster("t", "c"))
		row.change(&in)
		files, err := Component(in)
		need.Error(t, row.why, err, row.want)
		assert.Len(t, files, 0, row.why)
	}
	c := cluster("t", "c")
	c.Spec.Services.LoadBalancerControlPlane[0].Service.Service.LoadBalancerIP = "x\ny"
	host, port := endpoint(c)
	assert.Truef(t, host == "" && port == 6443, "an address that is none: found %q %d", host, port)
}

func TestNoRolesNoComponent(t *testing.T) {
	c := cluster("t", "c")
	c.Spec.Nodes = nil
	files, err := Component(input(c))
	assert.Truef(t, err == nil && len(files) == 0, "found %v, %v", files, err)
}

// No file system makes one file of two.
func TestFileNames(t *testing.T) {
	names := fileNames([]string{"Worker", "worker", "GPU", "a.b_c"})
	seen := map[string]bool{}
	for role, name := range names {
		lower := strings.ToLower(name)
		assert.Truef(t, lower == name && !seen[lower], "role %s: found %q, among %v", role, name, names)
		seen[name] = true
	}
	assert.Equal(t, "gpu", names["GPU"])
}
