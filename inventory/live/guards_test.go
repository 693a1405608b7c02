package live

import (
	"context"
	"reflect"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/airshipit/sipgen/inventory"
)

// TestGuards: sipgen's guards of hosts, of all sites, and nobody else's. What is not understood is taken to be in force everywhere.
func TestGuards(t *testing.T) {
	api := newFakeAPI(t, `
kind: ValidatingAdmissionPolicyBinding
metadata: {name: of-dc2, labels: {sipgen.airshipit.org/site: dc2}}
spec: {matchResources: {namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [a, b]}]}}}
---
kind: ValidatingAdmissionPolicyBinding
metadata: {name: of-dc1, labels: {sipgen.airshipit.org/site: dc1}}
spec: {matchResources: {namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [a]}]}}}
---
kind: ValidatingAdmissionPolicyBinding
metadata: {name: sipgen-dc2-service-guard-v1, labels: {sipgen.airshipit.org/site: dc2}}
spec: {}
---
kind: ValidatingAdmissionPolicyBinding
metadata: {name: somebody-else}
spec: {}
`)
	got, err := Guards(context.Background(), &rest.Config{Host: api.URL})
	want := []inventory.GuardBinding{{Name: "of-dc1", Site: "dc1"}, {Name: "of-dc2", Site: "dc2", Namespaces: []string{"a", "b"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
