// Package orphans fails the tests of a package that leave a process running. The process of the tests adopts what its
// own processes leave behind, as init would, and looks for it at the end.
package orphans

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Tests is a package's *testing.M, for its TestMain: os.Exit(orphans.Tests{M: m}.Run()).
type Tests struct {
	M        interface{ Run() int }
	patience time.Duration // zero: a minute
}

// Run runs the tests, and returns their exit code: 1 if a process is left after them, which a busy machine has ended in
// a minute. It ends that process.
func (t Tests) Run() int {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "adopting processes:", err)
		return 1
	}
	code := t.M.Run()
	left := living(cmp.Or(t.patience, time.Minute))
	for _, process := range left {
		fmt.Fprintf(os.Stderr, "left running by the tests: %s\n", process)
		End(process.ID)
	}
	if len(left) > 0 && code == 0 {
		return 1
	}
	return code
}

// Process is one that a test has started, or that one of those has.
type Process struct {
	ID      int
	Command string
}

func (p Process) String() string { return fmt.Sprintf("%d %s", p.ID, p.Command) }

// living returns the children of this process that do not end in time.
func living(patience time.Duration) []Process {
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		for {
			if id, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); id <= 0 && !errors.Is(err, syscall.EINTR) {
				break
			}
		}
		children := childrenOf(os.Getpid())
		if len(children) == 0 || time.Now().After(end) {
			return children
		}
	}
}

// End kills a process and all that it has started.
func End(id int) {
	ended := []int{id}
	for at := 0; at < len(ended); at++ {
		for _, child := range childrenOf(ended[at]) {
			if !slices.Contains(ended, child.ID) {
				ended = append(ended, child.ID)
			}
		}
	}
	for _, id := range ended {
		_ = syscall.Kill(id, syscall.SIGKILL)
	}
}

// EndWith kills the processes that have a variable in their environment, NAME=VALUE: those of a server that gives each
// session one of its own.
func EndWith(variable string) {
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return
	}
	for _, file := range files {
		environment, _ := os.ReadFile(file)
		if id, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && id != os.Getpid() &&
			slices.Contains(strings.Split(string(environment), "\x00"), variable) {
			End(id)
		}
	}
}

// childrenOf reads /proc: see proc_pid_stat(5).
func childrenOf(id int) (found []Process) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		child, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue
		}
		_, after, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(after); len(fields) < 2 || fields[0] == "Z" || fields[1] != strconv.Itoa(id) {
			continue
		}
		command, _ := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		found = append(found, Process{child, strings.TrimSpace(strings.ReplaceAll(string(command), "\x00", " "))})
	}
	return found
}
