//go:build linux

package engine

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKilledTestLeavesNothing runs this test binary again, has it start a process, kills it without a chance to
// clean up, and looks for the process.
func TestKilledTestLeavesNothing(t *testing.T) {
	if os.Getenv("SIPGEN_E2E_VICTIM") != "" {
		p := start(t, "sleep", nil, "sleep", "600")
		os.Stdout.WriteString("pid " + strconv.Itoa(p.cmd.Process.Pid) + "\n")
		select {}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "SIPGEN_E2E_VICTIM=1")
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "pid ")))
	require.NoError(t, err)
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("the process is not there to begin with: %v", err)
	}
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	Wait(t, "the end of the process", SyncTimeout, func() error {
		// A zombie that nobody has collected yet has no command line.
		content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err == nil && len(content) > 0 {
			return os.ErrExist
		}
		return nil
	})
}
