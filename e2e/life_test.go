package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// standby gives a cluster one active worker and so many standby ones.
func (c *circle) standby(name string, standby int, annotations string) {
	c.tenant(name, 1)
	c.specs[name] = strings.Replace(c.specs[name], "count: {active: 1}", fmt.Sprintf("count: {active: 1, standby: %d}", standby), 1)
	if annotations != "" {
		c.specs[name] = strings.Replace(c.specs[name], "name: "+name+"}", "name: "+name+", annotations: {"+annotations+"}}", 1)
	}
}

// wantSaid wants the words in what sipgen printed last.
func (c *circle) wantSaid(t *testing.T, what string, words ...string) {
	t.Helper()
	need.Words(t, what, c.said, words...)
}

// wantStandby wants the label of standby hosts on these hosts of a cluster, and on no other of its hosts.
func (c *circle) wantStandby(t *testing.T, what, cluster string, want ...string) {
	t.Helper()
	found := []string{}
	for _, name := range c.holds(t, cluster) {
		if c.rig.api.OurLabels(t, c.ns, name)["sip.airshipit.org/standby"] == "true" {
			found = append(found, name)
		}
	}
	need.Same(t, "after "+what, found, append([]string{}, want...))
}

// rowStandIn: Cluster API gives a host up on which a machine runs. The standby host stands in for it, a free one becomes standby, and the host
// keeps its machine, its power and its labels until it is let go.
func rowStandIn(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.standby("a", 1, "")
	c.step(t, "assign")
	c.wantStandby(t, "assign", "a", "n2")
	c.consumed(t, "n1")

	r.markAsCAPM3(t, c.ns, "n1", "annotations", "capm3.metal3.io/unhealthy", "true")
	c.accept(t)
	c.step(t, "given up")
	c.wantSaid(t, "given up", c.ns+"/n2", "promoted from standby", "replaces "+c.ns+"/n1 (marked unhealthy)")
	c.wantHolds(t, "given up", "a", "n1", "n2", "n3")
	c.wantStandby(t, "given up", "a", "n3")
	c.settle(t, "the standby host stands in")
	c.wantHolds(t, "the standby host stands in", "a", "n1", "n2", "n3")

	c.use(t, func() { r.consume(t, c.ns, "n2") })
	c.use(t, func() { r.letGo(t, c.ns, "n1") })
	c.settle(t, "let go")
	c.wantHolds(t, "let go", "a", "n2", "n3")
	c.wantStandby(t, "let go", "a", "n3")
}

// rowNetworkData: the provider puts network data of its own in the place of a host's, and takes it away with the machine. The load balancer keeps
// the address that the host had when it was handed out. A host that has lost it is handed out again when its annotation says where it is.
func rowNetworkData(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	data := "apiVersion: v1\nkind: Secret\nmetadata: {namespace: " + c.ns + ", name: n1-data, labels: {environment.metal3.io: baremetal}}\nstringData: {networkData: '{\"networks\": [{\"id\": \"oam\", \"type\": \"ipv4\", \"link\": \"e0\", \"ip_address\": \"ADDRESS\"}]}'}\n"
	r.api.Create(t, "e2e", strings.Replace(data, "ADDRESS", "192.0.2.71", 1))
	r.api.Create(t, "e2e", strings.NewReplacer("ADDRESS", "198.51.100.71", "n1-data", "n1-machine", "oam", "capm3").Replace(data))
	r.api.Edit(t, "site-controller", engine.Hosts, c.ns, "n1", "", func(o map[string]any) {
		unstructured.RemoveNestedField(o, "metadata", "annotations", "sip.airshipit.org/address.oam")
		o["spec"].(map[string]any)["networkData"] = map[string]any{"namespace": c.ns, "name": "n1-data"}
	})
	c.accept(t)
	c.tenantWith("a", 1, loadBalancer())
	c.step(t, "assign")
	c.wantHolds(t, "assign", "a", "n1")
	backends := func(what string, want bool) {
		t.Helper()
		config := string(c.tree["clusters/"+c.tenants+"/a/infra/loadbalancer-worker-a.cfg"])
		need.That(t, strings.Contains(config, "192.0.2.71") == want && !strings.Contains(config, "198.51.100.71"),
			"%s: the load balancer reaches 192.0.2.71: want %v, in\n%s", what, want, config)
	}
	backends("assign", true)

	c.use(t, func() {
		r.api.HostWatch.During(t, c.ns, "n1", func() {
			r.take(t, c.ns, "n1", "n1-machine")
			r.api.Operator.WaitState(t, "provisioned", c.ns, "n1")
		})
	})
	c.settle(t, "consumed")
	backends("consumed", true)
	c.use(t, func() { r.letGo(t, c.ns, "n1") })
	c.settle(t, "let go")
	backends("let go", true)

	c.tenant("b", 0)
	c.decommission("a")
	c.settle(t, "given back")
	c.tenantWith("b", 2, loadBalancer())
	c.exits(t, "a host without an address", 1, "plan")
	c.wantSaid(t, "a host without an address", "1 no address on oam")
	r.api.Edit(t, "people", engine.Hosts, c.ns, "n1", "", func(o map[string]any) {
		_ = unstructured.SetNestedField(o, "192.0.2.71", "metadata", "annotations", "sip.airshipit.org/address.oam")
	})
	c.accept(t)
	c.step(t, "its annotation says where it is")
	c.wantHolds(t, "its annotation says where it is", "b", "n1", "n2")
}

// rowReuse: Cluster API keeps a host that it let go for the next machine of the same control plane. It stays where it is, and once it is given
// back nobody gets it.
func rowReuse(t *testing.T, r *rig, name string) {
	const label = "infrastructure.cluster.x-k8s.io/node-reuse"
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1")
	c.tenant("a", 1)
	c.step(t, "assign")
	c.use(t, func() { r.consume(t, c.ns, "n1") })
	c.use(t, func() { r.letGoFor(t, c.ns, "n1", "kcp-a") })
	c.settle(t, "kept for reuse")
	c.wantHolds(t, "kept for reuse", "a", "n1")

	c.tenant("a", 0)
	c.settle(t, "given back")
	c.tenant("b", 1)
	c.exits(t, "a host that is kept", 1, "plan")
	c.wantSaid(t, "a host that is kept", "kept for reuse")
	r.markAsCAPM3(t, c.ns, "n1", "labels", label, "")
	c.accept(t)
	c.step(t, "not kept any more")
	c.wantHolds(t, "not kept any more", "b", "n1")
}

// rowNamespaceGone: somebody deletes a tenant's namespace, while machines run on its hosts. The services are gone; the hosts keep labels, spec and
// power, and when the namespace is back, so are the services.
func rowNamespaceGone(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	c.tenantWith("a", 1, loadBalancer())
	c.step(t, "assign")
	c.consumed(t, "n1")
	r.api.Delete(t, namespaces, "", c.tenants)
	r.api.WaitGone(t, namespaces, "", c.tenants)
	c.nudge(t)
	c.check(t, "the end of the namespace", nil)
	c.wantHolds(t, "the end of the namespace", "a", "n1")
	// What the tree says does not depend on the namespace.
	need.That(t, !c.commit(t), "the end of a namespace changes the tree:\n%s", c.said)
	// Word by word; with Flux, what asks for a sync too.
	commands := procedure(t, "restore-namespace")
	commands[0] = strings.Replace(commands[0], "NAMESPACE", c.tenants, 1)
	if r.argo != nil {
		commands = commands[:1]
	}
	c.run(t, commands)
	engine.Wait(t, "the return of the services", engine.SyncTimeout, func() error {
		if len(r.api.List(t, engine.Deployments, c.tenants)) == 0 {
			if r.argo != nil {
				c.nudge(t)
			}
			return fmt.Errorf("no Deployment")
		}
		return nil
	})
	c.follow(t, "the return of the namespace")
	c.settle(t, "the return of the namespace")
}

// rowLife is a site from its first host to its last, on the real baremetal-operator: after each step no host that is held or consumed has
// entered deprovisioning, each has its power, and each spec is as its writers left it.
func rowLife(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3", "n4")
	c.tenantWith("a", 2, loadBalancer())
	c.tenant("b", 1)
	c.step(t, "assign")
	c.wantHolds(t, "assign", "a", "n1", "n2")
	c.wantHolds(t, "assign", "b", "n3")
	c.use(t, func() { r.consume(t, c.ns, "n1", "n2", "n3") })
	c.settle(t, "provisioned")

	services := c.specs["a"]
	c.specs["a"] = strings.Replace(services, "active: 2", "active: 3", 1)
	c.step(t, "expand")
	c.use(t, func() { r.consume(t, c.ns, "n4") })
	before := c.repo.Head(t)
	c.specs["a"] = services
	c.step(t, "contract")
	c.wantSaid(t, "contract", "1 release pending")
	c.wantHolds(t, "contract", "a", "n1", "n2", "n4")
	c.use(t, func() { r.letGo(t, c.ns, "n2") }) // not the one that sipgen would have chosen
	c.tenant("b", 2)
	c.short = true // until n2 is free
	c.settle(t, "move")
	c.short = false
	c.wantHolds(t, "move", "a", "n1", "n4")
	c.wantHolds(t, "move", "b", "n2", "n3")
	c.use(t, func() { r.consume(t, c.ns, "n2") })

	has := c.repo.Head(t)
	c.reset(t, before)
	c.sync(t, map[string]string{c.name("a", "hosts"): "is in use"})
	c.untouched.Check(t, "a rollback")
	c.wantHolds(t, "a rollback", "b", "n2", "n3")
	c.reset(t, has)
	c.follow(t, "the run after it")
	c.wantHolds(t, "the run after it", "a", "n1", "n4")

	c.decommission("b")
	c.settle(t, "decommission")
	c.wantHolds(t, "decommission", "b", "n2", "n3")
	c.use(t, func() { r.letGo(t, c.ns, "n2"); r.letGo(t, c.ns, "n3") })
	c.settle(t, "the last machine is gone")
	c.wantHolds(t, "the last machine is gone", "b")
	c.wantHolds(t, "the last machine is gone", "a", "n1", "n4")
}
