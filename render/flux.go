package render

import (
	"errors"
	"path"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/schedule"
)

// maxPoll is the longest time between two looks at the repository: a commit is to be synced soon,
// however seldom drift is corrected.
const maxPoll = time.Minute

// flux renders flux/: a root to bootstrap from, and one file per cluster with a Kustomization
// for its services and one for its hosts.
func (s *site) flux() error {
	var errs []error
	files := []string{"root.yaml", "policy.yaml"}
	put := func(name string, objects ...any) {
		content, err := object.Marshal(objects...)
		errs = append(errs, err)
		s.tree["flux/"+name] = s.once("flux/"+name, content)
	}
	put("root.yaml", s.gitRepository(), s.fluxRoot())
	if s.Site.Spec.Flux.ServiceAccountName != "" {
		put(rootAccountFile, s.rootAccount()...)
	}
	//guard: a guard goes away with its Kustomization
	put("policy.yaml", s.fluxKeeping(s.policyName(), "policy"))
	var dependsOn []fluxReference
	if s.hasSiteObjects() {
		files = append(files, "site.yaml")
		//guard: Dex' definitions are pruned, and every Dex loses its state
		put("site.yaml", s.fluxKeeping(s.siteName(), "site"))
		dependsOn = append(dependsOn, fluxReference{Name: s.siteName()})
	}
	if s.hasFolder(claimsFolder) {
		files = append(files, "claims.yaml")
		put("claims.yaml", s.fluxClaims())
	}
	files = append(files, s.fluxServices(put)...)
	if s.Site.Spec.Runner != nil {
		files = append(files, "runner.yaml")
		runner := s.fluxPruning(s.serviceName("runner"), runnerFolder)
		runner.Spec.DependsOn = []fluxReference{{Name: s.policyName()}}
		put("runner.yaml", runner)
	}
	for _, c := range s.clusters {
		var objects []any
		if s.hasInfra(c) {
			infra := s.fluxPruning(s.syncName(c.Key, "infra"), Folder(c.Key)+"/infra")
			//guard: services count as there before they are ready
			infra.Spec.Wait = true
			infra.Spec.Timeout = &metav1.Duration{Duration: s.Site.Spec.Flux.Interval.Duration / 2}
			//guard: services come before the definitions and guards that they need
			infra.Spec.DependsOn = slices.Clone(dependsOn)
			if s.hasRights(c.Key) {
				rights := s.fluxRights(c.Key)
				// The account's role is in policy/.
				rights.Spec.DependsOn = append(slices.Clone(dependsOn), fluxReference{Name: s.policyName()})
				infra.Spec.DependsOn = append(infra.Spec.DependsOn, fluxReference{Name: rights.Name})
				objects = append(objects, rights)
			}
			//guard: a cluster's services are applied with all of Flux' rights
			infra.Spec.ServiceAccountName = infra.Name
			objects = append(objects, infra)
		}
		if s.merge() && s.hasHosts(c) {
			objects = append(objects, s.fluxHosts(c))
		}
		file := c.Key.Namespace + "." + c.Key.Name + ".yaml"
		if len(objects) > 0 {
			files = append(files, file)
			put(file, objects...)
		}
	}
	for _, key := range s.leftBehind() {
		file := key.Namespace + "." + key.Name + ".rights.yaml"
		files = append(files, file)
		put(file, s.fluxRights(key))
	}
	if !s.merge() {
		files = append(files, "hosts.yaml")
		hosts := s.fluxKeeping(s.siteHostsName(), "hosts")
		// Whole hosts are made by Flux itself.
		hosts.Spec.ServiceAccountName = ""
		//guard: the overlay is applied before the guards are there
		hosts.Spec.DependsOn = []fluxReference{{Name: s.policyName()}}
		put("hosts.yaml", hosts)
	}
	slices.Sort(files)
	put("kustomization.yaml", object.NewKustomization(files...))
	return errors.Join(errs...)
}

// fluxRoot deletes the sync objects of what leaves the tree. Deleted itself, it leaves them where they are, as Argo CD's does: with them would go
// every cluster's services, at once.
func (s *site) fluxRoot() *fluxKustomization {
	root := s.fluxPruning(s.rootName(), "flux")
	//guard: whoever deletes the root deletes every cluster's services
	root.Spec.DeletionPolicy = fluxOrphan
	return root
}

// fluxRights syncs what only the site may give: the account of a cluster's overlay, and what the cluster's services may do.
func (s *site) fluxRights(key schedule.ClusterKey) *fluxKustomization {
	return s.fluxPruning(s.syncName(key, "rights"), rightsFolder(key))
}

// fluxHosts syncs a cluster's host patches. It can neither prune nor re-create a host, its deletion leaves the
// hosts alone, and it comes after the cluster's services, so that a host gets its labels only
// when what it will need is there. It does not wait: waiting on a host means waiting for
// "provisioned".
func (s *site) fluxHosts(c *schedule.Cluster) *fluxKustomization {
	hosts := s.fluxKeeping(s.syncName(c.Key, "hosts"), Folder(c.Key)+"/hosts")
	//guard: hosts are applied with Flux' own rights, and the guard does not see it
	hosts.Spec.ServiceAccountName = s.ownAccounts().hosts
	//guard: hosts are patched before the guards are there
	hosts.Spec.DependsOn = []fluxReference{{Name: s.policyName()}}
	// Services of a cluster that is gone may be broken for ever; its hosts are released all the same.
	//guard: a host gets its labels before the services that it needs are there
	if s.hasInfra(c) && !c.Gone {
		hosts.Spec.DependsOn = append(hosts.Spec.DependsOn, fluxReference{Name: s.syncName(c.Key, "infra")})
	}
	return hosts
}

// fluxKeeping is a Kustomization that deletes nothing, not even when it is deleted itself.
func (s *site) fluxKeeping(name, folder string) *fluxKustomization {
	k := s.fluxPruning(name, folder)
	//guard: Flux prunes what leaves the folder of hosts
	k.Spec.Prune = false
	//guard: a Kustomization that is deleted takes its hosts along
	k.Spec.DeletionPolicy = fluxOrphan
	return k
}

// fluxPruning is a Kustomization that deletes what leaves the tree, applied as the account that the Site names, or as Flux itself.
func (s *site) fluxPruning(name, folder string) *fluxKustomization {
	return &fluxKustomization{
		TypeMeta:   metav1.TypeMeta{APIVersion: fluxKustomizationVersion, Kind: "Kustomization"},
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Site.Spec.Flux.Namespace, Name: name},
		Spec: fluxKustomizationSpec{
			Interval: *s.Site.Spec.Flux.Interval,
			// An API server that was busy for a moment is no reason to wait as long as for drift.
			RetryInterval: &metav1.Duration{Duration: min(s.Site.Spec.Flux.Interval.Duration, maxPoll)},
			//guard(TestFluxRows/overlay): a tree in a folder of the repository is looked for at the repository's root, and never found
			Path:      "./" + path.Join(s.Site.Spec.Repository.Path, folder),
			Prune:     true,
			SourceRef: fluxSource{Kind: fluxGitRepository, Name: s.rootName()},
			//guard(TestLockedFlux): a Flux that applies nothing without an account applies nothing of the site
			ServiceAccountName: s.Site.Spec.Flux.ServiceAccountName,
		},
	}
}

func (s *site) gitRepository() *fluxRepository {
	repository := &fluxRepository{
		TypeMeta:   metav1.TypeMeta{APIVersion: fluxSourceVersion, Kind: fluxGitRepository},
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Site.Spec.Flux.Namespace, Name: s.rootName()},
		Spec: fluxRepositorySpec{
			Interval:  metav1.Duration{Duration: min(s.Site.Spec.Flux.Interval.Duration, maxPoll)},
			URL:       s.Site.Spec.Repository.FluxURL(),
			Reference: fluxBranch{Branch: s.Site.Spec.Repository.Branch},
		},
	}
	if name := s.Site.Spec.Flux.SecretName; name != "" {
		repository.Spec.SecretRef = &fluxReference{Name: name}
	}
	return repository
}
