// Package forge tests proposals on a real Gitea: the sipgen command pushes by http, and opens the pull request by the
// API. GitHub and GitLab cannot run here; their API is mocked in the tests of package forge.
package forge

import (
	"bytes"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { engine.Main(m) }

// site is examples/two-tenants with a repository on Gitea.
type site struct {
	*engine.Gitea
	dir  string
	name string
	repo string
	env  []string
}

func newSite(t *testing.T, gitea *engine.Gitea, name string) *site {
	t.Helper()
	s := &site{Gitea: gitea, dir: t.TempDir(), name: name, repo: gitea.NewRepository(t, name)}
	require.NoError(t, os.CopyFS(s.dir, os.DirFS("../../examples/two-tenants")))
	s.as(gitea.Admin, gitea.Token)
	return s
}

// as sets who pushes, and with what token pull requests are opened, if any.
func (s *site) as(user, token string) {
	s.env = []string{"SIPGEN_GIT_USERNAME=" + user, "SIPGEN_GIT_PASSWORD=" + s.Password}
	if token != "" {
		s.env = append(s.env, "SIPGEN_FORGE_TOKEN="+token)
	}
}

// edit changes a text that must be in a tenant's spec.
func (s *site) edit(t *testing.T, file, before, after string) {
	t.Helper()
	path := filepath.Join(s.dir, file)
	text := need.Read(t, path)
	require.Truef(t, bytes.Contains(text, []byte(before)), "%s: no %q", file, before)
	need.Write(t, path, strings.Replace(string(text), before, after, 1))
}

// command is sipgen publish on this site.
func (s *site) command(t *testing.T, args ...string) *exec.Cmd {
	if !slices.Contains(args, "--site") {
		args = append([]string{"--site", "site.yaml"}, args...)
	}
	args = append([]string{"publish", "-f", "tenants", "--repo", s.repo}, args...)
	cmd := exec.Command(engine.Sipgen(t), args...)
	cmd.Dir = s.dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir}, s.env...)
	return cmd
}

// publish runs the command and wants an exit code. It gives what it printed, on stdout and on stderr.
func (s *site) publish(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := s.command(t, append([]string{"--inventory", "hosts", "--path", "two"}, args...)...)
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	err := cmd.Run()
	code := cmd.ProcessState.ExitCode()
	require.Truef(t, code == want, "exit code %d, %v, want %d\n%s\nGitea:\n%s", code, err, want, messages.String(),
		s.Logs(20))
	for _, secret := range append([]string{"=" + s.Password, "=" + s.Token}, s.env[1:]...) {
		_, value, _ := strings.Cut(secret, "=")
		assert.NotContains(t, out.String()+messages.String(), value, "a secret is in the output")
	}
	return strings.TrimSpace(out.String()), messages.String()
}

// pull is a pull request as Gitea's API shows it; this is not the library that sipgen uses.
type pull struct {
	Number             int
	Title, Body, State string
	HTMLURL            string `json:"html_url"`
	Head, Base         struct{ Ref, Sha string }
	Labels             []struct{ Name string }
}

func (s *site) pulls(t *testing.T) []pull {
	t.Helper()
	var all []pull
	s.Call(t, "GET", s.path("/pulls?state=all&sort=oldest"), nil, &all)
	return all
}

func (s *site) path(rest string) string { return "/repos/" + s.Admin + "/" + s.name + rest }

// git runs git in a clone of the repository.
func (s *site) git(t *testing.T, args ...string) string {
	t.Helper()
	clone := filepath.Join(s.dir, "clone")
	address, err := url.Parse(s.repo)
	require.NoError(t, err)
	address.User = url.UserPassword(s.Admin, s.Password)
	if _, err := os.Stat(clone); err != nil {
		need.Output(t, exec.Command("git", "clone", "--quiet", address.String(), clone))
	}
	return strings.TrimSpace(need.Output(t, exec.Command("git", append([]string{"-C", clone}, args...)...)))
}
