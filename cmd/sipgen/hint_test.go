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
	"reflect"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/forge"
	"github.com/airshipit/sipgen/publish"
)

// TestHintsStandWithTheirErrors: each hint follows the errors that it helps with, once, and an error that nothing helps with has none.
func TestHintsStandWithTheirErrors(t *testing.T) {
	beyond := func(words string, grantable bool) error {
		return &admit.BeyondError{Err: errors.New(words), Grantable: grantable}
	}
	err := unpushed(errors.Join(
		errors.New("a.yaml: spec.nods: unknown field"),
		beyond("b.yaml: found node port 30000, which is not granted to tenant b", true),
		beyond("c.yaml: found 9, but tenant c may have at most 5", true),
		beyond("d.yaml: spec.services.jumpHost[0].image: missing here and in the Site's spec.images.jumpHost", false),
		beyond("e.yaml: found node port 1, want one within 30000 to 32767, the site's range", false),
		&app.AskedError{Err: apierrors.NewUnauthorized("get hosts"), Context: "lab", Server: "api.example.org"},
		&app.AskedError{Err: errors.New("get secrets: no answer"), Context: "lab", Server: "api.example.org"},
		beyond("f.yaml: found node port 30001, which is not granted to tenant f", true),
		syscall.ENOSPC,
	))
	const want = `sipgen: a.yaml: spec.nods: unknown field
sipgen: b.yaml: found node port 30000, which is not granted to tenant b
sipgen: c.yaml: found 9, but tenant c may have at most 5
sipgen: hint: sipgen tenants --suggest prints the grants that the specs need
sipgen: d.yaml: spec.services.jumpHost[0].image: missing here and in the Site's spec.images.jumpHost
sipgen: e.yaml: found node port 1, want one within 30000 to 32767, the site's range
sipgen: get hosts
sipgen: hint: the API server is api.example.org (context "lab"): the credentials are wrong or have expired (--context selects another cluster)
sipgen: get secrets: no answer
sipgen: f.yaml: found node port 30001, which is not granted to tenant f
sipgen: no space left on device
sipgen: hint: the disk is full: free some space, then run it again
sipgen: nothing is pushed
`
	var out bytes.Buffer
	ui := &terminal.UI{Err: &out}
	fail(ui, err)
	need.That(t, out.String() == want, "found\n%s\nwant\n%s", &out, want)
}

// Where a login lacks something, the hint names the variables; every field that publish may name has some.
func TestLoginHints(t *testing.T) {
	text, err := os.ReadFile("../../publish/errors.go")
	more, moreErr := os.ReadFile("../../publish/auth.go")
	need.OK(t, errors.Join(err, moreErr))
	named := 0
	for _, part := range strings.Split(string(text)+string(more), "&SettingError{\"")[1:] {
		field, _, _ := strings.Cut(part, "\"")
		named++
		hint := hintFor(fmt.Errorf("fleet.git: %w", &publish.SettingError{Field: field, Err: publish.ErrAuth}))
		need.That(t, strings.Contains(hint, "SIPGEN_"), "%s: found %q", field, hint)
		_, found := reflect.TypeFor[publish.Auth]().FieldByName(field)
		need.That(t, found, "%s is no field of publish.Auth", field)
	}
	need.That(t, named >= 6, "found %d settings in the code", named)
	need.Words(t, "a forge's certificate", hintFor(fmt.Errorf("x: %w", forge.ErrCertificate)), "SIPGEN_GIT_CA_FILE")
}

// TestAsked: who is refused by an API server is told which one it was, by its host and the context, and nothing of how to log in there.
func TestAsked(t *testing.T) {
	t.Chdir(t.TempDir())
	site := need.Value(filepath.Abs("."))(t)
	need.OK(t, os.WriteFile("site.yaml", []byte("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: dc1}\nspec: {repository: {url: \"https://git.example.org/fleet.git\"}}\n"), 0o600))
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
		need.OK(t, os.WriteFile("kubeconfig", fmt.Appendf(nil, "apiVersion: v1\nkind: Config\ncurrent-context: other\nclusters: [{name: a, cluster: {server: %q}}]\n"+
			"contexts: [{name: lab, context: {cluster: a, user: u}}]\nusers: [{name: u, user: {token: s3cret-Marker}}]\n", fmt.Sprintf(row.server, address)), 0o600))
		code, out, said := ran(t, "inventory", "--site", filepath.Join(site, "site.yaml"), "--kubeconfig", "kubeconfig", "--context", "lab")
		server.Close()
		need.Equal(t, row, code, exitError)
		need.Words(t, row, said, fmt.Sprintf("sipgen: hint: the API server is %s (context \"lab\"): %s\n", address, row.want))
		need.Without(t, row, out+said, "s3cret-Marker", "hidden")
	}
	unreachable := &app.AskedError{Err: fmt.Errorf("list: %w", &net.OpError{Op: "dial", Err: errors.New("connection refused")}), Server: "10.0.0.1:6443"}
	if hint := hintFor(unreachable); hint != "the API server is 10.0.0.1:6443 (the pod's own account): it cannot be reached from here: is it the right cluster, and does it need a VPN or a proxy?" {
		t.Error(hint)
	}
	if hint := hintFor(&app.AskedError{Err: errors.New("something else")}); hint != "" {
		t.Error(hint)
	}
}
