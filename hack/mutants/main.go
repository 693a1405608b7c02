// Command mutants takes every guard in the tables of this folder out of the code, one at a time, and runs the tests that
// must notice. A guard whose tests pass without it is not tested.
//
//	go run ./hack/mutants                  # all of them
//	go run ./hack/mutants -only flux.go    # those whose file or reason matches a regular expression
//	go run ./hack/mutants -engines=false   # those that need no engine
//
// Nothing in the working tree changes: the compiler reads the changed file by way of -overlay.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// mutant is one guard, and how it is taken out.
type mutant struct {
	// file that has the guard, from the root of the module.
	file string
	// old is the text of the guard, once in the file; new is what stands there without the guard.
	old, new string
	// rows are the tests that must fail, all of them.
	rows rows
	// why says what would happen without the guard.
	why string
}

// rows are tests of one package, by the names that go test prints: "TestCheck/force_that_is_off".
type rows struct {
	folder string
	names  []string
}

func in(folder string, names ...string) rows { return rows{folder, names} }

// engines says whether the rows run real engines. One such mutant runs at a time.
func (r rows) engines() bool { return r.folder == "e2e" || strings.HasPrefix(r.folder, "e2e/") }

func (m *mutant) String() string { return m.file + ": " + m.why }

// table is every guard.
func table() []mutant {
	return slices.Concat(hostGuards, fluxGuards, argoGuards, policyGuards, serviceGuards, claimGuards, preflightGuards, publishGuards, inputGuards)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("only", "", "only mutants whose file or reason matches `REGEXP`")
	engines := flags.Bool("engines", true, "also those that only a real engine can tell")
	parallel := flags.Int("parallel", 2, "how many run at a time, of those without engines")
	if flags.Parse(args) != nil {
		return 2
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(stderr, "mutants: -only:", err)
		return 2
	}
	chosen := slices.DeleteFunc(table(), func(m mutant) bool {
		return !pattern.MatchString(m.String()) || m.rows.engines() && !*engines
	})
	if len(chosen) == 0 {
		fmt.Fprintln(stderr, "mutants: none chosen")
		return 2
	}
	work, err := os.MkdirTemp("", "sipgen-mutants-")
	if err != nil {
		fmt.Fprintln(stderr, "mutants:", err)
		return 2
	}
	defer func() { _ = os.RemoveAll(work) }()
	started := time.Now()
	// A row that fails with the guard in its place says nothing about the guard.
	if err := baseline(ctx, chosen, stderr); err != nil {
		fmt.Fprintln(stderr, "mutants: without any mutant:", err)
		return 2
	}
	outcomes := all(ctx, work, chosen, *parallel, stderr)
	return summary(stdout, chosen, outcomes, time.Since(started))
}

// all tries the mutants: those without engines side by side, then the others one after another.
func all(ctx context.Context, work string, chosen []mutant, parallel int, log io.Writer) []outcome {
	outcomes := make([]outcome, len(chosen))
	var mu sync.Mutex
	one := func(i int) {
		began := time.Now()
		outcomes[i] = chosen[i].try(ctx, fmt.Sprintf("%s/%d", work, i))
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(log, "%-9s %5.1fs  %s\n", outcomes[i].word, time.Since(began).Seconds(), chosen[i].String())
	}
	var waiting sync.WaitGroup
	slots := make(chan struct{}, max(1, parallel))
	for i := range chosen {
		if chosen[i].rows.engines() {
			continue
		}
		slots <- struct{}{}
		waiting.Go(func() {
			defer func() { <-slots }()
			one(i)
		})
	}
	waiting.Wait()
	for i := range chosen {
		if chosen[i].rows.engines() {
			one(i)
		}
	}
	return outcomes
}

// summary prints the table, and what is wrong at its end. It gives the exit code.
func summary(w io.Writer, chosen []mutant, outcomes []outcome, took time.Duration) int {
	caught := 0
	fmt.Fprintf(w, "\n%-9s  %-34s  %s\n", "outcome", "guard in", "without it")
	for i, o := range outcomes {
		fmt.Fprintf(w, "%-9s  %-34s  %s\n", o.word, chosen[i].file, chosen[i].why)
		if o.word == wordCaught {
			caught++
		}
	}
	for i, o := range outcomes {
		if o.word != wordCaught {
			fmt.Fprintf(w, "\n%s: %s\n  rows: %s %s\n  %s\n", o.word, chosen[i].String(), chosen[i].rows.folder,
				strings.Join(chosen[i].rows.names, ", "), strings.ReplaceAll(o.detail, "\n", "\n  "))
		}
	}
	fmt.Fprintf(w, "\n%d mutants, %d caught, %d not, in %s\n", len(chosen), caught, len(chosen)-caught, took.Round(time.Second))
	if caught < len(chosen) {
		return 1
	}
	return 0
}
