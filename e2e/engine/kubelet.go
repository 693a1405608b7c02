package engine

import (
	"context"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// Kubelet plays the part of those who run pods: it says of every Deployment that it is rolled out,
// unless its namespace is held back.
type Kubelet struct {
	api *APIServer
	// deployments are those of the server, as a watch tells.
	deployments cache.Store
	mu          sync.Mutex
	held        map[string]bool
}

// StartKubelet starts it.
func StartKubelet(t testing.TB, api *APIServer) *Kubelet {
	t.Helper()
	k := &Kubelet{api: api, deployments: cache.NewStore(cache.MetaNamespaceKeyFunc), held: map[string]bool{}}
	// A factory of informers would compile the typed clients of all groups: two hundred packages.
	deployments := api.Dynamic.Resource(Deployments)
	reflector := cache.NewReflector(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return deployments.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return deployments.Watch(ctx, options)
		},
	}, &unstructured.Unstructured{}, k.deployments, 0)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go reflector.RunWithContext(ctx)
	inRounds(t, k.round)
	return k
}

// inRounds calls round four times a second until the test ends.
func inRounds(t testing.TB, round func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			round(ctx)
			select {
			case <-ctx.Done():
			case <-time.After(250 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
}

// Hold keeps the Deployments of a namespace from becoming ready, or lets them.
func (k *Kubelet) Hold(namespace string, hold bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held[namespace] = hold
}

// round reports on every Deployment once. What fails is tried again in the next round.
func (k *Kubelet) round(ctx context.Context) {
	for _, item := range k.deployments.List() {
		d := item.(*unstructured.Unstructured)
		k.mu.Lock()
		held := k.held[d.GetNamespace()]
		k.mu.Unlock()
		if held || observed(d) {
			continue
		}
		replicas, found, _ := unstructured.NestedInt64(d.Object, "spec", "replicas")
		if !found {
			replicas = 1
		}
		d = d.DeepCopy()
		d.Object["status"] = map[string]any{
			"observedGeneration": d.GetGeneration(), "replicas": replicas, "updatedReplicas": replicas,
			"readyReplicas": replicas, "availableReplicas": replicas,
			"conditions": []any{
				map[string]any{"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable"},
				map[string]any{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"},
			},
		}
		_, _ = k.api.Dynamic.Resource(Deployments).Namespace(d.GetNamespace()).UpdateStatus(ctx, d,
			metav1.UpdateOptions{FieldManager: "kubelet"})
	}
}
