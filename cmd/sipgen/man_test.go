package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
)

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
