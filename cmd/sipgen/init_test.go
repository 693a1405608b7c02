//go:build unix

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestInitAsksAgain: a wrong answer is said at once, and its question asked again; the right answers that were given are kept.
func TestInitAsksAgain(t *testing.T) {
	hosts, err := filepath.Abs(filepath.Join("..", "..", "examples", "two-tenants", "hosts"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	screen, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = screen.Close(), tty.Close() }()
	answers := []string{"nohosts", hosts, "nonsense", "https://git.example.org/fleet.git"}
	shown := make(chan string, 1)
	go func() {
		var all strings.Builder
		buffer, given := make([]byte, 4096), 0
		for {
			n, err := screen.Read(buffer)
			all.Write(buffer[:n])
			asked := strings.Count(all.String(), "Where are the hosts") + strings.Count(all.String(), "Which git repository")
			for given < asked && given < len(answers) {
				_, _ = io.WriteString(screen, answers[given]+"\n")
				given++
			}
			if err != nil {
				shown <- all.String()
				return
			}
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	code := run(ctx, []string{"init", dir}, tty, io.Discard, tty)
	_ = tty.Close()
	_ = screen.Close()
	all := <-shown
	if code != exitDone || strings.Count(all, "Where are the hosts") != 2 || strings.Count(all, "Which git repository") != 2 ||
		!strings.Contains(all, "sipgen: nohosts: no such file or directory") || !strings.Contains(all, `sipgen: --repo: found "nonsense", want `) {
		t.Errorf("exit %d:\n%s", code, all)
	}
	if site, err := os.ReadFile(filepath.Join(dir, "site.yaml")); err != nil || !strings.Contains(string(site), "url: https://git.example.org/fleet.git") {
		t.Errorf("%v\n%s", err, site)
	}
}
