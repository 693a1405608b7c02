package render

import (
	"errors"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render/guard"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/airshipit/sipgen/render/object"
)

// renderPolicy renders policy/: what the syncing identity may do, and the admission policies that hold
// whatever an engine or a person tries.
func (s *rendering) renderPolicy() error {
	var (
		errs  []error
		files []string
	)
	put := func(name, about string, objects ...any) {
		content, err := object.Described(about, objects...)
		errs = append(errs, err)
		files = append(files, name)
		s.tree["policy/"+name] = content
	}
	guards := guard.In{Site: s.Site, HostsAccount: s.ownAccounts().hosts, Waves: s.waves(), Services: s.hasServices()}
	for _, kind := range infra.OverlayKinds {
		guards.Overlay = append(guards.Overlay, metav1.GroupResource{Group: kind.Group, Resource: kind.Resource})
	}
	for _, c := range s.clusters {
		if s.inWaves(c) {
			guards.InWaves = append(guards.InWaves, c.Key.Namespace)
		}
	}
	for _, f := range guard.Files(guards) {
		put(f.Name, f.About, f.Objects...)
	}
	if objects := s.rbac(s.ownAccounts()); len(objects) > 0 {
		about := "The " + aboutRole
		if s.merge() {
			about = aboutAccount + "And the " + aboutRole
		}
		put("rbac.yaml", about, objects...)
	}
	if s.merge() {
		// An overlay's hosts are in git, and their namespaces may come after the policy.
		put("reader.yaml", aboutReader, s.reader(s.ownAccounts())...)
		if s.writesStatus() {
			put("status.yaml", aboutStatus, s.statusWriter()...)
		}
	}
	slices.Sort(files)
	put("kustomization.yaml", "", object.NewKustomization(files...))
	return errors.Join(errs...)
}

func (s *rendering) fluxEngine() bool { return s.Site.Spec.Engine != v1alpha1.EngineArgoCD }

func (s *rendering) merge() bool { return s.Site.Spec.Hosts.Apply == v1alpha1.ApplyMerge }

// What the files of policy/ are for, at their heads.
const (
	aboutAccount = "The account that hosts are patched as: it can neither create nor delete one.\n"
	aboutRole    = "role that each cluster's services are applied with, in the cluster's namespace and nowhere else.\n"
	aboutReader  = "The account that sipgen reads with, if it runs in the cluster: it writes nothing.\n" +
		"It lists hosts and SIPClusters everywhere, and gets Secrets, BMCs' passwords included, where hosts are.\n"
	aboutStatus = "The account that writes the status of SIPClusters, and nothing else.\n"
)

// rbac returns, with Flux, the account that hosts are patched as, unless they are in git, and the role of the
// accounts of clusters' services. The account may read and patch hosts: no create, no update, no delete. A
// server-side apply of an object that is not there needs create, so it is refused. Argo CD's controller brings roles
// of its own; there the admission policy alone holds.
func (s *rendering) rbac(names accounts) []any {
	if !s.fluxEngine() {
		return nil
	}
	services := s.clusterRole(names.services, infra.OverlayRules())
	if !s.merge() {
		return []any{services}
	}
	namespace := s.Site.Spec.Flux.Namespace
	objects := []any{
		serviceAccount(s.meta(namespace, names.hosts), false),
		s.clusterRole(names.hosts, hostsRules()),
		services,
	}
	in := slices.Sorted(slices.Values(s.Site.Spec.Hosts.Namespaces))
	if len(in) == 0 {
		in = []string{""} // everywhere
	}
	for _, hosts := range in {
		objects = append(objects, bind(s.meta(hosts, names.hosts), "ClusterRole", names.hosts,
			accountOf(namespace, names.hosts)))
	}
	return objects
}

func hostsRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{{
		APIGroups: []string{"metal3.io"}, Resources: []string{"baremetalhosts"}, Verbs: []string{"get", "list", "watch",
			"patch"},
	}}
}
