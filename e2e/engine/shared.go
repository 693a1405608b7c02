package engine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/hack/orphans"
	"github.com/rogpeppe/go-internal/lockedfile"
	"github.com/stretchr/testify/require"
)

// Shared makes a value on first use and keeps it until Main ends: starting engines costs seconds,
// and many tests of a package can share them.
//
//	var servers = engine.Shared(func(t testing.TB) *engine.APIServer { return engine.StartAPIServer(t, engine.Options{}) })
//
//	func TestMain(m *testing.M) { engine.Main(m) }
func Shared[T any](makeIt func(testing.TB) T) func(testing.TB) T {
	var (
		once    sync.Once
		value   T
		outcome = "failed"
	)
	return func(t testing.TB) T {
		t.Helper()
		once.Do(func() {
			long := &longTB{TB: t}
			defer func() {
				if t.Skipped() {
					outcome = "skipped"
				}
			}()
			value = makeIt(long)
			outcome = ""
		})
		switch outcome {
		case "skipped":
			t.Skip("NOT TESTED on real engines: another test of this package says why")
		case "failed":
			t.Fatal("the shared engines did not start: another test of this package says why")
		}
		return value
	}
}

// Main runs a package's tests and then stops what Shared started. A process that runs on fails them.
func Main(m *testing.M) {
	debug.SetGCPercent(CollectorPercent)
	os.Exit(orphans.Tests{M: tests{m}}.Run())
}

// tests are a package's, with the end of what Shared started.
type tests struct{ *testing.M }

func (t tests) Run() int {
	code := t.M.Run()
	cleanups.run()
	return code
}

var cleanups cleanupStack

type cleanupStack struct {
	mu    sync.Mutex
	funcs []func()
}

func (c *cleanupStack) add(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.funcs = append(c.funcs, f)
}

func (c *cleanupStack) run() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.funcs) - 1; i >= 0; i-- {
		func() {
			defer func() {
				if r := recover(); r != nil {
					fmt.Fprintln(os.Stderr, "e2e: cleaning up:", r)
				}
			}()
			c.funcs[i]()
		}()
	}
	c.funcs = nil
}

// longTB is a test whose cleanups and folders outlive it.
type longTB struct{ testing.TB }

func (t *longTB) Cleanup(f func()) { cleanups.add(f) }

func (t *longTB) TempDir() string {
	dir, err := os.MkdirTemp("", "sipgen-e2e-")
	if err != nil {
		t.Fatal(err)
		runtime.Goexit()
	}
	cleanups.add(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Sipgen is the command, built from this module once for a package's tests.
var Sipgen = Shared(func(t testing.TB) string {
	path, err := Keep(t, "sipgen", root(), "./cmd/sipgen")
	require.NoError(t, err)
	return path
})

// Keep builds a program of this repository in the cache, where go build links it again only if something has changed.
// What it gives is a copy, which no other checkout builds over.
func Keep(t testing.TB, name, folder, main string) (string, error) {
	t.Helper()
	kept := filepath.Join(CacheDir(), name, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(kept), 0o755))
	unlock, err := lockedfile.MutexAt(kept + ".lock").Lock()
	require.NoError(t, err)
	defer unlock()
	if _, err := output(context.Background(), folder, "go", "build", "-o", kept, main); err != nil {
		return "", err
	}
	path := filepath.Join(t.TempDir(), name)
	need.Output(t, exec.Command("cp", kept, path)) // a file that this process wrote may count as busy when it is run
	return path, nil
}
