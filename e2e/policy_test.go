package e2e_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/e2e/engine"
)

// rowPolicy: what the rendered policies forbid, and what they must not stand in the way of.
func rowPolicy(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenant("a", 1)
	c.step(t, "assign")
	r.api.Apply(t, "e2e", `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: everybody-here}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: Group, name: everybody-here, apiGroup: rbac.authorization.k8s.io}]
`)
	syncer := "system:serviceaccount:flux-system:sipgen-hosts"
	if r.argo != nil {
		syncer = "system:serviceaccount:argocd:argocd-application-controller"
	}
	set := func(value any, fields ...string) func(map[string]any) {
		return func(o map[string]any) { _ = unstructured.SetNestedField(o, value, fields...) }
	}
	drop := func(fields ...string) func(map[string]any) {
		return func(o map[string]any) { unstructured.RemoveNestedField(o, fields...) }
	}
	for _, try := range []struct {
		what, user string
		change     func(map[string]any)
		status     bool
		denied     string
	}{
		{"the engine changes the spec", syncer, set(false, "spec", "online"), false, "spec"},
		{"the engine takes the spec away", syncer, drop("spec"), false, "spec"},
		{"the engine takes a field of the spec away", syncer, drop("spec", "bmc"), false, "spec"},
		{"the engine changes a foreign label", syncer, set("r9", "metadata", "labels", "rack"), false, "labels"},
		{"the engine takes a foreign label away", syncer, drop("metadata", "labels", "rack"), false, "labels"},
		{"the engine pauses the host", syncer, set("", "metadata", "annotations", "baremetalhost.metal3.io/paused"), false, "annotations"},
		{"the engine takes all annotations away", syncer, drop("metadata", "annotations"), false, "annotations"},
		{"the engine sets a finalizer", syncer, set([]any{"example.org/x"}, "metadata", "finalizers"), false, "finalizers"},
		{"the engine sets our label", syncer, set("true", "metadata", "labels", "sip.airshipit.org/standby"), false, ""},
		{"the engine takes our label away", syncer, drop("metadata", "labels", "sip.airshipit.org/standby"), false, ""},
		{"metal3 writes the status", "system:serviceaccount:baremetal-operator-system:baremetal-operator-controller-manager", set(false, "status", "poweredOn"), true, ""},
		{"metal3 sets its finalizer", "system:serviceaccount:baremetal-operator-system:baremetal-operator-controller-manager", set([]any{"baremetalhost.metal3.io"}, "metadata", "finalizers"), false, ""},
		{"metal3 takes its finalizer away", "system:serviceaccount:baremetal-operator-system:baremetal-operator-controller-manager", drop("metadata", "finalizers"), false, ""},
		{"CAPM3 takes the host", "system:serviceaccount:capm3-system:capm3-manager", set(map[string]any{"kind": "Metal3Machine", "name": "m", "namespace": "x"}, "spec", "consumerRef"), false, ""},
		{"CAPM3 lets the host go", "system:serviceaccount:capm3-system:capm3-manager", drop("spec", "consumerRef"), false, ""},
		{"people set an image", "somebody", set(map[string]any{"url": "http://images.invalid/a"}, "spec", "image"), false, ""},
		{"people take the image away", "somebody", drop("spec", "image"), false, ""},
	} {
		client := engine.NewClient(t, r.api.As(try.user, "everybody-here"))
		subresource := ""
		if try.status {
			subresource = "status"
		}
		err := client.TryEdit("probe", engine.Hosts, c.ns, "n1", subresource, try.change)
		wantDenied(t, try.what, err, try.denied)
	}
	engineClient := engine.NewClient(t, r.api.As(syncer, "everybody-here"))
	person := engine.NewClient(t, r.api.As("somebody", "everybody-here"))
	wantDenied(t, "the engine creates a host", engineClient.TryApply(engine.Objects(t, []byte(hostManifest(c.ns, "n9", "r9")))[0], "probe", true), "only update")
	wantDenied(t, "the engine deletes a host", engineClient.TryDelete(engine.Hosts, c.ns, "n2", true), "only update")
	wantDenied(t, "a person deletes an assigned host", person.TryDelete(engine.Hosts, c.ns, "n1", true), "release it first")
	wantDenied(t, "a person deletes a free host", person.TryDelete(engine.Hosts, c.ns, "n2", true), "")
	wantDenied(t, "break-glass deletes an assigned host", r.api.TryDelete(engine.Hosts, c.ns, "n1", true), "")
}

func wantDenied(t *testing.T, what string, err error, words string) {
	t.Helper()
	switch {
	case words == "" && err != nil:
		t.Errorf("%s: got %v, want it allowed", what, err)
	case words != "" && (err == nil || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy") || !strings.Contains(err.Error(), words)):
		t.Errorf("%s: got %v, want a policy to deny it with %q", what, err, words)
	}
}
