package e2e_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// rowSteered: somebody commits files that steer the engine into the tree of a site, with a host in use and another that is held. Whatever the engine makes of
// them, no host loses anything; a file that hides services has Flux prune them. Every run of sipgen refuses or warns, and without the files all is as it was.
// TestSteering has what each file does.
func rowSteered(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	if r.flux != nil {
		c.bySources(t)
	}
	c.hosts(t, "controller", "n1", "n2")
	c.tenantWith("a", 2, loadBalancer())
	c.step(t, "assign")
	c.use(t, func() { r.consume(t, c.ns, "n1") })
	hosts, infra := "clusters/"+c.tenants+"/a/hosts/", "clusters/"+c.tenants+"/a/infra/"
	files, failures := map[string]string{hosts + ".sourceignore": "kustomization.yaml\n", infra + ".sourceignore": "*\n"}, map[string]string{}
	if r.argo != nil {
		const anyHost = "  - target: {kind: BareMetalHost}\n    patch: "
		files = map[string]string{hosts + ".argocd-source.yaml": "kustomize:\n  patches:\n" +
			anyHost + `'[{"op": "replace", "path": "/metadata/labels", "value": {}}]'` + "\n" +
			anyHost + `'[{"op": "add", "path": "/spec", "value": {"online": false}}]'` + "\n"}
		failures[c.name("a", "hosts")] = "is forbidden: ValidatingAdmissionPolicy 'sipgen-"
	}
	const what = "files that steer"
	c.edit(t, what, func(dir string) {
		for file, text := range files {
			need.Write(t, filepath.Join(dir, file), text)
		}
	})
	for file := range files {
		delete(c.tree, file)
	}
	c.sync(t, failures)
	c.untouched.Check(t, what)
	r.wantNoHarm(t, c.ns, what)
	c.wantHolds(t, what, "a", "n1", "n2")
	c.wantServices(t, what, r.argo != nil)
	first := slices.Min(slices.Collect(maps.Keys(files)))
	c.refused(t, what, first, "sipgen did not write it")
	for _, command := range []string{"diff", "status"} {
		c.sipgen(t, command)
		c.wantSaid(t, what+": "+command, "warning: ", first, "sipgen did not write it")
	}
	c.edit(t, "without them", func(dir string) {
		for file := range files {
			remove(t, filepath.Join(dir, file))
		}
	})
	c.follow(t, "after them")
	c.wantServices(t, "after them", true)
	c.settle(t, "all of them are gone")
}

// wantServices wants the tenants' load balancers to be there, or gone.
func (c *circle) wantServices(t *testing.T, what string, there bool) {
	t.Helper()
	want := map[bool]int{true: 2}[there]
	engine.Wait(t, what+": services", engine.SyncTimeout, func() error {
		var live []unstructured.Unstructured
		for _, o := range append(c.rig.api.List(t, engine.Deployments, c.tenants), c.rig.api.List(t, services, c.tenants)...) {
			if o.GetDeletionTimestamp() == nil {
				live = append(live, o)
			}
		}
		if len(live) != want {
			return fmt.Errorf("found %d Deployments and Services, want %d", len(live), want)
		}
		return nil
	})
}
