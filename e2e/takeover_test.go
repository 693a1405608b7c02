package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// What the SIP operator made for its tenant lma, as it is recorded in testdata/inputs/sip-operator.
const (
	sipTenant = "lma-infra"
	sipHosts  = "vino-system"
)

var sipServices = []string{"jumphost-lma", "loadbalancer-controlplane-lma", "loadbalancer-worker-lma"}

// TestTakeover takes an installation of the SIP operator over, by docs/from-sip.md and the commands that sipgen plan
// prints, on a real API server with the Deployment, ReplicaSet, Endpoints and EndpointSlice controllers of
// kube-controller-manager, and Flux. SIP's objects are those that were recorded of it, made as field manager "manager"
// by updates. The commands know no engine; that Argo CD takes objects over that another manager has let go, as these
// do, TestProcedures has.
//
// There is no kubelet: engine.StartPods makes every pod ready whose Secrets and ConfigMaps are there. So this is about
// objects and endpoints; no connection goes through a load balancer.
func TestTakeover(t *testing.T) {
	t.Parallel()
	c := sipInstallation(t)
	api := c.rig.api
	before := map[string]*unstructured.Unstructured{}
	for _, name := range sipServices {
		before["deployment "+name] = api.Get(t, engine.Deployments, sipTenant, name)
		before["service "+name] = api.Get(t, engine.Services, sipTenant, name)
	}
	watch := watchEndpoints(t, api)
	// A person at a shell, in a folder with the Site: kubectl as the admin, and sipgen with the rights of its account.
	dir := t.TempDir()
	need.Write(t, filepath.Join(dir, "site.yaml"), c.siteText(t))
	env := []string{"READER=" + engine.Kubeconfig(t, api.As(c.account)), "SITE=" + c.site.Name,
		"SIPGEN_REPO=" + c.repo.Dir}
	run := func(lines string) string {
		t.Helper()
		return bash(t, api, dir, "sipgen() { KUBECONFIG=$READER command sipgen \"$@\"; }\n"+lines, env...)
	}

	// The page's commands, word by word.
	words := strings.NewReplacer("NAMESPACE", sipTenant, "CLUSTER", "lma")
	var way []string
	for _, block := range procedure(t, "takeover-tenant") {
		way = append(way, words.Replace(block))
	}
	require.Truef(t, len(way) == 6,
		"docs/from-sip.md has %d blocks of commands for one tenant, want those of steps 0, 1 (two), 3, 4 and 5: %q",
		len(way), way)
	run(way[0]) // stop SIP
	run("mkdir tenants\n" + way[1])
	written := string(need.Read(t, filepath.Join(dir, "tenants/lma.yaml")))
	c.specs["lma"] = sipSpecOfToday(t, written)
	need.Write(t, filepath.Join(dir, "tenants/lma.yaml"), c.specs["lma"])

	// The administrator may look for the Secret of step 2; whoever syncs may not. The finalizer is for later, and said.
	finalizer := "SIPCluster lma-infra/lma: it has the finalizer sip.airship.airshipit.org/finalizer"
	asAdmin := "command " + strings.TrimSpace(way[2]) + " 2>&1 || true"
	plan := run(asAdmin)
	assert.Truef(t,
		strings.Contains(plan, "there is no Secret jumphost-lma-host-keys") && strings.Contains(plan, finalizer) &&
			!strings.Contains(plan, "calls its port"),
		"before the Secret is there, the plan is\n%s", plan)
	run(fix(t, plan, "there is no Secret jumphost-lma-host-keys"))
	// It ends with 1: until the next step the objects are SIP's.
	endsWithOne := func(command string) string { return "code=0; " + command + " || code=$?; [ $code = 1 ]" }
	plan = run(endsWithOne(strings.TrimSpace(way[2])))
	assert.Contains(t, plan, "1 cluster, 5 hosts assigned (0 new)", "the plan")
	assert.NotContains(t, plan, "released", "the plan")
	assert.NotContains(t, plan, "pending", "the plan")
	// Before the objects are handed over none of the tenant's services is published, and the message has the commands.
	const on = " --site site.yaml -f tenants --inventory cluster"
	said := run(endsWithOne("sipgen publish" + on + " --author 'Ada <ada@example.org>'"))
	for _, word := range []string{
		"frozen: lma-infra/lma: Deployment lma-infra/jumphost-lma",
		"kubectl patch -n lma-infra deployments.apps/jumphost-lma --type=json",
		"could not check whether there is a Secret jumphost-lma-host-keys",
	} {
		assert.Contains(t, said, word, "published over SIP's objects")
	}
	if c.readTree(t); c.tree["clusters/lma-infra/lma/infra/kustomization.yaml"] != nil {
		t.Error("services are in the tree that the engine cannot sync")
	}
	said = run(endsWithOne("sipgen diff" + on))
	assert.Contains(t, said, "frozen: lma-infra/lma: Deployment lma-infra/jumphost-lma",
		"diff before the objects are handed over")
	hand := run("set +o pipefail\n{\n" + way[3] + "\n} 2>/dev/null") // the plan ends with 1, and warns
	assert.Equal(t, 6, strings.Count(hand, "kubectl patch"), "objects that are handed over")
	run(hand)

	require.Truef(t, c.commit(t), "nothing to commit\n%s", c.said)
	c.sync(t, nil)
	for _, name := range sipServices { // wait for the rollout
		run(strings.ReplaceAll(way[4], "NAME", name))
	}
	for _, name := range sipServices {
		assert.Truef(t, api.Exists(t, engine.Secrets, sipTenant, name),
			"SIP's Secret %s was gone before the rollout was through", name)
	}
	run(way[5]) // delete what SIP left behind
	run(fix(t, run(asAdmin), finalizer))

	for _, name := range sipServices {
		assert.Truef(t, !api.Exists(t, engine.Secrets, sipTenant, name), "SIP's Secret %s is still there", name)
		c.wantTakenOver(t, name, before["deployment "+name], before["service "+name])
	}
	assert.Truef(t, !api.Exists(t, engine.ConfigMaps, sipTenant, "jumphost-lma"), "SIP's ConfigMap is still there")
	assert.Len(t, api.Get(t, sipClusters, sipTenant, "lma").GetFinalizers(), 0, "the SIPCluster has the finalizers")
	said = run("sipgen diff" + on)
	assert.Contains(t, said, "no difference", "diff after the takeover")
	assert.NotContains(t, said, "finalizer", "diff after the takeover")
	assert.NotContains(t, said, "host-keys", "diff after the takeover")
	c.wantSIPLabels(t)
	c.untouched.Check(t, "the takeover")

	watch.end(t)

	// Whatever pod is started anew now has nothing of SIP's.
	run("kubectl -n lma-infra delete pods --all --wait=false")
	run("kubectl -n lma-infra rollout status deployment/jumphost-lma --timeout=4m")
	run("kubectl -n lma-infra rollout status deployment/loadbalancer-worker-lma --timeout=4m")
	for _, pod := range api.List(t, engine.Pods, sipTenant) {
		text, err := pod.MarshalJSON()
		require.NoError(t, err)
		for _, left := range []string{"ssh-perms", "node-role.kubernetes.io/master", `"secretName":"loadbalancer-`,
			`"secretName":"jumphost-lma"`, "quay.io/airshipit"} {
			if pod.GetDeletionTimestamp() == nil && strings.Contains(string(text), left) {
				t.Errorf("pod %s has %s of SIP's", pod.GetName(), left)
			}
		}
	}

	// A shorter range takes effect: the Service's ports are nobody's but the engine's.
	c.specs["lma"] = strings.Replace(c.specs["lma"], "end: 30020", "end: 30015", 1)
	require.Truef(t, c.commit(t), "a shorter range: nothing to commit\n%s", c.said)
	c.sync(t, nil)
	ports, _, _ := unstructured.NestedSlice(api.Get(t, engine.Services, sipTenant, "loadbalancer-worker-lma").Object,
		"spec", "ports")
	assert.Len(t, ports, 13, "a range of 13 ports")
	c.exits(t, "a shorter range", 0, "diff")
	// The hosts' labels do not go with the SIPCluster, and nothing holds its deletion.
	run("kubectl -n lma-infra delete sipclusters.airship.airshipit.org lma --timeout=4m")
	c.wantSIPLabels(t)
}

// sipInstallation is an API server with SIP's objects of one tenant under way, and an engine that knows nothing of
// them.
func sipInstallation(t *testing.T) *circle {
	t.Helper()
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, engine.HostCRDs(t)...)
	api.InstallCRDs(t, filepath.Join("..", "config", "crd", "airship.airshipit.org_sipclusters.yaml"))
	r := &rig{engine: v1alpha1.EngineFlux, api: api, alone: true}
	engine.StartPods(t, api)
	r.flux = engine.StartFlux(t, api)
	r.controllers = engine.StartControllers(t, api, "deployment-controller", "replicaset-controller",
		"endpoints-controller", "endpointslice-controller")
	api.Namespaces(t, sipTenant, sipHosts, "sipcluster-system")

	read := func(name string) string {
		return string(need.Read(t, filepath.Join("..", "testdata", "inputs", "sip-operator", name)))
	}
	// SIP's labels are SIP's.
	api.MakeHosts(t, regexp.MustCompile(`(?m)^    sip\.airshipit\.org/.*\n`).ReplaceAll([]byte(read("hosts.yaml")),
		nil))
	for _, o := range engine.Objects(t, []byte(read("hosts.yaml"))) {
		if ofSIP := engine.OurLabels(o); len(ofSIP) > 0 {
			api.Edit(t, "manager", engine.Hosts, sipHosts, o.GetName(), "", func(live map[string]any) {
				for key, value := range ofSIP {
					set(value, "metadata", "labels", key)(live)
				}
			})
		}
	}
	api.Create(t, "people", "apiVersion: v1\nkind: Secret\nmetadata: {namespace: "+sipTenant+
		", name: ssh-private-keys}\nstringData: {ssh-privatekey: none}\n")
	api.Create(t, "manager", read("spec.yaml"), read("objects.yaml"))
	api.Create(t, "people", `
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: sipcluster-system, name: sipcluster-controller-manager}
spec:
  selector: {matchLabels: {control-plane: controller-manager}}
  template:
    metadata: {labels: {control-plane: controller-manager}}
    spec: {containers: [{name: manager, image: quay.io/airshipit/sip}]}
`)
	c := &circle{rig: r, ns: sipHosts, tenants: sipTenant, repo: engine.NewRepo(t), specs: map[string]string{}}
	c.site = &v1alpha1.Site{}
	c.site.Name = "takeover"
	c.site.Spec.Repository.URL = "ssh://git@git.invalid/takeover.git"
	c.site.Spec.Hosts.Namespaces = []string{sipHosts}
	c.site.Spec.Images.JumpHost = "registry.example.org/jump-host:1"
	c.site.Default()
	c.account = c.reader(t)
	c.accept(t)
	for _, name := range sipServices {
		api.Kubectl(t, "", "-n", sipTenant, "rollout", "status", "deployment/"+name, "--timeout=4m")
	}
	return c
}

// TestDefinitionBesideSIP: the reader alone leaves SIPClusters as SIP's definition has them. sipgen's own definition,
// which has the same name and version, takes fields off for good: the page says so.
func TestDefinitionBesideSIP(t *testing.T) {
	t.Parallel()
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, filepath.Join("testdata", "sip-definition.yaml"))
	api.Namespaces(t, "old")
	api.Create(t, "people", `
apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: old, name: old}
spec:
  nodes:
    Worker: {vmFlavor: worker, spreadTopology: PerRack, count: {active: 2, standby: 1}}
  services: {}
`)
	clusters := schema.GroupVersionResource{Group: "airship.airshipit.org", Version: "v1", Resource: "sipclusters"}
	role := func() map[string]any {
		t.Helper()
		found, _, err := unstructured.NestedMap(api.Get(t, clusters, "old", "old").Object, "spec", "nodes", "Worker")
		require.NoError(t, err)
		return found
	}
	count := map[string]any{"active": int64(2), "standby": int64(1)}
	whole := map[string]any{"vmFlavor": "worker", "spreadTopology": "PerRack", "count": count}
	assert.Equal(t, whole, role(), "SIP's definition")
	text := string(need.Read(t, "../docs/from-sip.md"))
	for _, word := range []string{"kubectl apply -k config", "kubectl apply -f config/reader.yaml"} {
		assert.Contains(t, text, word, "the page")
	}
	api.Kubectl(t, "", "apply", "-f", "../config/reader.yaml")
	assert.Equal(t, whole, role(), "with the reader")
	api.Kubectl(t, "", "apply", "-k", "../config")
	require.NoError(t, engine.Eventually(engine.SyncTimeout, func() error {
		if len(role()) > 1 {
			return fmt.Errorf("sipgen's definition: found %v", role())
		}
		return nil
	}))
	api.Kubectl(t, "", "-n", "old", "annotate", "sipclusters", "old", "written=again")
	api.Kubectl(t, "", "apply", "-f", filepath.Join("testdata", "sip-definition.yaml"))
	api.Kubectl(t, "", "-n", "old", "annotate", "sipclusters", "old", "after=written")
	assert.Equal(t, map[string]any{"count": count}, role(), "SIP's definition again")
}

// sipSpecOfToday makes the changes of docs/from-sip.md, "Specs", in a SIPCluster that kubectl wrote.
func sipSpecOfToday(t *testing.T, written string) string {
	t.Helper()
	o := engine.Objects(t, []byte(written))[0]
	unstructured.RemoveNestedField(o.Object, "status")
	o.Object["metadata"] = map[string]any{"namespace": o.GetNamespace(), "name": o.GetName()}
	for list, set := range map[string]map[string]any{
		"loadBalancerControlPlane": {"portName": "http"}, "loadBalancerWorker": {"checkEachPort": true}, "jumpHost": {},
	} {
		entries, _, err := unstructured.NestedSlice(o.Object, "spec", "services", list)
		require.Truef(t, err == nil && len(entries) == 1, "%s: found %v, %v", list, entries, err)
		entry, _ := entries[0].(map[string]any)
		delete(entry, "image")
		if entry["nodePortRange"] != nil {
			delete(entry, "nodePort")
		}
		maps.Copy(entry, set)
		require.NoError(t, unstructured.SetNestedSlice(o.Object, entries, "spec", "services", list))
	}
	text := need.Value(yaml.Marshal(o.Object))(t)
	return string(text)
}

// wantTakenOver wants an object of SIP's to be the one that it was, with pods that have nothing of SIP's: the template
// is what the API server makes of the rendered one where there was nothing before.
func (c *circle) wantTakenOver(t *testing.T, name string, deployment, service *unstructured.Unstructured) {
	t.Helper()
	api := c.rig.api
	nowDeployment, nowService := api.Get(t, engine.Deployments, sipTenant, name), api.Get(t, engine.Services, sipTenant,
		name)
	assert.Truef(t, nowDeployment.GetUID() == deployment.GetUID() && nowService.GetUID() == service.GetUID(),
		"%s: another object than before", name)
	var was, is corev1.Service
	var live, fresh appsv1.Deployment
	convert(t, service, &was)
	convert(t, nowService, &is)
	convert(t, nowDeployment, &live)
	assert.Truef(t, was.Spec.ClusterIP == is.Spec.ClusterIP, "%s: the cluster IP was %s and is %s", name,
		was.Spec.ClusterIP, is.Spec.ClusterIP)
	ports := func(s *corev1.Service) []string {
		var out []string
		for _, p := range s.Spec.Ports {
			out = append(out, fmt.Sprintf("%s:%d:%d", p.Name, p.Port, p.NodePort))
		}
		return out
	}
	assert.Equal(t, ports(&is), ports(&was), name)
	var rendered *unstructured.Unstructured
	for _, o := range engine.Objects(t, []byte(c.run(t,
		[]string{"kubectl kustomize clusters/" + sipTenant + "/lma/infra\n"}))) {
		if o.GetKind() == "Deployment" && o.GetName() == name {
			rendered = o
		}
	}
	rendered.SetName(name + "-anew")
	created, err := api.Dynamic.Resource(engine.Deployments).Namespace(sipTenant).Create(context.Background(), rendered,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	require.NoError(t, err)
	convert(t, created, &fresh)
	assert.Equal(t, fresh.Spec, live.Spec, name)
}

// fix is the command at the end of the message that says so.
func fix(t *testing.T, said, what string) string {
	t.Helper()
	for line := range strings.Lines(said) {
		if _, command, has := strings.Cut(line, "fix it with: "); has && strings.Contains(line, what) {
			return command
		}
	}
	t.Fatalf("no command for %q in\n%s", what, said)
	return ""
}

func convert(t *testing.T, from *unstructured.Unstructured, into any) {
	t.Helper()
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, into))
}

// wantSIPLabels wants the five hosts of the tenant to be its own.
func (c *circle) wantSIPLabels(t *testing.T) {
	t.Helper()
	roles := map[string]int{}
	for _, host := range c.rig.api.List(t, engine.Hosts, sipHosts) {
		if labels := host.GetLabels(); labels[clusterName] == "lma" &&
			labels["sip.airshipit.org/cluster-namespace"] == sipTenant {
			roles[labels["sip.airshipit.org/node-type"]]++
		}
	}
	assert.Truef(t, roles["ControlPlane"] == 2 && roles["Worker"] == 3 && len(roles) == 2, "the tenant's hosts are %v",
		roles)
}
