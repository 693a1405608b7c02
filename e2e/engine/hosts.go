package engine

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// MakeHosts makes the hosts of a file, with what is beside them, and writes their status as the baremetal-operator
// does. The server gives uids of its own. It gives the live hosts.
func (a *APIServer) MakeHosts(t testing.TB, content []byte) (hosts []*unstructured.Unstructured) {
	t.Helper()
	for _, o := range Objects(t, content) {
		status, isHost := o.Object["status"].(map[string]any)
		o.SetUID("")
		o.SetManagedFields(nil)
		unstructured.RemoveNestedField(o.Object, "status")
		text, err := o.MarshalJSON()
		require.NoError(t, err)
		a.Create(t, "vino", string(text))
		if !isHost {
			continue
		}
		maps.Copy(status, map[string]any{"hardwareProfile": "", "operationHistory": map[string]any{},
			"triedCredentials": map[string]any{}, "goodCredentials": map[string]any{}})
		status["provisioning"].(map[string]any)["image"] = map[string]any{"url": ""}
		a.Edit(t, "baremetal-operator", Hosts, o.GetNamespace(), o.GetName(), "status",
			func(live map[string]any) { live["status"] = status })
		hosts = append(hosts, a.Get(t, Hosts, o.GetNamespace(), o.GetName()))
	}
	return hosts
}
