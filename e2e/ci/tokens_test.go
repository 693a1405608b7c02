package ci

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
)

// The tokens of the fleet's repository.
const (
	readToken  = "read-token-d41d8cd9"
	writeToken = "write-token-8f00b204"
)

// serveFleet serves the fleet's repository over https as a forge does, by git's own program: one token reads, the other
// one writes too. Like forges it takes a token as the password of a user, and not as a bearer's.
func (s *site) serveFleet(t *testing.T, user string) {
	t.Helper()
	backend := filepath.Join(strings.TrimSpace(run(t, "", nil, "git", "--exec-path")), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		need.Missing(t, "no git-http-backend: %v", err)
	}
	run(t, s.fleet, nil, "git", "config", "http.receivepack", "true")
	git := &cgi.Handler{Path: backend, Env: []string{
		"GIT_PROJECT_ROOT=" + filepath.Dir(s.fleet), "GIT_HTTP_EXPORT_ALL=1",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	}}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, password, _ := r.BasicAuth()
		writes := strings.Contains(r.URL.String(), "git-receive-pack")
		if name != user || password != writeToken && (writes || password != readToken) {
			w.Header().Set("WWW-Authenticate", `Basic realm="fleet"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		git.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	need.Write(t, ca, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	s.environment["SIPGEN_GIT_CA_FILE"] = ca
	s.environment["FLEET_REPO"] = server.URL + "/" + filepath.Base(s.fleet)
}

// TestGitHubTokens: the plan reads with one token, publishing writes with the other one, and nobody prints either.
func TestGitHubTokens(t *testing.T) {
	needs(t, "git", "gh", "curl")
	t.Parallel()
	g, w := newGitHub(t), readWorkflow(t, "sipgen.yaml")
	g.serveFleet(t, "x-access-token")
	f := g.forge(t)
	secret := func(name, value string) {
		g.expressions["secrets."+name], g.expressions["secrets."+name+" && 'x-access-token'"] = value, "x-access-token"
	}
	secret("FLEET_READ_TOKEN", readToken)
	secret("FLEET_TOKEN", readToken)
	r := g.job(t, w, "publish")
	assert.Truef(t, r.failed && g.commits(t) == 0, "published with a token that may only read: %v", r.outcome)
	withoutTokens(t, r.log)
	secret("FLEET_TOKEN", writeToken)
	for _, job := range []string{"plan", "publish", "plan"} {
		r = g.job(t, w, job)
		assert.Truef(t, !r.failed, "%s: %v\n%.4000v", job, r.outcome, r.log)
		withoutTokens(t, r.log, r.summary)
	}
	assert.Equal(t, 1, g.commits(t))
	body := f.only(t).body
	wantWords(t, body, "18 hosts assigned (0 new)") // the previous tree was read
	withoutTokens(t, body)
}

// TestGitLabTokens: the same there; without a token for comments, as of a fork, the plan is in the log.
func TestGitLabTokens(t *testing.T) {
	needs(t, "git", "curl", "jq")
	t.Parallel()
	s := newSite(t)
	s.serveFleet(t, "oauth2")
	_, jobs := readGitLab(t)
	s.environment["FLEET_READ_TOKEN"] = readToken
	code, log, _ := s.gitlab(t, jobs["sipgen-publish"], s.origin)
	assert.Truef(t, code == 2 && s.commits(t) == 0, "published without the token: exit %d\n%s", code, log)
	withoutTokens(t, log)
	s.environment["FLEET_TOKEN"] = writeToken
	for _, job := range []string{"sipgen-lint", "sipgen-plan", "sipgen-publish", "sipgen-plan"} {
		code, log, _ = s.gitlab(t, jobs[job], s.origin)
		assert.Truef(t, code == 0, "%s: exit %d\n%.4000s", job, code, log)
		withoutTokens(t, log)
	}
	wantWords(t, log, "18 hosts assigned (0 new)")
}

func withoutTokens(t *testing.T, texts ...any) {
	t.Helper()
	for _, word := range []string{readToken, writeToken, token} {
		assert.NotContains(t, fmt.Sprint(texts...), word, "a token is printed")
	}
}
