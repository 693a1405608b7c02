//go:build linux

package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/orphans"
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
	N      int    // the site to write, see siteOf
	Clone  string // where git clones to, and
	Env    []string
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
	case "repositories, for ever":
		for n := 0; ; n++ {
			dir := filepath.Join(c.Dir, fmt.Sprint(n, ".git"))
			if err := NewRepository(dir, "main", meta.Author, time.Unix(1, 0)); err != nil {
				return err
			}
		}
	case "branch, once":
		ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
		defer stop()
		tip, err := Read(ctx, c.Target)
		if err == nil {
			_, err = Commit(ctx, c.Target, tip, generation(c.N), meta)
		}
		return err
	case "branch, measured":
		done, err := publishTree(c.Target, siteOf(c.N), meta)
		if err == nil && !done.Changed {
			err = errors.New("nothing was committed")
		}
		return errors.Join(err, printPeak())
	case "git, measured":
		return errors.Join(c.git(), printPeakOfChildren())
	}
	return fmt.Errorf("%q: no such work", c.Do)
}

// git does with the git command line what publish does: a shallow clone, copies, add, commit, push.
func (c child) git() error {
	run := func(dir string, args ...string) error {
		command := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
		command.Dir, command.Env = dir, append(os.Environ(), c.Env...)
		if out, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
		return nil
	}
	if err := run("/", "clone", "--quiet", "--depth=1", "--single-branch", c.Target.URL, c.Clone); err != nil {
		return err
	}
	for name, text := range siteOf(c.N) {
		if err := os.WriteFile(filepath.Join(c.Clone, c.Target.Path, name), text, 0o644); err != nil {
			return err
		}
	}
	return errors.Join(run(c.Clone, "add", "-A", c.Target.Path), run(c.Clone, "commit", "--quiet", "-m", "change"), run(c.Clone, "push", "--quiet", "origin", c.Target.Branch))
}

// printPeak prints the most memory that this process has had, in kB (VmHWM of /proc/self/status).
func printPeak() error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int
	if _, err := fmt.Sscan(after, &kilobytes); err != nil {
		return err
	}
	fmt.Println(kilobytes)
	return nil
}

// printPeakOfChildren prints the most memory that any one process below this one has had, in kB.
func printPeakOfChildren() error {
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage)
	fmt.Println(usage.Maxrss)
	return err
}

func (c child) command(t testing.TB) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self)
	command.Env = append(os.Environ(), "PUBLISH_TEST_CHILD="+string(text))
	return command
}

// measure runs a child, and gives its peak memory in MB.
func (c child) measure(t testing.TB) float64 {
	t.Helper()
	command := c.command(t)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v", c.Do, err)
	}
	var kilobytes float64
	if _, err := fmt.Sscan(string(out), &kilobytes); err != nil {
		t.Fatalf("%s: found %q: %v", c.Do, out, err)
	}
	return kilobytes / 1024
}

func (c child) start(t testing.TB) *exec.Cmd {
	t.Helper()
	command := c.command(t)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command
}

// kill ends a child and whatever it has started, at a random moment.
func kill(t testing.TB, command *exec.Cmd, most time.Duration) {
	t.Helper()
	end(t, command, -command.Process.Pid, most)
}

// killAlone ends a child, and leaves alone what it has started.
func killAlone(t testing.TB, command *exec.Cmd, most time.Duration) {
	t.Helper()
	end(t, command, command.Process.Pid, most)
}

func end(t testing.TB, command *exec.Cmd, process int, most time.Duration) {
	t.Helper()
	time.Sleep(10*time.Millisecond + rand.N(most))
	if err := syscall.Kill(process, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
}
