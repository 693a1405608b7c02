// Package site has what the objects of a site's own services have in common; each service has a folder below.
package site

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/argocd"
	"github.com/airshipit/sipgen/render/flux"
	"github.com/airshipit/sipgen/render/object"
)

// Meta returns the metadata of a service's object. Its label has the service guard keep it from being deleted, its
// annotations keep the engine from that: what a site is provisioned with goes by hand, and never because a file is
// missing.
func Meta(site *v1alpha1.Site, namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: namespace, Name: name,
		Labels:      map[string]string{inventory.SiteLabel: site.Name},
		Annotations: Keep(site.Spec.Engine),
	}
}

// Keep returns the annotations by which an engine deletes no object that leaves the tree. For Argo CD, an Application
// is in sync without the object as well.
func Keep(engine v1alpha1.Engine) map[string]string {
	if engine == v1alpha1.EngineArgoCD {
		return map[string]string{argocd.SyncOptions: "Prune=false,Delete=false", argocd.CompareOptions: "IgnoreExtraneous"}
	}
	return map[string]string{flux.Prune: "disabled"}
}

// Object returns one of another project's kind, with a spec that is all of it.
func Object(site *v1alpha1.Site, kind *upstream.Kind, namespace, name string, spec any) any {
	return struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              any `json:"spec"`
	}{metav1.TypeMeta{APIVersion: kind.APIVersion, Kind: kind.Kind}, Meta(site, namespace, name), spec}
}

// Files returns those of a folder, with a kustomization of all that are given; nothing for none.
func Files(files map[string][]byte) (map[string][]byte, error) {
	if len(files) == 0 {
		return nil, nil
	}
	kustomization, err := object.Marshal(object.NewKustomization(slices.Sorted(maps.Keys(files))...))
	files["kustomization.yaml"] = kustomization
	return files, err
}

// Secret is one that a service reads, and that an operator creates: sipgen never reads its contents.
type Secret struct {
	Namespace, Name string
	// Kind is Secret or ConfigMap.
	Kind string
	// For is its purpose.
	For string
	// Keys that it has to have; those of a TLS Secret are tls.crt and tls.key.
	Keys []string
	// Label that it has to carry, "key=value", empty for none.
	Label string
	// Make is the command that makes it, empty for the one that makes it from files.
	Make string
}

// Commands make the Secret from files that are called as its keys are. No value is on the command line, where others
// could see it.
func (s *Secret) Commands() []string {
	var make string
	switch {
	case s.Make != "":
		make = s.Make
	case s.Kind == "ConfigMap":
		make = fmt.Sprintf("kubectl -n %s create configmap %s", s.Namespace, s.Name)
	case slices.Equal(s.Keys, TLSKeys):
		make = fmt.Sprintf("kubectl -n %s create secret tls %s --cert=tls.crt --key=tls.key", s.Namespace, s.Name)
	default:
		make = fmt.Sprintf("kubectl -n %s create secret generic %s", s.Namespace, s.Name)
	}
	if s.Make == "" && !slices.Equal(s.Keys, TLSKeys) {
		for _, key := range s.Keys {
			make += " --from-file=" + key
		}
	}
	commands := []string{make}
	if s.Label != "" {
		commands = append(commands, fmt.Sprintf("kubectl -n %s label %s %s %s", s.Namespace, strings.ToLower(s.Kind), s.Name,
			s.Label))
	}
	return commands
}

// TLSKeys are those of a Secret of type kubernetes.io/tls.
var TLSKeys = []string{"tls.crt", "tls.key"}
