// Command mutants takes every guard in the tables of this folder out of the code, one at a time, and runs the tests that
// must notice. A guard whose tests pass without it is not tested.
//
//	go run ./hack/mutants                  # all of them
//	go run ./hack/mutants -only flux.go    # those whose file or reason matches a regular expression
//	go run ./hack/mutants -engines=false   # those that need no engine
//	go run ./hack/mutants -rows FluxRows   # those with such rows, and no other rows of theirs
//	go run ./hack/mutants -baseline=false  # without the run with every guard in its place, where one was just seen green
//	go run ./hack/mutants -v               # and what the tests say without each guard: is it what the guard is for?
//
// Nothing in the working tree changes: the compiler reads the changed file by way of -overlay.
package main

import (
	"cmp"
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

// engines says whether the rows run real engines.
func (r rows) engines() bool { return r.folder == "e2e" || strings.HasPrefix(r.folder, "e2e/") }

func (m *mutant) String() string { return m.file + ": " + m.why }

// table is every guard.
func table() []mutant {
	return slices.Concat(reviewGuards, lifeGuards, rowGuards, capiGuards, hostGuards, fluxGuards, argoGuards, treeGuards, policyGuards, serviceGuards, patchGuards, placementGuards, tenantGuards, tenantMistakeGuards,
		runGuards, preflightGuards, publishGuards, statusGuards, inputGuards, inventoryGuards, sipGuards, siteGuards, siteServiceGuards, ledgerGuards, secretGuards, watchGuards, waveGuards, accountGuards, mistakeGuards, networkGuards)
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
	rowsOnly := flags.String("rows", "", "only rows that match `REGEXP`, and mutants that have some")
	first := flags.Bool("baseline", true, "run the rows with every guard in its place first")
	parallel := flags.Int("parallel", 2, "how many run at a time")
	verbose := flags.Bool("v", false, "print what the first row of each says without the guard")
	if flags.Parse(args) != nil {
		return 2
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(stderr, "mutants: -only:", err)
		return 2
	}
	rowPattern, err := regexp.Compile(*rowsOnly)
	if err != nil {
		fmt.Fprintln(stderr, "mutants: -rows:", err)
		return 2
	}
	chosen := slices.DeleteFunc(withRows(table(), rowPattern), func(m mutant) bool {
		return len(m.rows.names) == 0 || !pattern.MatchString(m.String()) || m.rows.engines() && !*engines
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
	if *first {
		if err := baseline(ctx, chosen, stderr); err != nil {
			fmt.Fprintln(stderr, "mutants: without any mutant:", err)
			return 2
		}
	}
	// Those with engines come last: what fails is seen early.
	slices.SortStableFunc(chosen, func(a, b mutant) int { return cmp.Compare(weight(a), weight(b)) })
	outcomes := all(ctx, work, chosen, *parallel, *verbose, stderr)
	return summary(stdout, chosen, outcomes, time.Since(started))
}

// withRows leaves in each mutant the rows that match.
func withRows(table []mutant, pattern *regexp.Regexp) []mutant {
	for i := range table {
		table[i].rows.names = slices.DeleteFunc(slices.Clone(table[i].rows.names), func(name string) bool { return !pattern.MatchString(name) })
	}
	return table
}

func weight(m mutant) int {
	if m.rows.engines() {
		return 1
	}
	return 0
}

// all tries the mutants in their order, some of them side by side.
func all(ctx context.Context, work string, chosen []mutant, parallel int, verbose bool, log io.Writer) []outcome {
	outcomes := make([]outcome, len(chosen))
	var (
		mu      sync.Mutex
		waiting sync.WaitGroup
		done    int
	)
	slots := make(chan struct{}, max(1, parallel))
	for i := range chosen {
		slots <- struct{}{}
		waiting.Go(func() {
			defer func() { <-slots }()
			began := time.Now()
			outcomes[i] = chosen[i].try(ctx, fmt.Sprintf("%s/%d", work, i))
			mu.Lock()
			defer mu.Unlock()
			done++
			fmt.Fprintf(log, "%3d/%d %-9s %5.1fs  %s\n", done, len(chosen), outcomes[i].word, time.Since(began).Seconds(), chosen[i].String())
			if verbose && outcomes[i].word == wordCaught {
				fmt.Fprintf(log, "        %s\n", outcomes[i].detail)
			}
		})
	}
	waiting.Wait()
	return outcomes
}

// summary prints what was not caught, and the counts as the last line. It gives the exit code.
func summary(w io.Writer, chosen []mutant, outcomes []outcome, took time.Duration) int {
	count := map[string]int{}
	for i, o := range outcomes {
		count[o.word]++
		if o.word != wordCaught {
			fmt.Fprintf(w, "\n%s: %s\n  rows: %s %s\n  %s\n", o.word, chosen[i].String(), chosen[i].rows.folder,
				strings.Join(chosen[i].rows.names, ", "), strings.ReplaceAll(o.detail, "\n", "\n  "))
		}
	}
	fmt.Fprintf(w, "%d mutants, %d caught, %d survived, %d invalid, in %s\n", len(chosen), count[wordCaught], count[wordSurvived], count[wordInvalid], took.Round(time.Second))
	if count[wordCaught] < len(chosen) {
		return 1
	}
	return 0
}
