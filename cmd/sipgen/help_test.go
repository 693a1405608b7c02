package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/creack/pty"
	prettytext "github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/pflag"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
)

// TestHelpFitsATerminal: no line of any command's help is wider than helpColumns, and no flag is lost by the wrapping.
func TestHelpFitsATerminal(t *testing.T) {
	t.Parallel()
	commands := newRoot(&terminal.UI{}).Commands()
	var options bytes.Buffer
	if code := run(context.Background(), []string{"options"}, strings.NewReader(""), &options, &options); code != exitDone {
		t.Fatalf("options: exit code %d\n%s", code, &options)
	}
	for i := -1; i < len(commands); i++ {
		args := []string{"--help"}
		if i >= 0 {
			args = append([]string{commands[i].Name()}, args...)
		}
		var out, errOut bytes.Buffer
		if code := run(context.Background(), args, strings.NewReader(""), &out, &errOut); code != exitDone || errOut.Len() > 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, errOut.String())
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpColumns {
				t.Errorf("%v: %d columns: %s", args, n, line)
			}
		}
		if i < 0 {
			continue
		}
		var words strings.Builder
		words.WriteString(strings.Join(strings.Fields(out.String()), " "))
		words.WriteString(strings.Join(strings.Fields(options.String()), " "))
		for _, word := range strings.Fields(commands[i].LocalFlags().FlagUsages()) {
			if !strings.Contains(words.String(), word) {
				t.Errorf("%v: %q of the flags is lost", args, word)
			}
		}
	}
}

// TestHelpOnANarrowTerminal: paragraphs and the list of commands fit, no word is lost, and commands to copy stay whole.
func TestHelpOnANarrowTerminal(t *testing.T) {
	root := newRoot(&terminal.UI{})
	for _, command := range append(root.Commands(), root) {
		whole := command.Long + "\n\nAvailable Commands:\n  takeover    Convert the specs of the SIP operator, and report the changes for its services\n\nExamples:\n" + command.Example + "\n"
		narrow := narrowed(whole, 60)
		if !slices.Equal(strings.Fields(narrow), strings.Fields(whole)) || !strings.Contains(narrow, "Examples:\n"+command.Example) {
			t.Errorf("%s: found\n%s", command.Name(), narrow)
		}
		before, _, _ := strings.Cut(narrow, "Examples:")
		for line := range strings.Lines(before) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 60 {
				t.Errorf("%s: %s", command.Name(), line)
			}
		}
		if !strings.Contains(narrow, "SIP operator, and\n              report the") {
			t.Errorf("the list of commands:\n%s", narrow)
		}
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
		if n > 20 {
			t.Errorf("%s: %d flags of its own, want at most 20", command.Name(), n)
		}
	}
}

// TestManPages: every command has a page with its flags, of the date that is given, and the same again.
func TestManPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1767323045")
	pages := func() map[string]string {
		dir := filepath.Join(t.TempDir(), "man")
		var out, errOut bytes.Buffer
		if code := run(context.Background(), []string{"man", dir}, strings.NewReader(""), &out, &errOut); code != exitDone {
			t.Fatalf("exit code %d: %s", code, errOut.String())
		}
		found, err := filepath.Glob(filepath.Join(dir, "*.1"))
		check(t, err)
		content := map[string]string{}
		for _, file := range found {
			text, err := os.ReadFile(file)
			check(t, err)
			content[filepath.Base(file)] = string(text)
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
	for name, page := range first {
		if second[name] != page {
			t.Errorf("%s: another run, other bytes", name)
		}
	}
	if len(first) < 15 || first["sipgen.1"] == "" {
		t.Errorf("%d pages", len(first))
	}
}

// TestPlugin: called as kubectl calls its plugins, the help says what a person types.
func TestPlugin(t *testing.T) {
	for name, want := range map[string]bool{"kubectl-sipgen": true, "/opt/krew/bin/kubectl-sipgen": true, "sipgen": false, "/usr/bin/kubectl-x/sipgen": false} {
		if plugin(name) != want {
			t.Errorf("%s: found %v", name, !want)
		}
	}
	args := os.Args
	defer func() { os.Args = args }()
	os.Args = []string{"/opt/bin/kubectl-sipgen"}
	var out, errOut bytes.Buffer
	run(context.Background(), []string{"plan", "--help"}, strings.NewReader(""), &out, &errOut)
	if !strings.Contains(out.String(), "kubectl sipgen plan [CLUSTER]") {
		t.Errorf("help:\n%s%s", out.String(), errOut.String())
	}
}

// TestFieldsFit: fields are as wide as the terminal that shows them.
func TestFieldsFit(t *testing.T) {
	screen, tty, err := pty.Open()
	check(t, err)
	defer func() { _ = screen.Close() }()
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(screen) // ends in EIO when the other side is closed
		text <- string(all)
	}()
	check(t, pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}))
	root := newRoot(&terminal.UI{Out: tty, Err: io.Discard})
	root.SetArgs([]string{"fields", "site.spec.hosts"})
	check(t, root.Execute())
	_ = tty.Close()
	for line := range strings.Lines(<-text) {
		if line = strings.TrimRight(line, "\r\n"); prettytext.StringWidth(line) > 80 {
			t.Errorf("found %q, want at most 80 columns", line)
		}
	}
}

func TestWithoutFormulas(t *testing.T) {
	got := withoutFormulas([][]string{{"=1+2", "+1", "-1", "@a", "\ta", "\ra", "a=1", "", "m/h", "2-1"}})
	if want := []string{"'=1+2", "'+1", "'-1", "'@a", "'\ta", "'\ra", "a=1", "", "m/h", "2-1"}; !slices.Equal(got[0], want) {
		t.Errorf("got %q, want %q", got[0], want)
	}
}
