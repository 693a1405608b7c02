package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/push"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/forge"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// TestHintsStandWithTheirErrors: each hint follows the errors that it helps with, once, and an error that nothing helps
// with has none.
func TestHintsStandWithTheirErrors(t *testing.T) {
	err := unpushed(errors.Join(
		errors.New("a.yaml: spec.nods: unknown field"),
		&app.AskedError{Err: apierrors.NewUnauthorized("get hosts"), Context: "lab", Server: "api.example.org"},
		&app.AskedError{Err: errors.New("get secrets: no answer"), Context: "lab", Server: "api.example.org"},
		syscall.ENOSPC,
	))
	const want = `sipgen: a.yaml: spec.nods: unknown field
sipgen: get hosts
sipgen: hint: the API server is api.example.org (context "lab"): the credentials are wrong or have expired (--context selects another cluster)
sipgen: get secrets: no answer
sipgen: no space left on device
sipgen: hint: the disk is full: free some space, then run it again
sipgen: nothing is pushed
`
	var out bytes.Buffer
	ui := &terminal.UI{Err: &out}
	fail(ui, err)
	assert.Truef(t, out.String() == want, "found\n%s\nwant\n%s", &out, want)
}

// TestGitLabBelowAFolder: without --forge-url the forge is asked for at the root of its host, where another program
// answers. The hint names the flag, with which it is found.
func TestGitLabBelowAFolder(t *testing.T) {
	page := func(w http.ResponseWriter, status int) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		_, _ = w.Write([]byte("<html>"))
	}
	for why, atRoot := range map[string]http.HandlerFunc{
		"nothing":  http.NotFound,
		"an error": func(w http.ResponseWriter, _ *http.Request) { page(w, http.StatusNotFound) },
		"a portal": func(w http.ResponseWriter, _ *http.Request) { page(w, http.StatusOK) },
		"a login": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/login" {
				page(w, http.StatusOK)
				return
			}
			http.Redirect(w, r, "/login", http.StatusFound)
		},
	} {
		asked := ""
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.URL.Path, "/gitlab/") {
				atRoot(w, r)
				return
			}
			asked = r.URL.EscapedPath()
			w.WriteHeader(http.StatusUnauthorized)
		}))
		open := func(web string) error {
			repository, _, err := forge.Locate(server.URL+"/gitlab/acme/fleet.git", forge.GitLab, web)
			require.NoError(t, err)
			_, err = (&forge.Client{Token: "x", TokenName: "SIPGEN_FORGE_TOKEN"}).Open(t.Context(), repository,
				forge.Request{Base: "main", Head: "p", Title: "t", Marker: "m"})
			return fmt.Errorf("%w: %w", push.ErrNoPullRequest, err)
		}
		err := open("")
		assert.Contains(t, hintFor(err), "--forge-url names the folder, too", why+": the hint")
		assert.Truef(t, errors.Is(open(server.URL+"/gitlab"), forge.ErrToken), "%s: with the flag it is not found", why)
		assert.Truef(t, strings.HasPrefix(asked, "/gitlab/api/v4/projects/acme%2Ffleet"), "%s: asked for %s", why,
			asked)
		server.Close()
	}
}

// TestHintsAboutSpecs: what to try about a spec is printed once, however many specs have the fault.
func TestHintsAboutSpecs(t *testing.T) {
	const grants = "sipgen: hint: sipgen tenants --suggest prints the grants that the specs need\n"
	const older = "sipgen: hint: this looks like a SIPCluster of SIP's API before April 2021; " +
		"docs/from-sip.md has the fields of today\n"
	field := func(unknown, grantable bool, path string) admit.Problem {
		return admit.Problem{Finding: finding.Finding{Field: path, Unknown: unknown}, Grantable: grantable}
	}
	for _, row := range []struct {
		problems []admit.Problem
		want     string
	}{
		{[]admit.Problem{field(false, true, "spec.services.jumpHost[0].nodePort"), field(false, true, "spec.patches")},
			grants},
		{[]admit.Problem{field(false, false, "spec.services.jumpHost[0].image")}, ""},
		{[]admit.Problem{field(true, false, "spec.nodes.Worker.vm-flavor"), field(true, false, "spec.config")}, older},
		{[]admit.Problem{field(false, false, "spec.nodes.Worker.vm-flavor"), field(true, false, "spec.nods")}, ""},
		{[]admit.Problem{field(true, false, "spec.nodeSets"), field(false, true, "spec.patches")}, older + grants},
	} {
		var out bytes.Buffer
		hintAtSpecs(&terminal.UI{Err: &out}, row.problems)
		assert.Equal(t, row.want, out.String(), row.problems)
	}
}

// TestAsked: who is refused by an API server is told which one it was, by its host and the context, and nothing of how
// to log in there.
func TestAsked(t *testing.T) {
	t.Chdir(t.TempDir())
	site := need.Value(filepath.Abs("."))(t)
	require.NoError(t,
		os.WriteFile("site.yaml", []byte("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: dc1}\nspec: {repository: {url: \"https://git.example.org/fleet.git\"}}\n"), 0o600))
	for _, row := range []struct {
		code         int
		reason       string
		server, want string
	}{
		{http.StatusUnauthorized, "Unauthorized", "http://robot:s3cret-Marker@%s/hidden",
			`the credentials are wrong or have expired (--context selects another cluster)`},
		{http.StatusUnauthorized, "Unauthorized", "%s",
			`the credentials are wrong or have expired (--context selects another cluster)`},
		{http.StatusUnauthorized, "Unauthorized", "robot:s3cret-Marker@%s",
			`the credentials are wrong or have expired (--context selects another cluster)`},
		{http.StatusForbidden, "Forbidden", "http://robot:s3cret-Marker@%s/hidden",
			`kubectl auth can-i --list, run with the same credentials, shows what they allow (--context selects another cluster)`},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(row.code)
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":%q,"code":%d}`, row.reason, row.code)
		}))
		address := strings.TrimPrefix(server.URL, "http://")
		require.NoError(t, os.WriteFile("kubeconfig",
			fmt.Appendf(nil, "apiVersion: v1\nkind: Config\ncurrent-context: other\nclusters: [{name: a, cluster: {server: %q}}]\n"+
				"contexts: [{name: lab, context: {cluster: a, user: u}}]\nusers: [{name: u, user: {token: s3cret-Marker}}]\n", fmt.Sprintf(row.server, address)), 0o600))
		code, out, said := ran(t, "inventory", "--site", filepath.Join(site, "site.yaml"), "--kubeconfig", "kubeconfig",
			"--context", "lab")
		server.Close()
		assert.Equal(t, exitError, code, row)
		assert.Contains(t, said,
			fmt.Sprintf("sipgen: hint: the API server is %s (context \"lab\"): %s\n", address, row.want), row)
		assert.NotContains(t, out+said, "s3cret-Marker", row)
		assert.NotContains(t, out+said, "hidden", row)
	}
	unreachable := &app.AskedError{Err: fmt.Errorf("list: %w",
		&net.OpError{Op: "dial", Err: errors.New("connection refused")}), Server: "10.0.0.1:6443"}
	if hint := hintFor(unreachable); hint != "the API server is 10.0.0.1:6443 (the pod's own account): it cannot be reached from here: is it the right cluster, and does it need a VPN or a proxy?" {
		t.Error(hint)
	}
	if hint := hintFor(&app.AskedError{Err: errors.New("something else")}); hint != "" {
		t.Error(hint)
	}
}
