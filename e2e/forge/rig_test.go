// Package forge tests proposals on a real Gitea: the sipgen command pushes by http, and opens the pull request by the
// API. GitHub and GitLab cannot run here; their API is mocked in the tests of package forge.
package forge

import (
	"bytes"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
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
	need.OK(t, os.CopyFS(s.dir, os.DirFS("../../examples/two-tenants")))
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
	need.Must(t, bytes.Contains(text, []byte(before)), "%s: no %q", file, before)
	need.OK(t, os.WriteFile(path, bytes.Replace(text, []byte(before), []byte(after), 1), 0o644))
}

// publish runs the command and wants an exit code. It gives what it printed, on stdout and on stderr.
func (s *site) publish(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	binary := engine.Sipgen(t)
	args = append([]string{"publish", "--site", "site.yaml", "-f", "tenants", "--inventory", "hosts", "--repo", s.repo, "--path", "two"}, args...)
	cmd := exec.Command(binary, args...)
	cmd.Dir = s.dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir}, s.env...)
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	err := cmd.Run()
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if code != want {
		t.Fatalf("exit code %d, want %d\n%s\nGitea:\n%s", code, want, messages.String(), s.Logs(20))
	}
	for _, secret := range append([]string{s.Password, s.Token}, s.env[1:]...) {
		_, value, ok := strings.Cut(secret, "=")
		if !ok {
			value = secret
		}
		need.That(t, !strings.Contains(out.String()+messages.String(), value),
			"a secret is in the output:\n%s%s", out.String(), messages.String())
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
	need.OK(t, err)
	address.User = url.UserPassword(s.Admin, s.Password)
	if _, err := os.Stat(clone); err != nil {
		need.Output(t, exec.Command("git", "clone", "--quiet", address.String(), clone))
	}
	cmd := exec.Command("git", append([]string{"-C", clone, "-c", "user.name=Bob", "-c", "user.email=bob@example.org"}, args...)...)
	out, err := cmd.CombinedOutput()
	need.Must(t, err == nil, "git %s: %v\n%s", strings.Join(args, " "), err, out)
	return strings.TrimSpace(string(out))
}
