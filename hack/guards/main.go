// Command guards takes every marked guard out of the code, one at a time, and runs the tests that reach it, until one
// of them fails. A guard without which all tests pass is not tested: its name is printed.
//
//	go run ./hack/guards                          # all that need no engine
//	go run ./hack/guards -only 'publish|redact'   # those whose place or reason matches
//	go run ./hack/guards -tests 'render|golden'   # by the tests of packages that match, and no others
//	go run ./hack/guards -engines                 # those that only a test with a real engine notices, too
//	go run ./hack/guards -list                    # names them
//
// A mark is a comment on the line above the guard: a condition, an operand of && or ||, a case, a statement, or an
// element of a list (marks.go says how each is taken out).
//
//	//guard: a host without a uid is patched, and created where it is not there
//	if host.UID == "" {
//
// Nothing in the working tree changes: the compiler reads the changed files by way of -overlay. All guards are
// compiled at once, behind switches. Each test runs alone first, with every guard in its place, and notes which guards
// would change something in it: where a condition is true, for one that becomes false. Only these tests run without
// the guard.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("guards", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("only", "", "only guards whose place or reason matches `REGEXP`")
	engines := flags.Bool("engines", false, "also those that only a test with a real engine notices")
	list := flags.Bool("list", false, "print the guards and take none out")
	tests := flags.String("tests", "", "run only tests of packages whose folder matches `REGEXP`")
	parallel := flags.Int("parallel", 2, "how many are tried at a time")
	if flags.Parse(args) != nil {
		return 2
	}
	pattern, err := regexp.Compile(*only)
	within, wrong := regexp.Compile(*tests)
	if err = errors.Join(err, wrong); err != nil {
		fmt.Fprintln(stderr, "guards:", err)
		return 2
	}
	all, err := marked(ctx)
	if err != nil {
		fmt.Fprintln(stderr, "guards:", err)
		return 2
	}
	var chosen []guard
	for _, g := range all {
		if pattern.MatchString(g.String()) && (*engines || g.engine == "") {
			chosen = append(chosen, g)
		}
	}
	if *list {
		for i := range chosen {
			fmt.Fprintln(stdout, &chosen[i])
		}
		return 0
	}
	t, err := newTrial(ctx, chosen, *parallel)
	if err != nil {
		fmt.Fprintln(stderr, "guards:", err)
		return 2
	}
	defer os.RemoveAll(t.work)
	for folder, tests := range t.reach {
		t.reach[folder] = slices.DeleteFunc(tests, func(of string) bool { return !within.MatchString(of) })
	}
	tried, bad := t.tryAll(ctx, stdout)
	fmt.Fprintf(stdout, "%d guards, %d caught, %d not\n", tried, tried-bad, bad)
	if bad > 0 || tried < len(chosen) {
		return 1
	}
	return 0
}

// marked returns every guard in the Go files that git has, in the order of their names and lines.
func marked(ctx context.Context) ([]guard, error) {
	out, err := exec.CommandContext(ctx, "git", "ls-files", "-co", "--exclude-standard", "*.go").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	var found []guard
	var problems []error
	for _, name := range strings.Fields(string(out)) {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			continue
		}
		src, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, and not yet in the index
		}
		if err != nil {
			return nil, err
		}
		of, err := guards(name, src)
		problems = append(problems, err)
		found = append(found, of...)
	}
	return found, errors.Join(problems...)
}

// tryAll takes the guards out and prints what became of each; it counts them, and those that no test noticed.
func (t *trial) tryAll(ctx context.Context, stdout io.Writer) (tried, bad int) {
	var wait sync.WaitGroup
	var lock sync.Mutex
	next := make(chan *guard)
	for worker := range t.parallel {
		wait.Go(func() {
			for g := range next {
				verdict := t.try(ctx, g, worker)
				if ctx.Err() != nil {
					continue
				}
				lock.Lock()
				tried++
				if !verdict.caught {
					bad++
				}
				fmt.Fprintf(stdout, "%d/%d %s %s\n", tried, len(t.guards), verdict, g)
				lock.Unlock()
			}
		})
	}
	for i := range t.guards {
		if ctx.Err() == nil {
			next <- &t.guards[i]
		}
	}
	close(next)
	wait.Wait()
	return tried, bad
}
