package engine

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// ExampleHosts applies the hosts of an example's folder, with what is beside them, and writes their status as the
// baremetal-operator does. The server gives uids of its own.
func (a *APIServer) ExampleHosts(t testing.TB, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no hosts: %v", err)
	}
	for _, file := range files {
		content := need.Read(t, file)
		for _, o := range Objects(t, content) {
			status, hasStatus := o.Object["status"].(map[string]any)
			o.SetUID("")
			o.SetManagedFields(nil)
			if err := a.TryApply(o, "vino", false); err != nil {
				t.Fatalf("%s %s: %v", o.GetKind(), o.GetName(), err)
			}
			if hasStatus {
				maps.Copy(status, map[string]any{"hardwareProfile": "", "operationHistory": map[string]any{},
					"triedCredentials": map[string]any{}, "goodCredentials": map[string]any{}})
				status["provisioning"].(map[string]any)["image"] = map[string]any{"url": ""}
				a.Edit(t, "baremetal-operator", Hosts, o.GetNamespace(), o.GetName(), "status",
					func(live map[string]any) { live["status"] = status })
			}
		}
	}
}
