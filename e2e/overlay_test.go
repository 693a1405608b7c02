package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// rowOverlay: the hosts' manifests are in git too, and sipgen's patches lie over them. A host is
// released by leaving its patch out.
func rowOverlay(t *testing.T, r *rig, name string) {
	c := newOverlay(t, r, name)
	c.hosts(t, "server-side apply", "n1", "n2")
	c.tenant("a", 2)
	c.step(t, "assign")
	c.wantHolds(t, "assign", "a", "n1", "n2")
	c.tenant("a", 1)
	c.step(t, "release")
	c.wantHolds(t, "release", "a", "n1")
	c.tenant("a", 0)
	c.settle(t, "release of the last one")
	c.wantHolds(t, "release of the last one", "a")
}

// newOverlay makes a site whose hosts n1 and n2 have their manifests in git.
func newOverlay(t *testing.T, r *rig, name string) *circle {
	t.Helper()
	c := newCircle(t, r, name)
	c.site.Spec.Hosts.Apply = v1alpha1.ApplyOverlay
	c.site.Spec.Hosts.Base = "metal"
	c.site.Spec.Repository.Path = "tree"
	c.edit(t, "the site's hosts", func(dir string) {
		kustomization := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [n1.yaml, n2.yaml]\n"
		files := map[string]string{"kustomization.yaml": kustomization}
		for _, host := range []string{"n1", "n2"} {
			files[host+".yaml"] = hostManifest(c.ns, host, "rack-of-"+host)
		}
		need.OK(t, os.MkdirAll(filepath.Join(dir, "metal"), 0o755))
		for file, content := range files {
			need.OK(t, os.WriteFile(filepath.Join(dir, "metal", file), []byte(content), 0o600))
		}
	})
	return c
}

// rowOverlayInUse: hosts in use are held against git with their manifests in git, too. A rollback moves none, an approved release goes through,
// and the approval is void for the next machine.
func rowOverlayInUse(t *testing.T, r *rig, name string) {
	c := newOverlay(t, r, name)
	c.hosts(t, "server-side apply", "n1", "n2")
	c.tenant("b", 1)
	c.step(t, "assign to b")
	had := c.repo.Head(t)
	c.tenant("b", 0)
	c.settle(t, "release")
	c.tenant("a", 2)
	c.step(t, "assign to a")
	c.wantHolds(t, "assign to a", "a", "n1", "n2")
	c.use(t, func() { r.consume(t, c.ns, "n1", "n2") })
	labels := func() string { return fmt.Sprint(r.api.OurLabels(t, c.ns, "n1"), r.api.OurLabels(t, c.ns, "n2")) }
	were := labels()
	denied := map[string]string{c.root() + "-hosts": "is in use"}
	has := c.repo.Head(t)
	c.reset(t, had)
	c.sync(t, denied)
	if code := c.sipgen(t, "status"); code != 1 || !strings.Contains(c.said, "denied") {
		t.Errorf("sipgen status: exit code %d, want 1 and a host that is denied\n%s", code, c.said)
	}
	const what = "a force-push to when b had n1"
	c.untouched.Check(t, what)
	need.Equal(t, "after "+what, labels(), were)
	c.reset(t, has)
	c.follow(t, "the run after it")
	c.wantHolds(t, "the run after it", "a", "n1", "n2")

	c.tenant("a", 1)
	c.specs["a"] = strings.Replace(c.specs["a"], "name: a}", "name: a, annotations: {sip.airshipit.org/approve-release: n2, sip.airshipit.org/remove: n2}}", 1)
	c.step(t, "an approved release")
	c.wantHolds(t, "an approved release", "a", "n1")
	approved := c.repo.Head(t)
	c.settle(t, "an approved release")
	c.use(t, func() { r.letGo(t, c.ns, "n2") })
	c.tenant("a", 1)
	c.tenant("b", 1)
	c.step(t, "assign to b")
	c.wantHolds(t, "assign to b", "b", "n2")
	// It left when its user had let it go, and with that the approval.
	if got, found := r.api.Get(t, engine.Hosts, c.ns, "n2").GetAnnotations()["sip.airshipit.org/release-of"]; found {
		t.Errorf("the approval is still on the host: %q", got)
	}
	c.replay(t, r, approved, denied, "n1", "n2")
}
