package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTally has a real go test run packages of a real module.
func TestTally(t *testing.T) {
	dir := t.TempDir()
	for name, body := range map[string]string{
		"good":  `t.Run("x", func(t *testing.T) { t.Log("quiet") })`,
		"skip":  `t.Skip("no sshd")`,
		"bad":   `t.Run("y", func(t *testing.T) { t.Error("broken") })`,
		"wrong": `undefined()`,
		"panic": `go func() { panic("later") }(); t.Log("before"); select {}`,
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
		text := "package " + name + "x\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { " + body + " }\n"
		for file, text := range map[string]string{filepath.Join(name, "a_test.go"): text,
			"go.mod": "module sample\n\ngo 1.26\n"} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
		}
	}
	for _, row := range []struct {
		packages, last string
		code, inCI     int
		says, not      string
	}{
		{"./good", "2 passed, 0 failed, 0 skipped", 0, 0, "ok  \tsample/good", "quiet"},
		{"./good ./skip", "2 passed, 0 failed, 1 skipped", 0, 1, "no sshd", "quiet"},
		{"./good ./bad", "2 passed, 2 failed, 0 skipped", 1, 1, "failed: sample/bad TestA/y", "quiet"},
		{"./good ./wrong", "2 passed, 1 failed, 0 skipped", 1, 1, "undefined: undefined", "quiet"},
		{"./panic", "0 passed, 1 failed, 0 skipped", 1, 1, "panic: later", "ok"},
		{"./nowhere", "0 passed, 1 failed, 0 skipped", 1, 1, "nowhere", "ok"},
	} {
		cmd := exec.Command("go", append([]string{"test", "-json"}, strings.Fields(row.packages)...)...)
		cmd.Dir = dir
		said, _ := cmd.CombinedOutput()
		for ci, code := range map[bool]int{false: row.code, true: row.inCI} {
			var out strings.Builder
			got := tally(strings.NewReader("not of go test\n"+string(said)), &out, ci)
			text := out.String()
			assert.Equal(t, code, got, "%s: CI %t: exit code", row.packages, ci)
			assert.Truef(t, strings.HasPrefix(text, "not of go test\n") && strings.HasSuffix(text, "\n"+row.last+"\n"),
				"%s: CI %t: found\n%s\nwant %q at its end", row.packages, ci, text, row.last)
			assert.Contains(t, text, row.says, row.packages)
			assert.NotContains(t, text, row.not, row.packages)
		}
	}
}
