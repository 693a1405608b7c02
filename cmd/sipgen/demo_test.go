package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// TestDemosAreQuiet: the demos run, and warn a newcomer of nothing; nor does a plan of the example that README.md shows.
func TestDemosAreQuiet(t *testing.T) {
	for _, name := range []string{"bash", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			need.Missing(t, name)
		}
	}
	for _, script := range []string{
		`bash hack/demo.sh "$(command -v sipgen)" "$1"`,
		`bash hack/demo-site.sh "$(command -v sipgen)" "$1"`,
		`sipgen plan --site examples/single/site.yaml --previous none`,
	} {
		cmd := exec.Command("bash", "-euc", script, "demo", filepath.Join(t.TempDir(), "demo"))
		cmd.Dir = filepath.Join("..", "..")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, "warning") {
				t.Errorf("%s: %s", script, line)
			}
		}
	}
}
