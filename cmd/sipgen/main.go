// Command sipgen turns SIPCluster specs and a bare-metal inventory into a git tree that Flux or
// Argo CD applies.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// The exit codes of every command.
const (
	exitDone    = 0 // done, and nothing to say
	exitFinding = 1 // differences, an unschedulable cluster, lint problems
	exitError   = 2 // bad input, I/O, refused
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program but for the process around it.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ui := &ui{in: stdin, out: stdout, err: stderr}
	root := newRoot(ui)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errFinding):
		return exitFinding
	}
	ui.fail(err)
	return exitError
}

// errFinding ends a command that did its work and found something: exit code 1, nothing more to say.
var errFinding = errors.New("finding")
