// Command apidoc prints the reference of one kind, docs/sipcluster.md or docs/site.md, from its
// CustomResourceDefinition. A field without a description is an error.
package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "apidoc:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: apidoc CRD EXAMPLE")
	}
	content, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	example, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	page, err := reference(content, args[1], example)
	fmt.Print(page)
	return err
}

// reference returns the page of a CustomResourceDefinition: an example without its comments, and a table for each
// object, in the order of the fields.
func reference(content []byte, file string, example []byte) (string, error) {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(content, &crd); err != nil {
		return "", err
	}
	if len(crd.Spec.Versions) != 1 || crd.Spec.Versions[0].Schema == nil {
		return "", errors.New("want one version with a schema")
	}
	version := crd.Spec.Versions[0]
	root := version.Schema.OpenAPIV3Schema
	w := writer{seen: map[string]string{}, uses: map[string]int{}}
	w.count(*root)
	kind := crd.Spec.Names.Kind
	fmt.Fprintf(&w.out, "# Every field of a %s\n\nAn [example](../%s):\n\n```yaml\n%s```\n\n", kind, file,
		comment.ReplaceAll(example, nil))
	fmt.Fprintf(&w.out, "Generated from [config/crd](../config/crd/%s). Annotations and labels: [keys.md](keys.md).\n",
		crd.Spec.Group+"_"+crd.Spec.Names.Plural+".yaml")
	w.out.WriteString("\nOptional fields without a default are off, or match anything, when unset.\n")
	for _, name := range []string{"spec", "status"} {
		if part, found := root.Properties[name]; found {
			w.section(name, part)
		}
	}
	return w.out.String(), errors.Join(w.problems...)
}

var comment = regexp.MustCompile(`(?m)^ *#.*\n`)

// kubernetes has the pages about types of Kubernetes and kustomize, by the names of their fields.
var kubernetes = map[string]string{
	"matchExpressions matchLabels":                                       "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
	"claims limits requests":                                             "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
	"failureThreshold initialDelaySeconds periodSeconds timeoutSeconds":  "https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#configure-probes",
	"annotationSelector group kind labelSelector name namespace version": "https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/patches/",
	"maxSkew minDomains topologyKey whenUnsatisfiable":                   "https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/",
	"key operator values":                                                "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#node-affinity",
	"lastTransitionTime message observedGeneration reason status type":   "https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#Condition",
}

type writer struct {
	out      strings.Builder
	seen     map[string]string // sections, by the object's schema
	uses     map[string]int    // how often an object's schema is used
	problems []error
}

// count counts the uses of each object's schema.
func (w *writer) count(object apiextensionsv1.JSONSchemaProps) {
	for _, field := range object.Properties {
		if _, element, _ := shape(field, ""); len(element.Properties) > 0 {
			w.uses[identity(element)]++
			w.count(element)
		}
	}
}

// noEffect begins the description of a field that is accepted and ignored, with all below it.
const noEffect = "No effect"

// mostInline is the most fields of an object that are rows of the table above it.
const mostInline = 3

// isInline reports whether the fields of an object are rows of the table above it: few, none an object, and used there
// alone.
func (w *writer) isInline(field apiextensionsv1.JSONSchemaProps) bool {
	if len(field.Properties) == 0 || len(field.Properties) > mostInline || w.uses[identity(field)] > 1 {
		return false
	}
	for _, below := range field.Properties {
		if _, element, _ := shape(below, ""); len(element.Properties) > 0 {
			return false
		}
	}
	return true
}

// section is the table of an object's fields, and then the sections of those that are objects themselves.
func (w *writer) section(path string, object apiextensionsv1.JSONSchemaProps) {
	fmt.Fprintf(&w.out, "\n## %s\n\n", path)
	w.out.WriteString("| field | type | |\n|---|---|---|\n")
	var below []func()
	if every := common(object); len(every) > 0 {
		at := path + ".ANY[]"
		below = append(below, func() { w.section(at, apiextensionsv1.JSONSchemaProps{Properties: every}) })
		object = *object.DeepCopy()
		for list := range object.Properties {
			for name := range every {
				delete(object.Properties[list].Items.Schema.Properties, name)
			}
		}
		fmt.Fprintf(&w.out, "| every list | | Entries also have [common fields](#%s). |\n", anchor(at))
	}
	below = append(below, w.rows(path, "", object)...)
	for _, next := range below {
		next()
	}
}

// rows are those of an object's fields, each with the prefix before its name. They give the sections that are below.
func (w *writer) rows(path, prefix string, object apiextensionsv1.JSONSchemaProps) (below []func()) {
	for _, name := range order(object.Properties) {
		field := object.Properties[name]
		kind, element, at := shape(field, path+"."+name)
		inline := w.isInline(field)
		if page := kubernetes[strings.Join(slices.Sorted(maps.Keys(element.Properties)), " ")]; page != "" {
			kind = fmt.Sprintf("%s[object](%s)", strings.TrimSuffix(kind, "object"), page)
		} else if len(element.Properties) > 0 && !inline && !strings.HasPrefix(field.Description, noEffect) {
			link, known := w.seen[identity(element)]
			if !known {
				link = at
				w.seen[identity(element)] = at
				below = append(below, func() { w.section(at, element) })
			}
			kind = fmt.Sprintf("%s[%s](#%s)", strings.TrimSuffix(kind, "object"), "object", anchor(link))
		}
		text := sentence(name, field.Description)
		if text == "" {
			w.problems = append(w.problems, fmt.Errorf("%s.%s: no description", path, name))
		}
		if slices.Contains(object.Required, name) {
			kind += ", required"
		}
		fmt.Fprintf(&w.out, "| `%s` | %s | %s |\n", prefix+name, kind+bounds(field, element), text)
		if inline {
			w.rows(at, prefix+name+".", field)
		}
	}
	return below
}

// common returns the fields that the entries of each of an object's lists have, with the same schema, where these are
// many.
func common(object apiextensionsv1.JSONSchemaProps) map[string]apiextensionsv1.JSONSchemaProps {
	var every map[string]apiextensionsv1.JSONSchemaProps
	for _, field := range object.Properties {
		if field.Items == nil || field.Items.Schema == nil || len(object.Properties) < 3 {
			return nil
		}
		if every == nil {
			every = maps.Clone(field.Items.Schema.Properties)
		}
		maps.DeleteFunc(every, func(name string, one apiextensionsv1.JSONSchemaProps) bool {
			other, has := field.Items.Schema.Properties[name]
			return !has || identity(one) != identity(other) || one.Description != other.Description
		})
	}
	return every
}

// order sorts fields by name, deprecated ones last.
func order(fields map[string]apiextensionsv1.JSONSchemaProps) []string {
	var first, last []string
	for name, field := range fields {
		if strings.Contains(field.Description, "accepted with a warning") {
			last = append(last, name)
			continue
		}
		first = append(first, name)
	}
	slices.Sort(first)
	slices.Sort(last)
	return append(first, last...)
}

// shape returns what a field is, what it consists of in the end, and the path of that.
func shape(field apiextensionsv1.JSONSchemaProps, path string) (string, apiextensionsv1.JSONSchemaProps, string) {
	switch {
	case field.Type == "array" && field.Items != nil && field.Items.Schema != nil:
		kind, element, at := shape(*field.Items.Schema, path+"[]")
		return "list of " + kind, element, at
	case field.Type == "" && field.Items != nil && field.Items.Schema != nil:
		kind, element, at := shape(*field.Items.Schema, path)
		return kind + ", or list of " + kind, element, at
	case field.AdditionalProperties != nil && field.AdditionalProperties.Schema != nil:
		kind, element, at := shape(*field.AdditionalProperties.Schema, path+".NAME")
		return "map of " + kind, element, at
	case field.XIntOrString:
		return "number or string", field, path
	case field.XPreserveUnknownFields != nil && *field.XPreserveUnknownFields && len(field.Properties) == 0 &&
		field.Type == "object":
		return "object with a schema of its own", field, path
	case field.Type == "":
		return "any", field, path
	}
	return field.Type, field, path
}

// bounds returns what the API server checks of a value, or of the elements of a list.
func bounds(field, element apiextensionsv1.JSONSchemaProps) string {
	var out strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&out, ", "+format, args...) }
	switch {
	case field.MinItems != nil && field.MaxItems != nil:
		say("%d to %d", *field.MinItems, *field.MaxItems)
	case field.MinItems != nil:
		say("at least %d", *field.MinItems)
	case field.MaxItems != nil:
		say("at most %d", *field.MaxItems)
	}
	var values []string
	for _, value := range element.Enum {
		values = append(values, "`"+strings.Trim(string(value.Raw), `"`)+"`")
	}
	if len(values) > 0 {
		say("%s", strings.Join(values, ", "))
	}
	switch {
	case element.Minimum != nil && element.Maximum != nil:
		say("%g to %g", *element.Minimum, *element.Maximum)
	case element.Minimum != nil:
		say("%g or more", *element.Minimum)
	case element.Maximum != nil:
		say("%g or less", *element.Maximum)
	}
	if element.MaxLength != nil {
		say("at most %d characters", *element.MaxLength)
	}
	return out.String()
}

// sentence returns a doc comment for a cell of a table, without the field's name in front.
func sentence(name, description string) string {
	text := strings.Join(strings.Fields(description), " ")
	first, rest, _ := strings.Cut(text, " ")
	if verb, after, _ := strings.Cut(rest, " "); (verb == "is" || verb == "are") &&
		strings.HasPrefix(strings.ToLower(name), strings.ToLower(first)) {
		text = strings.ToUpper(after[:1]) + after[1:]
	}
	text = strings.TrimSuffix(strings.TrimSuffix(text, " Default: none."), " Default: any.") // which the page says once
	return strings.NewReplacer("|", `\|`, "<", `\<`, "*", `\*`).Replace(text)
}

// identity is the same for objects that have the same fields.
func identity(object apiextensionsv1.JSONSchemaProps) string {
	object.Description = ""
	text, err := yaml.Marshal(object)
	if err != nil {
		panic(err) // it was read from YAML
	}
	return string(text)
}

// anchor returns what git servers make of a heading.
func anchor(path string) string {
	return strings.ToLower(strings.NewReplacer(".", "", "[", "", "]", "").Replace(path))
}
