package render

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/render/argocd"
	"github.com/airshipit/sipgen/render/flux"
	"github.com/airshipit/sipgen/render/site/ironic"
	"github.com/airshipit/sipgen/render/site/networks"
	"github.com/airshipit/sipgen/render/site/placement"
	"github.com/airshipit/sipgen/render/site/runner"
	"github.com/airshipit/sipgen/render/site/virtualhosts"
)

// ironicWave is after all tenants: where Argo CD waits for Applications, a failed Ironic stops no tenant.
const ironicWave = "2"

// vinoWave is behind Ironic: what makes hosts comes after what provisions them.
const vinoWave = "3"

// networksWave is before all tenants: their pods do not start without the networks that they name, and a wave that
// waits for them would never end.
const networksWave = "-1"

// renderSiteServices renders what makes hosts, and the other services, below site/.
func (s *rendering) renderSiteServices() error {
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

// renderRunner renders runner/, where the Site asks for it.
func (s *rendering) renderRunner() error {
	if s.Site.Spec.Runner == nil {
		return nil
	}
	accounts := s.ownAccounts()
	files, err := runner.Files(runner.In{Site: s.Site, Namespace: s.engineNamespace(), Reader: accounts.reader,
		Status: accounts.status})
	for name, content := range files {
		s.tree[runner.Folder+"/"+name] = content
	}
	return err
}

// hasServices reports whether the site has services of its own.
func (s *rendering) hasServices() bool {
	return s.hasFolder(ironic.Folder) || s.hasFolder(placement.Folder) || s.hasFolder(networks.Folder) ||
		len(s.Site.Spec.Services.VirtualHosts) > 0
}

func (s *rendering) hasFolder(folder string) bool {
	_, found := s.tree[folder+"/kustomization.yaml"]
	return found
}

// vinoName returns that of a Vino's Kustomization, in which namespace and name are told apart by a dot.
func (s *rendering) vinoName(v *v1alpha1.VirtualHosts) string {
	return v1.Shorten("sipgen-"+s.Site.Name+"-vino-"+v.Group(), validation.LabelValueMaxLength)
}

func (s *rendering) ironicName() string { return s.serviceName("ironic") }

// fluxServices syncs the site's services, in their order: first the policy, then Ironic until it is ready, then what
// makes hosts for it. No tenant depends on any of them.
func (s *rendering) fluxServices(put func(name string, objects ...any)) []string {
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
func (s *rendering) fluxVino(v *v1alpha1.VirtualHosts) *flux.Kustomization {
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

func (s *rendering) argoServices(put func(name string, objects ...any)) {
	service := func(file, name, folder, order string) {
		app := argocd.Keeping(s.Site, name, folder)
		if namespaces := s.namespacesOf(folder); len(namespaces) > 0 {
			argocd.Within(app, namespaces[0])
		}
		put(file, argocd.InWave(app, order))
	}
	for _, of := range []struct{ name, folder, wave string }{{"networks", networks.Folder, networksWave},
		{"placement", placement.Folder, ironicWave}, {"ironic", ironic.Folder, ironicWave}} {
		if s.hasFolder(of.folder) {
			service(of.name+".yaml", s.serviceName(of.name), of.folder, of.wave)
		}
	}
	for n := range s.Site.Spec.Services.VirtualHosts {
		v := &s.Site.Spec.Services.VirtualHosts[n]
		service(vinoFile(v), s.vinoName(v), virtualhosts.Folder(v), vinoWave)
	}
}
