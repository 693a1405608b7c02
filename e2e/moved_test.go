package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/bmh"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// movedRow is a host as it is, and what the identity that syncs makes of its labels.
type movedRow struct {
	why string
	// spec has more fields of the host's spec, in YAML. State is what the baremetal-operator says.
	spec, state string
	// labels of sipgen's before and after, by the last part of their keys: "cluster-name=a".
	before, after string
	// approval is the annotation's value, %s for the host's uid; "" for none, "rendered" for the patch that sipgen
	// renders for the host as it is.
	approval string
	// denied is what the refusal says, "" for what must pass.
	denied string
}

const (
	wholeClaim = "cluster-namespace=t cluster-name=a node-type=Worker"
	machine    = "consumerRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: Metal3Machine, namespace: t, name: m1}"
	kept       = "consumerRef: {apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, namespace: t, name: a}"
	image      = "image: {url: \"http://user:pass@images.invalid:8080/a%20b/node.qcow2?token=x#y\"}"
	noURL      = "image: {url: \"\"}"
)

func movedRows() []movedRow {
	rows := []movedRow{
		{"one of the labels goes: cluster-namespace", machine, "available", wholeClaim,
			"cluster-name=a node-type=Worker", "", "is in use"},
		{"one of the labels goes: cluster-name", machine, "available", wholeClaim,
			"cluster-namespace=t node-type=Worker", "", "is in use"},
		{"one of the labels goes: node-type", machine, "available", wholeClaim, "cluster-namespace=t cluster-name=a",
			"", "is in use"},
		{"it goes to another cluster", machine, "provisioned", wholeClaim,
			"cluster-namespace=t cluster-name=b node-type=Worker", "", "is in use"},
		{"it goes to another role", machine, "provisioned", wholeClaim,
			"cluster-namespace=t cluster-name=a node-type=ControlPlane", "", "is in use"},
		{"it goes to another namespace's cluster", machine, "provisioned", wholeClaim,
			"cluster-namespace=u cluster-name=a node-type=Worker", "", "is in use"},
		{"its labels are emptied, to take them over", machine, "provisioned", wholeClaim,
			"cluster-namespace= cluster-name= node-type=", "", "is in use"},
		{"it becomes standby", machine, "provisioned", wholeClaim, wholeClaim + " standby=true", "", ""},
		{"it is promoted", machine, "provisioned", wholeClaim + " standby=true", wholeClaim, "", ""},
		{"nobody uses it", "", "available", wholeClaim, "", "", ""},
		{"nobody uses it, and another cluster gets it", "", "available", wholeClaim,
			"cluster-namespace=t cluster-name=b node-type=Worker", "", ""},
		{"its image has no URL, which metal3 takes for none", noURL, "available", wholeClaim, "", "", ""},
		{"its image has no URL, and it is not deprovisioned yet", noURL, "provisioned", wholeClaim, "", "", "is in use"},
		{"the same, and its release is approved", noURL, "provisioned", wholeClaim, "", "rendered", ""},
		{"an approved release of a deploy method, with an image without a URL",
			noURL + ", customDeploy: {method: install_coreos}", "provisioned", wholeClaim, "", "rendered", ""},
		{"nobody has registered it", "", "", wholeClaim, "", "", ""},
		{"it is inspected", "", "inspecting", wholeClaim, "", "", ""},
		{"first labels of a host in use", machine, "provisioned", "", wholeClaim, "", ""},
		{"a missing label comes back", machine, "provisioned", "cluster-namespace=t cluster-name=a", wholeClaim, "",
			""},
		{"a label without a value gets one", machine, "provisioned", "cluster-namespace= cluster-name= node-type=",
			wholeClaim, "", ""},
		{"labels without a value go", machine, "provisioned", "cluster-namespace= cluster-name= node-type=", "", "",
			""},

		{"an approved release", machine, "provisioned", wholeClaim, "", "rendered", ""},
		{"the same, in words", machine, "provisioned", wholeClaim, "", "%s/Metal3Machine/t/m1", ""},
		{"an approved release, and the labels are taken over first", machine, "provisioned", wholeClaim,
			"cluster-namespace= cluster-name= node-type=", "%s/Metal3Machine/t/m1", ""},
		{"approved for the machine before", machine, "provisioned", wholeClaim, "", "%s/Metal3Machine/t/m0",
			"is in use"},
		{"approved for a machine of the same name elsewhere", machine, "provisioned", wholeClaim, "",
			"%s/Metal3Machine/u/m1", "is in use"},
		{"approved for a claim of the same name", machine, "provisioned", wholeClaim, "", "%s/HostClaim/t/m1",
			"is in use"},
		{"approved for another host", machine, "provisioned", wholeClaim, "",
			"0f39f33a-8310-4dd1-a37d-2ffe8ca77e01/Metal3Machine/t/m1", "is in use"},
		{"approved for nothing in particular", machine, "provisioned", wholeClaim, "", "%s", "is in use"},
		{"approved when only the image was there", machine + ", " + image, "provisioned", wholeClaim, "",
			"%s/image/images.invalid/a%%20b/node.qcow2", "is in use"},
		{"an approved release of an image without a consumer", image, "provisioned", wholeClaim, "", "rendered", ""},
		{"the same, in words", image, "provisioned", wholeClaim, "", "%s/image/images.invalid/a%%20b/node.qcow2", ""},
		{"approved for the image before", image, "provisioned", wholeClaim, "",
			"%s/image/images.invalid/a%%20b/other.qcow2", "is in use"},
		{"an image that is no URL", "image: {url: live}", "provisioned", wholeClaim, "", "rendered", ""},
		{"an approved release of a deploy method", "customDeploy: {method: install_coreos}", "provisioned", wholeClaim,
			"", "rendered", ""},
		{"an approved release of an externally provisioned host", "externallyProvisioned: true",
			"externally provisioned", wholeClaim, "", "rendered", ""},
		{"a host that is kept for its cluster", kept, "available", wholeClaim, "", "", "is in use"},
		{"a host that is kept for its cluster, approved", kept, "available", wholeClaim, "", "rendered",
			"no approval can release it"},
		{"an approval on a host that nobody uses", "", "available", wholeClaim, "", "%s/Metal3Machine/t/m1", ""},
	}
	for _, spec := range usedSpecs {
		rows = append(rows, movedRow{"it is in use by its spec alone: " + spec, spec, "available", wholeClaim, "", "",
			"is in use"})
	}
	for _, state := range usedStates {
		rows = append(rows, movedRow{"it is in use by its state alone: " + state, "", state, wholeClaim, "", "",
			"is in use"})
	}
	return rows
}

// TestMovedHosts: what the sync guard makes of a patch that changes whose a host is, which is applied as Flux applies
// it. With the hosts' manifests in git it makes the same of moves, and stands in the way of nothing else.
func TestMovedHosts(t *testing.T) {
	api := withoutEngines(t)
	for ns, site := range map[string]struct {
		engine v1alpha1.Engine
		syncer string
		inGit  bool
	}{
		"moved":               {v1alpha1.EngineFlux, hostsAccount("moved"), false},
		"moved-in-git-flux":   {v1alpha1.EngineFlux, "system:serviceaccount:flux-system:kustomize-controller", true},
		"moved-in-git-argocd": {v1alpha1.EngineArgoCD, argoAccount, true},
	} {
		t.Run(ns, func(t *testing.T) {
			enforce(t, api, ns, func(s *v1alpha1.SiteSpec) {
				if s.Engine = site.engine; site.inGit {
					s.Hosts.Apply, s.Hosts.Base = v1alpha1.ApplyOverlay, "metal"
				}
			})
			syncer, rows := anybody(t, api, site.syncer), movedRows()
			if ns == "moved-in-git-argocd" {
				rows = rows[:1] // the guard is that of Flux: see TestGuardsOfManifestsInGit of package render
			}
			for i, row := range rows {
				t.Run(row.why, func(t *testing.T) {
					name := fmt.Sprintf("n%02d", i)
					guardedHost{row.spec, row.state, ""}.make(t, api, ns, name)
					// The labels are the engine's, from an apply before.
					require.NoError(t,
						syncer.TryApply(movedPatch(t, api, ns, name, row.before, ""), "kustomize-controller", false))
					err := syncer.TryApply(movedPatch(t, api, ns, name, row.after, row.approval),
						"kustomize-controller", false)
					wantDenied(t, row.why, err, row.denied)
					want := row.after
					if row.denied != "" {
						want = row.before
					}
					assert.Equal(t, fmt.Sprint(movedLabels(want)), fmt.Sprint(api.OurLabels(t, ns, name)),
						"it has labels")
				})
			}
			if !site.inGit {
				return
			}
			host := labeledHost(t, ns, "whole", machine, wholeClaim)
			for _, step := range []struct {
				what   string
				change func(map[string]any)
			}{
				{"it makes a host", func(map[string]any) {}},
				{"it writes a label of people's", set("another", "metadata", "labels", "rack")},
				{"it writes a spec", set(false, "spec", "online")},
			} {
				step.change(host.Object)
				wantDenied(t, step.what, syncer.TryApply(host, "engine", false), "")
			}
			changes := set("theirs", "metadata", "labels", "rack")
			person := anybody(t, api, "somebody")
			wantDenied(t, "a person writes a label", person.TryEdit("probe", engine.Hosts, ns, "whole", "", changes),
				"")
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
	patch := engine.Objects(t, fmt.Appendf(nil, "apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\n"+
		"metadata: {namespace: %s, name: %s, uid: %s}\n", ns, name, live.GetUID()))[0]
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
	convert(t, live, &object)
	host := bmh.FromObject(&object)
	host.Managers = []inventory.Manager{}
	site := &v1alpha1.Site{}
	site.Spec.Repository.URL = "ssh://git@git.invalid/guards.git"
	site.Default()
	release := schedule.Release{Host: &host, Reason: schedule.Approved{Why: schedule.Surplus{}}, Since: schedule.New}
	cluster := schedule.Cluster{Key: schedule.ClusterKey{Namespace: "t", Name: "a"}, Gone: true,
		Roles: []schedule.Role{{Name: "Worker", Releasing: []schedule.Release{release}}}}
	tree, _, err := render.Site(render.Input{Site: site,
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{cluster}}})
	require.NoError(t, err)
	return engine.Objects(t, tree["clusters/t/a/hosts/"+host.Namespace+"."+host.Name+".yaml"])[0]
}

// TestEmptiedLabels: an apply of no labels by the only owner of all of them leaves null, for which has() is true. The
// guards go on.
func TestEmptiedLabels(t *testing.T) {
	const ns = "guards-emptied"
	api := withoutEngines(t)
	enforce(t, api, ns, func(*v1alpha1.SiteSpec) {})
	syncer := anybody(t, api, hostsAccount(ns))
	api.Create(t, "site-controller", "apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\n"+
		"metadata: {namespace: "+ns+", name: n1}\nspec: {online: true}\n")
	for i, labels := range []string{wholeClaim, "", wholeClaim, ""} {
		patch := movedPatch(t, api, ns, "n1", labels, "")
		if labels == "" {
			set(map[string]any{}, "metadata", "labels")(patch.Object)
		}
		wantDenied(t, fmt.Sprintf("apply %d", i), syncer.TryApply(patch, "kustomize-controller", false), "")
	}
	wantDenied(t, "a person deletes it", anybody(t, api, "somebody").TryDelete(engine.Hosts, ns, "n1", false), "")
}
