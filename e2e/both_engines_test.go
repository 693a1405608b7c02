package e2e_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
)

// TestTwoEngines: four sites on one API server, two synced by Flux and two by Argo CD, with the real
// baremetal-operator. They are bootstrapped, change at the same time, and each goes wrong once: whatever one site does,
// is denied or stops, the others sync, and no host of theirs changes.
func TestTwoEngines(t *testing.T) {
	t.Parallel()
	var sites sitesOfOne
	for _, s := range []struct {
		name   string
		engine v1alpha1.Engine
	}{{"flux-one", v1alpha1.EngineFlux}, {"argo-one", v1alpha1.EngineArgoCD}, {"flux-two", v1alpha1.EngineFlux},
		{"argo-two", v1alpha1.EngineArgoCD}} {
		c := newCircle(t, besideTheOther(t, s.engine), s.name)
		c.hosts(t, "controller", "n1", "n2", "n3")
		c.tenantWith("a", 2, loadBalancer())
		sites = append(sites, c)
	}
	for _, c := range sites {
		c.commit(t)
		c.run(t, slices.Concat(procedure(t, "apply-policy"), procedure(t, "bootstrap", c.section())))
		c.started = true
	}
	sites.sync(t, "bootstrap", nil)
	for _, c := range sites {
		c.wantHolds(t, "bootstrap", "a", "n1", "n2")
	}
	sites.reachesNoOther(t)
	sites.stopsAlone(t)
	sites.goesForGood(t)
}

// workersIn is what a spec says of how many hosts it wants.
var workersIn = regexp.MustCompile(`count: \{active: [0-9]+\}`)

// sitesOfOne are the sites of one API server.
type sitesOfOne []*circle

// want has each site's tenant want so many hosts, and commits that.
func (all sitesOfOne) want(workers int) {
	for _, c := range all {
		c.specs["a"] = workersIn.ReplaceAllString(c.specs["a"], fmt.Sprintf("count: {active: %d}", workers))
	}
}

// sync commits what has changed, shows it to the engines of all sites before it waits for the first, and looks at every
// host of every site. The failures are by site, as circle.sync has them; such a site is not planned.
func (all sitesOfOne) sync(t *testing.T, what string, failures map[*circle]map[string]string) {
	t.Helper()
	for _, c := range all {
		if failures[c] == nil {
			c.commit(t)
		}
		c.begin(t)
	}
	for _, c := range all {
		c.sync(t, failures[c])
	}
	for _, c := range all {
		c.check(t, what+": "+c.site.Name, failures[c])
	}
}

// section is that of the pages about the circle's engine.
func (c *circle) section() string {
	if c.rig.flux != nil {
		return "flux"
	}
	return "argocd"
}

// patch is the file of a host in a checkout.
func (c *circle) patch(dir, host string) string {
	return filepath.Join(dir, "clusters", c.tenants, "a", "hosts", c.ns+"."+host+".yaml")
}

// mistake is somebody's commit that gives n1, which is a's and in use, to another cluster. It gives the failures.
func (c *circle) mistake(t *testing.T) map[string]string {
	t.Helper()
	c.edit(t, "somebody's mistake", func(dir string) {
		replace(t, c.patch(dir, "n1"), "sip.airshipit.org/cluster-name: a\n", "sip.airshipit.org/cluster-name: z\n")
	})
	return map[string]string{c.name("a", "hosts"): "is in use"}
}

// reachesNoOther: a tree that has a patch for a host of another site's, with its uid, changes nothing there, and the
// other site goes on. Argo CD syncs all its sites as one account, and so the guards tell only its sites from Flux'
// sites; what tells its own sites apart are their projects.
func (all sitesOfOne) reachesNoOther(t *testing.T) {
	t.Helper()
	type reach struct {
		from, to *circle
		says     string
	}
	fluxOne, argoOne, fluxTwo, argoTwo := all[0], all[1], all[2], all[3]
	const project = "is not permitted in project"
	tries := []reach{{fluxOne, fluxTwo, "forbidden"}, {argoTwo, argoOne, project}}
	before, denied := map[*circle]string{}, map[*circle]map[string]string{}
	for _, r := range tries {
		before[r.from] = r.from.repo.Head(t)
		r.from.edit(t, "a host of "+r.to.site.Name, func(dir string) {
			uid := func(ns, name string) string { return string(r.to.rig.api.Get(t, engine.Hosts, ns, name).GetUID()) }
			mine := string(r.from.tree["clusters/"+r.from.tenants+"/a/hosts/"+r.from.ns+".n2.yaml"])
			theirs := strings.NewReplacer("namespace: "+r.from.ns+"\n", "namespace: "+r.to.ns+"\n", "name: n2\n",
				"name: n3\n", uid(r.from.ns, "n2"), uid(r.to.ns, "n3")).Replace(mine)
			folder := filepath.Dir(r.from.patch(dir, "n2"))
			need.Write(t, filepath.Join(folder, "theirs.yaml"), theirs)
			replace(t, filepath.Join(folder, "kustomization.yaml"), "resources:\n", "resources:\n- theirs.yaml\n")
		})
		denied[r.from] = map[string]string{r.from.name("a", "hosts"): r.says}
	}
	all[1:3].want(3)
	all.sync(t, "a host of another site's", denied)
	for _, r := range tries {
		r.from.reset(t, before[r.from])
	}
	all.sync(t, "no host of another site's", nil)
}

// stopsAlone: one site of each engine is stopped by the page's commands, and the others go on.
func (all sitesOfOne) stopsAlone(t *testing.T) {
	t.Helper()
	stopped, others := all[:2], all[2:]
	var ends []func(string)
	for _, c := range stopped {
		c.run(t, procedure(t, "stop", c.section()))
		ends = append(ends, c.wantNothingChanged(t))
	}
	all.want(1)
	for _, c := range stopped {
		c.commit(t)
	}
	others.sync(t, "other sites are stopped", nil)
	for i, c := range stopped {
		c.insist(t)
		ends[i](c.site.Name + " is stopped")
		c.run(t, procedure(t, "resume", c.section()))
	}
	all.sync(t, "all go on", nil)
}

// goesForGood: the command that deletes the guards takes one site's guards and leaves the others'.
func (all sitesOfOne) goesForGood(t *testing.T) {
	t.Helper()
	one := all[0]
	one.run(t, procedure(t, "stop", one.section()))
	count := func() map[string]int {
		n := map[string]int{}
		for _, o := range one.rig.api.List(t, guardBindings, "") {
			n[o.GetLabels()["sipgen.airshipit.org/site"]]++
		}
		return n
	}
	before := count()
	one.run(t, procedure(t, "delete-guards"))
	after := count()
	for _, c := range all {
		want := before[c.site.Name]
		if c == one {
			want = 0
		}
		assert.Truef(t, after[c.site.Name] == want && before[c.site.Name] >= 3, "%s had %d guards and has %d, want %d",
			c.site.Name, before[c.site.Name], after[c.site.Name], want)
	}
	rest := all[1:]
	rest.want(2)
	rest.sync(t, "one site's guards are gone", nil)
	one.check(t, "its guards are gone", nil)
}
