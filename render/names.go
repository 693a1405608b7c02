package render

import (
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/schedule"
)

// accounts are the names of a site's accounts and of their roles, some of which are cluster-scoped.
type accounts struct {
	// hosts is the ServiceAccount that host patches are applied as.
	hosts string
	// reader is the account that sipgen reads a live cluster with, and networkData the role by which it reads network
	// data.
	reader, networkData string
	// status is the account that writes the status of SIPClusters, and the role by which it does.
	status string
	// services is the role by which each cluster's account applies the cluster's services.
	services string
}

// ownAccounts returns those of the site.
func (s *rendering) ownAccounts() accounts {
	prefix := "sipgen-" + s.Site.Name + "-"
	return accounts{
		hosts: prefix + "hosts", reader: prefix + "reader", networkData: prefix + "network-data", status: prefix + "status",
		services: prefix + "services",
	}
}

func (s *rendering) rootName() string      { return "sipgen-" + s.Site.Name }
func (s *rendering) policyName() string    { return s.serviceName("policy") }
func (s *rendering) siteName() string      { return s.serviceName("site") }
func (s *rendering) siteHostsName() string { return s.serviceName("hosts") }

// serviceName names the sync object of one part of the site. Flux writes the name of a Kustomization into a label of
// each object, so a long one has a digest in place of the end of the Site's name. The part stays: preflight knows whole
// hosts of sipgen by it.
func (s *rendering) serviceName(part string) string {
	if s.fluxEngine() {
		return v1.Shorten("sipgen-"+s.Site.Name, validation.LabelValueMaxLength-len("-"+part)) + "-" + part
	}
	return "sipgen-" + s.Site.Name + "-" + part
}

// syncName names the sync object of one part of a cluster. package v1 sees to it that no two clusters of a site share
// one.
func (s *rendering) syncName(c schedule.ClusterKey, part string) string {
	return v1.SyncNameOf(s.Site.InNames(), c.Namespace, c.Name, part)
}

// engineNamespace returns where the engine and the site's accounts are.
func (s *rendering) engineNamespace() string {
	if s.fluxEngine() {
		return s.Site.Spec.Flux.Namespace
	}
	return s.Site.Spec.ArgoCD.Namespace
}
