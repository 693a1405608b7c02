package need

import (
	"errors"
	"fmt"
	"net"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// told is a test that only remembers how it was ended.
type told struct {
	testing.TB
	how, words string
}

func (t *told) Helper()                           {}
func (t *told) Name() string                      { return "told" }
func (t *told) Fatalf(format string, args ...any) { t.end("failed", format, args) }
func (t *told) Skipf(format string, args ...any)  { t.end("skipped", format, args) }

func (t *told) Fatal(args ...any)              { t.end("failed", "%v", args) }
func (t *told) Errorf(format string, _ ...any) { t.how = "failed" }
func (t *told) FailNow()                       { runtime.Goexit() }

// end ends the goroutine, as the real ones do.
func (t *told) end(how, format string, args []any) {
	t.how, t.words = how+": ", fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// ending is how a test ends that does one thing, and with which words.
func ending(do func(testing.TB)) string {
	child, ended := &told{}, make(chan struct{})
	go func() {
		defer close(ended)
		do(child)
	}()
	<-ended
	return child.how + child.words
}

func TestMissing(t *testing.T) {
	for ci, want := range map[string]string{
		"false": "skipped: NOT TESTED: no sshd: apt install openssh-server",
		"true":  "failed: with CI=true nothing may be missing: no sshd: apt install openssh-server",
	} {
		t.Setenv("CI", ci)
		assert.Equal(t, want, ending(func(t testing.TB) {
			Missing(t, "no %s: apt install %s", "sshd",
				"openssh-server")
		}), ci)
	}
}

// TestEachWantFails: what is wanted and not found fails a test, and what is found does not.
func TestEachWantFails(t *testing.T) {
	broken := errors.New("it is broken")
	for why, row := range map[string]struct{ good, bad func(testing.TB) }{
		"another error": {func(t testing.TB) { Error(t, "", broken, "broken") },
			func(t testing.TB) { Error(t, "", broken, "lost") }},
		"no error": {func(t testing.TB) { Error(t, "", nil, "") },
			func(t testing.TB) { Error(t, "", nil, "broken") }},
		"an error": {func(t testing.TB) { Error(t, "", nil, "") },
			func(t testing.TB) { Error(t, "", broken, "") }},
		"a missing file": {func(t testing.TB) { Read(t, "need.go") }, func(t testing.TB) { Read(t, "none.go") }},
		"a program fails": {func(t testing.TB) { Output(t, exec.Command("true")) },
			func(t testing.TB) { Output(t, exec.Command("false")) }},
	} {
		if good, bad := ending(row.good), ending(row.bad); good != "" || !strings.HasPrefix(bad, "failed") {
			t.Errorf("%s: found %q and %q", why, good, bad)
		}
	}
}

// TestPort: no two of a process are the same, and none is of another process whose number leads to the same part.
func TestPort(t *testing.T) {
	seen := map[int]bool{}
	for _, port := range Ports(t, 100) {
		assert.Truef(t, port > ports.part && port < ports.part+portsOfOne && !seen[port], "%d of %d", port, ports.part)
		seen[port] = true
	}
	assert.ErrorContains(t, Err(listen(ports.part)), "in use")

	for range 100 {
		first := Range(t, 7)
		assert.Truef(t, first > ports.part && first+6 < ports.part+portsOfOne, "%d of %d", first, ports.part)
	}
	address := Loopback(t, "11.3")
	assert.Regexp(t, `^127\.[1-9]\d?\.11\.3$`, address)

	held, part := ports.held, ports.part
	t.Cleanup(func() { ports.held.Close(); ports.held, ports.part = held, part })
	ports.held = nil // as in that other process
	assert.False(t, seen[Port(t)])
	assert.NotEqual(t, part, ports.part)
	assert.NotEqual(t, address, Loopback(t, "11.3"))
	assert.ErrorContains(t, Err(net.Dial("tcp", Unheard)), "refused")
}
