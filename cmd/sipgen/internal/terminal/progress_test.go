package terminal

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/airshipit/sipgen/hack/need"
)

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for _, pair := range pairs {
			if value, found := strings.CutPrefix(pair, name+"="); found {
				return value
			}
		}
		return ""
	}
}

// terminal is a real one; read gives what has come to its screen when it is closed.
func terminal(t *testing.T) (tty *os.File, read func() string) {
	t.Helper()
	screen, tty, err := pty.Open()
	need.OK(t, err)
	t.Cleanup(func() { screen.Close() })
	text := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, screen) // ends in EIO when the other side is closed
		text <- b.String()
	}()
	return tty, func() string {
		tty.Close()
		return <-text
	}
}

// A stage that takes long is shown, the inner one of two, and wiped before a line is printed and at the end.
func TestProgress(t *testing.T) {
	tty, read := terminal(t)
	ui := &UI{Out: io.Discard, Err: tty, progress: progressOn(tty, environment("TERM=xterm"), time.Millisecond)}
	shown := func(name string) {
		t.Helper()
		for begin := time.Now(); time.Since(begin) < 10*time.Second; time.Sleep(time.Millisecond) {
			ui.progress.mutex.Lock()
			line := ui.progress.shown
			ui.progress.mutex.Unlock()
			if strings.Contains(line, name) {
				return
			}
		}
		t.Fatalf("%s is not shown", name)
	}
	endOuter := ui.progress.stage("pushing")
	shown("pushing")
	endInner := ui.progress.stage("planning")
	shown("planning")
	ui.Say("a line")
	shown("planning")
	endInner()
	shown("pushing")
	// Somebody is asked: nothing is drawn over the question, however long the answer takes.
	ask, answer := io.Pipe()
	ui.In = ask
	answered := make(chan bool)
	go func() { answered <- ui.Confirm("go on?") }()
	time.Sleep(300 * time.Millisecond)
	if ui.progress.mutex.Lock(); ui.progress.shown != "" {
		t.Errorf("over the question is %q", ui.progress.shown)
	}
	ui.progress.mutex.Unlock()
	_, _ = io.WriteString(answer, "yes\n")
	if !<-answered {
		t.Error("yes is a no")
	}
	shown("pushing")
	endOuter()
	ui.Say("the last line")
	text := read()
	for _, line := range []string{"sipgen: a line", "sipgen: the last line"} {
		before, _, found := strings.Cut(text, line)
		// Behind a carriage return and blanks, or the sequence that erases the line.
		tail := before[strings.LastIndexAny(before, "\r\n")+1:]
		if !found || strings.Trim(strings.NewReplacer("\x1b[2K", "", "\x1b[K", "").Replace(tail), " ") != "" {
			t.Errorf("%q comes behind %q in\n%q", line, tail, text)
		}
	}
	if !strings.Contains(text, "sipgen: pushing") || !strings.HasSuffix(text, "sipgen: the last line\r\n") {
		t.Errorf("found %q", text)
	}
}

// A line that the terminal has no room for is cut: what wraps could not be wiped.
func TestProgressStaysOnOneLine(t *testing.T) {
	tty, read := terminal(t)
	need.OK(t, pty.Setsize(tty, &pty.Winsize{Rows: 5, Cols: 20}))
	p := progressOn(tty, environment("TERM=xterm"), time.Nanosecond)
	end := p.stage("publishing to https://git.example.org/fleet.git")
	for begin := time.Now(); time.Since(begin) < 10*time.Second; time.Sleep(time.Millisecond) {
		p.mutex.Lock()
		line := p.shown
		p.mutex.Unlock()
		if line != "" {
			break
		}
	}
	end()
	need.Equal(t, "", read(), wipe+"sipgen: publishing…"+wipe)
}

// What is quick is not shown, and neither is anything where nobody looks.
func TestNoProgress(t *testing.T) {
	for _, row := range []struct {
		why, env string
		after    time.Duration
		pipe     bool
	}{
		{"quick", "TERM=xterm", time.Hour, false},
		{"a terminal that knows no way back", "TERM=dumb", time.Nanosecond, false},
		{"a job", "CI=true", time.Nanosecond, false},
		{"a pipe", "TERM=xterm", time.Nanosecond, true},
	} {
		tty, read := terminal(t)
		if row.pipe {
			r, w, err := os.Pipe()
			need.OK(t, err)
			tty, read = w, func() string {
				w.Close()
				text, _ := io.ReadAll(r)
				return string(text)
			}
		}
		end := progressOn(tty, environment(row.env), row.after).stage("planning")
		time.Sleep(20 * time.Millisecond)
		end()
		need.Equal(t, row.why, read(), "")
	}
}

// TestMessagesFit: on a terminal a message is broken between words, and one with a command to copy is not. In CI nothing is.
func TestMessagesFit(t *testing.T) {
	const long, command = "a message of some length about metal3/server-1 and what to do", "run kubectl label host --overwrite a=b, which is longer than the terminal"
	const own = "what is left (sipgen publish --accept-lost-tree goes by the labels)"
	for _, row := range []struct{ why, env, want string }{
		{"a terminal", "TERM=xterm", "sipgen: a message of some length about\n  metal3/server-1 and what to do\nsipgen: " + command + "\nsipgen: " + own + "\n"},
		{"CI", "CI=true", "sipgen: " + long + "\nsipgen: " + command + "\nsipgen: " + own + "\n"},
	} {
		t.Run(row.why, func(t *testing.T) {
			tty, read := terminal(t)
			need.OK(t, pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 40}))
			ui := &UI{Out: io.Discard, Err: tty, progress: progressOn(tty, environment(row.env), time.Minute)}
			ui.Say(long)
			ui.Say(command)
			ui.Say(own)
			need.Equal(t, "", strings.ReplaceAll(read(), "\r\n", "\n"), row.want)
		})
	}
}
