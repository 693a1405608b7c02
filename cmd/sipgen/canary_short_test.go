package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
)

// ofSecrets are the fields where a short password is likely to be put: those that hold or name a secret, and the values of variables.
var ofSecrets = regexp.MustCompile(`(?i)secret|passw|token|credential|bindpw|private|hostkeys|authorizedkeys|env\[\]\.(value|\*)|env\.\*|rootcadata|caBundle`)

// TestNoShortPasswordIsPrinted: no rule tells a short password from a name, so what stands in a field of secrets is repeated by no error, whatever it looks
// like. docs/tenants.md says so.
func TestNoShortPasswordIsPrinted(t *testing.T) {
	const password = "hunter2"
	for _, input := range []struct {
		file   string
		fields []string
		least  int
	}{
		{"cluster.yaml", append(stringFields(reflect.TypeFor[v1.SIPCluster](), "", 14), connectors()...), 14},
		{"site.yaml", stringFields(reflect.TypeFor[v1alpha1.Site](), "", 14), 10},
	} {
		fields := slices.DeleteFunc(slices.Clone(input.fields), func(field string) bool { return !ofSecrets.MatchString(field) })
		if len(fields) < input.least {
			t.Fatalf("%s: found %d fields of secrets, want %d: %q", input.file, len(fields), input.least, fields)
		}
		dir := t.TempDir()
		check(t, os.CopyFS(dir, os.DirFS("../../examples/full-service")))
		path := filepath.Join(dir, input.file)
		text, err := os.ReadFile(path)
		check(t, err)
		_, objects, _ := strings.Cut(string(text), "apiVersion:") // comments stand before the first
		first, rest, _ := strings.Cut("apiVersion:"+objects, "\n---\n")
		refused := 0
		for _, field := range fields {
			var object any
			check(t, yaml.Unmarshal([]byte(first), &object))
			changed, err := yaml.Marshal(put(object, field, password))
			check(t, err)
			check(t, os.WriteFile(path, []byte(string(changed)+"---\n"+rest), 0o600))
			in := []string{"render", "--out", filepath.Join(dir, "out"), "--site", filepath.Join(dir, "site.yaml"), "-f", filepath.Join(dir, "cluster.yaml"), "--inventory", filepath.Join(dir, "hosts.yaml")}
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), in, nil, &stdout, &stderr); !wasRefused(code, stderr.String()) {
				check(t, os.RemoveAll(filepath.Join(dir, "out")))
				continue // it is the name of a Secret there, and a good one
			}
			refused++
			if said := stdout.String() + stderr.String(); strings.Contains(said, password) {
				t.Errorf("%s: %s: it is repeated:\n%s", input.file, field, said)
			}
		}
		t.Logf("%s: %d fields, %d refused", input.file, len(fields), refused)
		if refused == 0 {
			t.Errorf("%s: nothing was refused", input.file)
		}
	}
}

func connectors() (fields []string) {
	for _, field := range connectorFields {
		fields = append(fields, "spec.services.dex[].connectors[]."+field)
	}
	return fields
}
