package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// suite is the tests of a package, compiled with the switches of all guards: a binary for each worker.
type suite struct {
	folder   string
	once     sync.Once
	problem  error
	binaries []binary
	units    []unit // quickest first
}

// unit is a test, or a script of TestScripts: how long it takes, and which edits change something in it.
type unit struct {
	top, script string
	took        time.Duration
	notes       map[int]bool
}

// binary is the compiled tests of a package, and where its switches read which edit is made: at path and ".off".
type binary struct{ folder, path string }

func (b binary) link(module string) string {
	return "-ldflags=-X=" + module + "/internal/guardsoff.file=" + b.path + ".off"
}

func (b binary) set(number int) error {
	return os.WriteFile(b.path+".off", []byte(strconv.Itoa(number)), 0o600)
}

func (b binary) compile(ctx context.Context, overlay, module string) ([]byte, error) {
	return exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, b.link(module), "-o", b.path,
		b.folder).CombinedOutput()
}

func (b binary) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.path, args...)
	cmd.Dir = b.folder
	return cmd
}

// prepare compiles the tests and runs each alone, with no guard taken out, to see what it reaches.
func (s *suite) prepare(ctx context.Context, t *trial) error {
	start := time.Now()
	for worker := range t.parallel {
		b := binary{s.folder, filepath.Join(t.work, fmt.Sprint(strings.ReplaceAll(s.folder, "/", "-"), worker))}
		if out, err := b.compile(ctx, t.overlay, t.module); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		s.binaries = append(s.binaries, b)
	}
	b := s.binaries[0]
	out, err := b.command(ctx, "-test.list", "^(Test|Example|Fuzz)").Output()
	if err != nil {
		return fmt.Errorf("%s: -test.list: %w", s.folder, err)
	}
	for _, name := range strings.Fields(string(out)) {
		scripts, err := filepath.Glob(filepath.Join(s.folder, "testdata/script/*.txtar"))
		if err != nil {
			return err
		}
		if name != "TestScripts" {
			s.units = append(s.units, unit{top: name})
			continue
		}
		for _, script := range scripts {
			s.units = append(s.units, unit{top: name, script: strings.TrimSuffix(filepath.Base(script), ".txtar")})
		}
	}
	for i := range s.units {
		u := &s.units[i]
		seen := b.path + ".off.seen"
		if err := os.WriteFile(seen, nil, 0o600); err != nil {
			return err
		}
		begin := time.Now()
		u.took = time.Hour
		failed, err := b.fails(ctx, -1, []unit{*u})
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		u.took = time.Since(begin)
		if failed {
			fmt.Fprintf(os.Stderr, "guards: %s: %s %s fails with every guard in its place\n", s.folder, u.top, u.script)
			u.top = ""
		}
		text, err := os.ReadFile(seen)
		if err != nil {
			return err
		}
		u.notes = map[int]bool{}
		for _, word := range strings.Fields(string(text)) {
			n, _ := strconv.Atoi(word)
			u.notes[n] = true
		}
	}
	fmt.Fprintf(os.Stderr, "guards: %s: %d tests in %s\n", s.folder, len(s.units), time.Since(start).Round(time.Second))
	s.units = slices.DeleteFunc(s.units, func(u unit) bool { return u.top == "" })
	slices.SortFunc(s.units, func(a, b unit) int { return int(a.took - b.took) })
	return nil
}

// fails runs units with an edit until one fails: those of two seconds together at a time.
func (b binary) fails(ctx context.Context, number int, units []unit) (bool, error) {
	if err := b.set(number); err != nil {
		return false, err
	}
	for len(units) > 0 {
		var names []string
		first, took := units[0], time.Duration(0)
		for len(units) > 0 && (units[0].script == "") == (first.script == "") &&
			(len(names) == 0 || took+units[0].took < 2*time.Second) {
			names = append(names, regexp.QuoteMeta(units[0].script+map[bool]string{true: units[0].top}[units[0].script == ""]))
			took += units[0].took
			units = units[1:]
		}
		run := "^(" + strings.Join(names, "|") + ")$"
		if first.script != "" {
			run = "^" + first.top + "$/" + run
		}
		timeout := time.Minute + 10*took
		err := b.command(ctx, "-test.run", run, "-test.failfast", "-test.paniconexit0", "-test.timeout",
			timeout.String()).Run()
		var exit *exec.ExitError
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case errors.As(err, &exit):
			return true, nil
		case err != nil:
			return false, err
		}
	}
	return false, nil
}
