//go:build linux

package orphans

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
)

// tests stand in for those of a package that starts a process.
type tests func() int

func (t tests) Run() int { return t() }

func TestMain(m *testing.M) {
	leaves := os.Getenv("LEAVES")
	if leaves == "" {
		os.Exit(m.Run())
	}
	os.Exit(Tests{tests(func() int {
		if err := exec.Command("sh", "-c", leaves).Run(); err != nil {
			return 2
		}
		return 0
	})}.Run())
}

// A process that outlives what started it is found, named and ended; one that ends by itself in time is none.
func TestRun(t *testing.T) {
	self := need.Value(os.Executable())(t)
	for script, want := range map[string]string{
		"sleep 1000 & exit 0": "sleep 1000",
		"(sh -c 'sleep 1001; true' & sleep 0.1) >/dev/null 2>&1": "sh -c sleep 1001; true",
		"sleep 0.1 & exit 0": "",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			command := exec.Command(self)
			command.Env = append(os.Environ(), "LEAVES="+script)
			said, err := command.CombinedOutput()
			need.That(t, (err != nil) == (want != "") && strings.Contains(string(said), want), "%v, %q, want %q", err, said, want)
		})
	}
}

// A process that is ended takes those with it that it started, and so does one that is found by a variable.
func TestEnd(t *testing.T) {
	for _, by := range []func(*exec.Cmd){func(c *exec.Cmd) { End(c.Process.Pid) }, func(*exec.Cmd) { EndWith("ORPHANS_TEST=1") }} {
		command := exec.Command("sh", "-c", "sleep 1002 & wait; true")
		command.Env = append(os.Environ(), "ORPHANS_TEST=1")
		need.OK(t, command.Start())
		var below []Process
		for len(below) == 0 {
			below = childrenOf(command.Process.Pid)
		}
		by(command)
		need.That(t, command.Wait() != nil, "the shell ended by itself")
		// A killed process stays until the kernel has ended it and its new parent has asked for it.
		for end := time.Now().Add(time.Minute); runs(below[0].ID); time.Sleep(time.Millisecond) {
			need.Must(t, !time.Now().After(end), "%s runs a minute after its end", below[0])
		}
	}
}

// runs is whether a process is neither gone nor waiting for its parent to ask for it.
func runs(id int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
