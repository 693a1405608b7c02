package sipgen_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// TestConfigBuilds: kubectl apply -k config brings both definitions, and an account with the rights of the reader that
// a tree has.
func TestConfigBuilds(t *testing.T) {
	built := need.Value(krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), "config"))(t)
	kinds := map[string]int{}
	for _, object := range built.Resources() {
		kinds[object.GetKind()]++
	}
	assert.Truef(t,
		kinds["CustomResourceDefinition"] == 2 && kinds["ClusterRole"] == 2 && kinds["ClusterRoleBinding"] == 1 &&
			kinds["RoleBinding"] == 0,
		"got %v", kinds)
	rules := func(file string) (all []rbacv1.PolicyRule) {
		for document := range strings.SplitSeq(readText(t, file), "\n---\n") {
			var role rbacv1.Role // the rules of a ClusterRole are at the same place
			require.NoError(t, yaml.Unmarshal([]byte(document), &role))
			all = append(all, role.Rules...)
		}
		return all
	}
	assert.Truef(t, len(rules("config/reader.yaml")) > 5, "config/reader.yaml has few rules")
	assert.Equal(t, rules("golden/single/policy/reader.yaml"), rules("config/reader.yaml"), "config/reader.yaml")
}

// TestSupportedVersions: the page names the versions that e2e/engines pins.
func TestSupportedVersions(t *testing.T) {
	page := readText(t, "docs/supported-versions.md")
	for _, row := range []struct{ program, engine, module string }{
		{"Kubernetes (kube-apiserver)", "kubernetes", "k8s.io/kubernetes"},
		{"metal3 baremetal-operator", "kubernetes", "github.com/metal3-io/baremetal-operator"},
		{"Flux kustomize-controller, source-controller", "kubernetes", "github.com/fluxcd/kustomize-controller"},
		{"Flux kustomize-controller, source-controller", "kubernetes", "github.com/fluxcd/source-controller"},
		{"Argo CD", "kubernetes", "github.com/argoproj/argo-cd/v3"},
		{"Cluster API, with its metal3 provider", "kubernetes", "sigs.k8s.io/cluster-api"},
		{"cert-manager", "cert-manager", "github.com/cert-manager/cert-manager"},
	} {
		pinned := regexp.MustCompile(`(?m)^(?:require |\t)` + regexp.QuoteMeta(row.module) +
			` v(\d+\.\d+)\.`).FindStringSubmatch(readText(t, "e2e/engines/"+row.engine+"/go.mod"))
		assert.Truef(t, len(pinned) != 0 && strings.Contains(page, "| "+row.program+" | "+pinned[1]+" |"),
			"%s: e2e/engines/%s pins %v, and docs/supported-versions.md says another version", row.program, row.engine,
			pinned)
	}
}

// released says whether v0.1.0 is out: its section of the changelog has a date, which hack/cut-release.sh gives it with
// the commit that is tagged.
var released = regexp.MustCompile(`(?m)^## v0\.1\.0 \(\d{4}-\d\d-\d\d\)$`)

// TestPagesKnowTheRelease: as long as there is no release the pages say so, and hack/cut-release.sh turns them with the
// changelog.
func TestPagesKnowTheRelease(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"CHANGELOG.md", "README.md", "docs/ci.md", "hack/cut-release.sh"} {
		need.Write(t, filepath.Join(dir, name), readText(t, name))
	}
	cut := func(version string) (string, error) {
		script := exec.Command("bash", filepath.Join(dir, "hack/cut-release.sh"), version, "2030-01-02")
		script.Env = append(os.Environ(), "GO=true") // the kept trees are another test's
		out, err := script.CombinedOutput()
		return string(out), err
	}
	for _, isOut := range []bool{released.MatchString(readText(t, "CHANGELOG.md")), true} {
		for _, page := range []string{"README.md", "docs/ci.md"} {
			text := readText(t, filepath.Join(dir, page))
			assert.Equal(t, !isOut, strings.Contains(text, "No release is published yet"), page)
			assert.Equal(t, isOut, strings.Contains(text, "releases/latest"), page)
		}
		if !isOut {
			out, err := cut("v0.1.0")
			require.Truef(t, err == nil && released.MatchString(readText(t, filepath.Join(dir, "CHANGELOG.md"))),
				"%v\n%s", err, out)
		}
	}
	for version, want := range map[string]string{"v0.1.0": "is there already", "0.2.0": "want one like v1.2.3",
		"v0.2.0-preview": "want one like v1.2.3"} {
		out, err := cut(version)
		assert.Truef(t, err != nil && strings.Contains(out, want), "%s: %v\n%s\nwant %s", version, err, out, want)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text := need.Read(t, path)
	return string(text)
}
