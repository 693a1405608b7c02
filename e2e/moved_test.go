package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/bmh"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// movedSyncer applies the hosts of the site that guardPolicy renders.
const movedSyncer = "system:serviceaccount:flux-system:sipgen-guards-hosts"

// movedRow is a host as it is, and what the identity that syncs makes of its labels.
type movedRow struct {
	why string
	// spec has more fields of the host's spec, in YAML. State is what the baremetal-operator says.
	spec, state string
	// labels of sipgen's before and after, by the last part of their keys: "cluster-name=a".
	before, after string
	// approval is the annotation's value, %s for the host's uid; "" for none, "rendered" for the patch that sipgen renders for the host as it is.
	approval string
	// denied is what the refusal says, "" for what must pass.
	denied string
}

const (
	wholeClaim = "cluster-namespace=t cluster-name=a node-type=Worker"
	machine    = "consumerRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: Metal3Machine, namespace: t, name: m1}"
	kept       = "consumerRef: {apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, namespace: t, name: a}"
	image      = "image: {url: \"http://user:pass@images.invalid:8080/a%20b/node.qcow2?token=x#y\"}"
)

func movedRows() []movedRow {
	rows := []movedRow{
		{"one of the labels goes: cluster-namespace", machine, "available", wholeClaim, "cluster-name=a node-type=Worker", "", "is in use"},
		{"one of the labels goes: cluster-name", machine, "available", wholeClaim, "cluster-namespace=t node-type=Worker", "", "is in use"},
		{"one of the labels goes: node-type", machine, "available", wholeClaim, "cluster-namespace=t cluster-name=a", "", "is in use"},
		{"it goes to another cluster", machine, "provisioned", wholeClaim, "cluster-namespace=t cluster-name=b node-type=Worker", "", "is in use"},
		{"it goes to another role", machine, "provisioned", wholeClaim, "cluster-namespace=t cluster-name=a node-type=ControlPlane", "", "is in use"},
		{"it goes to another namespace's cluster", machine, "provisioned", wholeClaim, "cluster-namespace=u cluster-name=a node-type=Worker", "", "is in use"},
		{"its labels are emptied, to take them over", machine, "provisioned", wholeClaim, "cluster-namespace= cluster-name= node-type=", "", "is in use"},
		{"it becomes standby", machine, "provisioned", wholeClaim, wholeClaim + " standby=true", "", ""},
		{"it is promoted", machine, "provisioned", wholeClaim + " standby=true", wholeClaim, "", ""},
		{"nobody uses it", "", "available", wholeClaim, "", "", ""},
		{"nobody uses it, and another cluster gets it", "", "available", wholeClaim, "cluster-namespace=t cluster-name=b node-type=Worker", "", ""},
		{"nobody has registered it", "", "", wholeClaim, "", "", ""},
		{"it is inspected", "", "inspecting", wholeClaim, "", "", ""},
		{"first labels of a host in use", machine, "provisioned", "", wholeClaim, "", ""},
		{"a missing label comes back", machine, "provisioned", "cluster-namespace=t cluster-name=a", wholeClaim, "", ""},
		{"a label without a value gets one", machine, "provisioned", "cluster-namespace= cluster-name= node-type=", wholeClaim, "", ""},
		{"labels without a value go", machine, "provisioned", "cluster-namespace= cluster-name= node-type=", "", "", ""},

		{"an approved release", machine, "provisioned", wholeClaim, "", "rendered", ""},
		{"the same, in words", machine, "provisioned", wholeClaim, "", "%s/Metal3Machine/t/m1", ""},
		{"an approved release, and the labels are taken over first", machine, "provisioned", wholeClaim, "cluster-namespace= cluster-name= node-type=", "%s/Metal3Machine/t/m1", ""},
		{"approved for the machine before", machine, "provisioned", wholeClaim, "", "%s/Metal3Machine/t/m0", "is in use"},
		{"approved for a machine of the same name elsewhere", machine, "provisioned", wholeClaim, "", "%s/Metal3Machine/u/m1", "is in use"},
		{"approved for a claim of the same name", machine, "provisioned", wholeClaim, "", "%s/HostClaim/t/m1", "is in use"},
		{"approved for another host", machine, "provisioned", wholeClaim, "", "0f39f33a-8310-4dd1-a37d-2ffe8ca77e01/Metal3Machine/t/m1", "is in use"},
		{"approved for nothing in particular", machine, "provisioned", wholeClaim, "", "%s", "is in use"},
		{"approved when only the image was there", machine + ", " + image, "provisioned", wholeClaim, "", "%s/image/images.invalid/a%%20b/node.qcow2", "is in use"},
		{"an approved release of an image without a consumer", image, "provisioned", wholeClaim, "", "rendered", ""},
		{"the same, in words", image, "provisioned", wholeClaim, "", "%s/image/images.invalid/a%%20b/node.qcow2", ""},
		{"approved for the image before", image, "provisioned", wholeClaim, "", "%s/image/images.invalid/a%%20b/other.qcow2", "is in use"},
		{"an image that is no URL", "image: {url: live}", "provisioned", wholeClaim, "", "rendered", ""},
		{"an approved release of a deploy method", "customDeploy: {method: install_coreos}", "provisioned", wholeClaim, "", "rendered", ""},
		{"an approved release of an externally provisioned host", "externallyProvisioned: true", "externally provisioned", wholeClaim, "", "rendered", ""},
		{"a host that is kept for its cluster", kept, "available", wholeClaim, "", "", "is in use"},
		{"a host that is kept for its cluster, approved", kept, "available", wholeClaim, "", "rendered", "no approval can release it"},
		{"an approval on a host that nobody uses", "", "available", wholeClaim, "", "%s/Metal3Machine/t/m1", ""},
	}
	for _, spec := range []string{image, "customDeploy: {method: install_coreos}", "externallyProvisioned: true"} {
		rows = append(rows, movedRow{"it is in use by its spec alone: " + spec, spec, "available", wholeClaim, "", "", "is in use"})
	}
	for _, state := range []string{"provisioning", "provisioned", "externally provisioned", "deprovisioning"} {
		rows = append(rows, movedRow{"it is in use by its state alone: " + state, "", state, wholeClaim, "", "", "is in use"})
	}
	return rows
}

// TestMovedHosts: what the sync guard makes of a patch that changes whose a host is. The patches are applied as Flux applies them.
func TestMovedHosts(t *testing.T) {
	api := withoutEngines(t)
	api.AllRights(t, "everybody-here")
	const ns = "guards-moved"
	api.Namespaces(t, ns, "flux-system", "argocd")
	api.Apply(t, "e2e", string(guardPolicy(t, v1alpha1.EngineFlux, ns)["policy/sync-guard.yaml"]))
	makeHost(t, api, "controller", ns, "probe", "r1")
	syncer := engine.NewClient(t, api.As(movedSyncer, "everybody-here"))
	waitGuarded(t, syncer, ns, "probe")
	tryMoves(t, api, syncer, ns)
}

// TestMovedHostsInGit: with the hosts' manifests in git the guard makes the same of moves, and stands in the way of nothing else.
func TestMovedHostsInGit(t *testing.T) {
	api := withoutEngines(t)
	api.AllRights(t, "everybody-here")
	for e, user := range map[v1alpha1.Engine]string{
		v1alpha1.EngineFlux: "system:serviceaccount:flux-system:kustomize-controller", v1alpha1.EngineArgoCD: "system:serviceaccount:argocd:argocd-application-controller",
	} {
		t.Run(string(e), func(t *testing.T) {
			ns := "guards-in-git-" + string(e)
			api.Namespaces(t, ns, "flux-system", "argocd")
			api.Apply(t, "e2e", string(guardPolicyOf(t, e, v1alpha1.ApplyOverlay, ns)["policy/sync-guard.yaml"]))
			api.WaitPolicies(t, ns)
			syncer := engine.NewClient(t, api.As(user, "everybody-here"))
			tryMoves(t, api, syncer, ns)

			host := engine.Objects(t, []byte(strings.TrimSpace(hostManifest(ns, "whole", "r1"))+"\n  "+machine))[0]
			host.SetLabels(movedLabels(wholeClaim))
			wantDenied(t, "it makes a host", syncer.TryApply(host, "engine", false), "")
			labels := host.GetLabels()
			labels["rack"] = "another"
			host.SetLabels(labels)
			wantDenied(t, "it writes a label of people's", syncer.TryApply(host, "engine", false), "")
			_ = unstructured.SetNestedField(host.Object, false, "spec", "online")
			wantDenied(t, "it writes a spec", syncer.TryApply(host, "engine", false), "")
			person := engine.NewClient(t, api.As("somebody", "everybody-here"))
			wantDenied(t, "a person takes the labels", person.TryEdit("probe", engine.Hosts, ns, "whole", "", drop("metadata", "labels")), "")
		})
	}
}

// tryMoves has who syncs the hosts of a guarded namespace move them, row by row.
func tryMoves(t *testing.T, api *engine.APIServer, syncer *engine.Client, ns string) {
	t.Helper()
	for i, row := range movedRows() {
		t.Run(row.why, func(t *testing.T) {
			name := fmt.Sprintf("n%02d", i)
			manifest := strings.TrimSpace(hostManifest(ns, name, "r1"))
			if row.spec != "" {
				manifest += "\n  " + strings.ReplaceAll(row.spec, "}, ", "}\n  ")
			}
			api.Create(t, "site-controller", manifest)
			if row.state != "" {
				setStatus(t, api, ns, name, row.state)
			}
			// The labels are the engine's, from an apply before.
			need.OK(t, syncer.TryApply(movedPatch(t, api, ns, name, row.before, ""), "kustomize-controller", false))
			err := syncer.TryApply(movedPatch(t, api, ns, name, row.after, row.approval), "kustomize-controller", false)
			wantDenied(t, row.why, err, row.denied)
			want := row.after
			if row.denied != "" {
				want = row.before
			}
			need.Equal(t, "it has labels", fmt.Sprint(api.OurLabels(t, ns, name)), fmt.Sprint(movedLabels(want)))
		})
	}
}

func movedLabels(words string) map[string]string {
	labels := map[string]string{}
	for _, word := range strings.Fields(words) {
		key, value, _ := strings.Cut(word, "=")
		labels["sip.airshipit.org/"+key] = value
	}
	return labels
}

// movedPatch is what a commit asks of a host.
func movedPatch(t *testing.T, api *engine.APIServer, ns, name, labels, approval string) *unstructured.Unstructured {
	t.Helper()
	live := api.Get(t, engine.Hosts, ns, name)
	if approval == "rendered" {
		return renderedRelease(t, live)
	}
	patch := &unstructured.Unstructured{}
	patch.SetAPIVersion("metal3.io/v1alpha1")
	patch.SetKind("BareMetalHost")
	patch.SetNamespace(ns)
	patch.SetName(name)
	patch.SetUID(live.GetUID())
	if labels != "" {
		patch.SetLabels(movedLabels(labels))
	}
	if approval != "" {
		if strings.Contains(approval, "%") {
			approval = fmt.Sprintf(approval, live.GetUID())
		}
		patch.SetAnnotations(map[string]string{"sip.airshipit.org/release-of": approval})
	}
	return patch
}

// renderedRelease is the patch that sipgen renders for a host whose release was approved.
func renderedRelease(t *testing.T, live *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	var object metal3.BareMetalHost
	need.OK(t, runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, &object))
	host := bmh.FromObject(&object)
	host.Managers = []inventory.Manager{}
	site := &v1alpha1.Site{}
	site.Spec.Repository.URL = "ssh://git@git.invalid/guards.git"
	site.Default()
	release := schedule.Release{Host: &host, Reason: schedule.Approved{Why: schedule.Surplus{}}, Since: schedule.New}
	cluster := schedule.Cluster{Key: schedule.ClusterKey{Namespace: "t", Name: "a"}, Gone: true, Roles: []schedule.Role{{Name: "Worker", Releasing: []schedule.Release{release}}}}
	tree, _, err := render.Site(render.Input{Site: site, Placement: &schedule.Placement{Clusters: []schedule.Cluster{cluster}}})
	need.OK(t, err)
	return engine.Objects(t, tree["clusters/t/a/hosts/"+host.Namespace+"."+host.Name+".yaml"])[0]
}

// TestEmptiedLabels: an apply of no labels by the only owner of all of them leaves null, for which has() is true. The guards go on.
func TestEmptiedLabels(t *testing.T) {
	api := withoutEngines(t)
	api.AllRights(t, "everybody-here")
	const ns = "guards-emptied"
	api.Namespaces(t, ns, "flux-system", "argocd")
	for name, content := range guardPolicy(t, v1alpha1.EngineFlux, ns) {
		if strings.HasPrefix(name, "policy/") && strings.HasSuffix(name, "-guard.yaml") {
			api.Apply(t, "e2e", string(content))
		}
	}
	makeHost(t, api, "controller", ns, "probe", "r1")
	syncer := engine.NewClient(t, api.As(movedSyncer, "everybody-here"))
	waitGuarded(t, syncer, ns, "probe")
	api.Create(t, "site-controller", fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: %s, name: n1}\nspec: {online: true}\n", ns))
	for _, step := range []struct{ what, labels string }{{"the first labels", wholeClaim}, {"none", ""}, {"labels again", wholeClaim}, {"none again", ""}} {
		patch := movedPatch(t, api, ns, "n1", step.labels, "")
		if step.labels == "" {
			need.OK(t, unstructured.SetNestedMap(patch.Object, map[string]any{}, "metadata", "labels"))
		}
		wantDenied(t, step.what, syncer.TryApply(patch, "kustomize-controller", false), "")
	}
	person := engine.NewClient(t, api.As("somebody", "everybody-here"))
	wantDenied(t, "a person deletes it", person.TryDelete(engine.Hosts, ns, "n1", false), "")
}
