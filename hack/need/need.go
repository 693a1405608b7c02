// Package need ends tests that lack something: a program on the machine, a file, a call that goes well.
package need

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
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

// OK ends a test at an error.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Value returns what a call gives that ends well: need.Value(os.ReadFile(name))(t).
func Value[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		OK(t, err)
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
	OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	OK(t, os.WriteFile(path, []byte(text), 0o644))
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

// That wants something to be so, and says otherwise what was found.
func That(t testing.TB, so bool, format string, args ...any) {
	t.Helper()
	if !so {
		t.Errorf(format, args...)
	}
}

// Must ends a test in which something is not so.
func Must(t testing.TB, so bool, format string, args ...any) {
	t.Helper()
	if !so {
		t.Fatalf(format, args...)
	}
}

// Error wants an error with these words, or none if they are empty. why, which may be empty, is the row of a table.
func Error(t testing.TB, why any, err error, words string) {
	t.Helper()
	if words == "" && err != nil || words != "" && (err == nil || !strings.Contains(err.Error(), words)) {
		t.Errorf("%v: found the error %v, want %q", why, err, words)
	}
}

// Words wants all these words in a text.
func Words(t testing.TB, why any, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%v: no %q in\n%.6000s", why, word, text)
		}
	}
}

// Without wants none of these words in a text.
func Without(t testing.TB, why any, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if strings.Contains(text, word) {
			t.Errorf("%v: %q is in\n%.6000s", why, word, text)
		}
	}
}

// Equal wants a value to be another one.
func Equal[T comparable](t testing.TB, why any, found, want T) {
	t.Helper()
	if found != want {
		t.Errorf("%v: found %s, want %s", why, shown(found), shown(want))
	}
}

// Len wants a list or a map to have so many values.
func Len(t testing.TB, why, found any, want int) {
	t.Helper()
	if n := reflect.ValueOf(found).Len(); n != want {
		t.Errorf("%v: found %d, want %d: %+v", why, n, want, found)
	}
}

// Deep wants a value to be another one, by all that is in it.
func Deep(t testing.TB, why, found, want any) {
	t.Helper()
	if !reflect.DeepEqual(found, want) {
		t.Errorf("%v: found %+v, want %+v", why, found, want)
	}
}

// Same wants a list to have the values of another one, in its order.
func Same[T comparable](t testing.TB, why any, found, want []T) {
	t.Helper()
	if !slices.Equal(found, want) {
		t.Errorf("%v: found %s, want %s", why, shown(found), shown(want))
	}
}

// shown has texts in quotes, so that blanks are seen.
func shown(value any) string {
	switch value.(type) {
	case string, []string:
		return fmt.Sprintf("%q", value)
	}
	return fmt.Sprintf("%+v", value)
}
