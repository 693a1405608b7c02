package render

import (
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// withRunner is a site with a runner, and what is put into its spec.
func withRunner(t *testing.T, engine, runner, more string) *v1alpha1.Site {
	t.Helper()
	text := "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: dc1}\nspec:\n  engine: " + engine +
		"\n  argocd: {order: none}\n" + more +
		"  runner: {schedule: '*/5 * * * *', image: registry.example.org/sipgen:v1" + runner + "}\n"
	if !strings.Contains(more, "repository:") {
		text += "  repository: {url: 'https://git.example.org/fleet.git'}\n"
	}
	site, err := api.ParseSite("site.yaml", []byte(text))
	require.NoError(t, err)
	return site
}

// TestRunner: how it reaches the repository depends on the URL and on what the Site names, and beside which engine it
// runs. The rest golden has.
func TestRunner(t *testing.T) {
	for _, row := range []struct {
		engine, runner, more, namespace string
		env                             map[string]string
		ports                           []int
	}{
		{"argocd", ", propose: sipgen/dc1", "  inputs: {specs: [tenants.yaml]}\n", "argocd",
			map[string]string{"SIPGEN_GIT_PASSWORD_FILE": "/etc/sipgen/git/password"}, []int{53, 53, 443, 6443}},
		{"flux", ", secret: keys, env: {SIPGEN_GIT_PROXY: 'http://proxy:3128'}, egressPorts: [3128, 443]",
			"  repository: {url: 'ssh://git@git.example.org:2222/fleet.git'}\n", "flux-system",
			map[string]string{"SIPGEN_SSH_KEY_FILE": "/etc/sipgen/git/identity",
				"SIPGEN_SSH_KNOWN_HOSTS": "/etc/sipgen/git/known_hosts", "SIPGEN_GIT_PROXY": "http://proxy:3128"},
			[]int{53, 53, 443, 2222, 3128, 6443}},
		{"flux", "", "  repository: {url: 'git@git.example.org:fleet.git'}\n", "flux-system",
			map[string]string{"SIPGEN_SSH_KEY_FILE": "/etc/sipgen/git/identity"}, []int{22, 53, 53, 443, 6443}},
	} {
		tree := render(t, Input{Site: withRunner(t, row.engine, row.runner, row.more),
			Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}})
		var job batchv1.CronJob
		require.NoError(t, yaml.UnmarshalStrict(tree["runner/cronjob.yaml"], &job))
		assert.Equal(t, row.namespace, job.Namespace, row.more)
		container := job.Spec.JobTemplate.Spec.Template.Spec.Containers[0]
		assert.Equal(t, !strings.Contains(row.more, "inputs:"), slices.Contains(container.Args, "--filename"), row.more)
		env := map[string]string{}
		for _, v := range container.Env {
			env[v.Name] = v.Value
		}
		for name, want := range row.env {
			assert.Equal(t, want, env[name], row.more)
		}
		var network networkingv1.NetworkPolicy
		require.NoError(t, yaml.UnmarshalStrict(tree["runner/network-policy.yaml"], &network))
		var ports []int
		for _, p := range network.Spec.Egress[0].Ports {
			ports = append(ports, p.Port.IntValue())
		}
		slices.Sort(ports)
		assert.Equal(t, row.ports, ports, row.more)
	}
	without := withRunner(t, "flux", "", "")
	without.Spec.Runner = nil
	before := Tree{"runner/cronjob.yaml": []byte("x")}
	for path := range render(t, Input{Site: without, Placement: &schedule.Placement{}, Previous: before}) {
		assert.NotContains(t, path, "runner")
	}
}

// TestStatusWriter: who reports to the tenants is an account of its own, with the right to patch one subresource and no
// other right to write; it comes only where the Site asks for it, and the account that publishes does not get the
// right.
func TestStatusWriter(t *testing.T) {
	for _, engine := range []string{"flux", "argocd"} {
		site := withRunner(t, engine, ", secret: push, status: {schedule: '1 * * * *', secret: read}", "")
		input := Input{Site: site, Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}}
		tree := render(t, input)
		var job batchv1.CronJob
		require.NoError(t, yaml.UnmarshalStrict(tree["runner/status.yaml"], &job))
		pod := job.Spec.JobTemplate.Spec.Template.Spec
		if pod.ServiceAccountName != "sipgen-dc1-status" || job.Spec.Schedule != "1 * * * *" ||
			job.Name != "sipgen-dc1-status" ||
			strings.Join(pod.Containers[0].Args,
				" ") != "status --write --site /etc/sipgen/site/site.yaml --inventory cluster --filename cluster" {
			t.Errorf("%s: %s", engine, tree["runner/status.yaml"])
		}
		wantNot(t, tree, "runner/status.yaml", "push")
		want(t, tree, "runner/status.yaml", "secretName: read")
		want(t, tree, "runner/cronjob.yaml", "serviceAccountName: sipgen-dc1-reader\n")
		want(t, tree, "runner/kustomization.yaml", "- status.yaml")
		want(t, tree, "policy/kustomization.yaml", "- status.yaml")
		writes := map[string]bool{"create": true, "update": true, "patch": true, "delete": true,
			"deletecollection": true, "*": true}
		for path, content := range tree {
			for _, document := range strings.Split(string(content), "\n---\n") {
				var role rbacv1.ClusterRole
				if !strings.HasPrefix(path, "policy/") || yaml.Unmarshal([]byte(document), &role) != nil ||
					role.Kind != "ClusterRole" || role.Name == "sipgen-dc1-hosts" ||
					role.Name == "sipgen-dc1-services" {
					continue
				}
				for _, rule := range role.Rules {
					for _, verb := range rule.Verbs {
						if writes[verb] && (role.Name != "sipgen-dc1-status" || verb != "patch" ||
							strings.Join(rule.Resources, " ") != "sipclusters/status") {
							t.Errorf("%s: %s may %s %v", path, role.Name, verb, rule.Resources)
						}
					}
				}
			}
		}
		site.Spec.Runner.Status = nil
		for path, content := range render(t, input) {
			assert.Truef(t,
				!strings.Contains(string(content), "dc1-status") && !strings.HasSuffix(path, "/status.yaml"),
				"%s: %s: nobody asked for it", engine, path)
		}
	}
}
