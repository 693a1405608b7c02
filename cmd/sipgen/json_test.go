package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/airshipit/sipgen/internal/report"
)

type findings struct {
	Findings []finding.Finding `json:"findings"`
}

// printed are the values that commands print as JSON, by kind.
var printed = map[string]reflect.Type{
	"Plan":        reflect.TypeFor[report.Plan](),
	"Explanation": reflect.TypeFor[report.Explanation](),
	"Findings":    reflect.TypeFor[findings](),
	"Difference":  reflect.TypeFor[objdiff.Diff](),
	"Capacity":    reflect.TypeFor[report.Capacity](),
	"History":     reflect.TypeFor[tenures](),
	"Hosts":       reflect.TypeFor[report.HostList](),
	"Status":      reflect.TypeFor[siteStatus](),
	"Tenants":     reflect.TypeFor[siteTenants](),
	"Version":     reflect.TypeFor[versionInfo](),
}

// TestJSONFields: testdata/json-fields.txt has every field that commands print as JSON; one that may be absent has a question mark. A renamed
// field is a difference there. docs/json.md explains some of them, by the name that they have. With -update it writes the list.
func TestJSONFields(t *testing.T) {
	var list []string
	known := map[string]bool{}
	for kind, of := range printed {
		fields := map[string]bool{}
		fieldsOf(fields, "", of, kind == "Explanation")
		delete(fields, "apiVersion")
		delete(fields, "kind")
		for name, always := range fields {
			known[kind+" "+name] = true
			if !always {
				name += " ?"
			}
			list = append(list, kind+" "+name)
		}
	}
	slices.Sort(list)
	same(t, "testdata/json-fields.txt", strings.Join(list, "\n")+"\n")
	page := read(t, "../../docs/json.md")
	explained := 0
	for _, section := range strings.Split(page, "\n## ")[1:] {
		kind, text, _ := strings.Cut(section, "\n")
		for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(text, -1) {
			for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
				if explained++; !known[kind+" "+name[1]] {
					t.Errorf("%s: the page has %s, which is not printed", kind, name[1])
				}
			}
		}
	}
	for kind := range printed {
		if !strings.Contains(page, "| ["+kind+"](#") && !strings.Contains(page, "| "+kind) {
			t.Errorf("the page does not name the kind %s", kind)
		}
	}
	need.That(t, explained >= 30, "%d fields explained: want at least 30", explained)
}

// fieldsOf collects the paths of a type's fields, and whether each is always there. A cluster in an Explanation is that of
// a Plan, and findings are listed once.
func fieldsOf(out map[string]bool, prefix string, of reflect.Type, explanation bool) {
	for i := range of.NumField() {
		f := of.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner, list := f.Type, false
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			list = list || inner.Kind() == reflect.Slice
			inner = inner.Elem()
		}
		switch {
		case !f.IsExported() || name == "-":
			continue
		case strings.Contains(options, "inline"):
			fieldsOf(out, prefix, inner, explanation)
			continue
		}
		path := prefix + name
		if list {
			path += "[]"
		}
		out[path] = !strings.Contains(options, "omitempty")
		if inner.Kind() == reflect.Struct && !(explanation && path == "cluster") && (inner != reflect.TypeFor[finding.Finding]() || of == reflect.TypeFor[findings]()) {
			fieldsOf(out, path+".", inner, explanation)
		}
	}
}

// TestJSONHasAKind: what every command with -o json prints has the version and the kind that the list names.
func TestJSONHasAKind(t *testing.T) {
	two := "../../examples/two-tenants/"
	inputs := []string{"--site", two + "site.yaml", "-f", two + "tenants", "--inventory", two + "hosts"}
	dir, repo := t.TempDir(), filepath.Join(t.TempDir(), "fleet.git")
	printed1 := func(args ...string) []byte {
		code, out, said := ran(t, args...)
		need.Must(t, code != exitError, "%v: %s", args, said)
		return []byte(out)
	}
	seen := map[string]bool{}
	for _, command := range newRoot(&terminal.UI{}).Commands() {
		flag := command.Flags().Lookup("output")
		if flag == nil || !strings.Contains(flag.Usage, "json") || strings.Contains(flag.Usage, "json-schema") {
			continue
		}
		args := []string{command.Name(), "-o", "json"}
		switch command.Name() {
		case "version":
		case "history":
			need.OK(t, exec.Command("git", "init", "-q", "--bare", "-b", "main", repo).Run())
			printed1(append([]string{"publish", "--repo", repo}, inputs...)...)
			args = append(args, "edge-a", "--site", two+"site.yaml", "--repo", repo)
		case "explain":
			args = append(append(args, "edge-a"), inputs...)
		case "diff":
			args = append(append(args, "--out", dir), inputs...)
		case "status":
			args = append(args, "--site", two+"site.yaml", "--inventory", two+"hosts")
		default:
			args = append(args, inputs...)
		}
		var head struct{ APIVersion, Kind string }
		need.OK(t, json.Unmarshal(printed1(args...), &head))
		if head.APIVersion != v1alpha1.APIVersion || printed[head.Kind] == nil {
			t.Errorf("%s: apiVersion %q, kind %q", command.Name(), head.APIVersion, head.Kind)
		}
		seen[head.Kind] = true
	}
	need.That(t, len(seen) == len(printed), "commands print %v, and the list has %d kinds", seen, len(printed))
}

// TestExitCodePage: docs/exit-codes.md has a row for every command, and no other. That each ends as it says is in the scripts.
func TestExitCodePage(t *testing.T) {
	var rows []string
	want := []string{"completion"} // cobra's own
	for _, match := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| (.*) \\|$").FindAllStringSubmatch(read(t, "../../docs/exit-codes.md"), -1) {
		rows = append(rows, match[1])
	}
	for _, command := range newRoot(&terminal.UI{}).Commands() {
		if !command.Hidden {
			want = append(want, command.Name())
		}
	}
	slices.Sort(rows)
	slices.Sort(want)
	need.Same(t, "docs/exit-codes.md", rows, want)
}
