// Package takeover converts specs of every version of the SIP operator's API to today's, and reports the changes for
// each tenant's services. It is pure.
package takeover

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api"
	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
)

// Converted is a SIPCluster in today's shape.
type Converted struct {
	Namespace, Name string
	// YAML is the spec to commit.
	YAML []byte
	// Notes are the fields that were left out, renamed or added; Problems are the loader's errors, to be fixed by hand.
	Notes    []Note
	Problems []string
	// Cluster is the loaded result, nil with Problems.
	Cluster *v1.SIPCluster
}

// Note is a remark about one field of a spec.
type Note struct{ Path, Text string }

// Key returns "namespace/name".
func (c *Converted) Key() string { return c.Namespace + "/" + c.Name }

// IsSIPCluster reports whether a document is a SIPCluster of any shape.
func IsSIPCluster(doc *manifest.Document) bool {
	return doc.Kind == v1.Kind && strings.HasPrefix(doc.APIVersion, "airship.airshipit.org/")
}

// Convert writes a SIPCluster of any of SIP's shapes in today's. A field of SIP's without a counterpart is left out,
// with a note. Any other field stays as written, and the loader reports what is wrong with the field: nothing is
// guessed.
func Convert(doc *manifest.Document) (*Converted, error) {
	var from map[string]any
	if err := json.Unmarshal(doc.JSON, &from); err != nil {
		return nil, doc.Problem("", "not an object")
	}
	metadata := map[string]any{}
	for _, name := range []string{"name", "namespace", "labels", "annotations"} {
		if value := object(from, "metadata")[name]; value != nil {
			metadata[name] = value
		}
	}
	delete(object(metadata, "annotations"), "kubectl.kubernetes.io/last-applied-configuration")
	c := &converter{}
	if spec := object(from, "spec"); spec != nil {
		c.spec(spec)
	}
	text, err := yaml.Marshal(map[string]any{"apiVersion": v1.APIVersion, "kind": v1.Kind, "metadata": metadata,
		"spec": from["spec"]})
	if err != nil {
		return nil, err
	}
	out := &Converted{Namespace: doc.Namespace, Name: doc.Name, YAML: text, Notes: c.notes}
	clusters, err := api.ParseClusters(out.Key(), text)
	if err != nil {
		out.Problems = strings.Split(err.Error(), "\n")
	} else if len(clusters) == 1 {
		out.Cluster = &clusters[0]
	}
	return out, nil
}

// converter changes a spec in place, and collects the notes.
type converter struct{ notes []Note }

func (c *converter) note(path, format string, args ...any) {
	c.notes = append(c.notes, Note{path, fmt.Sprintf(format, args...)})
}

// drop removes the fields that are there, with a note.
func (c *converter) drop(path string, from map[string]any, text string, names ...string) {
	for _, name := range names {
		if from[name] != nil {
			c.note(path+"."+name, "%s", text)
		}
		delete(from, name)
	}
}

// object returns a field that is an object, otherwise nil.
func object(from map[string]any, name string) map[string]any {
	out, _ := from[name].(map[string]any)
	return out
}

func (c *converter) spec(spec map[string]any) {
	c.drop("spec", spec, "no counterpart: the cluster is metadata.namespace and metadata.name, and its services are in that namespace",
		"clusterName", "cluster-name", "config")
	c.nodes(spec)
	c.services(spec)
}
