package e2e_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// siteText is the Site as a file has it.
func (c *circle) siteText(t *testing.T) string {
	t.Helper()
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": v1alpha1.APIVersion, "kind": v1alpha1.Kind, "metadata": map[string]any{"name": c.site.Name},
		"spec": c.site.Spec,
	})
	require.NoError(t, err)
	return string(text)
}

// sipgen runs the command on the live hosts, with the rights of policy/reader.yaml. It gives the exit code;
// what was printed is in said.
func (c *circle) sipgen(t *testing.T, command string, args ...string) int {
	t.Helper()
	dir := t.TempDir()
	site := filepath.Join(dir, "site.yaml")
	need.Write(t, site, c.siteText(t))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "specs"), 0o755))
	for name, spec := range c.specs {
		need.Write(t, filepath.Join(dir, "specs", name+".yaml"), spec)
	}
	flags := []string{command, "--site", site, "--kubeconfig", engine.Kubeconfig(t, c.rig.api.As(c.account))}
	if command != "inventory" {
		flags = append(flags, "-f", filepath.Join(dir, "specs"), "--inventory", "cluster", "--repo", c.repo.Dir)
	}
	code, said := exitCode(t, exec.Command(engine.Sipgen(t), append(flags, args...)...))
	c.said = said
	return code
}

// exitCode runs a program, and gives what it printed.
func exitCode(t *testing.T, cmd *exec.Cmd) (code int, said string) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// exits is sipgen with an exit code that is wanted.
func (c *circle) exits(t *testing.T, what string, want int, command string, args ...string) {
	t.Helper()
	if code := c.sipgen(t, command, args...); code != want {
		t.Errorf("%s: sipgen %s: exit code %d, want %d\n%s", what, command, code, want, c.said)
	}
}

// decommission deletes a cluster's spec, and has the Site let the cluster go.
func (c *circle) decommission(name string) {
	delete(c.specs, name)
	c.site.Spec.Decommission = append(c.site.Spec.Decommission, c.tenants+"/"+name)
}

// commit publishes, and says whether there was anything to commit.
func (c *circle) commit(t *testing.T) bool {
	t.Helper()
	before := c.repo.Head(t)
	// Hosts that are read in the second of a commit count as read before it, and only add.
	time.Sleep(time.Until(c.repo.Committed(t).Add(time.Second)))
	if code := c.sipgen(t, "publish"); code != 0 && (code != 1 || !c.short) {
		t.Fatalf("sipgen publish: exit code %d\n%s", code, c.said)
	}
	c.readTree(t)
	return c.repo.Head(t) != before
}

// readTree reads the tree from the branch.
func (c *circle) readTree(t *testing.T) {
	t.Helper()
	folder := c.site.Spec.Repository.Path
	if folder != "" {
		folder += "/"
	}
	c.tree = map[string][]byte{}
	for name, content := range c.repo.Files(t) {
		if name, found := strings.CutPrefix(name, folder); found {
			c.tree[name] = content
		}
	}
}

// reset sets the branch to a commit, as a force-push does.
func (c *circle) reset(t *testing.T, commit string) {
	t.Helper()
	c.repo.Reset(t, commit)
	c.readTree(t)
}

// wantSaid wants the words in what sipgen printed last.
func (c *circle) wantSaid(t *testing.T, what string, words ...string) {
	t.Helper()
	for _, word := range words {
		assert.Contains(t, c.said, word, what)
	}
}

// refused is a publish that ends with an error that says the words, and changes nothing.
func (c *circle) refused(t *testing.T, what string, words ...string) {
	t.Helper()
	before := c.repo.Head(t)
	c.exits(t, what, 2, "publish")
	for _, word := range words {
		assert.Contains(t, c.said, word, what)
	}
	assert.Truef(t, c.repo.Head(t) == before, "%s: something was committed", what)
}

// edit commits what a person does to the tree.
func (c *circle) edit(t *testing.T, message string, change func(dir string)) {
	t.Helper()
	c.repo.Edit(t, message, change)
	c.readTree(t)
}

// step is one turn of the circle: render from the live hosts, commit, sync, and look.
func (c *circle) step(t *testing.T, what string) {
	t.Helper()
	assert.Truef(t, c.commit(t), "%s: nothing to commit\n%s", what, c.said)
	c.follow(t, what)
}

// follow waits until the engine has synced the branch, and looks.
func (c *circle) follow(t *testing.T, what string) {
	t.Helper()
	c.sync(t, nil)
	c.check(t, what, nil)
}

// settle goes round until there is nothing to commit: a release takes two commits. Then the live
// hosts and the tree agree.
func (c *circle) settle(t *testing.T, what string) {
	t.Helper()
	for turn := 1; c.commit(t); turn++ {
		c.follow(t, fmt.Sprintf("%s, turn %d", what, turn))
		require.Truef(t, turn != 5, "%s: still something to commit after %d turns", what, turn)
	}
	c.exits(t, what, 0, "diff")
}
