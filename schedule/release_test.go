package schedule

import (
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReleaseIsOfOneCluster: a request releases the hosts that it names, as long as they carry the labels of the
// cluster that it names, and that cluster has no spec. All others stay as they are, and it is said why.
func TestReleaseIsOfOneCluster(t *testing.T) {
	host := HostKey{Namespace: "metal", Name: "h1"}
	asks := func(cluster string) map[HostKey]ClusterKey {
		return map[HostKey]ClusterKey{host: {Namespace: "tenants", Name: cluster}}
	}
	mine := []v1.SIPCluster{newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("", 1, 0)})}
	for _, row := range []struct {
		why      string
		clusters []v1.SIPCluster
		host     inventory.Host
		release  map[HostKey]ClusterKey
		want     string // the summary
		says     string // among the warnings
	}{
		{"not asked for", nil, claimed(newHost("h1", ""), "a", v1.RoleWorker), nil, "", "1 host left alone"},
		{"asked for", nil, claimed(newHost("h1", ""), "a", v1.RoleWorker), asks("a"), "a Worker: -h1", ""},
		{"asked for, and in use", nil, provisionedBy(claimed(newHost("h1", ""), "a", v1.RoleWorker), "m"), asks("a"),
			"a Worker: (h1)", "in use by Metal3Machine tenants/m: the request does not approve its release, which waits until it is free"},
		{"another cluster's by now", nil, claimed(newHost("h1", ""), "b", v1.RoleWorker), asks("a"), "",
			"its labels name tenants/b, so the host is not released"},
		{"the cluster has a spec again", mine, claimed(newHost("h1", "rack=r1"), "a", v1.RoleWorker), asks("a"),
			"a Worker: h1", "the cluster has a SIPCluster, which decides"},
		{"done", nil, newHost("h1", ""), asks("a"), "",
			"the host carries no cluster's labels: remove this entry from spec.hosts.release"},
		{"a host that is not there", nil, newHost("h2", ""), asks("a"), "", "the inventory has no such host"},
	} {
		options := testOptions
		options.Release = row.release
		p := plan(t, row.clusters, []inventory.Host{row.host}, Previous{}, options)
		wantPlaced(t, row.why, p, row.want)
		if said := strings.Join(Say.Warnings(p.Warnings), "\n"); !strings.Contains(said, row.says) ||
			row.says == "" && strings.Contains(said, "spec.hosts.release") {
			t.Errorf("%s: said %q, want %q", row.why, said, row.says)
		}
	}
}

// TestApprovedRelease: a host whose release was approved by its name, and that leaves already, is taken back by its
// role if that needs it. An approval is of one use: the next waits. An approval of a host without a uid is none.
func TestApprovedRelease(t *testing.T) {
	used := func(name string) inventory.Host {
		return provisionedBy(claimed(host1(name, "w", "r"+name), "a", v1.RoleWorker), name)
	}
	leavesUsed := func(by string) PreviousClaim {
		c := releasing(inTree("h2", "a", v1.RoleWorker))
		c.Use = "Metal3Machine/tenants/" + by
		c.Approval = c.UID + "/" + c.Use
		return c
	}
	nameless := used("h2")
	nameless.UID = ""
	for _, row := range []struct {
		why             string
		active, standby int
		hosts           []inventory.Host
		tree            []PreviousClaim
		want            string
	}{
		{"for a standby slot", 1, 1, []inventory.Host{used("h1"), used("h2"), host1("h3", "w", "r3")},
			[]PreviousClaim{inTree("h1", "a", v1.RoleWorker), releasing(inTree("h2", "a", v1.RoleWorker))},
			"a Worker: h1 ~h2\n"},
		{"for an active slot", 2, 0, []inventory.Host{used("h1"), used("h2"), host1("h3", "w", "r3")},
			[]PreviousClaim{inTree("h1", "a", v1.RoleWorker), releasing(inTree("h2", "a", v1.RoleWorker))},
			"a Worker: h1 h2\n"},
		{"it is approved for this use", 1, 0, []inventory.Host{used("h1"), used("h2")},
			[]PreviousClaim{inTree("h1", "a", v1.RoleWorker), leavesUsed("h2")}, "a Worker: h1 -h2\n"},
		{"it is approved for another use", 1, 0, []inventory.Host{used("h1"), used("h2")},
			[]PreviousClaim{inTree("h1", "a", v1.RoleWorker), leavesUsed("m0")}, "a Worker: h1 (h2)\n"},
		{"its labels are gone, and it is still in use", 1, 0,
			[]inventory.Host{used("h1"), provisionedBy(host1("h2", "w", "rh2"), "h2")},
			[]PreviousClaim{inTree("h1", "a", v1.RoleWorker), leavesUsed("h2")}, "a Worker: h1 -h2\n"},
		{"its uid is not known", 1, 0, []inventory.Host{used("h1"), nameless},
			[]PreviousClaim{inTree("h1", "a", v1.RoleWorker), inTree("h2", "a", v1.RoleWorker)}, "a Worker: h1 (h2)\n"},
	} {
		a := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", row.active, row.standby)})
		a.Annotations = map[string]string{v1.ApproveReleaseAnnotation: "h2"}
		p := plan(t, []v1.SIPCluster{a}, row.hosts, Previous{Claims: row.tree}, testOptions)
		wantPlaced(t, row.why, p, row.want)
	}
}

// TestGiven: an approval gives a disputed host to the cluster that its labels name. The host keeps the address that it
// was handed out with, and the run that gives it does not say that the approval names another's host; the next one
// does.
func TestGiven(t *testing.T) {
	used := provisionedBy(at(claimed(host1("h1", "w", "r1"), "b", v1.RoleWorker), inventory.FromNetworkData,
		"192.0.2.9"), "m1")
	a, b := annotated(onOAM("a", 0, 0), v1.ApproveReleaseAnnotation, "h1"), onOAM("b", 1, 0)
	b.Spec.Priority = 1 // it comes first
	before := knew(inTree("h1", "a", v1.RoleWorker), "192.0.2.1")
	before.Approval = "uid-h1/" + holdings.Use(&used)
	after := knew(inTree("h1", "b", v1.RoleWorker), "192.0.2.1")
	for _, row := range []struct {
		claim  PreviousClaim
		warned int
	}{{before, 0}, {after, 1}} {
		p := plan(t, []v1.SIPCluster{a, b}, []inventory.Host{used}, Previous{Claims: []PreviousClaim{row.claim}},
			newerLabels())
		wantPlaced(t, "", p, "b Worker: h1\na Worker:\n")
		assert.Equal(t, "192.0.2.1", addressesOf(p.Clusters[0].Roles[0].Assigned[0].Host.On("oam")), "at")
		assert.Truef(t, len(p.Clusters[1].Warnings) == row.warned, "a: %q, want %d warnings",
			Say.Warnings(p.Clusters[1].Warnings), row.warned)
	}
}

// TestSharedNameApprovesNothing: an approval by a name that two hosts of the cluster share gives neither away (contract
// 3). The other host may be in any namespace, and leaving hosts do not count.
func TestSharedNameApprovesNothing(t *testing.T) {
	disputed := provisionedBy(claimed(host1("h1", "w", "r1"), "b", v1.RoleWorker), "m1")
	namesake := provisionedBy(claimed(host1("h1", "w", "r2"), "a", v1.RoleWorker), "m2")
	namesake.Namespace, namesake.UID = "metal2", "uid-of-the-namesake"
	mine := inTree("h1", "a", v1.RoleWorker)
	other := mine
	other.Host.Namespace = "metal2"
	leaves := releasing(other)
	left := namesake
	left.Labels, left.State.Consumer = map[string]string{"kind": "w"}, nil
	for _, row := range []struct {
		why, approval string
		hosts         []inventory.Host
		tree          []PreviousClaim
		given         bool
	}{
		{"one host has the name", "h1", []inventory.Host{disputed}, []PreviousClaim{mine}, true},
		{"two hosts have it", "h1", []inventory.Host{disputed, namesake}, []PreviousClaim{mine, other}, false},
		{"two hosts have it, one by its labels", "h1", []inventory.Host{disputed, namesake}, []PreviousClaim{mine},
			false},
		{"the namespace tells them apart", "metal/h1", []inventory.Host{disputed, namesake},
			[]PreviousClaim{mine, other}, true},
		{"the other one is leaving", "h1", []inventory.Host{disputed, left}, []PreviousClaim{mine, leaves}, true},
	} {
		a := annotated(onOAM("a", 0, 0), v1.ApproveReleaseAnnotation, row.approval)
		clusters := []v1.SIPCluster{a, onOAM("b", 1, 0)}
		answer, err := Holdings(clusters, row.hosts, Previous{Claims: row.tree}, newerLabels())
		require.NoError(t, err, row.why)
		h := answer.Find(HostKey{Namespace: "metal", Name: "h1"})
		require.NotNil(t, h, row.why)
		want := "a"
		if row.given {
			want = "b"
		}
		assert.Equal(t, want, h.Cluster.Name, row.why)
	}
}

// TestRestored: a backup that is restored, and clusterctl move, give hosts other uids. One that carries the labels of
// the cluster that the tree has it for, or is in use under any of sipgen's labels, is the same machine: it stays where
// the tree has it, whatever its consumer has made of its network data, and nothing is lost. Any other is a new host,
// which leaves the cluster, or is taken back at the addresses of its own.
func TestRestored(t *testing.T) {
	worker := v1.RoleWorker
	was := knew(inTree("h1", "a", worker), "192.0.2.1")
	moved := func(h inventory.Host) inventory.Host {
		h = at(h, inventory.FromNetworkData, "192.0.2.9")
		h.UID = "after"
		return h
	}
	inUse := moved(provisionedBy(claimed(host1("h1", "w", "r1"), "a", worker), "m1"))
	for _, row := range []struct {
		why      string
		host     inventory.Host
		claim    PreviousClaim
		restored bool
		at       string
	}{
		{"it is in use under the tree's labels", inUse, was, true, "192.0.2.1"},
		{"nothing runs on it", moved(claimed(host1("h1", "w", "r1"), "a", worker)), was, true, "192.0.2.1"},
		{"it has no labels", moved(provisionedBy(host1("h1", "w", "r1"), "m1")), was, false, ""},
		{"its labels say another cluster: so does this one", moved(claimed(host1("h1", "w", "r1"), "b", worker)), was,
			false, "192.0.2.9"},
		{"the same, and it is in use", moved(provisionedBy(claimed(host1("h1", "w", "r1"), "b", worker), "m1")), was,
			true, "192.0.2.1"},
		{"it was on its way out", inUse, releasing(was), true, "192.0.2.1"},
		{"it has no labels, and nothing runs on it: its role takes it back, as a new host",
			moved(host1("h1", "w", "r1")), was, false, "192.0.2.9"},
	} {
		hosts, previous := []inventory.Host{row.host}, Previous{Claims: []PreviousClaim{row.claim}}
		p := plan(t, []v1.SIPCluster{onOAM("a", 1, 0)}, hosts, previous, testOptions)
		loss := Losses(p)
		if stays := row.at != ""; stays != (loss.Total() == 0) && !row.claim.Releasing {
			t.Errorf("%s: %+v is lost", row.why, loss)
		}
		said := slices.ContainsFunc(Say.Warnings(p.Clusters[0].Warnings),
			func(w string) bool { return strings.Contains(w, "restored or moved") })
		assert.Truef(t, said == row.restored, "%s: %q", row.why, Say.Warnings(p.Clusters[0].Warnings))
		got := ""
		if assigned := p.Clusters[0].Roles[0].Assigned; len(assigned) == 1 {
			got = addressesOf(assigned[0].Host.On("oam"))
			assert.Truef(t, assigned[0].Host.UID == "after" && !assigned[0].Adopted, "%s: uid %s, adopted %t", row.why,
				assigned[0].Host.UID, assigned[0].Adopted)
		}
		assert.Truef(t, got == row.at, "%s: at %q, want %q", row.why, got, row.at)
	}
}

// TestLabelsAlone: complete labels give a host that the tree does not have to a cluster of the specs, frozen or not.
func TestLabelsAlone(t *testing.T) {
	refused := map[ClusterKey][]string{{Namespace: "tenants", Name: "a"}: {"wrong"}}
	for _, row := range []struct {
		why, x1, tree string
		refused       map[ClusterKey][]string
		want          string
	}{
		{"not frozen", "x1/r2=a", "h1=a", nil, "a Worker: h1 x1"},
		{"frozen", "x1/r2=a", "h1=a", refused, "a Worker: h1 x1 unschedulable"},
		{"frozen, and in use", "x1/r2!=a", "h1=a", refused, "a Worker: h1 x1 unschedulable"},
		{"frozen, and nothing is in the tree", "x1/r2=a", "", refused, "a Worker: x1 short 1/0 unschedulable"},
		{"frozen, and the host was restored", "x1/r2^=a", "x1=a h1=a", refused, "a Worker: h1 x1 unschedulable"},
		{"frozen, and the host that leaves was restored", "x1/r2^=a", "-x1=a h1=a", refused,
			"a Worker: h1 -x1 short 1/0 unschedulable"},
	} {
		options := testOptions
		options.Refused = row.refused
		clusters, hosts, tree := sited(t, "a:2", "h1/r1 "+row.x1, row.tree)
		p := plan(t, clusters, hosts, tree, options)
		wantPlaced(t, row.why, p, row.want)
		if got := strings.Join(Say.Warnings(p.Warnings), "\n"); strings.Contains(got, "left alone") {
			t.Errorf("%s: warnings %q", row.why, got)
		}
		if loss := Losses(p); len(loss.Released)+len(loss.Missing) > 0 {
			t.Errorf("%s: lost %+v", row.why, loss)
		}
	}
}

// TestUsedWithoutSpec: a host in use belongs to the cluster that its labels name, also where the tree alone has that
// cluster, but for a host that the tree has for another.
func TestUsedWithoutSpec(t *testing.T) {
	for _, row := range []struct {
		why, host, tree string
		known           bool
		want            string
	}{
		{"in use, and the tree has the cluster", "h1/r1!=old", "", true,
			"a Worker: short 1/0 unschedulable\nold Worker: (h1)"},
		{"in use, and the tree has the cluster and the host for another", "h1/r1!=old", "h1=a", true, "a Worker: h1"},
		{"in use, and the tree does not have the cluster", "h1/r1!=old", "", false,
			"a Worker: short 1/0 unschedulable"},
		{"idle, and the tree has the cluster", "h1/r1=old", "", true, "a Worker: short 1/0 unschedulable"},
	} {
		options := testOptions
		options.LabelsNewer, options.Known = true, map[ClusterKey]bool{{Namespace: "tenants", Name: "old"}: row.known}
		clusters, hosts, tree := sited(t, "a:1", row.host, row.tree)
		p := plan(t, clusters, hosts, tree, options)
		wantPlaced(t, row.why, p, row.want)
	}
}
