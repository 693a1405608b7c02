package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/api/v1alpha1/validation"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// manifestGroups are the kinds of manifests that hold the spec of a service, with the API groups that each kind has or
// had.
var manifestGroups = map[string][]string{
	"Ironic":                      {"ironic.metal3.io", "metal3.io"},
	"IronicDatabase":              {"ironic.metal3.io", "metal3.io"},
	"Vino":                        {"airship.airshipit.org"},
	"PlacementAPI":                {"placement.openstack.org"},
	"NetworkAttachmentDefinition": {"k8s.cni.cncf.io"},
	"IPAddressPool":               {"metallb.io"},
}

// IsManifest reports whether a document is a manifest with the spec of a site service.
func IsManifest(doc *manifest.Document) bool {
	group, _, _ := strings.Cut(doc.APIVersion, "/")
	return slices.Contains(manifestGroups[doc.Kind], group)
}

// CompleteSite returns the Site with the specs of its services from manifests. A service whose manifest is missing is
// an error.
func CompleteSite(s *v1alpha1.Site, manifests []manifest.Document) (*v1alpha1.Site, error) {
	whole := s
	if len(manifests) > 0 {
		var err error
		if whole, err = SiteFromDocuments(append(slices.Clone(s.Documents), manifests...)); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(whole.Missing...); err != nil {
		return nil, err
	}
	return whole, nil
}

// manifestReader takes the specs of a Site's services from manifests.
type manifestReader struct {
	site *v1alpha1.Site
	docs []*manifest.Document
	used map[*manifest.Document]bool
	add  validation.Report
}

// readManifests takes the spec of each service without one from the manifest of its kind, namespace and name.
func readManifests(s *v1alpha1.Site, docs []*manifest.Document, add validation.Report) {
	r := &manifestReader{s, docs, map[*manifest.Document]bool{}, add}
	s.Sources = map[string]v1alpha1.Source{}
	services := &s.Spec.Services
	for n := range services.Ironic {
		i, at := &services.Ironic[n], fmt.Sprintf("spec.services.ironic[%d]", n)
		if i.Spec.Written != nil {
			continue
		}
		if doc := r.spec(at, "Ironic", i.Namespace, i.Name, &i.Spec); doc != nil {
			i.APIVersion = doc.APIVersion
			s.Sources[at+".apiVersion"] = v1alpha1.Source{Document: doc, Field: "apiVersion"}
		}
		r.database(at, i)
	}
	for n := range services.VirtualHosts {
		if v := &services.VirtualHosts[n]; v.Spec.Written == nil {
			r.version(r.spec(fmt.Sprintf("spec.services.virtualHosts[%d]", n), "Vino", v.Namespace, v.Name, &v.Spec),
				upstream.Vino)
		}
	}
	for n := range services.Placement {
		if p := &services.Placement[n]; p.Spec.Written == nil {
			r.version(r.spec(fmt.Sprintf("spec.services.placement[%d]", n), "PlacementAPI", p.Namespace, p.Name,
				&p.Spec), upstream.PlacementAPI)
		}
	}
	for n := range services.Networks {
		if network := &services.Networks[n]; network.Attachment == "" && network.Pool == nil {
			r.network(fmt.Sprintf("spec.services.networks[%d]", n), network)
		}
	}
	for _, doc := range docs {
		if !r.used[doc] {
			s.Warnings = append(s.Warnings,
				doc.Problem("metadata.name",
					"%s %s is not rendered: no service without a spec in the Site's spec.services has its name",
					doc.Kind, redact.Plain(strings.TrimPrefix(doc.Namespace+"/"+doc.Name, "/"))))
		}
	}
}

// find returns the manifest of an object, nil if there is none. A manifest without a namespace is in the namespace
// of the service.
func (r *manifestReader) find(kind, namespace, name string) *manifest.Document {
	var found *manifest.Document
	for _, doc := range r.docs {
		if doc.Kind != kind || doc.Name != name || doc.Namespace != namespace && doc.Namespace != "" {
			continue
		}
		r.used[doc] = true
		if found != nil {
			r.problem(doc, "metadata.name", "a second %s %s/%s, the first is at %s", kind, redact.Plain(namespace),
				redact.Plain(name), found.Where())
			continue
		}
		found = doc
	}
	return found
}

func (r *manifestReader) problem(doc *manifest.Document, field, format string, args ...any) {
	at := fmt.Sprintf("%s#%d.", doc.File, doc.Index) // no field of the Site's
	r.site.Sources[at] = v1alpha1.Source{Document: doc, Field: field}
	r.add(at, format, args...)
}

// spec reads the spec of a service from its manifest, nil if there is none.
func (r *manifestReader) spec(at, kind, namespace, name string, into any) *manifest.Document {
	doc := r.find(kind, namespace, name)
	if doc == nil {
		r.site.Missing = append(r.site.Missing, r.site.Problem(at+".spec",
			"missing, and no manifest of %s %s/%s is among the specs and in the Site's file",
			kind, redact.Plain(namespace), redact.Plain(name)))
		return nil
	}
	r.site.Sources[at+".spec"] = v1alpha1.Source{Document: doc, Field: "spec"}
	r.read(doc, at+".spec", into)
	return doc
}

// read decodes the spec of a manifest. What a manifest has beside it is not rendered, and an unknown field there is a
// problem.
func (r *manifestReader) read(doc *manifest.Document, at string, into any) {
	var object map[string]json.RawMessage
	_ = json.Unmarshal(doc.JSON, &object) // a document is a mapping
	for _, key := range slices.Sorted(maps.Keys(object)) {
		switch key {
		case "apiVersion", "kind", "metadata", "spec", "status":
		case "namespace":
			r.problem(doc, key, "found beside metadata, want it in there")
		default:
			r.problem(doc, key, "found beside spec, want it in there")
		}
	}
	var metadata map[string]json.RawMessage
	_ = json.Unmarshal(object["metadata"], &metadata)
	for _, key := range []string{"labels", "annotations"} {
		if text := string(metadata[key]); text != "" && text != "null" && text != "{}" {
			r.site.Warnings = append(r.site.Warnings,
				doc.Problem("metadata."+key, "not rendered: a service has its spec alone from a manifest"))
		}
	}
	text := object["spec"]
	if len(text) == 0 || string(text) == "null" {
		text = json.RawMessage("{}")
	}
	if err := json.Unmarshal(text, into); err != nil {
		r.add(at, "is no mapping")
	}
}

// version warns about a manifest of another version than the definition's.
func (r *manifestReader) version(doc *manifest.Document, kind *upstream.Kind) {
	if doc != nil && doc.APIVersion != kind.APIVersion {
		r.site.Warnings = append(r.site.Warnings,
			doc.Problem("apiVersion", "found %q, and sipgen has the definition of %s in %s: the spec is rendered "+
				"as that",
				doc.APIVersion, kind.APIVersion, kind.Origin))
	}
}

// database takes the IronicDatabase that an older Ironic names.
func (r *manifestReader) database(at string, i *v1alpha1.Ironic) {
	name, _ := i.Spec.Written["databaseName"].(string)
	if ref, is := i.Spec.Written["databaseRef"].(map[string]any); is {
		name, _ = ref["name"].(string)
	}
	if name == "" || i.MariaDB != nil || i.IronicDatabase != nil {
		return
	}
	doc := r.find("IronicDatabase", i.Namespace, name)
	if doc == nil {
		return // who validates the Ironic says what it names
	}
	i.IronicDatabase = &v1alpha1.OlderDatabase{}
	r.site.Sources[at+".ironicDatabase"] = v1alpha1.Source{Document: doc, Field: "spec"}
	r.read(doc, at+".ironicDatabase", i.IronicDatabase)
	i.IronicDatabase.Name = name
}

// network takes a network from a NetworkAttachmentDefinition or an IPAddressPool.
func (r *manifestReader) network(at string, n *v1alpha1.Network) {
	attachment, pool := r.find("NetworkAttachmentDefinition", n.Namespace, n.Name), r.find("IPAddressPool",
		n.Namespace, n.Name)
	switch {
	case attachment != nil && pool != nil:
		r.add(at, "found a NetworkAttachmentDefinition (%s) and an IPAddressPool (%s) of this name, want one of "+
			"them", attachment.Where(), pool.Where())
	case attachment != nil:
		r.site.Sources[at+".attachment"] = v1alpha1.Source{Document: attachment, Field: "spec.config"}
		r.site.Sources[at+".attachmentSpec"] = v1alpha1.Source{Document: attachment,
			Field: "spec"} // no field of the Site's
		var spec map[string]any
		r.version(attachment, upstream.NetworkAttachmentDefinition)
		r.read(attachment, at+".attachmentSpec", &spec)
		checkDefinition(r.site, upstream.NetworkAttachmentDefinition, at+".attachmentSpec", spec, r.add)
		if n.Attachment, _ = spec["config"].(string); n.Attachment == "" {
			r.add(at+".attachment", "missing: the CNI configuration")
		}
	case pool != nil:
		n.Pool = &v1alpha1.AddressPool{}
		r.site.Sources[at+".pool"] = v1alpha1.Source{Document: pool, Field: "spec"}
		r.version(pool, upstream.IPAddressPool)
		r.read(pool, at+".pool", n.Pool)
	default:
		r.site.Missing = append(r.site.Missing, r.site.Problem(at,
			"want attachment or pool, one of them, or the manifest of a NetworkAttachmentDefinition or "+
				"IPAddressPool %s", redact.Plain(n.Key())))
	}
}

// openSecrets returns the plain-text secrets in the Site and in the specs of manifests, by the paths of the Site.
func openSecrets(s *v1alpha1.Site) map[string]string {
	open := s.Document.OpenSecrets()
	for at, from := range s.Sources {
		for path, what := range from.Document.OpenSecrets() {
			if rest, below := strings.CutPrefix(path, from.Field); below {
				open[at+rest] = what
			}
		}
	}
	return open
}
