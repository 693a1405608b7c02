package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// asked is a command for a worker, with what a process has: its folder and environment. answered is what came of it.
type asked struct {
	Dir       string
	Env, Args []string
}
type answered struct {
	Code           int
	Stdout, Stderr string
	// Peak is the most memory that the worker has had so far, in bytes.
	Peak uint64
}

// worker is a process of this binary that runs one command after the other, each in its folder and environment.
// Starting the program takes longer than most of what the scripts have it do.
type worker struct {
	process *exec.Cmd
	in      io.WriteCloser
	ask     *json.Encoder
	answers *json.Decoder
}

// workers are those that have nothing to do, and stop ends them all.
type workers struct {
	idle chan *worker
	mu   sync.Mutex
	all  []*worker
}

const workerName = "sipgen-worker"

// stderr is that of the process, which os.Stderr is not while kustomize builds.
var stderr = os.Stderr

func newWorkers() *workers {
	w := &workers{idle: make(chan *worker, runtime.GOMAXPROCS(0))}
	for range cap(w.idle) {
		w.idle <- nil // started when it is needed
	}
	return w
}

func (w *workers) start(command ...string) (*worker, error) {
	process := exec.Command(command[0], command[1:]...)
	process.Stderr = stderr
	in, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	started := &worker{process, in, json.NewEncoder(in), json.NewDecoder(out)}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, started)
	return started, nil
}

func (w *workers) run(command asked) (found answered, err error) {
	one := <-w.idle
	defer func() { w.idle <- one }()
	if one == nil {
		if one, err = w.start(workerName); err != nil {
			return found, err
		}
	}
	if err := one.ask.Encode(command); err != nil {
		return found, err
	}
	// A command that does not end is ended, and its test fails.
	watch := time.AfterFunc(10*time.Minute, func() { _ = one.process.Process.Kill() })
	if err = one.answers.Decode(&found); !watch.Stop() {
		err = fmt.Errorf("%q does not end: %w", command.Args, err)
	}
	return found, err
}

// stop ends the workers, and waits for them.
func (w *workers) stop() error {
	var problems []error
	for _, one := range w.all {
		problems = append(problems, one.in.Close(), one.process.Wait())
	}
	return errors.Join(problems...)
}

// work is the program of a worker: it answers until nobody asks any more.
func work() {
	environment := os.Environ()
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var command asked
		if err := in.Decode(&command); err != nil {
			break
		}
		var stdout, stderr strings.Builder
		setEnvironment(command.Env)
		if err := os.Chdir(command.Dir); err != nil {
			panic(err)
		}
		code := run(context.Background(), command.Args, strings.NewReader(""), &stdout, &stderr)
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		if err := out.Encode(answered{code, stdout.String(), stderr.String(), memory.Sys}); err != nil {
			panic(err)
		}
	}
	setEnvironment(environment) // where the coverage goes
}

func setEnvironment(variables []string) {
	os.Clearenv()
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
}

// scriptProcess is what a command of a script has of its own: who runs it, and the names in its environment.
type scriptProcess struct {
	workers *workers
	names   []string
}

type processKey struct{}

var setInScript = regexp.MustCompile(`(?m)^env (\w+)=`)

// newScriptProcess has the environment of a script that begins: the one that there is, and what the script sets.
func newScriptProcess(workers *workers, env *testscript.Env) (p scriptProcess, err error) {
	p.workers = workers
	for _, variable := range env.Vars {
		name, _, _ := strings.Cut(variable, "=")
		p.names = append(p.names, name)
	}
	name := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")
	text, err := os.ReadFile(filepath.Join(scripts, name+".txtar"))
	for _, line := range setInScript.FindAllStringSubmatch(string(text), -1) {
		p.names = append(p.names, line[1])
	}
	return p, err
}

// inWorker runs a command of sipgen as ts.Exec does, but without standard input, and prints what it printed.
func inWorker(ts *testscript.TestScript, args []string) answered {
	p := ts.Value(processKey{}).(scriptProcess)
	dir := ts.MkAbs(".")
	environment := []string{"PWD=" + dir}
	for _, name := range p.names {
		if value := ts.Getenv(name); value != "" {
			environment = append(environment, name+"="+value)
		}
	}
	found, err := p.workers.run(asked{dir, environment, args})
	ts.Check(err)
	return found
}

// aloneWithin runs a command in a worker of its own, which is ended after some seconds of the processor.
func aloneWithin(t *testing.T, dir string, args []string, seconds int) (found answered) {
	t.Helper()
	w := &workers{}
	one, err := w.start("sh", "-c", fmt.Sprintf(`ulimit -t %d && exec "$0"`, seconds), workerName)
	require.NoError(t, err)
	require.NoError(t, one.ask.Encode(asked{dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null"), args}))
	err = one.answers.Decode(&found)
	require.NoError(t, errors.Join(err, w.stop()), "%s: want at most %d s of the processor", args[0], seconds)
	return found
}
