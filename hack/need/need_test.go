package need

import (
	"fmt"
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
