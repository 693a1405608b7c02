package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// accountTry is an object that an account applies, or with the word delete deletes, and what the API server says to it: "" if it is done.
type accountTry struct{ what, account, object, denied string }

const (
	byRBAC  = "is forbidden: User"
	byGuard = "ValidatingAdmissionPolicy 'sipgen-accounts-account-guard-v1'"
)

// accountTries are what the accounts of the site's folders may and may not do. Those that may are what would be missed if a rule were gone.
func accountTries() []accountTry {
	role := func(namespace, rule string) string {
		return fmt.Sprintf("apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {namespace: %s, name: try}\nrules: [%s]\n", namespace, rule)
	}
	services := role("accounts-tenant", `{apiGroups: [""], resources: [services], verbs: [create]}`)
	account := func(namespace, name string) string {
		return fmt.Sprintf("apiVersion: v1\nkind: ServiceAccount\nmetadata: {namespace: %s, name: %s}\n", namespace, name)
	}
	binding := func(kind, name, role string) string {
		return fmt.Sprintf("apiVersion: rbac.authorization.k8s.io/v1\nkind: %s\nmetadata: {name: %s}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %s}\nsubjects: []\n", kind, name, role)
	}
	guard := func(name string) string {
		return fmt.Sprintf("apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: %s}\nspec: {policyName: x, validationActions: [Audit]}\n", name)
	}
	cron := func(namespace, name, account string) string {
		return fmt.Sprintf("apiVersion: batch/v1\nkind: CronJob\nmetadata: {namespace: %s, name: %s}\nspec: {schedule: '@daily', jobTemplate: {spec: {template: {spec: {serviceAccountName: %s, restartPolicy: Never, containers: [{name: x, image: x}]}}}}}\n", namespace, name, account)
	}
	sync := func(account string) string {
		return fmt.Sprintf("apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {namespace: flux-system, name: try}\nspec: {interval: 1h, prune: false, sourceRef: {kind: GitRepository, name: x}%s}\n", account)
	}
	const (
		policy, rights, site, root = "sipgen-accounts-policy", "sipgen-accounts-rights", "sipgen-accounts-site", "fleet"

		host       = "apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: accounts-hosts, name: n1}\nspec: {online: false}\n"
		admin      = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: try}\nrules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]\n"
		configMap  = "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: %s, name: %s}\n"
		everything = `{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}`
		secrets    = `{apiGroups: [""], resources: [secrets], verbs: [get]}`
		reader     = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: sipgen-accounts-reader}\nrules: [{apiGroups: [''], resources: [secrets], verbs: [%s]}]\n"
		crd        = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: tries.example.org}\nspec: {group: example.org, scope: Namespaced, names: {kind: Try, plural: tries}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n"
		quota      = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {namespace: %s, name: try}\nspec: {hard: {pods: 1}}\n"
	)
	return []accountTry{
		{"a guard of its own", policy, guard("sipgen-accounts-sync-guard-v1"), ""},
		{"a guard of another site", policy, guard("sipgen-other-sync-guard-v1"), byRBAC},
		{"a guard is deleted", policy, "delete " + guard("sipgen-accounts-account-guard-v1"), byRBAC},
		{"a host is switched off", policy, host, byGuard},
		{"another role", policy, admin, byRBAC},
		{"the reader may list Secrets", policy, fmt.Sprintf(reader, "list"), "attempting to grant RBAC permissions not currently held"},
		{"a role of its own", policy, fmt.Sprintf(reader, "get"), ""},
		{"the hosts' account is bound to everything", policy, binding("ClusterRoleBinding", "sipgen-accounts-hosts", "cluster-admin"), "attempting to grant RBAC permissions not currently held"},
		{"a role that is not there is bound", policy, binding("ClusterRoleBinding", "sipgen-accounts-status", "sipgen-accounts-status"), ""},
		{"an account of its own", policy, account("flux-system", "sipgen-accounts-reader"), ""},
		{"another account", policy, account("flux-system", "kustomize-controller"), byRBAC},

		{"rights of a tenant", rights, services, ""},
		{"rights in a namespace of Kubernetes", rights, strings.Replace(services, "accounts-tenant", "kube-system", 1), byGuard},
		{"rights in a controllers' namespace", rights, strings.Replace(services, "accounts-tenant", "capi-system", 1), byGuard},
		{"rights of Flux", rights, strings.Replace(services, "accounts-tenant", "flux-system", 1), byGuard},
		{"rights over hosts", rights, role("accounts-hosts", `{apiGroups: [metal3.io], resources: [baremetalhosts], resourceNames: [n1], verbs: [patch]}`), ""},
		{"rights to delete hosts", rights, role("accounts-hosts", `{apiGroups: [metal3.io], resources: [baremetalhosts], verbs: [delete]}`), "attempting to grant RBAC permissions not currently held"},
		{"rights over everything", rights, role("accounts-tenant", everything), "attempting to grant RBAC permissions not currently held"},
		{"rights over Secrets", rights, role("accounts-tenant", secrets), "attempting to grant RBAC permissions not currently held"},
		{"rights everywhere", rights, admin, byRBAC},
		{"a role of the cluster is bound", rights, strings.Replace(binding("RoleBinding", "try", "cluster-admin"), "{name: try}", "{namespace: accounts-tenant, name: try}", 1), "attempting to grant RBAC permissions not currently held"},
		{"a cluster's account", rights, account("flux-system", "ns.name.infra"), ""},
		{"another account of Flux", rights, account("flux-system", "kustomize-controller"), byGuard},
		{"an account of a tenant", rights, account("accounts-tenant", "ns.name.infra"), byGuard},
		{"a quota", rights, fmt.Sprintf(quota, "accounts-tenant"), ""},
		{"a quota of Kubernetes", rights, fmt.Sprintf(quota, "kube-system"), byGuard},
		{"a host is switched off by the account of rights", rights, host, byGuard},
		{"a ConfigMap", rights, fmt.Sprintf(configMap, "accounts-tenant", "try"), byGuard},
		{"a guard by the account of rights", rights, guard("sipgen-accounts-sync-guard-v1"), byRBAC},

		{"the ConfigMap of the baremetal-operator", site, fmt.Sprintf(configMap, "accounts-tenant", "ironic"), ""},
		{"another ConfigMap", site, fmt.Sprintf(configMap, "accounts-tenant", "try"), byRBAC},
		{"a guard by the site's account", site, guard("sipgen-accounts-sync-guard-v1"), byRBAC},
		{"the guard of jump hosts", site, guard("sipgen-accounts-jump-host-guard-v1"), ""},
		{"a definition", site, crd, byRBAC},
		{"the runner", site, cron("flux-system", "sipgen-accounts-runner", "sipgen-accounts-reader"), ""},
		{"a runner that is Flux", site, cron("flux-system", "sipgen-accounts-runner", "kustomize-controller"), byGuard},
		{"another CronJob", site, cron("flux-system", "try", "sipgen-accounts-reader"), byRBAC},
		{"a CronJob elsewhere", site, cron("accounts-tenant", "sipgen-accounts-runner", "sipgen-accounts-reader"), byRBAC},
		{"a host is switched off by the site's account", site, host, byRBAC},
		{"rights by the site's account", site, services, byRBAC},

		{"a Kustomization as an account of the site", root, sync(", serviceAccountName: sipgen-accounts-policy"), ""},
		{"a Kustomization as a cluster's account", root, sync(", serviceAccountName: ns.name.infra"), ""},
		{"a Kustomization as Flux", root, sync(""), byGuard},
		{"a Kustomization as Flux' account", root, sync(", serviceAccountName: kustomize-controller"), byGuard},
		{"a host is switched off by the root", root, host, byGuard},
		{"another role by the root", root, admin, byRBAC},
		{"an account of the site", root, account("flux-system", "sipgen-accounts-rights"), ""},
		{"an account of Flux by the root", root, account("flux-system", "kustomize-controller"), byGuard},
	}
}

// TestAccounts tries, on a real API server and without any engine, what the accounts may do that Flux applies the site's folders as.
func TestAccounts(t *testing.T) {
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, append(engine.HostCRDs(t), engine.FluxCRDs(t)...)...)
	api.Namespaces(t, "accounts-tenant", "accounts-hosts", "flux-system", "capi-system")
	site := &v1alpha1.Site{}
	site.Name = "accounts"
	site.Spec.Repository.URL = "ssh://git@git.invalid/accounts.git"
	site.Spec.Hosts.Namespaces, site.Spec.Flux.ServiceAccountName = []string{"accounts-hosts"}, "fleet"
	site.Default()
	tree, _, err := render.Site(render.Input{Site: site, Placement: &schedule.Placement{}})
	if err != nil {
		t.Fatal(err)
	}
	api.Apply(t, "e2e", string(tree["flux/accounts.yaml"]), string(tree["flux/root-account.yaml"]), string(tree["policy/account-guard.yaml"]))
	api.Create(t, "e2e", hostManifest("accounts-hosts", "n1", "r1"))
	client := func(account string) *engine.Client {
		return engine.NewClient(t, api.As("system:serviceaccount:flux-system:"+account))
	}
	do := func(try accountTry) error {
		object, deleted := strings.CutPrefix(try.object, "delete ")
		o := engine.Objects(t, []byte(object))[0]
		if deleted {
			return client(try.account).TryDelete(schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings"}, "", o.GetName(), true)
		}
		return client(try.account).TryApply(o, "kustomize-controller", true)
	}
	tries := accountTries()
	// The API server knows the guard when it denies something by it. The rows say what.
	knows := func() bool {
		return slices.ContainsFunc(tries, func(try accountTry) bool {
			err := do(try)
			return try.denied == byGuard && err != nil && strings.Contains(err.Error(), byGuard)
		})
	}
	for end := time.Now().Add(time.Minute); !knows() && time.Now().Before(end); {
		time.Sleep(200 * time.Millisecond)
	}
	for _, try := range tries {
		t.Run(strings.TrimPrefix(try.account, "sipgen-accounts-")+"/"+try.what, func(t *testing.T) {
			err := do(try)
			if try.denied == "" && err != nil || try.denied != "" && (err == nil || !strings.Contains(err.Error(), try.denied)) {
				t.Errorf("got %v, want %q", err, try.denied)
			}
		})
	}
}

// TestLockedFlux: a Flux that applies nothing without an account, as clusters of several tenants have it. The root has the account that a
// person made, all that comes later finds its rights: a new cluster, a first jump host, a first Dex and claims. All of it goes again.
func TestLockedFlux(t *testing.T) {
	t.Parallel()
	r := newRig(t, v1alpha1.EngineFlux)
	r.alone, r.locked = true, true
	r.api.InstallCRDs(t, append(engine.CertManagerCRDs(t), engine.HostDeployPolicyCRD(t))...)
	r.flux = engine.StartLockedFlux(t, r.api)
	r.controllers = engine.StartControllers(t, r.api)
	c := newCircle(t, r, "locked")
	c.site.Spec.Flux.ServiceAccountName = "fleet"
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("a", 1, loadBalancer())
	c.step(t, "the first cluster")
	c.wantHolds(t, "the first cluster", "a", "n1")

	c.tenantWith("b", 1, fmt.Sprintf("%s    jumpHost:\n    - {nodeInterfaceId: oam, nodePort: %d, sshAuthorizedKeys: [%q]}\n", loadBalancer(), nextNodePort(),
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO/U3rjtwvmtGX2eLm0ewdPD/UWr+X9vypuJN2A5pqvV operator@example.org"))
	c.step(t, "a new cluster, with the first jump host")
	c.wantHolds(t, "a new cluster", "b", "n2")
	roles := schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}
	if !r.api.Exists(t, roles, c.ns, "jumphost-b."+c.tenants) {
		t.Error("the jump host has no rights")
	}

	port := nextNodePort()
	c.tenantWith("a", 1, fmt.Sprintf("%s    dex:\n    - {issuer: 'https://dex.example.org:%[2]d', nodePort: %[2]d, tls: {issuerRef: {name: ca, kind: ClusterIssuer}}, connectors: [{type: github, id: github, name: GitHub, "+
		"config: {clientID: x, clientSecret: '$SECRET', redirectURI: 'https://dex.example.org:%[2]d/callback'}}], env: [{name: SECRET, secretRef: {name: github, key: secret}}], "+
		"staticClients: [{id: kubernetes, name: Kubernetes, public: true, redirectURIs: ['http://localhost:8000']}]}\n", loadBalancer(), port))
	c.site.Spec.Tenants = []v1alpha1.Tenant{{
		Name: "all", Namespaces: []string{c.tenants}, NodePorts: []v1alpha1.NodePorts{*c.site.Spec.NodePorts}, IssuerDomains: []string{"dex.example.org"},
		CertificateIssuers: []string{"ClusterIssuer/ca"},
	}}
	c.site.Default()
	c.step(t, "the first Dex")
	if crds := (schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}); !r.api.Exists(t, crds, "", "authcodes.dex.coreos.com") {
		t.Error("Dex has no definitions")
	}

	c.site.Spec.Hosts.ClaimNamespaces = []string{"platform"}
	c.step(t, "the first claims")
	policies := schema.GroupVersionResource{Group: "metal3.io", Version: "v1alpha1", Resource: "hostdeploypolicies"}
	if !r.api.Exists(t, policies, c.ns, c.root()) {
		t.Error("there is no HostDeployPolicy")
	}

	// It is locked: what names no account is not applied.
	r.api.Apply(t, "e2e", fmt.Sprintf(`
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {namespace: flux-system, name: nobody}
spec: {interval: 1h, retryInterval: 2s, path: ./policy, prune: false, deletionPolicy: Orphan, sourceRef: {kind: GitRepository, name: %s}}
`, c.root()))
	r.flux.WaitFailed(t, engine.FluxNamespace, "nobody", c.repo.Branch+"@sha1:"+c.repo.Head(t), "system:serviceaccount:flux-system:default")

	c.site.Spec.Hosts.ClaimNamespaces = nil
	c.decommission("b")
	c.tenantWith("a", 1, loadBalancer())
	c.settle(t, "all of it goes")
	engine.Wait(t, "the end of rights and claims", engine.SyncTimeout, func() error {
		if r.api.Exists(t, policies, c.ns, c.root()) || r.api.Exists(t, roles, c.ns, "jumphost-b."+c.tenants) || r.api.Exists(t, serviceAccounts, engine.FluxNamespace, c.tenants+".b.infra") {
			return fmt.Errorf("the HostDeployPolicy, the jump host's Role or the cluster's account is still there")
		}
		return nil
	})
	for _, name := range c.syncs(t) {
		k := r.api.Get(t, engine.Kustomizations, engine.FluxNamespace, name)
		if account, _, _ := unstructured.NestedString(k.Object, "spec", "serviceAccountName"); account == "" {
			t.Errorf("%s is applied as nobody", name)
		}
	}
}
