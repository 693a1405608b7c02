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
	"testing"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
)

// TestAsked: who is refused by an API server is told which one it was, by its host and the context, and nothing of how to log in there.
func TestAsked(t *testing.T) {
	t.Chdir(t.TempDir())
	site, err := filepath.Abs(".")
	check(t, err)
	check(t, os.WriteFile("site.yaml", []byte("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: dc1}\nspec: {repository: {url: \"https://git.example.org/fleet.git\"}}\n"), 0o600))
	for _, row := range []struct {
		code         int
		reason       string
		server, want string
	}{
		{http.StatusUnauthorized, "Unauthorized", "http://robot:s3cret-Marker@%s/hidden", `the credentials are wrong or have expired (--context selects another cluster)`},
		{http.StatusUnauthorized, "Unauthorized", "%s", `the credentials are wrong or have expired (--context selects another cluster)`},
		{http.StatusUnauthorized, "Unauthorized", "robot:s3cret-Marker@%s", `the credentials are wrong or have expired (--context selects another cluster)`},
		{http.StatusForbidden, "Forbidden", "http://robot:s3cret-Marker@%s/hidden", `kubectl auth can-i --list, run with the same credentials, shows what they allow (--context selects another cluster)`},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(row.code)
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":%q,"code":%d}`, row.reason, row.code)
		}))
		address := strings.TrimPrefix(server.URL, "http://")
		check(t, os.WriteFile("kubeconfig", fmt.Appendf(nil, "apiVersion: v1\nkind: Config\ncurrent-context: other\nclusters: [{name: a, cluster: {server: %q}}]\n"+
			"contexts: [{name: lab, context: {cluster: a, user: u}}]\nusers: [{name: u, user: {token: s3cret-Marker}}]\n", fmt.Sprintf(row.server, address)), 0o600))
		var out bytes.Buffer
		code := run(t.Context(), []string{"inventory", "--site", filepath.Join(site, "site.yaml"), "--kubeconfig", "kubeconfig", "--context", "lab"}, strings.NewReader(""), &out, &out)
		server.Close()
		want := fmt.Sprintf("sipgen: hint: the API server is %s (context \"lab\"): %s\n", address, row.want)
		if code != exitError || !strings.Contains(out.String(), want) || strings.Contains(out.String(), "s3cret-Marker") || strings.Contains(out.String(), "hidden") {
			t.Errorf("%d of %s: exit code %d, want %q in\n%s", row.code, row.server, code, want, out.String())
		}
	}
	unreachable := &app.AskedError{Err: fmt.Errorf("list: %w", &net.OpError{Op: "dial", Err: errors.New("connection refused")}), Server: "10.0.0.1:6443"}
	if hint := hintFor(newRoot(&terminal.UI{}), unreachable); hint != "the API server is 10.0.0.1:6443 (the pod's own account): it cannot be reached from here: is it the right cluster, and does it need a VPN or a proxy?" {
		t.Error(hint)
	}
	if hint := hintFor(newRoot(&terminal.UI{}), &app.AskedError{Err: errors.New("something else")}); hint != "" {
		t.Error(hint)
	}
}
