package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// What became of a mutant.
const (
	wordCaught   = "caught"
	wordSurvived = "SURVIVED" // a row passed without the guard
	wordInvalid  = "INVALID"  // it says nothing: stale, does not compile, no such row, out of time
)

// outcome of a mutant. The detail of one that is caught is what its first row says.
type outcome struct{ word, detail string }

// apply gives the file's text without the guard.
func (m *mutant) apply(text string) (string, error) {
	if n := strings.Count(text, m.old); n != 1 {
		return "", fmt.Errorf("%s: stale: found %d times, want once: %q", m.file, n, m.old)
	}
	return strings.Replace(text, m.old, m.new, 1), nil
}

// try runs the mutant's rows on the changed code. work is a folder of its own, made here.
func (m *mutant) try(ctx context.Context, work string) outcome {
	overlay, err := m.overlay(work)
	if err != nil {
		return outcome{wordInvalid, err.Error()}
	}
	results, output, err := goTest(ctx, m.rows.folder, m.rows.names, overlay)
	if err != nil {
		return outcome{wordInvalid, err.Error() + "\n" + last(output, 20)}
	}
	var passed, odd []string
	for _, name := range m.rows.names {
		switch became := results[name].became; became {
		case "fail":
		case "pass":
			passed = append(passed, name)
		default:
			odd = append(odd, fmt.Sprintf("%s: %s", name, or(became, "there is no such row")))
		}
	}
	switch {
	case len(odd) > 0:
		return outcome{wordInvalid, strings.Join(odd, "\n") + "\n" + last(output, 20)}
	case len(passed) > 0:
		return outcome{wordSurvived, "passed without the guard: " + strings.Join(passed, ", ")}
	}
	return outcome{wordCaught, said(results, m.rows.names[0])}
}

// said is what a row said, or the first that says something of the rows below it.
func said(results map[string]result, name string) string {
	if words := results[name].said; words != "" {
		return words
	}
	for _, below := range slices.Sorted(maps.Keys(results)) {
		if r := results[below]; strings.HasPrefix(below, name+"/") && r.became == "fail" && r.said != "" {
			return r.said
		}
	}
	return ""
}

// overlay writes the changed file and the list by which the compiler finds it; it gives the list's path.
func (m *mutant) overlay(work string) (string, error) {
	file, err := filepath.Abs(filepath.FromSlash(m.file))
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	changed, err := m.apply(string(text))
	if err != nil {
		return "", err
	}
	replacement, list := filepath.Join(work, filepath.Base(file)), filepath.Join(work, "overlay.json")
	content, err := json.Marshal(map[string]map[string]string{"Replace": {file: replacement}})
	if err != nil {
		return "", err
	}
	return list, errors.Join(os.MkdirAll(work, 0o755), os.WriteFile(replacement, []byte(changed), 0o600), os.WriteFile(list, content, 0o600))
}

// baseline runs every row of the mutants on the code as it is, and wants each to pass.
func baseline(ctx context.Context, chosen []mutant, log io.Writer) error {
	names := map[string][]string{}
	for i := range chosen {
		if _, err := chosen[i].overlayable(); err != nil {
			return err
		}
		r := chosen[i].rows
		names[r.folder] = append(names[r.folder], r.names...)
	}
	folders := make([]string, 0, len(names))
	for folder := range names {
		folders = append(folders, folder)
	}
	slices.Sort(folders)
	var problems []error
	for _, folder := range folders {
		rows := names[folder]
		slices.Sort(rows)
		rows = slices.Compact(rows)
		fmt.Fprintf(log, "with every guard in its place: %s, %d rows\n", folder, len(rows))
		results, output, err := goTest(ctx, folder, rows, "")
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w\n%s", folder, err, last(output, 20)))
			continue
		}
		for _, name := range rows {
			if became := results[name].became; became != "pass" {
				problems = append(problems, fmt.Errorf("%s: %s: %s\n%s", folder, name, or(became, "there is no such row"), last(output, 20)))
			}
		}
	}
	return errors.Join(problems...)
}

// overlayable says that the guard's text is there.
func (m *mutant) overlayable() (string, error) {
	text, err := os.ReadFile(filepath.FromSlash(m.file))
	if err != nil {
		return "", err
	}
	return m.apply(string(text))
}

// event is what go test -json prints, a line each.
type event struct{ Action, Package, Test, Output string }

// result of a test: pass, fail or skip, and the first thing that it said against the code.
type result struct{ became, said string }

// goTest runs rows of a package, and gives by name what became of each test. The error is that they could
// not be run, or not to their end. Rows below one test are one run, others follow it.
func goTest(ctx context.Context, folder string, names []string, overlay string) (map[string]result, string, error) {
	results := map[string]result{}
	var output strings.Builder
	for _, pattern := range patterns(names) {
		args := []string{"test", "-json", "-vet=off", "-timeout", "10m", "-run", pattern, "./" + folder}
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Env = os.Environ()
		if overlay != "" {
			// By the environment, so that it holds for the builds that tests start too.
			cmd.Env = append(cmd.Env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
		}
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdout, err := cmd.Output()
		text, runErr := readEvents(stdout, results)
		output.WriteString(text + stderr.String())
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			return nil, output.String(), err
		}
		if runErr != nil {
			return nil, output.String(), runErr
		}
	}
	return results, output.String(), ctx.Err()
}

// testLine is where the output of t.Error begins, or of a panic.
var testLine = regexp.MustCompile(`^ +\S+\.go:\d+: |^panic: `)

// readEvents notes what became of each test.
func readEvents(stdout []byte, results map[string]result) (string, error) {
	var (
		text strings.Builder
		err  error
	)
	for line := range bytes.Lines(stdout) {
		var e event
		if json.Unmarshal(line, &e) != nil {
			text.Write(line)
			continue
		}
		switch e.Action {
		case "pass", "fail", "skip":
			if e.Test != "" {
				results[e.Test] = result{e.Action, results[e.Test].said}
			}
		case "output", "build-output":
			text.WriteString(e.Output)
			if e.Test != "" && results[e.Test].said == "" && testLine.MatchString(e.Output) {
				results[e.Test] = result{said: strings.TrimSpace(e.Output)}
			}
			switch {
			case strings.Contains(e.Output, "panic: test timed out after"):
				err = errors.New("out of time")
			case strings.Contains(e.Output, "[build failed]"), strings.Contains(e.Output, "[setup failed]"), strings.HasPrefix(strings.TrimSpace(e.Output), "go build: exit status"):
				err = errors.New("does not compile")
			}
		case "build-fail":
			err = errors.New("does not compile")
		}
	}
	return text.String(), err
}

// patterns are the -run patterns of rows: those below one test are one pattern, and so are all whole tests.
func patterns(names []string) []string {
	var whole []string
	below := map[string][]string{}
	var order []string
	for _, name := range names {
		parent, row, found := strings.Cut(name, "/")
		if !found {
			whole = append(whole, regexp.QuoteMeta(name))
			continue
		}
		if below[parent] == nil {
			order = append(order, parent)
		}
		below[parent] = append(below[parent], row)
	}
	var out []string
	if len(whole) > 0 {
		out = append(out, "^("+strings.Join(whole, "|")+")$")
	}
	for _, parent := range order {
		var steps []string
		for _, row := range below[parent] {
			for i, step := range strings.Split(row, "/") {
				if i == len(steps) {
					steps = append(steps, "")
				}
				if steps[i] != "" {
					steps[i] += "|"
				}
				steps[i] += regexp.QuoteMeta(step)
			}
		}
		pattern := "^" + regexp.QuoteMeta(parent) + "$"
		for _, step := range steps {
			pattern += "/^(" + step + ")$"
		}
		out = append(out, pattern)
	}
	return out
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// last gives the last n lines that say something.
func last(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
