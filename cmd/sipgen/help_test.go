package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHelpFitsATerminal: no line of any command's help is wider than helpColumns, and no flag is lost by the wrapping.
func TestHelpFitsATerminal(t *testing.T) {
	t.Parallel()
	commands := newRoot(&terminal.UI{}).Commands()
	code, options, said := ran(t, "options")
	require.Truef(t, code == exitDone, "options: exit code %d\n%s%s", code, options, said)
	for i := -1; i < len(commands); i++ {
		args := []string{"--help"}
		if i >= 0 {
			args = append([]string{commands[i].Name()}, args...)
		}
		code, out, said := ran(t, args...)
		require.Truef(t, code == exitDone && said == "", "%v: exit code %d\n%s", args, code, said)
		for line := range strings.Lines(out) {
			n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))
			assert.Truef(t, n <= helpColumns, "%v: %d columns: %s", args, n, line)
		}
		if i < 0 {
			continue
		}
		words := strings.Join(strings.Fields(out+options), " ")
		for _, word := range strings.Fields(commands[i].LocalFlags().FlagUsages()) {
			assert.Contains(t, words, word, args)
		}
	}
}

// TestManPages: every command has a page with its flags, of the date that is given, and the same again.
func TestManPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1767323045")
	pages := func() map[string]string {
		dir := filepath.Join(t.TempDir(), "man")
		code, _, said := ran(t, "man", dir)
		require.Truef(t, code == exitDone, "exit code %d: %s", code, said)
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
		if !strings.Contains(page, "Jan 2026") || !strings.Contains(page, ".SH SYNOPSIS") ||
			command.Flags().HasFlags() && !strings.Contains(page, ".SH OPTIONS") {
			t.Errorf("%s: %.300s", command.Name(), page)
		}
	}
	assert.Equal(t, first, second, "another run")
	assert.Truef(t, len(first) >= 15 && first["sipgen.1"] != "", "%d pages", len(first))
}

// TestPlugin: called as kubectl calls its plugins, the help says what a person types.
func TestPlugin(t *testing.T) {
	for name, want := range map[string]bool{"kubectl-sipgen": true, "/opt/krew/bin/kubectl-sipgen": true,
		"sipgen": false, "/usr/bin/kubectl-x/sipgen": false} {
		assert.Truef(t, plugin(name) == want, "%s: found %v", name, !want)
	}
	args := os.Args
	defer func() { os.Args = args }()
	os.Args = []string{"/opt/bin/kubectl-sipgen"}
	_, out, said := ran(t, "plan", "--help")
	assert.Contains(t, out, "kubectl sipgen plan [CLUSTER]", said)
}

func TestWithoutFormulas(t *testing.T) {
	got := withoutFormulas([][]string{{"=1+2", "+1", "-1", "@a", "\ta", "\ra", "a=1", "", "m/h", "2-1"}})
	want := []string{"'=1+2", "'+1", "'-1", "'@a", "'\ta", "'\ra", "a=1", "", "m/h", "2-1"}
	assert.Truef(t, slices.Equal(got[0], want), "got %q, want %q", got[0], want)
}

// A full disk below stdout is an error of every command, whatever it prints: who keeps the output would take a part of
// it for the whole. A command that has written and cannot say so has done its work: code 2 is for a run that has
// written nothing.
func TestOutputIsIncomplete(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		need.Missing(t, "a device that is always full: %v", err)
	}
	defer full.Close()
	t.Setenv("GIT_AUTHOR_NAME", "Ada")
	t.Setenv("GIT_AUTHOR_EMAIL", "ada@example.org")
	dir, example := t.TempDir(), "../../examples/two-tenants/"
	repo := filepath.Join(dir, "fleet.git")
	site := filepath.Join(dir, "begun", "site.yaml")
	inputs := []string{"--site", example + "site.yaml", "-f", example + "tenants", "--inventory", example + "hosts",
		"--repo", repo}
	publishes := append([]string{"publish"}, inputs...)
	const cause = "the output is incomplete: write /dev/full: no space left on device\n"
	for _, row := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"init", "--inventory", example + "hosts", "--repo", repo, filepath.Dir(site)}, exitFinding,
			"sipgen: " + site + " is written, but " + cause},
		{append(slices.Clone(publishes), "--dry-run"), exitDone, "nothing is pushed\n"},
		{publishes, exitFinding, "TIP is pushed, but " + cause},
		{publishes, exitDone, "nothing to commit"},
		{append([]string{"plan"}, inputs...), exitError, "sipgen: " + cause},
		{append([]string{"plan", "-o", "json"}, inputs...), exitError, "sipgen: " + cause},
		{[]string{"--help"}, exitError, "sipgen: " + cause},
	} {
		var stderr bytes.Buffer
		code := run(t.Context(), row.args, strings.NewReader(""), full, &stderr)
		tip := need.Value(exec.Command("git", "-C", repo, "rev-parse", "main").Output())(t)
		want := strings.Replace(row.want, "TIP", strings.TrimSpace(string(tip)), 1)
		assert.Truef(t, code == row.code && strings.Contains(stderr.String(), want),
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
		assert.Truef(t, code == row.code && stderr.String() == row.said, "%s: exit %d, said %q", row.why, code, &stderr)
	}
}
