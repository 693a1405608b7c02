package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory/inventorytest"
)

// TestBrokenSecretFile: a file that does not parse may be a Secret, and a YAML parser quotes what it does not understand.
func TestBrokenSecretFile(t *testing.T) {
	for _, value := range []string{"*" + inventorytest.Marker, "!!int " + inventorytest.Marker, `"\y` + inventorytest.Marker, "[" + inventorytest.Marker, "@" + inventorytest.Marker, "%" + inventorytest.Marker, "|x" + inventorytest.Marker, "'" + inventorytest.Marker, "&" + inventorytest.Marker + " *" + inventorytest.Marker + "2", "a: " + inventorytest.Marker + ": b", "!<" + inventorytest.Marker, "&" + inventorytest.Marker + " [*" + inventorytest.Marker + "]", "\n    ~: " + inventorytest.Marker, "\n    ? {a: " + inventorytest.Marker + "}\n    : x"} {
		file := filepath.Join(t.TempDir(), "s.yaml")
		text := "apiVersion: v1\nkind: Secret\nmetadata: {name: n1-net}\nstringData:\n  password: " + value + "\n"
		need.OK(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := Load([]string{file}, nil)
		if err == nil {
			t.Errorf("%s: no error", value)
			continue
		}
		inventorytest.NoMarker(t, err.Error())
	}
}

func TestOtherKindsAreLeftAlone(t *testing.T) {
	loaded, err := Load([]string{"-"}, strings.NewReader("apiVersion: example.org/v1\nkind: Machine\nmetadata: {name: x}\n---\napiVersion: v1\nkind: ConfigMap\n---\n"+inventorytest.HostYAML("n1", "", "")))
	if err != nil || len(loaded.Hosts) != 1 || loaded.Hosts[0].Key() != "metal/n1" {
		t.Errorf("got %v, %v", loaded, err)
	}
	if _, err := Load([]string{"-"}, strings.NewReader("apiVersion: metal3.io/v1alpha1\nkind: BaremetalHost\n---\n"+inventorytest.HostYAML("n1", "", ""))); err == nil || !strings.Contains(err.Error(), "did you mean") {
		t.Errorf("beside a kind that may be meant as a host: %v", err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"empty.yaml": "", "n1.yaml": inventorytest.HostYAML("n1", "", "")} {
		need.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	if loaded, err := Load([]string{filepath.Join(folder, "empty.yaml"), filepath.Join(folder, "n1.yaml")}, nil); err != nil || len(loaded.Hosts) != 1 {
		t.Errorf("beside an empty file: got %v, %v", loaded, err)
	}
	if _, err := Load([]string{"-"}, strings.NewReader("apiVersion: v1\nkind: ConfigMap\n")); err == nil || !strings.Contains(err.Error(), "no BareMetalHost") {
		t.Errorf("files without a host: %v", err)
	}
}

// TestKustomization: a folder with a kustomization is what kustomize builds from it, not the files that lie in it.
func TestKustomization(t *testing.T) {
	dir := write(t, map[string]string{
		"site/kustomization.yaml":  "resources: [../base]\nnamePrefix: r1-\npatches:\n- target: {kind: BareMetalHost}\n  patch: |\n    - {op: add, path: /metadata/labels, value: {rack: r1}}\n",
		"site/stray.yaml":          inventorytest.HostYAML("stray", "", ""),
		"base/kustomization.yaml":  "resources: [hosts.yaml]\nsecretGenerator:\n- name: n1-net\n  namespace: metal\n  files: [networkData=net.yaml]\n  options: {disableNameSuffixHash: true}\n",
		"base/hosts.yaml":          inventorytest.HostYAML("n1", "", ""),
		"base/net.yaml":            inventorytest.BothYAML,
		"broken/kustomization.yml": "resources: [none.yaml]\n",
		"plain/n2.yaml":            inventorytest.HostYAML("n2", "", ""),
	})
	inv, err := Load([]string{filepath.Join(dir, "site"), filepath.Join(dir, "plain")}, nil)
	need.OK(t, err)
	if len(inv.Hosts) != 2 || inv.Hosts[0].Name != "n2" || inv.Hosts[1].Name != "r1-n1" || inv.Hosts[1].Labels["rack"] != "r1" {
		t.Errorf("got %+v", inv.Hosts)
	}
	if want := filepath.ToSlash(filepath.Join(dir, "base/hosts.yaml")); inv.Hosts[1].Source.String() != want {
		t.Errorf("source %q, want %q", inv.Hosts[1].Source, want)
	}
	if _, err := Load([]string{filepath.Join(dir, "broken")}, nil); err == nil || !strings.Contains(err.Error(), "broken: kustomize: ") {
		t.Errorf("a kustomization that does not build: %v", err)
	}
}

// TestKustomizationKeepsSecrets: kustomize's own messages may hold what a file holds.
func TestKustomizationKeepsSecrets(t *testing.T) {
	for why, files := range map[string]map[string]string{
		"a broken Secret":     {"kustomization.yaml": "resources: [s.yaml]\n", "s.yaml": "kind: Secret\nstringData: {password: *" + inventorytest.Marker + "}\n"},
		"a Secret of no kind": {"kustomization.yaml": "resources: [s.yaml]\n", "s.yaml": "stringData: {password: " + inventorytest.Marker + "}\n"},
		"a literal":           {"kustomization.yaml": "secretGenerator:\n- name: x\n  literals: [" + inventorytest.Marker + "]\n"},
		"a remote base":       {"kustomization.yaml": "resources: ['https://root:" + inventorytest.Marker + "@127.0.0.1:1/x']\n"},
	} {
		_, err := Load([]string{write(t, files)}, nil)
		if err == nil {
			t.Errorf("%s: no error", why)
			continue
		}
		inventorytest.NoMarker(t, err.Error())
	}
}
