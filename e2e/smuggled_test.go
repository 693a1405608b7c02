package e2e_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// smuggled are objects that are no tenant's to have, and what Argo CD says of each; Flux names the object. Kinds of an engine are for that engine alone.
var smuggled = []struct{ what, object, argo string }{
	{"rights over everything", `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, namespace: TENANTS, name: default}]
`, "ClusterRoleBinding is not permitted in project"},
	{"rights in its namespace", `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {namespace: TENANTS, name: NAME}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]
`, "Role is not permitted in project"},
	{"a pod beside the hosts' Secrets", `
apiVersion: v1
kind: Pod
metadata: {namespace: HOSTS, name: NAME}
spec: {containers: [{name: a, image: registry.invalid/a}]}
`, "Pod is not permitted in project"},
	{"a service in another namespace", `
apiVersion: v1
kind: ConfigMap
metadata: {namespace: HOSTS, name: NAME}
`, "namespace HOSTS is not permitted in project"},
	{"another tenant's host", `
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {namespace: HOSTS, name: n3, labels: {sip.airshipit.org/cluster-name: a}}
`, "BareMetalHost is not permitted in project"},
	{"a service in Kubernetes' own namespace", `
apiVersion: v1
kind: Service
metadata: {namespace: kube-system, name: NAME}
spec: {ports: [{port: 443}]}
`, "namespace kube-system is not permitted in project"},
	{"an account beside the engine", `
apiVersion: v1
kind: ServiceAccount
metadata: {namespace: ENGINE, name: NAME}
`, "namespace ENGINE is not permitted in project"},
	{"a program beside the engine", `
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: ENGINE, name: NAME}
spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {serviceAccountName: default, containers: [{name: a, image: registry.invalid/a}]}}}
`, "namespace ENGINE is not permitted in project"},
	{"a Secret in its namespace", `
apiVersion: v1
kind: Secret
metadata: {namespace: TENANTS, name: NAME, annotations: {kubernetes.io/service-account.name: default}}
type: kubernetes.io/service-account-token
`, "Secret is not permitted in project"},
	{"somebody's rights over its namespace", `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {namespace: TENANTS, name: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, namespace: TENANTS, name: default}]
`, "RoleBinding is not permitted in project"},
	{"rights that others may be given", `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: NAME, labels: {rbac.authorization.k8s.io/aggregate-to-view: "true"}}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]
`, "ClusterRole is not permitted in project"},
	{"a pod on every node", `
apiVersion: apps/v1
kind: DaemonSet
metadata: {namespace: TENANTS, name: NAME}
spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: registry.invalid/a}]}}}
`, "DaemonSet is not permitted in project"},
	{"a pod with a disk", `
apiVersion: apps/v1
kind: StatefulSet
metadata: {namespace: TENANTS, name: NAME}
spec: {serviceName: a, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: registry.invalid/a}]}}}
`, "StatefulSet is not permitted in project"},
	{"a program that runs once", `
apiVersion: batch/v1
kind: Job
metadata: {namespace: TENANTS, name: NAME}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: registry.invalid/a}]}}}
`, "Job is not permitted in project"},
	{"a program that runs again and again", `
apiVersion: batch/v1
kind: CronJob
metadata: {namespace: TENANTS, name: NAME}
spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: registry.invalid/a}]}}}}}
`, "CronJob is not permitted in project"},
	{"a namespace that admits every pod", `
apiVersion: v1
kind: Namespace
metadata: {name: NAME, labels: {pod-security.kubernetes.io/enforce: privileged}}
`, "Namespace is not permitted in project"},
	{"a guard that is in force nowhere", `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: NAME}
spec: {policyName: NAME, validationActions: [Audit]}
`, "ValidatingAdmissionPolicyBinding is not permitted in project"},
	{"a webhook that sees every Secret", `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: NAME}
webhooks: []
`, "ValidatingWebhookConfiguration is not permitted in project"},
	{"a webhook that changes every pod", `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: NAME}
webhooks: []
`, "MutatingWebhookConfiguration is not permitted in project"},
	{"a kind of its own", `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: smuggled.NAME.example.org}
spec: {group: NAME.example.org, scope: Namespaced, names: {kind: Smuggled, plural: smuggled}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}
`, "CustomResourceDefinition is not permitted in project"},
	{"a disk of a node", `
apiVersion: v1
kind: PersistentVolume
metadata: {name: NAME}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /}}
`, "PersistentVolume is not permitted in project"},
	{"a quota of its own", `
apiVersion: v1
kind: ResourceQuota
metadata: {namespace: TENANTS, name: NAME}
spec: {hard: {pods: "1000000"}}
`, "ResourceQuota is not permitted in project"},
	{"addresses behind another's Service", `
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {namespace: TENANTS, name: NAME, labels: {kubernetes.io/service-name: other}}
addressType: IPv4
endpoints: []
ports: []
`, "EndpointSlice is not permitted in project"},
	{"a name that leads to the tenant", `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {namespace: TENANTS, name: NAME}
spec: {defaultBackend: {service: {name: a, port: {number: 80}}}}
`, "Ingress is not permitted in project"},
	{"an API that is answered by the tenant", `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.NAME.example.org}
spec: {group: NAME.example.org, version: v1, groupPriorityMinimum: 1, versionPriority: 1, service: {namespace: TENANTS, name: a}}
`, "APIService is not permitted in project"},
	{"a priority before everybody", `
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: NAME}
value: 1000000
`, "PriorityClass is not permitted in project"},
	{"a Kustomization that is applied as Flux", `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {namespace: ENGINE, name: NAME}
spec: {interval: 1h, prune: false, path: ./evil, sourceRef: {kind: GitRepository, name: NAME}}
`, ""},
	{"a repository of its own", `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {namespace: TENANTS, name: NAME}
spec: {interval: 1h, url: "https://git.invalid/evil.git"}
`, ""},
	{"an Application of another project", `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {namespace: ENGINE, name: NAME}
spec: {project: default, source: {repoURL: "https://git.invalid/evil.git", path: .}, destination: {server: "https://kubernetes.default.svc", namespace: kube-system}}
`, "Application is not permitted in project"},
	{"a project that permits everything", `
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {namespace: ENGINE, name: NAME}
spec: {sourceRepos: ["*"], destinations: [{server: "*", namespace: "*"}], clusterResourceWhitelist: [{group: "*", kind: "*"}]}
`, "AppProject is not permitted in project"},
}

// rowSmuggled: somebody pushes to the branch, and a tenant's services have an object among them that is not the tenant's to have. The engine's
// sync of that tenant fails and says what it is, nothing of it is made, and the other tenant goes on.
func rowSmuggled(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("a", 1, loadBalancer())
	c.tenantWith("b", 1, loadBalancer())
	c.step(t, "assign")
	folder := "clusters/" + c.tenants + "/a/infra"
	before := string(c.tree[folder+"/kustomization.yaml"])
	push := func(what string, objects ...string) {
		c.edit(t, what, func(dir string) { c.smuggle(t, dir, folder, before, objects) })
	}
	if r.flux != nil {
		// Flux says the first that it is denied, and each is denied to the account by which it applies.
		first := c.smuggled(t)[0]
		push(first.what, first.text)
		c.sync(t, map[string]string{c.name("a", "infra"): first.GetKind() + "/" + first.GetName(), c.name("a", "hosts"): "dependency"})
		c.check(t, first.what, nil)
		account, _, _ := unstructured.NestedString(r.api.Get(t, engine.Kustomizations, engine.FluxNamespace, c.name("a", "infra")).Object, "spec", "serviceAccountName")
		need.Must(t, account != "", "the services are applied by no account of their own")
		client := engine.NewClient(t, r.api.As("system:serviceaccount:"+engine.FluxNamespace+":"+account))
		for _, object := range c.smuggled(t) {
			if err := client.TryApply(object.Unstructured, "kustomize-controller", true); !apierrors.IsForbidden(err) {
				t.Errorf("%s: %v, want forbidden", object.what, err)
			}
		}
	} else {
		// Argo CD says all, and waits longer before each try.
		var all []string
		for _, object := range c.smuggled(t) {
			all = append(all, object.text)
		}
		push("all", all...)
		c.sync(t, map[string]string{c.name("a", "infra"): "not permitted"})
		c.check(t, "all", nil)
		status := fmt.Sprint(r.api.Get(t, engine.Applications, engine.ArgoNamespace, c.name("a", "infra")).Object["status"])
		for _, object := range c.smuggled(t) {
			need.Words(t, object.what, status, object.argo)
		}
	}
	c.wantNotMade(t, folder)
	c.edit(t, "as it was", func(dir string) { c.smuggle(t, dir, folder, before, nil) })
	c.sync(t, nil)
	c.settle(t, "as it was")
}

// smuggledObject is one of smuggled, in the namespaces of a site.
type smuggledObject struct {
	*unstructured.Unstructured
	what, text, argo string
}

// smuggled are the objects that the site's engine could have tried.
func (c *circle) smuggled(t *testing.T) []smuggledObject {
	t.Helper()
	_, namespace := c.rig.syncKind()
	fill := strings.NewReplacer("NAME", "smuggled-"+c.ns, "TENANTS", c.tenants, "HOSTS", c.ns, "ENGINE", namespace).Replace
	var out []smuggledObject
	for _, row := range smuggled {
		object := smuggledObject{engine.Objects(t, []byte(fill(row.object)))[0], row.what, fill(row.object), fill(row.argo)}
		if group := object.GroupVersionKind().Group; c.rig.flux != nil && group == "argoproj.io" || c.rig.argo != nil && strings.HasSuffix(group, ".fluxcd.io") {
			continue
		}
		out = append(out, object)
	}
	return out
}

// smuggle writes objects into a folder of a checkout, whose kustomization is as it was but for them.
func (c *circle) smuggle(t *testing.T, dir, folder, kustomization string, objects []string) {
	t.Helper()
	if len(objects) == 0 {
		remove(t, filepath.Join(dir, filepath.FromSlash(folder), "smuggled.yaml"))
	} else {
		need.Write(t, filepath.Join(dir, filepath.FromSlash(folder), "smuggled.yaml"), strings.Join(objects, "---"))
		kustomization = strings.Replace(kustomization, "resources:\n", "resources:\n- smuggled.yaml\n", 1)
	}
	need.Write(t, filepath.Join(dir, filepath.FromSlash(folder), "kustomization.yaml"), kustomization)
}

// wantNotMade wants none of the objects on the API server.
func (c *circle) wantNotMade(t *testing.T, what string) {
	t.Helper()
	for _, object := range c.smuggled(t) {
		if object.GetKind() == "BareMetalHost" {
			continue // it is there, and its labels are checked
		}
		resource, err := c.rig.api.Resource(object.Unstructured)
		need.OK(t, err)
		if _, err := resource.Get(t.Context(), object.GetName(), metav1.GetOptions{}); err == nil {
			t.Errorf("%s: %s was made: %s", what, object.GetName(), object.what)
		}
	}
}

// TestSiteFolders: somebody pushes to the branch, and the site's own folders have objects among them that sipgen does not render there. Argo CD applies each folder in a project
// that permits what belongs there: the syncs fail and say what is not permitted, nothing of it is made, and when it is gone they go on.
func TestSiteFolders(t *testing.T) {
	t.Parallel()
	r := besideTheOther(t, v1alpha1.EngineArgoCD)
	c := newCircle(t, r, "folders")
	c.site.Spec.ArgoCD.Project = ""
	c.site.Default()
	c.site.Spec.Hosts.ClaimNamespaces = []string{"platform"}
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenantWith("a", 1, fmt.Sprintf("%s    jumpHost:\n    - {nodeInterfaceId: oam, nodePort: %d, sshAuthorizedKeys: [%q], bmc: {access: metal3}}\n", loadBalancer(), nextNodePort(),
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO/U3rjtwvmtGX2eLm0ewdPD/UWr+X9vypuJN2A5pqvV operator@example.org"))
	c.step(t, "assign")
	folders := map[string]string{
		c.root(): "argocd", c.root() + "-policy": "policy", c.root() + "-site": "site", c.root() + "-claims": "claims",
		c.name("a", "rights"): "rights/" + c.tenants + "/a", c.name("a", "hosts"): "clusters/" + c.tenants + "/a/hosts",
	}
	before := c.tree
	failures := map[string]string{}
	c.edit(t, "whatever does not belong there", func(dir string) {
		for app, folder := range folders {
			var others []string
			for _, object := range c.smuggled(t) {
				if !c.belongs(object, folder) {
					others = append(others, object.text)
				}
			}
			need.Must(t, len(others) >= len(smuggled)-10, "%s: only %d objects", folder, len(others))
			c.smuggle(t, dir, folder, string(before[folder+"/kustomization.yaml"]), others)
			failures[app] = "not permitted"
		}
	})
	c.sync(t, failures)
	c.check(t, "whatever does not belong there", nil)
	for app, folder := range folders {
		status := fmt.Sprint(r.api.Get(t, engine.Applications, engine.ArgoNamespace, app).Object["status"])
		for _, object := range c.smuggled(t) {
			// Of a kind that belongs there it is the namespace.
			inProject := regexp.MustCompile(fmt.Sprintf(`(%s:%s|namespace %s) is not permitted in project`, object.GroupVersionKind().Group, object.GetKind(), object.GetNamespace()))
			if !c.belongs(object, folder) && !inProject.MatchString(status) {
				t.Errorf("%s: %s: no %s in %s", folder, object.what, inProject, status)
			}
		}
	}
	c.wantNotMade(t, "the site's folders")
	c.edit(t, "as it was", func(dir string) {
		for _, folder := range folders {
			c.smuggle(t, dir, folder, string(before[folder+"/kustomization.yaml"]), nil)
		}
	})
	c.sync(t, nil)
	c.settle(t, "as it was")
}

// belongs says that such an object may be in a folder of the site's, by the table of docs/adr/0015.
func (c *circle) belongs(object smuggledObject, folder string) bool {
	folder, _, _ = strings.Cut(strings.Replace(folder, "clusters/"+c.tenants+"/a/", "", 1), "/")
	kinds := map[string][]string{
		"argocd": {"AppProject", "Application"},
		"policy": {"ValidatingAdmissionPolicyBinding", "ClusterRole", "ClusterRoleBinding", "ServiceAccount"},
		"site":   {"ValidatingAdmissionPolicyBinding", "CustomResourceDefinition"},
		"rights": {"Role", "RoleBinding", "ResourceQuota"},
		"hosts":  {"BareMetalHost"},
	}
	return slices.Contains(kinds[folder], object.GetKind())
}
