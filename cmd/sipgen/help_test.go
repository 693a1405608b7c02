package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	prettytext "github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/forge"
	"github.com/airshipit/sipgen/publish"
)

// TestHelpFitsATerminal: no line of any command's help is wider than helpColumns, and no flag is lost by the wrapping.
func TestHelpFitsATerminal(t *testing.T) {
	t.Parallel()
	commands := newRoot(&terminal.UI{}).Commands()
	code, options, said := ran(t, "options")
	need.Must(t, code == exitDone, "options: exit code %d\n%s%s", code, options, said)
	for i := -1; i < len(commands); i++ {
		args := []string{"--help"}
		if i >= 0 {
			args = append([]string{commands[i].Name()}, args...)
		}
		code, out, said := ran(t, args...)
		need.Must(t, code == exitDone && said == "", "%v: exit code %d\n%s", args, code, said)
		for line := range strings.Lines(out) {
			n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))
			need.That(t, n <= helpColumns, "%v: %d columns: %s", args, n, line)
		}
		if i < 0 {
			continue
		}
		words := strings.Join(strings.Fields(out+options), " ")
		need.Words(t, args, words, strings.Fields(commands[i].LocalFlags().FlagUsages())...)
	}
}

// TestPublishHasFewFlags: what a command has of its own fits a reader's head; the common ones are said once.
func TestPublishHasFewFlags(t *testing.T) {
	root := newRoot(&terminal.UI{})
	if takeover, _, err := root.Find([]string{"takeover"}); err != nil || only(takeover, false).Lookup("filename") == nil {
		t.Errorf("takeover's -f is not that of the others: %v", err)
	}
	for _, command := range root.Commands() {
		n := 0
		only(command, false).VisitAll(func(*pflag.Flag) { n++ })
		need.That(t, n <= 20, "%s: %d flags of its own, want at most 20", command.Name(), n)
	}
}

// TestManPages: every command has a page with its flags, of the date that is given, and the same again.
func TestManPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1767323045")
	pages := func() map[string]string {
		dir := filepath.Join(t.TempDir(), "man")
		code, _, said := ran(t, "man", dir)
		need.Must(t, code == exitDone, "exit code %d: %s", code, said)
		content := map[string]string{}
		for _, file := range need.Value(filepath.Glob(filepath.Join(dir, "*.1")))(t) {
			content[filepath.Base(file)] = read(t, file)
		}
		return content
	}
	first, second := pages(), pages()
	for _, command := range newRoot(&terminal.UI{}).Commands() {
		if command.Hidden || command.Name() == "help" {
			continue
		}
		page := first["sipgen-"+command.Name()+".1"]
		if !strings.Contains(page, "Jan 2026") || !strings.Contains(page, ".SH SYNOPSIS") || command.Flags().HasFlags() && !strings.Contains(page, ".SH OPTIONS") {
			t.Errorf("%s: %.300s", command.Name(), page)
		}
	}
	need.Deep(t, "another run", second, first)
	need.That(t, len(first) >= 15 && first["sipgen.1"] != "", "%d pages", len(first))
}

// TestPlugin: called as kubectl calls its plugins, the help says what a person types.
func TestPlugin(t *testing.T) {
	for name, want := range map[string]bool{"kubectl-sipgen": true, "/opt/krew/bin/kubectl-sipgen": true, "sipgen": false, "/usr/bin/kubectl-x/sipgen": false} {
		need.That(t, plugin(name) == want, "%s: found %v", name, !want)
	}
	args := os.Args
	defer func() { os.Args = args }()
	os.Args = []string{"/opt/bin/kubectl-sipgen"}
	_, out, said := ran(t, "plan", "--help")
	need.Words(t, said, out, "kubectl sipgen plan [CLUSTER]")
}

// TestFieldsFit: fields are as wide as the terminal that shows them.
func TestFieldsFit(t *testing.T) {
	screen, tty, err := pty.Open()
	need.OK(t, err)
	defer func() { _ = screen.Close() }()
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(screen) // ends in EIO when the other side is closed
		text <- string(all)
	}()
	need.OK(t, pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}))
	root := newRoot(&terminal.UI{Out: tty, Err: io.Discard})
	root.SetArgs([]string{"fields", "site.spec.hosts"})
	need.OK(t, root.Execute())
	_ = tty.Close()
	for line := range strings.Lines(<-text) {
		if line = strings.TrimRight(line, "\r\n"); prettytext.StringWidth(line) > 80 {
			t.Errorf("found %q, want at most 80 columns", line)
		}
	}
}

func TestWithoutFormulas(t *testing.T) {
	got := withoutFormulas([][]string{{"=1+2", "+1", "-1", "@a", "\ta", "\ra", "a=1", "", "m/h", "2-1"}})
	want := []string{"'=1+2", "'+1", "'-1", "'@a", "'\ta", "'\ra", "a=1", "", "m/h", "2-1"}
	need.That(t, slices.Equal(got[0], want), "got %q, want %q", got[0], want)
}

func alwaysFull(t *testing.T) *os.File {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		need.Missing(t, "a device that is always full: %v", err)
	}
	t.Cleanup(func() { _ = full.Close() })
	return full
}

// A full disk below stdout is an error of every command, whatever it prints: who keeps the output would take a part of it for the whole.
func TestOutputIsIncomplete(t *testing.T) {
	full := alwaysFull(t)
	in := []string{"--site", "../../examples/two-tenants/site.yaml", "-f", "../../examples/two-tenants/tenants", "--inventory", "../../examples/two-tenants/hosts"}
	previous := append(slices.Clone(in), "--previous", "none")
	for _, args := range [][]string{
		append([]string{"plan"}, previous...), append([]string{"plan", "-o", "wide"}, previous...), append([]string{"plan", "-o", "json"}, previous...),
		append([]string{"tenants"}, previous...), {"version"}, {"--help"}, {"fields", "site"},
	} {
		var stderr bytes.Buffer
		need.Equal(t, args, run(t.Context(), args, strings.NewReader(""), full, &stderr), exitError)
		need.Words(t, args, stderr.String(), "sipgen: the output is incomplete: write /dev/full: no space left on device\n")
		need.Without(t, args, stderr.String(), "hint")
	}
}

// A command that has written and cannot say so has done its work: code 2 is for a run that has written nothing.
func TestOutputIsIncompleteAfterAWrite(t *testing.T) {
	full := alwaysFull(t)
	t.Setenv("GIT_AUTHOR_NAME", "Ada")
	t.Setenv("GIT_AUTHOR_EMAIL", "ada@example.org")
	dir, example, sip := t.TempDir(), "../../examples/two-tenants/", "../../testdata/inputs/sip-operator/"
	repo, specs := filepath.Join(dir, "fleet.git"), filepath.Join(dir, "specs")
	site := filepath.Join(dir, "begun", "site.yaml")
	publishes := []string{"publish", "--site", example + "site.yaml", "-f", example + "tenants",
		"--inventory", example + "hosts", "--repo", repo}
	const cause = "the output is incomplete: write /dev/full: no space left on device\n"
	for _, row := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"init", "--inventory", example + "hosts", "--repo", repo, filepath.Dir(site)}, exitFinding, "sipgen: " + site + " is written, but " + cause},
		{append(slices.Clone(publishes), "--dry-run"), exitDone, "nothing is pushed\n"},
		{publishes, exitFinding, "TIP is pushed, but " + cause},
		{publishes, exitDone, "nothing to commit"},
		{[]string{"takeover", "--site", sip + "site.yaml", "-f", sip + "spec.yaml", "--out", specs}, exitFinding, "sipgen: 1 spec is written to " + specs + ", but " + cause},
		{[]string{"takeover", "--site", sip + "site.yaml", "-f", sip + "spec.yaml"}, exitError, "sipgen: " + cause},
	} {
		var stderr bytes.Buffer
		code := run(t.Context(), row.args, strings.NewReader(""), full, &stderr)
		tip := need.Value(exec.Command("git", "-C", repo, "rev-parse", "main").Output())(t)
		want := strings.Replace(row.want, "TIP", strings.TrimSpace(string(tip)), 1)
		need.That(t, code == row.code && strings.Contains(stderr.String(), want),
			"%v: exit %d, said %q, want %d, %q", row.args, code, &stderr, row.code, want)
	}
}

// TestFinish: a signal ends a run that waits for something that never comes, and leaves one alone that ends by itself.
func TestFinish(t *testing.T) {
	for _, row := range []struct {
		why             string
		takes, patience time.Duration
		code            int
		said            string
	}{
		{"a read that nobody answers", time.Hour, 10 * time.Millisecond, exitError, "sipgen: interrupted\n"},
		{"a run that puts its things down", 10 * time.Millisecond, time.Hour, exitFinding, ""},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var stderr bytes.Buffer
		code := finish(ctx, row.patience, &stderr, func() int {
			cancel()
			time.Sleep(row.takes)
			return exitFinding
		})
		need.That(t, code == row.code && stderr.String() == row.said, "%s: exit %d, said %q", row.why, code, &stderr)
	}
}

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
