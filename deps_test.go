package sipgen_test

import (
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

const module = "github.com/airshipit/sipgen/"

// folders says what each package may import from sipgen. An entry is a folder with everything below it; the longest
// name wins. Tests are exempt.
var folders = map[string][]string{
	"api/upstream": {},
	"api":          {"api", "internal/fields", "internal/manifest", "internal/redact", "internal/release", "inventory"},
	// A script; the package is for the tests that run it.
	"cmd/sipgen": {""},
	"cmd/sipgen/internal/cmdline": {"api", "cmd/sipgen/internal/terminal", "internal/app", "internal/manifest",
		"internal/redact", "inventory", "publish"},
	"cmd/sipgen/internal/push": {"api", "cmd/sipgen/internal/cmdline", "cmd/sipgen/internal/terminal", "internal/app",
		"internal/forge", "internal/manifest", "internal/redact", "internal/report", "publish"},
	"cmd/sipgen/internal/setup": {"api", "cmd/sipgen/internal/cmdline", "cmd/sipgen/internal/terminal", "internal/app",
		"internal/fields", "internal/finding", "internal/holdings", "internal/kustomization", "internal/manifest",
		"internal/redact", "internal/report/sentence", "internal/survey", "internal/takeover", "internal/tenancy", "inventory",
		"publish", "schedule"},
	"cmd/sipgen/internal/terminal": {"internal/redact"},
	"cmd/sipgen/internal/whatif": {"api", "cmd/sipgen/internal/cmdline", "internal/admit", "internal/app",
		"internal/kustomization", "internal/manifest", "internal/redact", "internal/report/sentence", "internal/tenancy", "internal/vino",
		"inventory", "schedule"},
	"e2e":               {""},
	"internal/forge":    {"internal/redact"},
	"hack":              {""},
	"internal/garbage":  {},
	"internal/history":  {"internal/redact", "schedule"},
	"internal/holdings": {"inventory", "internal/manifest"},
	"internal/order":    {},
	"internal/text":     {},
	"inventory":         {"internal/manifest"},
	"inventory/bmh":     {"inventory", "internal/manifest", "internal/redact"},
	"inventory/files":   {"inventory", "inventory/bmh", "internal/kustomization", "internal/manifest"},
	"inventory/live":    {"inventory", "inventory/bmh", "internal/manifest", "internal/redact"},
	// Only the tests of the sources use it.
	"inventory/inventorytest": {"inventory"},
	// The steps of a run: what they take, and not how it is shown.
	"internal/app": {"api", "internal/admit", "internal/finding", "internal/foreign", "internal/history", "internal/holdings", "internal/kustomization", "internal/lint", "internal/manifest",
		"internal/netplan", "internal/objdiff", "internal/overlay", "internal/preflight", "internal/redact", "internal/report", "internal/tenancy", "inventory", "publish", "render", "schedule"},
	"internal/finding":             {"api", "internal/manifest"},
	"internal/admit":               {"api", "inventory", "internal/finding", "internal/holdings", "internal/manifest", "internal/netplan", "internal/redact", "internal/tenancy", "render", "schedule"},
	"internal/lint":                {"api", "inventory", "internal/finding", "internal/holdings", "internal/manifest", "internal/redact", "schedule"},
	"internal/kustomization":       {"internal/manifest"},
	"internal/manifest":            {"internal/redact"},
	"internal/overlay":             {"api", "internal/manifest", "internal/objdiff", "render/object"},
	"internal/picture":             {"api", "inventory", "internal/report", "schedule"},
	"internal/preflight":           {"api", "inventory", "internal/finding", "internal/holdings", "internal/redact"},
	"publish":                      {"publish", "internal/redact"},
	"publish/internal/credentials": {"internal/redact"},
	"publish/internal/folder":      {"publish/internal/treefs"},
	"publish/internal/objects":     {"publish/internal/treefs"},
	"publish/internal/treefs":      {"internal/redact"},
	"publish/internal/wire":        {"internal/redact"},
	"internal/redact":              {},
	"internal/release":             {},
	"internal/netplan":             {"api", "inventory", "internal/finding", "internal/manifest", "internal/vino"},
	"internal/vino":                {"api"},
	"render":                       {"api", "inventory", "internal/manifest", "internal/vino", "internal/report/sentence", "schedule", "templates", "render"},
	"render/flux":                  {"api", "inventory"},
	"render/argocd":                {"api", "inventory"},
	"render/assignments":           {"api", "inventory", "internal/manifest", "render/object", "schedule"},
	"render/planmd":                {"api", "inventory", "internal/report/sentence", "internal/vino", "render/assignments", "render/argocd", "render/infra", "render/site", "schedule"},
	"render/guard":                 {"api", "inventory", "render/argocd", "render/flux", "render/site"},
	"render/object":                {},
	"internal/report":              {"api", "inventory", "internal/finding", "internal/holdings", "internal/objdiff", "internal/redact", "internal/report", "schedule"},
	"schedule":                     {"api", "inventory", "internal/holdings", "internal/manifest", "internal/redact", "schedule"},
	"schedule/solve":               {},
	"internal/tenancy":             {"api", "inventory", "internal/holdings", "internal/manifest", "internal/overlay", "internal/redact", "schedule"},
	"templates":                    {},
	"internal/foreign":             {"internal/redact"},
	"internal/survey":              {"inventory"},
	"internal/fields":              {"internal/manifest", "internal/redact"},
	"docs/runbooks":                {},
	"internal/status":              {"api", "inventory", "internal/holdings", "internal/manifest", "internal/redact", "schedule"},
	"internal/takeover":            {"api", "inventory", "internal/manifest", "internal/preflight"},
	"internal/objdiff":             {"internal/manifest"},
	"internal/objdiff/show":        {"internal/objdiff"},
}

// impure names packages that a pure package may not import: its results depend on its arguments only.
var impure = map[string][]string{
	"internal/netplan":  {"os", "time", "math/rand", "math/rand/v2", "net/http", "crypto/rand", "log", "k8s.io/client-go"},
	"internal/vino":     {"os", "time", "math/rand", "math/rand/v2", "net/http", "crypto/rand", "log", "k8s.io/client-go"},
	"internal/tenancy":  {"os", "time", "math/rand", "math/rand/v2", "net", "net/http", "crypto/rand", "log", "k8s.io/client-go"},
	"internal/fields":   {"os", "time", "math/rand", "math/rand/v2", "net", "net/http", "crypto/rand", "log", "k8s.io/client-go"},
	"internal/foreign":  {"os", "time", "math/rand", "math/rand/v2", "net", "net/http", "crypto/rand", "log", "k8s.io/client-go"},
	"internal/survey":   {"os", "time", "math/rand", "math/rand/v2", "net", "net/http", "crypto/rand", "log", "k8s.io/client-go"},
	"internal/history":  {"os", "math/rand", "math/rand/v2", "net", "net/http", "crypto/rand", "log", "k8s.io/client-go"},
	"internal/holdings": {"os", "time", "math/rand", "math/rand/v2", "net", "net/http", "crypto/rand", "log", "k8s.io/client-go"},
	"internal/picture":  {"os", "time", "math/rand", "math/rand/v2", "net", "net/http", "crypto/rand", "log", "k8s.io/client-go"},
	"schedule":          {"os", "time", "math/rand", "math/rand/v2", "net", "net/http", "crypto/rand", "log", "k8s.io/client-go"},
	"schedule/solve":    {"os", "time", "math/rand", "math/rand/v2", "net", "net/http", "crypto/rand", "log", "k8s.io/client-go"},
	"render":            {"os", "math/rand", "math/rand/v2", "net", "net/http", "crypto/rand", "log", "k8s.io/client-go"},
	"internal/status":   {"os", "time", "math/rand", "math/rand/v2", "net", "net/http", "crypto/rand", "log", "k8s.io/client-go"},
	"internal/objdiff":  {"os", "time", "math/rand", "math/rand/v2", "net", "net/http", "crypto/rand", "log", "k8s.io/client-go"},
	"internal/report":   {"os", "math/rand", "math/rand/v2", "net", "net/http", "crypto/rand", "log", "k8s.io/client-go"},
}

// never names packages that nothing a package imports may import, at whatever depth: data and decisions start no program,
// talk to no API server and build no kustomization. net/http is not among them: Kubernetes' API machinery imports it.
var never = map[string][]string{
	// What the program was made smaller by: docs/performance.md#size.
	"cmd/sipgen": {"k8s.io/client-go/kubernetes", "k8s.io/client-go/discovery", "k8s.io/apiserver", "k8s.io/component-base/metrics",
		"github.com/prometheus", "go.opentelemetry.io", "github.com/xeipuuv/gojsonschema", "html/template"},
	"api/...":              {"os/exec", "k8s.io/client-go", "sigs.k8s.io/kustomize/api/krusty", "sigs.k8s.io/controller-runtime"},
	"inventory":            {"os/exec", "k8s.io/client-go", "sigs.k8s.io/kustomize", "sigs.k8s.io/controller-runtime", "github.com/metal3-io"},
	"internal/app":         {"github.com/spf13/cobra"},
	"internal/admit":       {"k8s.io/client-go", "sigs.k8s.io/controller-runtime", "github.com/metal3-io"},
	"internal/lint":        {"os/exec", "k8s.io/client-go", "sigs.k8s.io/kustomize", "sigs.k8s.io/controller-runtime", "github.com/metal3-io"},
	"internal/picture":     {"os/exec", "k8s.io/client-go", "sigs.k8s.io/kustomize", "sigs.k8s.io/controller-runtime", "github.com/metal3-io"},
	"internal/report":      {"os/exec", "k8s.io/client-go", "sigs.k8s.io/kustomize", "sigs.k8s.io/controller-runtime", "github.com/metal3-io"},
	"render/...":           {"os/exec", "k8s.io/client-go", "sigs.k8s.io/kustomize", "sigs.k8s.io/controller-runtime", "github.com/metal3-io", "github.com/fluxcd"},
	"schedule":             {"os/exec", "k8s.io/client-go", "sigs.k8s.io/kustomize", "sigs.k8s.io/controller-runtime", "github.com/metal3-io"},
	"internal/objdiff/...": {"os/exec", "k8s.io/client-go", "sigs.k8s.io/kustomize", "sigs.k8s.io/controller-runtime", "github.com/metal3-io"},
}

// TestLabelKeys: only internal/holdings reads the labels that say whose a host is. api has their keys, and render writes them.
func TestLabelKeys(t *testing.T) {
	key := regexp.MustCompile(`\.(ClusterNamespace|ClusterName|NodeType)\b`)
	each(t, ".", ".go", nil, func(path string) {
		room, _, _ := strings.Cut(path, "/")
		if strings.HasSuffix(path, "_test.go") || slices.Contains([]string{"api", "e2e", "render", "testdata"}, room) {
			return
		}
		if found := key.Find(need.Read(t, path)); found != nil && !strings.HasPrefix(path, "internal/holdings/") {
			t.Errorf("%s: found %s, want the answer of internal/holdings", path, found)
		}
	})
}

// unused imports os/exec for plugins that nothing of sipgen's starts; the types of a schema import it.
const unused = "github.com/google/gnostic-models/compiler"

func TestNeverReached(t *testing.T) {
	for folder, banned := range never {
		out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}{{range .Imports}} {{.}}{{end}}", "./"+folder).Output()
		need.Must(t, err == nil, "go list -deps ./%s: %v", folder, err)
		for line := range strings.Lines(string(out)) {
			by, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
			for _, imported := range strings.Fields(imports) {
				for _, bad := range banned {
					if (imported == bad || strings.HasPrefix(imported, bad+"/")) && by != unused {
						t.Errorf("%s reaches %s, which %s imports", folder, imported, by)
					}
				}
			}
		}
	}
}

// TestArchitecture holds ARCHITECTURE.md to the table above, and to the files that there are.
func TestArchitecture(t *testing.T) {
	text := need.Read(t, "ARCHITECTURE.md")
	named := map[string]bool{}
	for _, match := range regexp.MustCompile("`([a-z0-9_]+(?:/[a-z0-9_]+)*(?:\\.go)?)`").FindAllStringSubmatch(string(text), -1) {
		named[match[1]] = true
		if !strings.Contains(match[1], "/") {
			continue // a command, a word
		}
		_, err := os.Stat(match[1])
		need.That(t, err == nil, "ARCHITECTURE.md: %v", err)
	}
	for folder := range folders {
		if !named[folder] && folder != "api" && folder != "inventory/inventorytest" {
			t.Errorf("ARCHITECTURE.md: no word of %s", folder)
		}
	}
}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	eachSource(t, []string{"tools", "demo", "bin", "engines"}, func(path string, file *ast.File) {
		folder := folderOf(filepath.ToSlash(path))
		if folder == "" {
			t.Errorf("%s: not in the table: add it there, and in ARCHITECTURE.md", path)
			return
		}
		seen[folder] = true
		for _, spec := range file.Imports {
			checkImport(t, path, folder, strings.Trim(spec.Path.Value, `"`))
		}
	})
	for folder := range folders {
		if !seen[folder] && folder != "hack" && folder != "e2e" {
			t.Errorf("%s has no code: remove it from the table", folder)
		}
	}
}

func checkImport(t *testing.T, path, folder, imported string) {
	t.Helper()
	if ours, found := strings.CutPrefix(imported, module); found {
		for _, allowed := range append([]string{"internal/order", "internal/text"}, folders[folder]...) {
			if allowed == "" || ours == allowed || strings.HasPrefix(ours, allowed+"/") {
				return
			}
		}
		t.Errorf("%s: package %s may not import %s", path, folder, ours)
		return
	}
	for pure, banned := range impure {
		if folder != pure && !strings.HasPrefix(folder, pure+"/") {
			continue
		}
		for _, bad := range banned {
			if imported == bad || strings.HasPrefix(imported, bad+"/") && bad != "net" {
				t.Errorf("%s: package %s is pure and may not import %s", path, folder, imported)
			}
		}
	}
}

func folderOf(path string) string {
	best := ""
	for folder := range folders {
		if strings.HasPrefix(path, folder+"/") && len(folder) > len(best) {
			best = folder
		}
	}
	return best
}
