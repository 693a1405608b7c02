package render

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render/argocd"
	"github.com/airshipit/sipgen/schedule"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/stretchr/testify/assert"
)

// TestFluxTakesTheURL: whatever a valid Site names as its repository, the definition of Flux's GitRepository takes what
// is written into one (its spec.url has the pattern below), and Argo CD gets what the Site says.
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
		found := objectsOf(t, in(v1alpha1.EngineFlux), "flux/", sourcev1.GitRepositoryKind,
			func(r *sourcev1.GitRepository) string { return r.Spec.URL })
		assert.Truef(t, len(found) == 1 && found[want] != nil && pattern.MatchString(want), "%s: found %v, want %s",
			given, found, want)
		for name, content := range in(v1alpha1.EngineArgoCD) {
			if strings.HasPrefix(name, "argocd/") && strings.Contains(string(content), "repoURL: ") &&
				!strings.Contains(string(content), "repoURL: "+given+"\n") {
				t.Errorf("%s: %s has another URL", given, name)
			}
		}
	}
}

// TestFluxSyncObjects is contract 26 and 31: each Kustomization, by what it could do to hosts, guards and definitions,
// and by what it waits for: only services are ever deleted.
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
			assert.Equal(t, w.prune, k.Spec.Prune, name)
			assert.Equal(t, policy, k.Spec.DeletionPolicy, name)
			assert.Equal(t, w.wait, k.Spec.Wait, name)
			assert.False(t, k.Spec.Force, name)
			assert.Equal(t, w.account, k.Spec.ServiceAccountName, name)
			assert.Equal(t, w.after, after, name)
			assert.Truef(t, k.Spec.RetryInterval != nil && k.Spec.RetryInterval.Duration <= time.Minute,
				"%s: retried after %v", name, k.Spec.RetryInterval)
		}
		assert.Equal(t, len(want), len(found))
	}
	plain := map[string]row{
		"sipgen-dc1":        {prune: true},
		"sipgen-dc1-policy": {},
		"sipgen-dc1-site":   {},
		"lab.a.rights":      {prune: true, after: []string{"sipgen-dc1-site", "sipgen-dc1-policy"}},
		"lab.a.infra": {prune: true, wait: true, account: "lab.a.infra",
			after: []string{"sipgen-dc1-site", "lab.a.rights"}},
		"lab.a.hosts":  {account: "sipgen-dc1-hosts", after: []string{"sipgen-dc1-policy", "lab.a.infra"}},
		"lab.b.rights": {prune: true, after: []string{"sipgen-dc1-site", "sipgen-dc1-policy"}},
		"lab.b.infra": {prune: true, wait: true, account: "lab.b.infra",
			after: []string{"sipgen-dc1-site", "lab.b.rights"}},
		"lab.b.hosts": {account: "sipgen-dc1-hosts", after: []string{"sipgen-dc1-policy"}},
	}
	check(guarded(t, nil), plain)
	claims := maps.Clone(plain)
	claims["sipgen-dc1-claims"] = row{prune: true, after: []string{"sipgen-dc1-policy"}}
	check(guarded(t, func(s *v1alpha1.Site) {
		s.Spec.Hosts.Namespaces, s.Spec.Hosts.ClaimNamespaces = []string{"metal3"}, []string{"fleet"}
	}), claims)
	delete(plain, "lab.a.hosts")
	delete(plain, "lab.b.hosts")
	plain["sipgen-dc1-hosts"] = row{after: []string{"sipgen-dc1-policy"}}
	overlay := guarded(t, inOverlay)
	check(overlay, plain)
	// No account is bound to the rights over manifests in git, and no file says so.
	want(t, guarded(t, nil), "policy/rbac.yaml", "# The account that hosts are patched as: ", "# And the role ")
	want(t, overlay, "policy/rbac.yaml", "# The role ")
	wantNot(t, overlay, "policy/rbac.yaml", "The account that hosts")
}

func inOverlay(s *v1alpha1.Site) {
	s.Spec.Hosts.Apply, s.Spec.Hosts.Base = v1alpha1.ApplyOverlay, "metal"
}

// Each Application, by what it could do to hosts, guards and definitions, and by its place in the order.
func TestArgoSyncObjects(t *testing.T) {
	type row struct {
		prune, finalizer       bool
		wave, compare, options string
	}
	const (
		serverSide = "ServerSideApply=true"
		shared     = "FailOnSharedResource=true"
		keep       = "Prune=false Delete=false"
		migration  = "ClientSideApplyMigration=false"
	)
	name := func(a *argocd.Application) string { return a.Name }
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
				prune:     app.Spec.SyncPolicy.Automated.Prune,
				finalizer: slices.Contains(app.Finalizers, argocd.Finalizer),
				wave:      app.Annotations[argocd.Wave], compare: app.Annotations[argocd.CompareOptions],
				options: strings.Join(app.Spec.SyncPolicy.SyncOptions, " "),
			}
			assert.Equal(t, name, app.Spec.Project)
			assert.Equal(t, w, is, name)
			assert.Truef(t, app.Spec.Source.Kustomize.IgnoreMissingComponents,
				"%s: Argo CD guesses how its folder is built, and without a kustomization applies every file in it",
				name)
			if retry := app.Spec.SyncPolicy.Retry; retry.Limit != -1 || !retry.Refresh ||
				!app.Spec.SyncPolicy.Automated.SelfHeal {
				t.Errorf("%s: found %+v, want it retried for ever with the newest commit, and healed", name,
					app.Spec.SyncPolicy)
			}
		}
		assert.Equal(t, len(want), len(found))
	}
	argo := func(s *v1alpha1.Site) { s.Spec.Engine = v1alpha1.EngineArgoCD }
	pruning, keeping := serverSide+" "+shared, serverSide+" "+shared+" "+keep
	plain := map[string]row{
		"sipgen-dc1":        {prune: true, options: pruning},
		"sipgen-dc1-policy": {wave: "-2", options: serverSide + " " + keep},
		"sipgen-dc1-site":   {wave: "-1", options: keeping},
		"lab.a.rights":      {prune: true, finalizer: true, wave: "-1", options: serverSide},
		"lab.a.infra":       {prune: true, finalizer: true, wave: "0", options: pruning},
		"lab.a.hosts":       {wave: "1", options: serverSide + " " + migration + " " + keep},
		"lab.b.infra":       {prune: true, finalizer: true, wave: "0", options: pruning},
		"lab.b.hosts":       {wave: "0", options: serverSide + " " + migration + " " + keep},
	}
	check(guarded(t, argo), plain)
	waves, overlaid := maps.Clone(plain), maps.Clone(plain)
	delete(waves, "lab.a.hosts")
	waves["lab.a.infra"] = row{prune: true, finalizer: true, wave: "0", options: serverSide + " " + migration}
	check(guarded(t, inWaves), waves)
	delete(overlaid, "lab.a.hosts")
	delete(overlaid, "lab.b.hosts")
	overlaid["sipgen-dc1-hosts"] = row{wave: "1", options: serverSide + " " + migration + " " + keep + " " + shared}
	check(guarded(t, func(s *v1alpha1.Site) { argo(s); inOverlay(s) }), overlaid)
}

// TestArgoRootAlone: Argo CD deletes what a root has applied, if the root is deleted with cascade. It leaves out
// objects with this annotation, and those of the root are Applications, which take their services with them, and
// projects.
func TestArgoRootAlone(t *testing.T) {
	for _, order := range []string{v1alpha1.OrderNone, v1alpha1.OrderWaves} {
		tree := guarded(t, func(s *v1alpha1.Site) {
			s.Spec.Engine, s.Spec.ArgoCD.Order, s.Spec.Runner = v1alpha1.EngineArgoCD, order, &v1alpha1.Runner{}
		})
		kept := func(kind, name, options string) {
			assert.Contains(t, strings.Split(options, ","), "Delete=false", "%s: %s %s", order, kind, name)
		}
		applications := objectsOf(t, tree, "argocd/", "Application",
			func(a *argocd.Application) string { return a.Name })
		assert.Greater(t, len(applications), 3, order)
		for _, a := range applications {
			kept(a.Kind, a.Name, a.Annotations[argocd.SyncOptions])
		}
		for _, p := range objectsOf(t, tree, "argocd/", "AppProject",
			func(p *argocd.Project) string { return p.Name }) {
			kept(p.Kind, p.Name, p.Annotations[argocd.SyncOptions])
		}
	}
}

// Each project, by where it permits something. golden has that its kinds are all that its Application applies, and no
// more.
func TestArgoProjects(t *testing.T) {
	argo := func(s *v1alpha1.Site) { s.Spec.Engine = v1alpha1.EngineArgoCD }
	check := func(change func(*v1alpha1.Site), want map[string]string) {
		t.Helper()
		found := objectsOf(t, guarded(t, change), "argocd/", "AppProject",
			func(p *argocd.Project) string { return p.Name })
		site := testSite(argo)
		where := map[string]string{}
		for name, project := range found {
			var namespaces []string
			for _, destination := range project.Spec.Destinations {
				namespaces = append(namespaces, destination.Namespace)
				assert.Equal(t, site.Spec.ArgoCD.Server, destination.Server, name)
			}
			where[name] = strings.Join(namespaces, " ")
			assert.Equal(t, []string{site.Spec.Repository.URL}, project.Spec.SourceRepos, name)
			assert.Equal(t, "-3 PruneLast=true,Delete=false",
				project.Annotations[argocd.Wave]+" "+project.Annotations[argocd.SyncOptions], name)
		}
		assert.Equal(t, want, where, "where")
	}
	plain := map[string]string{
		"sipgen-dc1": "argocd", "sipgen-dc1-policy": "argocd", "sipgen-dc1-site": "argocd",
		"lab.a.infra": "lab", "lab.a.rights": "lab metal3", "lab.a.hosts": "metal3", "lab.b.infra": "lab",
		"lab.b.hosts": "metal3",
	}
	check(argo, plain)
	// Rights that go may be wherever the site says that it has hosts.
	named := maps.Clone(plain)
	named["sipgen-dc1-policy"], named["lab.a.rights"] = "argocd metal3 metal4", "lab metal3 metal4"
	check(func(s *v1alpha1.Site) { argo(s); s.Spec.Hosts.Namespaces = []string{"metal4", "metal3"} }, named)
	// People's manifests of hosts may be in any namespace, but for a site that names those of its hosts.
	delete(plain, "lab.a.hosts")
	delete(plain, "lab.b.hosts")
	plain["sipgen-dc1-hosts"] = "*"
	check(func(s *v1alpha1.Site) { argo(s); inOverlay(s) }, plain)
	plain["sipgen-dc1-hosts"] = "metal3"
	check(func(s *v1alpha1.Site) { argo(s); inOverlay(s); s.Spec.Hosts.Namespaces = []string{"metal3"} }, plain)
	// Nobody else's project is the root's.
	clash := testSite(func(s *v1alpha1.Site) { argo(s); s.Spec.ArgoCD.Project = "sipgen-dc1-policy" })
	_, _, err := Site(Input{Site: clash, Placement: &schedule.Placement{}})
	assert.ErrorContains(t, err, `spec.argocd.project: found "sipgen-dc1-policy", want another name`)
}

// What left a folder is to be deleted where it was, also in a namespace that nothing else is in. A host that somebody
// makes in a namespace of Kubernetes opens that to nobody.
func TestProjectsKeepNamespaces(t *testing.T) {
	site := testSite(func(s *v1alpha1.Site) { s.Spec.Engine = v1alpha1.EngineArgoCD })
	jump := testCluster("a")
	jump.Spec.Services.JumpHost = []v1.JumpHost{{NodeInterface: "oam", NodePort: 30022,
		BMC: &v1.BMC{Access: v1.BMCMetal3}}}
	cluster := placed("a")
	before := render(t, Input{Site: site, Clusters: []v1.SIPCluster{jump},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{cluster}}})
	where := func(tree Tree) string {
		project := objectsOf(t, tree, "argocd/lab.a.project", "AppProject",
			func(p *argocd.Project) string { return p.Name })["lab.a.rights"]
		var all []string
		for _, destination := range project.Spec.Destinations {
			all = append(all, destination.Namespace)
		}
		return strings.Join(all, " ")
	}
	assert.Equal(t, "lab metal3", where(before))
	kept := *testHost("elsewhere")
	kept.Namespace = "metal4"
	system := *testHost("system")
	system.Namespace = "kube-system"
	cluster.Roles[0].Assigned[0].Host, cluster.Roles[0].Releasing = &kept, nil
	moved := Input{Site: site, Clusters: []v1.SIPCluster{jump}, Placement: &schedule.Placement{
		Clusters: []schedule.Cluster{cluster}, Hosts: []schedule.HostLine{{Host: &kept}, {Host: &system}},
	}, Previous: before}
	assert.Equal(t, "lab metal3 metal4", where(render(t, moved)))
	// Somebody edits the tree: what it has in a reserved namespace opens that to nobody.
	edited := maps.Clone(before)
	for name, content := range edited {
		if strings.HasPrefix(name, "rights/lab/a/") {
			edited[name] = bytes.ReplaceAll(content, []byte("namespace: metal3\n"), []byte("namespace: kube-system\n"))
		}
	}
	moved.Previous = edited
	assert.Equal(t, "lab metal4", where(render(t, moved)))
}

// The projects of an Application that deletes what it applied outlive it by one commit: Argo CD deletes nothing of an
// Application whose project is gone.
func TestProjectsOutliveTheirApplications(t *testing.T) {
	site := testSite(func(s *v1alpha1.Site) { s.Spec.Engine = v1alpha1.EngineArgoCD })
	turn := func(previous Tree, clusters []v1.SIPCluster, placed ...schedule.Cluster) Tree {
		return render(t, Input{Site: site, Clusters: clusters, Placement: &schedule.Placement{Clusters: placed},
			Previous: previous})
	}
	const projects, services = "argocd/lab.a.project.yaml", "name: lab.a.infra\n"
	jump := testCluster("a")
	jump.Spec.Services.JumpHost = []v1.JumpHost{{NodeInterface: "oam", NodePort: 30022}}
	before := turn(nil, []v1.SIPCluster{jump}, placed("a"))
	want(t, before, projects, services, "name: lab.a.rights\n", "name: lab.a.hosts\n")
	// A cluster whose services need no more rights.
	plain := turn(before, []v1.SIPCluster{testCluster("a")}, placed("a"))
	want(t, plain, projects, services, "name: lab.a.rights\n")
	wantNot(t, plain, "argocd/lab.a.yaml", "name: lab.a.rights\n")
	wantNot(t, turn(plain, []v1.SIPCluster{testCluster("a")}, placed("a")), projects, "name: lab.a.rights\n")
	gone := turn(before, nil)
	want(t, gone, "argocd/kustomization.yaml", "- lab.a.project.yaml\n")
	want(t, gone, projects, services, "name: lab.a.rights\n")
	wantNot(t, gone, projects, "name: lab.a.hosts\n")
	assert.Truef(t, gone["argocd/lab.a.yaml"] == nil, "want no Application")
	wantNot(t, turn(gone, nil), "argocd/kustomization.yaml", "lab.a")
	// A cluster that has hosts still.
	without := testCluster("a")
	without.Spec.Services = v1.Services{}
	hosts := turn(before, []v1.SIPCluster{without}, placed("a"))
	want(t, hosts, projects, services, "name: lab.a.rights\n", "name: lab.a.hosts\n")
	wantNot(t, hosts, "argocd/lab.a.yaml", services)
	hosts = turn(hosts, []v1.SIPCluster{without}, placed("a"))
	want(t, hosts, projects, "name: lab.a.hosts\n")
	wantNot(t, hosts, projects, services)
	// What the site has for itself.
	site.Spec.Hosts.Namespaces, site.Spec.Hosts.ClaimNamespaces = []string{"metal3"}, []string{"spare"}
	site.Spec.Runner = &v1alpha1.Runner{Image: "registry.example.org/sipgen:v1", Schedule: "@daily"}
	before = turn(nil, nil)
	want(t, before, "argocd/projects.yaml", "name: sipgen-dc1-claims\n", "name: sipgen-dc1-runner\n")
	site.Spec.Hosts.ClaimNamespaces, site.Spec.Runner = nil, nil
	gone = turn(before, nil)
	want(t, gone, "argocd/projects.yaml", "name: sipgen-dc1-claims\n", "name: sipgen-dc1-runner\n")
	wantNot(t, gone, "argocd/kustomization.yaml", "claims", "runner")
	wantNot(t, turn(gone, nil), "argocd/projects.yaml", "claims", "runner")
}
