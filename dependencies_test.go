package sipgen_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDependencies holds the table of ARCHITECTURE.md against go.mod: a row for each direct dependency, with the packages that import it.
func TestDependencies(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n## Dependencies\n")
	if !found {
		t.Fatal("ARCHITECTURE.md has no section Dependencies")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .+ \\| (.+) \\|$").FindAllStringSubmatch(section, -1) {
		if _, twice := rows[row[1]]; twice {
			t.Errorf("%s: two rows", row[1])
		}
		rows[row[1]] = row[2]
	}
	for name, packages := range importers(t, directDependencies(t)) {
		want := "tests"
		switch {
		case len(packages) > 4:
			want = "several"
		case len(packages) > 0:
			want = "`" + strings.Join(packages, "`, `") + "`"
		}
		switch got, there := rows[name]; {
		case !there:
			t.Errorf("%s: no row, want one that ends in | %s |", name, want)
		case got != want:
			t.Errorf("%s: found %q, want %q", name, got, want)
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("%s: a row, and no direct dependency", name)
	}
}

// directDependencies are the modules that go.mod requires without the mark of an indirect one.
func directDependencies(t *testing.T) []string {
	t.Helper()
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, row := range regexp.MustCompile(`(?m)^\t(\S+) v\S+(.*)$`).FindAllStringSubmatch(string(mod), -1) {
		if !strings.HasSuffix(row[2], "// indirect") {
			out = append(out, row[1])
		}
	}
	return out
}

// importers are the packages that import each module, without tests, the rows below e2e and the scripts in hack.
func importers(t *testing.T, modules []string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, name := range modules {
		out[name] = nil
	}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			_, other := os.Stat(filepath.Join(file, "go.mod"))
			if file != "." && (other == nil || file == "e2e" || file == "hack" || strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			of := ""
			for _, m := range modules {
				if (name == m || strings.HasPrefix(name, m+"/")) && len(m) > len(of) {
					of = m
				}
			}
			if dir := path.Dir(filepath.ToSlash(file)); of != "" && !slices.Contains(out[of], dir) {
				out[of] = append(out[of], dir)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range out {
		slices.Sort(out[name])
	}
	return out
}
