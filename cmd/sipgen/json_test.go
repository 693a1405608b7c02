package main

import (
	"bytes"
	"context"
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
	"Hosts":       reflect.TypeFor[report.HostList](),
	"Status":      reflect.TypeFor[siteStatus](),
	"Tenants":     reflect.TypeFor[siteTenants](),
	"Version":     reflect.TypeFor[versionInfo](),
}

// TestJSONPage: docs/json.md has every field of what commands print as JSON, and no other, and says which ones are always there.
func TestJSONPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/json.md")
	check(t, err)
	field := regexp.MustCompile("`([^`]+)`")
	sections := map[string]map[string]bool{}
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		kind, text, _ := strings.Cut(section, "\n")
		sections[kind] = map[string]bool{}
		for line := range strings.Lines(text) {
			cells := strings.Split(line, " | ")
			if len(cells) != 2 || !strings.HasPrefix(cells[0], "| `") {
				continue
			}
			for _, name := range field.FindAllStringSubmatch(cells[0], -1) {
				sections[kind][name[1]] = strings.Contains(cells[1], "*always*")
			}
		}
	}
	if len(sections) != len(printed) {
		t.Errorf("the page has %d kinds, want %d", len(sections), len(printed))
	}
	for kind, of := range printed {
		want := map[string]bool{}
		fieldsOf(want, "", of, kind == "Explanation")
		delete(want, "apiVersion")
		delete(want, "kind")
		for name, always := range want {
			if found, ok := sections[kind][name]; !ok {
				t.Errorf("%s: %s is not on the page", kind, name)
			} else if found != always {
				t.Errorf("%s: %s: the page says always: %v, and it is %v", kind, name, found, always)
			}
		}
		for name := range sections[kind] {
			if _, ok := want[name]; !ok {
				t.Errorf("%s: the page has %s, which is not printed", kind, name)
			}
		}
	}
}

// TestJSONVerdicts: docs/json.md has every verdict of a host, and no other.
func TestJSONVerdicts(t *testing.T) {
	page, err := os.ReadFile("../../docs/json.md")
	check(t, err)
	row := regexp.MustCompile("(?m)^\\| `hosts\\[\\]\\.verdict` \\| (.*); \\*always\\*").FindStringSubmatch(string(page))
	if row == nil {
		t.Fatal("the page has no row about hosts[].verdict")
	}
	var found, want []string
	for _, word := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
		found = append(found, word[1])
	}
	source, err := os.ReadFile("../../schedule/placement.go")
	check(t, err)
	for _, verdict := range regexp.MustCompile(`(?m)^\s+\w+ +Verdict = "(.*)"`).FindAllStringSubmatch(string(source), -1) {
		want = append(want, verdict[1])
	}
	if len(want) == 0 || !slices.Equal(found, want) {
		t.Errorf("the page has the verdicts %q, want those of schedule.Verdict: %q", found, want)
	}
}

// fieldsOf collects the paths of a type's fields, and whether each is always there. A cluster in an Explanation is that of a Plan, and findings are described once.
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
		always := !strings.Contains(options, "omitempty")
		if explanation && strings.HasPrefix(path, "host.") && slices.Contains([]string{"host.host", "host.verdict"}, path) {
			always = false // said to be as in a Plan
		}
		out[path] = always
		if inner.Kind() == reflect.Struct && !(explanation && path == "cluster") && (inner != reflect.TypeFor[finding.Finding]() || of == reflect.TypeFor[findings]()) {
			fieldsOf(out, path+".", inner, explanation)
		}
	}
}

// TestJSONHasAKind: what every command with -o json prints has the version and the kind that the page names.
func TestJSONHasAKind(t *testing.T) {
	two := "../../examples/two-tenants/"
	inputs := []string{"--site", two + "site.yaml", "-f", two + "tenants", "--inventory", two + "hosts"}
	dir := t.TempDir()
	run1 := func(args ...string) (int, []byte) {
		var out, errOut bytes.Buffer
		code := run(context.Background(), args, strings.NewReader(""), &out, &errOut)
		if code == exitError {
			t.Fatalf("%v: %s", args, errOut.String())
		}
		return code, out.Bytes()
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
		case "explain":
			args = append(append(args, "edge-a"), inputs...)
		case "diff":
			args = append(append(args, "--out", dir), inputs...)
		case "status":
			args = append(args, "--site", two+"site.yaml", "--inventory", two+"hosts")
		default:
			args = append(args, inputs...)
		}
		_, out := run1(args...)
		var head struct{ APIVersion, Kind string }
		check(t, json.Unmarshal(out, &head))
		if head.APIVersion != v1alpha1.APIVersion || printed[head.Kind] == nil {
			t.Errorf("%s: apiVersion %q, kind %q", command.Name(), head.APIVersion, head.Kind)
		}
		seen[head.Kind] = true
	}
	if len(seen) != len(printed) {
		t.Errorf("commands print %v, and the page has %d kinds", seen, len(printed))
	}
}
