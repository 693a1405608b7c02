package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
)

// smuggled are objects that are no tenant's to have, and what the failure of a sync says of each. Those without words of Flux are Argo CD's only, which says
// all at once: what an account with Flux may do is asked of the API server, kind by kind, in TestRightsOfATenant.
var smuggled = []struct{ what, object, flux, argo string }{
	{"rights over everything", `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, namespace: TENANTS, name: default}]
`, "ClusterRoleBinding/NAME", "ClusterRoleBinding is not permitted in project"},
	{"rights in its namespace", `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {namespace: TENANTS, name: NAME}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]
`, "Role/TENANTS/NAME", "Role is not permitted in project"},
	{"a pod beside the hosts' Secrets", `
apiVersion: v1
kind: Pod
metadata: {namespace: HOSTS, name: NAME}
spec: {containers: [{name: a, image: registry.invalid/a}]}
`, "Pod/HOSTS/NAME", "Pod is not permitted in project"},
	{"a service in another namespace", `
apiVersion: v1
kind: ConfigMap
metadata: {namespace: HOSTS, name: NAME}
`, "ConfigMap/HOSTS/NAME", "namespace HOSTS is not permitted in project"},
	{"another tenant's host", `
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {namespace: HOSTS, name: n3, labels: {sip.airshipit.org/cluster-name: a}}
`, "BareMetalHost/HOSTS/n3", "BareMetalHost is not permitted in project"},
	{"a service in Kubernetes' own namespace", `
apiVersion: v1
kind: Service
metadata: {namespace: kube-system, name: NAME}
spec: {ports: [{port: 443}]}
`, "", "namespace kube-system is not permitted in project"},
	{"an account beside the engine", `
apiVersion: v1
kind: ServiceAccount
metadata: {namespace: argocd, name: NAME}
`, "", "namespace argocd is not permitted in project"},
	{"a Secret in its namespace", `
apiVersion: v1
kind: Secret
metadata: {namespace: TENANTS, name: NAME, annotations: {kubernetes.io/service-account.name: default}}
type: kubernetes.io/service-account-token
`, "", "Secret is not permitted in project"},
	{"somebody's rights over its namespace", `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {namespace: TENANTS, name: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, namespace: TENANTS, name: default}]
`, "", "RoleBinding is not permitted in project"},
	{"rights that others may be given", `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: NAME, labels: {rbac.authorization.k8s.io/aggregate-to-view: "true"}}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]
`, "", "ClusterRole is not permitted in project"},
	{"a pod on every node", `
apiVersion: apps/v1
kind: DaemonSet
metadata: {namespace: TENANTS, name: NAME}
spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: registry.invalid/a}]}}}
`, "", "DaemonSet is not permitted in project"},
	{"a namespace that admits every pod", `
apiVersion: v1
kind: Namespace
metadata: {name: NAME, labels: {pod-security.kubernetes.io/enforce: privileged}}
`, "", "Namespace is not permitted in project"},
	{"a guard that is in force nowhere", `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: NAME}
spec: {policyName: NAME, validationActions: [Audit]}
`, "", "ValidatingAdmissionPolicyBinding is not permitted in project"},
	{"a webhook that sees every Secret", `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: NAME}
webhooks: []
`, "", "ValidatingWebhookConfiguration is not permitted in project"},
	{"a priority before everybody", `
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: NAME}
value: 1000000
`, "", "PriorityClass is not permitted in project"},
	{"an Application of another project", `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {namespace: TENANTS, name: NAME}
spec: {project: default, source: {repoURL: "https://git.invalid/evil.git", path: .}, destination: {server: "https://kubernetes.default.svc", namespace: kube-system}}
`, "", "Application is not permitted in project"},
	{"a project that permits everything", `
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {namespace: TENANTS, name: NAME}
spec: {sourceRepos: ["*"], destinations: [{server: "*", namespace: "*"}], clusterResourceWhitelist: [{group: "*", kind: "*"}]}
`, "", "AppProject is not permitted in project"},
}

// rowSmuggled: somebody pushes to the branch, and a tenant's services have an object among them that is not the tenant's to have. The engine's
// sync of that tenant fails and says what it is, nothing of it is made, and the other tenant goes on.
func rowSmuggled(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("a", 1, loadBalancer())
	c.tenantWith("b", 1, loadBalancer())
	c.step(t, "assign")
	folder := filepath.Join("clusters", c.tenants, "a", "infra")
	before := string(c.tree[filepath.ToSlash(filepath.Join(folder, "kustomization.yaml"))])
	fill := strings.NewReplacer("NAME", "smuggled-"+c.ns, "TENANTS", c.tenants, "HOSTS", c.ns).Replace
	push := func(what string, objects ...string) {
		c.edit(t, what, func(dir string) {
			write := func(file, content string) {
				if err := os.WriteFile(filepath.Join(dir, folder, file), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("smuggled.yaml", fill(strings.Join(objects, "---")))
			write("kustomization.yaml", strings.Replace(before, "resources:\n", "resources:\n- smuggled.yaml\n", 1))
		})
	}
	var all []string
	for _, row := range smuggled {
		all = append(all, row.object)
		if r.flux != nil && row.flux != "" {
			// Flux says the first that it is denied.
			push(row.what, row.object)
			c.sync(t, map[string]string{c.name("a", "infra"): fill(row.flux), c.name("a", "hosts"): "dependency"})
			c.check(t, row.what, nil)
		}
	}
	if r.argo != nil {
		// Argo CD says all, and waits longer before each try.
		push("all", all...)
		c.sync(t, map[string]string{c.name("a", "infra"): "not permitted"})
		c.check(t, "all", nil)
		status := fmt.Sprint(r.api.Get(t, engine.Applications, engine.ArgoNamespace, c.name("a", "infra")).Object["status"])
		for _, row := range smuggled {
			if !strings.Contains(status, fill(row.argo)) {
				t.Errorf("%s: no %q in %s", row.what, fill(row.argo), status)
			}
		}
	}
	for _, row := range smuggled {
		made := engine.Objects(t, []byte(fill(row.object)))[0]
		if made.GetKind() == "BareMetalHost" || r.flux != nil && row.flux == "" {
			continue // the labels were checked, or it was never pushed
		}
		resource, err := r.api.Resource(made)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := resource.Get(t.Context(), made.GetName(), getOptions); err == nil {
			t.Errorf("%s: %s was made", row.what, made.GetName())
		}
	}
	c.edit(t, "as it was", func(dir string) {
		remove(t, filepath.Join(dir, folder, "smuggled.yaml"))
		if err := os.WriteFile(filepath.Join(dir, folder, "kustomization.yaml"), []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	c.sync(t, nil)
	c.settle(t, "as it was")
}
