package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// trial is what the tries of all guards share: their switches, compiled once, and the tests with these.
type trial struct {
	guards   []guard
	module   string
	reach    map[string][]string // by package: those whose tests reach it
	work     string              // a folder
	overlay  string              // the list by which the compiler finds the switches
	parallel int
	suites   map[string]*suite
}

// off is the package of switches. The file whose path it is linked with holds the number of the edit that is made, or
// -1 where each edit that would change something is noted.
const off = `package guardsoff

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

var (
	file     string
	off      = read()
	notes, _ = os.OpenFile(file+".seen", os.O_APPEND|os.O_WRONLY, 0)
	seen     sync.Map
)

func read() int {
	text, _ := os.ReadFile(file)
	n, _ := strconv.Atoi(string(text))
	return n
}

func Off(n int) bool { return n == off }

func At(n int) bool {
	note(n)
	return n == off
}

func Saw[B ~bool](yes, no int, is B) B {
	if is {
		note(yes)
	} else {
		note(no)
	}
	return is
}

func note(n int) {
	if off >= 0 || n == 0 {
		return
	}
	if _, known := seen.LoadOrStore(n, true); !known {
		fmt.Fprintln(notes, n)
	}
}
`

// newTrial weaves the switches of all guards into the code. Those with which it does not compile are tried alone.
func newTrial(ctx context.Context, guards []guard, parallel int) (*trial, error) {
	t := &trial{guards: guards, parallel: max(1, parallel), suites: map[string]*suite{}}
	var err error
	if t.reach, t.module, err = testers(ctx); err != nil {
		return nil, err
	}
	if t.work, err = os.MkdirTemp("", "guards"); err != nil {
		return nil, err
	}
	var all []*edit
	var folders []string
	for _, g := range guards {
		folders = append(folders, "./"+path.Dir(g.file))
		for _, out := range g.outs {
			all = append(all, out)
			out.number = len(all)
		}
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)
	for folder := range t.reach {
		t.suites[folder] = &suite{folder: folder}
	}
	place := regexp.MustCompile(`(?m)^(\S+\.go):(\d+):(\d+): `)
	number := regexp.MustCompile(`guardsoff\.(?:Off|At)\((\d+)\)`)
	for {
		if t.overlay, err = t.write("all", func(e *edit) bool { return !e.alone }, false); err != nil {
			return nil, err
		}
		out, err := t.build(ctx, t.overlay, folders...)
		if err == nil || len(all) == 0 {
			return t, nil
		}
		found := 0
		for _, match := range place.FindAllSubmatch(out, -1) {
			line, _ := strconv.Atoi(string(match[2]))
			column, _ := strconv.Atoi(string(match[3]))
			text, err := os.ReadFile(string(match[1]))
			if err != nil {
				continue
			}
			// The error is in or after the last switch before it.
			lines := bytes.SplitAfter(text, []byte("\n"))
			before := len(bytes.Join(lines[:line-1], nil)) + column
			last := 0
			for _, at := range number.FindAllSubmatchIndex(text, -1) {
				if at[0] < before {
					last, _ = strconv.Atoi(string(text[at[2]:at[3]]))
				}
			}
			if last > 0 && !all[last-1].alone {
				all[last-1].alone = true
				found++
			}
		}
		if found == 0 {
			return nil, fmt.Errorf("switches do not compile: %s", out)
		}
	}
}

func (t *trial) build(ctx context.Context, overlay string, folders ...string) ([]byte, error) {
	args := append([]string{"build", "-o", os.DevNull, "-overlay", overlay}, folders...)
	return exec.CommandContext(ctx, "go", args...).CombinedOutput()
}

// write writes the guards' files with the chosen edits, those without a switch cut where so asked, and gives the list
// by which the compiler finds them.
func (t *trial) write(name string, chosen func(*edit) bool, cut bool) (list string, err error) {
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	edits := map[string][]*edit{}
	at := map[string]int{}
	for _, g := range t.guards {
		for _, e := range g.outs {
			if chosen(e) {
				edits[g.file] = append(edits[g.file], e)
				at[g.file] = g.at
			}
		}
	}
	folder := filepath.Join(t.work, name)
	switches := filepath.Join(folder, "guardsoff.go")
	replaced := map[string]string{filepath.Join(root, "internal", "guardsoff", "guardsoff.go"): switches}
	problems := []error{os.MkdirAll(folder, 0o700), os.WriteFile(switches, []byte(off), 0o600)}
	for file, of := range edits {
		src, err := os.ReadFile(file)
		edited := weave(src, at[file], t.module+"/internal/guardsoff", of)
		if cut && of[0].cuts() {
			edited = of[0].cut(src)
		}
		target := filepath.Join(folder, file)
		replaced[filepath.Join(root, file)] = target
		problems = append(problems, err, os.MkdirAll(filepath.Dir(target), 0o700), os.WriteFile(target, edited, 0o600))
	}
	content, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	list = filepath.Join(folder, "overlay.json")
	return list, errors.Join(append(problems, err, os.WriteFile(list, content, 0o600))...)
}

// verdict is what became of a guard: caught, and by the tests of which package, or not, and why.
type verdict struct {
	caught bool
	detail string
}

func (v verdict) String() string {
	if v.caught {
		return "caught by " + v.detail + ":"
	}
	return v.detail + ":"
}

// try takes the guard out in each of its ways. It is caught if tests fail in all of them. A way that does not compile
// is none; a guard that has no other is not caught.
func (t *trial) try(ctx context.Context, g *guard, worker int) verdict {
	var by []string
	for _, out := range g.outs {
		caught, detail := t.tryOut(ctx, g, out, worker)
		switch {
		case caught:
			by = append(by, detail)
		case detail != "":
			return verdict{false, detail}
		}
	}
	if len(by) == 0 {
		return verdict{false, "DOES NOT COMPILE without the guard"}
	}
	slices.Sort(by)
	return verdict{true, strings.Join(slices.Compact(by), ", ")}
}

// tryOut runs the tests that reach an edit until one fails, and names its package. Where the edited code does not
// compile, detail is empty.
func (t *trial) tryOut(ctx context.Context, g *guard, e *edit, worker int) (caught bool, detail string) {
	overlay, own := t.overlay, e.alone || e.cuts() || g.engine != ""
	if own {
		var err error
		if overlay, err = t.write(fmt.Sprint("edit", e.number), func(other *edit) bool { return e == other },
			true); err != nil {
			return false, err.Error()
		}
		defer os.RemoveAll(filepath.Dir(overlay))
		if _, err := t.build(ctx, overlay, "./"+path.Dir(g.file)); err != nil {
			return false, ""
		}
	}
	if g.engine != "" {
		top, _, _ := strings.Cut(g.engine, "/")
		one := binary{path: filepath.Join(t.work, fmt.Sprint("engine", worker))}
		args := []string{"test", "-overlay", overlay, one.link(t.module), "-count", "1", "-failfast", "-vet=off", "-timeout",
			"20m"}
		if err := one.set(e.number); err != nil {
			return false, err.Error()
		}
		err := exec.CommandContext(ctx, "go", append(args, "-run", "^"+top+"$", "./e2e/...")...).Run()
		return err != nil && ctx.Err() == nil, map[bool]string{true: "./e2e", false: "SURVIVED"}[err != nil]
	}
	detail = "REACHED BY NO TEST"
	for _, folder := range t.reach["./"+path.Dir(g.file)] {
		s := t.suites[folder]
		s.once.Do(func() { s.problem = s.prepare(ctx, t) })
		if s.problem != nil {
			return false, s.problem.Error()
		}
		units := s.units
		if !e.alone && (!e.cuts() || e.noted >= 0) {
			units = slices.DeleteFunc(slices.Clone(units), func(u unit) bool { return !u.notes[e.number] })
		}
		if len(units) == 0 {
			continue
		}
		detail = "SURVIVED"
		with := s.binaries[worker]
		if own {
			with = binary{folder: folder, path: filepath.Join(filepath.Dir(overlay), "test")}
			if out, err := with.compile(ctx, overlay, t.module); err != nil {
				return false, fmt.Sprintf("%v: %s", err, out)
			}
		}
		failed, err := with.fails(ctx, e.number, units)
		if err != nil {
			return false, err.Error()
		}
		if failed {
			return true, folder
		}
	}
	return false, strings.TrimSpace(detail + " " + e.before)
}

// testers returns the module and, for each of its packages, the packages whose tests reach it: its own first, then
// those that import least. Those below e2e are left out: they take minutes each.
func testers(ctx context.Context) (reach map[string][]string, module string, err error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-json=Dir,ImportPath,Module,Deps,TestImports,XTestImports", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, "", fmt.Errorf("go list: %w", err)
	}
	type pkg struct {
		ImportPath                      string
		Module                          struct{ Path string }
		Deps, TestImports, XTestImports []string
	}
	byPath := map[string]*pkg{}
	var all []*pkg
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, "", fmt.Errorf("go list: %w", err)
		}
		byPath[p.ImportPath] = &p
		all = append(all, &p)
	}
	slices.SortFunc(all, func(a, b *pkg) int {
		return cmp.Or(len(a.Deps)-len(b.Deps), strings.Compare(a.ImportPath, b.ImportPath))
	})
	reach = map[string][]string{}
	for _, p := range all {
		if len(p.TestImports)+len(p.XTestImports) == 0 {
			continue
		}
		module = p.Module.Path
		folder := "." + strings.TrimPrefix(p.ImportPath, p.Module.Path)
		if strings.HasPrefix(folder, "./e2e") {
			continue
		}
		reached := slices.Concat(p.Deps, p.TestImports, p.XTestImports)
		for _, imported := range slices.Concat(p.TestImports, p.XTestImports) {
			if dep := byPath[imported]; dep != nil {
				reached = append(reached, dep.Deps...)
			}
		}
		slices.Sort(reached)
		for _, dep := range slices.Compact(reached) {
			if target := byPath[dep]; target != nil && dep != p.ImportPath {
				below := "." + strings.TrimPrefix(dep, target.Module.Path)
				reach[below] = append(reach[below], folder)
			}
		}
		reach[folder] = slices.Insert(reach[folder], 0, folder)
	}
	return reach, module, nil
}
