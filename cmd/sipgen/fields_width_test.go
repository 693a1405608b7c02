package main

import (
	"io"
	"strings"
	"testing"

	"github.com/creack/pty"
	prettytext "github.com/jedib0t/go-pretty/v6/text"
)

// TestFieldsFit: fields are as wide as the terminal that shows them.
func TestFieldsFit(t *testing.T) {
	tty, read := terminal(t)
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	root := newRoot(&ui{out: tty, err: io.Discard, progress: &progress{}})
	root.SetArgs([]string{"fields", "site.spec.hosts"})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(read()) {
		if line = strings.TrimRight(line, "\r\n"); prettytext.StringWidth(line) > 80 {
			t.Errorf("found %q, want at most 80 columns", line)
		}
	}
}
