package live

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// Groups returns the names of the API groups that the cluster serves.
func Groups(ctx context.Context, cfg *rest.Config) (_ map[string]bool, err error) {
	cfg, login := watchLogin(cfg)
	defer func() { err = login.safe(err) }()
	ctx = klog.NewContext(ctx, klog.Logger{})
	r, err := newReader(cfg, schema.GroupVersion{Group: "apiextensions.k8s.io", Version: "v1"}, patience())
	if err != nil {
		return nil, err
	}
	text, err := r.client.Get().AbsPath("/apis").Do(ctx).Raw()
	if err != nil {
		return nil, fmt.Errorf("API groups: %w", plainStatus(err))
	}
	var list metav1.APIGroupList
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("API groups: %w", err)
	}
	groups := map[string]bool{}
	for _, group := range list.Groups {
		groups[group.Name] = true
	}
	return groups, nil
}
