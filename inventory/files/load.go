// Package files reads the hosts of a site from files: manifests as kubectl prints them, a kustomization, or a snapshot
// that WriteSnapshot wrote.
package files

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/kustomization"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/bmh"
)

// Load reads hosts from files, folders and "-": manifests as kubectl prints them, a kustomization, or a snapshot.
func Load(paths []string, stdin io.Reader) (*inventory.Inventory, error) {
	docs, err := kustomization.Hosts(paths, stdin)
	empty, err := cutOff(err)
	if err != nil {
		return nil, err
	}
	hosts, err := fromDocuments(docs, strings.Join(paths, " "))
	if err == nil {
		hosts.Notes = append(hosts.Notes, empty...)
	}
	return hosts, err
}

// cutOff takes the files with nothing in them out of an error: they are no reason to read none of the others.
func cutOff(err error) (empty []error, rest error) {
	var problems manifest.Problems
	for _, e := range manifest.Split(err) {
		if errors.Is(e, manifest.ErrEmpty) {
			empty = append(empty, e)
			continue
		}
		problems.Add(e)
	}
	return empty, problems.Err()
}

// Parse is Load of one file's text: YAML documents or JSON, or a snapshot. file is its name in problems.
func Parse(file string, text []byte) (*inventory.Inventory, error) {
	docs, err := manifest.Inventory.Parse(file, text)
	if err != nil {
		return nil, err
	}
	return fromDocuments(docs, file)
}

func fromDocuments(docs []manifest.Document, from string) (*inventory.Inventory, error) {
	for i := range docs {
		if docs[i].Kind != snapshotKind {
			continue
		}
		if len(docs) > 1 {
			return nil, docs[i].Problem("", "a snapshot among other documents, want it by itself")
		}
		return readSnapshot(&docs[i])
	}
	if err := bmh.CheckKinds(docs); err != nil {
		return nil, err
	}
	notes := bmh.Notes(docs)
	hosts, leftOut := bmh.FromDocuments(docs)
	if len(hosts)+len(leftOut) == 0 {
		return nil, fmt.Errorf("%s: no %s in it%s", from, bmh.KindHost, specsIn(docs))
	}
	managed := slices.ContainsFunc(hosts, func(h inventory.Host) bool { return h.Managers != nil })
	return &inventory.Inventory{Hosts: hosts, LeftOut: leftOut, Notes: notes, Context: from, HasManagedFields: managed,
		Secrets: bmh.SecretNames(docs)}, nil
}

// specsIn reports that documents without a host are specs: the two flags were swapped.
func specsIn(docs []manifest.Document) string {
	specs := 0
	for i := range docs {
		if docs[i].Kind == "SIPCluster" {
			specs++
		}
	}
	if specs == 0 {
		return ""
	}
	return ", but " + text.Count(specs, "SIPCluster") + ": --inventory is for hosts, and --filename for specs"
}
