package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// rowSeveral runs what docs/safety.md says about stopping more tenants than one, word by word: two of three are
// stopped, then one of them goes on, then everybody does.
func rowSeveral(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3", "n4", "n5", "n6")
	tenants := []string{"a", "b", "d"}
	// One has services, and so more sync objects than the others.
	services := loadBalancer()
	want := func(workers int) {
		c.tenant("a", workers)
		c.tenantWith("b", workers, services)
		c.tenant("d", workers)
	}
	want(1)
	c.step(t, "assign")
	// of sets a variable of the page for commands of it.
	of := func(variable, value string, blocks ...string) []string {
		return append([]string{"export " + variable + "='" + value + "'\n"}, blocks...)
	}
	both := c.tenants + ".a " + c.tenants + ".b"
	stopAll := func(tenants string) {
		t.Helper()
		for tenant := range strings.FieldsSeq(tenants) {
			c.run(t, of("TENANT", tenant, procedure(t, "stop-tenant", c.section())...))
		}
	}
	// reach waits until the syncs that are not stopped have reached the newest commit, and gives the others every
	// reason to.
	reach := func(what string, want map[string]int) {
		t.Helper()
		revision := c.begin(t)
		for _, sync := range []string{c.root(), c.name("a", "hosts"), c.name("b", "hosts"), c.name("d", "hosts")} {
			tenant := strings.TrimSuffix(strings.TrimPrefix(sync, c.tenants+"."), ".hosts")
			if _, stopped := want[tenant]; stopped && want[tenant] == 1 {
				continue
			}
			c.await(t, sync, c.repo.Head(t), revision, nil)
		}
		c.insist(t)
		c.untouched.Check(t, what)
		r.wantNoHarm(t, c.ns, what)
		for _, tenant := range tenants {
			if got := c.holds(t, tenant); len(got) != want[tenant] {
				t.Errorf("%s: %s has the hosts %v, want %d", what, tenant, got, want[tenant])
			}
		}
	}
	stopAll(both)
	end := c.wantNothingChanged(t, "n6")
	want(2)
	c.commit(t)
	reach("two tenants are stopped", map[string]int{"a": 1, "b": 1, "d": 2})
	end("two tenants are stopped")

	goOn := procedure(t, "resume-tenant", c.section())
	c.run(t, of("TENANT", c.tenants+".b", goOn[0]))
	reach("one of them goes on", map[string]int{"a": 1, "b": 2, "d": 2})
	c.run(t, procedure(t, "resume", c.section()))
	c.follow(t, "everybody goes on")
	c.settle(t, "everybody goes on")
	assert.Len(t, c.holds(t, "a"), 2, "a has the hosts")
}

// looksByPage does what docs/safety.md says to look at of an engine, word by word.
func (c *circle) looksByPage(t *testing.T) {
	t.Helper()
	// The engine knows the commit, if the branch has lost it.
	lost := procedure(t, "lost-tree", c.section())[0]
	assert.Equal(t, c.repo.Head(t)+"\n", c.run(t, []string{lost, "echo $commit\n"}),
		"the commit that the engine has applied")
	// With Flux the source and what it is applied by, each with the newest commit; with Argo CD the Applications.
	said := c.run(t, procedure(t, "not-applied", c.section()))
	for _, word := range []string{c.root() + " ", c.name("a", "hosts") + " ", c.repo.Head(t)} {
		assert.Contains(t, said, word, "what the page shows")
	}
}

// rowOnCall runs what docs/safety.md says to look at and to do to a single host, word by word: a spec that was emptied
// is put back and the server is not wiped; a host is deleted; a host is deleted and its server is not wiped.
func rowOnCall(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenant("a", 2)
	c.step(t, "assign")
	on := func(host string, blocks ...string) string {
		t.Helper()
		words := strings.NewReplacer("-n NAMESPACE NAME", "-n "+c.ns+" "+host, "YOU", "somebody")
		for i := range blocks {
			blocks[i] = words.Replace(blocks[i])
		}
		return c.run(t, blocks)
	}
	spared := func(what, host string) {
		t.Helper()
		if passed := r.api.HostWatch.Passed(c.ns, host); slices.Contains(passed, "deprovisioning") {
			t.Errorf("%s: %s was deprovisioned: it went through %v", what, host, passed)
		}
	}
	text := on("n1", procedure(t, "look")[0])
	for _, word := range []string{"n1", c.tenants, c.root() + "-sync-guard-v1", "managedFields"} {
		assert.Contains(t, text, word, "look")
	}
	c.looksByPage(t)

	c.consumed(t, "n1")
	r.api.HostWatch.During(t, c.ns, "n1", func() {
		live := r.api.Get(t, engine.Hosts, c.ns, "n1")
		backup, err := yaml.Marshal(map[string]any{
			"apiVersion": live.GetAPIVersion(), "kind": live.GetKind(),
			"metadata": map[string]any{"namespace": c.ns, "name": "n1"}, "spec": live.Object["spec"],
		})
		require.NoError(t, err)
		r.api.Edit(t, "people", engine.Hosts, c.ns, "n1", "",
			func(o map[string]any) { o["spec"] = map[string]any{"online": false} })
		state := func(what string, inError bool) {
			t.Helper()
			waitWhile(t, what, func() (bool, any) {
				text, message := c.state(t, "n1")
				return text != "provisioned" || (message != "") != inError, text + " " + message
			})
		}
		state("metal3 to notice the empty spec", true)
		mend := procedure(t, "restore-spec")
		on("n1", slices.Insert(mend, 1, "cat > host.yaml <<'END'\n"+string(backup)+"END\n")...)
		state("the host to be as it was", false)
		assert.Equal(t, live.Object["spec"], r.api.Get(t, engine.Hosts, c.ns, "n1").Object["spec"], "its spec")
		spared("an emptied spec", "n1")
	})
	c.accept(t)
	c.settle(t, "the spec is back")

	deletes := procedure(t, "break-glass", "delete")[0]
	r.api.HostWatch.During(t, c.ns, "n2", func() {
		on("n2", deletes)
		c.waitGone(t, "n2")
	})
	c.accept(t)
	c.step(t, "a host that was deleted")
	c.wantHolds(t, "a host that was deleted", "a", "n1", "n3")

	r.api.HostWatch.During(t, c.ns, "n1", func() {
		on("n1", append(procedure(t, "detach-host"), deletes)...)
		c.waitGone(t, "n1")
		spared("a host that was detached", "n1")
	})
	c.accept(t)
	c.tenant("a", 1)
	c.settle(t, "a host that was detached")
	c.wantHolds(t, "a host that was detached", "a", "n3")
}
