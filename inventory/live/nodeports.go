package live

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// NodePorts reads the node ports that the Services of all namespaces have.
func NodePorts(ctx context.Context, cfg *rest.Config) (map[int32]bool, error) {
	docs, err := Documents(ctx, cfg, schema.GroupVersionResource{Version: "v1", Resource: "services"}, "Service")
	if err != nil {
		return nil, err
	}
	out := map[int32]bool{}
	for i := range docs {
		var service struct {
			Spec corev1.ServiceSpec `json:"spec"`
		}
		if err := docs[i].DecodeLoose(&service); err != nil {
			return nil, err
		}
		for _, port := range service.Spec.Ports {
			if port.NodePort > 0 {
				out[port.NodePort] = true
			}
		}
		if port := service.Spec.HealthCheckNodePort; port > 0 {
			out[port] = true
		}
	}
	return out, nil
}
