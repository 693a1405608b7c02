package sipgen_test

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
)

// referenceRow is a row of a generated page: a field, its type with a link to what it consists of, and a description.
var referenceRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.*?) \\| (.*) \\|$")

var linkTo = regexp.MustCompile(`\(#([a-z0-9]+)\)`)

// TestEveryFieldIsDocumented walks the types that specs are decoded into, and wants each field on the page of its kind, with a description.
func TestEveryFieldIsDocumented(t *testing.T) {
	for file, kind := range map[string]reflect.Type{"docs/sipcluster.md": reflect.TypeFor[v1.SIPCluster](), "docs/site.md": reflect.TypeFor[v1alpha1.Site]()} {
		content := need.Read(t, file)
		sections := map[string][][]string{}
		for _, section := range strings.Split(string(content), "\n## ")[1:] {
			heading, rest, _ := strings.Cut(section, "\n")
			sections[slug(heading)] = referenceRow.FindAllStringSubmatch(rest, -1)
		}
		fields := 0
		for i := range kind.NumField() {
			if name := jsonName(kind.Field(i)); name == "spec" || name == "status" {
				fields += wantFields(t, file, sections, name, name, "", kind.Field(i).Type)
			}
		}
		need.That(t, fields >= 50, "%s: %d fields checked: want at least 50, or nothing was read", file, fields)
	}
}

// wantFields wants the fields of a struct in a section, each with the prefix before its name, follows its links, and counts.
func wantFields(t *testing.T, file string, sections map[string][][]string, path, section, prefix string, of reflect.Type) int {
	t.Helper()
	rows, found := sections[section]
	if !found {
		t.Errorf("%s: %s: no section %s", file, path, section)
		return 0
	}
	count := 0
	for i := range of.NumField() {
		field := of.Field(i)
		if field.Anonymous {
			below := section
			if field.Type == reflect.TypeFor[v1.Service]() {
				below = "specservicesany"
			}
			count += wantFields(t, file, sections, path, below, prefix, field.Type)
			continue
		}
		name := jsonName(field)
		if name == "" {
			continue
		}
		count++
		at := slices.IndexFunc(rows, func(row []string) bool { return row[1] == prefix+name })
		if at < 0 {
			t.Errorf("%s: %s.%s is missing: make generate", file, path, name)
			continue
		}
		need.That(t, len(rows[at][3]) >= 8, "%s: %s.%s: description %q", file, path, name, rows[at][3])
		element := field.Type
		for slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, element.Kind()) {
			element = element.Elem()
		}
		if element.Kind() != reflect.Struct || element.NumField() == 0 || reflect.PointerTo(element).Implements(reflect.TypeFor[interface{ UnmarshalJSON([]byte) error }]()) {
			continue // a leaf: written as one value
		}
		if strings.Contains(rows[at][2], "object with a schema of its own") || strings.Contains(rows[at][2], "[object](https://") || strings.HasPrefix(rows[at][3], "No effect") {
			continue // whose fields are another program's
		}
		if link := linkTo.FindStringSubmatch(rows[at][2]); link != nil {
			count += wantFields(t, file, sections, path+"."+name, link[1], "", element)
		} else {
			count += wantFields(t, file, sections, path+"."+name, section, prefix+name+".", element)
		}
	}
	return count
}

func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return strings.TrimPrefix(name, "-")
}

// TestTheCRDsDescribeEveryField: kubectl explain has a word for each.
func TestTheCRDsDescribeEveryField(t *testing.T) {
	crds, err := filepath.Glob("config/crd/*.yaml")
	need.Must(t, err == nil && len(crds) == 2, "%v %v", crds, err)
	for _, file := range crds {
		content := need.Read(t, file)
		var crd map[string]any
		need.OK(t, yaml.Unmarshal(content, &crd))
		described := 0
		var walk func(path string, value any)
		walk = func(path string, value any) {
			switch value := value.(type) {
			case []any:
				for _, element := range value {
					walk(path, element)
				}
			case map[string]any:
				for name, below := range value {
					properties, is := below.(map[string]any)
					if name != "properties" || !is {
						walk(path, below)
						continue
					}
					for field, schema := range properties {
						if schema, ok := schema.(map[string]any); ok && field != "metadata" {
							described++
							text, _ := schema["description"].(string)
							need.That(t, text != "", "%s: %s.%s: no description", file, path, field)
						}
						walk(path+"."+field, schema)
					}
				}
			}
		}
		walk("", crd["spec"])
		need.That(t, described >= 50, "%s: %d fields: want at least 50", file, described)
	}
}

// key is what a label or an annotation with a domain looks like.
var key = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+/[A-Za-z0-9][A-Za-z0-9._-]*$`)

// noKeys look like keys and are none.
var noKeys = regexp.MustCompile(`/v1(alpha\d|beta\d)?$|^(docker|ghcr|quay)\.io/|^registry\.example|^github\.com/|^git\.example\.org/|^[0-9.]+/|^sarif-|^www\.|^raw\.` +
	// Which the code refuses in what a tenant writes: docs/patches.md lists them.
	`|^cluster-autoscaler\.|^metallb\.universe\.tf/|/address-pool$|^kube-vip\.io/kube-vip-class$` +
	// A protocol and a node's label that pods are scheduled by, a JWT's claim.
	`|^kubernetes\.io/(h2c|serviceaccount)$|^node-role\.kubernetes\.io/`)

// TestEveryKeyIsDocumented compares docs/keys.md with the source, both ways, and with what the golden trees carry.
func TestEveryKeyIsDocumented(t *testing.T) {
	page := need.Read(t, "docs/keys.md")
	documented := map[string]bool{}
	for _, match := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(string(page), -1) {
		if name := strings.Replace(match[1], "<network>", "oam", 1); key.MatchString(name) && !strings.HasSuffix(name, ".md") {
			documented[name] = true
		}
	}
	used := map[string]string{metal3.PausedAnnotation: "metal3", metal3.DetachedAnnotation: "metal3", metal3.StatusAnnotation: "metal3", metal3.RebootAnnotationPrefix: "metal3"}
	literals(t, func(file, text string) {
		text = strings.TrimSuffix(text, ".")
		if text == "sip.airshipit.org/address" {
			text += ".oam"
		}
		if text == v1alpha1.NetworkLabelPrefix {
			text += "oam"
		}
		if key.MatchString(text) && !noKeys.MatchString(text) {
			used[text] = file
		}
	})
	delete(used, metal3.RebootAnnotationPrefix) // has no slash
	for name, file := range used {
		need.That(t, documented[name], "docs/keys.md: no word of %s, which %s has", name, file)
	}
	for name := range documented {
		if used[name] == "" && name != "infrastructure.cluster.x-k8s.io/failure-domain" {
			t.Errorf("docs/keys.md: nothing uses %s", name)
		}
	}
	for name, file := range goldenKeys(t) {
		if !documented[name] && !strings.Contains(name, "example.org/") {
			t.Errorf("docs/keys.md: no word of %s, which %s has", name, file)
		}
	}
	need.That(t, len(documented) >= 25, "%d keys found in docs/keys.md: want at least 25", len(documented))
}

// literals calls for each string in the source of the program.
func literals(t *testing.T, call func(file, text string)) {
	t.Helper()
	skip := []string{"e2e", "hack", "testdata", "inventorytest", "demo", "bin", "out"}
	eachSource(t, skip, func(file string, parsed *ast.File) {
		ast.Inspect(parsed, func(node ast.Node) bool {
			if _, isImport := node.(*ast.ImportSpec); isImport {
				return false
			}
			if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					call(file, text)
				}
			}
			return true
		})
	})
}

// goldenKeys are the labels and annotations of the objects in the golden trees, each with a file that has it.
func goldenKeys(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	each(t, "golden", ".yaml", nil, func(file string) {
		for _, document := range strings.Split(string(need.Read(t, file)), "\n---\n") {
			var object metav1.PartialObjectMetadata
			if err := yaml.Unmarshal([]byte(document), &object); err != nil {
				continue // a patch, or configuration of a service
			}
			for _, keys := range []map[string]string{object.Labels, object.Annotations} {
				for name := range keys {
					found[name] = file
				}
			}
		}
	})
	need.Must(t, len(found) != 0, "nothing was read")
	return found
}
