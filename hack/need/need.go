// Package need ends tests that lack something on the machine that they run on.
package need

import (
	"os"
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
