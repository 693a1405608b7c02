package e2e_test

import (
	"path/filepath"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
)

// rowOverlay: the hosts' manifests are in git too, and sipgen's patches lie over them. A host is
// released by leaving its patch out.
func rowOverlay(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.site.Spec.Hosts.Apply = v1alpha1.ApplyOverlay
	c.site.Spec.Hosts.Base = "metal"
	c.site.Spec.Repository.Path = "tree"
	c.edit(t, "the site's hosts", func(dir string) {
		need.Write(t, filepath.Join(dir, "metal", "kustomization.yaml"),
			"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [n1.yaml, n2.yaml]\n")
		for _, host := range []string{"n1", "n2"} {
			need.Write(t, filepath.Join(dir, "metal", host+".yaml"), hostManifest(c.ns, host, "rack-of-"+host))
		}
	})
	c.hosts(t, "server-side apply", "n1", "n2")
	c.tenant("a", 2)
	c.step(t, "assign")
	c.wantHolds(t, "assign", "a", "n1", "n2")
	c.tenant("a", 0)
	c.settle(t, "release")
	c.wantHolds(t, "release", "a")
}
