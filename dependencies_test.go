package sipgen_test

import (
	"go/ast"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// dependencies are the direct dependencies, each with its purpose and its importers: "several" are more than four
// packages, "tests" are tests, e2e and hack alone.
var dependencies = []struct{ module, purpose, importers string }{
	{"code.gitea.io/sdk/gitea", "pull requests on Gitea", "internal/forge"},
	{"github.com/ProtonMail/go-crypto", "OpenPGP signatures of commits", "publish"},
	{"github.com/agnivade/levenshtein", "the nearest name to a misspelled one", "internal/manifest"},
	{"github.com/cenkalti/backoff/v5", "waits between attempts of a push or a forge", "internal/forge, publish"},
	{"github.com/creack/pty", "a terminal, for output that only a terminal gets", "tests"},
	{"github.com/elazarl/goproxy", "a proxy between git and its server", "tests"},
	{"github.com/fluxcd/kustomize-controller/api", "decodes rendered Kustomizations as Flux does", "tests"},
	{"github.com/fluxcd/source-controller/api", "decodes rendered GitRepositories as Flux does", "tests"},
	{"github.com/go-git/go-billy/v5", "the file system that go-git reads a repository from", "publish, publish/internal/objects"},
	{"github.com/go-git/go-git/v5", "git: objects, transports, patterns of ignored files", "several"},
	{"github.com/gonvenience/ytbx", "YAML documents for dyff", "internal/objdiff"},
	{"github.com/google/go-github/v84", "pull requests on GitHub", "internal/forge"},
	{"github.com/hiddeco/sshsig", "SSH signatures of commits", "publish"},
	{"github.com/homeport/dyff", "differences between two objects, by field", "internal/objdiff"},
	{"github.com/jedib0t/go-pretty/v6", "tables, and the width of text on a terminal",
		"cmd/sipgen/internal/terminal, internal/netplan, internal/report, internal/text"},
	{"github.com/metal3-io/baremetal-operator/apis", "BareMetalHost and related types", "inventory/bmh, inventory/live"},
	{"github.com/metal3-io/ironic-standalone-operator/api", "types, to generate the definition of an Ironic", "tests"},
	{"github.com/robfig/cron/v3", "the schedule of the runner", "api/v1alpha1/validation"},
	{"github.com/rogpeppe/go-internal", "unified differences, and tests as scripts", "internal/objdiff"},
	{"github.com/skeema/knownhosts", "the host keys that ssh knows", "publish"},
	{"github.com/spf13/cobra", "commands, their help and completion",
		"cmd/sipgen, cmd/sipgen/internal/cmdline, cmd/sipgen/internal/push, cmd/sipgen/internal/whatif"},
	{"github.com/spf13/pflag", "flags", "cmd/sipgen, cmd/sipgen/internal/cmdline"},
	{"github.com/xeipuuv/gojsonschema", "holds JSON output to its schema", "tests"},
	{"github.com/yuin/goldmark", "reads the pages, for their links and commands", "tests"},
	{"gitlab.com/gitlab-org/api/client-go", "merge requests on GitLab", "internal/forge"},
	{"go.yaml.in/yaml/v3", "YAML with positions, and ordered output", "several"},
	{"golang.org/x/crypto", "SSH keys and known hosts", "api/v1/validation, publish, publish/internal/credentials"},
	{"golang.org/x/sync", "concurrent reads that end with the first error", "internal/manifest, inventory/live"},
	{"golang.org/x/sys", "an unreadable file, on Linux", "tests"},
	{"golang.org/x/term", "detection and width of a terminal", "cmd/sipgen/internal/terminal"},
	{"gopkg.in/evanphx/json-patch.v4", "JSON patches as the API server applies them", "tests"},
	{"k8s.io/api", "Kubernetes' own types", "several"},
	{"k8s.io/apiextensions-apiserver", "definitions of kinds, and their structural schemas", "api/upstream, api/v1, render/infra"},
	{"k8s.io/apimachinery", "objects, names, selectors, validation", "several"},
	{"k8s.io/client-go", "the client of an API server", "internal/app, inventory/live"},
	{"k8s.io/kube-openapi", "validates a spec by a schema, as the API server does", "api/upstream"},
	{"k8s.io/klog/v2", "takes what client-go would log", "inventory/live"},
	{"k8s.io/pod-security-admission", "the Pod Security profile of a pod", "internal/overlay"},
	{"sigs.k8s.io/json", "strict and case-sensitive JSON", "api/v1alpha1, internal/manifest, internal/overlay"},
	{"sigs.k8s.io/kustomize/api", "builds kustomizations", "internal/kustomization, internal/overlay"},
	{"sigs.k8s.io/kustomize/kyaml", "the file system of a kustomization", "internal/kustomization, internal/overlay"},
	{"sigs.k8s.io/yaml", "reads and writes Kubernetes YAML", "several"},
}

func TestDependencies(t *testing.T) {
	rows := map[string]string{}
	for _, row := range dependencies {
		_, twice := rows[row.module]
		need.That(t, !twice && row.purpose != "", "%s: two rows, or no purpose", row.module)
		rows[row.module] = row.importers
	}
	for name, packages := range importers(t, directDependencies(t)) {
		want := "tests"
		switch {
		case len(packages) > 4:
			want = "several"
		case len(packages) > 0:
			want = strings.Join(packages, ", ")
		}
		switch got, there := rows[name]; {
		case !there:
			t.Errorf("%s: no row, want one with importers %q", name, want)
		case got != want:
			t.Errorf("%s: found %q, want %q", name, got, want)
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("%s: a row, and no direct dependency", name)
	}
}

// directDependencies are the modules that go.mod requires without the mark of an indirect one.
func directDependencies(t *testing.T) []string {
	t.Helper()
	mod := need.Read(t, "go.mod")
	var out []string
	for _, row := range regexp.MustCompile(`(?m)^\t(\S+) v\S+(.*)$`).FindAllStringSubmatch(string(mod), -1) {
		if !strings.HasSuffix(row[2], "// indirect") {
			out = append(out, row[1])
		}
	}
	return out
}

// importers are the packages that import each module, without tests, the rows below e2e and the scripts in hack.
func importers(t *testing.T, modules []string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, name := range modules {
		out[name] = nil
	}
	eachSource(t, []string{"e2e", "hack", "testdata", "tools", "engines"}, func(file string, parsed *ast.File) {
		for _, spec := range parsed.Imports {
			name, of := need.Value(strconv.Unquote(spec.Path.Value))(t), ""
			for _, m := range modules {
				if (name == m || strings.HasPrefix(name, m+"/")) && len(m) > len(of) {
					of = m
				}
			}
			if dir := path.Dir(filepath.ToSlash(file)); of != "" && !slices.Contains(out[of], dir) {
				out[of] = append(out[of], dir)
			}
		}
	})
	for name := range out {
		slices.Sort(out[name])
	}
	return out
}
