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
		{"condition", "//guard: why\nif a > b {\nreturn nil\n}", []string{
			"if !guardsoff.Off(7) && guardsoff.Saw(7, 0, a > b) {", "if guardsoff.Off(7) || guardsoff.Saw(0, 7, a > b) {",
		}},
		{"condition with a statement", "//guard: why\nif x := f(); x {\nreturn nil\n}", []string{
			"if x := f(); !guardsoff.Off(7) && guardsoff.Saw(7, 0, x) {", "if x := f(); guardsoff.Off(7) || guardsoff.Saw(0, 7, x) {",
		}},
		{"case", "switch {\n//guard: why\ncase a > b:\n}", []string{
			"case !guardsoff.Off(7) && guardsoff.Saw(7, 0, a > b):", "case guardsoff.Off(7) || guardsoff.Saw(0, 7, a > b):",
		}},
		{"operand of and", "_ = a &&\n//guard: why\nb", []string{"(guardsoff.Off(7) || guardsoff.Saw(0, 7, b))"}},
		{"operand of or", "_ = a ||\n//guard: why\nb", []string{"(!guardsoff.Off(7) && guardsoff.Saw(7, 0, b))"}},
		{"answer", "//guard: why\nreturn a == b", []string{
			"return !guardsoff.Off(7) && guardsoff.Saw(7, 0, a == b)", "return guardsoff.Off(7) || guardsoff.Saw(0, 7, a == b)",
		}},
		{"answer of two", "_ = func() (a, b T, err error) {\n//guard: why\nreturn f()\n}", []string{
			"if !guardsoff.At(7) { return f() }", "if guardsoff.At(7) { return *new(T), *new(T), *new(error) }; return f()",
		}},
		{"statement", "//guard: why\nf()", []string{"if !guardsoff.At(7) { f() }"}},
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
				out.number = 7
				edited := weave(src, found[0].at, "guardsoff", []*edit{out})
				if out.cuts() {
					edited = out.cut(src)
				}
				got = append(got, strings.Split(string(edited), "\n")[found[0].line])
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
		"m/m.go": `package m

func Half(n int) int {
	//guard: noticed
	if n < 0 {
		return 0
	}
	//guard: not noticed
	if n > 1000 {
		return 500
	}
	limits := []int{
		//guard: an element that is noticed
		8,
	}
	//guard: noticed where each way compiles
	return n / 2 * len(limits)
}
`,
		"m/m_test.go": `package m

import "testing"

func TestNegative(t *testing.T) {
	if Half(-8) != 0 {
		t.Fail()
	}
}
`,
		"n/n_test.go": `package n

import (
	"testing"

	"example.org/m/m"
)

func TestHalf(t *testing.T) {
	if m.Half(8) != 4 {
		t.Fail()
	}
}

func TestFails(t *testing.T) { t.Fail() }
`,
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
		"caught by ./m, ./n: m/m.go:4: noticed\n", "REACHED BY NO TEST !guardsoff.Off(#) && guardsoff.Saw(#, 0,: m/m.go:8: not noticed\n",
		"caught by ./n: m/m.go:13: an element that is noticed\n", "caught by ./n: m/m.go:16: noticed where each way compiles\n", "4 guards, 3 caught, 1 not\n",
	} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("got %s, want %s", &stdout, want)
		}
	}
}
