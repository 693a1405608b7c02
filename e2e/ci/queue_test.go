package ci

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// tenants and proposals of TestQueue.
const (
	queueTenants   = 6
	queueProposals = 10
	queueHosts     = 24
)

// TestQueue has ten open pull requests of six tenants, made from one base and merged in a random order, as a queue
// merges them: the branch is merged into main, and ci/same-repository/check.sh decides. One that takes no host merges,
// and its tree is right as it was reviewed; one that takes hosts conflicts with another such one, and is rendered
// again. Whatever is merged is what the specs give, no host has two clusters, and nothing of a tenant is lost.
func TestQueue(t *testing.T) {
	needs(t, "git", "bash")
	t.Parallel()
	seed := uint64(1)
	if text := os.Getenv("SIPGEN_SEED"); text != "" {
		assert.Equal(t, 1, need.Value(fmt.Sscan(text, &seed))(t), "SIPGEN_SEED")
	}
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("SIPGEN_SEED=%d", seed)
	q := newQueue(t)

	// What each pull request changes: a tenant's services, the hosts of one, or both tenants' priority among others.
	type change struct {
		branch, file, old, text string
		takes                   bool
	}
	var changes []change
	for i := range queueProposals {
		tenant := i % queueTenants
		c := change{branch: fmt.Sprintf("pr%d", i), file: fmt.Sprintf("tenants/t%d.yaml", tenant)}
		switch {
		case i >= queueTenants: // the second one of a tenant, which has changed nothing but its services so far
			c.old, c.text, c.takes = "active: 2", "active: 3", true
		case i%2 == 0:
			c.old, c.text = "replicas: 2", "replicas: 3"
		default:
			c.old, c.text = "standby: 1", "standby: 0" // gives one back
		}
		changes = append(changes, c)
	}
	for i := range changes {
		c := &changes[i]
		q.git("switch", "--quiet", "-c", c.branch, "main")
		q.replace(c.file, c.old, c.text)
		q.git("commit", "--quiet", "-am", c.branch)
		q.script(0, "render.sh", "main")
		q.script(0, "check.sh", "main")
	}
	random.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })

	taken, again := 0, 0
	touched := map[string]bool{} // tenants with a merged change
	for i := range changes {
		c := &changes[i]
		q.git("switch", "--quiet", "--detach", "main")
		code, said := q.try("git", "merge", "--quiet", "--no-ff", "-m", "merge "+c.branch, c.branch)
		if code == 0 {
			q.script(0, "check.sh", "main")
		} else {
			q.git("merge", "--abort")
			assert.Truef(t, c.takes && taken > 0 || touched[c.file],
				"%s takes no host, its tenant changed nothing else, and conflicts:\n%s", c.branch, said)
			again++
			q.git("switch", "--quiet", c.branch)
			q.script(0, "render.sh", "main")
			q.script(0, "check.sh", "main")
		}
		assert.Truef(t, code != 0 || !c.takes || taken == 0, "%s takes hosts as one before did, and merges", c.branch)
		if c.takes {
			taken++
		}
		touched[c.file] = true
		q.git("branch", "--quiet", "--force", "main", "HEAD")
		q.whole()
	}
	assert.Truef(t, taken == queueProposals-queueTenants && again >= taken-1 && again < queueProposals,
		"%d of the merged ones take hosts, %d were rendered again", taken, again)
	for i := range changes {
		assert.Contains(t, string(need.Read(t, filepath.Join(q.checkout, changes[i].file))), changes[i].text,
			changes[i].branch)
	}
}

// queue is a repository with the specs of six tenants, their hosts, and the tree.
type queue struct {
	*site
	t   *testing.T
	env map[string]string
	// ci has the scripts, and bin the program.
	ci, bin string
}

func newQueue(t *testing.T) *queue {
	t.Helper()
	folder := t.TempDir()
	q := &queue{site: &site{checkout: filepath.Join(folder, "fleet")}, t: t,
		ci: need.Value(filepath.Abs("../../ci/same-repository"))(t)}
	q.bin = filepath.Dir(engine.Sipgen(t))
	q.env = map[string]string{"PATH": q.bin + ":" + os.Getenv("PATH"), "HOME": folder,
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.org",
		"GIT_COMMITTER_NAME":  "t",
		"GIT_COMMITTER_EMAIL": "t@example.org"}
	q.write(t, "site.yaml", `apiVersion: sipgen.airshipit.org/v1alpha1
kind: Site
metadata: {name: queue}
spec:
  repository: {url: ssh://git@git.example.org/fleet.git, branch: main, path: tree}
  flux: {secretName: queue-git}
  inputs: {specs: [tenants], inventory: hosts.yaml}
`)
	q.hosts(nil)
	for i := range queueTenants {
		q.write(t, fmt.Sprintf("tenants/t%d.yaml", i), fmt.Sprintf(`apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: t%d, name: c}
spec:
  nodes:
    Worker:
      count:
        active: 2

        standby: 1
  services:
    loadBalancerWorker:
    - nodeInterfaceId: oam
      nodePortRange: {start: %d, end: %d}

      replicas: 2
`, i, 30000+10*i, 30009+10*i))
	}
	run(t, q.checkout, nil, "git", "init", "--quiet", "--initial-branch=main")
	q.git("add", ".")
	q.git("commit", "--quiet", "-m", "specs")
	q.script(0, "render.sh", "HEAD")
	// The engine has synced it, and a new snapshot of the hosts is there.
	synced := map[string]map[string]string{}
	for _, file := range need.Value(filepath.Glob(filepath.Join(q.checkout,
		"tree/clusters/*/*/hosts/metal3.*.yaml")))(t) {
		var patch struct {
			Metadata struct {
				Name   string            `json:"name"`
				Labels map[string]string `json:"labels"`
			} `json:"metadata"`
		}
		require.NoError(t, yaml.Unmarshal(need.Read(t, file), &patch))
		synced[patch.Metadata.Name] = patch.Metadata.Labels
	}
	assert.Len(t, synced, 3*queueTenants, "synced hosts")
	q.hosts(synced)
	q.git("commit", "--quiet", "-am", "snapshot")
	return q
}

// hosts writes the inventory, with the labels of some hosts.
func (q *queue) hosts(labels map[string]map[string]string) {
	q.t.Helper()
	var hosts strings.Builder
	for i := range queueHosts {
		name := fmt.Sprintf("h%02d", i)
		fmt.Fprintf(&hosts, `apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  namespace: metal3
  name: %s
  uid: 00000000-0000-4000-8000-0000000000%02d
  annotations: {sip.airshipit.org/address.oam: 192.0.2.%d}
  labels: %s
spec: {online: false, bmc: {address: "redfish+https://198.51.100.%d/redfish/v1/Systems/1", credentialsName: bmc}}
status: {provisioning: {state: available}, operationalStatus: OK}
---
`, name, i, i+1, need.Value(json.Marshal(labels[name]))(q.t), i+1)
	}
	q.write(q.t, "hosts.yaml", hosts.String())
}

// try runs a program in the checkout.
func (q *queue) try(name string, args ...string) (int, string) {
	q.t.Helper()
	return shell(q.t, q.checkout, q.env, name, args...)
}

func (q *queue) git(args ...string) string {
	q.t.Helper()
	code, said := q.try("git", args...)
	require.Truef(q.t, code == 0, "git %q: exit code %d\n%s", args, code, said)
	return said
}

func (q *queue) replace(file, old, text string) {
	q.t.Helper()
	q.change(q.t, file, old, text)
}

// script runs one of the scripts of ci/same-repository.
func (q *queue) script(want int, name, base string) {
	q.t.Helper()
	code, said := q.try("bash", filepath.Join(q.ci, name), base)
	require.Truef(q.t, code == want, "%s %s: exit code %d, want %d\n%s", name, base, code, want, said)
}

// whole wants a tree that sipgen takes, and that the specs give, with no host in two clusters.
func (q *queue) whole() {
	q.t.Helper()
	code, said := q.try(filepath.Join(q.bin, "sipgen"), "diff", "--site", "site.yaml", "--out", "tree")
	assert.Truef(q.t, code == 0, "the merged tree is not what the specs give: exit code %d\n%s", code, said)
	of := map[string]string{}
	for _, file := range need.Value(filepath.Glob(filepath.Join(q.checkout,
		"tree/clusters/*/*/hosts/metal3.*.yaml")))(q.t) {
		host, cluster := filepath.Base(file), filepath.Dir(file)
		assert.Truef(q.t, of[host] == "", "host %s has patches in %s and %s", host, of[host], cluster)
		of[host] = cluster
	}
}
