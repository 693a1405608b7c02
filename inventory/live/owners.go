package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/airshipit/sipgen/inventory"
)

// onlyMetadata requests only the metadata of objects from the API server.
const onlyMetadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

// onlyItsMetadata asks for that of one object.
const onlyItsMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

// ServiceObjects reads the owners of the Deployments and Services whose names begin like those of a tenant's
// services. Only their metadata leaves the API server. SIP's Services carry no label, so all are listed.
func ServiceObjects(ctx context.Context, cfg *rest.Config) (_ []inventory.ServiceObject, err error) {
	cfg, login := watchLogin(cfg)
	defer func() { err = login.safe(err) }()
	ctx = klog.NewContext(ctx, klog.Logger{})
	var out []inventory.ServiceObject
	for _, kind := range []struct {
		name     string
		gv       schema.GroupVersion
		resource string
		selector string
	}{
		{inventory.KindDeployment, schema.GroupVersion{Group: "apps", Version: "v1"}, "deployments", inventory.ServiceLabel +
			"=" + inventory.ServiceLabelName},
		{inventory.KindService, schema.GroupVersion{Version: "v1"}, "services", ""},
	} {
		reader, err := newReader(cfg, kind.gv, patience())
		if err != nil {
			return nil, err
		}
		reader.accept, reader.selector = onlyMetadata, kind.selector
		before := len(out)
		err = reader.list(ctx, kind.resource, metav1.NamespaceAll, func(item json.RawMessage) error {
			var object metav1.PartialObjectMetadata
			if err := json.Unmarshal(item, &object); err != nil {
				return errors.New(kind.resource + ": an item is not an object")
			}
			if strings.HasPrefix(object.Name, "loadbalancer") || strings.HasPrefix(object.Name, "jumphost") {
				out = append(out, inventory.ServiceObject{
					Kind: kind.name, Namespace: object.Namespace, Name: object.Name,
					Rendered: object.Labels[inventory.ManagedByLabel] == inventory.ManagedBy,
					Owners:   inventory.OwnersOf(object.ManagedFields),
				})
			}
			return nil
		}, func() { out = out[:before] })
		if apierrors.IsForbidden(err) {
			return nil, fmt.Errorf("the account may not list %s of all namespaces; for sipgen's own account, "+
				"policy/reader.yaml in the tree grants it", kind.resource)
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b inventory.ServiceObject) int { return strings.Compare(a.Key(), b.Key()) })
	return out, nil
}
