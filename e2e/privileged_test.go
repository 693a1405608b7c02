package e2e_test

import (
	"fmt"
	"net/netip"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/publish"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestNoPrivilegedPodOfATenant: a cluster's account may make Deployments, with any pods (ADR 11). Where the tenant's
// namespace has the label that docs/tenants.md says, word by word, the real controllers make the pods of all that
// sipgen renders, and none that asks for power over the node.
func TestNoPrivilegedPodOfATenant(t *testing.T) {
	t.Parallel()
	api := withoutEngines(t)
	api.InstallCRDs(t, engine.CertManagerCRDs(t)...)
	engine.StartControllers(t, api, "deployment-controller", "replicaset-controller", "serviceaccount-controller")
	const namespace = "labeled"
	api.Namespaces(t, "flux-system", "tenant-hosts", "unlabelled")
	for _, command := range strings.Split(strings.TrimSpace(strings.ReplaceAll(procedure(t, "onboard", "namespace")[0],
		"NAMESPACE", namespace)), "\n") {
		words := strings.Fields(command)
		require.Truef(t, words[0] == "kubectl", "the page says %q", command)
		api.Kubectl(t, "", words[1:]...)
	}
	listed := strings.Fields(procedure(t, "onboard", "list")[0])
	for _, line := range strings.Split(api.Kubectl(t, "", listed[1:]...), "\n") {
		name, _, _ := strings.Cut(line, " ")
		if is := strings.HasSuffix(strings.TrimSpace(line), " restricted"); (name == namespace) != is &&
			(name == namespace || name == "unlabelled") {
			t.Errorf("the list of namespaces has %q", line)
		}
	}
	tree := ofTenants(t, namespace)
	for name, content := range tree {
		if name == "policy/rbac.yaml" || strings.HasPrefix(name, "rights/") && path.Base(name) != "kustomization.yaml" {
			api.Apply(t, "e2e", string(content))
		}
	}
	waitWhile(t, "the account of "+namespace, func() (bool, any) {
		rights := rightsOf(t, api, "flux-system", namespace+".a.infra", namespace)
		return !api.Exists(t, serviceAccounts, namespace, "default") ||
				!slices.Contains(rights, "create apps/deployments"),
			"it has no rights, or the pods no account"
	})
	tenant := engine.NewClient(t, api.As("system:serviceaccount:flux-system:"+namespace+".a.infra",
		"system:serviceaccounts", "system:authenticated"))
	rendered := 0
	for name, content := range tree {
		if !strings.HasPrefix(name, "clusters/"+namespace+"/a/infra/") || path.Ext(name) != ".yaml" ||
			path.Base(name) == "kustomization.yaml" {
			continue
		}
		for _, o := range engine.Objects(t, content) {
			assert.NoError(t, tenant.TryApply(o, "kustomize-controller", false), name+": "+o.GetKind()+" "+o.GetName())
			if o.GetKind() == "Deployment" {
				rendered++
				waitWhile(t, "the pods of "+o.GetName(), func() (bool, any) {
					return !slices.ContainsFunc(api.List(t, engine.Pods, namespace),
						func(pod unstructured.Unstructured) bool {
							return strings.HasPrefix(pod.GetName(), o.GetName()+"-")
						}), "none"
				})
			}
		}
	}
	assert.Truef(t, rendered == 2, "%d Deployments are rendered, want those of a jump host and a load balancer",
		rendered)
	wantRefusals(t, api, tree, namespace)
}

// wantRefusals wants sipgen status to print what the API server refuses the pods of a tenant's services for: their
// quota, and their Pod Security.
func wantRefusals(t *testing.T, api *engine.APIServer, tree render.Tree, namespace string) {
	t.Helper()
	dir := t.TempDir()
	site := "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: tenants}\nspec: {repository: {url: 'ssh://git@git.invalid/guards.git'}}\n"
	need.Write(t, filepath.Join(dir, "site.yaml"), site)
	require.NoError(t,
		need.Err(publish.WriteDir(t.Context(), filepath.Join(dir, "tree"), publish.Tree(tree), publish.DirOptions{})))
	api.Create(t, "e2e", fmt.Sprintf("apiVersion: v1\nkind: ResourceQuota\nmetadata: {namespace: %s, name: full}\nspec: {hard: {pods: '0'}}\n", namespace))
	quotas, none := schema.GroupVersionResource{Version: "v1", Resource: "resourcequotas"}, map[string]any{"pods": "0"}
	api.Edit(t, "e2e", quotas, namespace, "full", "status", set(map[string]any{"hard": none, "used": none}, "status"))
	for _, row := range []struct {
		deployment, want string
		change           func(o map[string]any)
	}{
		{"loadbalancer-worker-a", "exceeded quota: full", set(int64(5), "spec", "replicas")},
		{"jumphost-a", `violates PodSecurity "restricted:`, set(true, "spec", "template", "spec", "hostNetwork")},
	} {
		api.Edit(t, "e2e", engine.Deployments, namespace, row.deployment, "", row.change)
		engine.Wait(t, "the refusal in sipgen status", engine.SyncTimeout, func() error {
			status := exec.Command(engine.Sipgen(t), "status", "--inventory", "cluster", "--previous", "tree", "-o",
				"wide", "--kubeconfig", engine.Kubeconfig(t, api.Config()))
			status.Dir = dir
			said, _ := status.CombinedOutput() // services that are not ready are somebody's to act
			if !regexp.MustCompile("Deployment " + namespace + "/" + row.deployment + " .*" +
				regexp.QuoteMeta(row.want)).Match(said) {
				return fmt.Errorf("%s: no %q in\n%s", row.deployment, row.want, said)
			}
			return nil
		})
	}
}

// ofTenants renders a cluster with a jump host and a load balancer in each namespace.
func ofTenants(t *testing.T, namespaces ...string) render.Tree {
	t.Helper()
	site := &v1alpha1.Site{}
	site.Name = "tenants"
	site.Spec.Repository.URL = "ssh://git@git.invalid/guards.git"
	site.Default()
	in := render.Input{Site: site, Placement: &schedule.Placement{}}
	for i, namespace := range namespaces {
		cluster := v1.SIPCluster{}
		cluster.Namespace, cluster.Name = namespace, "a"
		cluster.Spec.Services.JumpHost = []v1.JumpHost{{NodeInterface: "oam", NodePort: int32(31000 + i)}}
		cluster.Spec.Services.LoadBalancerWorker = []v1.LoadBalancerWorker{{NodeInterface: "oam",
			NodePortRange: v1.PortRange{Start: int32(31010 + i), End: int32(31010 + i)}}}
		host := &inventory.Host{Namespace: "tenant-hosts", Name: fmt.Sprint("n", i), UID: "x",
			Addresses: []inventory.Address{{Network: "oam", IP: netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)})}}}
		in.Clusters = append(in.Clusters, cluster)
		in.Placement.Clusters = append(in.Placement.Clusters, schedule.Cluster{
			Key:   schedule.ClusterKey{Namespace: namespace, Name: "a"},
			Roles: []schedule.Role{{Name: v1.RoleWorker, Assigned: []schedule.Assignment{{Host: host}}}},
		})
	}
	tree, _, err := render.Site(in)
	require.NoError(t, err)
	require.Truef(t,
		slices.ContainsFunc(namespaces, func(namespace string) bool {
			return tree["rights/"+namespace+
				"/a/kustomization.yaml"] != nil
		}),
		"no rights are rendered")
	return tree
}
