package terminal

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func environment(pair string) func(string) string {
	key, value, _ := strings.Cut(pair, "=")
	return func(name string) string { return map[string]string{key: value}[name] }
}

// terminal is a real one; read gives what has come to its screen when it is closed.
func terminal(t *testing.T) (tty *os.File, read func() string) {
	t.Helper()
	screen, tty, err := pty.Open()
	require.NoError(t, err)
	t.Cleanup(func() { screen.Close() })
	text := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, screen) // ends in EIO when the other side is closed
		text <- b.String()
	}()
	return tty, func() string { tty.Close(); return <-text }
}

// TestStages: a stage that takes long is printed, but not over a question. A quick one is not printed, and neither is
// anything where nobody looks.
func TestStages(t *testing.T) {
	for _, row := range []struct {
		why, env string
		takes    time.Duration
		want     string
	}{
		{"long", "TERM=xterm", quickEnough, "sipgen: go on? [y/N] sipgen: pushing ...\n"},
		{"quick", "TERM=xterm", quickEnough - 1, "sipgen: go on? [y/N] "},
		{"a job", "CI=true", quickEnough, "sipgen: go on? [y/N] "},
	} {
		t.Run(row.why, func(t *testing.T) {
			tty, read := terminal(t)
			synctest.Test(t, func(t *testing.T) { // a clock that a busy machine does not make late
				ask, answer := io.Pipe()
				ui := New(ask, io.Discard, tty, environment(row.env))
				end := ui.Stage("pushing")
				time.AfterFunc(row.takes, func() { _, _ = io.WriteString(answer, "yes\n") })
				assert.Truef(t, ui.Confirm("go on?"), "yes is a no")
				synctest.Wait() // what waited for the answer prints
				end()
				time.Sleep(quickEnough)
			})
			assert.Equal(t, row.want, strings.ReplaceAll(read(), "\r\n", "\n"))
		})
	}
}

// TestMessagesFit: on a terminal a message is broken between words, and one with a command to copy is not. In CI
// nothing is.
func TestMessagesFit(t *testing.T) {
	const long, command = "a message of some length about metal3/server-1 and what to do", "run kubectl label host --overwrite a=b, which is longer than the terminal"
	const own = "what is left (sipgen publish --accept-lost-tree goes by the labels)"
	for _, row := range []struct{ why, env, want string }{
		{"a terminal", "TERM=xterm", "sipgen: a message of some length about\n  metal3/server-1 and what to do\nsipgen: " + command + "\nsipgen: " + own + "\n"},
		{"CI", "CI=true", "sipgen: " + long + "\nsipgen: " + command + "\nsipgen: " + own + "\n"},
	} {
		t.Run(row.why, func(t *testing.T) {
			tty, read := terminal(t)
			require.NoError(t, pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 40}))
			ui := New(nil, io.Discard, tty, environment(row.env))
			ui.Say(long)
			ui.Say(command)
			ui.Say(own)
			assert.Equal(t, row.want, strings.ReplaceAll(read(), "\r\n", "\n"))
		})
	}
}
