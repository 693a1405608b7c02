package e2e_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rowRolledBack: a HostClaim of metal3 is bound to a host that another tenant had before, which is all that is written:
// no image, and the host is available. It is in use all the same: it is not released, and if the branch goes back to
// when the other tenant had it, it stays where it is, and sipgen goes on from there.
func rowRolledBack(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenant("b", 1)
	c.step(t, "assign to b")
	had := c.repo.Head(t)
	c.tenant("b", 0)
	c.settle(t, "release")
	c.tenant("a", 1)
	c.step(t, "assign to a")
	c.wantHolds(t, "assign to a", "a", "n1")
	// As metal3's package hostclaim does it, by the account of its operator.
	operator := engine.NewClient(t, r.api.As(engine.OperatorUser))
	claim := func(ref any) {
		engine.Wait(t, "the claim", engine.SyncTimeout, func() error {
			return operator.TryEdit("baremetal-operator", engine.Hosts, c.ns, "n1", "", func(o map[string]any) {
				spec := o["spec"].(map[string]any)
				if spec["consumerRef"] = ref; ref == nil {
					delete(spec, "consumerRef")
				}
			})
		})
		c.accept(t)
	}
	claim(map[string]any{"apiVersion": "metal3.io/v1alpha1", "kind": "HostClaim", "namespace": "platform",
		"name": "claim-1"})
	c.tenant("a", 0)
	c.settle(t, "a release that waits")
	c.wantHolds(t, "a release that waits", "a", "n1")
	c.sipgen(t, "plan", "-o", "wide")
	c.wantSaid(t, "a release that waits", "in use by HostClaim platform/claim-1")
	c.tenant("a", 1)
	c.settle(t, "it stays")
	labels := r.api.OurLabels(t, c.ns, "n1")

	denied := map[string]string{c.name("b", "hosts"): "is in use"}
	has := c.repo.Head(t)
	// To the engine a force-push is the same: it sees the tree.
	const what = "a revert to when b had it"
	c.repo.Revert(t, had)
	c.readTree(t)
	c.sync(t, denied)
	c.untouched.Check(t, what)
	assert.Equal(t, labels, r.api.OurLabels(t, c.ns, "n1"), "after "+what)
	c.dispute(t, denied, "n1")
	c.reset(t, has)
	c.follow(t, "the run after "+what)
	c.wantHolds(t, "the run after "+what, "a", "n1")
	c.settle(t, "the run after "+what)
	c.tenant("a", 0)
	r.api.HostWatch.During(t, c.ns, "n1", func() { claim(nil) })
	c.settle(t, "the claim is gone")
	c.wantHolds(t, "the claim is gone", "a")
}

// dispute has sipgen publish on a tree that has a host in use for another cluster than its labels do: both clusters are
// frozen, and no host gets other labels.
func (c *circle) dispute(t *testing.T, failures map[string]string, host string) {
	t.Helper()
	labels := c.rig.api.OurLabels(t, c.ns, host)
	if code := c.sipgen(t, "publish"); code != 1 ||
		!strings.Contains(c.said, "danger: "+c.ns+"/"+host+", in use by ") ||
		!strings.Contains(c.said, " is disputed: ") || strings.Count(c.said, "sipgen: frozen: ") != 2 {
		t.Errorf("a disputed host: exit code %d, want 1, the danger and two frozen clusters\n%s", code, c.said)
	}
	c.readTree(t)
	c.sync(t, failures)
	c.untouched.Check(t, "a disputed host")
	assert.Equal(t, labels, c.rig.api.OurLabels(t, c.ns, host), "a disputed host has labels")
}

// rowRelabeled: a person with all rights labels a host in use for a cluster that nobody has, and then for another
// tenant's: it stays where it is, and the command of the danger puts the labels back. Where its cluster approves the
// release, the other one gets it as it is.
func rowRelabeled(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenant("a", 1)
	c.tenant("b", 1)
	c.step(t, "assign")
	c.wantHolds(t, "assign", "a", "n1")
	c.use(t, func() { r.consume(t, c.ns, "n1") })
	were := r.api.OurLabels(t, c.ns, "n1")
	label := func(cluster string) {
		r.api.Edit(t, "people", engine.Hosts, c.ns, "n1", "", set(cluster, "metadata", "labels", clusterName))
		c.accept(t)
	}
	putBack := regexp.MustCompile(`kubectl label -n \S+ baremetalhosts\S+ [^;.]*` + regexp.QuoteMeta(clusterName) +
		`=a`)
	back := func(what string) {
		t.Helper()
		command := putBack.FindString(c.said)
		require.Truef(t, command != "", "%s: no command in\n%s", what, c.said)
		c.run(t, []string{strings.Replace(command, "--as=YOU", "--as=somebody", 1)})
		c.accept(t)
		assert.Equal(t, were, r.api.OurLabels(t, c.ns, "n1"), what)
		c.settle(t, what)
		c.wantHolds(t, what, "a", "n1")
	}

	label("nobody")
	assert.Truef(t,
		!c.commit(t) && strings.Contains(c.said,
			`whose labels were changed: `+clusterName+` is "nobody", written by "people"`),
		"labels of an unknown cluster: want a danger and no commit\n%s", c.said)
	back("labels of an unknown cluster")

	label("b")
	c.dispute(t, map[string]string{c.name("a", "hosts"): "is in use"}, "n1")
	back("labels of another tenant")

	label("b")
	c.specs["a"] = strings.Replace(c.specs["a"], "name: a}",
		"name: a, annotations: {sip.airshipit.org/approve-release: n1}}", 1)
	c.step(t, "given to b")
	c.wantHolds(t, "given to b", "a", "n3")
	if got := c.holds(t, "b"); !slices.Contains(got, "n1") {
		t.Errorf("b has hosts %v, want n1 among them", got)
	}
	c.tenant("a", 1)
	c.settle(t, "given to b")
}

// rowApproved: a release that was approved takes the labels of a host in use, and nothing but them. Replayed for the
// next machine on that host the approval is void.
func rowApproved(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenant("a", 2)
	c.step(t, "assign")
	c.use(t, func() { r.consume(t, c.ns, "n2") })
	c.tenant("a", 1)
	c.specs["a"] = strings.Replace(c.specs["a"], "name: a}",
		"name: a, annotations: {sip.airshipit.org/approve-release: n2}}", 1)
	// Without the annotation n1 would go: nothing runs there.
	c.specs["a"] = strings.Replace(c.specs["a"], "approve-release: n2",
		"approve-release: n2, sip.airshipit.org/remove: n2", 1)
	c.step(t, "an approved release")
	c.wantHolds(t, "an approved release", "a", "n1")
	approved := c.repo.Head(t)
	uid := r.api.Get(t, engine.Hosts, c.ns, "n2").GetUID()
	want := fmt.Sprintf("%s/Metal3Machine/%s/machine-n2", uid, c.ns)
	assert.Equal(t, want, r.api.Get(t, engine.Hosts, c.ns, "n2").GetAnnotations()["sip.airshipit.org/release-of"],
		"the host's approval is")
	c.settle(t, "an approved release")

	// Cluster API lets it go, another tenant gets it, and another machine.
	c.use(t, func() { r.letGo(t, c.ns, "n2", "") })
	c.tenant("a", 1)
	c.tenant("b", 1)
	c.step(t, "assign to b")
	c.wantHolds(t, "assign to b", "b", "n2")
	if got, found := r.api.Get(t, engine.Hosts, c.ns, "n2").GetAnnotations()["sip.airshipit.org/release-of"]; found {
		t.Errorf("the approval is still on the host: %q", got)
	}

	// A machine of b uses it, and the branch is set back to the commit that approved its release from a.
	c.use(t, func() {
		r.consume(t, c.ns, "n2")
		r.api.HostWatch.During(t, c.ns, "n2",
			func() { r.asCAPM3(t, c.ns, "n2", set("machine-of-b", "spec", "consumerRef", "name")) })
	})
	were := r.api.OurLabels(t, c.ns, "n2")
	c.reset(t, approved)
	c.sync(t, map[string]string{c.name("a", "hosts"): "is in use"})
	c.untouched.Check(t, "a replayed approval")
	assert.Equal(t, were, r.api.OurLabels(t, c.ns, "n2"), "after a replayed approval")
	c.commit(t)
	c.follow(t, "the run after it")
	c.wantHolds(t, "the run after it", "b", "n2")
	c.settle(t, "the run after it")
}
