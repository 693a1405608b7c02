package tenancy

import (
	"encoding/json"
	"net/netip"
	"path"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/overlay"
)

// Served reads the claims of the clusters in a tree, above all of their services, by "namespace/name". The tree may
// have been edited: unreadable parts claim nothing.
func Served(tree map[string][]byte) map[string]validation.Held {
	out := map[string]validation.Held{}
	for name, text := range tree {
		parts := strings.Split(name, "/")
		if len(parts) < 4 || parts[0] != "clusters" {
			continue
		}
		key := parts[1] + "/" + parts[2]
		held, found := out[key]
		if !found {
			held = validation.Held{NodePorts: map[int32]bool{}, ClusterIPs: map[string]bool{}, PodIPs: map[string]bool{},
				Synced: true}
			out[key] = held
		}
		if len(parts) != 5 || parts[3] != "infra" || path.Ext(name) != ".yaml" || parts[4] == "kustomization.yaml" {
			continue
		}
		documents, err := manifest.Parse(name, text)
		if err != nil {
			continue
		}
		held.Dex = held.Dex || strings.HasPrefix(parts[4], "dex")
		for i := range documents {
			serves(&held, &documents[i], parts[1])
		}
		out[key] = held
	}
	return out
}

func serves(held *validation.Held, document *manifest.Document, namespace string) {
	switch document.Kind {
	case "Service":
		var service corev1.Service
		if json.Unmarshal(document.JSON, &service) != nil {
			return
		}
		if ip, err := netip.ParseAddr(service.Spec.ClusterIP); err == nil {
			held.ClusterIPs[ip.Unmap().String()] = true
		}
		for _, port := range service.Spec.Ports {
			if port.NodePort != 0 {
				held.NodePorts[port.NodePort] = true
			}
			for _, key := range overlay.AddressNotes() {
				if service.Annotations[key] == "" {
					continue
				}
				provider := v1.ProviderMetalLB
				if strings.HasPrefix(key, "kube-vip.io/") {
					provider = v1.ProviderKubeVIP
				}
				for ip := range strings.SplitSeq(service.Annotations[key], ",") {
					a := validation.HeldAddress{IP: strings.TrimSpace(ip),
						SharingKey: service.Annotations["metallb.io/allow-shared-ip"], Provider: provider, Port: port.Port}
					if !slices.Contains(held.Addresses, a) {
						held.Addresses = append(held.Addresses, a)
					}
				}
			}
		}
	case "Deployment":
		var deployment appsv1.Deployment
		var networks []struct {
			Name, Namespace string
			IPs             []string
		}
		if json.Unmarshal(document.JSON, &deployment) != nil ||
			json.Unmarshal([]byte(deployment.Spec.Template.Annotations[networksNote]), &networks) != nil {
			return
		}
		for _, n := range networks {
			if n.Namespace == "" {
				n.Namespace = namespace
			}
			for _, ip := range n.IPs {
				if prefix, err := netip.ParsePrefix(ip); err == nil {
					held.PodIPs[n.Namespace+"/"+n.Name+" "+prefix.Addr().String()] = true
				}
			}
		}
	}
}
