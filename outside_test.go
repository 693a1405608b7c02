package sipgen_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutsideModule builds testdata/outside in a module that is none of ours, where nothing below internal can be imported, and holds the
// tree that it makes against the golden one. Its second run changes nothing.
func TestOutsideModule(t *testing.T) {
	repository, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	const own = "module github.com/airshipit/sipgen"
	if !bytes.HasPrefix(mod, []byte(own+"\n")) {
		t.Fatalf("go.mod: want %q first", own)
	}
	mod = append([]byte("module outside.example\n"), bytes.TrimPrefix(mod, []byte(own+"\n"))...)
	mod = append(mod, "\nrequire github.com/airshipit/sipgen v0.0.0\n\nreplace github.com/airshipit/sipgen => "+repository+"\n"...)
	for file, from := range map[string]string{"go.sum": "go.sum", "main.go": "testdata/outside/main.go"} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), mod, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-mod=mod", "-o", "outside", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	tree := filepath.Join(dir, "tree")
	for _, want := range []string{" added, 0 changed, 0 deleted\n", "0 added, 0 changed, 0 deleted\n"} {
		out, err := exec.Command(filepath.Join(dir, "outside"), "examples/single/site.yaml", "examples/single/cluster.yaml", "examples/single/hosts.yaml", tree).CombinedOutput()
		if err != nil || !strings.HasSuffix(string(out), want) {
			t.Fatalf("want %q, found %q, %v", want, out, err)
		}
	}
	if out, err := exec.Command("diff", "-r", "-x", ".sipgen.yaml", filepath.Join("golden", "single"), tree).CombinedOutput(); err != nil {
		t.Errorf("not the golden tree: %v\n%s", err, out)
	}
}

// TestExamplesAreForOutsiders: an example that imports what stands below internal is none for others.
func TestExamplesAreForOutsiders(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() != "example_test.go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		found[filepath.ToSlash(filepath.Dir(path))] = true
		if !strings.HasSuffix(file.Name.Name, "_test") {
			t.Errorf("%s: package %s, want one of its own", path, file.Name.Name)
		}
		for _, spec := range file.Imports {
			if strings.Contains(spec.Path.Value, "/internal/") {
				t.Errorf("%s: imports %s", path, spec.Path.Value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"api", "inventory/files", "schedule", "render", "publish"} {
		if !found[folder] {
			t.Errorf("%s: no example_test.go", folder)
		}
	}
}
