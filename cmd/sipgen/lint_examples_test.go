package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLintOfExamples: lint finds nothing in any example.
func TestLintOfExamples(t *testing.T) {
	examples, err := filepath.Glob("../../examples/*/site.yaml")
	check(t, err)
	if len(examples) < 6 {
		t.Fatalf("%d examples", len(examples))
	}
	finding := regexp.MustCompile(`(?m)(error|warning) (SIP\d+)`)
	for _, site := range examples {
		dir := filepath.Dir(site)
		args := []string{"lint", "--site", site}
		text, err := os.ReadFile(site)
		check(t, err)
		if !strings.Contains(string(text), "\n  inputs:\n") {
			for _, input := range [][]string{{"-f", "tenants", "cluster.yaml"}, {"--inventory", "hosts", "hosts.yaml"}} {
				for _, name := range input[1:] {
					if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
						args = append(args, input[0], filepath.Join(dir, name))
					}
				}
			}
		}
		var out, errs bytes.Buffer
		code := run(context.Background(), args, strings.NewReader(""), &out, &errs)
		var found []string
		for _, match := range finding.FindAllStringSubmatch(out.String(), -1) {
			found = append(found, match[0])
		}
		if len(found) > 0 || code != 0 {
			t.Errorf("%s: found %v with exit code %d, want nothing\n%s%s", dir, found, code, &out, &errs)
		}
	}
}
