package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
)

// TestArgoBootstrap is the README's bootstrap, word by word, on an API server with one site: the policies by kubectl, then the root, which
// takes over everything, the policies too. Flux's root is applied so by every row.
func TestArgoBootstrap(t *testing.T) {
	t.Parallel()
	r := newRig(t, v1alpha1.EngineArgoCD)
	r.startEngine(t)
	r.alone = true
	c := newCircle(t, r, "alone")
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("a", 2, loadBalancer())
	c.commit(t)
	dir := t.TempDir()
	for name, content := range c.tree {
		if strings.HasPrefix(name, "policy/") {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.api.Kubectl(t, "", "apply", "-k", filepath.Join(dir, "policy"))
	c.sync(t, nil)
	c.check(t, "bootstrap", nil)
	c.wantHolds(t, "bootstrap", "a", "n1", "n2")

	// A guard that somebody took away comes back.
	bindings := schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings"}
	r.api.Kubectl(t, "", "delete", "validatingadmissionpolicybinding", "sipgen-sync-guard")
	r.argo.Refresh(t, c.root()+"-policy")
	engine.Wait(t, "the guard", engine.SyncTimeout, func() error {
		if !r.api.Exists(t, bindings, "", "sipgen-sync-guard") {
			return os.ErrNotExist
		}
		return nil
	})

	c.tenantWith("a", 1, loadBalancer())
	c.step(t, "release")
	c.wantHolds(t, "release", "a", "n1")
	c.settle(t, "the object is dropped")
}
