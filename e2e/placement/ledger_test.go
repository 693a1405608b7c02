package placement

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	loader "github.com/airshipit/sipgen/ci/placement"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/render/site/ledger"
)

func claimBody(user string, generation any, hosts ...string) map[string]any {
	allocations := map[string]any{}
	for _, id := range hosts {
		allocations[id] = map[string]any{"resources": map[string]any{ledger.ResourceClass: 1}}
	}
	return map[string]any{"allocations": allocations, "project_id": "p", "user_id": user, "consumer_type": "INSTANCE", "consumer_generation": generation}
}

const stranger = "11111111-1111-4111-8111-111111111111"

// Every claim is an allocation, Placement refuses a second one, a release frees when the host was seen clean, and what is as it should be
// is not written.
func TestEveryClaimIsAnAllocation(t *testing.T) {
	p, f := shared(t), twoTenants(t, "every-claim-is-an-allocation")
	f.render(t)
	plan := f.planned(t)
	if len(plan["tenant-a/edge-a"]) != 9 || len(plan["tenant-b/edge-b"]) != 9 {
		t.Fatalf("found %v", plan)
	}
	if out := f.load(t, p.URL, 1, "--dry-run"); strings.Count(out.stdout, "claim ") != 18 || len(f.providers(t, p)) != 0 {
		t.Errorf("a dry run: found %s and %v", out.stdout, f.providers(t, p))
	}
	f.load(t, p.URL, 0)
	f.check(t, p, plan)

	before := f.providers(t, p)
	b := watch(t, p, nil)
	if out := f.load(t, b.URL, 0); out.stdout != "" || len(b.seen(writes)) > 0 || fmt.Sprint(f.providers(t, p)) != fmt.Sprint(before) {
		t.Errorf("a second run: found %s%v", out.stdout, b.seen(writes))
	}
	f.load(t, b.URL, 0, "--dry-run")

	held := f.hostID(plan["tenant-a/edge-a"][0])
	if status, answer := p.Do(t, "PUT", "/allocations/"+stranger, claimBody("somebody", nil, held)); status != http.StatusConflict {
		t.Errorf("a second claim: found status %d, %v", status, answer)
	}

	// edge-b goes: its hosts stay its own while they lose their labels.
	f.sync(t)
	f.clusters = slices.DeleteFunc(f.clusters, func(c v1.SIPCluster) bool { return c.Name == "edge-b" })
	f.render(t)
	if !strings.Contains(string(f.tree["clusters/tenant-b/edge-b/assignments.yaml"]), "releasing:") {
		t.Fatalf("found %s", f.tree["clusters/tenant-b/edge-b/assignments.yaml"])
	}
	f.load(t, p.URL, 0)
	f.check(t, p, plan)

	f.sync(t)
	f.render(t)
	if out := f.load(t, p.URL, 2); !strings.Contains(out.stderr, "9 of 18 claims would be freed, more than 2: nothing was written") {
		t.Errorf("the brake: found %s", out.stderr)
	}
	f.check(t, p, plan)
	if out := f.load(t, p.URL, 0, "--max-lost", "9"); strings.Count(out.stdout, "free tenant")+strings.Count(out.stdout, "free consumer") != 9 {
		t.Errorf("found %s", out.stdout)
	}
	delete(plan, "tenant-b/edge-b")
	if got := f.planned(t); fmt.Sprint(sorted(got)) != fmt.Sprint(sorted(plan)) {
		t.Fatalf("found %v, want %v", got, plan)
	}
	f.check(t, p, plan)
	if left := object(p.Must(t, "GET", "/allocations/"+f.clusterID("tenant-b/edge-b"), nil), "allocations"); len(left) > 0 {
		t.Errorf("edge-b has %v", left)
	}
}

// TestLoadByPage: the commands of docs/site-services.md, word by word, load a fleet's ledger and take it out again.
func TestLoadByPage(t *testing.T) {
	for _, program := range []string{"bash", "curl", "git", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			need.Missing(t, "no %s: apt install %s", program, program)
		}
	}
	p, f := shared(t), twoTenants(t, "dc1")
	f.render(t)
	plan := f.planned(t)
	repo := engine.NewRepo(t)
	repo.Commit(t, "tree", f.tree)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "load.sh"), loader.Loader, 0o600); err != nil {
		t.Fatal(err)
	}
	blocks := engine.Procedure(t, "site-services.md", "The ledger in Placement", "Loading it")
	if len(blocks) != 2 {
		t.Fatalf("found %q, want the commands that load a ledger and those that take it out", blocks)
	}
	run := func(script string) {
		t.Helper()
		// Who gives tokens is not here; the first load.sh is a dry run, whose exit code says that there are differences.
		script = "openstack() { [ \"$*\" = 'token issue -f value -c id' ] && printf '%s' '" + token + "'; }\n" +
			strings.Replace(script, "--dry-run fleet/site/placement/inventory.json", "--dry-run fleet/site/placement/inventory.json || [ $? = 1 ]", 1)
		cmd := exec.Command("bash", "-euo", "pipefail", "-c", strings.NewReplacer("https://git.example.org/fleet.git", repo.URL()+" fleet", "https://placement.example.org", p.URL).Replace(script))
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), canary) {
			t.Fatalf("%v\n%s\n%s", err, script, out)
		}
	}
	run(blocks[0])
	f.check(t, p, plan)
	env := "export PLACEMENT_URL=https://placement.example.org PLACEMENT_TOKEN=$(openstack token issue -f value -c id)\ncp fleet/site/placement/inventory.json .\n"
	run(env + blocks[1])
	if left := f.providers(t, p); len(left) != 0 {
		t.Errorf("left in Placement: %v", left)
	}
}
