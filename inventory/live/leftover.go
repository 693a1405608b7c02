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

// Finalized returns the objects of a resource with a finalizer, by their metadata only. A cluster without the
// resource has none.
func Finalized(ctx context.Context, cfg *rest.Config, gvr schema.GroupVersionResource,
	finalizer string) (_ []inventory.Finalized, err error) {
	cfg, login := watchLogin(cfg)
	defer func() { err = login.safe(err) }()
	ctx = klog.NewContext(ctx, klog.Logger{})
	reader, err := newReader(cfg, gvr.GroupVersion(), patience())
	if err != nil {
		return nil, err
	}
	reader.accept = onlyMetadata
	var out []inventory.Finalized
	err = reader.list(ctx, gvr.Resource, metav1.NamespaceAll, func(item json.RawMessage) error {
		var object metav1.PartialObjectMetadata
		if err := json.Unmarshal(item, &object); err != nil {
			return errors.New(gvr.Resource + ": an item is not an object")
		}
		if i := slices.Index(object.Finalizers, finalizer); i >= 0 {
			out = append(out, inventory.Finalized{Namespace: object.Namespace, Name: object.Name, Index: i,
				Deleting: object.DeletionTimestamp != nil})
		}
		return nil
	}, func() { out = nil })
	if errors.Is(err, ErrMissingCRD) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b inventory.Finalized) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return out, nil
}

// SecretsSeen looks whether Secrets are there, by name. It asks for their metadata alone: no value leaves the API
// server. An account that may not look at one is not an error.
func SecretsSeen(ctx context.Context, cfg *rest.Config, wanted []inventory.SecretSeen) (_ []inventory.SecretSeen,
	err error) {
	cfg, login := watchLogin(cfg)
	defer func() { err = login.safe(err) }()
	ctx = klog.NewContext(ctx, klog.Logger{})
	reader, err := newReader(cfg, schema.GroupVersion{Version: "v1"}, patience())
	if err != nil {
		return nil, err
	}
	out := slices.Clone(wanted)
	for i := range out {
		err := retry(ctx, reader.backoff, func() error {
			return reader.client.Get().Namespace(out[i].Namespace).Resource("secrets").Name(out[i].Name).SetHeader("Accept",
				onlyItsMetadata).Do(ctx).Error()
		})
		switch {
		case apierrors.IsNotFound(err):
			out[i].Missing = true
		case apierrors.IsForbidden(err):
			out[i].Unread = "the account may not look"
		case err != nil:
			return nil, fmt.Errorf("secret %s/%s: %w", out[i].Namespace, out[i].Name, plainStatus(err))
		}
	}
	return out, nil
}
