package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/bmh"
)

const (
	snapshotVersion = "sipgen.airshipit.org/v1alpha1"
	snapshotKind    = "InventorySnapshot"
	snapshotHeader  = "# Hosts as `sipgen inventory` read them: no secrets, and nothing that changes by itself.\n"
)

// snapshot is an inventory in a file, for planning where there is no cluster.
type snapshot struct {
	APIVersion       string      `json:"apiVersion"`
	Kind             string      `json:"kind"`
	TakenAt          metav1.Time `json:"takenAt"`
	Context          string      `json:"context"`
	HasManagedFields bool        `json:"hasManagedFields,omitempty"`
	// Count is how many hosts follow: a truncated file may still be valid YAML with a smaller inventory.
	Count *int             `json:"count"`
	Hosts []inventory.Host `json:"hosts"`
}

// WriteSnapshot writes the inventory as YAML: hosts sorted by namespace and name, no secret, and
// besides the time it was taken the same bytes for the same hosts.
func WriteSnapshot(w io.Writer, inv *inventory.Inventory) error {
	hosts := append([]inventory.Host{}, inv.Hosts...)
	inventory.Sort(hosts)
	count := len(hosts)
	text, err := yaml.Marshal(snapshot{
		APIVersion: snapshotVersion, Kind: snapshotKind, TakenAt: metav1.NewTime(inv.TakenAt), Context: inv.Context,
		HasManagedFields: inv.HasManagedFields, Count: &count, Hosts: hosts,
	})
	if err != nil {
		return err
	}
	_, err = w.Write(append([]byte(snapshotHeader), text...))
	return err
}

// readSnapshot reads the output of WriteSnapshot.
func readSnapshot(doc *manifest.Document) (*inventory.Inventory, error) {
	var file snapshot
	if doc.APIVersion != snapshotVersion {
		return nil, doc.Problem("apiVersion", "found %q, want %s", doc.APIVersion, snapshotVersion)
	}
	file.Hosts = make([]inventory.Host, 0, bytes.Count(doc.JSON, []byte(`"bmc":`))) // most hosts have one
	if err := doc.Decode(&file); err != nil {
		if file, err = readOneByOne(doc, err); err != nil {
			return nil, err
		}
	}
	switch {
	case file.Count == nil:
		return nil, doc.Problem("count", "missing, want the number of hosts in the file: it is cut off, or was edited")
	case *file.Count != len(file.Hosts):
		return nil, doc.Problem("count", "the file announces %s, but has %d: it is cut off, or was edited",
			text.Count(*file.Count, "host"), len(file.Hosts))
	}
	hosts := file.Hosts[:0]
	var leftOut []inventory.LeftOut
	for i := range file.Hosts {
		host := &file.Hosts[i]
		host.Source.File = doc.File
		bmh.Clean(host)
		if field, text := bmh.BadName(host.Namespace, host.Name); field != "" {
			leftOut = append(leftOut, inventory.LeftOut{Source: host.Source, Field: fmt.Sprintf("hosts[%d].%s", i, field),
				Text: text})
			continue
		}
		bmh.CheckLength(host)
		bmh.CheckLabels(host)
		bmh.CheckSecrets(host)
		hosts = append(hosts, *host)
	}
	return &inventory.Inventory{Hosts: inventory.Once(hosts), LeftOut: leftOut, TakenAt: file.TakenAt.Time.In(time.UTC),
		Context: file.Context, HasManagedFields: file.HasManagedFields}, nil
}

// readOneByOne reads a snapshot that cannot be decoded as a whole. A host with a value that cannot be read has that
// fault. It returns whole, the error of the whole file, if no host is at fault, or if one has no readable name: it may
// be any host of the tree, which would count as gone.
func readOneByOne(doc *manifest.Document, whole error) (file snapshot, err error) {
	rest, err := doc.Without("hosts")
	if err != nil {
		return file, whole
	}
	if err := rest.Decode(&file); err != nil {
		return file, err
	}
	faulty := false
	for _, item := range doc.Items("hosts") {
		var host inventory.Host
		if unreadable := item.DecodeLoose(&host); unreadable != nil {
			faulty = true
			var named struct{ Namespace, Name string }
			if json.Unmarshal(item.JSON, &named) != nil || named.Name == "" {
				return file, whole
			}
			// The decoded part may end in the middle of a field.
			host = inventory.Host{Namespace: named.Namespace, Name: named.Name, Faults: bmh.FaultsOf(unreadable)}
			host.UID, host.Labels = bmh.ReadIdentity(item.JSON)
		} else if err := item.Decode(&host); err != nil {
			return file, err
		}
		file.Hosts = append(file.Hosts, host)
	}
	if !faulty {
		return file, whole
	}
	return file, nil
}
