package e2e_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
)

// auditPolicy has the API server log every request, and nothing of what is in it.
const auditPolicy = "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n- level: Metadata\n"

// auditedServer is an API server without engines, and its log of every request.
type auditedServer struct {
	api *engine.APIServer
	log string
}

var audited = engine.Shared(func(t testing.TB) auditedServer {
	dir := t.TempDir()
	policy, log := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "audit.log")
	need.Write(t, policy, auditPolicy)
	api := engine.StartAPIServer(t, engine.Options{Flags: []string{"--audit-policy-file=" + policy,
		"--audit-log-path=" + log, "--audit-log-mode=blocking"}})
	api.InstallCRDs(t, engine.HostCRDs(t)...)
	api.Namespaces(t, engine.FluxNamespace, engine.ArgoNamespace, "tenants")
	api.AllRights(t, everybody)
	return auditedServer{api, log}
})

// TestPageCommands runs, word by word and on a real API server, the commands of pages that need no engine. Each brings
// about what the page says.
func TestPageCommands(t *testing.T) {
	t.Parallel()
	need.Program(t, "jq", "jq")
	need.Program(t, "ssh-keygen", "openssh-client")
	api, log := audited(t).api, audited(t).log
	c := newCircle(t, &rig{engine: v1alpha1.EngineFlux, api: api, alone: true}, "metal3")
	c.site.Spec.LabelGuard.Enforce = false
	c.site.Spec.Repository.URL = "ssh://git@git.invalid/metal3.git"
	c.hosts(t, "controller", "server-1")

	t.Run("how hosts are made", c.makesHostByPage)
	t.Run("the address of a host", c.annotatesByPage)
	t.Run("what the label guard would deny", func(t *testing.T) { c.readsAuditLogByPage(t, log) })
	t.Run("the jump host's keys", c.makesKeysByPage)
	t.Run("a snapshot in CI", c.snapshotsByPage)
	t.Run("Argo CD's credentials and a dump for it", c.preparesArgoByPage)
}

// makesHostByPage: the spec of the host belongs to the manager that the page names, so sipgen hands it out.
func (c *circle) makesHostByPage(t *testing.T) {
	blocks := procedure(t, "make-host")
	c.rig.api.Create(t, "e2e", engine.BMCSecret(c.ns, "server-2-bmc"))
	c.run(t, append([]string{"cat >host.yaml <<'END'\n" + hostManifest(c.ns, "server-2", "r2") + "END\n"}, blocks...))
	setStatus(t, c.rig.api, c.ns, "server-2", "available")
	var managers []string
	for _, entry := range c.rig.api.Get(t, engine.Hosts, c.ns, "server-2").GetManagedFields() {
		if strings.Contains(entry.FieldsV1.GetRawString(), `"f:bmc"`) {
			managers = append(managers, entry.Manager+" "+string(entry.Operation))
		}
	}
	assert.Equal(t, []string{"sipgen Apply"}, managers, "owners of the spec")
	c.accept(t)
	c.tenant("made", 2)
	assert.Truef(t, c.commit(t) && !strings.Contains(c.said, "refused"), "the host is not handed out:\n%s", c.said)
	c.tenant("made", 0)
	c.commit(t)
}

// annotatesByPage: the annotation of a held host is where its load balancer reaches it from then on.
func (c *circle) annotatesByPage(t *testing.T) {
	const address = "198.51.100.77"
	c.tenantWith("a", 1, loadBalancer())
	c.short = true // its host may have been released in this second
	c.commit(t)
	c.short = false
	reached := func() bool {
		for name, content := range c.tree {
			if strings.HasPrefix(name, "clusters/"+c.tenants+"/a/infra/") && strings.Contains(string(content),
				address) {
				return true
			}
		}
		return false
	}
	require.Truef(t, !reached(), "the load balancer knows %s before anybody said so", address)
	c.run(t, procedure(t, "reach-host"))
	c.accept(t)
	assert.Truef(t, c.commit(t) && reached(), "the load balancer does not know %s\n%s", address, c.said)
}

// readsAuditLogByPage: with a label guard that only audits, the page's command names who wrote which host's label, or
// was denied because it is in use.
func (c *circle) readsAuditLogByPage(t *testing.T, log string) {
	c.run(t, procedure(t, "apply-policy"))
	// A person with every right, but in no group that the guards except. The log's user is the one who was
	// authenticated and speaks for carol.
	c.rig.api.Kubectl(t, "", "create", "clusterrolebinding", "carol", "--clusterrole=cluster-admin", "--user=carol")
	carol := engine.NewClient(t, c.rig.api.As("carol"))
	consumer := map[string]any{"kind": "Metal3Machine", "namespace": c.ns, "name": "m"}
	c.rig.api.Edit(t, "capm3", engine.Hosts, c.ns, "server-2", "", set(consumer, "spec", "consumerRef"))
	tries := 0
	engine.Wait(t, "entries of the audit log", engine.SyncTimeout, func() error {
		tries++ // each try is a change, also where the guard was not in force yet
		for _, change := range []func(o map[string]any){hands, drop(label("cluster-name")...)} {
			if err := carol.TryEdit("people", engine.Hosts, c.ns, "server-1", "", change); err != nil {
				return err
			}
		}
		another := set(fmt.Sprintf("other-%d", tries), label("cluster-name")...)
		err := carol.TryEdit("people", engine.Hosts, c.ns, "server-2", "", another)
		if err == nil || !strings.Contains(err.Error(), "this one is in use") {
			return fmt.Errorf("a label of a host in use: %v, want it denied", err)
		}
		out := c.run(t, []string{"ln -s '" + log + "' audit.log\n", procedure(t, "audit-log")[0]})
		found := map[string]bool{}
		for line := range strings.Lines(out) {
			if fields := strings.Fields(line); len(fields) == 4 && fields[0] == "admin" && fields[2] == c.ns {
				found[fields[3]] = true
			}
		}
		if !found["server-1"] || !found["server-2"] {
			return fmt.Errorf("found %.500q, want admin, a verb, %s and server-1, and the same of server-2", out, c.ns)
		}
		return nil
	})
	// The label is of a try before the guard was in force.
	c.rig.api.Edit(t, "capm3", engine.Hosts, c.ns, "server-2", "",
		both(drop("spec", "consumerRef"), drop(label("cluster-name")...)))
	c.accept(t)
	c.run(t, procedure(t, "delete-guards"))
}

// makesKeysByPage: the Secret has a private key that sshd reads.
func (c *circle) makesKeysByPage(t *testing.T) {
	private := func() string {
		text, _, _ := unstructured.NestedString(c.rig.api.Get(t, engine.Secrets, "tenants",
			"jumphost-edge-a-host-keys").Object, "data", "ssh_host_ed25519_key")
		return text
	}
	c.run(t, procedure(t, "jump-host-keys"))
	former := private()
	c.run(t, procedure(t, "rotate-host-keys"))
	c.run(t, procedure(t, "jump-host-keys"))
	text := private()
	assert.Truef(t, text != former, "the keys are the former ones")
	file := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, need.Value(base64.StdEncoding.DecodeString(text))(t), 0o600))
	assert.Contains(t, need.Output(t, exec.Command("ssh-keygen", "-y", "-f", file)), "ssh-ed25519 ", "its public key")
}

// snapshotsByPage: CI publishes from a snapshot that was taken of the context that the page names, on the branch that
// it names.
func (c *circle) snapshotsByPage(t *testing.T) {
	c.tenant("snapshot", 1)
	contexts := engine.Kubeconfigs(t, map[string]*rest.Config{"management": c.rig.api.Config(),
		"elsewhere": {Host: "https://192.0.2.1"}})
	said := c.run(t, append([]string{"cp site-new.yaml site.yaml\nexport KUBECONFIG='" + contexts + "' SIPGEN_REPO='" +
		c.repo.Dir + "'\n"}, procedure(t, "snapshot")[0]))
	assert.Contains(t, said, "sipgen/dc1", "the proposal")
	plan := need.Output(t, exec.Command("git", "-C", c.repo.Dir, "show", "sipgen/dc1:PLAN.md"))
	assert.Contains(t, plan, c.tenants+"/snapshot", "the plan")
}

// preparesArgoByPage: the Secret is one that Argo CD reads, and the dump one that no preflight refuses.
func (c *circle) preparesArgoByPage(t *testing.T) {
	c.run(t, append([]string{"printf secret >token\n"}, procedure(t, "argocd-credentials")...))
	secret := c.rig.api.Get(t, engine.Secrets, engine.ArgoNamespace, "fleet-repository")
	assert.Equal(t, "repository", secret.GetLabels()["argocd.argoproj.io/secret-type"], "the label")
	data, _, _ := unstructured.NestedMap(secret.Object, "data")
	for key, want := range map[string]string{"type": "git", "url": "https://git.example.org/fleet.git",
		"username": "argocd", "password": "secret"} {
		assert.Equal(t, base64.StdEncoding.EncodeToString([]byte(want)), fmt.Sprint(data[key]), key)
	}
	said := c.run(t, append(procedure(t, "managed-dump"),
		"sipgen init --engine argocd --inventory hosts.yaml dumped 2>&1\n"))
	assert.NotContains(t, said, "managedFields", "init")
}
