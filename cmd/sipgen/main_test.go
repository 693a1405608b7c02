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

	"github.com/airshipit/sipgen/hack/need"
)

// A full disk below stdout is an error of every command, whatever it prints: who keeps the output would take a part of it for the whole.
func TestOutputIsIncomplete(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		need.Missing(t, "a device that is always full: %v", err)
	}
	defer func() { _ = full.Close() }()
	in := []string{"--site", "../../examples/two-tenants/site.yaml", "-f", "../../examples/two-tenants/tenants", "--inventory", "../../examples/two-tenants/hosts"}
	previous := append(slices.Clone(in), "--previous", "none")
	for _, args := range [][]string{
		append([]string{"plan"}, previous...), append([]string{"plan", "-o", "wide"}, previous...), append([]string{"plan", "-o", "json"}, previous...),
		append([]string{"tenants"}, previous...), {"version"}, {"--help"}, {"fields", "site"},
	} {
		var stderr bytes.Buffer
		if code := run(t.Context(), args, strings.NewReader(""), full, &stderr); code != exitError ||
			!strings.Contains(stderr.String(), "sipgen: the output is incomplete: write /dev/full: no space left on device\n") || strings.Contains(stderr.String(), "hint") {
			t.Errorf("%v: exit %d, said %q", args, code, &stderr)
		}
	}
}

// A command that has written and cannot say so has done its work: code 2 is for a run that has written nothing.
func TestOutputIsIncompleteAfterAWrite(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		need.Missing(t, "a device that is always full: %v", err)
	}
	defer func() { _ = full.Close() }()
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
		tip, err := exec.Command("git", "-C", repo, "rev-parse", "main").Output()
		check(t, err)
		want := strings.Replace(row.want, "TIP", strings.TrimSpace(string(tip)), 1)
		if code != row.code || !strings.Contains(stderr.String(), want) {
			t.Errorf("%v: exit %d, said %q, want %d, %q", row.args, code, &stderr, row.code, want)
		}
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
		if code != row.code || stderr.String() != row.said {
			t.Errorf("%s: exit %d, said %q", row.why, code, &stderr)
		}
	}
}
