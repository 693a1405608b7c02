package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// process is a running program. It is killed when the test ends, and on Linux by the kernel when
// the test's process ends without a chance to clean up.
type process struct {
	name string
	log  *tail
	mu   sync.Mutex
	cmd  *exec.Cmd
	// done is closed when the program has ended; err is then set.
	done chan struct{}
	err  error
	// restarting: that it does not run is meant.
	restarting bool
}

// CollectorPercent is what GOGC is for the programs and the tests: a third of their time was garbage collection.
var CollectorPercent = 400

// engineProcessors is what GOMAXPROCS is for the programs. Tests and programs fill the processors together; with all of
// them for each, a tenth of the time was spent on looking for work.
var engineProcessors = max(1, runtime.NumCPU()/2)

// start runs a program with exactly the environment given, PATH, GOGC, GOMAXPROCS, and folders of its own.
func start(t testing.TB, name string, env []string, program string, args ...string) *process {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(),
		fmt.Sprint("GOGC=", CollectorPercent), fmt.Sprint("GOMAXPROCS=", engineProcessors)}, env...)
	cmd.Dir = t.TempDir()
	p := &process{name: name, log: newTail(name)}
	if err := p.launch(cmd); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	t.Cleanup(p.stop)
	return p
}

// launch starts the command as this process.
func (p *process) launch(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	killWithParent(cmd.SysProcAttr)
	cmd.Stdout, cmd.Stderr = p.log, p.log
	cmd.WaitDelay = 5 * time.Second
	done := make(chan struct{})
	started := make(chan error)
	go func() {
		// The kernel takes the thread that started a process for its parent: it has to live as long.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(done)
		}
	}()
	err := <-started
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd, p.done = cmd, done
	return err
}

// restart kills the program without a chance to finish anything, starts it again as it was, and waits until it is
// ready.
func (p *process) restart(t testing.TB, ready func() error) {
	t.Helper()
	p.mu.Lock()
	old, done := p.cmd, p.done
	p.restarting = true
	p.mu.Unlock()
	_ = syscall.Kill(-old.Process.Pid, syscall.SIGKILL)
	<-done
	// A pod that is made anew has no files. Argo CD never repairs a clone whose git was killed, and other rows need it.
	for _, set := range old.Env {
		if folder, is := strings.CutPrefix(set, "TMPDIR="); is {
			require.NoError(t, os.RemoveAll(folder))
			require.NoError(t, os.Mkdir(folder, 0o700))
		}
	}
	cmd := exec.Command(old.Path, old.Args[1:]...)
	cmd.Env, cmd.Dir = old.Env, old.Dir
	err := p.launch(cmd)
	p.mu.Lock()
	p.restarting = false
	p.mu.Unlock()
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	p.await(t, ready)
}

// pid is the running program's.
func (p *process) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd.Process.Pid
}

// stop ends the program and whatever it started: asks first, then kills.
func (p *process) stop() {
	p.mu.Lock()
	group, done := -p.cmd.Process.Pid, p.done
	p.mu.Unlock()
	_ = syscall.Kill(group, syscall.SIGTERM)
	select {
	case <-done:
	case <-time.After(3 * time.Second):
	}
	_ = syscall.Kill(group, syscall.SIGKILL)
	<-done
}

// while makes a check that gives up once the program has ended.
func (p *process) while(check func() error) func() error {
	return func() error {
		if err := p.running(); err != nil {
			return Final(err)
		}
		return check()
	}
}

// await waits until the program is ready.
func (p *process) await(t testing.TB, ready func() error) {
	t.Helper()
	Wait(t, p.name, SyncTimeout, p.while(ready))
}

// listens is nil once the program accepts connections at an address.
func (p *process) listens(address string) func() error {
	return func() error {
		connection, err := net.DialTimeout("tcp", address, time.Second)
		if err != nil {
			return err
		}
		return connection.Close()
	}
}

// running is nil while the program runs or is restarted, and says how it ended and what it said last once it has.
func (p *process) running() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.restarting {
		return nil
	}
	select {
	case <-p.done:
		return fmt.Errorf("%s has ended: %v\n%s", p.name, p.err, p.log.last(30))
	default:
		return nil
	}
}

// tail keeps the last part of a program's output. SIPGEN_E2E_LOGS names a folder that gets all of it.
type tail struct {
	mu   sync.Mutex
	buf  []byte
	file io.Writer
}

const tailSize = 1 << 20

func newTail(name string) *tail {
	l := &tail{}
	if dir := os.Getenv("SIPGEN_E2E_LOGS"); dir != "" {
		if f, err := os.CreateTemp(dir, name+"-*.log"); err == nil {
			l.file = f
		}
	}
	return l
}

func (l *tail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_, _ = l.file.Write(p)
	}
	l.buf = append(l.buf, p...)
	if over := len(l.buf) - tailSize; over > 0 {
		l.buf = bytes.Clone(l.buf[over:])
	}
	return len(p), nil
}

// last returns the last n lines that contain all of the words.
func (l *tail) last(n int, words ...string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []string
	for line := range strings.Lines(string(l.buf)) {
		keep := true
		for _, word := range words {
			keep = keep && strings.Contains(line, word)
		}
		if keep {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "")
}

// Wait calls check until it gives nil, and fails the test with its last error after the timeout.
// It gives up at once on an error made by Fatal.
func Wait(t testing.TB, what string, timeout time.Duration, check func() error) {
	t.Helper()
	if err := Eventually(timeout, check); err != nil {
		t.Fatalf("waited %s for %s: %v", timeout, what, err)
	}
}

// Eventually is Wait that gives the error.
func Eventually(timeout time.Duration, check func() error) error {
	deadline := time.Now().Add(timeout)
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := check()
		final := (*finalError)(nil)
		if err == nil || errors.As(err, &final) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}

type finalError struct{ error }

// Final marks an error that waiting does not fix.
func Final(err error) error {
	if err == nil {
		return nil
	}
	return &finalError{err}
}

func writeFile(t testing.TB, dir, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}
