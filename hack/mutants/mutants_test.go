package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestTable: every guard of the table is where it is said to be, and has rows that there are. A guard that was changed changes its
// mutant in the same commit.
func TestTable(t *testing.T) {
	t.Chdir("../..")
	tests := map[string]map[string]bool{}
	seen := map[string]bool{}
	for _, m := range table() {
		if _, err := m.overlayable(); err != nil {
			t.Errorf("%s: %v", m.why, err)
		}
		if m.why == "" || len(m.rows.names) == 0 || m.old == m.new {
			t.Errorf("%s: a mutant without a reason, rows or a change", m.String())
		}
		key := m.file + "\x00" + m.old + "\x00" + m.new + "\x00" + m.rows.folder
		if seen[key] {
			t.Errorf("%s: is a duplicate", m.String())
		}
		seen[key] = true
		if tests[m.rows.folder] == nil {
			tests[m.rows.folder] = testsOf(t, m.rows.folder)
		}
		for _, name := range m.rows.names {
			if top, _, _ := strings.Cut(name, "/"); !tests[m.rows.folder][top] {
				t.Errorf("%s: there is no test %s in %s", m.String(), top, m.rows.folder)
			}
		}
	}
}

// TestEveryRowHasAMutant: each row of the matrix in e2e/gitops_test.go fails without some guard, on one of the engines at least.
func TestEveryRowHasAMutant(t *testing.T) {
	rows := matrixRows(t, "../../e2e/gitops_test.go")
	if len(rows) < 30 {
		t.Errorf("the matrix has %d rows, want 30 or more: %v", len(rows), rows)
	}
	proven := map[string]bool{}
	for _, m := range table() {
		for _, name := range m.rows.names {
			if engine, row, found := strings.Cut(name, "/"); m.rows.folder == "e2e" && found && (engine == "TestFluxRows" || engine == "TestArgoRows") {
				proven[row] = true
			}
		}
	}
	for _, row := range rows {
		if !proven[row] {
			t.Errorf("row %s: no mutant says what it is for; add one to table_rows.go, and see it caught", row)
		}
		delete(proven, row)
	}
	for row := range proven {
		t.Errorf("a mutant names the row %s, which the matrix does not have", row)
	}
}

// matrixRows reads the names of the rows from the source: the first word of each entry of the variable rows.
func matrixRows(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	ast.Inspect(file, func(node ast.Node) bool {
		spec, is := node.(*ast.ValueSpec)
		if !is || spec.Names[0].Name != "rows" || len(spec.Values) != 1 {
			return true
		}
		for _, entry := range spec.Values[0].(*ast.CompositeLit).Elts {
			name, err := strconv.Unquote(entry.(*ast.CompositeLit).Elts[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		return false
	})
	return names
}

var testFunction = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9_]*\(t \*testing\.T\)|Fuzz[A-Za-z0-9_]*\(f \*testing\.F\))`)

// testsOf gives the names of a package's tests, and of its fuzz targets, whose seeds are tests.
func testsOf(t *testing.T, folder string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range testFunction.FindAllSubmatch(text, -1) {
			name, _, _ := strings.Cut(string(found[1]), "(")
			out[name] = true
		}
	}
	return out
}

// sample is a module with one guard and two rows: one that notices when it is gone, and one that does not.
func sample(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module sample\n\ngo 1.26\n",
		"door/door.go": "package door\n\nfunc Open(key string) bool {\n\tif key == \"\" {\n\t\treturn false\n\t}\n\treturn true\n}\n",
		"door/door_test.go": `package door

import "testing"

func TestNoKey(t *testing.T) {
	t.Run("an empty one", func(t *testing.T) {
		if Open("") {
			t.Error("open")
		}
	})
}

func TestKey(t *testing.T) {
	if !Open("k") {
		t.Error("shut")
	}
}

func TestSkipped(t *testing.T) { t.Skip("not here") }
`,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

func TestTry(t *testing.T) {
	sample(t)
	const guard = `if key == "" {`
	for _, row := range []struct {
		why  string
		m    mutant
		want string
		says string
	}{
		{"a row that notices", mutant{"door/door.go", guard, `if false {`, in("door", "TestNoKey/an_empty_one"), "x"}, wordCaught, "door_test.go:8: open"},
		{"a whole test that notices", mutant{"door/door.go", guard, `if false {`, in("door", "TestNoKey"), "x"}, wordCaught, ""},
		{"a row that does not", mutant{"door/door.go", guard, `if false {`, in("door", "TestKey"), "x"}, wordSurvived, "TestKey"},
		{"one of two that does not", mutant{"door/door.go", guard, `if false {`, in("door", "TestNoKey", "TestKey"), "x"}, wordSurvived, "guard: TestKey"},
		{"a guard that is not there any more", mutant{"door/door.go", "if lock {", "", in("door", "TestNoKey"), "x"}, wordInvalid, "stale"},
		{"a text that is there twice", mutant{"door/door.go", "return", "", in("door", "TestNoKey"), "x"}, wordInvalid, "stale"},
		{"what does not compile", mutant{"door/door.go", guard, "if {", in("door", "TestNoKey"), "x"}, wordInvalid, "does not compile"},
		{"what leaves a variable unused", mutant{"door/door.go", guard, "unused := 1\nif false {", in("door", "TestNoKey"), "x"}, wordInvalid, "does not compile"},
		{"no such test", mutant{"door/door.go", guard, `if false {`, in("door", "TestWindow"), "x"}, wordInvalid, "no such row"},
		{"no such row of a test", mutant{"door/door.go", guard, `if false {`, in("door", "TestNoKey/another"), "x"}, wordInvalid, "no such row"},
		{"a test that is skipped", mutant{"door/door.go", guard, `if false {`, in("door", "TestSkipped"), "x"}, wordInvalid, "skip"},
		{"a file that is not there", mutant{"door/gate.go", guard, ``, in("door", "TestNoKey"), "x"}, wordInvalid, "gate.go"},
	} {
		got := row.m.try(t.Context(), filepath.Join(t.TempDir(), "work"))
		if got.word != row.want || !strings.Contains(got.detail, row.says) {
			t.Errorf("%s: found %s %q, want %s with %q", row.why, got.word, got.detail, row.want, row.says)
		}
	}
}

func TestBaseline(t *testing.T) {
	sample(t)
	guard := mutant{"door/door.go", `if key == "" {`, `if false {`, in("door", "TestNoKey", "TestKey"), "x"}
	var log strings.Builder
	if err := baseline(t.Context(), []mutant{guard}, &log); err != nil {
		t.Error(err)
	}
	guard.rows = in("door", "TestSkipped")
	if err := baseline(t.Context(), []mutant{guard}, &log); err == nil || !strings.Contains(err.Error(), "TestSkipped: skip") {
		t.Errorf("a row that is skipped with the guard in its place: found %v", err)
	}
}

func TestSummary(t *testing.T) {
	var out strings.Builder
	chosen := []mutant{{"a.go", "x", "y", in("a", "TestA"), "wiped"}, {"b.go", "x", "y", in("b", "TestB"), "lost"}, {"c.go", "x", "y", in("c", "TestC"), "late"}}
	outcomes := []outcome{{wordCaught, "found x"}, {wordSurvived, "passed: TestB"}, {wordInvalid, "stale"}}
	if code := summary(&out, chosen, outcomes, 0); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	for _, want := range []string{"\n3 mutants, 1 caught, 1 survived, 1 invalid, in 0s\n", "SURVIVED: b.go: lost", "passed: TestB", "INVALID: c.go: late"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	out.Reset()
	if code := summary(&out, chosen[:1], outcomes[:1], time.Minute); code != 0 || out.String() != "1 mutants, 1 caught, 0 survived, 0 invalid, in 1m0s\n" {
		t.Errorf("exit code %d, want 0, and %q", code, out.String())
	}
}

// TestWithRows: a mutant keeps the rows that match, and the table itself is as it was.
func TestWithRows(t *testing.T) {
	table := []mutant{{"a.go", "x", "y", in("a", "TestA/x", "TestB/x"), "wiped"}, {"b.go", "x", "y", in("b", "TestB/y"), "lost"}}
	names := table[0].rows.names
	got := withRows(slices.Clone(table), regexp.MustCompile("^TestA"))
	if len(got[0].rows.names) != 1 || got[0].rows.names[0] != "TestA/x" || len(got[1].rows.names) != 0 {
		t.Errorf("found %v", got)
	}
	if names[0] != "TestA/x" || names[1] != "TestB/x" {
		t.Errorf("the rows of the table are %v now", names)
	}
}

func TestPatterns(t *testing.T) {
	got := strings.Join(patterns([]string{"TestA", "TestB/x", "TestC", "TestB/y.z"}), "  ")
	if want := `^(TestA|TestC)$  ^TestB$/^(x|y\.z)$`; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}
