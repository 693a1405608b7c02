package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
)

// The most that a spec may hold of what is looked at for every host, or answered with a message for each: far more
// than any cluster has, and so few that no spec takes minutes or fills a log.
const (
	MaxRoles        = 64
	MaxTopologyKeys = 8
	MaxRequirements = 100   // of a label selector
	MaxValues       = 1_000 // of a requirement
	MaxServices     = 64    // of one kind
	MaxNames        = 1_000 // in an annotation that names hosts
	MaxNamespaces   = 100   // of hosts, for a role
	MaxAttachments  = 32    // of a service's pods to networks
	MaxIPs          = 16    // of an attachment
	MaxKeys         = 200   // that may log in to a jump host
	MaxConnectors   = 32    // of a Dex
	MaxEnv          = 100   // variables of a Dex
	MaxClients      = 100   // of a Dex
	MaxRedirects    = 50    // of a client, and so many peers that it trusts
	MaxLabels       = 64    // that select nodes, and so many annotations of a Service, and resources of a list
	MaxConnector    = 64 << 10
	// MaxProblems is how many problems of one cluster are said; of the rest only their number is.
	MaxProblems = manifest.MaxProblems
)

// mostLimits is how many lists that are too long are complained about one by one.
const mostLimits = MaxProblems

// checkLimits complains about lists that are longer than they may be. Where it does, nothing else of the spec is
// looked at.
func checkLimits(c *v1.SIPCluster) []FieldError {
	var errs []FieldError
	most := func(path string, found, limit int, what string) {
		if found > limit {
			errs = append(errs, FieldError{Path: path, Message: fmt.Sprintf("found %d %s, want at most %d", found, what, limit)})
		}
	}
	size := 0
	for key, value := range c.Annotations {
		size += len(key) + len(value)
	}
	most("metadata.annotations", size, validation.TotalAnnotationSizeLimitB, "bytes")
	for _, key := range []string{v1.RemoveAnnotation, v1.ApproveReleaseAnnotation} {
		most("metadata.annotations["+key+"]", strings.Count(c.Annotations[key], ",")+1, MaxNames, "names")
	}
	most("spec.nodes", len(c.Spec.Nodes), MaxRoles, "roles")
	if len(c.Spec.Nodes) <= MaxRoles {
		for _, role := range slices.Sorted(maps.Keys(c.Spec.Nodes)) {
			set := c.Spec.Nodes[role]
			path := rolePath(role)
			most(path+".hostNamespaces", len(set.HostNamespaces), MaxNamespaces, "namespaces")
			most(path+".topologyKeys", len(set.TopologyKeys), MaxTopologyKeys, "keys")
			most(path+".maxPerDomainByKey", len(set.MaxPerDomainByKey), MaxTopologyKeys, "keys")
			selector := &set.LabelSelector
			most(path+".labelSelector", len(selector.MatchLabels)+len(selector.MatchExpressions), MaxRequirements,
				"requirements")
			for i := range selector.MatchExpressions[:min(MaxRequirements, len(selector.MatchExpressions))] {
				most(fmt.Sprintf("%s.labelSelector.matchExpressions[%d].values", path, i),
					len(selector.MatchExpressions[i].Values), MaxValues, "values")
			}
		}
	}
	services := &c.Spec.Services
	for _, list := range []struct {
		name string
		n    int
	}{
		{v1.ListControlPlane, len(services.LoadBalancerControlPlane)},
		{v1.ListWorker, len(services.LoadBalancerWorker)},
		{v1.ListJumpHost, len(services.JumpHost)}, {v1.ListDex, len(services.Dex)}, {"auth", len(services.Auth)},
	} {
		most("spec.services."+list.name, list.n, MaxServices, "of them")
	}
	if len(errs) == 0 {
		limitServices(services, most)
	}
	if more := len(errs) - mostLimits; more > 0 {
		errs = append(errs[:mostLimits:mostLimits], FieldError{Path: "spec", Message: fmt.Sprintf("%d more lists are longer than they may be", more)})
	}
	return errs
}

// atMost complains about a list with more than limit entries.
type atMost func(path string, found, limit int, what string)

// limitServices looks at the lists of services that are no more than there may be.
func limitServices(s *v1.Services, most atMost) {
	for i := range s.LoadBalancerControlPlane {
		limitService(&s.LoadBalancerControlPlane[i].Service, fmt.Sprintf("spec.services.%s[%d]", v1.ListControlPlane,
			i), most)
	}
	for i := range s.LoadBalancerWorker {
		limitService(&s.LoadBalancerWorker[i].Service, fmt.Sprintf("spec.services.%s[%d]", v1.ListWorker, i), most)
	}
	for i := range s.JumpHost {
		path := fmt.Sprintf("spec.services.%s[%d]", v1.ListJumpHost, i)
		limitService(&s.JumpHost[i].Service, path, most)
		most(path+".sshAuthorizedKeys", len(s.JumpHost[i].SSHAuthorizedKeys), MaxKeys, "keys")
	}
	for i := range s.Dex {
		path := fmt.Sprintf("spec.services.%s[%d]", v1.ListDex, i)
		limitService(&s.Dex[i].Service, path, most)
		limitDex(&s.Dex[i], path, most)
	}
}

func limitService(s *v1.Service, path string, most atMost) {
	most(path+".nodeLabels", len(s.NodeLabels), MaxLabels, "labels")
	if s.Service != nil {
		most(path+".service.annotations", len(s.Service.Annotations), MaxLabels, "annotations")
		most(path+".service.loadBalancerIP", strings.Count(s.Service.LoadBalancerIP, ",")+1, MaxIPs, "addresses")
	}
	if r := s.Resources; r != nil {
		most(path+".resources.requests", len(r.Requests), MaxLabels, "resources")
		most(path+".resources.limits", len(r.Limits), MaxLabels, "resources")
	}
	most(path+".networkAttachments", len(s.NetworkAttachments), MaxAttachments, "attachments")
	for i := range s.NetworkAttachments[:min(MaxAttachments, len(s.NetworkAttachments))] {
		most(fmt.Sprintf("%s.networkAttachments[%d].ips", path, i), len(s.NetworkAttachments[i].IPs), MaxIPs,
			"addresses")
	}
	limitPods(s, path, most)
}

func limitDex(d *v1.Dex, path string, most atMost) {
	most(path+".env", len(d.Env), MaxEnv, "variables")
	most(path+".connectors", len(d.Connectors), MaxConnectors, "connectors")
	for i := range d.Connectors[:min(MaxConnectors, len(d.Connectors))] {
		most(fmt.Sprintf("%s.connectors[%d]", path, i), len(d.Connectors[i].Raw), MaxConnector, "bytes")
	}
	most(path+".staticClients", len(d.StaticClients), MaxClients, "clients")
	for i := range d.StaticClients[:min(MaxClients, len(d.StaticClients))] {
		client := &d.StaticClients[i]
		most(fmt.Sprintf("%s.staticClients[%d].redirectURIs", path, i), len(client.RedirectURIs), MaxRedirects, "URLs")
		most(fmt.Sprintf("%s.staticClients[%d].trustedPeers", path, i), len(client.TrustedPeers), MaxRedirects,
			"clients")
	}
}
