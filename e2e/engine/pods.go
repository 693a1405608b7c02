package engine

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Pods and what a real Deployment controller and the endpoints controllers make.
var (
	Pods           = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	Services       = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	EndpointSlices = schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}
)

// StartPods plays scheduler and kubelet for every pod, on a node of its own: it is ready a second after it was made,
// if the Secrets and ConfigMaps that it mounts are there, and gone a second after its deletion. No container runs, and
// nothing that a container does is seen; node selectors and tolerations are not looked at.
func StartPods(t testing.TB, api *APIServer) {
	t.Helper()
	p := &podPlayer{api: api, seen: map[string]time.Time{}}
	api.Apply(t, "kubelet", "apiVersion: v1\nkind: Node\nmetadata: {name: "+theNode+"}\n")
	inRounds(t, p.round)
}

// theNode has all pods.
const theNode = "node-1"

type podPlayer struct {
	api *APIServer
	// seen is when a pod was first seen, and when its deletion was.
	seen map[string]time.Time
	ip   atomic.Uint32
}

// since returns how long a pod has been in a state.
func (p *podPlayer) since(pod *unstructured.Unstructured, state string) time.Duration {
	key := string(pod.GetUID()) + state
	if _, known := p.seen[key]; !known {
		p.seen[key] = time.Now()
	}
	return time.Since(p.seen[key])
}

// round looks at every pod once. What fails is tried again in the next round.
func (p *podPlayer) round(ctx context.Context) {
	list, err := p.api.Dynamic.Resource(Pods).List(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	for i := range list.Items {
		pod := &list.Items[i]
		pods := p.api.Dynamic.Resource(Pods).Namespace(pod.GetNamespace())
		if pod.GetDeletionTimestamp() != nil {
			if p.since(pod, "deleted") > time.Second {
				now := int64(0)
				_ = pods.Delete(ctx, pod.GetName(), metav1.DeleteOptions{GracePeriodSeconds: &now})
			}
			continue
		}
		if node, _, _ := unstructured.NestedString(pod.Object, "spec", "nodeName"); node == "" {
			_, _ = pods.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": "Binding", "metadata": map[string]any{"namespace": pod.GetNamespace(),
					"name": pod.GetName()},
				"target": map[string]any{"apiVersion": "v1", "kind": "Node", "name": theNode},
			}}, metav1.CreateOptions{}, "binding")
			continue
		}
		if phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase"); p.since(pod, "made") < time.Second ||
			phase == "Running" || !p.mounted(ctx, pod) {
			continue
		}
		n := p.ip.Add(1)
		ip := fmt.Sprintf("10.244.%d.%d", n/250, 1+n%250)
		now := metav1.Now().UTC().Format(time.RFC3339)
		condition := func(kind string) any {
			return map[string]any{"type": kind, "status": "True", "lastTransitionTime": now}
		}
		pod.Object["status"] = map[string]any{
			"phase": "Running", "podIP": ip, "podIPs": []any{map[string]any{"ip": ip}}, "startTime": now,
			"conditions": []any{condition("PodScheduled"), condition("Initialized"), condition("ContainersReady"),
				condition("Ready")},
		}
		_, _ = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{FieldManager: "kubelet"})
	}
}

// mounted reports whether all that a pod has volumes of is there, as a kubelet wants it.
func (p *podPlayer) mounted(ctx context.Context, pod *unstructured.Unstructured) bool {
	volumes, _, _ := unstructured.NestedSlice(pod.Object, "spec", "volumes")
	for _, v := range volumes {
		volume, _ := v.(map[string]any)
		for _, source := range []struct {
			resource    schema.GroupVersionResource
			field, name string
		}{{Secrets, "secret", "secretName"}, {ConfigMaps, "configMap", "name"}} {
			name, found, _ := unstructured.NestedString(volume, source.field, source.name)
			optional, _, _ := unstructured.NestedBool(volume, source.field, "optional")
			if !found || optional {
				continue
			}
			if _, err := p.api.Dynamic.Resource(source.resource).Namespace(pod.GetNamespace()).Get(ctx, name,
				metav1.GetOptions{}); err != nil {
				return false
			}
		}
	}
	return true
}
