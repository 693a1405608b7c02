package main

import (
	"bytes"
	"context"
	"testing"
	"time"
)

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
