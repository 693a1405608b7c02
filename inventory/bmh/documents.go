package bmh

import (
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// The kinds that an inventory is read from, and the group of metal3's.
const (
	metal3Group      = "metal3.io/"
	KindHost         = "BareMetalHost"
	KindHardwareData = "HardwareData"
	KindSecret       = "Secret"
)

// Live is the File of a document that was read from a cluster.
const Live = "cluster"

// SecretNames lists the Secrets among docs as "namespace/name", sorted. Nothing else of them is looked at.
func SecretNames(docs []manifest.Document) []string {
	return slices.Sorted(maps.Keys(relatedOf(docs).Secrets))
}

// FromDocuments returns the hosts of the BareMetalHosts among docs, with addresses from the Secrets that they name as
// network data and from their HardwareData. Other kinds and other Secrets are not read. A problem of a host's
// document is a fault of that host. leftOut are objects that are no hosts.
func FromDocuments(docs []manifest.Document) (hosts []inventory.Host, leftOut []inventory.LeftOut) {
	related := relatedOf(docs)
	var of []*manifest.Document
	for i := range docs {
		if isMetal3(&docs[i], KindHost) {
			of = append(of, &docs[i])
		}
	}
	made, why := make([]inventory.Host, len(of)), make([]*inventory.LeftOut, len(of))
	manifest.Each(len(of), func(i int) {
		made[i], why[i] = hostOf(of[i], related)
	})
	hosts = made[:0]
	for i := range made {
		if why[i] != nil {
			leftOut = append(leftOut, *why[i])
		} else {
			hosts = append(hosts, made[i])
		}
	}
	return inventory.Once(hosts), leftOut
}

// CheckKinds finds objects without a kind, or with one similar to BareMetalHost: skipping them would lose a host.
func CheckKinds(docs []manifest.Document) error {
	var problems manifest.Problems
	for i := range docs {
		switch doc := &docs[i]; {
		case doc.NoKind():
			problems.Add(doc.Problem("kind", "missing, want %q or another object's", KindHost))
		case doc.Kind == KindHost && doc.APIVersion == "":
			problems.Add(doc.Problem("apiVersion", "missing, want %q", metal3Group+inventory.Version))
		case doc.Kind == KindHost && !isMetal3(doc, KindHost):
			problems.Add(doc.Problem("apiVersion", "found %q, want %q", doc.APIVersion, metal3Group+inventory.Version))
		case misspelled(doc):
			problems.Add(doc.Problem("kind", "found %q, did you mean %q?", doc.Kind, KindHost))
		}
	}
	return problems.Err()
}

// Notes are about objects that are read as another version, and objects that are likely meant to be read and are not,
// once for each kind.
func Notes(docs []manifest.Document) []error {
	const known = metal3Group + inventory.Version
	var other, specs []*manifest.Document
	for i := range docs {
		switch doc := &docs[i]; {
		case doc.Kind == KindHost && doc.APIVersion != known:
			other = append(other, doc)
		case doc.Kind == "SIPCluster":
			specs = append(specs, doc)
		}
	}
	var notes []error
	if len(other) > 0 {
		notes = append(notes, other[0].Problem("apiVersion", "found %q, want %q: %s read as if of that version; fields that "+
			"it does not have are ignored", other[0].APIVersion, known, text.Count(len(other), KindHost)))
	}
	if len(specs) > 0 {
		notes = append(notes, specs[0].Problem("", "%s among the hosts: not read here; --filename is for specs",
			text.Count(len(specs), "SIPCluster")))
	}
	return notes
}

// misspelled reports whether a kind of metal3's is BareMetalHost except for a few letters. No other kind is that
// similar, except the list.
func misspelled(doc *manifest.Document) bool {
	return strings.HasPrefix(doc.APIVersion, metal3Group) && doc.Kind != KindHost && doc.Kind != KindHost+"List" &&
		manifest.Nearest(doc.Kind, []string{KindHost}) != ""
}
