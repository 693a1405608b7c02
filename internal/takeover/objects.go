package takeover

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
)

// Objects are the Deployments and Services among documents, as far as who owns them goes. Nothing else of them is looked at.
func Objects(docs []manifest.Document) []inventory.ServiceObject {
	var out []inventory.ServiceObject
	for i := range docs {
		doc := &docs[i]
		if !(doc.Kind == inventory.KindDeployment && doc.APIVersion == "apps/v1" || doc.Kind == inventory.KindService && doc.APIVersion == "v1") {
			continue
		}
		object := inventory.ServiceObject{Kind: doc.Kind, Namespace: doc.Namespace, Name: doc.Name}
		var meta struct {
			Metadata metav1.ObjectMeta `json:"metadata"`
		}
		if doc.DecodeLoose(&meta) == nil {
			object.Rendered = meta.Metadata.Labels[inventory.ManagedByLabel] == inventory.ManagedBy
			if meta.Metadata.ManagedFields != nil {
				object.Owners = inventory.OwnersOf(meta.Metadata.ManagedFields)
			}
		}
		out = append(out, object)
	}
	return out
}
