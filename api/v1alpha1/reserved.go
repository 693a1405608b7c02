package v1alpha1

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// controllers are namespaces in which programs run that have rights over the whole cluster, under the names that their
// installations give them. Whoever may start a pod or read a Secret there may have their tokens.
var controllers = map[string]string{
	"flux-system": "Flux", "argocd": "Argo CD", "cert-manager": "cert-manager", "metallb-system": "MetalLB",
	"baremetal-operator-system": "metal3's baremetal-operator", "capm3-system": "metal3's provider for Cluster API",
	"ironic-standalone-operator-system": "metal3's operator for Ironic", "capi-system": "Cluster API",
	"capi-kubeadm-bootstrap-system": "Cluster API", "capi-kubeadm-control-plane-system": "Cluster API",
	"capi-operator-system": "Cluster API",
	"calico-system":        "Calico", "tigera-operator": "Calico", "cilium": "Cilium", "istio-system": "Istio",
	"linkerd":           "Linkerd",
	"gatekeeper-system": "Gatekeeper", "kyverno": "Kyverno", "external-secrets": "External Secrets",
	"sealed-secrets": "Sealed Secrets",
	"vault":          "Vault", "rook-ceph": "Rook", "longhorn-system": "Longhorn", "velero": "Velero",
	"crossplane-system": "Crossplane",
}

// Reserved returns the owner of a namespace that is not for hosts and tenants, as in "is of Kubernetes itself", else
// nothing.
func (s *Site) Reserved(namespace string) string {
	spec := &s.Spec
	switch {
	case strings.HasPrefix(namespace, "kube-"):
		return "is of Kubernetes itself"
	case namespace == spec.Flux.Namespace && spec.Engine == EngineFlux, namespace == spec.ArgoCD.Namespace &&
		spec.Engine == EngineArgoCD:
		return "is the engine's"
	case controllers[namespace] != "":
		return "is of " + controllers[namespace] + " (a Site opens it by naming it in spec.tenants[].namespaces)"
	}
	return ""
}

// ServiceIn returns the field of the first site service that is in a namespace or creates hosts there, else nothing.
// Whoever may mount Secrets there has the service's. Networks do not count: they may be in a tenant's namespace.
func (s *Site) ServiceIn(namespace string) string {
	services := &s.Spec.Services
	for i := range services.Ironic {
		if services.Ironic[i].Namespace == namespace {
			return fmt.Sprintf("spec.services.ironic[%d]", i)
		}
	}
	for i := range services.VirtualHosts {
		if v := &services.VirtualHosts[i]; v.Namespace == namespace || v.HostNamespace == namespace &&
			!slices.Contains(s.Spec.Hosts.SharedNamespaces, namespace) {
			return fmt.Sprintf("spec.services.virtualHosts[%d]", i)
		}
	}
	for i := range services.Placement {
		if services.Placement[i].Namespace == namespace {
			return fmt.Sprintf("spec.services.placement[%d]", i)
		}
	}
	return ""
}

// ReservedNamespaces returns the sorted namespaces that are reserved by name, without those of Kubernetes itself.
func (s *Site) ReservedNamespaces() []string {
	names := append(slices.Collect(maps.Keys(controllers)), s.Spec.Flux.Namespace, s.Spec.ArgoCD.Namespace)
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return s.Reserved(name) == "" })
}
