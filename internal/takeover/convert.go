package takeover

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
)

// Converted is a SIPCluster in today's shape.
type Converted struct {
	Namespace, Name string
	// YAML is the spec to commit.
	YAML []byte
	// Notes are what became of fields, in the order of the spec; Problems what is still wrong with the result, to be set right by hand.
	Notes    []Note
	Problems []string
	// Cluster is the result as sipgen reads it, nil if it does not.
	Cluster *v1.SIPCluster
	// Finalizers of the object, which only the SIP operator took off.
	Finalizers []string
}

// Key is "namespace/name".
func (c *Converted) Key() string { return c.Namespace + "/" + c.Name }

// converter collects the notes about one spec.
type converter struct{ notes []Note }

func (c *converter) note(path, format string, args ...any) {
	c.notes = append(c.notes, Note{path, fmt.Sprintf(format, args...)})
}

// IsSIPCluster says whether a document is one, of whatever shape.
func IsSIPCluster(doc *manifest.Document) bool {
	return doc.Kind == v1.Kind && strings.HasPrefix(doc.APIVersion, "airship.airshipit.org/")
}

// Convert writes a SIPCluster of any shape that SIP's API had in today's. Nothing is guessed: what has no counterpart is left out, with a
// note, and what today's shape needs besides is a problem.
func Convert(doc *manifest.Document) (*Converted, error) {
	var object map[string]any
	if err := json.Unmarshal(doc.JSON, &object); err != nil {
		return nil, doc.Problem("", "not an object")
	}
	c := &converter{}
	out := &Converted{Namespace: doc.Namespace, Name: doc.Name}
	root := c.fields("", object)
	root.take("apiVersion")
	root.take("kind")
	root.take("status")
	metadata := c.metadata(root, out)
	value, _ := root.take("spec")
	spec := c.spec(value)
	for name := range root.left {
		delete(root.left, name) // what kubectl or an exporter adds at the top says nothing about the cluster
	}
	result := map[string]any{"apiVersion": v1.APIVersion, "kind": v1.Kind, "metadata": metadata, "spec": spec}
	text, err := yaml.Marshal(result)
	if err != nil {
		return nil, err
	}
	out.YAML, out.Notes = text, c.notes
	clusters, err := v1.Parse(out.Key(), text)
	if err != nil {
		out.Problems = strings.Split(err.Error(), "\n")
	} else if len(clusters) == 1 {
		out.Cluster = &clusters[0]
	}
	return out, nil
}

// metadata keeps what a person wrote.
func (c *converter) metadata(root *fields, out *Converted) map[string]any {
	value, _ := root.take("metadata")
	from := c.fields("metadata", value)
	kept := map[string]any{}
	for _, name := range []string{"name", "namespace"} {
		if text := from.text(name); text != "" {
			kept[name] = text
		}
	}
	if labels, _ := from.take("labels"); labels != nil {
		kept["labels"] = labels
	}
	if value, _ := from.take("annotations"); value != nil {
		if annotations, is := value.(map[string]any); is {
			delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
			if len(annotations) > 0 {
				kept["annotations"] = annotations
			}
		}
	}
	finalizers, _ := from.take("finalizers")
	for _, f := range c.items("metadata.finalizers", finalizers) {
		if text, is := f.(string); is {
			out.Finalizers = append(out.Finalizers, text)
		}
	}
	return kept
}

// spec converts the spec of any shape.
func (c *converter) spec(value any) map[string]any {
	from := c.fields("spec", value)
	out := map[string]any{}
	const clusterName = "no counterpart: the cluster is metadata.namespace and metadata.name, and its services are in that namespace"
	if _, name := from.take("clusterName", "cluster-name"); name != "" {
		from.note(name, "%s", clusterName)
	}
	if value, name := from.take("config"); name != "" {
		config := c.fields("spec.config", value)
		if _, name := config.take("cluster-name"); name != "" {
			config.note(name, "%s", clusterName)
		}
		config.rest()
	}
	if value, _ := from.take("nodes"); value != nil {
		out["nodes"] = c.nodes(value)
	}
	services := map[string]any{}
	if value, _ := from.take("services"); value != nil {
		c.services(value, services)
	}
	if value, _ := from.take("infra"); value != nil {
		c.infra(value, services)
	}
	if len(services) > 0 {
		out["services"] = services
	}
	for _, name := range []string{"priority", "patches"} { // of today's shape
		if value, found := from.take(name); found != "" {
			out[name] = value
		}
	}
	from.rest()
	return out
}
