package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
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
			need.OK(t, os.WriteFile(path, []byte("content of "+name), mode))
			need.OK(t, os.Chtimes(path, time.Time{}, time.Unix(int64(i)*86400, 0)))
			files = append(files, path)
		}
		content := need.Value(archive(files, when))(t)
		archives = append(archives, content)
	}
	need.That(t, bytes.Equal(archives[0], archives[1]), "equal files give two archives")
}

func TestBillOfMaterials(t *testing.T) {
	for _, row := range []struct{ why, in, want, err string }{
		{"the tool's own hashes go, a component's stay",
			`{"bomFormat":"CycloneDX","metadata":{"tools":[{"name":"x","hashes":[{"content":"tool"}]}]},"components":[{"hashes":[{"content":"kept"}]}]}`, "kept", ""},
		{"a time differs between two runs", `{"bomFormat":"CycloneDX","metadata":{"timestamp":"2026-01-01T00:00:00Z","tools":[{}]}}`, "", "serial number or a time"},
		{"so does a serial number", `{"bomFormat":"CycloneDX","serialNumber":"urn:uuid:1","metadata":{"tools":[{}]}}`, "", "serial number or a time"},
		{"a later form with the tools elsewhere is not passed on as it is", `{"bomFormat":"CycloneDX","metadata":{"tools":{"components":[]}}}`, "", "metadata.tools: missing"},
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
