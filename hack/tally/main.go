// Command tally runs commands one after another and counts the tests of those that are go test. What it prints is what
// go test prints; its last line is the sum:
//
//	tally -- bash hack/lint.sh -- go test ./... -- go test ./e2e/...
//	…
//	1234 passed, 0 failed, 2 skipped
//
// A command may begin with variables of its environment, as in a shell. Tally stops at the first command that fails,
// and its exit code is then 1. With CI=true in the environment a skipped test fails the run, too: there, what a test
// needs is installed.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/airshipit/sipgen/hack/need"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	commands := split(args)
	if len(commands) == 0 {
		fmt.Fprintln(stderr, "usage: tally -- COMMAND [-- COMMAND]…")
		return 2
	}
	sum := &tally{out: stdout, buffers: map[string]*strings.Builder{}}
	started := time.Now()
	for i, command := range commands {
		fmt.Fprintf(stdout, "%d of %d: %s\n", i+1, len(commands), abbreviate(command))
		if err := sum.command(ctx, command, stderr); err != nil {
			sum.failures = append(sum.failures, fmt.Sprintf("%s: %v", strings.Join(command, " "), err))
			for _, left := range commands[i+1:] {
				fmt.Fprintf(stdout, "not run: %s\n", strings.Join(left, " "))
			}
			break
		}
	}
	fmt.Fprintf(stdout, "took %s\n", time.Since(started).Round(time.Second))
	return sum.end()
}

// abbreviate returns a command with its first arguments.
func abbreviate(command []string) string {
	if len(command) > 6 {
		return strings.Join(command[:6], " ") + " …"
	}
	return strings.Join(command, " ")
}

// split returns the commands between the "--".
func split(args []string) [][]string {
	var commands [][]string
	for len(args) > 0 {
		next := slices.Index(args, "--")
		if next < 0 {
			next = len(args)
		}
		if next > 0 {
			commands = append(commands, args[:next])
		}
		args = args[min(next+1, len(args)):]
	}
	return commands
}

// tally is the sum so far.
type tally struct {
	out                     io.Writer
	passed, failed, skipped int
	// skips are the tests that were skipped, and why; failures what failed.
	skips, failures []string
	// buffers hold what running tests have printed, by package and name.
	buffers map[string]*strings.Builder
}

// command runs one command, and counts if it is go test. Its failure is an error.
func (s *tally) command(ctx context.Context, args []string, stderr io.Writer) error {
	environment := os.Environ()
	for len(args) > 1 && strings.Contains(args[0], "=") {
		environment, args = append(environment, args[0]), args[1:]
	}
	tests := len(args) > 1 && args[1] == "test"
	if tests {
		args = append([]string{args[0], "test", "-json"}, args[2:]...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env, cmd.Stderr = environment, stderr
	if !tests {
		cmd.Stdout = s.out
		err := cmd.Run()
		if err != nil {
			s.failed++
		}
		return err
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		s.failed++
		return err
	}
	before := s.failed
	s.read(pipe)
	err = cmd.Wait()
	if err != nil && s.failed == before { // it did not come to any test
		s.failed++
	}
	return err
}

// event is a line of go test -json; see go doc test2json.
type event struct{ Action, Package, ImportPath, Test, Output string }

func (s *tally) read(r io.Reader) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				_, _ = s.out.Write(line)
			} else {
				s.event(e)
			}
		}
		if err != nil {
			return
		}
	}
}

func (s *tally) event(e event) {
	name := e.Package + " " + e.Test
	if s.buffers[name] == nil {
		s.buffers[name] = &strings.Builder{}
	}
	said := s.buffers[name]
	switch e.Action {
	case "build-output":
		fmt.Fprint(s.out, e.Output)
	case "output":
		said.WriteString(e.Output)
		return // the buffer stays
	case "pass", "fail", "skip":
	default:
		return
	}
	delete(s.buffers, name)
	switch {
	case e.Test == "" && e.Action == "fail":
		s.packageFailed(e.Package, said.String())
	case e.Test == "" && e.Action != "build-output":
		// The line that go test prints of a package. What its tests print when they pass is left out.
		fmt.Fprint(s.out, lastLine(said.String()))
	case e.Action == "pass":
		s.passed++
	case e.Action == "fail":
		s.failed++
		s.failures = append(s.failures, name)
		fmt.Fprint(s.out, said.String())
	case e.Action == "skip":
		s.skipped++
		s.skips = append(s.skips, name+": "+reason(said.String()))
	}
}

// packageFailed is for a package that failed, by a test of it that is counted already, or by itself: it does not
// compile, a test ran out of time, or the program ended. A test that was running then has not ended, and what it said
// is all there is.
func (s *tally) packageFailed(name, said string) {
	counted := slices.ContainsFunc(s.failures, func(f string) bool { return strings.HasPrefix(f, name+" ") })
	for test, text := range s.buffers {
		if strings.HasPrefix(test, name+" ") && text.Len() > 0 {
			fmt.Fprint(s.out, text.String())
			delete(s.buffers, test)
		}
	}
	if !counted {
		s.failed++
		s.failures = append(s.failures, name)
	}
	fmt.Fprint(s.out, said)
}

// end prints what failed and what was skipped, and then the sum. It gives the exit code.
func (s *tally) end() int {
	for _, skip := range s.skips {
		fmt.Fprintf(s.out, "skipped: %s\n", skip)
	}
	for _, failure := range s.failures {
		fmt.Fprintf(s.out, "failed: %s\n", failure)
	}
	if s.skipped > 0 && need.CI() {
		fmt.Fprintln(s.out, "with CI=true nothing may be skipped")
	}
	fmt.Fprintf(s.out, "%d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped)
	if s.failed > 0 || s.skipped > 0 && need.CI() {
		return 1
	}
	return 0
}

func lastLine(text string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	if line := lines[len(lines)-1]; line != "" {
		return line + "\n"
	}
	return ""
}

// reason returns what a test said before it was skipped.
func reason(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			return line
		}
	}
	return "no reason given"
}
