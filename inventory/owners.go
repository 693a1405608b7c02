package inventory

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The kinds of tenant services that another controller may have created before sipgen, and the label of all of them.
const (
	KindDeployment   = "Deployment"
	KindService      = "Service"
	ServiceLabel     = "app.kubernetes.io/part-of"
	ServiceLabelName = "sip"
	// ManagedByLabel has the value ManagedBy on everything that sipgen renders, and on nothing of the SIP operator's.
	ManagedByLabel = "app.kubernetes.io/managed-by"
	ManagedBy      = "sipgen"
)

// LabelsOf returns the labels by which people find the sync objects of a site.
func LabelsOf(site string) map[string]string {
	return map[string]string{ServiceLabel: ServiceLabelName, ManagedByLabel: ManagedBy, SiteLabel: site}
}

// ServiceObject is a live Deployment or Service, with the owners of the fields that a sync replaces.
type ServiceObject struct {
	Kind, Namespace, Name string
	// Rendered: an engine has synced it at least once as sipgen rendered it.
	Rendered bool
	// Owners are the owning entries of managedFields, in their order; nil if the source has no managedFields.
	Owners []Owner
}

// Key returns "kind namespace/name".
func (o *ServiceObject) Key() string { return o.Kind + " " + o.Namespace + "/" + o.Name }

// Owner is an entry of managedFields.
type Owner struct {
	// Index of the entry, for a JSON patch.
	Index              int
	Manager, Operation string
	// Made: the owner created the containers of the Deployment or the ports of the Service. Another manager's apply
	// adds to them, and replaces nothing.
	Made bool
}

// madeFields are the parts of a FieldsV1 that show the creation of containers and ports: an owned item of a list has
// the key ".".
type madeFields struct {
	Spec struct {
		Ports    map[string]map[string]json.RawMessage `json:"f:ports"`
		Template struct {
			Spec struct {
				Containers map[string]json.RawMessage `json:"f:containers"`
			} `json:"f:spec"`
		} `json:"f:template"`
	} `json:"f:spec"`
}

// OwnersOf reads managedFields. It skips entries of subresources. An unreadable entry counts as owner of everything.
func OwnersOf(entries []metav1.ManagedFieldsEntry) []Owner {
	owners := []Owner{}
	for i, entry := range entries {
		if entry.Subresource != "" {
			continue
		}
		owner := Owner{Index: i, Manager: entry.Manager, Operation: string(entry.Operation)}
		var fields madeFields
		if entry.FieldsV1 == nil || json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
			owner.Made = true
		}
		for item, raw := range fields.Spec.Template.Spec.Containers {
			owner.Made = owner.Made || strings.HasPrefix(item, "k:") && bytes.Contains(raw, []byte(`".":`))
		}
		for item, owned := range fields.Spec.Ports {
			if _, whole := owned["."]; whole && strings.HasPrefix(item, "k:") {
				owner.Made = true
			}
		}
		owners = append(owners, owner)
	}
	return owners
}

// MadeByOther returns the entry of a controller that created the object by updates, and whose fields would survive an
// apply of the engine's manager. kubectl does not count: both engines take over its fields.
func (o *ServiceObject) MadeByOther(manager string) *Owner {
	i := slices.IndexFunc(o.Owners, func(w Owner) bool {
		return w.Made && w.Operation == "Update" && w.Manager != manager && !strings.HasPrefix(w.Manager, "kubectl")
	})
	if i < 0 {
		return nil
	}
	return &o.Owners[i]
}
