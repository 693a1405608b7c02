package v1

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// What a container may write on its node that says nothing about it, and what it asks for. Its root file system is
// read-only, so that is its log and its emptyDirs. A kubelet keeps 50 MiB of a container's log by default
// (containerLogMaxSize 10Mi, containerLogMaxFiles 5) and looks only every few seconds how much there is: the limit is
// far above that and the emptyDirs together, since who is above it is evicted. It keeps one pod from filling the disk
// of a node. The request is small, so that a node's size hardly ever decides.
const (
	storageRequest = "64Mi"
	storageLimit   = "1Gi"
)

// WithStorage returns r with the defaults of ephemeral storage, if r has no ephemeral storage. It does not change r.
func WithStorage(r corev1.ResourceRequirements) corev1.ResourceRequirements {
	const name = corev1.ResourceEphemeralStorage
	_, requests := r.Requests[name]
	_, limited := r.Limits[name]
	if requests || limited {
		return r
	}
	r.Requests, r.Limits = maps.Clone(r.Requests), maps.Clone(r.Limits)
	for _, list := range []struct {
		of     *corev1.ResourceList
		amount string
	}{{&r.Requests, storageRequest}, {&r.Limits, storageLimit}} {
		if *list.of == nil {
			*list.of = corev1.ResourceList{}
		}
		(*list.of)[name] = resource.MustParse(list.amount)
	}
	return r
}
