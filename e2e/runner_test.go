package e2e_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
)

var (
	cronJobs        = schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "cronjobs"}
	networkPolicies = schema.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"}
	sipClusters     = schema.GroupVersionResource{Group: "airship.airshipit.org", Version: "v1", Resource: "sipclusters"}
)

// rowRunner: the tree brings the CronJob that runs sipgen. What the live one says is run, as its account, with what it mounts: it hands out hosts to a
// SIPCluster that somebody applied, and the engine syncs that. Another account of the namespace cannot.
func rowRunner(t *testing.T, r *rig, name string) {
	r.api.InstallCRDs(t, "../config/crd/airship.airshipit.org_sipclusters.yaml")
	c := newCircle(t, r, name)
	c.site.Spec.Runner = &v1alpha1.Runner{Schedule: "*/10 * * * *", Image: "registry.example.org/sipgen:v1", KeepGoing: true}
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenant("a", 1)
	c.step(t, "the runner comes with the tree")

	namespace := engine.FluxNamespace
	if r.argo != nil {
		namespace = engine.ArgoNamespace
	}
	var job batchv1.CronJob
	live := r.api.Get(t, cronJobs, namespace, "sipgen-"+name+"-runner")
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, &job); err != nil {
		t.Fatal(err)
	}
	if !r.api.Exists(t, networkPolicies, namespace, job.Name) {
		t.Error("no NetworkPolicy for the runner")
	}
	site, err := yaml.Marshal(map[string]any{"apiVersion": v1alpha1.APIVersion, "kind": v1alpha1.Kind, "metadata": map[string]any{"name": name}, "spec": c.site.Spec})
	if err != nil {
		t.Fatal(err)
	}
	r.api.Apply(t, "people", fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: %s, name: sipgen-%s-config}\ndata:\n  site.yaml: %q\n", namespace, name, site),
		fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {namespace: %s, name: sipgen-%s-git}\nstringData: {username: sipgen, password: secret, identity: key, known_hosts: host}\n", namespace, name))

	c.tenant("a", 2)
	r.api.Apply(t, "tenant", c.specs["a"])
	t.Cleanup(func() { r.api.Delete(t, sipClusters, c.tenants, "a") })
	before := c.repo.Head(t)
	if code, said := c.runJob(t, &job, "default"); code != 2 || c.repo.Head(t) != before || !strings.Contains(said, "forbidden") {
		t.Errorf("as another account: exit code %d, want 2 and nothing pushed\n%s", code, said)
	}
	if code, said := c.runJob(t, &job, job.Spec.JobTemplate.Spec.Template.Spec.ServiceAccountName); code != 0 || c.repo.Head(t) == before {
		t.Fatalf("exit code %d, want 0 and a commit\n%s", code, said)
	}
	c.readTree(t)
	c.sync(t, nil)
	c.check(t, "the runner's commit", nil)
	c.wantHolds(t, "the runner's commit", "a", "n1", "n2")
	if code, said := c.runJob(t, &job, job.Spec.JobTemplate.Spec.Template.Spec.ServiceAccountName); code != 0 || !strings.Contains(said, "nothing to commit") {
		t.Errorf("again: exit code %d\n%s", code, said)
	}
}

// runJob runs what a CronJob's container runs, as an account, with the ConfigMap and the Secret that it mounts, found by their live names. Only where
// the repository is is another place: there is no git server.
func (c *circle) runJob(t *testing.T, job *batchv1.CronJob, account string) (code int, said string) {
	t.Helper()
	pod := job.Spec.JobTemplate.Spec.Template.Spec
	container := pod.Containers[0]
	mounts := map[string]string{"/tmp": t.TempDir()}
	for _, volume := range pod.Volumes {
		dir := t.TempDir()
		content := map[string]string{}
		switch {
		case volume.ConfigMap != nil:
			live := c.rig.api.Get(t, engine.ConfigMaps, job.Namespace, volume.ConfigMap.Name)
			for key, value := range live.Object["data"].(map[string]any) {
				content[key] = value.(string)
			}
		case volume.Secret != nil:
			live := c.rig.api.Get(t, engine.Secrets, job.Namespace, volume.Secret.SecretName)
			for key := range live.Object["data"].(map[string]any) {
				content[key] = "of the Secret"
			}
		default:
			continue
		}
		for key, value := range content {
			if err := os.WriteFile(filepath.Join(dir, key), []byte(value), 0o600); err != nil {
				t.Fatal(err)
			}
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
	env := []string{"PATH=" + os.Getenv("PATH"), "KUBECONFIG=" + engine.Kubeconfig(t, c.rig.api.As("system:serviceaccount:"+job.Namespace+":"+account))}
	for _, v := range container.Env {
		value := here.Replace(v.Value)
		if v.ValueFrom != nil {
			value = "of the Secret"
		}
		env = append(env, v.Name+"="+value)
	}
	if !slices.Equal(container.Command, []string{"/usr/local/bin/sipgen"}) {
		t.Errorf("it runs %v", container.Command)
	}
	var args []string
	for _, arg := range container.Args {
		args = append(args, here.Replace(arg))
	}
	cmd := exec.Command(sipgenBinary(t), append(args, "--repo", c.repo.Dir)...)
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}
