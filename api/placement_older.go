package api

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/api/v1alpha1/validation"
)

// readPlacement moves the fields of older PlacementAPIs, and holds each spec against its definition. The operator's
// webhook fills in the image.
func readPlacement(s *v1alpha1.Site, add validation.Report) {
	for n := range s.Spec.Services.Placement {
		p, at := &s.Spec.Services.Placement[n], fmt.Sprintf("spec.services.placement[%d].spec", n)
		spec := p.Spec.Object()
		m := &modernizer{site: s, at: strings.TrimSuffix(at, ".spec"), add: add, spec: spec}
		m.move("networkAttachents", "networkAttachments")
		m.move("databaseUser", "databaseAccount")
		m.endpoints()
		if m.changed {
			reread(s, at, spec, &p.Spec, add)
		}
		if _, given := spec["containerImage"]; !given {
			spec["containerImage"] = ""
		}
		checkDefinition(s, upstream.PlacementAPI, at, spec, add)
	}
	for n := range s.Spec.Services.Networks {
		if pool := s.Spec.Services.Networks[n].Pool; pool != nil {
			checkDefinition(s, upstream.IPAddressPool, fmt.Sprintf("spec.services.networks[%d].pool", n),
				pool.Object(), add)
		}
	}
}

// endpoints moves externalEndpoints, the addresses of MetalLB that an older PlacementAPI asked for, to the annotations
// of its Services.
func (m *modernizer) endpoints() {
	const was, is = "externalEndpoints", "override.service"
	if !m.has(was) || !m.moved(was, is, m.has(is)) {
		return
	}
	services := map[string]any{}
	for _, item := range anyList(m.take(was)) {
		endpoint, _ := item.(map[string]any)
		word := func(key string) string { s, _ := endpoint[key].(string); return s }
		name, pool := word("endpoint"), word("ipAddressPool")
		const domain = "metallb.universe.tf/"
		annotations := map[string]any{domain + "address-pool": pool}
		if shared, given := endpoint["sharedIP"].(bool); shared || !given { // its default was true
			annotations[domain+"allow-shared-ip"] = cmp.Or(word("sharedIPKey"), pool)
		}
		var ips []string
		for _, ip := range anyList(endpoint["loadBalancerIPs"]) {
			ips = append(ips, fmt.Sprint(ip))
		}
		if len(ips) > 0 {
			annotations[domain+"loadBalancerIPs"] = strings.Join(ips, ",")
		}
		services[name] = map[string]any{"metadata": map[string]any{"annotations": annotations},
			"spec": map[string]any{"type": "LoadBalancer"}}
	}
	_ = unstructured.SetNestedMap(m.spec, services, strings.Split(is, ".")...) // m.has says that it is not there
}
