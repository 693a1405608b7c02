package inventory

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// managersOf cuts managedFields down to who owns the spec, and which labels and annotations.
// An entry that cannot be read is taken to own the spec: that is the careful reading.
func managersOf(entries []metav1.ManagedFieldsEntry) []Manager {
	managers := make([]Manager, 0, len(entries))
	for _, entry := range entries {
		manager := Manager{Name: entry.Manager, Operation: string(entry.Operation), Subresource: entry.Subresource}
		var set fieldpath.Set
		if entry.FieldsV1 == nil || set.FromJSON(entry.FieldsV1.GetRawReader()) != nil {
			manager.OwnsSpec = true
			managers = append(managers, manager)
			continue
		}
		spec := "spec"
		manager.OwnsSpec = set.Members.Has(fieldpath.PathElement{FieldName: &spec}) || !set.WithPrefix(fieldpath.PathElement{FieldName: &spec}).Empty()
		manager.Labels = metadataKeys(&set, "labels")
		manager.Annotations = metadataKeys(&set, "annotations")
		managers = append(managers, manager)
	}
	return managers
}

// metadataKeys lists the keys below metadata.labels or metadata.annotations, sorted.
func metadataKeys(set *fieldpath.Set, field string) []string {
	metadata := "metadata"
	below := set.WithPrefix(fieldpath.PathElement{FieldName: &metadata}).WithPrefix(fieldpath.PathElement{FieldName: &field})
	var keys []string
	below.Leaves().Iterate(func(path fieldpath.Path) {
		if len(path) == 1 && path[0].FieldName != nil {
			keys = append(keys, *path[0].FieldName)
		}
	})
	slices.Sort(keys)
	return keys
}
