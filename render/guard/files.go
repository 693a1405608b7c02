// Package guard renders the admission policies of a site: the rules for hosts and services, whatever is in git and
// whoever asks. Each guard is one file of policy/.
package guard

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

// In is what a site's guards are rendered from.
type In struct {
	// Site, defaulted and valid.
	Site *v1alpha1.Site
	// HostsAccount is the ServiceAccount that Flux applies host patches as.
	HostsAccount string
	// Waves: a tenant's services and hosts are one Application of Argo CD, and InWaves are the namespaces of those that
	// are.
	Waves   bool
	InWaves []string
	// Services: the site has services of its own.
	Services bool
	// Overlay is what an Application of a tenant's services may have.
	Overlay []metav1.GroupResource
}

// File is a file of policy/.
type File struct {
	Name string
	// About is for its head.
	About   string
	Objects []any
}

// Files returns the guards of a site.
func Files(in In) []File {
	s := guards{in}
	var files []File
	put := func(name, about string, policy admissionv1.ValidatingAdmissionPolicy,
		binding admissionv1.ValidatingAdmissionPolicyBinding) {
		forbid(policy.Spec.Validations)
		files = append(files, File{name, about, []any{policy, binding}})
	}
	put("sync-guard.yaml", s.aboutSyncGuard(), s.syncGuard(), s.binding(syncGuard, admissionv1.Deny))
	put("delete-guard.yaml", aboutDeleteGuard, s.deleteGuard(), s.binding(deleteGuard, admissionv1.Deny))
	put("label-guard.yaml", s.aboutLabelGuard(), s.labelGuard(), s.binding(labelGuard, s.labelGuardAction()))
	put("in-use-guard.yaml", aboutInUseGuard, s.inUseGuard(), s.binding(inUseGuard, admissionv1.Deny))
	if s.Waves {
		put("tenant-guard.yaml", aboutTenantGuard, s.tenantGuard(), s.tenantBinding())
	}
	if s.Services {
		// It is for all namespaces: those of services are not those of hosts.
		binding := s.binding(serviceGuard, admissionv1.Deny)
		binding.Spec.MatchResources = nil
		put("service-guard.yaml", aboutServiceGuard, s.serviceGuard(), binding)
	}
	return files
}

// Names returns those of all guards that a site can have.
func Names(site *v1alpha1.Site) []string {
	var names []string
	for _, guard := range []string{jumpGuard, deleteGuard, inUseGuard, labelGuard, serviceGuard, syncGuard} {
		names = append(names, guards{In{Site: site}}.guardName(guard))
	}
	return names
}

// guards are those of one site.
type guards struct{ In }

func (s guards) merge() bool { return s.Site.Spec.Hosts.Apply == v1alpha1.ApplyMerge }

// What the files are for, at their heads.
const (
	aboutDeleteGuard = "Only the break-glass groups delete a host that belongs to a cluster: its server may be wiped and switched off.\n" +
		"The same holds for the definition of hosts: with it the API server deletes all hosts, without asking a guard.\n"
	aboutInUseGuard = "Only the engine, and whom the Site names, changes the labels that assign a host in use, and approves its release.\n" +
		"All other users are denied, except the break-glass groups, whether the Site enforces the label guard or not.\n"
	aboutTenantGuard = "An Application of a tenant's services and hosts creates services in the tenant's namespace only.\n" +
		"It takes over no object that is another Application's.\n"
	aboutServiceGuard = "Only the break-glass groups delete what provisions hosts, or a definition of its kinds.\n" +
		"A Vino has credentials: without them, any user may power its hosts on or off.\n"
)

func (s guards) aboutSyncGuard() string {
	if !s.merge() {
		return "A sync of the hosts' manifests takes no host in use from its cluster, but by an approved release.\n" +
			"This guard does not check the rest of the manifests.\n"
	}
	return "Whatever is in git, a sync only updates hosts: it creates and deletes none, and changes no spec, finalizer, owner or foreign label.\n" +
		"It takes no host in use from its cluster, but by a release that was approved for this use.\n"
}

func (s guards) aboutLabelGuard() string {
	about := "Only the engine, and whom the Site names, writes the labels that assign a host, and approves its release.\n"
	if s.labelGuardAction() == admissionv1.Deny {
		return about + "All other users are denied, except the break-glass groups.\n"
	}
	return about + "The Site does not enforce it: writes by other users are noted in the audit log, and done, but for hosts in use.\n"
}
