package need

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// told is a test that only remembers how it was ended.
type told struct {
	testing.TB
	how, words string
}

func (t *told) Helper()                           {}
func (t *told) Fatalf(format string, args ...any) { t.end("failed", format, args) }
func (t *told) Skipf(format string, args ...any)  { t.end("skipped", format, args) }

// end ends the goroutine, as the real ones do.
func (t *told) end(how, format string, args []any) {
	t.how, t.words = how, fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestMissing(t *testing.T) {
	for ci, want := range map[string]string{
		"":      "skipped: NOT TESTED: no sshd: apt install openssh-server",
		"false": "skipped: NOT TESTED: no sshd: apt install openssh-server",
		"true":  "failed: with CI=true nothing may be missing: no sshd: apt install openssh-server",
	} {
		t.Setenv("CI", ci)
		child := &told{}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			Missing(child, "no %s: apt install %s", "sshd", "openssh-server")
		}()
		<-ended
		if got := child.how + ": " + child.words; got != want {
			t.Errorf("CI=%q: found %s, want %s", ci, got, want)
		}
	}
}

// TestProgram: a program that is installed after it was looked for stays missing, and one that is removed stays found.
func TestProgram(t *testing.T) {
	t.Setenv("CI", "")
	t.Setenv("PATH", t.TempDir())
	file := filepath.Join(os.Getenv("PATH"), "need-a-program")
	look := func(name string) (path string) {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			path = Program(&told{}, name, "package")
		}()
		<-ended
		return path
	}
	if path := look("need-a-program"); path != "" {
		t.Errorf("found %s", path)
	}
	for _, name := range []string{file, file + "-too"} {
		if err := os.WriteFile(name, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if path := look("need-a-program"); path != "" {
		t.Errorf("found %s, which was installed since", path)
	}
	if path := look("need-a-program-too"); path != file+"-too" {
		t.Errorf("found %q, want %s", path, file+"-too")
	}
}
