package e2e_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

var (
	jobs            = schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
	cronJobs        = schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "cronjobs"}
	networkPolicies = schema.GroupVersionResource{Group: "networking.k8s.io", Version: "v1",
		Resource: "networkpolicies"}
	sipClusters = schema.GroupVersionResource{Group: "airship.airshipit.org", Version: "v1",
		Resource: "sipclusters"}
)

// rowRunner: the tree brings the CronJob that runs sipgen. What the live one says is run, as its account, with what it
// mounts: it hands out hosts to a SIPCluster that somebody applied, and the engine syncs that. Another account of the
// namespace cannot.
func rowRunner(t *testing.T, r *rig, name string) {
	r.api.InstallCRDs(t, "../config/crd/airship.airshipit.org_sipclusters.yaml")
	c := newCircle(t, r, name)
	c.site.Spec.Runner = &v1alpha1.Runner{Schedule: "*/10 * * * *", Image: "registry.example.org/sipgen:v1",
		Status: &v1alpha1.RunnerStatus{Schedule: "*/5 * * * *"}}
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenant("a", 1)
	c.step(t, "the runner comes with the tree")

	_, namespace := r.syncKind()
	var job batchv1.CronJob
	live := r.api.Get(t, cronJobs, namespace, "sipgen-"+name+"-runner")
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, &job))
	assert.Truef(t, r.api.Exists(t, networkPolicies, namespace, job.Name), "no NetworkPolicy for the runner")
	if r.flux != nil { // what an engine has no part in
		c.runsByPage(t, &job)
	}
	c.suspendsByPage(t, namespace, job.Name)
}

// runsByPage makes the Secret by the page's commands, and runs what the CronJob runs.
func (c *circle) runsByPage(t *testing.T, job *batchv1.CronJob) {
	t.Helper()
	api, namespace, name := c.rig.api, job.Namespace, c.site.Name
	blocks := c.runnerCommands(t, namespace)
	c.run(t, append([]string{"cp site-new.yaml site.yaml\necho secret >token.txt\n"}, blocks[0]))
	change := procedure(t, "runner", "change")[0]
	c.run(t, []string{"cp site-new.yaml site.yaml\necho newer >token.txt\n",
		strings.NewReplacer("-n flux-system", "-n "+namespace, "sipgen-dc1-", "sipgen-"+name+"-").Replace(change)})
	assert.Equal(t, "bmV3ZXIK",
		api.Kubectl(t, "", "-n", namespace, "get", "secret", "sipgen-"+name+"-git", "-o", "jsonpath={.data.password}"),
		"the password after the page's command")
	// The site's repository is reached by ssh: "the keys of the Secret are identity and known_hosts".
	api.Kubectl(t, "", "-n", namespace, "patch", "secret", "sipgen-"+name+"-git", "--type=merge", "-p",
		`{"stringData":{"identity":"key","known_hosts":"host"}}`)

	c.tenant("a", 2)
	api.Apply(t, "tenant", c.specs["a"])
	t.Cleanup(func() { api.Delete(t, sipClusters, c.tenants, "a") })
	before := c.repo.Head(t)
	if code, said := c.runJob(t, job, "default"); code != 2 || c.repo.Head(t) != before ||
		!strings.Contains(said, "forbidden") {
		t.Errorf("as another account: exit code %d, want 2 and nothing pushed\n%s", code, said)
	}
	own := job.Spec.JobTemplate.Spec.Template.Spec.ServiceAccountName
	if code, said := c.runJob(t, job, own); code != 0 || c.repo.Head(t) == before {
		t.Fatalf("exit code %d, want 0 and a commit\n%s", code, said)
	}
	c.readTree(t)
	c.follow(t, "the runner's commit")
	c.wantHolds(t, "the runner's commit", "a", "n1", "n2")
	c.reportsToTenants(t, namespace, name)
	if code, said := c.runJob(t, job, own); code != 0 || !strings.Contains(said, "nothing to commit") {
		t.Errorf("again, with the status there: exit code %d\n%s", code, said)
	}
}

// runnerCommands are the page's, for the site of this test.
func (c *circle) runnerCommands(t *testing.T, namespace string) []string {
	t.Helper()
	blocks := procedure(t, "runner", "start")
	require.Truef(t, len(blocks) == 2, "docs/runner.md has %d blocks of commands, want two", len(blocks))
	here := strings.NewReplacer("-n flux-system", "-n "+namespace, "sipgen-dc1-", "sipgen-"+c.site.Name+"-",
		"/sipgen-dc1-runner", "/sipgen-"+c.site.Name+"-runner")
	for i := range blocks {
		blocks[i] = here.Replace(blocks[i])
	}
	return blocks
}

// suspendsByPage does what docs/runner.md says to stop the CronJob, word by word: it stays suspended through the next
// commit, and goes on when it is asked to.
func (c *circle) suspendsByPage(t *testing.T, namespace, name string) {
	t.Helper()
	now := c.runnerCommands(t, namespace)[1]
	lines := strings.SplitAfter(strings.TrimSpace(now), "\n")
	require.Truef(t, len(lines) == 3 && strings.Contains(lines[1], " logs -f "),
		"docs/runner.md: found %q, want a command that runs the Job now, one that shows its log and one that suspends the CronJob",
		now)
	// Nothing runs pods here, so there is no log to show.
	made, command := strings.TrimSpace(c.run(t, lines[:1])), lines[2]
	job, isJob := strings.CutPrefix(strings.TrimSuffix(made, " created"), "job.batch/")
	require.Truef(t, isJob, "the page's command printed %q", made)
	live := c.rig.api.Get(t, jobs, namespace, job)
	if account, _, _ := unstructured.NestedString(live.Object, "spec", "template", "spec",
		"serviceAccountName"); account != "sipgen-"+c.site.Name+"-reader" {
		t.Errorf("the Job %s runs as %q", job, account)
	}
	c.rig.api.Delete(t, jobs, namespace, job)
	suspended := func(what string, want bool) {
		t.Helper()
		is, _, _ := unstructured.NestedBool(c.rig.api.Get(t, cronJobs, namespace, name).Object, "spec", "suspend")
		assert.Truef(t, is == want, "%s: suspended: %t, want %t", what, is, want)
	}
	c.run(t, []string{command})
	suspended("the page's command", true)
	c.site.Spec.Runner.Schedule = "*/11 * * * *" // so that the engine has something to apply there
	c.step(t, "a commit while it is suspended")
	suspended("a commit while it is suspended", true)
	c.reconcile(t, name)
	suspended("a sync while it is suspended", true)
	c.run(t, []string{strings.Replace(command, `"suspend":true`, `"suspend":null`, 1)})
	suspended("the page's command to go on", false)
	// The page for the one on call has the command too.
	now = strings.ReplaceAll(procedure(t, "stop", "runner")[0], "-n flux-system", "-n "+namespace)
	c.run(t, []string{now})
	suspended("the command of safety.md", true)
	c.run(t, []string{strings.Replace(now, `"suspend":true`, `"suspend":null`, 1)})
	suspended("it goes on", false)
	c.settle(t, "it goes on")
}

// reportsToTenants: what the second CronJob says is run, as its account. The SIPCluster says what it has and, once it
// asks for more than there is, what is short; what has not changed is not written.
func (c *circle) reportsToTenants(t *testing.T, namespace, name string) {
	t.Helper()
	api := c.rig.api
	var job batchv1.CronJob
	require.NoError(t,
		runtime.DefaultUnstructuredConverter.FromUnstructured(api.Get(t, cronJobs, namespace,
			"sipgen-"+name+"-status").Object, &job))
	account := job.Spec.JobTemplate.Spec.Template.Spec.ServiceAccountName
	// As the SIP operator left it: what it wrote and its finalizer stay.
	sip := api.Dynamic.Resource(sipClusters).Namespace(c.tenants)
	left := []byte(`{"metadata":{"finalizers":["sip.airship.airshipit.org/finalizer"],"labels":{"of":"tenant"}}}`)
	require.NoError(t, need.Err(sip.Patch(t.Context(), "a", types.MergePatchType, left, metav1.PatchOptions{})))
	t.Cleanup(func() {
		_, _ = sip.Patch(context.Background(), "a", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`),
			metav1.PatchOptions{})
	})
	row := func(ready, reason, hosts, short string) string {
		t.Helper()
		live := api.Get(t, sipClusters, c.tenants, "a")
		printed := strings.Fields(api.Kubectl(t, "", "-n", c.tenants, "get", "sipclusters", "--no-headers"))
		if want := []string{"a", ready, reason, hosts, short}; len(printed) != 6 || !slices.Equal(printed[:5], want) {
			t.Errorf("kubectl get sipclusters shows %q, want %q and an age\n%v", printed, want, live.Object["status"])
		}
		if len(live.GetFinalizers()) != 1 || live.GetLabels()["of"] != "tenant" {
			t.Errorf("finalizers %v, labels %v", live.GetFinalizers(), live.GetLabels())
		}
		return live.GetResourceVersion()
	}
	report := func(what string, written int) {
		t.Helper()
		code, said := c.runJob(t, &job, account)
		assert.Truef(t,
			code == 0 && strings.Contains(said, fmt.Sprintf("status written for %d of 1 SIPClusters", written)),
			"%s: exit code %d\n%s", what, code, said)
	}
	before := api.Get(t, sipClusters, c.tenants, "a")
	report("the first time", 1)
	version := row("True", "ReconciliationSucceeded", "2", "0")
	now := api.Get(t, sipClusters, c.tenants, "a")
	assert.Equal(t, before.GetGeneration(), now.GetGeneration(), "the spec is")
	assert.Equal(t, before.Object["spec"], now.Object["spec"], "the spec is")
	report("again", 0)
	assert.Equal(t, version, row("True", "ReconciliationSucceeded", "2", "0"), "the version is")
	c.tenant("a", 9)
	api.Apply(t, "tenant", c.specs["a"])
	report("more than there is", 1)
	row("False", "Unschedulable", "2", "7")
	c.tenant("a", 2)
	api.Apply(t, "tenant", c.specs["a"])

	// On the subresource an API server takes nothing but the status. That it may write nothing else, TestRights has.
	writer := need.Value(dynamic.NewForConfig(api.As("system:serviceaccount:" + namespace + ":" + account)))(t)
	patch := []byte(`{"spec":{"priority":5},"metadata":{"finalizers":null,"labels":{"of":"other"}},"status":{"short":4}}`)
	require.NoError(t, need.Err(writer.Resource(sipClusters).Namespace(c.tenants).
		Patch(t.Context(), "a", types.MergePatchType, patch, metav1.PatchOptions{}, "status")))
	live := api.Get(t, sipClusters, c.tenants, "a")
	spec := live.Object["spec"].(map[string]any)
	assert.Truef(t, spec["priority"] == nil && len(live.GetFinalizers()) == 1 && live.GetLabels()["of"] == "tenant",
		"%v", live.Object)
	report("once more", 1)
	row("True", "ReconciliationSucceeded", "2", "0")
}

// runJob runs what a CronJob's container runs, as an account, with the ConfigMap and the Secret that it mounts, found
// by their live names. Only where the repository is is another place: there is no git server.
func (c *circle) runJob(t *testing.T, job *batchv1.CronJob, account string) (code int, said string) {
	t.Helper()
	pod := job.Spec.JobTemplate.Spec.Template.Spec
	container := pod.Containers[0]
	mounts := map[string]string{"/tmp": t.TempDir()}
	for _, volume := range pod.Volumes {
		dir := t.TempDir()
		switch {
		case volume.ConfigMap != nil:
			live := c.rig.api.Get(t, engine.ConfigMaps, job.Namespace, volume.ConfigMap.Name)
			for key, value := range live.Object["data"].(map[string]any) {
				need.Write(t, filepath.Join(dir, key), value.(string))
			}
		case volume.Secret != nil:
			live := c.rig.api.Get(t, engine.Secrets, job.Namespace, volume.Secret.SecretName)
			for key := range live.Object["data"].(map[string]any) {
				need.Write(t, filepath.Join(dir, key), "of the Secret")
			}
		default:
			continue
		}
		for _, mount := range container.VolumeMounts {
			if mount.Name == volume.Name {
				mounts[mount.MountPath] = dir
			}
		}
	}
	var pairs []string
	for path, dir := range mounts {
		pairs = append(pairs, path, dir)
	}
	here := strings.NewReplacer(pairs...)
	env := []string{"PATH=" + os.Getenv("PATH"),
		"KUBECONFIG=" + engine.Kubeconfig(t, c.rig.api.As("system:serviceaccount:"+job.Namespace+":"+account))}
	for _, v := range container.Env {
		value := here.Replace(v.Value)
		if v.ValueFrom != nil {
			value = "of the Secret"
		}
		env = append(env, v.Name+"="+value)
	}
	assert.Equal(t, []string{"/usr/local/bin/sipgen"}, container.Command, "it runs")
	var args []string
	for _, arg := range container.Args {
		args = append(args, here.Replace(arg))
	}
	cmd := exec.Command(engine.Sipgen(t), append(args, "--repo", c.repo.Dir)...)
	cmd.Env = env
	return exitCode(t, cmd)
}
