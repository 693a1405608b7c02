package e2e_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/e2e/engine"
)

// guardTry is one change of a live host, by a user who may do everything but for the guards.
type guardTry struct {
	what, user string
	change     func(map[string]any)
	status     bool
	// denied is what the refusal says, "" for what must not be refused.
	denied string
}

func (try guardTry) check(t *testing.T, api *engine.APIServer, ns string) {
	t.Helper()
	subresource := ""
	if try.status {
		subresource = "status"
	}
	client := engine.NewClient(t, api.As(try.user, "everybody-here"))
	wantDenied(t, try.what, client.TryEdit("probe", engine.Hosts, ns, "n1", subresource, try.change), try.denied)
}

// guardTries are the changes that the sync guard forbids to the identity that syncs, and what it must not stand in the way of. What
// is allowed is done: the host is as it was when all of them have been.
func guardTries(syncer string) []guardTry {
	const (
		metal3 = "system:serviceaccount:baremetal-operator-system:baremetal-operator-controller-manager"
		capm3  = "system:serviceaccount:capm3-system:capm3-manager"
	)
	owner := []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "0f39f33a-8310-4dd1-a37d-2ffe8ca77e01"}}
	return []guardTry{
		{"the engine changes the spec", syncer, set(false, "spec", "online"), false, "spec"},
		{"the engine takes the spec away", syncer, drop("spec"), false, "spec"},
		{"the engine takes a field of the spec away", syncer, drop("spec", "bmc"), false, "spec"},
		{"the engine changes a foreign label", syncer, set("r9", "metadata", "labels", "rack"), false, "labels"},
		{"the engine takes a foreign label away", syncer, drop("metadata", "labels", "rack"), false, "labels"},
		{"the engine takes all labels away", syncer, drop("metadata", "labels"), false, "labels"},
		{"the engine adds a foreign label", syncer, set("x", "metadata", "labels", "example.org/new"), false, "labels"},
		{"the engine pauses the host", syncer, set("", "metadata", "annotations", "baremetalhost.metal3.io/paused"), false, "annotations"},
		{"the engine changes a foreign annotation", syncer, set("4712", "metadata", "annotations", "example.org/asset"), false, "annotations"},
		{"the engine takes a foreign annotation away", syncer, drop("metadata", "annotations", "example.org/asset"), false, "annotations"},
		{"the engine takes all annotations away", syncer, drop("metadata", "annotations"), false, "annotations"},
		{"the engine sets a finalizer", syncer, set([]any{"example.org/x"}, "metadata", "finalizers"), false, "finalizers"},
		{"the engine sets an owner", syncer, set(owner, "metadata", "ownerReferences"), false, "owners"},
		{"the engine sets our label", syncer, set("true", "metadata", "labels", "sip.airshipit.org/standby"), false, ""},
		{"the engine takes our label away", syncer, drop("metadata", "labels", "sip.airshipit.org/standby"), false, ""},
		{"the engine sets a label of its own", syncer, set("a", "metadata", "labels", "app.kubernetes.io/instance"), false, ""},
		{"the engine takes a label of its own away", syncer, drop("metadata", "labels", "app.kubernetes.io/instance"), false, ""},
		{"the engine sets an annotation of its own", syncer, set("x", "metadata", "annotations", "argocd.argoproj.io/probe"), false, ""},
		{"the engine takes an annotation of its own away", syncer, drop("metadata", "annotations", "argocd.argoproj.io/probe"), false, ""},
		{"metal3 writes the status", metal3, set(false, "status", "poweredOn"), true, ""},
		{"metal3 sets its finalizer", metal3, set([]any{"baremetalhost.metal3.io"}, "metadata", "finalizers"), false, ""},
		{"the engine takes metal3's finalizer away", syncer, drop("metadata", "finalizers"), false, "finalizers"},
		{"metal3 takes its finalizer away", metal3, drop("metadata", "finalizers"), false, ""},
		{"CAPM3 takes the host", capm3, set(map[string]any{"kind": "Metal3Machine", "name": "m", "namespace": "x"}, "spec", "consumerRef"), false, ""},
		{"CAPM3 lets the host go", capm3, drop("spec", "consumerRef"), false, ""},
		{"people set an image", "somebody", set(map[string]any{"url": "http://images.invalid/a"}, "spec", "image"), false, ""},
		{"people take the image away", "somebody", drop("spec", "image"), false, ""},
	}
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

// set and drop change a field of an object.
func set(value any, fields ...string) func(map[string]any) {
	return func(o map[string]any) { _ = unstructured.SetNestedField(o, value, fields...) }
}

func drop(fields ...string) func(map[string]any) {
	return func(o map[string]any) { unstructured.RemoveNestedField(o, fields...) }
}

// label is where one of sipgen's labels is.
func label(key string) []string { return []string{"metadata", "labels", "sip.airshipit.org/" + key} }
