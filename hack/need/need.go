// Package need ends tests that lack something: a program on the machine, a file, a free port, a call that goes well.
package need

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Missing skips a test, and says what it lacks and where to get it. With CI=true in the environment the test fails: a
// machine that is there to test has everything.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if CI() {
		t.Fatalf("with CI=true nothing may be missing: "+format, args...)
	}
	t.Skipf("NOT TESTED: "+format, args...)
}

// CI reports whether this machine is there to test.
func CI() bool { return os.Getenv("CI") == "true" }

// found are the programs that were looked for, by name: one that is installed while tests run is there for all of them
// or for none.
var found sync.Map

// Program returns the path of a program, from PATH or where Debian has those of the administrator. What is not
// installed is missing. pkg is Debian's package.
func Program(t testing.TB, name, pkg string) string {
	t.Helper()
	once, _ := found.LoadOrStore(name, sync.OnceValue(func() string {
		for _, candidate := range []string{name, "/usr/sbin/" + name} {
			if path, err := exec.LookPath(candidate); err == nil {
				return path
			}
		}
		return ""
	}))
	path := once.(func() string)()
	if path == "" {
		Missing(t, "no %s on this machine; Debian has it in %s", name, pkg)
	}
	return path
}

// Value returns what a call gives that ends well: need.Value(os.ReadFile(name))(t).
func Value[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		require.NoError(t, err)
		return value
	}
}

// Err returns the error alone of a call that gives a value, too: need.Err(os.Stat(name)).
func Err[T any](_ T, err error) error { return err }

// Read returns what a file holds.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	return Value(os.ReadFile(path))(t)
}

// Write makes a file, and the folders above it.
func Write(t testing.TB, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// Executable makes a file that can be executed, and the folders above it. No process is started meanwhile: one would
// have the file open for writing for a moment, too, and Linux executes no such file (ETXTBSY, "text file busy").
func Executable(t testing.TB, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
}

// Output runs a program that ends well, and returns what it prints.
func Output(t testing.TB, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// Error wants an error with these words, or none if they are empty, as the rows of a table have it.
func Error(t testing.TB, why any, err error, words string) {
	t.Helper()
	if words == "" {
		assert.NoError(t, err, why)
		return
	}
	assert.ErrorContains(t, err, words, why)
}
