package main

import (
	"encoding"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/history"
	"github.com/airshipit/sipgen/internal/impact"
	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type findings struct {
	Findings []finding.Finding `json:"findings"`
}

// printed are the values that commands print as JSON, by kind, each with a command on a folder that has the two-tenants
// example.
var printed = map[string]struct {
	of      reflect.Type
	command string
}{
	"Plan":        {reflect.TypeFor[report.Plan](), "plan -f tenants --inventory hosts"},
	"Explanation": {reflect.TypeFor[report.Explanation](), "explain edge-a -f tenants --inventory hosts"},
	"Findings":    {reflect.TypeFor[findings](), "lint -f tenants --inventory hosts"},
	"Difference":  {reflect.TypeFor[objdiff.Diff](), "diff -f tenants --inventory hosts --out tree"},
	"Capacity":    {reflect.TypeFor[report.Capacity](), "capacity -f tenants --inventory hosts"},
	"History":     {reflect.TypeFor[tenures](), "history edge-a --repo fleet.git"},
	"Usage":       {reflect.TypeFor[history.Usage](), "history --usage --repo fleet.git"},
	"Impact":      {reflect.TypeFor[impact.Report](), "impact r1n1-cp -f tenants --inventory hosts"},
	"Hosts":       {reflect.TypeFor[report.HostList](), "hosts -f tenants --inventory hosts"},
	"Status":      {reflect.TypeFor[siteStatus](), "status --inventory hosts"},
	"Tenants":     {reflect.TypeFor[siteTenants](), "tenants -f tenants --inventory hosts"},
	"Version":     {reflect.TypeFor[versionInfo](), "version"},
}

// TestJSONFields: testdata/json-fields.txt has every field that commands print as JSON; one that may be absent has a
// question mark. A renamed field is a difference there. docs/cli.md explains some of them, by the name that they have.
// With -update it writes the list.
func TestJSONFields(t *testing.T) {
	var list []string
	known := map[string]bool{}
	for kind, row := range printed {
		fields := map[string]bool{}
		fieldsOf(fields, "", row.of, kind == "Explanation")
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
	_, page, _ := strings.Cut(read(t, "../../docs/cli.md"), "\n## JSON output\n")
	page, _, _ = strings.Cut(page, "\n## ")
	explained := 0
	for _, section := range strings.Split(page, "\n### ")[1:] {
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
		assert.Truef(t, strings.Contains(page, kind), "the page does not name the kind %s", kind)
	}
	assert.Truef(t, explained >= 30, "%d fields explained: want at least 30", explained)
}

// fieldsOf collects the paths of a type's fields, and whether each is always there. A cluster in an Explanation is that
// of a Plan, and findings are listed once.
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
		if text := reflect.TypeFor[encoding.TextMarshaler](); inner.Kind() == reflect.Struct &&
			!inner.Implements(text) &&
			!(explanation && path == "cluster") &&
			(inner != reflect.TypeFor[finding.Finding]() || of == reflect.TypeFor[findings]()) {
			fieldsOf(out, path+".", inner, explanation)
		}
	}
}

// TestJSONHasAKind: what every command with -o json prints has the version and the kind that the list names.
func TestJSONHasAKind(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples/two-tenants")))
	t.Chdir(dir)
	git(t, "init", "-q", "--bare", "-b", "main", "fleet.git")
	ran(t, "publish", "--site", "site.yaml", "-f", "tenants", "--inventory", "hosts", "--repo", "fleet.git")
	commands := map[string]bool{}
	for kind, row := range printed {
		args := append(strings.Fields(row.command), "-o", "json")
		if commands[args[0]] = true; kind != "Version" {
			args = append(args, "--site", "site.yaml")
		}
		var head struct{ APIVersion, Kind string }
		_, out, said := ran(t, args...)
		err := json.Unmarshal([]byte(out), &head)
		assert.Truef(t, err == nil && head.APIVersion == v1alpha1.APIVersion && head.Kind == kind, "%s: %v, %+v, %s",
			kind, err, head, said)
	}
	for _, command := range newRoot(&terminal.UI{}).Commands() {
		flag := command.Flags().Lookup("output")
		isJSON := flag != nil && strings.Contains(flag.Usage, "json") && !strings.Contains(flag.Usage, "json-schema")
		assert.Truef(t, !isJSON || commands[command.Name()], "%s: no kind", command.Name())
	}
}

// TestExitCodePage is contract 30: docs/cli.md has an exit code for every command, and for nothing else. That each ends
// as it says is in the scripts.
func TestExitCodePage(t *testing.T) {
	var rows []string
	want := []string{"completion"} // cobra's own
	page, _, _ := strings.Cut(read(t, "../../docs/cli.md"), "\n## JSON output\n")
	_, table, _ := strings.Cut(page, "| command | code 1 |\n")
	for line := range strings.Lines(table) {
		if names, ok := strings.CutPrefix(line, "| `"); ok {
			names, _, _ = strings.Cut(names, "` | ")
			rows = append(rows, strings.Split(names, "`, `")...)
		}
	}
	for _, command := range newRoot(&terminal.UI{}).Commands() {
		if !command.Hidden {
			want = append(want, command.Name())
		}
	}
	slices.Sort(rows)
	slices.Sort(want)
	assert.Equal(t, want, rows, "exit codes in docs/cli.md")
}
