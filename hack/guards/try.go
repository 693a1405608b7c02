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
	"path/filepath"
	"slices"
	"strings"
)

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
func (g *guard) try(ctx context.Context, packages []string) verdict {
	var by []string
	for _, out := range g.outs {
		caught, detail := g.tryOut(ctx, out, packages)
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

// tryOut runs the packages' tests on the edited code until one fails, and names that package. Where the edited code
// does not compile, detail is empty.
func (g *guard) tryOut(ctx context.Context, out edit, packages []string) (caught bool, detail string) {
	overlay, remove, err := g.overlay(out)
	if err != nil {
		return false, err.Error()
	}
	defer remove()
	if exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "./"+filepath.Dir(g.file)).Run() != nil {
		return false, ""
	}
	for _, folder := range packages {
		args := []string{"test", "-overlay", overlay, "-count", "1", "-failfast", "-vet=off", "-timeout", "20m", folder}
		if g.engine != "" {
			top, _, _ := strings.Cut(g.engine, "/")
			args = append(args, "-run", "^"+top+"$")
		}
		if exec.CommandContext(ctx, "go", args...).Run() != nil {
			return ctx.Err() == nil, folder
		}
	}
	return false, "SURVIVED"
}

// overlay writes the edited file and the list by which the compiler finds it; it gives the list's path.
func (g *guard) overlay(out edit) (list string, remove func(), err error) {
	file, err := filepath.Abs(g.file)
	if err != nil {
		return "", nil, err
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return "", nil, err
	}
	work, err := os.MkdirTemp("", "guards")
	if err != nil {
		return "", nil, err
	}
	edited, list := filepath.Join(work, filepath.Base(file)), filepath.Join(work, "overlay.json")
	content, err := json.Marshal(map[string]map[string]string{"Replace": {file: edited}})
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(work) }
	return list, remove, errors.Join(os.WriteFile(edited, out.apply(src), 0o600), os.WriteFile(list, content, 0o600))
}

// testers gives, for each package, the packages whose tests reach it: its own first, then those that import least.
// Those below e2e are left out: they take minutes each.
func testers(ctx context.Context) (map[string][]string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-json=Dir,ImportPath,Module,Deps,TestImports,XTestImports", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
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
			return nil, fmt.Errorf("go list: %w", err)
		}
		byPath[p.ImportPath] = &p
		all = append(all, &p)
	}
	slices.SortFunc(all, func(a, b *pkg) int {
		return cmp.Or(len(a.Deps)-len(b.Deps), strings.Compare(a.ImportPath, b.ImportPath))
	})
	reach := map[string][]string{}
	for _, p := range all {
		if len(p.TestImports)+len(p.XTestImports) == 0 {
			continue
		}
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
	return reach, nil
}
