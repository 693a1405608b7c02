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
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// smuggled are objects that belong neither to a tenant nor into most of the site's folders. What Argo CD says of one
// depends on its kind and namespace.
var smuggled = []struct{ what, version, kind, namespace, rest string }{
	{"rights over everything", rbac, "ClusterRoleBinding", "",
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}"},
	{"rights in its namespace", rbac, "Role", "TENANTS",
		`rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]`},
	{"a pod beside the hosts' Secrets", "v1", "Pod", "HOSTS", pods},
	{"a service in another namespace", "v1", "ConfigMap", "HOSTS", ""},
	{"another tenant's host", "metal3.io/v1alpha1", "BareMetalHost", "HOSTS", ""},
	{"an account beside the engine", "v1", "ServiceAccount", "ENGINE", ""},
	{"a program beside the engine", "apps/v1", "Deployment", "ENGINE", template},
	{"a Secret in its namespace", "v1", "Secret", "TENANTS", ""},
	{"somebody's rights over its namespace", rbac, "RoleBinding", "TENANTS",
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}"},
	{"a namespace that admits every pod", "v1", "Namespace", "", ""},
	{"a guard that is in force nowhere", "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", "",
		"spec: {policyName: NAME, validationActions: [Audit]}"},
	{"a kind of its own", "apiextensions.k8s.io/v1", "CustomResourceDefinition", "",
		"spec: {group: example.org, scope: Namespaced, names: {kind: Smuggled, plural: smuggled}}"},
	{"a quota of its own", "v1", "ResourceQuota", "TENANTS", `spec: {hard: {pods: "1000000"}}`},
	{"an Application of another project", "argoproj.io/v1alpha1", "Application", "ENGINE",
		"spec: {project: default, source: {repoURL: 'https://git.invalid/evil.git', path: .}, " +
			"destination: {server: 'https://kubernetes.default.svc', namespace: kube-system}}"},
	{"a project that permits everything", "argoproj.io/v1alpha1", "AppProject", "ENGINE",
		"spec: {sourceRepos: ['*'], destinations: [{server: '*', namespace: '*'}]}"},
}

const (
	rbac     = "rbac.authorization.k8s.io/v1"
	pods     = "spec: {containers: [{name: a, image: registry.invalid/a}]}"
	template = "spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, " + pods + "}}"
)

// smuggledObject is one of smuggled, in the namespaces of a site.
type smuggledObject struct {
	*unstructured.Unstructured
	what, text string
}

func (c *circle) smuggled(t *testing.T) []smuggledObject {
	t.Helper()
	fill := strings.NewReplacer("NAME", "smuggled-"+c.ns, "TENANTS", c.tenants, "HOSTS", c.ns, "ENGINE",
		engine.ArgoNamespace).Replace
	var out []smuggledObject
	for _, row := range smuggled {
		text := fill(fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {namespace: %q, name: %s}, %s}\n", row.version,
			row.kind, row.namespace,
			map[bool]string{true: "n3", false: "NAME"}[row.kind == "BareMetalHost"], row.rest))
		out = append(out, smuggledObject{engine.Objects(t, []byte(text))[0], row.what, text})
	}
	return out
}

// smuggle writes objects into a folder of a checkout, whose kustomization is as it was but for them.
func (c *circle) smuggle(t *testing.T, dir, folder, kustomization string, objects []string) {
	t.Helper()
	if len(objects) == 0 {
		remove(t, filepath.Join(dir, folder, "smuggled.yaml"))
	} else {
		need.Write(t, filepath.Join(dir, folder, "smuggled.yaml"), strings.Join(objects, "---\n"))
		kustomization = strings.Replace(kustomization, "resources:\n", "resources:\n- smuggled.yaml\n", 1)
	}
	need.Write(t, filepath.Join(dir, folder, "kustomization.yaml"), kustomization)
}

// TestSiteFolders: somebody pushes to the branch, and the site's own folders and a tenant's services have objects among
// them that sipgen does not render there. Argo CD applies each folder in a project that permits what belongs there: the
// syncs fail and say what is not permitted, nothing of it is made, and when it is gone they go on. What Flux' account
// of a tenant may do, TestRightsOfATenant asks.
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
		c.name("a", "infra"): "clusters/" + c.tenants + "/a/infra",
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
			require.Truef(t, len(others) >= len(smuggled)-5, "%s: only %d objects", folder, len(others))
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
			inProject := regexp.MustCompile(fmt.Sprintf(`(%s:%s|namespace %s) is not permitted in project`,
				object.GroupVersionKind().Group, object.GetKind(), object.GetNamespace()))
			if !c.belongs(object, folder) && !inProject.MatchString(status) {
				t.Errorf("%s: %s: no %s in %s", folder, object.what, inProject, status)
			}
		}
	}
	for _, object := range c.smuggled(t) {
		resource := need.Value(c.rig.api.Resource(object.Unstructured))(t)
		_, err := resource.Get(t.Context(), object.GetName(), metav1.GetOptions{})
		// The host is there, and its labels are checked.
		assert.Truef(t, err != nil || object.GetKind() == "BareMetalHost", "%s was made: %s", object.GetName(),
			object.what)
	}
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
