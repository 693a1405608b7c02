package main

import (
	"context"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/push"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/release"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/publish"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/review.md's outputs and files again")

// reviewed is what docs/review.md shows: real outputs of real commands, by the name of their block, or of their file
// below docs/review.
type reviewed map[string]string

// TestReviewPage goes the way that docs/review.md goes, on examples/two-tenants, and holds the page to what the
// commands print. With -update it writes the page's blocks and files.
func TestReviewPage(t *testing.T) {
	docs := need.Value(filepath.Abs("../../docs"))(t)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples/two-tenants")))
	t.Chdir(dir)
	t.Setenv("HOME", dir)
	shown := review(t)
	page := read(t, filepath.Join(docs, "review.md"))
	want := page
	for name, text := range shown {
		if file, isFile := strings.CutPrefix(name, "file "); isFile {
			same(t, filepath.Join(docs, "review", file), text)
			continue
		}
		block := regexp.MustCompile("(?s)(<!-- " + name + " -->\n```\n).*?(\n```\n<!-- end -->)")
		if len(block.FindAllString(want, -1)) != 1 {
			t.Errorf("docs/review.md: want one block %q", name)
			continue
		}
		want = block.ReplaceAllStringFunc(want, func(found string) string {
			parts := block.FindStringSubmatch(found)
			return parts[1] + strings.TrimRight(text, "\n") + parts[2]
		})
	}
	same(t, filepath.Join(docs, "review.md"), want)
}

func git(t *testing.T, args ...string) string {
	t.Helper()
	return need.Output(t, exec.Command("git", args...))
}

// ran runs a command of sipgen, and returns its exit code and what it prints.
func ran(t testing.TB, args ...string) (code int, out, said string) {
	t.Helper()
	var stdout, stderr strings.Builder
	code = run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// same holds a file to its content, or writes it.
func same(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	found, err := os.ReadFile(file)
	if err != nil || string(found) != want {
		t.Errorf("%s is not what the commands print: go test ./cmd/sipgen -run %s -update (%v)", file, t.Name(), err)
	}
}

// review plays it all: what is merged and synced before, the change of the specs, and the proposal.
func review(t *testing.T) reviewed {
	t.Helper()
	all := []string{"--site", "site.yaml", "-f", "tenants", "--inventory", "hosts"}
	sipgen := func(code int, args ...string) string {
		t.Helper()
		found, out, said := ran(t, args...)
		require.Truef(t, found == code, "sipgen %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), found, code,
			out, said)
		return out
	}
	git(t, "init", "-q", "--bare", "-b", "main", "fleet.git")
	sipgen(0, append([]string{"publish", "--repo", "fleet.git"}, all...)...)
	sipgen(0, append([]string{"render", "--out", "tree"}, all...)...)
	syncHosts(func(err error) { require.NoError(t, err) }, "tree", "hosts")

	shown := reviewed{}
	edit(t, "tenants/edge-a.yaml", "active: 4", "active: 5")
	edit(t, "tenants/edge-b.yaml", "active: 4", "active: 3")
	sipgen(0, append([]string{"lint"}, all...)...)
	table := sipgen(0, append([]string{"plan", "--repo", "fleet.git"}, all...)...)
	var short []string
	for i, line := range strings.Split(table, "\n") {
		if i < 2 || strings.Contains(line, " new") || strings.Contains(line, "releas") ||
			strings.HasPrefix(line, "2 clusters") {
			short = append(short, strings.TrimRight(line, " "))
		}
	}
	shown["plan"] = strings.Join(short, "\n")
	shown["file diff.txt"] = sipgen(1, append([]string{"diff", "--repo", "fleet.git"}, all...)...)
	sipgen(0, append([]string{"publish", "--repo", "fleet.git", "--propose", "sipgen/two-tenants"}, all...)...)
	shown["commit"] = withoutVersion(git(t, "-C", "fleet.git", "log", "-1", "--format=%B", "sipgen/two-tenants"))
	shown["file pull-request.md"] = request(t)
	return shown
}

// request is the pull request's body, as a forge is given it.
func request(t *testing.T) string {
	t.Helper()
	in := cmdline.Inputs{Inputs: app.Inputs{Site: "site.yaml", Specs: []string{"tenants"}, Inventory: "hosts"}}
	quiet := &terminal.UI{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}
	loaded := need.Value(in.Load(context.Background(), quiet))(t)
	tip := need.Value(publish.Read(context.Background(), publish.Target{URL: "fleet.git", Branch: "main"}))(t)
	checked := need.Value(tree(quiet, loaded, app.Before{Where: "fleet.git main", Files: tip.Tree}, noTolerance))(t)
	meta := publish.Meta{When: time.Unix(0, 0)}
	meta.Trailers = need.Value(push.Trailers(loaded, release.Version()))(t)
	return withoutVersion(report.PullRequest(checked.Rendered.Compare(),
		push.About(loaded, publish.Diff(tip.Tree, checked.Rendered.Tree), meta, strings.Repeat("0", 40))))
}

var versionLine = regexp.MustCompile(`(?m)^.*(Sipgen-Version|0{40}).*\n?`)

// withoutVersion leaves out what is another one tomorrow.
func withoutVersion(text string) string { return versionLine.ReplaceAllString(text, "") }

func edit(t *testing.T, file, old, text string) {
	t.Helper()
	content := read(t, file)
	require.Truef(t, strings.Contains(content, old), "%s: no %q", file, old)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(content, old, text, 1)), 0o644))
}
