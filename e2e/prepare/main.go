// Command prepare builds the real engines that the tests below e2e run, or finds them in the cache: those that are
// named, or all. go test keeps what a test prints until it is done; this says what is being built while it is built.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// run builds the engines. Where the modules cannot be had it says so and is content, but for CI:
// the tests that need the engine then skip themselves.
func run(ctx context.Context, names []string) int {
	if len(names) == 0 {
		names = engine.Programs()
	}
	for i, name := range names {
		fmt.Fprintf(os.Stderr, "e2e: %s, %d of %d\n", name, i+1, len(names))
		path, err := engine.Build(ctx, name, os.Stderr)
		switch {
		case errors.Is(err, engine.ErrUnavailable) && !need.CI():
			fmt.Fprintf(os.Stderr, "e2e: %v; the tests that need it will be skipped\n", err)
		case err != nil:
			fmt.Fprintf(os.Stderr, "e2e: %v\n", err)
			return 2
		default:
			fmt.Fprintf(os.Stderr, "e2e: %s: %s\n", name, path)
		}
	}
	return 0
}
