// Command sipgen turns SIPCluster specs and a bare-metal inventory into a git tree that Flux or
// Argo CD applies.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/garbage"
)

// The exit codes of every command.
const (
	exitDone    = 0 // done, without findings
	exitFinding = 1 // differences, an unschedulable cluster, lint problems
	exitError   = 2 // bad input, I/O, refused
)

func main() {
	garbage.CollectLate()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := finish(ctx, patience, os.Stderr, func() int {
		return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	})
	stop()
	os.Exit(code)
}

// patience is how long a run may take, after a signal, to put its things down.
const patience = 3 * time.Second

// finish returns the exit code of a run. If the context ends and the run does not, it gives up on it after the
// patience given: reading a terminal or a pipe cannot be interrupted. sipgen's output files are whole whenever it
// ends.
func finish(ctx context.Context, patience time.Duration, stderr io.Writer, run func() int) int {
	done := make(chan int, 1)
	go func() { done <- run() }()
	select {
	case code := <-done:
		return code
	case <-ctx.Done():
	}
	select {
	case code := <-done:
		return code
	case <-time.After(patience):
		fmt.Fprintln(stderr, "sipgen: interrupted")
		return exitError
	}
}

// run returns the whole program but for the process around it.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ui := terminal.New(stdin, stdout, stderr, os.Getenv)
	root := newRoot(ui)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(ui.Out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = ui.Unknown
	}
	incomplete := ui.Incomplete()
	var ofFleet *fleetError
	if errors.As(err, &ofFleet) && incomplete == nil {
		ui.Say("%s", ofFleet)
		return ofFleet.Code()
	}
	switch {
	case incomplete != nil:
		// Otherwise a truncated output would be taken for all of it.
		if errors.Is(err, errFinding) || errors.Is(err, errRefused) || ofFleet != nil || errors.Is(err, incomplete.Err) {
			err = nil
		}
		if err == nil && ui.Done != "" {
			ui.Say("%s, but %s", ui.Done, incomplete)
			return exitFinding // code 2 is for a run that has written nothing
		}
		err = errors.Join(err, incomplete)
	case err == nil:
		return exitDone
	case errors.Is(err, errFinding):
		return exitFinding
	case errors.Is(err, errRefused):
		return exitError
	}
	fail(ui, err)
	return exitError
}

// errFinding ends a command that did its work and found something: exit code 1, without a message.
var errFinding = errors.New("finding")

// errRefused ends a plan that publish would refuse: exit code 2, without a message.
var errRefused = errors.New("refused")
