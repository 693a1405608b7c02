package bmh

import (
	"maps"
	"slices"

	"github.com/airshipit/sipgen/internal/manifest"
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

// FromDocuments makes hosts of the BareMetalHosts among docs, with addresses from the Secrets that they name
// as network data and from their HardwareData. Other kinds are left alone, and no other Secret is
// looked into. Every problem is reported.
func FromDocuments(docs []manifest.Document) ([]inventory.Host, error) {
	var (
		hosts    []inventory.Host
		problems manifest.Problems
		seen     = map[string]string{}
		related  = relatedOf(docs)
	)
	made := make([]struct {
		host inventory.Host
		err  error
	}, len(docs))
	manifest.Each(len(docs), func(i int) {
		if isMetal3(&docs[i], KindHost) {
			made[i].host, made[i].err = hostOf(&docs[i], related)
		}
	})
	for i := range docs {
		doc, host := &docs[i], made[i].host
		if !isMetal3(doc, KindHost) {
			continue
		}
		problems.Add(made[i].err)
		if made[i].err != nil {
			continue
		}
		if first, twice := seen[host.Key()]; twice {
			problems.Add(doc.Problem("metadata.name", "host %s is a duplicate, first defined at %s", host.Key(), first))
			continue
		}
		seen[host.Key()] = host.Source
		hosts = append(hosts, host)
	}
	inventory.Sort(hosts)
	return hosts, problems.Err()
}
