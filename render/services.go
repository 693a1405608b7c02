package render

import (
	"maps"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/argocd"
	"github.com/airshipit/sipgen/render/flux"
	"github.com/airshipit/sipgen/render/site/ironic"
	"github.com/airshipit/sipgen/render/site/networks"
	"github.com/airshipit/sipgen/render/site/placement"
	"github.com/airshipit/sipgen/render/site/virtualhosts"
)

// serviceGuard keeps the objects of the site's services from being deleted.
const serviceGuard = inventory.ServiceGuard

// ironicWave is behind all tenants: where Argo CD waits for Applications, a sick Ironic stops nobody.
const ironicWave = "2"

// vinoWave is behind Ironic: what makes hosts comes after what provisions them.
const vinoWave = "3"

// networksWave is before all tenants: their pods do not start without the networks that they name, and a wave that waits for them would never end.
const networksWave = "-1"

// services renders what makes hosts, and what stands beside them, below site/.
func (s *site) siteServices() error {
	var problems manifest.Problems
	problems.Add(ironic.Changes(s.Site, s.Previous))
	files, err := ironic.Files(s.Site)
	problems.Add(err)
	s.add(ironic.Folder, files)
	files, err = networks.Files(s.Site)
	problems.Add(err)
	s.add(networks.Folder, files)
	files, err = placement.Files(s.Site)
	problems.Add(err)
	s.add(placement.Folder, files)
	files, err = virtualhosts.Files(s.Site)
	problems.Add(err)
	maps.Copy(s.tree, files)
	return problems.Err()
}

// hasServices says whether the site has services of its own.
func (s *site) hasServices() bool {
	return s.hasFolder(ironic.Folder) || s.hasFolder(placement.Folder) || s.hasFolder(networks.Folder) || len(s.Site.Spec.Services.VirtualHosts) > 0
}

func (s *site) hasFolder(folder string) bool {
	_, found := s.tree[folder+"/kustomization.yaml"]
	return found
}

// vinoName is that of a Vino's Kustomization, in which namespace and name are told apart by a dot.
func (s *site) vinoName(v *v1alpha1.VirtualHosts) string {
	return v1.Shorten("sipgen-"+s.Site.Name+"-vino-"+v.Group(), validation.LabelValueMaxLength)
}

func (s *site) ironicName() string { return s.serviceName("ironic") }

func (s *site) serviceName(service string) string { return "sipgen-" + s.Site.Name + "-" + service }

// fluxServices syncs the site's services, in their order: first the policy, then Ironic until it is ready, then what makes hosts for it. No tenant
// depends on any of them.
func (s *site) fluxServices(put func(name string, objects ...any)) []string {
	var files []string
	if s.hasFolder(networks.Folder) {
		k := flux.Keeping(s.Site, s.rootName(), s.serviceName("networks"), networks.Folder)
		k.Spec.DependsOn = []flux.Reference{{Name: s.policyName()}}
		put("networks.yaml", k)
		files = append(files, "networks.yaml")
	}
	if s.hasFolder(placement.Folder) {
		k := flux.Keeping(s.Site, s.rootName(), s.serviceName("placement"), placement.Folder)
		k.Spec.DependsOn = []flux.Reference{{Name: s.policyName()}}
		if s.hasFolder(networks.Folder) {
			k.Spec.DependsOn = append(k.Spec.DependsOn, flux.Reference{Name: s.serviceName("networks")})
		}
		put("placement.yaml", k)
		files = append(files, "placement.yaml")
	}
	if s.hasFolder(ironic.Folder) {
		k := flux.Keeping(s.Site, s.rootName(), s.ironicName(), ironic.Folder)
		k.Spec.DependsOn = []flux.Reference{{Name: s.policyName()}}
		k.Spec.Wait = true
		// As long as Flux waits for a sick Ironic, it applies no commit that mends it.
		k.Spec.Timeout = &metav1.Duration{Duration: s.Site.Spec.Flux.Interval.Duration / 2}
		put("ironic.yaml", k)
		files = append(files, "ironic.yaml")
	}
	for n := range s.Site.Spec.Services.VirtualHosts {
		v := &s.Site.Spec.Services.VirtualHosts[n]
		file := vinoFile(v)
		put(file, s.fluxVino(v))
		files = append(files, file)
	}
	return files
}

// vinoFile has a Vino's Kustomization.
func vinoFile(v *v1alpha1.VirtualHosts) string { return "vino." + v.Group() + ".yaml" }

// fluxVino syncs a Vino by itself: what Flux puts into it is for no other object.
func (s *site) fluxVino(v *v1alpha1.VirtualHosts) *flux.Kustomization {
	k := flux.Keeping(s.Site, s.rootName(), s.vinoName(v), virtualhosts.Folder(v))
	k.Spec.DependsOn = []flux.Reference{{Name: s.policyName()}}
	if s.hasFolder(ironic.Folder) {
		k.Spec.DependsOn = append(k.Spec.DependsOn, flux.Reference{Name: s.ironicName()})
	}
	k.Spec.PostBuild = &flux.PostBuild{
		Substitute:     map[string]string{virtualhosts.QuoteVariable: virtualhosts.Quote},
		SubstituteFrom: []flux.Source{{Kind: "Secret", Name: v.CredentialsSecret}},
	}
	return k
}

func (s *site) argoServices(put func(name string, objects ...any)) {
	service := func(file, name, folder, order string) {
		app := argocd.Keeping(s.Site, name, folder)
		if namespaces := s.namespacesOf(folder); len(namespaces) > 0 {
			argocd.Within(app, namespaces[0])
		}
		put(file, argocd.InWave(app, order))
	}
	for _, of := range []struct{ name, folder, wave string }{{"networks", networks.Folder, networksWave}, {"placement", placement.Folder, ironicWave}, {"ironic", ironic.Folder, ironicWave}} {
		if s.hasFolder(of.folder) {
			service(of.name+".yaml", s.serviceName(of.name), of.folder, of.wave)
		}
	}
	for n := range s.Site.Spec.Services.VirtualHosts {
		v := &s.Site.Spec.Services.VirtualHosts[n]
		service(vinoFile(v), s.vinoName(v), virtualhosts.Folder(v), vinoWave)
	}
}

// serviceGuard keeps everybody but the break-glass groups from deleting an object of the site's services, or a definition of their kinds: Ironic
// takes its database and its certificate with it, a Vino its virtual machines, and with them the hosts that are tenants'.
func (s *site) serviceGuard() admissionv1.ValidatingAdmissionPolicy {
	policy := s.guard(serviceGuard, admissionv1.Delete)
	resources := func(group string, names ...string) admissionv1.NamedRuleWithOperations {
		return admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Delete},
			Rule:       admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: names},
		}}
	}
	policy.Spec.MatchConstraints.ResourceRules = []admissionv1.NamedRuleWithOperations{
		//guard: anybody with the right to deletes Ironic, and with it its certificate
		resources("ironic.metal3.io", "ironics"),
		resources("airship.airshipit.org", "vinoes"),
		//guard: anybody may delete a PlacementAPI, and with it who has what
		resources("placement.openstack.org", "placementapis"),
		resources("k8s.mariadb.com", "mariadbs"),
		{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
			Rule:       admissionv1.Rule{APIGroups: []string{"airship.airshipit.org"}, APIVersions: []string{"*"}, Resources: []string{"vinoes"}},
		}},
		//guard: a definition takes every service of its kind with it, past the rule about the site's label
		definitionRule(),
	}
	policy.Spec.MatchConditions = []admissionv1.MatchCondition{s.notBreakGlass()}
	policy.Spec.Variables = metadataVariables("oldLabels")
	policy.Spec.Validations = []admissionv1.Validation{{
		Expression: "request.operation != 'DELETE' || !('" + inventory.SiteLabel + "' in variables.oldLabels) || variables.oldLabels['" + inventory.SiteLabel + "'] != '" + s.Site.Name + "'",
		Message: "this is a service of site " + s.Site.Name + ", which provisions its hosts: take it out of the Site, and then delete it as one of " +
			strings.Join(s.Site.Spec.BreakGlassGroups, ", "),
	}, s.vinoCredentials(),
		s.keepDefinitions("ironics.ironic.metal3.io", "vinoes.airship.airshipit.org", "placementapis.placement.openstack.org", "mariadbs.k8s.mariadb.com")}
	return policy
}

// vinoCredentials: without credentials everybody may switch a Vino's hosts.
func (s *site) vinoCredentials() admissionv1.Validation {
	const given = "[object.spec.bmcCredentials.username, object.spec.bmcCredentials.password].all(v, v != '' && !v.contains('${'))"
	if s.Site.Spec.Engine == v1alpha1.EngineArgoCD {
		return admissionv1.Validation{
			//guard: Argo CD makes a Vino without credentials, and everybody may switch its hosts
			Expression: "request.operation == 'DELETE' || has(object.spec.bmcCredentials) && has(object.spec.bmcCredentials.username) && " +
				"has(object.spec.bmcCredentials.password) && " + given,
			Message: "spec.bmcCredentials of a Vino is missing, empty or a variable: git has none, and Argo CD puts none in; make the Vino as PLAN.md says",
		}
	}
	return admissionv1.Validation{
		// Flux puts nothing in place of a key that its Secret does not have.
		Expression: "request.operation == 'DELETE' || " + given,
		Message: "spec.bmcCredentials of a Vino is empty or a variable: the Secret that Flux takes it from needs " + virtualhosts.UsernameVariable + " and " +
			virtualhosts.PasswordVariable,
	}
}
