package live

import (
	"context"
	"encoding/json"
	"fmt"

	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/bmh"
)

// secretReader fetches Secrets by name.
type secretReader struct {
	client  rest.Interface
	backoff wait.Backoff
}

// newSecretReader makes a client for Secrets alone: a clientset would link every API group into the program, and
// register all of their types at its start.
func newSecretReader(cfg *rest.Config, backoff wait.Backoff) (*secretReader, error) {
	types := runtime.NewScheme()
	types.AddKnownTypes(corev1.SchemeGroupVersion, &corev1.Secret{})
	metav1.AddToGroupVersion(types, corev1.SchemeGroupVersion)
	cfg = rest.CopyConfig(cfg)
	cfg.APIPath = "/api"
	cfg.GroupVersion = &corev1.SchemeGroupVersion
	cfg.NegotiatedSerializer = serializer.NewCodecFactory(types).WithoutConversion()
	cfg.ContentType = runtime.ContentTypeProtobuf
	cfg.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	unthrottled(cfg)
	client, err := rest.RESTClientFor(cfg)
	return &secretReader{client, backoff}, err
}

// of returns the Secrets that a host names as network data, and no other: never the BMC's. Invalid names, other
// namespaces and forbidden Secrets are left out: the author of the host chose the name, and the account may read the
// Secrets of a namespace only after the first commit with such a host there.
func (s *secretReader) of(ctx context.Context, host *inventory.Host,
	object *metal3.BareMetalHost) (bmh.Related, error) {
	found := bmh.Related{Secrets: map[string]*manifest.Document{}, Unread: map[string]string{}}
	for _, ref := range bmh.SecretRefs(host, object) {
		if ref.Invalid() || ref.Elsewhere {
			continue
		}
		var secret corev1.Secret
		err := retry(ctx, s.backoff, func() error {
			secret = corev1.Secret{}
			return s.client.Get().Namespace(ref.Namespace).Resource("secrets").Name(ref.Name).Do(ctx).Into(&secret)
		})
		switch {
		case apierrors.IsNotFound(err):
			continue
		case apierrors.IsForbidden(err):
			found.Unread[bmh.Key(ref.Namespace, ref.Name)] = fmt.Sprintf("network data Secret %s/%s lies in a namespace that the account may not read", ref.Namespace, ref.Name)
			continue
		case err != nil:
			return bmh.Related{}, fmt.Errorf("network data Secret %s/%s of host %s: %w", ref.Namespace, ref.Name, host.Key(),
				plainStatus(err))
		}
		text, err := json.Marshal(struct {
			Data map[string][]byte `json:"data"`
		}{secret.Data})
		if err != nil {
			return bmh.Related{}, err
		}
		found.Secrets[bmh.Key(ref.Namespace, ref.Name)] = &manifest.Document{
			File: bmh.Live, Index: 1, Line: 1, APIVersion: "v1", Kind: bmh.KindSecret, Namespace: ref.Namespace, Name: ref.Name,
			JSON: text,
		}
	}
	return found, nil
}
