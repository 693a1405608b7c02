package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBeside: targets run side by side, none stands in another's lines, one that fails fails all, and an interrupt ends
// all, with what they started.
func TestBeside(t *testing.T) {
	dir := t.TempDir()
	script, err := filepath.Abs("../beside.sh")
	require.NoError(t, err)
	// met waits until the other one is there, so both run at once.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Makefile"), []byte(`
.PHONY: a b bad long
met = touch $@; until [ -e $(1) ]; do sleep 0.01; done
a:
	@echo a1; $(call met,b); echo a2
b:
	@echo b1; $(call met,a); echo b2
bad:
	@echo bad; exit 3
long:
	@echo $$$$ >pid; exec sleep 600
`), 0o600))
	beside := func(targets ...string) *exec.Cmd {
		cmd := exec.Command("bash", append([]string{script}, targets...)...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		return cmd
	}
	out, err := beside("a", "b").Output()
	require.NoError(t, err)
	assert.Equal(t, "a1\na2\nb1\nb2\n", string(out))
	for _, targets := range [][]string{{"a", "bad"}, {"bad", "a"}} {
		out, err = beside(targets...).Output()
		assert.Error(t, err, targets)
		assert.Len(t, out, len("a1\na2\nbad\n"), targets)
	}

	cmd := beside("a", "long")
	require.NoError(t, cmd.Start())
	pid := filepath.Join(dir, "pid")
	require.Eventually(t, func() bool { said, _ := os.ReadFile(pid); return len(said) > 0 }, time.Minute, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	assert.Error(t, cmd.Wait())
	require.Eventually(t, func() bool {
		return exec.Command("sh", "-c", "kill -0 $(cat "+pid+")").Run() != nil
	}, time.Minute, 10*time.Millisecond, "what an interrupted target started runs on")
}
