package takeover

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// Installation is the input: an installation of SIP.
type Installation struct {
	Engine v1alpha1.Engine
	Specs  []*Converted
	// Objects are Deployments and Services, with the owners of their fields.
	Objects []inventory.ServiceObject
}

// Write prints, as comments, the notes about each tenant's spec, the changes for its services, and the commands that
// hand the services to the engine; with specs also the specs.
func (in *Installation) Write(w io.Writer, specs bool) error {
	var out bytes.Buffer
	// Names of fields and the like come from outside: none may end its line.
	comment := func(line string) { fmt.Fprintln(&out, "# "+text.Line(line)) }
	slices.SortFunc(in.Specs, func(a, b *Converted) int { return strings.Compare(a.Key(), b.Key()) })
	for i, spec := range in.Specs {
		if i > 0 && specs {
			fmt.Fprintln(&out, "---")
		}
		comment(spec.Key())
		in.services(spec, comment)
		for _, note := range spec.Notes {
			comment(note.Path + ": " + note.Text)
		}
		for _, problem := range spec.Problems {
			comment("PROBLEM, set right by hand: " + problem)
		}
		if specs {
			out.Write(spec.YAML)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// services prints the changes for a tenant's services. A spec that cannot be loaded has none: unchecked names must
// not be in a command.
func (in *Installation) services(spec *Converted, comment func(string)) {
	if spec.Cluster == nil {
		return
	}
	for _, name := range preflight.ServiceNames(spec.Cluster) {
		changes := "not found, and made by the first sync"
		for _, object := range in.Objects {
			if object.Namespace != spec.Namespace || object.Name != name {
				continue
			}
			changes = "the Deployment and the Service stay, with uid, addresses and ports; the pods lose SIP's node selector for masters, its Secret and " +
				"its init container, and a load balancer gets two pods"
			if object.Owners == nil {
				comment(object.Key() + ": the owners of its fields are unknown: read the installation with -f cluster, or from files with managedFields " +
					"(kubectl get -o yaml --show-managed-fields)")
			} else if command := preflight.HandOver(in.Engine, &object); command != "" {
				comment("hand over: " + command) // docs/from-sip.md looks for these words
			}
		}
		comment("service " + name + ": " + changes)
	}
}

// Objects returns the Deployments and Services among documents, with the owners of their fields.
func Objects(docs []manifest.Document) []inventory.ServiceObject {
	var out []inventory.ServiceObject
	for i := range docs {
		doc := &docs[i]
		if !(doc.Kind == inventory.KindDeployment && doc.APIVersion == "apps/v1" || doc.Kind == inventory.KindService &&
			doc.APIVersion == "v1") {
			continue
		}
		object := inventory.ServiceObject{Kind: doc.Kind, Namespace: doc.Namespace, Name: doc.Name}
		var meta struct {
			Metadata metav1.ObjectMeta `json:"metadata"`
		}
		if doc.DecodeLoose(&meta) == nil && meta.Metadata.ManagedFields != nil {
			object.Owners = inventory.OwnersOf(meta.Metadata.ManagedFields)
		}
		out = append(out, object)
	}
	return out
}
