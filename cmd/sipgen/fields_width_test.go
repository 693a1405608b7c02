package main

import (
	"io"
	"strings"
	"testing"

	"github.com/creack/pty"
	prettytext "github.com/jedib0t/go-pretty/v6/text"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
)

// TestFieldsFit: fields are as wide as the terminal that shows them.
func TestFieldsFit(t *testing.T) {
	screen, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = screen.Close() }()
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(screen) // ends in EIO when the other side is closed
		text <- string(all)
	}()
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	root := newRoot(&terminal.UI{Out: tty, Err: io.Discard})
	root.SetArgs([]string{"fields", "site.spec.hosts"})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	_ = tty.Close()
	for line := range strings.Lines(<-text) {
		if line = strings.TrimRight(line, "\r\n"); prettytext.StringWidth(line) > 80 {
			t.Errorf("found %q, want at most 80 columns", line)
		}
	}
}
