package render

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/render/argocd"
	"github.com/airshipit/sipgen/render/flux"
	"github.com/airshipit/sipgen/render/object"
)

const claimsFolder = "claims"

// hostDeployPolicy is metal3's permission to bind the hosts of its own namespace to HostClaims of others
// (metal3.io/v1alpha1, baremetal-operator v0.13). Names is never empty: without it the policy is for all namespaces.
// There is no nameMatches, which metal3 does not anchor.
type hostDeployPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              hostDeployPolicySpec `json:"spec"`
}

type hostDeployPolicySpec struct {
	HostClaimNamespaces struct {
		Names []string `json:"names"`
	} `json:"hostClaimNamespaces"`
}

// renderClaims renders claims/, a policy for every namespace with hosts. It is a folder of its own, so that the
// policies leave the API server when they leave the tree, and so that nothing else fails where metal3 does not have
// the kind yet.
func (s *rendering) renderClaims() error {
	hosts := s.Site.Spec.Hosts
	if len(hosts.ClaimNamespaces) == 0 {
		return nil
	}
	var (
		errs  []error
		files []string
	)
	for _, namespace := range hosts.Namespaces {
		policy := hostDeployPolicy{
			TypeMeta:   metav1.TypeMeta{APIVersion: "metal3.io/v1alpha1", Kind: "HostDeployPolicy"},
			ObjectMeta: s.meta(namespace, s.rootName()),
		}
		policy.Spec.HostClaimNamespaces.Names = hosts.ClaimNamespaces
		content, err := object.Marshal(policy)
		errs = append(errs, err)
		files = append(files, namespace+".yaml")
		s.tree[claimsFolder+"/"+namespace+".yaml"] = content
	}
	content, err := object.Marshal(object.NewKustomization(files...))
	s.tree[claimsFolder+"/kustomization.yaml"] = content
	return errors.Join(append(errs, err)...)
}

// fluxClaims syncs claims/, after the guards.
func (s *rendering) fluxClaims() *flux.Kustomization {
	k := flux.Pruning(s.Site, s.rootName(), s.serviceName(claimsFolder), claimsFolder)
	k.Spec.DependsOn = []flux.Reference{{Name: s.policyName()}}
	return k
}

// argoClaims is the same for Argo CD. What it applied goes with it.
func (s *rendering) argoClaims() *argocd.Application {
	app := argocd.Within(argocd.Pruning(s.Site, s.serviceName(claimsFolder), claimsFolder),
		s.Site.Spec.Hosts.Namespaces[0])
	app.Finalizers = []string{argocd.Finalizer}
	return argocd.InWave(app, "-1")
}
