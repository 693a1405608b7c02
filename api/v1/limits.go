package v1

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	rules "k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/internal/redact"
)

// The most that a spec may hold of what is looked at for every host, or answered with a message for each: far more than any cluster
// has, and so few that no spec takes minutes or fills a log.
const (
	MaxRoles        = 64
	MaxTopologyKeys = 8
	MaxRequirements = 100   // of a label selector
	MaxValues       = 1_000 // of a requirement
	MaxServices     = 64    // of one kind
	MaxNames        = 1_000 // in an annotation that names hosts
	MaxNamespaces   = 100   // of hosts, for a role
)

// limits complains about lists that are longer than they may be. Where it does, nothing else of the spec is looked at.
func (c *SIPCluster) limits() []FieldError {
	var errs []FieldError
	most := func(path string, found, limit int, what string) {
		if found > limit {
			errs = append(errs, FieldError{path, fmt.Sprintf("found %d %s, want at most %d", found, what, limit)})
		}
	}
	size := 0
	for key, value := range c.Annotations {
		size += len(key) + len(value)
	}
	most("metadata.annotations", size, validation.TotalAnnotationSizeLimitB, "bytes")
	for _, key := range []string{RemoveAnnotation, ApproveReleaseAnnotation} {
		most("metadata.annotations["+key+"]", strings.Count(c.Annotations[key], ",")+1, MaxNames, "names")
	}
	most("spec.nodes", len(c.Spec.Nodes), MaxRoles, "roles")
	if len(c.Spec.Nodes) <= MaxRoles {
		for _, role := range slices.Sorted(maps.Keys(c.Spec.Nodes)) {
			set := c.Spec.Nodes[role]
			path := redact.Sprintf("spec.nodes[%q]", role)
			if len(rules.IsValidLabelValue(role)) == 0 {
				path = "spec.nodes." + role
			}
			most(path+".hostNamespaces", len(set.HostNamespaces), MaxNamespaces, "namespaces")
			most(path+".topologyKeys", len(set.TopologyKeys), MaxTopologyKeys, "keys")
			most(path+".maxPerDomainByKey", len(set.MaxPerDomainByKey), MaxTopologyKeys, "keys")
			selector := &set.LabelSelector
			most(path+".labelSelector", len(selector.MatchLabels)+len(selector.MatchExpressions), MaxRequirements, "requirements")
			for i := range selector.MatchExpressions[:min(MaxRequirements, len(selector.MatchExpressions))] {
				most(fmt.Sprintf("%s.labelSelector.matchExpressions[%d].values", path, i), len(selector.MatchExpressions[i].Values), MaxValues, "values")
			}
		}
	}
	services := &c.Spec.Services
	for _, list := range []struct {
		name string
		n    int
	}{
		{ListControlPlane, len(services.LoadBalancerControlPlane)}, {ListWorker, len(services.LoadBalancerWorker)},
		{ListJumpHost, len(services.JumpHost)}, {ListDex, len(services.Dex)},
	} {
		most("spec.services."+list.name, list.n, MaxServices, "of them")
	}
	return errs
}
