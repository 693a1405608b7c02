package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
)

func procedure(t *testing.T, page string, headings ...string) []string {
	t.Helper()
	return engine.Procedure(t, page, headings...)
}

// run runs blocks of commands in one shell, in a folder that has what the page says is there. Any command that fails fails the test.
// It gives what was printed.
func (c *circle) run(t *testing.T, blocks []string) string {
	t.Helper()
	dir := t.TempDir()
	site, err := yaml.Marshal(map[string]any{
		"apiVersion": v1alpha1.APIVersion, "kind": v1alpha1.Kind, "metadata": map[string]any{"name": c.site.Name}, "spec": c.site.Spec,
	})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"site-new.yaml": string(site)}
	for name, spec := range c.specs {
		files["tenants/"+name+".yaml"] = spec
	}
	for name, content := range c.tree {
		files[name] = string(content)
	}
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", strings.Join(blocks, "\n"))
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + strings.Join([]string{filepath.Dir(engine.Binary(t, "kubectl")), filepath.Dir(sipgenBinary(t)), os.Getenv("PATH")}, string(os.PathListSeparator)),
		"KUBECONFIG=" + engine.Kubeconfig(t, c.rig.api.Config()), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=me", "GIT_AUTHOR_EMAIL=me@example.org", "GIT_COMMITTER_NAME=me", "GIT_COMMITTER_EMAIL=me@example.org",
		"SITE=" + c.site.Name, "TENANT=" + c.tenants + ".a",
		"REPO=" + c.repo.URL(), "FOLDER=" + c.site.Spec.Repository.Path, "OLD=" + c.oldFolder, "TMPDIR=" + dir,
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n---\n%s", err, strings.Join(blocks, "\n"), out)
	}
	return string(out)
}

// blockWith is the one block that has the words.
func blockWith(t *testing.T, blocks []string, words string) string {
	t.Helper()
	found := ""
	for _, block := range blocks {
		if strings.Contains(block, words) {
			if found != "" {
				t.Fatalf("two blocks have %q", words)
			}
			found = block
		}
	}
	if found == "" {
		t.Fatalf("no block has %q:\n%s", words, strings.Join(blocks, "\n"))
	}
	return found
}

func TestCodeBlocks(t *testing.T) {
	const page = "# Page\n\n    of nobody\n\n## One\n\n    a\n\n    b\nText.\n\n1. Item:\n   ```sh\n   c |\n     d\n   ```\n\n       e\n\n### Below\n\n    f\n\n## Other\n\n```\ng\n```\n"
	for _, row := range []struct {
		headings []string
		want     []string
	}{
		{[]string{"One"}, []string{"a\n\nb\n", "c |\n  d\n", "e\n"}},
		{[]string{"One", "Below"}, []string{"f\n"}},
		{[]string{"Other"}, []string{"g\n"}},
		{[]string{"Below"}, nil},
	} {
		if got := engine.CodeBlocks(t, []byte(page), row.headings); !slices.Equal(got, row.want) {
			t.Errorf("%q: found %q, want %q", row.headings, got, row.want)
		}
	}
}

// TestProceduresNameTheirVariables: every variable in the commands is one that the page says to set.
func TestProceduresNameTheirVariables(t *testing.T) {
	variable := regexp.MustCompile(`\$\{?([A-Z_]+)`)
	for _, page := range []string{"safety.md", "gitops.md"} {
		content, err := os.ReadFile(filepath.Join("..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range variable.FindAllStringSubmatch(string(content), -1) {
			set := regexp.MustCompile(`(?m)^    export .*\b` + match[1] + `=`)
			if safety, err := os.ReadFile(filepath.Join("..", "docs", "safety.md")); err != nil || !set.Match(content) && !set.Match(safety) {
				t.Errorf("docs/%s: nothing sets %s (%v)", page, match[1], err)
			}
		}
	}
}
