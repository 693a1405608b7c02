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
	// denied is what the refusal says, "" for what must not be refused.
	denied string
}

// guardTries are the changes that the sync guard forbids to the identity that syncs, and what it must not stand in the
// way of. What is allowed is done: the host is as it was when all of them have been.
func guardTries(syncer string) []guardTry {
	const metal3 = engine.OperatorUser
	owner := []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "x",
		"uid": "0f39f33a-8310-4dd1-a37d-2ffe8ca77e01"}}
	return []guardTry{
		{"the engine changes the spec", syncer, set(false, "spec", "online"), "spec"},
		{"the engine takes the spec away", syncer, drop("spec"), "spec"},
		{"the engine takes a field of the spec away", syncer, drop("spec", "bmc"), "spec"},
		{"the engine changes a foreign label", syncer, set("r9", "metadata", "labels", "rack"), "labels"},
		{"the engine takes a foreign label away", syncer, drop("metadata", "labels", "rack"), "labels"},
		{"the engine takes all labels away", syncer, drop("metadata", "labels"), "labels"},
		{"the engine adds a foreign label", syncer, set("x", "metadata", "labels", "example.org/new"), "labels"},
		{"the engine pauses the host", syncer, set("", "metadata", "annotations", "baremetalhost.metal3.io/paused"),
			"annotations"},
		{"the engine changes a foreign annotation", syncer, set("4712", "metadata", "annotations", "example.org/asset"),
			"annotations"},
		{"the engine takes a foreign annotation away", syncer, drop("metadata", "annotations", "example.org/asset"),
			"annotations"},
		{"the engine takes all annotations away", syncer, drop("metadata", "annotations"), "annotations"},
		{"the engine sets a finalizer", syncer, set([]any{"example.org/x"}, "metadata", "finalizers"), "finalizers"},
		{"the engine sets an owner", syncer, set(owner, "metadata", "ownerReferences"), "owners"},
		{"the engine sets our label", syncer, set("true", "metadata", "labels", "sip.airshipit.org/standby"), ""},
		{"the engine takes our label away", syncer, drop("metadata", "labels", "sip.airshipit.org/standby"), ""},
		{"the engine sets a label of its own", syncer, set("a", "metadata", "labels", "app.kubernetes.io/instance"),
			""},
		{"the engine takes a label of its own away", syncer, drop("metadata", "labels", "app.kubernetes.io/instance"),
			""},
		{"the engine sets an annotation of its own", syncer,
			set("x", "metadata", "annotations", "argocd.argoproj.io/probe"), ""},
		{"the engine takes an annotation of its own away", syncer,
			drop("metadata", "annotations", "argocd.argoproj.io/probe"), ""},
		{"metal3 sets its finalizer", metal3, set([]any{"baremetalhost.metal3.io"}, "metadata", "finalizers"), ""},
		{"the engine takes metal3's finalizer away", syncer, drop("metadata", "finalizers"), "finalizers"},
		{"metal3 takes its finalizer away", metal3, drop("metadata", "finalizers"), ""},
		{"CAPM3 takes the host", capm3,
			set(map[string]any{"kind": "Metal3Machine", "name": "m", "namespace": "x"}, "spec", "consumerRef"), ""},
		{"CAPM3 lets the host go", capm3, drop("spec", "consumerRef"), ""},
		{"people set an image", "somebody", set(map[string]any{"url": "http://images.invalid/a"}, "spec", "image"), ""},
		{"people take the image away", "somebody", drop("spec", "image"), ""},
	}
}

func wantDenied(t *testing.T, what string, err error, words string) {
	t.Helper()
	switch {
	case words == "" && err != nil:
		t.Errorf("%s: got %v, want it allowed", what, err)
	case words != "" && (err == nil || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy") ||
		!strings.Contains(err.Error(), words)):
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
