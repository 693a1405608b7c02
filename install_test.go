package sipgen_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// TestConfigBuilds: kubectl apply -k config brings both definitions, and an account with the rights of the reader that a tree has.
func TestConfigBuilds(t *testing.T) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), "config")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, object := range built.Resources() {
		kinds[object.GetKind()]++
	}
	if kinds["CustomResourceDefinition"] != 2 || kinds["ClusterRole"] != 2 || kinds["ClusterRoleBinding"] != 1 || kinds["RoleBinding"] != 0 {
		t.Errorf("got %v", kinds)
	}
	rules := regexp.MustCompile(`(?m)^- \{apiGroups: .*$`)
	reader, rendered := readText(t, "config/reader.yaml"), readText(t, "golden/single/policy/reader.yaml")
	if got, want := rules.FindAllString(reader, -1), rules.FindAllString(rendered, -1); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("rights:\n%s\nwant those of golden/single/policy/reader.yaml:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSupportedVersions: the page names the versions that e2e/engines pins.
func TestSupportedVersions(t *testing.T) {
	page := readText(t, "docs/supported-versions.md")
	for _, row := range []struct{ program, engine, module string }{
		{"Kubernetes (kube-apiserver)", "kubernetes", "k8s.io/kubernetes"},
		{"metal3 baremetal-operator", "baremetal-operator", "github.com/metal3-io/baremetal-operator"},
		{"Flux kustomize-controller, source-controller", "kubernetes", "github.com/fluxcd/kustomize-controller"},
		{"Flux kustomize-controller, source-controller", "kubernetes", "github.com/fluxcd/source-controller"},
		{"Argo CD", "kubernetes", "github.com/argoproj/argo-cd/v3"},
		{"Cluster API, with its metal3 provider", "baremetal-operator", "sigs.k8s.io/cluster-api"},
		{"cert-manager", "cert-manager", "github.com/cert-manager/cert-manager"},
	} {
		pinned := regexp.MustCompile(`(?m)^(?:require |\t)` + regexp.QuoteMeta(row.module) + ` v(\d+\.\d+)\.`).FindStringSubmatch(readText(t, "e2e/engines/"+row.engine+"/go.mod"))
		if len(pinned) == 0 || !strings.Contains(page, "| "+row.program+" | "+pinned[1]+" |") {
			t.Errorf("%s: e2e/engines/%s pins %v, and docs/supported-versions.md says another version", row.program, row.engine, pinned)
		}
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
