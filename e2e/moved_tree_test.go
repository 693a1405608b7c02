package e2e_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/airshipit/sipgen/e2e/engine"
)

// rowMovedTree does what gitops.md says to get to another folder, twice: from the repository's root to a folder, and from there to one below it. While the
// engine finds nothing, and afterwards, no service, no label and no sync object changes for a moment or is made anew, and the next run goes on from there.
// Beside the tree, and in it, are files that sipgen did not write.
func rowMovedTree(t *testing.T, shared *rig, name string) {
	r := *shared
	r.alone = true // the page applies a root as it is
	c := newCircle(t, &r, name)
	if r.flux != nil {
		c.bySources(t)
	}
	c.hosts(t, "controller", "n1", "n2", "n3", "n4", "n5")
	c.tenantWith("a", 2, loadBalancer())
	balancer := loadBalancer()
	c.tenantWith("b", 1, balancer)
	c.commit(t)
	c.edit(t, "files of others", func(dir string) {
		write(t, filepath.Join(dir, "README.md"), "the fleet\n")
		write(t, filepath.Join(dir, "clusters", c.tenants, "a", "infra", "NOTES.md"), "whom to call\n")
	})
	c.run(t, slices.Concat(procedure(t, "gitops.md"), procedure(t, "gitops.md", c.section())[:1]))
	c.started = true
	c.sync(t, nil)
	r.api.Operator.ChangeUse(func() { r.consume(t, c.ns, "n1", "n3") })
	c.accept(t)
	// A host in use that is to be released, when Cluster API lets it go.
	c.tenantWith("b", 0, balancer)
	c.settle(t, "a release is pending")
	syncs := c.syncUIDs(t)
	end := c.wantNothingChanged(t)
	c.moveTree(t, "", "sites/dc1")
	c.moveTree(t, "sites/dc1", "sites/dc1/tree")
	end("the moves")
	for name, uid := range c.syncUIDs(t) {
		if syncs[name] != uid {
			t.Errorf("%s was made anew", name)
		}
	}
	for name := range c.repo.Files(t) {
		if want := "sites/dc1/tree/"; name != "README.md" && !strings.HasPrefix(name, want) {
			t.Errorf("%s is not in %s", name, want)
		}
	}
	c.wantHolds(t, "the moves", "a", "n1", "n2")
	c.wantHolds(t, "the moves", "b", "n3")
	c.specs["a"] = workersIn.ReplaceAllString(c.specs["a"], "count: {active: 3}")
	c.step(t, "the next run")
	c.wantHolds(t, "the next run", "a", "n1", "n2", "n4")
	c.settle(t, "the next run")
}

// moveTree does it once.
func (c *circle) moveTree(t *testing.T, old, folder string) {
	t.Helper()
	blocks := procedure(t, "gitops.md", "To another folder")
	if len(blocks) != 5 || !strings.HasPrefix(blocks[0], "export REPO=") {
		t.Fatalf("the procedure is\n%s", strings.Join(blocks, "\n"))
	}
	c.site.Spec.Repository.Path = folder
	if old == "" {
		old = "."
	}
	set, clone := "export OLD="+old+" FOLDER="+folder+"\n", "fleet=$(mktemp -d) && git clone --quiet \"$REPO\" \"$fleet\"\ncp site-new.yaml site.yaml\n"
	c.run(t, []string{set, blocks[1]})
	// The engine sees it. Everything is asked for, and nothing can be built.
	commit, revision := c.repo.Head(t), c.begin(t)
	names := append(c.syncs(t), c.root())
	c.nudgeOnly(t, names)
	for _, name := range names {
		switch {
		case c.rig.argo != nil:
			c.rig.argo.WaitFailed(t, name, commit, "does not exist")
		case strings.HasSuffix(name, ".infra"), strings.HasSuffix(name, ".hosts"):
			c.rig.flux.WaitFailed(t, engine.FluxNamespace, name, revision, "dependency") // it waits for others, which fail
		default:
			c.rig.flux.WaitNoFolder(t, engine.FluxNamespace, name, revision)
		}
	}
	time.Sleep(time.Second)
	said := c.run(t, []string{set, clone, blocks[2]})
	if !regexp.MustCompile(`(?m)^2 clusters, 3 hosts assigned \(0 new[,)]`).MatchString(said) {
		t.Errorf("the plan for another folder changes something:\n%s", said)
	}
	apply := blocks[3]
	if c.rig.argo != nil {
		apply = blocks[4]
	}
	c.run(t, []string{set, clone, apply})
	c.readTree(t)
	c.sync(t, nil)
	c.check(t, "from "+old+" to "+folder, nil)
	c.settle(t, "from "+old+" to "+folder)
}

// syncUIDs are those of the site's sync objects.
func (c *circle) syncUIDs(t *testing.T) map[string]string {
	t.Helper()
	resources, namespace := []schema.GroupVersionResource{engine.Kustomizations, engine.GitRepos}, engine.FluxNamespace
	if c.rig.argo != nil {
		resources, namespace = []schema.GroupVersionResource{engine.Applications}, engine.ArgoNamespace
	}
	uids, names := map[string]string{}, append(c.syncs(t), c.root())
	for _, resource := range resources {
		for _, o := range c.rig.api.List(t, resource, namespace) {
			if slices.Contains(names, o.GetName()) {
				uids[o.GetKind()+" "+o.GetName()] = string(o.GetUID())
			}
		}
	}
	if len(uids) < len(names) {
		t.Errorf("found %v, want all of %v", uids, names)
	}
	return uids
}
