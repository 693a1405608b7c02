package main

import (
	"bytes"
	"context"
	"os"
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
