package tenancy

import (
	"cmp"
	"encoding/json"
	"net/netip"
	"path"
	"strconv"
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
			held = validation.Held{}
			held.AddSynced(parts[1], parts[2])
			out[key] = held
		}
		if len(parts) != 5 || parts[3] != "infra" || path.Ext(name) != ".yaml" || parts[4] == "kustomization.yaml" {
			continue
		}
		documents, err := manifest.Parse(name, text)
		if err != nil {
			continue
		}
		if strings.HasPrefix(parts[4], "dex") {
			held.Add(claim(validation.DexState, parts[1]))
		}
		for i := range documents {
			serves(held, &documents[i], parts[1])
		}
	}
	return out
}

func claim(kind validation.ResourceKind, name string) validation.Claim {
	return validation.Claim{Resource: validation.Resource{Kind: kind, Name: name}}
}

func serves(held validation.Held, document *manifest.Document, namespace string) {
	switch document.Kind {
	case "Service":
		var service corev1.Service
		if json.Unmarshal(document.JSON, &service) != nil {
			return
		}
		if ip, err := netip.ParseAddr(service.Spec.ClusterIP); err == nil {
			held.Add(claim(validation.ClusterIP, ip.Unmap().String()))
		}
		for _, port := range service.Spec.Ports {
			if port.NodePort != 0 {
				p := claim(validation.NodePort, strconv.Itoa(int(port.NodePort)))
				p.Service = service.Name
				held.Add(p)
			}
			for _, key := range overlay.AddressNotes() {
				if service.Annotations[key] == "" {
					continue
				}
				provider, sharing := v1.ProviderMetalLB, service.Annotations["metallb.io/allow-shared-ip"]
				switch {
				case strings.HasPrefix(key, "kube-vip.io/"):
					provider = v1.ProviderKubeVIP
				case strings.HasPrefix(key, "lbipam.cilium.io/"):
					provider, sharing = v1.ProviderCilium, service.Annotations["lbipam.cilium.io/sharing-key"]
				}
				for ip := range strings.SplitSeq(service.Annotations[key], ",") {
					a := claim(validation.Balancer, validation.CanonicalIP(strings.TrimSpace(ip)))
					a.SharingKey, a.Provider = sharing, provider
					if service.Spec.LoadBalancerClass != nil {
						a.Class = *service.Spec.LoadBalancerClass
					}
					a.Ports = v1.PortRange{Start: port.Port, End: port.Port}
					held.Add(a)
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
			for _, ip := range n.IPs {
				if prefix, err := netip.ParsePrefix(ip); err == nil {
					held.Add(claim(validation.PodIP, validation.PodAddress(
						cmp.Or(n.Namespace, namespace)+"/"+n.Name, prefix.Addr())))
				}
			}
		}
	}
}
