package e2e_test

import (
	"fmt"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestLockedFlux: a Flux that applies nothing without an account, as clusters of several tenants have it. The root has
// the account that a person made, all that comes later finds its rights: a new cluster, a first jump host, a first Dex
// and claims. All of it goes again. While the API server answers 429 and 500 to a share of the requests Flux may fail
// as often as it likes; it ends where it would have, and no host is harmed on the way.
func TestLockedFlux(t *testing.T) {
	t.Parallel()
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, append(append(engine.HostCRDs(t), engine.CertManagerCRDs(t)...),
		engine.HostDeployPolicyCRD(t))...)
	engine.WatchHosts(t, api)
	r := &rig{engine: v1alpha1.EngineFlux, api: api, kubelet: engine.StartKubelet(t, api), alone: true, locked: true}
	proxy := engine.StartFaulty(t, r.api)
	r.flux = engine.StartLockedFlux(t, r.api, proxy)
	r.controllers = engine.StartControllers(t, r.api)
	c := newCircle(t, r, "locked")
	c.site.Spec.Flux.ServiceAccountName = "fleet"
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("a", 1, loadBalancer())
	c.step(t, "the first cluster")
	c.wantHolds(t, "the first cluster", "a", "n1")

	c.tenantWith("b", 1, fmt.Sprintf("%s    jumpHost:\n    - {nodeInterfaceId: oam, nodePort: %d, sshAuthorizedKeys: [%q]}\n", loadBalancer(), nextNodePort(),
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO/U3rjtwvmtGX2eLm0ewdPD/UWr+X9vypuJN2A5pqvV operator@example.org"))
	proxy.Fail(3)
	defer proxy.Fail(0)
	c.commit(t)
	c.begin(t)
	engine.Wait(t, "some faults", engine.SyncTimeout, func() error {
		c.nudge(t)
		if n := proxy.Refused.Load(); n < 10 {
			return fmt.Errorf("%d so far", n)
		}
		return nil
	})
	c.untouched.Check(t, "faults")
	proxy.Fail(0)
	c.nudge(t)
	c.follow(t, "a new cluster, with the first jump host")
	c.wantHolds(t, "a new cluster", "b", "n2")
	assert.Truef(t, r.api.Exists(t, roles, c.ns, "jumphost-b."+c.tenants), "the jump host has no rights")

	port := nextNodePort()
	c.tenantWith("a", 1, fmt.Sprintf("%s    dex:\n    - {issuer: 'https://dex.example.org:%[2]d', nodePort: %[2]d, tls: {issuerRef: {name: ca, kind: ClusterIssuer}}, connectors: [{type: github, id: github, name: GitHub, "+
		"config: {clientID: x, clientSecret: '$SECRET', redirectURI: 'https://dex.example.org:%[2]d/callback'}}], env: [{name: SECRET, secretRef: {name: github, key: secret}}], "+
		"staticClients: [{id: kubernetes, name: Kubernetes, public: true, redirectURIs: ['http://localhost:8000']}]}\n",
		loadBalancer(), port))
	c.site.Spec.Tenants = []v1alpha1.Tenant{{
		Name: "all", Namespaces: []string{c.tenants}, NodePorts: []v1alpha1.NodePorts{*c.site.Spec.NodePorts},
		IssuerDomains:      []string{"dex.example.org"},
		CertificateIssuers: []string{"ClusterIssuer/ca"},
	}}
	c.site.Default()
	c.site.Spec.Hosts.ClaimNamespaces = []string{"platform"}
	c.step(t, "the first Dex, and the first claims")
	assert.Truef(t, r.api.Exists(t, engine.Definitions, "", "authcodes.dex.coreos.com"), "Dex has no definitions")
	policies := schema.GroupVersionResource{Group: "metal3.io", Version: "v1alpha1", Resource: "hostdeploypolicies"}
	assert.Truef(t, r.api.Exists(t, policies, c.ns, c.root()), "there is no HostDeployPolicy")

	// It is locked: what names no account is not applied.
	r.api.Apply(t, "e2e", fmt.Sprintf(`
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {namespace: flux-system, name: nobody}
spec: {interval: 1h, retryInterval: 2s, path: ./policy, prune: false, deletionPolicy: Orphan, sourceRef: {kind: GitRepository, name: %s}}
`, c.root()))
	r.flux.WaitFailed(t, engine.FluxNamespace, "nobody", c.repo.Branch+"@sha1:"+c.repo.Head(t),
		"system:serviceaccount:flux-system:default")

	c.site.Spec.Hosts.ClaimNamespaces = nil
	c.decommission("b")
	c.tenantWith("a", 1, loadBalancer())
	c.settle(t, "all of it goes")
	waitWhile(t, "the end of rights and claims", func() (bool, any) {
		return r.api.Exists(t, policies, c.ns, c.root()) || r.api.Exists(t, roles, c.ns, "jumphost-b."+c.tenants) ||
			r.api.Exists(t, serviceAccounts, engine.FluxNamespace,
				c.tenants+".b.infra"), "the HostDeployPolicy, the jump host's Role or the cluster's account is still there"
	})
	for _, name := range c.syncs(t) {
		spec := r.api.Get(t, engine.Kustomizations, engine.FluxNamespace, name).Object["spec"].(map[string]any)
		assert.Truef(t, spec["serviceAccountName"] != nil, "%s is applied as nobody", name)
	}
}
