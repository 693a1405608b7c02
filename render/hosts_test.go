package render

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
)

// A released host keeps its object and loses its labels: dropping the object would leave the labels on the host.
func TestReleaseKeepsTheObject(t *testing.T) {
	tree := render(t, Input{Site: testSite(nil), Clusters: []v1.SIPCluster{testCluster("a")},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}})
	want(t, tree, "clusters/lab/a/hosts/metal3.kept.yaml", "sip.airshipit.org/cluster-name: a", "uid: uid-of-kept",
		"ssa: Merge", "prune: disabled")
	want(t, tree, "clusters/lab/a/hosts/metal3.gone.yaml", "uid: uid-of-gone", "ssa: Merge", "prune: disabled")
	wantNot(t, tree, "clusters/lab/a/hosts/metal3.gone.yaml", "labels", "sip.airshipit.org")
	want(t, tree, "clusters/lab/a/hosts/kustomization.yaml", "metal3.gone.yaml", "metal3.kept.yaml")
	want(t, tree, "clusters/lab/a/assignments.yaml", "releasing:", "oam: [192.0.2.1]")
}

// The patch of a host in use says what its release was approved for; no other patch does, or a rollback would move what
// it meets.
func TestApprovedRelease(t *testing.T) {
	const key = "sip.airshipit.org/release-of: "
	for _, row := range []struct {
		why    string
		reason schedule.Reason
		change func(*inventory.State)
		want   string
	}{
		{"not approved", schedule.Surplus{Want: 1}, func(s *inventory.State) { s.Image = true }, ""},
		{"approved for its consumer", schedule.Approved{}, func(s *inventory.State) {
			s.Consumer = &inventory.Consumer{APIVersion: "v1", Kind: "Metal3Machine", Namespace: "t", Name: "m"}
			s.ImageName = "image/x"
		}, "uid-of-gone/Metal3Machine/t/m"},
		{"approved for its image", schedule.Approved{},
			func(s *inventory.State) { s.ImageName = "image/images.invalid/a" }, "uid-of-gone/image/images.invalid/a"},
	} {
		c := placed("a")
		c.Roles[0].Assigned[0].Host.State.Image = true
		c.Roles[0].Releasing[0].Reason = row.reason
		row.change(&c.Roles[0].Releasing[0].Host.State)
		tree := render(t, Input{Site: testSite(nil), Clusters: []v1.SIPCluster{testCluster("a")},
			Placement: &schedule.Placement{Clusters: []schedule.Cluster{c}}})
		wantNot(t, tree, "clusters/lab/a/hosts/metal3.kept.yaml", key)
		if row.want == "" {
			wantNot(t, tree, "clusters/lab/a/hosts/metal3.gone.yaml", key)
			continue
		}
		want(t, tree, "clusters/lab/a/hosts/metal3.gone.yaml", key+row.want+"\n")
	}
}

// A host of which no patch may be written keeps the one that the tree has, byte for byte, whatever is decided of it;
// without one it gets none.
func TestUntouchableHosts(t *testing.T) {
	input := func(was Tree) Input {
		c := placed("a")
		for _, host := range []*inventory.Host{c.Roles[0].Assigned[0].Host, c.Roles[0].Releasing[0].Host} {
			host.UID = ""
			host.Faults = []inventory.Fault{{Kind: inventory.FaultPatch, Text: "marked"}}
		}
		return Input{Site: testSite(nil), Clusters: []v1.SIPCluster{testCluster("a")},
			Placement: &schedule.Placement{Clusters: []schedule.Cluster{c}}, Previous: was}
	}
	const kept, gone = "clusters/lab/a/hosts/metal3.kept.yaml", "clusters/lab/a/hosts/metal3.gone.yaml"
	tree := render(t, input(Tree{kept: []byte("as it was\n")}))
	assert.Equal(t, "as it was\n", string(tree[kept]), "the patch is now")
	got, found := tree[gone]
	assert.Truef(t, !found, "there is a patch: %q", got)
	want(t, tree, "clusters/lab/a/hosts/kustomization.yaml", "- metal3.kept.yaml")
	wantNot(t, tree, "clusters/lab/a/hosts/kustomization.yaml", "metal3.gone.yaml")
}

// A host that was read before its tree was committed keeps the patch of a release as it is: its uid and its use are
// older than what the tree says of them.
func TestReleasesOfHostsReadBeforeTheTree(t *testing.T) {
	c := placed("a")
	c.Roles[0].Releasing[0].Host.Faults = []inventory.Fault{{Kind: inventory.FaultOld}}
	const gone = "clusters/lab/a/hosts/metal3.gone.yaml"
	tree := render(t, Input{Site: testSite(nil), Clusters: []v1.SIPCluster{testCluster("a")},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{c}}, Previous: Tree{gone: []byte("as it was\n")}})
	assert.Equal(t, "as it was\n", string(tree[gone]), "the patch is now")
	want(t, tree, "clusters/lab/a/hosts/kustomization.yaml", "- metal3.gone.yaml")
	want(t, tree, "clusters/lab/a/hosts/metal3.kept.yaml", "uid: uid-of-kept")
}

// Without a uid a patch would create a host that does not exist (a BareMetalHost without a spec).
func TestMergeNeedsUIDs(t *testing.T) {
	c := placed("a")
	c.Roles[0].Assigned[0].Host.UID, c.Roles[0].Assigned[0].Host.Source.File = "", "hosts.yaml"
	c.Roles[0].Releasing[0].Host.UID, c.Roles[0].Releasing[0].Host.Source.File = "", "more.yaml"
	tree, _, err := Site(Input{Site: testSite(nil), Clusters: []v1.SIPCluster{testCluster("a")},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{c}}})
	assert.Truef(t,
		err != nil && tree == nil && strings.Contains(err.Error(),
			"lab/a: 2 hosts without metadata.uid: metal3/kept (hosts.yaml), metal3/gone (more.yaml); want one"),
		"found %v, want both hosts with their files, and no tree", err)
}

// With hosts on another API server the guard there is for the user that Argo CD has there, and Applications stay where
// Argo CD is.
func TestRemoteArgoCD(t *testing.T) {
	const server = "https://mgmt.example.org:6443"
	site := testSite(func(s *v1alpha1.Site) {
		s.Spec.Engine, s.Spec.ArgoCD.Server, s.Spec.ArgoCD.Identity = v1alpha1.EngineArgoCD, server, `o'brien \ ops`
	})
	tree := render(t, Input{Site: site, Clusters: []v1.SIPCluster{testCluster("a")},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}})
	want(t, tree, "policy/sync-guard.yaml", `request.userInfo.username in ['o\'brien \\ ops']`)
	wantNot(t, tree, "policy/sync-guard.yaml", "argocd-application-controller")
	project, root, _ := strings.Cut(string(tree["argocd/root.yaml"]), "\n---\n")
	want(t, Tree{"root": []byte(root), "project": []byte(project)}, "root", "name: sipgen-dc1",
		"server: https://kubernetes.default.svc\n")
	want(t, Tree{"root": []byte(root), "project": []byte(project)}, "project",
		"namespace: argocd\n    server: https://kubernetes.default.svc\n")
	wantNot(t, tree, "argocd/root.yaml", server)
	for _, path := range []string{"argocd/policy.yaml", "argocd/lab.a.yaml", "argocd/projects.yaml",
		"argocd/lab.a.project.yaml"} {
		want(t, tree, path, "server: "+server)
		wantNot(t, tree, path, v1alpha1.ArgoCDInCluster)
	}
}

// kustomize refuses an overlay with nothing in it, and so would the engine: a cluster without host patches has
// no overlay, and no sync object that would fail on it.
func TestNoHostsNoOverlay(t *testing.T) {
	for _, engine := range []v1alpha1.Engine{v1alpha1.EngineFlux, v1alpha1.EngineArgoCD} {
		c := placed("a")
		c.Roles[0].Assigned, c.Roles[0].Releasing = nil, nil
		site := testSite(func(s *v1alpha1.Site) { s.Spec.Engine = engine })
		tree := render(t, Input{Site: site, Clusters: []v1.SIPCluster{testCluster("a")},
			Placement: &schedule.Placement{Clusters: []schedule.Cluster{c}}})
		for path, content := range tree {
			assert.Truef(t,
				!strings.HasPrefix(path, "clusters/lab/a/hosts/") && !strings.Contains(string(content), "lab.a.hosts"),
				"%s: %s is of a hosts overlay that there is not:\n%s", engine, path, content)
		}
	}
}

// A label that the SIP operator owns too is taken over by another value before it is dropped. So it is over manifests
// in git, where an object without the label drops the engine's own alone.
func TestCoOwnedLabelsAreTakenOver(t *testing.T) {
	const folder = "clusters/lab/a/hosts/"
	c := placed("a")
	host := c.Roles[0].Releasing[0].Host
	host.Labels = map[string]string{"sip.airshipit.org/cluster-name": "a", "sip.airshipit.org/node-type": "Worker"}
	own := inventory.Manager{Name: "kustomize-controller", Operation: "Apply",
		Labels: []string{"sip.airshipit.org/cluster-name", "sip.airshipit.org/node-type"}}
	host.Managers = []inventory.Manager{own,
		{Name: "sip", Operation: "Update", Labels: []string{"rack", "sip.airshipit.org/cluster-name"}}}
	for _, apply := range []func(*v1alpha1.Site){nil, inOverlay} {
		in := Input{Site: testSite(apply), Clusters: []v1.SIPCluster{testCluster("a")},
			Placement: &schedule.Placement{Clusters: []schedule.Cluster{c}}}
		merge := in.Site.Spec.Hosts.Apply == v1alpha1.ApplyMerge
		both := host.Managers
		tree := render(t, in)
		want(t, tree, folder+"metal3.gone.yaml", `sip.airshipit.org/cluster-name: ""`)
		want(t, tree, folder+"kustomization.yaml", "metal3.gone.yaml")
		wantNot(t, tree, folder+"metal3.gone.yaml", "node-type", "rack")
		host.Managers = []inventory.Manager{own}
		tree = render(t, in)
		_, patched := tree[folder+"metal3.gone.yaml"]
		assert.Equal(t, merge, patched, "a patch of a host whose labels the engine alone owns, with %s",
			in.Site.Spec.Hosts.Apply)
		if merge {
			wantNot(t, tree, folder+"metal3.gone.yaml", "labels")
		}
		host.Managers = both
	}
}

// An active host with a mark of standby that another manager owns too would stay without a machine: Cluster API's
// selectors leave standby hosts out.
func TestForeignStandbyIsTakenOver(t *testing.T) {
	const patch, standby = "clusters/lab/a/hosts/metal3.kept.yaml", "sip.airshipit.org/standby"
	c := placed("a")
	kept := &c.Roles[0].Assigned[0]
	for _, row := range []struct {
		what     string
		standby  bool
		value    string
		managers []string
		want     string
	}{
		{"promoted, marked by a person too", false, "true", []string{"kustomize-controller", "sipgen"}, `: ""`},
		{"active, marked by a person alone", false, "true", []string{"kubectl-label"}, `: ""`},
		{"promoted, marked by the engine", false, "true", []string{"kustomize-controller"}, ""},
		{"the mark is taken over", false, "", []string{"kustomize-controller"}, ""},
		{"standby, marked by a person too", true, "true", []string{"kustomize-controller", "sipgen"}, `: "true"`},
	} {
		kept.Host.Labels, kept.Host.Managers, kept.Standby = map[string]string{standby: row.value}, nil, row.standby
		for _, name := range row.managers {
			kept.Host.Managers = append(kept.Host.Managers, inventory.Manager{Name: name, Labels: []string{standby}})
		}
		for _, apply := range []func(*v1alpha1.Site){nil, inOverlay} {
			tree := render(t, Input{Site: testSite(apply), Clusters: []v1.SIPCluster{testCluster("a")},
				Placement: &schedule.Placement{Clusters: []schedule.Cluster{c}}})
			_, found, _ := strings.Cut(string(tree[patch]), standby)
			found, _, _ = strings.Cut(found, "\n")
			assert.Equal(t, row.want, found, row.what)
		}
	}
}
