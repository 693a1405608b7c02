package bmh

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/inventory"
)

// ownedFields is the part of a FieldsV1 that matters here: names of fields begin with "f:", and "." is the map
// itself. A set of all fields of a large fleet would cost more than the rest of the inventory.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
type ownedFields struct {
	Metadata struct {
		Labels          map[string]json.RawMessage `json:"f:labels"`
		Annotations     map[string]json.RawMessage `json:"f:annotations"`
		Finalizers      json.RawMessage            `json:"f:finalizers"`
		OwnerReferences json.RawMessage            `json:"f:ownerReferences"`
	} `json:"f:metadata"`
	Spec json.RawMessage `json:"f:spec"`
}

// Managers reduces managedFields to the owners of the spec, of labels, annotations, finalizers and owners. An
// unreadable entry counts as owner of the spec, to be careful.
func Managers(entries []metav1.ManagedFieldsEntry) []inventory.Manager {
	managers := make([]inventory.Manager, 0, len(entries))
	for _, entry := range entries {
		manager := inventory.Manager{Name: entry.Manager, Operation: string(entry.Operation), Subresource: entry.Subresource}
		var owned ownedFields
		if entry.FieldsV1 == nil || json.Unmarshal(entry.FieldsV1.GetRawBytes(), &owned) != nil {
			manager.OwnsSpec = true
			managers = append(managers, manager)
			continue
		}
		manager.OwnsSpec = owned.Spec != nil
		manager.Labels = keysOf(owned.Metadata.Labels)
		manager.Annotations = keysOf(owned.Metadata.Annotations)
		if owned.Metadata.Finalizers != nil {
			manager.Metadata = append(manager.Metadata, "finalizers")
		}
		if owned.Metadata.OwnerReferences != nil {
			manager.Metadata = append(manager.Metadata, "ownerReferences")
		}
		managers = append(managers, manager)
	}
	return managers
}

// keysOf lists the keys that are owned, sorted.
func keysOf(fields map[string]json.RawMessage) []string {
	var keys []string
	for field := range fields {
		if key, found := strings.CutPrefix(field, "f:"); found {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
