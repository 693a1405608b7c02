package inventory

import (
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestOwnersOf goes by entries as a kube-apiserver v1.34 writes them.
func TestOwnersOf(t *testing.T) {
	entry := func(manager, operation, subresource, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationType(operation), Subresource: subresource, FieldsV1: metav1.NewFieldsV1(fields)}
	}
	got := OwnersOf([]metav1.ManagedFieldsEntry{
		entry("manager", "Update", "", `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"jumphost\"}":{".":{},"f:image":{}}}}}}}`),
		entry("kube-controller-manager", "Update", "status", `{"f:status":{}}`),
		entry("manager", "Update", "", `{"f:spec":{"f:ports":{".":{},"k:{\"port\":22,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}},"f:type":{}}}`),
		entry("somebody", "Update", "", `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"jumphost\"}":{"f:image":{}}}}}}}`),
		entry("somebody", "Update", "", `{"f:spec":{"f:ports":{"k:{\"port\":22,\"protocol\":\"TCP\"}":{"f:nodePort":{}}}}}`),
		entry("unreadable", "Update", "", `[`),
	})
	want := []Owner{{0, "manager", "Update", true}, {2, "manager", "Update", true}, {3, "somebody", "Update", false}, {4, "somebody", "Update", false}, {5, "unreadable", "Update", true}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v want %v", got, want)
	}
}

// TestMadeByOther: the engine takes over by itself what it made, and kubectl.
func TestMadeByOther(t *testing.T) {
	for why, owner := range map[string]Owner{
		"sip":      {Manager: "sip", Operation: "Update", Made: true},
		"engine":   {Manager: "engine", Operation: "Update", Made: true},
		"kubectl":  {Manager: "kubectl-create", Operation: "Update", Made: true},
		"applied":  {Manager: "sip", Operation: "Apply", Made: true},
		"not made": {Manager: "sip", Operation: "Update"},
	} {
		object := &ServiceObject{Owners: []Owner{owner}}
		if got := object.MadeByOther("engine"); (got != nil) != (why == "sip") {
			t.Errorf("%s: found %v", why, got)
		}
	}
}
