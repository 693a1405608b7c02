package inventory

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/airshipit/sipgen/manifest"
)

// Inventory is the hosts of a site and where they come from.
type Inventory struct {
	// Hosts sorted by namespace and name.
	Hosts []Host
	// TakenAt is when the hosts were read from a cluster; zero for manifests.
	TakenAt time.Time
	// Context is the cluster they were read from, or the files.
	Context string
	// HasManagedFields says whether Host.Managers is known.
	HasManagedFields bool
	// Secrets are the Secrets among the manifests, "namespace/name", sorted. Only the names; none for a snapshot or a cluster.
	Secrets []string
}

// The kinds that an inventory is read from.
const (
	metal3Group      = "metal3.io/"
	kindHost         = "BareMetalHost"
	kindHardwareData = "HardwareData"
	kindSecret       = "Secret"
)

// Load reads hosts from files, folders and "-": manifests as kubectl prints them, a kustomization, or a snapshot.
func Load(paths []string, stdin io.Reader) (*Inventory, error) {
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
	hosts, err := FromDocuments(docs)
	if err != nil {
		return nil, err
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("%v: no %s in it", paths, kindHost)
	}
	managed := slices.ContainsFunc(hosts, func(h Host) bool { return h.Managers != nil })
	return &Inventory{Hosts: hosts, Context: strings.Join(paths, " "), HasManagedFields: managed, Secrets: SecretNames(docs)}, nil
}

// Networks are the ids of the networks that hosts have addresses on.
func (i *Inventory) Networks() map[string]bool {
	known := map[string]bool{}
	for h := range i.Hosts {
		for _, address := range i.Hosts[h].Addresses {
			known[address.Network] = true
		}
	}
	return known
}

// SecretNames lists the Secrets among docs as "namespace/name", sorted. Nothing else of them is looked at.
func SecretNames(docs []manifest.Document) []string {
	return slices.Sorted(maps.Keys(objectsOf(docs).secrets))
}

// FromDocuments makes hosts of the BareMetalHosts among docs, with addresses from the Secrets that they name
// as network data and from their HardwareData. Other kinds are left alone, and no other Secret is
// looked into. Every problem is reported.
func FromDocuments(docs []manifest.Document) ([]Host, error) {
	var (
		hosts    []Host
		problems manifest.Problems
		seen     = map[string]string{}
		objects  = objectsOf(docs)
	)
	for i := range docs {
		doc := &docs[i]
		if !isMetal3(doc, kindHost) {
			continue
		}
		host, err := hostOf(doc, objects)
		problems.Add(err)
		if err != nil {
			continue
		}
		if first, twice := seen[host.Key()]; twice {
			problems.Add(doc.Problem("metadata.name", "host %s stands here again, first at %s", host.Key(), first))
			continue
		}
		seen[host.Key()] = host.Source
		hosts = append(hosts, host)
	}
	sortHosts(hosts)
	return hosts, problems.Err()
}

func sortHosts(hosts []Host) {
	slices.SortFunc(hosts, func(a, b Host) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}
