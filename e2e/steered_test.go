package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/e2e/engine"
)

// rowSteered: somebody commits files that steer the engine into the tree of a site, with hosts in use and others that are held. Whatever the engine makes of
// them, no host loses anything; a file that hides services has Flux prune them. Every run of sipgen refuses or warns, and without the file all is as it was.
func rowSteered(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	if r.flux != nil {
		c.bySources(t)
	}
	c.hosts(t, "controller", "n1", "n2")
	c.tenantWith("a", 2, loadBalancer())
	c.step(t, "assign")
	r.api.Operator.ChangeUse(func() { r.consume(t, c.ns, "n1") })
	c.accept(t)
	c.wantHolds(t, "assign", "a", "n1", "n2")
	hosts, infra := "clusters/"+c.tenants+"/a/hosts/", "clusters/"+c.tenants+"/a/infra/"
	const anyHost = "  - target: {kind: BareMetalHost}\n    patch: "
	var tries []steeredTry // a second kustomization, which fails the sync, is in TestSteering
	if r.flux != nil {
		tries = append(tries,
			steeredTry{what: "the hosts' kustomization is hidden", file: hosts + ".sourceignore", text: "kustomization.yaml\n", says: "sipgen did not write it"},
			steeredTry{what: "the hosts' folders are hidden", file: ".sourceignore", text: "hosts/\n", says: "from Flux", noFolder: true},
			steeredTry{what: "the services are hidden", file: infra + ".sourceignore", text: "*\n", says: "sipgen did not write it", prunes: true},
		)
	} else {
		tries = append(tries,
			steeredTry{what: "a patch that releases", file: hosts + ".argocd-source.yaml", says: "sipgen did not write it", fails: "is in use",
				text: "kustomize:\n  patches:\n" + anyHost + `'[{"op": "replace", "path": "/metadata/labels", "value": {}}]'` + "\n"},
			steeredTry{what: "whole hosts", file: hosts + ".argocd-source.yaml", says: "sipgen did not write it", fails: "spec",
				text: "kustomize:\n  patches:\n" + anyHost + `'[{"op": "add", "path": "/spec", "value": {"online": false}}]'` + "\n"},
		)
	}
	for _, try := range tries {
		c.steer(t, try)
	}
	c.settle(t, "all of them are gone")
}

// steeredTry is a file that steers the engine.
type steeredTry struct {
	what, file, text string
	// says is what sipgen says, and fails what the engine does about the cluster's hosts, if it fails.
	says, fails string
	// noFolder: Flux does not find the hosts' folder.
	noFolder bool
	// prunes: the cluster's services go, and come back.
	prunes bool
}

func (c *circle) steer(t *testing.T, try steeredTry) {
	t.Helper()
	end := func(string) {}
	if !try.prunes {
		end = c.wantNothingChanged(t)
	}
	c.edit(t, try.what, func(dir string) { write(t, filepath.Join(dir, try.file), try.text) })
	delete(c.tree, try.file)
	failures, name := map[string]string{}, c.name("a", "hosts")
	if try.fails != "" {
		failures[name] = try.fails
	}
	if try.noFolder {
		revision := c.begin(t)
		c.rig.flux.WaitNoFolder(t, engine.FluxNamespace, name, revision)
	} else {
		c.sync(t, failures)
	}
	c.untouched.Check(t, try.what)
	c.rig.wantNoHarm(t, c.ns, try.what)
	c.wantHolds(t, try.what, "a", "n1", "n2")
	c.wantServices(t, try.what, !try.prunes)
	c.refused(t, try.what, try.file, try.says)
	for _, command := range []string{"diff", "status"} {
		c.sipgen(t, command)
		c.wantSaid(t, try.what+": "+command, "warning: ")
		c.wantSaid(t, try.what+": "+command, try.says)
	}
	c.edit(t, "without it", func(dir string) {
		if err := os.Remove(filepath.Join(dir, try.file)); err != nil {
			t.Fatal(err)
		}
	})
	c.sync(t, nil)
	c.check(t, "after "+try.what, nil)
	c.wantServices(t, "after "+try.what, true)
	end(try.what)
}

// wantServices wants the tenants' load balancers to be there, or gone.
func (c *circle) wantServices(t *testing.T, what string, there bool) {
	t.Helper()
	engine.Wait(t, what+": services", engine.SyncTimeout, func() error {
		var live []unstructured.Unstructured
		for _, o := range append(c.rig.api.List(t, engine.Deployments, c.tenants), c.rig.api.List(t, services, c.tenants)...) {
			if o.GetDeletionTimestamp() == nil {
				live = append(live, o)
			}
		}
		if (len(live) == 2) != there || !there && len(live) > 0 {
			return fmt.Errorf("found %d Deployments and Services, want them there: %t", len(live), there)
		}
		return nil
	})
}
