package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// Errors of PatchStatus and Object that a caller may tell apart.
var (
	// ErrChanged: the object has changed since it was read.
	ErrChanged = errors.New("it was changed meanwhile")
	// ErrGone: there is no such object.
	ErrGone = errors.New("it is gone")
	// ErrUnknownFields: the CRD on the cluster lacks fields of the status.
	ErrUnknownFields = errors.New("the CustomResourceDefinition on the cluster lacks fields of the status")
)

// StatusManager is the field manager of PatchStatus.
const StatusManager = "sipgen-status"

// StatusWriter writes the status of objects of one resource: the only thing that sipgen ever writes to a cluster.
type StatusWriter struct {
	reader   *reader
	resource string
	login    *login
}

// NewStatusWriter returns one for a resource that has the subresource status.
func NewStatusWriter(cfg *rest.Config, gvr schema.GroupVersionResource) (*StatusWriter, error) {
	cfg, login := watchLogin(cfg)
	r, err := newReader(cfg, gvr.GroupVersion(), patience())
	return &StatusWriter{r, gvr.Resource, login}, login.safe(err)
}

// Patch merges fields into the status of the object as it was read, and into nothing else: the request goes to the
// subresource, where an API server ignores all other fields. If the object is another version by now, or another
// object, nothing is written: ErrChanged.
func (w *StatusWriter) Patch(ctx context.Context, namespace, name, resourceVersion string,
	fields map[string]any) error {
	if resourceVersion == "" {
		return fmt.Errorf("%w: %s %s/%s was read without a resourceVersion", ErrIncomplete, w.resource, namespace, name)
	}
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": resourceVersion},
		"status": fields})
	if err != nil {
		return err
	}
	ctx = klog.NewContext(ctx, klog.Logger{})
	err = retry(ctx, w.reader.backoff, func() error {
		return w.reader.client.Patch(types.MergePatchType).Namespace(namespace).Resource(w.resource).Name(name).
			SubResource("status").Param("fieldManager", StatusManager).
			Param("fieldValidation", "Strict").Body(body).Do(ctx).Error()
	})
	switch {
	case err == nil:
		return nil
	case apierrors.IsConflict(err):
		return ErrChanged
	case apierrors.IsNotFound(err):
		return ErrGone
	case apierrors.IsBadRequest(err) || apierrors.IsInvalid(err):
		return w.login.safe(fmt.Errorf("%w: %w", ErrUnknownFields, err))
	}
	return w.login.safe(plainStatus(err))
}

// Get reads one object again.
func (w *StatusWriter) Get(ctx context.Context, namespace, name string) (json.RawMessage, error) {
	ctx = klog.NewContext(ctx, klog.Logger{})
	var body []byte
	err := retry(ctx, w.reader.backoff, func() (err error) {
		body, err = w.reader.client.Get().Namespace(namespace).Resource(w.resource).Name(name).Do(ctx).Raw()
		return err
	})
	if apierrors.IsNotFound(err) {
		return nil, ErrGone
	}
	if err != nil {
		err = w.login.safe(plainStatus(err))
	}
	return body, err
}
