package v1alpha1

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// manifestGroups are the kinds of manifests that hold the spec of a service, with the API groups that each kind has or had.
var manifestGroups = map[string][]string{
	"Ironic":                      {"ironic.metal3.io", "metal3.io"},
	"IronicDatabase":              {"ironic.metal3.io", "metal3.io"},
	"Vino":                        {"airship.airshipit.org"},
	"PlacementAPI":                {"placement.openstack.org"},
	"NetworkAttachmentDefinition": {"k8s.cni.cncf.io"},
	"IPAddressPool":               {"metallb.io"},
}

// IsManifest says whether a document is a manifest that holds the spec of a service.
func IsManifest(doc *manifest.Document) bool {
	group, _, _ := strings.Cut(doc.APIVersion, "/")
	return slices.Contains(manifestGroups[doc.Kind], group)
}

// source is the place of a spec that a service takes from a manifest.
type source struct {
	document *manifest.Document
	field    string
}

// Complete returns the Site with the specs of its services from manifests. A service whose manifest is missing is an error.
func (s *Site) Complete(manifests []manifest.Document) (*Site, error) {
	whole := s
	if len(manifests) > 0 {
		var err error
		if whole, err = FromDocuments(append(slices.Clone(s.documents), manifests...)); err != nil {
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
	site *Site
	docs []*manifest.Document
	used map[*manifest.Document]bool
	add  problem
}

// readManifests takes the spec of each service without one from the manifest of its kind, namespace and name.
func (s *Site) readManifests(docs []*manifest.Document, add problem) {
	r := &manifestReader{s, docs, map[*manifest.Document]bool{}, add}
	s.sources = map[string]source{}
	services := &s.Spec.Services
	for n := range services.Ironic {
		i, at := &services.Ironic[n], fmt.Sprintf("spec.services.ironic[%d]", n)
		if i.Spec.Written != nil {
			continue
		}
		if doc := r.spec(at, "Ironic", i.Namespace, i.Name, &i.Spec); doc != nil {
			i.APIVersion = doc.APIVersion
			s.sources[at+".apiVersion"] = source{doc, "apiVersion"}
		}
		r.database(at, i)
	}
	for n := range services.VirtualHosts {
		if v := &services.VirtualHosts[n]; v.Spec.Written == nil {
			r.version(r.spec(fmt.Sprintf("spec.services.virtualHosts[%d]", n), "Vino", v.Namespace, v.Name, &v.Spec), upstream.Vino)
		}
	}
	for n := range services.Placement {
		if p := &services.Placement[n]; p.Spec.Written == nil {
			r.version(r.spec(fmt.Sprintf("spec.services.placement[%d]", n), "PlacementAPI", p.Namespace, p.Name, &p.Spec), upstream.PlacementAPI)
		}
	}
	for n := range services.Networks {
		if network := &services.Networks[n]; network.Attachment == "" && network.Pool == nil {
			r.network(fmt.Sprintf("spec.services.networks[%d]", n), network)
		}
	}
	for _, doc := range docs {
		if !r.used[doc] {
			s.Warnings = append(s.Warnings, doc.Problem("metadata.name", "%s %s is not rendered: no service without a spec in the Site's spec.services has its name",
				doc.Kind, redact.Plain(strings.TrimPrefix(doc.Namespace+"/"+doc.Name, "/"))).Error())
		}
	}
}

// find gives the manifest of an object. One without a namespace is in that of the service.
func (r *manifestReader) find(kind, namespace, name string) *manifest.Document {
	var found *manifest.Document
	for _, doc := range r.docs {
		if doc.Kind != kind || doc.Name != name || doc.Namespace != namespace && doc.Namespace != "" {
			continue
		}
		r.used[doc] = true
		//guard: which of two manifests is rendered depends on the order of files
		if found != nil {
			r.problem(doc, "metadata.name", "a second %s %s/%s, the first is at %s", kind, redact.Plain(namespace), redact.Plain(name), found.Where())
			continue
		}
		found = doc
	}
	return found
}

func (r *manifestReader) problem(doc *manifest.Document, field, format string, args ...any) {
	at := fmt.Sprintf("%s#%d.", doc.File, doc.Index) // no field of the Site's
	r.site.sources[at] = source{doc, field}
	r.add(at, format, args...)
}

// spec reads the spec of a service from its manifest, nil if there is none.
func (r *manifestReader) spec(at, kind, namespace, name string, into any) *manifest.Document {
	doc := r.find(kind, namespace, name)
	if doc == nil {
		r.site.Missing = append(r.site.Missing, r.site.Problem(at+".spec", "missing, and no manifest of %s %s/%s is among the specs and in the Site's file",
			kind, redact.Plain(namespace), redact.Plain(name)))
		return nil
	}
	r.site.sources[at+".spec"] = source{doc, "spec"}
	r.read(doc, at+".spec", into)
	return doc
}

// read decodes the spec of a manifest. What a manifest has beside it is not rendered, and an unknown field there is a problem.
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
			r.site.Warnings = append(r.site.Warnings, doc.Problem("metadata."+key, "not rendered: a service has its spec alone from a manifest").Error())
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
		r.site.Warnings = append(r.site.Warnings, doc.Problem("apiVersion", "found %q, and sipgen has the definition of %s in %s: the spec is rendered as that",
			doc.APIVersion, kind.APIVersion, kind.Origin).Error())
	}
}

// database takes the IronicDatabase that an older Ironic names.
func (r *manifestReader) database(at string, i *Ironic) {
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
	i.IronicDatabase = &OlderDatabase{}
	r.site.sources[at+".ironicDatabase"] = source{doc, "spec"}
	r.read(doc, at+".ironicDatabase", i.IronicDatabase)
	i.IronicDatabase.Name = name
}

// network takes a network from a NetworkAttachmentDefinition or an IPAddressPool.
func (r *manifestReader) network(at string, n *Network) {
	attachment, pool := r.find("NetworkAttachmentDefinition", n.Namespace, n.Name), r.find("IPAddressPool", n.Namespace, n.Name)
	switch {
	case attachment != nil && pool != nil:
		r.add(at, "found a NetworkAttachmentDefinition (%s) and an IPAddressPool (%s) of this name, want one of them", attachment.Where(), pool.Where())
	case attachment != nil:
		r.site.sources[at+".attachment"] = source{attachment, "spec.config"}
		r.site.sources[at+".attachmentSpec"] = source{attachment, "spec"} // no field of the Site's
		var spec map[string]any
		r.version(attachment, upstream.NetworkAttachmentDefinition)
		r.read(attachment, at+".attachmentSpec", &spec)
		r.site.check(upstream.NetworkAttachmentDefinition, at+".attachmentSpec", spec, r.add)
		if n.Attachment, _ = spec["config"].(string); n.Attachment == "" {
			r.add(at+".attachment", "missing: the CNI configuration")
		}
	case pool != nil:
		n.Pool = &AddressPool{}
		r.site.sources[at+".pool"] = source{pool, "spec"}
		r.version(pool, upstream.IPAddressPool)
		r.read(pool, at+".pool", n.Pool)
	default:
		r.site.Missing = append(r.site.Missing, r.site.Problem(at, "want attachment or pool, one of them, or the manifest of a NetworkAttachmentDefinition or "+
			"IPAddressPool %s", redact.Plain(n.Key())))
	}
}

// UnmarshalJSON reads what sipgen knows of the spec.
func (d *OlderDatabase) UnmarshalJSON(text []byte) error {
	type fields OlderDatabase
	return json.Unmarshal(text, (*fields)(d))
}

// Place is the document of a field of the Site, nil if it has none, and the field's path there.
func (s *Site) Place(path string) (*manifest.Document, string) {
	for at, from := range s.sources { // no two of them are above the same field
		if rest, below := strings.CutPrefix(path, at); below && (rest == "" || strings.ContainsAny(rest[:1], ".[")) {
			return from.document, from.field + rest
		}
	}
	return s.Document, path
}

// openSecrets are the secrets in the Site and in the specs of manifests, by the paths of the Site.
func (s *Site) openSecrets() map[string]string {
	open := s.Document.OpenSecrets()
	for at, from := range s.sources {
		for path, what := range from.document.OpenSecrets() {
			if rest, below := strings.CutPrefix(path, from.field); below {
				//guard: a private key in a manifest is committed
				open[at+rest] = what
			}
		}
	}
	return open
}
