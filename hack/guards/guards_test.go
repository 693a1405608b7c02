package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTakeOut(t *testing.T) {
	tests := []struct {
		name, body string
		want       []string // the changed line, in each way
	}{
		{"condition", "//guard: why\nif a > b {\nreturn nil\n}", []string{"if false && (a > b) {", "if true || (a > b) {"}},
		{"condition with a statement", "//guard: why\nif x := f(); x {\nreturn nil\n}",
			[]string{"if x := f(); false && (x) {", "if x := f(); true || (x) {"}},
		{"case", "switch {\n//guard: why\ncase a > b:\n}", []string{"case false && (a > b):", "case true || (a > b):"}},
		{"operand of and", "_ = a &&\n//guard: why\nb", []string{"(true || b)"}},
		{"operand of or", "_ = a ||\n//guard: why\nb", []string{"(false && b)"}},
		{"answer", "//guard: why\nreturn a == b", []string{"return false && (a == b)", "return true || (a == b)"}},
		{"statement", "//guard: why\nf()", []string{"if false {"}},
		{"element", "_ = []int{\n//guard: why\n1,\n2,\n}", []string{""}},
		{"argument", "f(a,\n//guard: why\nb,\n)", []string{""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			src := []byte("package p\n\nfunc g() {\n" + test.body + "\n}\n")
			found, err := guards("p.go", src)
			if err != nil || len(found) != 1 || found[0].why != "why" {
				t.Fatalf("got %v, %v", found, err)
			}
			var got []string
			for _, out := range found[0].outs {
				got = append(got, strings.Split(string(out.apply(src)), "\n")[found[0].line])
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestWrongMarks(t *testing.T) {
	for _, body := range []string{"//guard: nothing below\n\nf()", "//guard without a colon\nf()", "//guard:\nf()", "//guard: a definition\nx := 1"} {
		if found, err := guards("p.go", []byte("package p\n\nfunc g() {\n"+body+"\n}\n")); err == nil {
			t.Errorf("%q: got %v, want an error", body, found)
		}
	}
}

// TestMarks reads every mark of the project.
func TestMarks(t *testing.T) {
	t.Chdir("../..")
	found, err := marked(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Error("no guard is marked")
	}
}

// TestRun tries a guard that a test notices, and one that no test notices.
func TestRun(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"go.mod": "module example.org/m\n\ngo 1.26\n",
		"m/m.go": "package m\n\nfunc Half(n int) int {\n\t//guard: noticed\n\tif n < 0 {\n\t\treturn 0\n\t}\n" +
			"\t//guard: not noticed\n\tif n > 1000 {\n\t\treturn 500\n\t}\n\treturn n / 2\n}\n",
		"m/m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestHalf(t *testing.T) {\n" +
			"\tif Half(-8) != 0 || Half(8) != 4 {\n\t\tt.Fail()\n\t}\n}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"-parallel", "1"}, &stdout, &stderr); code != 1 {
		t.Errorf("exit code %d, want 1: %s", code, &stderr)
	}
	for _, want := range []string{
		"caught by ./m: m/m.go:4: noticed\n", "SURVIVED: m/m.go:8: not noticed\n", "2 guards, 1 caught, 1 not\n",
	} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("got %s, want %s", &stdout, want)
		}
	}
}
