package e2e_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// used is a host that a machine runs on.
const used = machine + ", " + image

// TestInUseGuard: with a label guard that only audits, as it does unless the Site says otherwise, a user with all rights over hosts writes no label and no
// approval on a host in use, and is hindered in nothing else. Each try is a row, on a host of its own.
func TestInUseGuard(t *testing.T) {
	api := withoutEngines(t)
	const (
		ns, everybody = "in-use-guard", "everybody-here"
		person        = "somebody"
		restorer      = "restore@example.org"
		syncer        = "system:serviceaccount:flux-system:sipgen-" + ns + "-hosts"
		sip           = "system:serviceaccount:sipcluster-system:default"
		denied        = "this one is in use"
		approves      = "approve it in the SIPCluster"
	)
	api.AllRights(t, everybody)
	api.Namespaces(t, ns, "flux-system")
	labelGuarded(t, api, ns, v1alpha1.LabelGuard{Writers: []string{restorer}})
	both := func(changes ...func(map[string]any)) func(map[string]any) {
		return func(o map[string]any) {
			for _, change := range changes {
				change(o)
			}
		}
	}
	moves := set("other", label("cluster-name")...)
	approval := []string{"metadata", "annotations", "sip.airshipit.org/release-of"}
	type row struct {
		what, user string
		// The host: what its spec has besides, its state, and sipgen's labels.
		spec, state, labels string
		change              func(map[string]any)
		denied              string
	}
	rows := []row{
		{"a person changes cluster-namespace", person, used, "provisioned", wholeClaim, set("x", label("cluster-namespace")...), denied},
		{"a person changes cluster-name", person, used, "provisioned", wholeClaim, moves, denied},
		{"a person changes node-type", person, used, "provisioned", wholeClaim, set("x", label("node-type")...), denied},
		{"a person sets standby", person, used, "provisioned", wholeClaim, set("true", label("standby")...), denied},
		{"a person takes cluster-namespace away", person, used, "provisioned", wholeClaim, drop(label("cluster-namespace")...), denied},
		{"a person takes cluster-name away", person, used, "provisioned", wholeClaim, drop(label("cluster-name")...), denied},
		{"a person takes node-type away", person, used, "provisioned", wholeClaim, drop(label("node-type")...), denied},
		{"a person takes standby away", person, used, "provisioned", wholeClaim + " standby=true", drop(label("standby")...), denied},
		{"a person takes all labels away", person, used, "provisioned", wholeClaim, drop("metadata", "labels"), denied},
		{"a person sets the first labels", person, used, "provisioned", "", moves, denied},
		{"a person fills a label without a value", person, used, "provisioned", "cluster-name=", moves, denied},
		{"a person approves a release", person, used, "provisioned", wholeClaim, set("x", approval...), approves},
		{"a person takes the use and a label away at once", person, used, "available", wholeClaim, both(drop("spec", "consumerRef"), drop("spec", "image"), moves), denied},
		{"a person writes a label as it is", person, used, "provisioned", wholeClaim, set("a", label("cluster-name")...), ""},
		{"a person changes another label", person, used, "provisioned", wholeClaim, set("r9", "metadata", "labels", "rack"), ""},
		{"a person changes another annotation", person, used, "provisioned", wholeClaim, set("", "metadata", "annotations", "baremetalhost.metal3.io/detached"), ""},
		{"a person changes the spec", person, used, "provisioned", wholeClaim, set("x", "spec", "description"), ""},

		{"Cluster API hands a host out", capm3, used, "provisioned", wholeClaim, moves, denied},
		{"Cluster API sets its label and lets the host go", capm3, used, "provisioned", wholeClaim, both(set("c", "metadata", "labels", "cluster.x-k8s.io/cluster-name"), drop("spec", "consumerRef"), drop("spec", "image")), ""},
		{"the operator sets its finalizer", engine.OperatorUser, used, "provisioned", wholeClaim, set([]any{"baremetalhost.metal3.io"}, "metadata", "finalizers"), ""},
		{"the SIP operator takes a host", sip, used, "provisioned", "", moves, denied},
		{"the SIP operator takes an idle host", sip, "", "available", "", moves, ""},
		{"a writer of the Site restores labels", restorer, used, "provisioned", "", moves, ""},
		{"a writer of the Site changes cluster-name", restorer, used, "provisioned", wholeClaim, moves, ""},
		{"a writer of the Site restores an approval", restorer, used, "provisioned", wholeClaim, set("x", approval...), ""},
		{"the engine sets standby", syncer, used, "provisioned", wholeClaim, set("true", label("standby")...), ""},
		{"the engine restores a label", syncer, used, "provisioned", "cluster-namespace=t cluster-name=a", set("Worker", label("node-type")...), ""},
		{"the engine sets the first labels", syncer, used, "provisioned", "", moves, ""},
		{"the engine moves the host", syncer, used, "provisioned", wholeClaim, moves, "is in use"},
		{"the engine releases the host with an approval", syncer, used, "provisioned", wholeClaim, both(drop(label("cluster-name")...), func(o map[string]any) {
			uid, _, _ := unstructured.NestedString(o, "metadata", "uid")
			set(uid+"/Metal3Machine/t/m1", approval...)(o)
		}), ""},

		{"an idle host: a person changes cluster-name", person, "", "available", wholeClaim, moves, ""},
		{"an idle host: a person takes all labels away", person, "", "available", wholeClaim, drop("metadata", "labels"), ""},
		{"an idle host: a person approves a release", person, "", "available", wholeClaim, set("x", approval...), ""},
		{"a host without a status", person, "", "", wholeClaim, moves, ""},
		{"a host that is inspected", person, "", "inspecting", wholeClaim, moves, ""},
		{"a host that is not externally provisioned", person, "externallyProvisioned: false", "available", wholeClaim, moves, ""},
		{"a host that is kept for its cluster", person, kept, "available", wholeClaim, moves, denied},
	}
	for _, spec := range []string{machine, image, "customDeploy: {method: install_coreos}", "externallyProvisioned: true"} {
		rows = append(rows, row{"in use by its spec alone: " + spec, person, spec, "available", wholeClaim, moves, denied})
	}
	for _, state := range []string{"provisioning", "provisioned", "externally provisioned", "deprovisioning"} {
		rows = append(rows, row{"in use by its state alone: " + state, person, "", state, wholeClaim, moves, denied})
	}
	makeUsed := func(t *testing.T, name string, row row) {
		t.Helper()
		host := labeledHost(t, ns, name, row.spec, row.labels)
		need.OK(t, api.TryApply(host, "site-controller", false))
		if row.state != "" {
			setStatus(t, api, ns, name, row.state)
		}
	}
	for i, row := range rows {
		t.Run(row.what, func(t *testing.T) {
			name := fmt.Sprintf("n%02d", i)
			makeUsed(t, name, row)
			client := engine.NewClient(t, api.As(row.user, everybody))
			wantDenied(t, row.what, client.TryEdit("probe", engine.Hosts, ns, name, "", row.change), row.denied)
		})
	}
	t.Run("break-glass changes cluster-name", func(t *testing.T) {
		makeUsed(t, "glass", row{spec: used, state: "provisioned", labels: wholeClaim})
		glass := engine.NewClient(t, api.As(person, everybody, "system:masters"))
		wantDenied(t, "break-glass", glass.TryEdit("probe", engine.Hosts, ns, "glass", "", moves), "")
	})
	// clusterctl move and a restore: a user whom the Site does not name makes a host as it was, writes its status, and unpauses it.
	t.Run("a host in use is made with labels and a status", func(t *testing.T) {
		mover := engine.NewClient(t, api.As("mover", everybody))
		host := labeledHost(t, ns, "moved", used, wholeClaim)
		host.SetAnnotations(map[string]string{"baremetalhost.metal3.io/paused": "", "sip.airshipit.org/release-of": "x"})
		wantDenied(t, "it is made", mover.TryApply(host, "clusterctl", false), "")
		wantDenied(t, "its status is written", mover.TryEdit("clusterctl", engine.Hosts, ns, "moved", "status", func(o map[string]any) {
			o["status"] = api.Get(t, engine.Hosts, ns, "glass").Object["status"]
		}), "")
		wantDenied(t, "it is unpaused", mover.TryEdit("clusterctl", engine.Hosts, ns, "moved", "", drop("metadata", "annotations", "baremetalhost.metal3.io/paused")), "")
		wantDenied(t, "the move is repeated", mover.TryApply(host, "clusterctl", false), "")
		host.SetLabels(movedLabels("cluster-namespace=t cluster-name=b node-type=Worker"))
		wantDenied(t, "a restore overwrites it", mover.TryApply(host, "clusterctl", false), denied)
	})
}

// labeledHost is a host with more fields of the spec, in YAML, and sipgen's labels.
func labeledHost(t *testing.T, ns, name, spec, labels string) *unstructured.Unstructured {
	t.Helper()
	manifest := strings.TrimSpace(hostManifest(ns, name, "r1"))
	if spec != "" {
		manifest += "\n  " + strings.ReplaceAll(spec, "}, ", "}\n  ")
	}
	host := engine.Objects(t, []byte(manifest))[0]
	all := host.GetLabels()
	maps.Copy(all, movedLabels(labels))
	host.SetLabels(all)
	return host
}
