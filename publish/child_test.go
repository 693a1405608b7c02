//go:build linux

package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/hack/orphans"
	"github.com/stretchr/testify/require"
)

// TestMain lets a test start this binary again as a process of its own, to be killed or measured.
func TestMain(m *testing.M) {
	if text := os.Getenv("PUBLISH_TEST_CHILD"); text != "" {
		var work child
		err := json.Unmarshal([]byte(text), &work)
		if err == nil {
			err = work.run()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(orphans.Tests{M: m}.Run())
}

// child is what a process of its own shall do.
type child struct {
	Do     string
	Dir    string // a folder to write
	Target Target // a branch to write
}

func (c child) run() error {
	switch c.Do {
	case "folder, once":
		_, err := WriteDir(context.Background(), c.Dir, generation(1), DirOptions{})
		return err
	case "folder, small files only":
		limit := syscall.Rlimit{Cur: 2000, Max: 2000}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		_, err := WriteDir(context.Background(), c.Dir, generation(1), DirOptions{})
		return err
	case "folder, for ever":
		for n := 0; ; n++ {
			if _, err := WriteDir(context.Background(), c.Dir, generation(n), DirOptions{}); err != nil {
				return err
			}
		}
	case "branch, for ever":
		for n := 0; ; n++ {
			if _, err := publishTree(c.Target, generation(n), meta); err != nil {
				return err
			}
		}
	case "branch, once":
		_, err := publishTree(c.Target, generation(0), meta)
		return err
	}
	return fmt.Errorf("%q: no such work", c.Do)
}

func (c child) command(t testing.TB) *exec.Cmd {
	t.Helper()
	self := need.Value(os.Executable())(t)
	text := need.Value(json.Marshal(c))(t)
	command := exec.Command(self)
	command.Env = append(os.Environ(), "PUBLISH_TEST_CHILD="+string(text))
	return command
}

func (c child) start(t testing.TB) *exec.Cmd {
	t.Helper()
	command := c.command(t)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Stderr = os.Stderr
	require.NoError(t, command.Start())
	return command
}

// kill ends a child and whatever it has started, at a random moment.
func kill(t testing.TB, command *exec.Cmd, most time.Duration) {
	t.Helper()
	time.Sleep(10*time.Millisecond + rand.N(most))
	require.NoError(t, syscall.Kill(-command.Process.Pid, syscall.SIGKILL))
	require.Truef(t, command.Wait() != nil, "the child ended by itself")
}
