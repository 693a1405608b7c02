package render

import (
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/capi"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"
)

func testSite(change func(*v1alpha1.Site)) *v1alpha1.Site {
	site := &v1alpha1.Site{}
	site.Name = "dc1"
	site.Spec.Repository.URL = "https://git.example.org/fleet.git"
	site.Default()
	if change != nil {
		change(site)
	}
	return site
}

func testHost(name string) *inventory.Host {
	return &inventory.Host{Namespace: "metal3", Name: name, UID: "uid-of-" + name, Addresses: []inventory.Address{
		{Network: "oam", IP: netip.MustParseAddr("192.0.2.1"), Origin: inventory.FromNetworkData},
	}}
}

func testCluster(name string) v1.SIPCluster {
	c := v1.SIPCluster{}
	c.Namespace, c.Name = "lab", name
	c.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{{NodeInterface: "oam", NodePort: 30000}}
	return c
}

// placed is a cluster with one control-plane host held and one being released.
func placed(name string) schedule.Cluster {
	return schedule.Cluster{Key: schedule.ClusterKey{Namespace: "lab", Name: name}, Roles: []schedule.Role{{
		Name: v1.RoleControlPlane, Active: 1,
		Assigned:  []schedule.Assignment{{Host: testHost("kept"), Domain: "r1", Origin: schedule.FromLive}},
		Releasing: []schedule.Release{{Host: testHost("gone"), Since: schedule.New, Reason: schedule.Surplus{Want: 1}}},
	}}}
}

func render(t *testing.T, in Input) Tree {
	t.Helper()
	tree, _, err := Site(in)
	require.NoError(t, err)
	return tree
}

func want(t *testing.T, tree Tree, path string, texts ...string) {
	t.Helper()
	content, found := tree[path]
	require.Truef(t, found, "no %s in the tree", path)
	for _, word := range texts {
		assert.Contains(t, string(content), word, path)
	}
}

func wantNot(t *testing.T, tree Tree, path string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		assert.NotContains(t, string(tree[path]), text, path)
	}
}

// A cluster whose spec is gone keeps its services until its last host is given back, and then
// leaves nothing behind.
func TestGoneClusterKeepsItsServicesWhileItHasHosts(t *testing.T) {
	site := testSite(nil)
	before := render(t, Input{Site: site, Clusters: []v1.SIPCluster{testCluster("a")},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}})
	gone := placed("a")
	gone.Gone = true
	gone.Roles[0].Assigned[0].Pending = true
	tree := render(t, Input{Site: site, Placement: &schedule.Placement{Clusters: []schedule.Cluster{gone}},
		Previous: before})
	for path, content := range before {
		if strings.HasPrefix(path, "clusters/lab/a/infra/") && string(tree[path]) != string(content) {
			t.Errorf("%s changed", path)
		}
	}
	want(t, tree, "flux/lab.a.yaml", "name: lab.a.infra", "name: lab.a.hosts")
	wantNot(t, tree, "flux/lab.a.yaml", "- name: lab.a.infra")

	gone.Roles = nil
	left := func(before Tree) (Tree, []string) {
		tree := render(t, Input{Site: site, Placement: &schedule.Placement{Clusters: []schedule.Cluster{gone}},
			Previous: before})
		var paths []string
		for path := range tree {
			if strings.Contains(path, "lab/") || strings.Contains(path, "lab.") {
				paths = append(paths, path)
			}
		}
		slices.Sort(paths)
		return tree, paths
	}
	// The account that applied the services is there until they are deleted.
	tree, paths := left(before)
	assert.Equal(t, []string{"flux/lab.a.rights.yaml", "rights/lab/a/account.yaml", "rights/lab/a/kustomization.yaml"},
		paths, "left behind")
	assert.Equal(t, string(before["rights/lab/a/account.yaml"]), string(tree["rights/lab/a/account.yaml"]),
		"the account changed")
	want(t, tree, "flux/kustomization.yaml", "lab.a.rights.yaml")
	_, paths = left(tree)
	assert.Len(t, paths, 0, "left behind with the next commit")
}

// The platform's kustomization names a cluster's component until its machines are gone: it stays as it was as long as
// the services do.
func TestComponentStaysLikeTheServices(t *testing.T) {
	const component, replicas = "clusters/lab/a/capi/kustomization.yaml", "clusters/lab/a/capi/kubeadmcontrolplane.yaml"
	site := testSite(nil)
	site.Spec.ClusterAPI = &v1alpha1.ClusterAPI{}
	spec := testCluster("a")
	spec.Spec.Nodes = map[string]v1.NodeSet{v1.RoleControlPlane: {Count: &v1.NodeCount{Active: 1}}}
	before := render(t, Input{Site: site, Clusters: []v1.SIPCluster{spec},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}})
	want(t, before, component, "kind: Component")
	want(t, before, replicas, "replicas: 1")
	spec.Spec.Nodes[v1.RoleControlPlane] = v1.NodeSet{Count: &v1.NodeCount{Active: 3}}
	gone, refused, unschedulable := placed("a"), placed("a"), placed("a")
	gone.Gone = true
	refused.Unschedulable, refused.Refused = true, []schedule.Refusal{schedule.Contradiction{Problem: "so"}}
	unschedulable.Unschedulable = true
	for _, row := range []struct {
		why      string
		cluster  schedule.Cluster
		clusters []v1.SIPCluster
		replicas string
	}{
		{"its spec is gone", gone, nil, "replicas: 1"},
		{"it is refused", refused, []v1.SIPCluster{spec}, "replicas: 1"},
		{"it is unschedulable: machines wait for hosts, as the cluster does", unschedulable, []v1.SIPCluster{spec},
			"replicas: 3"},
	} {
		tree := render(t, Input{Site: site, Clusters: row.clusters,
			Placement: &schedule.Placement{Clusters: []schedule.Cluster{row.cluster}}, Previous: before})
		assert.Truef(t,
			strings.Contains(string(tree[replicas]), row.replicas) && strings.Contains(string(tree[component]),
				"kubeadmcontrolplane.yaml"),
			"%s: want %s:\n%s", row.why, row.replicas, tree[replicas])
	}
	gone.Roles = nil
	tree := render(t, Input{Site: site, Placement: &schedule.Placement{Clusters: []schedule.Cluster{gone}},
		Previous: before})
	site.Spec.ClusterAPI = nil
	unasked := render(t, Input{Site: site, Clusters: []v1.SIPCluster{spec},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}, Previous: before})
	for _, path := range slices.Concat(slices.Collect(maps.Keys(tree)), slices.Collect(maps.Keys(unasked))) {
		assert.NotContains(t, path, "/capi/")
	}
}

// Failure domains are those of the hosts that control plane machines may have: neither standby hosts nor those on their
// way out.
func TestComponentHasTheDomainsOfActiveHosts(t *testing.T) {
	spec := testCluster("a")
	spec.Spec.Nodes = map[string]v1.NodeSet{v1.RoleControlPlane: {TopologyKey: capi.FailureDomainLabel,
		Count: &v1.NodeCount{Active: 2}}}
	cluster := placed("a")
	cluster.Roles[0].Assigned = nil
	for _, name := range []string{"room-1", "room-2", "spare-room", "old-room"} {
		host := testHost("in-" + name)
		host.Labels = map[string]string{capi.FailureDomainLabel: name}
		host.Addresses[0].IP = netip.MustParseAddr("192.0.2." + strconv.Itoa(10+len(cluster.Roles[0].Assigned)))
		cluster.Roles[0].Assigned = append(cluster.Roles[0].Assigned, schedule.Assignment{
			Host: host, Domain: name, Standby: name == "spare-room", Pending: name == "old-room",
			Origin: schedule.FromLive})
	}
	cluster.Roles = append(cluster.Roles,
		schedule.Role{Name: "Worker", Assigned: []schedule.Assignment{{Host: testHost("w"),
			Origin: schedule.FromLive}}})
	cluster.Roles[1].Assigned[0].Host.Labels = map[string]string{capi.FailureDomainLabel: "workers-room"}
	site := testSite(nil)
	site.Spec.ClusterAPI = &v1alpha1.ClusterAPI{}
	tree := render(t, Input{Site: site, Clusters: []v1.SIPCluster{spec},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{cluster}}})
	want(t, tree, "clusters/lab/a/capi/metal3cluster-v1beta2.yaml", "name: room-1", "name: room-2")
	wantNot(t, tree, "clusters/lab/a/capi/metal3cluster-v1beta2.yaml", "spare-room", "old-room", "workers-room")
}

// What a site has once for the services of a cluster stays as long as those services do.
func TestGoneClusterKeepsWhatTheSiteHasForIt(t *testing.T) {
	site := testSite(nil)
	jump := testCluster("a")
	jump.Spec.Services.JumpHost = []v1.JumpHost{{NodeInterface: "oam", NodePort: 30022}}
	before := render(t, Input{Site: site, Clusters: []v1.SIPCluster{jump},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}})
	want(t, before, "site/kustomization.yaml", "jump-host-guard.yaml")
	gone := placed("a")
	gone.Gone = true
	tree := render(t, Input{Site: site, Placement: &schedule.Placement{Clusters: []schedule.Cluster{gone}},
		Previous: before})
	want(t, tree, "site/kustomization.yaml", "jump-host-guard.yaml")
	want(t, tree, "site/jump-host-guard.yaml", "ValidatingAdmissionPolicy")
	gone.Roles = nil
	tree = render(t, Input{Site: site, Placement: &schedule.Placement{Clusters: []schedule.Cluster{gone}},
		Previous: before})
	_, found := tree["site/jump-host-guard.yaml"]
	assert.Truef(t, !found, "the guard of jump hosts is left behind")
}

// With an overlay the base is the whole host: leaving the patch out drops the labels.
func TestOverlay(t *testing.T) {
	site := testSite(func(s *v1alpha1.Site) {
		s.Spec.Hosts.Apply, s.Spec.Hosts.Base, s.Spec.Repository.Path = v1alpha1.ApplyOverlay, "metal", "sites/dc1"
	})
	tree := render(t, Input{Site: site, Clusters: []v1.SIPCluster{testCluster("a")},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}})
	want(t, tree, "hosts/kustomization.yaml", "../../../metal", "../clusters/lab/a/hosts")
	want(t, tree, "clusters/lab/a/hosts/kustomization.yaml", "kind: Component", "path: metal3.kept.yaml")
	wantNot(t, tree, "clusters/lab/a/hosts/kustomization.yaml", "metal3.gone.yaml")
	wantNot(t, tree, "clusters/lab/a/hosts/metal3.kept.yaml", "uid", "annotations")

	// An approval takes a patch: the sync guard asks for it. It makes no host that is not there, as a uid would.
	approved := placed("a")
	release := &approved.Roles[0].Releasing[0]
	release.Reason, release.Host.State.Consumer = schedule.Approved{}, &inventory.Consumer{Kind: "Metal3Machine",
		Namespace: "t", Name: "m"}
	in := Input{Site: site, Clusters: []v1.SIPCluster{testCluster("a")},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{approved}}}
	tree = render(t, in)
	want(t, tree, "clusters/lab/a/hosts/kustomization.yaml", "path: metal3.gone.yaml")
	want(t, tree, "clusters/lab/a/hosts/metal3.gone.yaml",
		"sip.airshipit.org/release-of: uid-of-gone/Metal3Machine/t/m\n")
	wantNot(t, tree, "clusters/lab/a/hosts/metal3.gone.yaml", "labels", "  uid:")
	wantNot(t, tree, "clusters/lab/a/hosts/metal3.kept.yaml", "annotations")
	release.Host.UID = ""
	_, _, err := Site(in)
	assert.ErrorContains(t, err, "want one: the approval of a release names the host by it",
		"an approval of a host without a uid")
}

func TestSyncNames(t *testing.T) {
	s := &rendering{Input: Input{Site: &v1alpha1.Site{}}}
	long := strings.Repeat("x", 63)
	names := map[string]bool{}
	for _, key := range []schedule.ClusterKey{{Namespace: "a-b", Name: "c"}, {Namespace: "a", Name: "b-c"},
		{Namespace: long, Name: "a"}, {Namespace: long, Name: "b"}} {
		name := s.syncName(key, "hosts")
		assert.Truef(t, len(name) <= validation.LabelValueMaxLength, "%s has %d characters", name, len(name))
		assert.Truef(t, !names[name], "%s is the name of two clusters", name)
		names[name] = true
	}
}
