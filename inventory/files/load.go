// Package files reads the hosts of a site from files: manifests as kubectl prints them, a kustomization, or a snapshot that
// WriteSnapshot wrote.
package files

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/bmh"
)

// Load reads hosts from files, folders and "-": manifests as kubectl prints them, a kustomization, or a snapshot.
func Load(paths []string, stdin io.Reader) (*inventory.Inventory, error) {
	docs, err := read(paths, stdin)
	if err != nil {
		return nil, err
	}
	for i := range docs {
		if docs[i].Kind != snapshotKind {
			continue
		}
		if len(docs) > 1 {
			return nil, docs[i].Problem("", "a snapshot beside other documents, want it by itself")
		}
		return readSnapshot(&docs[i])
	}
	hosts, err := bmh.FromDocuments(docs)
	if err != nil {
		return nil, err
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("%v: no %s in it", paths, bmh.KindHost)
	}
	managed := slices.ContainsFunc(hosts, func(h inventory.Host) bool { return h.Managers != nil })
	return &inventory.Inventory{Hosts: hosts, Context: strings.Join(paths, " "), HasManagedFields: managed, Secrets: bmh.SecretNames(docs)}, nil
}
