package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/require"
)

// Gitea is a real Gitea with SQLite on a free port of the loopback interface, with nothing in it.
type Gitea struct {
	// URL is where its pages begin, without a slash at the end.
	URL string
	// Admin is a user who may do everything, and Token is one with all scopes.
	Admin, Password, Token string

	binary, config string
	env            []string
	process        *process
}

// StartGitea starts Gitea. Its templates and translations are taken from its module. Git sends the password with every
// request, and a hash that is as hard to guess as it should be would take more of the processor than the rest. On a
// busy machine its database is locked for longer than the half second that it waits by itself.
func StartGitea(t testing.TB) *Gitea {
	t.Helper()
	binary := Binary(t, "gitea")
	static := ModuleDir(t, "gitea", "code.gitea.io/gitea")
	dir := t.TempDir()
	port := need.Port(t)
	g := &Gitea{URL: fmt.Sprintf("http://127.0.0.1:%d", port), Admin: "ada", Password: "a-Passw0rd-of-the-test",
		binary: binary}
	g.config = writeFile(t, dir, "app.ini", []byte(fmt.Sprintf(`
APP_NAME = e2e
RUN_USER = %[5]s
RUN_MODE = prod
WORK_PATH = %[1]s
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
[server]
PROTOCOL = http
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %[2]d
ROOT_URL = %[3]s/
STATIC_ROOT_PATH = %[4]s
APP_DATA_PATH = %[1]s/data
DISABLE_SSH = true
OFFLINE_MODE = true
LFS_START_SERVER = false
[database]
DB_TYPE = sqlite3
PATH = %[1]s/gitea.db
SQLITE_TIMEOUT = 60000
[repository]
ROOT = %[1]s/repositories
[security]
INSTALL_LOCK = true
SECRET_KEY = of-the-test
PASSWORD_HASH_ALGO = pbkdf2$1000$50
INTERNAL_TOKEN = %[6]s
[service]
DISABLE_REGISTRATION = true
[indexer]
ISSUE_INDEXER_TYPE = db
[cron]
ENABLED = false
[actions]
ENABLED = false
[log]
MODE = console
LEVEL = warn
ROOT_PATH = %[1]s/log
`, dir, port, g.URL, static, runUser(), internalToken)))
	g.env = []string{"GITEA_WORK_DIR=" + dir, "GIT_CONFIG_NOSYSTEM=1", "USER=" + runUser()}
	g.run(t, "migrate")
	g.run(t, "admin", "user", "create", "--admin", "--username", g.Admin, "--password", g.Password, "--email",
		"ada@example.org", "--must-change-password=false")
	g.process = start(t, "gitea", g.env, binary, "web", "--config", g.config, "--work-path", dir)
	g.process.await(t, func() error { return httpOK(g.URL + "/api/healthz") })
	g.Token = g.NewToken(t, "all")
	return g
}

// internalToken signs what git's hooks tell Gitea. It is a JWT of {"nbf": 1} with another secret, of the form that
// Gitea wants.
const internalToken = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJuYmYiOjF9.3r0bZ4d2h1u8yq4mB6l1b3mKkq5g8s2v7Qe9w0x1y2z"

func runUser() string {
	if user := os.Getenv("USER"); user != "" {
		return user
	}
	return "root"
}

// run runs one of Gitea's own commands and gives what it prints.
func (g *Gitea) run(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.Command(g.binary, append(args, "--config", g.config)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(g.config)}, g.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("gitea %s: %v\n%s", args[0], err, out)
	}
	return strings.TrimSpace(string(out))
}

// NewUser makes a user without any rights of its own.
func (g *Gitea) NewUser(t testing.TB, name string) {
	t.Helper()
	g.Call(t, "POST", "/admin/users", map[string]any{"username": name, "password": g.Password,
		"email": name + "@example.org", "must_change_password": false}, nil)
}

// NewToken makes an access token of the admin's with scopes, as Gitea names them: write:repository,write:issue.
func (g *Gitea) NewToken(t testing.TB, scopes ...string) string {
	t.Helper()
	var made struct {
		Value string `json:"sha1"`
	}
	g.Call(t, "POST", "/users/"+g.Admin+"/tokens",
		map[string]any{"name": fmt.Sprintf("t%d", time.Now().UnixNano()), "scopes": scopes}, &made)
	return made.Value
}

// Call asks Gitea's API as its admin: the path is below /api/v1, and into may be nil.
func (g *Gitea) Call(t testing.TB, method, path string, body, into any) {
	t.Helper()
	require.NoError(t, g.Try(method, path, body, into))
}

// Try is Call that gives the error.
func (g *Gitea) Try(method, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(context.Background(), method, g.URL+"/api/v1"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.SetBasicAuth(g.Admin, g.Password) // a token makes no tokens
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("gitea: %s %s: %s: %s", method, path, response.Status, answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}

// NewRepository makes a repository of the admin's with one commit on main, and gives its URL without credentials. Of
// its hooks, each of which starts Gitea, it has not the one that Gitea calls empty.
func (g *Gitea) NewRepository(t testing.TB, name string) string {
	t.Helper()
	g.Call(t, "POST", "/user/repos", map[string]any{"name": name, "auto_init": true, "default_branch": "main"}, nil)
	hooks := filepath.Join(filepath.Dir(g.config), "repositories", g.Admin, name+".git", "hooks")
	require.NoError(t, os.Remove(filepath.Join(hooks, "update")))
	return g.URL + "/" + g.Admin + "/" + name + ".git"
}

// Logs returns the last lines of Gitea's output.
func (g *Gitea) Logs(n int) string { return g.process.log.last(n) }
