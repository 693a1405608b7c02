// Package infra renders what a tenant cluster needs around its hosts: load balancers, jump hosts
// and OIDC providers, as one kustomize overlay per cluster.
//
// It is pure: the bytes depend on the input only, and not on the order of the hosts. Secrets are
// referred to by name and never read.
package infra

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	apivalidation "github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/object"
)

// Input is what the overlay of one cluster is rendered from.
type Input struct {
	Cluster *v1.SIPCluster
	// Site must be defaulted.
	Site *v1alpha1.Site
	// Hosts are all hosts assigned to the cluster.
	Hosts []Member
}

// Member is a host in a role of the cluster.
type Member struct {
	Host    *inventory.Host
	Role    string
	Standby bool
}

// Overlay renders the infra folder of a cluster: paths relative to that folder, kustomization.yaml
// included. It is empty for a cluster without services, which kustomize could not build. Every
// problem is reported, each beginning with the cluster's key and the field.
//
// What the cluster's patches do is seen only in what kustomize builds of it. Nothing of an overlay with patches may be
// written before that was checked.
func Overlay(in *Checked) (map[string][]byte, error) {
	o := newOverlay(in)
	var errs []error
	services := &o.Cluster.Spec.Services
	for i := range services.LoadBalancerControlPlane {
		errs = append(errs, o.controlPlane(i, &services.LoadBalancerControlPlane[i]))
	}
	for i := range services.LoadBalancerWorker {
		errs = append(errs, o.worker(i, &services.LoadBalancerWorker[i]))
	}
	for i := range services.JumpHost {
		errs = append(errs, o.jumpHost(i, &services.JumpHost[i]))
	}
	for i := range services.Dex {
		errs = append(errs, o.dex(i, &services.Dex[i]))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(o.resources) == 0 {
		for i := range o.Cluster.Spec.Patches {
			errs = append(errs, apivalidation.FieldError{Path: fmt.Sprintf("spec.patches[%d]", i),
				Message: "it matches nothing: the cluster has no services"})
		}
		return nil, errors.Join(errs...)
	}
	if err := o.finish(); err != nil {
		return nil, err
	}
	return o.files, nil
}

// Checked is an Input whose values are harmless: only such a one is rendered. Only Check makes one.
type Checked struct{ input Input }

// Check sorts the hosts and refuses names that could break out of the formats they are rendered
// into. Names come from the inventory, and files are not checked by an API server.
// Every problem is reported.
func Check(in Input) (*Checked, error) {
	in.Hosts = slices.SortedFunc(slices.Values(in.Hosts), func(a, b Member) int {
		return cmp.Or(cmp.Compare(a.Host.Namespace, b.Host.Namespace), cmp.Compare(a.Host.Name, b.Host.Name))
	})
	var errs []error
	for _, problem := range apivalidation.ValidateCluster(in.Cluster) {
		errs = append(errs, problem)
	}
	for _, h := range in.Hosts {
		for _, message := range validation.IsDNS1123Subdomain(h.Host.Name) {
			errs = append(errs, fmt.Errorf("host name %q: %s", h.Host.Name, message))
		}
		for _, message := range validation.IsDNS1123Label(h.Host.Namespace) {
			errs = append(errs, fmt.Errorf("host %q: namespace %q: %s", h.Host.Name, h.Host.Namespace, message))
		}
		for _, message := range validation.IsValidLabelValue(h.Role) {
			errs = append(errs, fmt.Errorf("host %q: role %q: %s", h.Host.Name, h.Role, message))
		}
	}
	checked := &Checked{in}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return checked, nil
}

// overlay gathers the files of one cluster.
type overlay struct {
	Input
	files map[string][]byte
	// resources and configs are the kustomization's entries, in the order rendered.
	resources []string
	configs   []configMap
	// unsized are the Deployments whose entries leave their resources to the site.
	unsized []string
	// images are those of all containers.
	images []string
}

// configMap is an entry of configMapGenerator: keys of the ConfigMap to files of the overlay.
type configMap struct {
	name  string
	files map[string]string
	// keepName: no hash in the name, so that a change does not roll the pods.
	keepName bool
}

func newOverlay(in *Checked) *overlay {
	return &overlay{Input: in.input, files: map[string][]byte{}}
}

// add marshals the objects into one file.
func (o *overlay) add(file string, objects ...any) error {
	text, err := object.Marshal(objects...)
	if err != nil {
		return err
	}
	o.files[file] = text
	o.resources = append(o.resources, file)
	return nil
}
