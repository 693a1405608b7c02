package render

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/schedule"
)

// The repository that Flux reads the tree from, as Flux reads the object.
func TestFluxRepository(t *testing.T) {
	tree := guarded(t, func(site *v1alpha1.Site) { site.Spec.Flux.SecretName = "fleet-key" })
	found := objectsOf(t, tree, "flux/", sourcev1.GitRepositoryKind, func(r *sourcev1.GitRepository) string { return r.APIVersion + " " + r.Namespace + "/" + r.Name })
	site := testSite(nil)
	r := found[sourcev1.GroupVersion.String()+" "+site.Spec.Flux.Namespace+"/sipgen-"+site.Name]
	if len(found) != 1 || r == nil {
		t.Fatalf("found %v", found)
	}
	if r.Spec.URL != site.Spec.Repository.URL || r.Spec.Reference == nil || r.Spec.Reference.Branch != site.Spec.Repository.Branch ||
		r.Spec.SecretRef == nil || r.Spec.SecretRef.Name != "fleet-key" || r.Spec.Interval.Duration > time.Minute {
		t.Errorf("found %+v", r.Spec)
	}
}

// TestFluxTakesTheURL: whatever a valid Site names as its repository, the definition of Flux's GitRepository takes what is written into one
// (its spec.url has the pattern below), and Argo CD gets what the Site says.
func TestFluxTakesTheURL(t *testing.T) {
	pattern := regexp.MustCompile(`^(http|https|ssh)://.*$`)
	for given, want := range map[string]string{
		"git@git.example.org:acme/fleet.git":       "ssh://git@git.example.org/acme/fleet.git",
		"git@git.example.org:/srv/git/fleet.git":   "ssh://git@git.example.org/srv/git/fleet.git",
		"git@git.example.org:~/fleet.git":          "ssh://git@git.example.org/~/fleet.git",
		"ssh://git@git.example.org:2222/fleet.git": "ssh://git@git.example.org:2222/fleet.git",
		"https://git.example.org/fleet.git":        "https://git.example.org/fleet.git",
		"http://git.example.org/fleet.git":         "http://git.example.org/fleet.git",
	} {
		in := func(engine v1alpha1.Engine) Tree {
			return guarded(t, func(site *v1alpha1.Site) { site.Spec.Repository.URL, site.Spec.Engine = given, engine })
		}
		found := objectsOf(t, in(v1alpha1.EngineFlux), "flux/", sourcev1.GitRepositoryKind, func(r *sourcev1.GitRepository) string { return r.Spec.URL })
		if len(found) != 1 || found[want] == nil || !pattern.MatchString(want) {
			t.Errorf("%s: found %v, want %s", given, found, want)
		}
		for name, content := range in(v1alpha1.EngineArgoCD) {
			if strings.HasPrefix(name, "argocd/") && strings.Contains(string(content), "repoURL: ") && !strings.Contains(string(content), "repoURL: "+given+"\n") {
				t.Errorf("%s: %s has another URL", given, name)
			}
		}
	}
}

// Each Kustomization, by what it could do to hosts, guards and definitions: only services are ever deleted.
func TestFluxSyncObjects(t *testing.T) {
	type row struct {
		prune, wait bool
		account     string
		after       []string
	}
	name := func(k *kustomizev1.Kustomization) string { return k.Name }
	check := func(tree Tree, want map[string]row) {
		t.Helper()
		found := objectsOf(t, tree, "flux/", "Kustomization", name)
		for name, k := range found {
			w, known := want[name]
			if !known {
				t.Errorf("%s: not expected", name)
				continue
			}
			policy := ""
			if !w.prune || name == "sipgen-dc1" { // the root: nothing goes with it
				policy = kustomizev1.DeletionPolicyOrphan
			}
			var after []string
			for _, other := range k.Spec.DependsOn {
				after = append(after, other.Name)
			}
			if k.Spec.Prune != w.prune || k.Spec.DeletionPolicy != policy || k.Spec.Wait != w.wait || k.Spec.Force || k.Spec.ServiceAccountName != w.account || !slices.Equal(after, w.after) {
				t.Errorf("%s: found %+v, want %+v", name, k.Spec, w)
			}
			if k.Spec.RetryInterval == nil || k.Spec.RetryInterval.Duration > time.Minute {
				t.Errorf("%s: retried after %v", name, k.Spec.RetryInterval)
			}
		}
		if len(found) != len(want) {
			t.Errorf("found %d Kustomizations, want %d", len(found), len(want))
		}
	}
	check(guarded(t, nil), map[string]row{
		"sipgen-dc1":        {prune: true},
		"sipgen-dc1-policy": {account: "sipgen-dc1-policy"},
		"sipgen-dc1-site":   {account: "sipgen-dc1-site"},
		"lab.a.rights":      {prune: true, account: "sipgen-dc1-rights", after: []string{"sipgen-dc1-site"}},
		"lab.a.infra":       {prune: true, wait: true, account: "lab.a.infra", after: []string{"sipgen-dc1-site", "lab.a.rights"}},
		"lab.a.hosts":       {account: "sipgen-dc1-hosts", after: []string{"sipgen-dc1-policy", "lab.a.infra"}},
		"lab.b.rights":      {prune: true, account: "sipgen-dc1-rights", after: []string{"sipgen-dc1-site"}},
		"lab.b.infra":       {prune: true, wait: true, account: "lab.b.infra", after: []string{"sipgen-dc1-site", "lab.b.rights"}},
		"lab.b.hosts":       {account: "sipgen-dc1-hosts", after: []string{"sipgen-dc1-policy"}},
	})
	check(guarded(t, func(s *v1alpha1.Site) {
		s.Spec.Hosts.Namespaces, s.Spec.Hosts.ClaimNamespaces = []string{"metal3"}, []string{"fleet"}
	}), map[string]row{
		"sipgen-dc1":        {prune: true},
		"sipgen-dc1-policy": {account: "sipgen-dc1-policy"},
		"sipgen-dc1-site":   {account: "sipgen-dc1-site"},
		"sipgen-dc1-claims": {prune: true, account: "sipgen-dc1-site", after: []string{"sipgen-dc1-policy"}},
		"lab.a.rights":      {prune: true, account: "sipgen-dc1-rights", after: []string{"sipgen-dc1-site"}},
		"lab.a.infra":       {prune: true, wait: true, account: "lab.a.infra", after: []string{"sipgen-dc1-site", "lab.a.rights"}},
		"lab.a.hosts":       {account: "sipgen-dc1-hosts", after: []string{"sipgen-dc1-policy", "lab.a.infra"}},
		"lab.b.rights":      {prune: true, account: "sipgen-dc1-rights", after: []string{"sipgen-dc1-site"}},
		"lab.b.infra":       {prune: true, wait: true, account: "lab.b.infra", after: []string{"sipgen-dc1-site", "lab.b.rights"}},
		"lab.b.hosts":       {account: "sipgen-dc1-hosts", after: []string{"sipgen-dc1-policy"}},
	})
	check(guarded(t, func(s *v1alpha1.Site) { s.Spec.Hosts.Apply, s.Spec.Hosts.Base = v1alpha1.ApplyOverlay, "metal" }), map[string]row{
		"sipgen-dc1":        {prune: true},
		"sipgen-dc1-policy": {account: "sipgen-dc1-policy"},
		"sipgen-dc1-site":   {account: "sipgen-dc1-site"},
		"sipgen-dc1-hosts":  {after: []string{"sipgen-dc1-policy"}},
		"lab.a.rights":      {prune: true, account: "sipgen-dc1-rights", after: []string{"sipgen-dc1-site"}},
		"lab.a.infra":       {prune: true, wait: true, account: "lab.a.infra", after: []string{"sipgen-dc1-site", "lab.a.rights"}},
		"lab.b.rights":      {prune: true, account: "sipgen-dc1-rights", after: []string{"sipgen-dc1-site"}},
		"lab.b.infra":       {prune: true, wait: true, account: "lab.b.infra", after: []string{"sipgen-dc1-site", "lab.b.rights"}},
	})
}

// Each Application, by what it could do to hosts, guards and definitions, and by its place in the order.
func TestArgoSyncObjects(t *testing.T) {
	type row struct {
		prune, finalizer bool
		wave             string
		compare          string
		options          string
		// project that is not the site's
		project string
	}
	const (
		serverSide = "ServerSideApply=true"
		shared     = "FailOnSharedResource=true"
		keep       = "Prune=false Delete=false"
		migration  = "ClientSideApplyMigration=false"
		diff       = "ServerSideDiff=true"
	)
	name := func(a *argoApplication) string { return a.Name }
	check := func(tree Tree, want map[string]row) {
		t.Helper()
		found := objectsOf(t, tree, "argocd/", "Application", name)
		for name, app := range found {
			w, known := want[name]
			if !known {
				t.Errorf("%s: not expected", name)
				continue
			}
			is := row{
				prune: app.Spec.SyncPolicy.Automated.Prune, finalizer: slices.Contains(app.Finalizers, argoFinalizer),
				wave: app.Annotations[argoWave], compare: app.Annotations[argoCompare], options: strings.Join(app.Spec.SyncPolicy.SyncOptions, " "),
			}
			if app.Spec.Project != testSite(nil).Spec.ArgoCD.Project {
				is.project = app.Spec.Project
			}
			if is != w {
				t.Errorf("%s: found %+v, want %+v", name, is, w)
			}
			if !app.Spec.Source.Kustomize.IgnoreMissingComponents {
				t.Errorf("%s: Argo CD guesses how its folder is built, and without a kustomization applies every file in it", name)
			}
			if retry := app.Spec.SyncPolicy.Retry; retry.Limit != -1 || !retry.Refresh || !app.Spec.SyncPolicy.Automated.SelfHeal {
				t.Errorf("%s: found %+v, want it retried for ever with the newest commit, and healed", name, app.Spec.SyncPolicy)
			}
		}
		if len(found) != len(want) {
			t.Errorf("found %d Applications, want %d", len(found), len(want))
		}
	}
	argo := func(s *v1alpha1.Site) { s.Spec.Engine = v1alpha1.EngineArgoCD }
	pruning, keeping := serverSide+" "+shared, serverSide+" "+shared+" "+keep
	check(guarded(t, argo), map[string]row{
		"sipgen-dc1":        {prune: true, options: pruning},
		"sipgen-dc1-policy": {wave: "-2", options: serverSide + " " + keep},
		"sipgen-dc1-site":   {wave: "-1", options: keeping},
		"lab.a.rights":      {prune: true, finalizer: true, wave: "-1", options: serverSide},
		"lab.a.infra":       {prune: true, finalizer: true, wave: "0", options: pruning, project: "lab.a.infra"},
		"lab.a.hosts":       {wave: "1", compare: diff, options: serverSide + " " + migration + " " + keep},
		"lab.b.infra":       {prune: true, finalizer: true, wave: "0", options: pruning, project: "lab.b.infra"},
		"lab.b.hosts":       {wave: "0", compare: diff, options: serverSide + " " + migration + " " + keep},
	})
	check(guarded(t, inWaves), map[string]row{
		"sipgen-dc1":        {prune: true, options: pruning},
		"sipgen-dc1-policy": {wave: "-2", options: serverSide + " " + keep},
		"sipgen-dc1-site":   {wave: "-1", options: keeping},
		"lab.a.rights":      {prune: true, finalizer: true, wave: "-1", options: serverSide},
		"lab.a.infra":       {prune: true, finalizer: true, wave: "0", compare: diff, options: serverSide + " " + migration, project: "lab.a.infra"},
		"lab.b.infra":       {prune: true, finalizer: true, wave: "0", options: pruning, project: "lab.b.infra"},
		"lab.b.hosts":       {wave: "0", compare: diff, options: serverSide + " " + migration + " " + keep},
	})
	check(guarded(t, func(s *v1alpha1.Site) {
		argo(s)
		s.Spec.Hosts.Apply, s.Spec.Hosts.Base = v1alpha1.ApplyOverlay, "metal"
	}), map[string]row{
		"sipgen-dc1":        {prune: true, options: pruning},
		"sipgen-dc1-policy": {wave: "-2", options: serverSide + " " + keep},
		"sipgen-dc1-site":   {wave: "-1", options: keeping},
		"sipgen-dc1-hosts":  {wave: "1", compare: diff, options: serverSide + " " + migration + " " + keep + " " + shared},
		"lab.a.rights":      {prune: true, finalizer: true, wave: "-1", options: serverSide},
		"lab.a.infra":       {prune: true, finalizer: true, wave: "0", options: pruning, project: "lab.a.infra"},
		"lab.b.infra":       {prune: true, finalizer: true, wave: "0", options: pruning, project: "lab.b.infra"},
	})
}

// The project of a cluster's services permits the kinds of an overlay in the cluster's namespace, from the site's repository, and nothing else.
func TestArgoProjects(t *testing.T) {
	argo := func(s *v1alpha1.Site) { s.Spec.Engine = v1alpha1.EngineArgoCD }
	tree := guarded(t, argo)
	projects := objectsOf(t, tree, "argocd/", "AppProject", func(p *argoProject) string { return p.Name })
	site := testSite(argo)
	for _, cluster := range []string{"a", "b"} {
		project := projects["lab."+cluster+".infra"]
		if project == nil {
			t.Fatalf("found %v", projects)
		}
		spec := project.Spec
		if !slices.Equal(spec.SourceRepos, []string{site.Spec.Repository.URL}) || len(spec.ClusterResourceWhitelist) != 0 ||
			!slices.Equal(spec.Destinations, []argoDestination{{Server: site.Spec.ArgoCD.Server, Namespace: "lab"}}) {
			t.Errorf("%s: found %+v", project.Name, spec)
		}
		var kinds []string
		for _, kind := range spec.NamespaceResourceWhitelist {
			kinds = append(kinds, kind.Kind)
		}
		if want := []string{"ConfigMap", "Service", "ServiceAccount", "Deployment", "PodDisruptionBudget", "NetworkPolicy", "Certificate"}; !slices.Equal(kinds, want) {
			t.Errorf("%s: found kinds %q, want %q", project.Name, kinds, want)
		}
	}
	// It outlives the Application by one commit: Argo CD deletes nothing of an Application whose project is gone.
	clusters := []v1.SIPCluster{testCluster("a")}
	turn := func(previous Tree, clusters []v1.SIPCluster, placed ...schedule.Cluster) Tree {
		return render(t, Input{Site: site, Clusters: clusters, Placement: &schedule.Placement{Clusters: placed}, Previous: previous})
	}
	before := turn(nil, clusters, placed("a"))
	gone := turn(before, nil)
	want(t, gone, "argocd/kustomization.yaml", "- lab.a.project.yaml\n")
	if string(gone["argocd/lab.a.project.yaml"]) != string(before["argocd/lab.a.project.yaml"]) || gone["argocd/lab.a.yaml"] != nil {
		t.Error("want the project as it was, and no Application")
	}
	wantNot(t, turn(gone, nil), "argocd/kustomization.yaml", "lab.a")
}
