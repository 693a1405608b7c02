package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestArchiveForgetsTheDisk wants the same bytes whoever owns the files, whatever their mode and time.
func TestArchiveForgetsTheDisk(t *testing.T) {
	when := time.Unix(1767323045, 0).UTC()
	var archives [][]byte
	for i, mode := range []os.FileMode{0o600, 0o755} {
		folder := t.TempDir()
		var files []string
		for _, name := range []string{"sipgen", "LICENSE"} {
			path := filepath.Join(folder, name)
			require.NoError(t, os.WriteFile(path, []byte("content of "+name), mode))
			require.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(int64(i)*86400, 0)))
			files = append(files, path)
		}
		content := need.Value(archive(files, when))(t)
		archives = append(archives, content)
	}
	assert.Truef(t, bytes.Equal(archives[0], archives[1]), "equal files give two archives")
}

func TestBillOfMaterials(t *testing.T) {
	for _, row := range []struct{ why, in, want, err string }{
		{"the tool's own hashes go, a component's stay",
			`{"bomFormat":"CycloneDX","metadata":{"tools":[{"name":"x","hashes":[{"content":"tool"}]}]},"components":[{"hashes":[{"content":"kept"}]}]}`, "kept", ""},
		{"a time differs between two runs",
			`{"bomFormat":"CycloneDX","metadata":{"timestamp":"2026-01-01T00:00:00Z","tools":[{}]}}`, "",
			"serial number or a time"},
		{"so does a serial number", `{"bomFormat":"CycloneDX","serialNumber":"urn:uuid:1","metadata":{"tools":[{}]}}`,
			"", "serial number or a time"},
		{"a later form with the tools elsewhere is not passed on as it is",
			`{"bomFormat":"CycloneDX","metadata":{"tools":{"components":[]}}}`, "", "metadata.tools: missing"},
		{"another format", `{"spdxVersion":"SPDX-2.3"}`, "", "want CycloneDX"},
	} {
		out, err := sbom([]byte(row.in))
		switch {
		case row.err != "":
			need.Error(t, row.why, err, row.err)
		case err != nil:
			t.Errorf("%s: %v", row.why, err)
		case !strings.Contains(string(out), row.want) || strings.Contains(string(out), `"tool"`):
			t.Errorf("%s: %s", row.why, out)
		}
	}
}

// TestNotices: each text is there once, with those of code from elsewhere, and no module lacks a license.
func TestNotices(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go/LICENSE": "of Go", "go/src/fmt/print.go": "", "a/LICENSE": "shared", "a/NOTICE.txt": "notice of a",
		"a/in/third_party/x/COPYING": "of x", "a/other/LICENSE": "of no package", "b/License.md": "shared\r\n",
		"b/license.go": "package b", "c/c.go": "package c",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		need.Write(t, filepath.Join(root, name), text)
	}
	standard := `{"Dir": "ROOT/go/src/fmt", "Root": "ROOT/go", "Standard": true}`
	own := `{"Dir": "ROOT/none", "Module": {"Path": "sipgen", "Dir": "ROOT/none", "Main": true}}`
	a := `{"Dir": "ROOT/a/in/third_party/x", "Module": {"Path": "example.org/a", "Version": "v1.0.0", "Dir": "ROOT/a"}}`
	b := `{"Dir": "ROOT/b", "Module": {"Path": "example.org/b", "Version": "v1.0.0", "Dir": "ROOT/none",
		"Replace": {"Version": "v1.0.1", "Dir": "ROOT/b"}}}`
	c := `{"Dir": "ROOT/c", "Module": {"Path": "example.org/c", "Version": "v1.0.0", "Dir": "ROOT/c"}}`
	list := func(packages ...string) ([]byte, error) {
		return notices(strings.NewReader(strings.ReplaceAll(strings.Join(packages, "\n"), "ROOT",
			filepath.ToSlash(root))))
	}
	out := need.Value(list(standard, own, a, b, a))(t)
	for _, word := range []string{
		"\n\nexample.org/a v1.0.0: LICENSE\nexample.org/b v1.0.1: License.md\n\nshared\n",
		"\n\nexample.org/a v1.0.0: NOTICE.txt\n\nnotice of a\n",
		"\n\nexample.org/a v1.0.0: in/third_party/x/COPYING\n\nof x\n",
		"\n\nthe Go standard library: LICENSE\n\nof Go\n",
	} {
		assert.Contains(t, string(out), word, "the notices")
	}
	assert.NotContains(t, string(out), "of no package", "the notices")
	assert.NotContains(t, string(out), "license.go", "the notices")
	assert.Equal(t, string(out), string(need.Value(list(b, a, own, standard))(t)), "in another order")
	for want, packages := range map[string][]string{
		"example.org/c v1.0.0: no license": {a, c}, "no packages": {own}, "in no module": {`{"Dir": "x"}`},
		"go list: ": {"x"},
	} {
		_, err := list(packages...)
		need.Error(t, want, err, want)
	}
}
