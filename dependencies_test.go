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
	"github.com/stretchr/testify/assert"
)

// dependencies are the direct dependencies, each with its purpose.
var dependencies = map[string]string{
	"code.gitea.io/sdk/gitea":                             "pull requests on Gitea",
	"github.com/ProtonMail/go-crypto":                     "OpenPGP signatures of commits",
	"github.com/agnivade/levenshtein":                     "the nearest name to a misspelled one",
	"github.com/cenkalti/backoff/v5":                      "waits between attempts of a push or a forge",
	"github.com/creack/pty":                               "a terminal, for output that only a terminal gets",
	"github.com/elazarl/goproxy":                          "a proxy between git and its server",
	"github.com/fluxcd/kustomize-controller/api":          "decodes rendered Kustomizations as Flux does",
	"github.com/fluxcd/source-controller/api":             "decodes rendered GitRepositories as Flux does",
	"github.com/go-git/go-billy/v5":                       "the file system that go-git reads a repository from",
	"github.com/go-git/go-git/v5":                         "git: objects, transports, patterns of ignored files",
	"github.com/goccy/go-yaml":                            "YAML as parsed by other authors, in a fuzz target",
	"github.com/gonvenience/ytbx":                         "YAML documents for dyff",
	"github.com/google/go-github/v84":                     "pull requests on GitHub",
	"github.com/hiddeco/sshsig":                           "SSH signatures of commits",
	"github.com/homeport/dyff":                            "differences between two objects, by field",
	"github.com/jedib0t/go-pretty/v6":                     "tables, and the width of text on a terminal",
	"github.com/metal3-io/baremetal-operator/apis":        "BareMetalHost and related types",
	"github.com/metal3-io/ironic-standalone-operator/api": "types, to generate the definition of an Ironic",
	"github.com/robfig/cron/v3":                           "the schedule of the runner",
	"github.com/rogpeppe/go-internal":                     "unified differences, and tests as scripts",
	"github.com/skeema/knownhosts":                        "the host keys that ssh knows",
	"github.com/spf13/cobra":                              "commands, their help and completion",
	"github.com/spf13/pflag":                              "flags",
	"github.com/stretchr/testify":                         "assertions, in tests alone",
	"github.com/xeipuuv/gojsonschema":                     "holds JSON output to its schema",
	"github.com/yuin/goldmark":                            "reads the pages, for their links and commands",
	"gitlab.com/gitlab-org/api/client-go":                 "merge requests on GitLab",
	"go.yaml.in/yaml/v2":                                  "the parser of sigs.k8s.io/yaml: where a document ends",
	"go.yaml.in/yaml/v3":                                  "YAML with positions, and ordered output",
	"golang.org/x/crypto":                                 "SSH keys and known hosts",
	"golang.org/x/sync":                                   "concurrent reads that end with the first error",
	"golang.org/x/sys":                                    "an unreadable file, on Linux",
	"golang.org/x/term":                                   "detection and width of a terminal",
	"gopkg.in/evanphx/json-patch.v4":                      "JSON patches as the API server applies them",
	"k8s.io/api":                                          "Kubernetes' own types",
	"k8s.io/apiextensions-apiserver":                      "definitions of kinds, and their structural schemas",
	"k8s.io/apimachinery":                                 "objects, names, selectors, validation",
	"k8s.io/client-go":                                    "the client of an API server",
	"k8s.io/kube-openapi":                                 "validates a spec by a schema, as the API server does",
	"k8s.io/klog/v2":                                      "takes what client-go would log",
	"k8s.io/pod-security-admission":                       "the Pod Security profile of a pod",
	"sigs.k8s.io/json":                                    "strict and case-sensitive JSON",
	"sigs.k8s.io/kustomize/api":                           "builds kustomizations",
	"sigs.k8s.io/kustomize/kyaml":                         "the file system of a kustomization",
	"sigs.k8s.io/yaml":                                    "reads and writes Kubernetes YAML",

	"github.com/metal3-io/baremetal-operator/pkg/hardwareutils": "the schemes of BMC addresses, to hold ours to",
}

func TestDependencies(t *testing.T) {
	direct := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\t(\S+) v\S+(.*)$`).FindAllStringSubmatch(readText(t, "go.mod"), -1) {
		if !strings.HasSuffix(row[2], "// indirect") {
			direct[row[1]] = true
			assert.Truef(t, dependencies[row[1]] != "", "%s: no purpose: want a row", row[1])
		}
	}
	for name := range dependencies {
		assert.Truef(t, direct[name], "%s: a row, and no direct dependency", name)
	}
}

const module = "github.com/airshipit/sipgen/"

// folders says what each package may import from sipgen. An entry is a folder with everything below it; the longest
// name wins. Tests are exempt.
var folders = map[string][]string{
	"api/upstream": {},
	"api":          {"api", "internal/fields", "internal/manifest", "internal/redact", "internal/release", "inventory"},
	// A script; the package is for the tests that run it.
	"cmd/sipgen": {""},
	"cmd/sipgen/internal/cmdline": {"api", "cmd/sipgen/internal/terminal", "internal/app", "internal/fleet", "internal/manifest",
		"internal/redact", "inventory", "publish"},
	"cmd/sipgen/internal/push": {"api", "cmd/sipgen/internal/cmdline", "cmd/sipgen/internal/terminal", "internal/app",
		"internal/fleet", "internal/forge", "internal/manifest", "internal/redact", "internal/report", "publish"},
	"cmd/sipgen/internal/setup": {"api", "cmd/sipgen/internal/cmdline", "cmd/sipgen/internal/terminal", "internal/app",
		"internal/fields", "internal/finding", "internal/holdings", "internal/kustomization", "internal/manifest",
		"internal/redact", "internal/report/sentence", "internal/survey", "internal/tenancy", "inventory",
		"publish", "schedule"},
	"cmd/sipgen/internal/terminal": {"internal/redact"},
	"cmd/sipgen/internal/whatif": {"api", "cmd/sipgen/internal/cmdline", "internal/admit", "internal/app",
		"internal/kustomization", "internal/manifest", "internal/redact", "internal/report/sentence",
		"internal/tenancy", "internal/vino",
		"inventory", "schedule"},
	"e2e":               {""},
	"internal/forge":    {"internal/redact"},
	"hack":              {""},
	"internal/garbage":  {},
	"internal/history":  {"api", "schedule"},
	"internal/fleet":    {"internal/redact"},
	"internal/impact":   {"api", "internal/holdings", "inventory", "schedule"},
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
	"internal/app": {"api", "internal/admit", "internal/finding", "internal/fleet", "internal/foreign", "internal/history",
		"internal/holdings", "internal/kustomization", "internal/lint", "internal/manifest",
		"internal/netplan", "internal/objdiff", "internal/overlay", "internal/preflight", "internal/redact",
		"internal/release", "internal/report", "internal/root", "internal/tenancy", "inventory", "publish", "render",
		"schedule"},
	"internal/finding": {"api", "internal/manifest"},
	"internal/admit": {"api", "inventory", "internal/finding", "internal/holdings", "internal/manifest",
		"internal/netplan", "internal/preflight", "internal/redact", "internal/tenancy", "render", "schedule"},
	"internal/lint": {"api", "inventory", "internal/finding", "internal/holdings", "internal/manifest",
		"internal/redact", "schedule"},
	"internal/kustomization": {"internal/manifest"},
	"internal/manifest":      {"internal/redact"},
	"internal/overlay": {"api", "internal/kustomization", "internal/manifest", "internal/objdiff",
		"render/object"},
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
	"render": {"api", "inventory", "internal/manifest", "internal/vino",
		"internal/report/sentence", "schedule", "templates", "render"},
	"render/flux":        {"api", "inventory"},
	"render/argocd":      {"api", "inventory"},
	"render/assignments": {"api", "inventory", "internal/manifest", "render/object", "schedule"},
	"render/planmd": {"api", "inventory", "internal/report/sentence", "internal/vino",
		"render/assignments", "render/argocd", "render/infra", "render/site", "schedule"},
	"render/guard":  {"api", "inventory", "render/argocd", "render/flux", "render/site"},
	"render/object": {},
	"internal/report": {"api", "inventory", "internal/finding", "internal/holdings", "internal/objdiff",
		"internal/redact", "internal/report", "schedule"},
	"schedule": {"api", "inventory", "internal/holdings", "internal/manifest", "internal/redact",
		"schedule"},
	"schedule/solve": {},
	"internal/tenancy": {"api", "inventory", "internal/holdings", "internal/manifest", "internal/overlay",
		"internal/redact", "schedule"},
	"templates":        {},
	"internal/foreign": {"internal/redact"},
	"internal/survey":  {"inventory"},
	"internal/fields":  {"internal/manifest", "internal/redact"},
	"docs/runbooks":    {},
	"internal/root":    {"internal/manifest", "internal/redact"},
	"internal/status": {"api", "inventory", "internal/holdings", "internal/manifest", "internal/redact", "internal/root",
		"schedule"},
	"internal/objdiff":      {"internal/manifest"},
	"internal/objdiff/show": {"internal/objdiff"},
}

// impure are packages that a pure package may not import: its results depend on its arguments only.
var impure = strings.Fields("os time math/rand math/rand/v2 net net/http crypto/rand log k8s.io/client-go")

// pure are the pure packages, with everything below them, each with what it may import all the same: to compute with
// times and addresses.
var pure = map[string]string{
	"internal/netplan": "net", "internal/vino": "net", "internal/history": "time", "render": "time",
	"internal/report":  "time",
	"internal/tenancy": "", "internal/fields": "", "internal/foreign": "", "internal/survey": "",
	"internal/holdings": "", "internal/picture": "",
	"internal/impact": "", "internal/root": "",
	"internal/status": "", "internal/objdiff": "", "schedule": "",
}

// never names packages that nothing a package imports may import, at whatever depth: data and decisions start no
// program, talk to no API server and build no kustomization. net/http is not among them: Kubernetes' API machinery
// imports it.
var never = map[string]string{
	// What the program was made smaller by: docs/performance.md#size.
	"./cmd/sipgen": "k8s.io/client-go/kubernetes k8s.io/client-go/discovery k8s.io/apiserver k8s.io/component-base/metrics " +
		"github.com/prometheus go.opentelemetry.io github.com/xeipuuv/gojsonschema html/template",
	"./api/...":        "os/exec k8s.io/client-go sigs.k8s.io/kustomize/api/krusty sigs.k8s.io/controller-runtime",
	"./internal/app":   "github.com/spf13/cobra",
	"./internal/admit": "k8s.io/client-go sigs.k8s.io/controller-runtime github.com/metal3-io",
	"./inventory ./internal/lint ./internal/picture ./internal/report ./render/... ./schedule ./internal/objdiff/...": "os/exec k8s.io/client-go " +
		"sigs.k8s.io/kustomize sigs.k8s.io/controller-runtime github.com/metal3-io github.com/fluxcd",
}

// TestLabelKeys: only internal/holdings reads the labels that say whose a host is. api has their keys, and render
// writes them.
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
	for folders, banned := range never {
		args := append([]string{"list", "-deps", "-f", "{{.ImportPath}}{{range .Imports}} {{.}}{{end}}"},
			strings.Fields(folders)...)
		for line := range strings.Lines(need.Output(t, exec.Command("go", args...))) {
			by, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
			for _, imported := range strings.Fields(imports) {
				for _, bad := range strings.Fields(banned) {
					if (imported == bad || strings.HasPrefix(imported, bad+"/")) && by != unused {
						t.Errorf("%s reaches %s, which %s imports", folders, imported, by)
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
		assert.Truef(t, err == nil, "ARCHITECTURE.md: %v", err)
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
	for room, but := range pure {
		if folder != room && !strings.HasPrefix(folder, room+"/") {
			continue
		}
		for _, bad := range impure {
			if bad != but && (imported == bad || strings.HasPrefix(imported, bad+"/") && bad != "net") {
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
