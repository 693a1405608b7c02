package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The programs that are tested are real modules, run by the real go test.
func TestTally(t *testing.T) {
	const module = "module sample\n\ngo 1.26\n"
	good := map[string]string{"go.mod": module, "a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.Log(\"quiet\") }) }\n"}
	with := func(files map[string]string, name, body string) map[string]string {
		out := map[string]string{name: "package b\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = os.Args\n\n" + body}
		for name, text := range files {
			out[name] = text
		}
		return out
	}
	for _, row := range []struct {
		why   string
		files map[string]string
		args  string
		ci    string
		code  int
		// last is the last line; says is in what is printed before, and not is not.
		last      string
		says, not string
	}{
		{"all pass, subtests count", good, "-- go test ./...", "true", 0, "2 passed, 0 failed, 0 skipped", "ok  \tsample/a", "quiet"},
		{"two commands are one sum", good, "-- go test ./... -- go test -count=1 ./a", "", 0, "4 passed, 0 failed, 0 skipped", "", ""},
		{"a variable before a command", with(good, "b/b_test.go", "func TestB(t *testing.T) { t.Log(os.Getenv(\"SAID\")); t.Fail() }\n"), "-- SAID=aloud go test ./...", "", 1, "2 passed, 1 failed, 0 skipped", "aloud", ""},
		{"one is skipped", with(good, "b/b_test.go", "func TestB(t *testing.T) { t.Skip(\"no sshd\") }\n"), "-- go test ./...", "", 0, "2 passed, 0 failed, 1 skipped", "skipped: sample/b TestB: b_test.go:10: no sshd", ""},
		{"one is skipped in CI", with(good, "b/b_test.go", "func TestB(t *testing.T) { t.Skip(\"no sshd\") }\n"), "-- go test ./...", "true", 1, "2 passed, 0 failed, 1 skipped", "nothing may be skipped", ""},
		{"one fails", with(good, "b/b_test.go", "func TestB(t *testing.T) { t.Error(\"broken\") }\n"), "-- go test ./... -- go version", "", 1, "2 passed, 1 failed, 0 skipped", "b_test.go:10: broken", "go1"},
		{"a subtest fails, and with it its test", with(good, "b/b_test.go", "func TestB(t *testing.T) { t.Run(\"y\", func(t *testing.T) { t.Error(\"broken\") }) }\n"), "-- go test ./...", "", 1, "2 passed, 2 failed, 0 skipped", "failed: sample/b TestB/y", ""},
		{"one does not compile", with(good, "b/b_test.go", "func TestB(t *testing.T) { undefined() }\n"), "-- go test ./...", "", 1, "2 passed, 1 failed, 0 skipped", "undefined: undefined", ""},
		{"one panics", with(good, "b/b_test.go", "func TestB(t *testing.T) { panic(\"oh\") }\n"), "-- go test ./...", "", 1, "2 passed, 1 failed, 0 skipped", "panic: oh", ""},
		{"one ends the program", with(good, "b/b_test.go", "func TestB(t *testing.T) { go func() { panic(\"later\") }(); select {} }\n"), "-- go test ./...", "", 1, "2 passed, 1 failed, 0 skipped", "panic: later", ""},
		{"one takes too long", with(good, "b/b_test.go", "func TestB(t *testing.T) { select {} }\n\nfunc init() { go func() { select {} }() }\n"), "-- go test -timeout 2s ./...", "", 1, "2 passed, 1 failed, 0 skipped", "test timed out", ""},
		{"no such package", good, "-- go test ./nowhere", "", 1, "0 passed, 1 failed, 0 skipped", "nowhere", ""},
		{"another command fails", good, "-- go vet ./nowhere -- go test ./...", "", 1, "0 passed, 1 failed, 0 skipped", "not run: go test ./...", "sample/a"},
		{"another command passes", good, "-- go version -- go test ./...", "", 0, "2 passed, 0 failed, 0 skipped", "go version", ""},
	} {
		t.Run(row.why, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range row.files {
				file := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(dir)
			t.Setenv("CI", row.ci)
			var out strings.Builder
			code := run(t.Context(), strings.Fields(row.args), &out, &out)
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if last := lines[len(lines)-1]; code != row.code || last != row.last {
				t.Errorf("found exit code %d and %q, want %d and %q\n%s", code, last, row.code, row.last, out.String())
			}
			if !strings.Contains(out.String(), row.says) || row.not != "" && strings.Contains(out.String(), row.not) {
				t.Errorf("want %q and not %q in\n%s", row.says, row.not, out.String())
			}
		})
	}
}

func TestUsage(t *testing.T) {
	var out strings.Builder
	if code := run(t.Context(), []string{"--"}, &out, &out); code != 2 || !strings.Contains(out.String(), "usage") {
		t.Errorf("found %d, %s", code, out.String())
	}
}
