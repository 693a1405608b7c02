package schedule

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/labels"
)

// TestReserved is contract 16. Clusters are a of tenant ml, and b of tenant bank; x1 to x3 are free, and g1 and g2 have
// a GPU.
func TestReserved(t *testing.T) {
	worker := v1.RoleWorker
	number := func(n int) *int { return &n }
	gpu := func(name string) inventory.Host { return newHost(name, "kind=w gpu=yes rack=r"+name) }
	plain := func(name string) inventory.Host { return host1(name, "w", "r"+name) }
	free := []inventory.Host{gpu("g1"), gpu("g2"), plain("x1"), plain("x2"), plain("x3")}
	of := func(tenant, name, selector string, active, standby int) v1.SIPCluster {
		c := newCluster(name, map[string]v1.NodeSet{worker: nodes(selector, active, standby)})
		c.Namespace = tenant
		return c
	}
	reserve := func(name, selector string, count *int, tenants ...string) Reservation {
		out := Reservation{Name: name, Tenants: tenants, Count: count, Namespaces: map[string]bool{}}
		for _, tenant := range tenants {
			out.Namespaces[tenant] = true
		}
		out.Selector, _ = labels.Parse(selector)
		return out
	}
	gpus := func(count *int) Reservation { return reserve("gpus", "gpu=yes", count, "ml") }
	spares := func(n int) Reservation { return reserve("spares", "kind=w", number(n)) }
	fails := func(h inventory.Host) inventory.Host { h.State.Unhealthy = true; return h }
	heldBy := func(h inventory.Host, tenant, cluster string) (inventory.Host, PreviousClaim) {
		h = claimed(h, cluster, worker)
		h.Labels[testOptions.Keys.ClusterNamespace] = tenant
		claim := inTree(h.Name, cluster, worker)
		claim.Cluster.Namespace = tenant
		return h, claim
	}
	brokenOfB, claimOfB := heldBy(fails(plain("h1")), "bank", "b")
	gpuOfA, claimOfA := heldBy(gpu("g0"), "ml", "a")
	gpuOfB, claimOfGPU := heldBy(gpu("g0"), "bank", "b")
	for _, row := range []struct {
		why      string
		reserved []Reservation
		clusters []v1.SIPCluster
		hosts    []inventory.Host
		tree     []PreviousClaim
		want     string
		kept     []Reserve // without names
		short    string
	}{
		{why: "nothing is reserved: the first by name", clusters: []v1.SIPCluster{of("bank", "b", "kind=w", 2, 0)},
			hosts: free, want: "b Worker: +g1 +g2\n"},
		{why: "hosts of a tenant alone", reserved: []Reservation{gpus(nil)},
			clusters: []v1.SIPCluster{of("bank", "b", "kind=w", 2, 0), of("ml", "a", "gpu=yes", 1, 0)}, hosts: free,
			want: "b Worker: +x1 +x2\na Worker: +g1\n"},
		{why: "and not enough of the others", reserved: []Reservation{gpus(nil)},
			clusters: []v1.SIPCluster{of("bank", "b", "kind=w", 4, 0)}, hosts: free,
			want:  "b Worker: short 4/0 unschedulable\n",
			short: "2 more hosts match but: 2 reserved for tenant ml (gpus)"},
		{why: "what is held stays", reserved: []Reservation{gpus(nil)},
			clusters: []v1.SIPCluster{of("bank", "b", "kind=w", 1, 0)}, hosts: []inventory.Host{gpuOfB},
			tree: []PreviousClaim{claimOfGPU},
			want: "b Worker: g0\n"},
		{why: "a minimum is kept", reserved: []Reservation{gpus(number(1))},
			clusters: []v1.SIPCluster{of("bank", "b", "kind=w", 2, 0)}, hosts: free,
			want: "b Worker: +g1 +x1\n", kept: []Reserve{{Lack: 1, Could: 1, Left: 1}}},
		{why: "its tenant has it already", reserved: []Reservation{gpus(number(1))},
			clusters: []v1.SIPCluster{of("ml", "a", "gpu=yes", 1, 0), of("bank", "b", "kind=w", 2, 0)},
			hosts:    append([]inventory.Host{gpuOfA}, free...), tree: []PreviousClaim{claimOfA},
			want: "b Worker: +g1 +g2\na Worker: g0\n", kept: []Reserve{{}}},
		{why: "its tenant gets it", reserved: []Reservation{gpus(number(2))},
			clusters: []v1.SIPCluster{of("bank", "b", "kind=w", 3, 0), of("ml", "a", "gpu=yes", 1, 0)}, hosts: free,
			want: "b Worker: +x1 +x2 +x3\na Worker: +g1\n", kept: []Reserve{{Lack: 2, Could: 2, Left: 1}}},
		{why: "a role of the tenant that selects others, too, takes them first in its second try",
			reserved: []Reservation{gpus(number(2))}, clusters: []v1.SIPCluster{of("ml", "a", "kind=w", 4, 0)},
			hosts: free,
			want:  "a Worker: +g1 +g2 +x1 +x2\n", kept: []Reserve{{Lack: 2, Could: 2}}},
		{why: "and in its first try any but what is kept", reserved: []Reservation{gpus(number(1))},
			clusters: []v1.SIPCluster{of("ml", "a", "kind=w", 2, 0)}, hosts: free,
			want: "a Worker: +g1 +x1\n", kept: []Reserve{{Lack: 1, Could: 1}}},
		{why: "more than there is", reserved: []Reservation{gpus(number(4))},
			clusters: []v1.SIPCluster{of("bank", "b", "kind=w", 4, 0)}, hosts: free,
			want: "b Worker: short 4/0 unschedulable\n", kept: []Reserve{{Lack: 4, Could: 2, Left: 2}},
			short: "tenants"},
		{why: "spares", reserved: []Reservation{spares(3)}, clusters: []v1.SIPCluster{of("bank", "b", "kind=w", 2, 1)},
			hosts: free,
			want:  "b Worker: +g1 +g2 short 0/1\n", kept: []Reserve{{Lack: 3, Could: 3, Left: 3}},
			short: "there are 5 free hosts it can use; spec.hosts.reserved keeps 3 for spares"},
		{why: "a replacement gets a spare", reserved: []Reservation{spares(5)},
			clusters: []v1.SIPCluster{of("bank", "b", "kind=w", 1, 0)},
			hosts:    append([]inventory.Host{brokenOfB}, free...), tree: []PreviousClaim{claimOfB},
			want: "b Worker: +g1 -h1\n", kept: []Reserve{{Lack: 5, Could: 5, Left: 4}}},
		{why: "the slot of one that is gone, too", reserved: []Reservation{spares(5)},
			clusters: []v1.SIPCluster{of("bank", "b", "kind=w", 1, 0)}, hosts: free, tree: []PreviousClaim{claimOfB},
			want: "b Worker: +g1\n", kept: []Reserve{{Lack: 5, Could: 5, Left: 4}}},
		{why: "a replacement takes others first", reserved: []Reservation{spares(2)},
			clusters: []v1.SIPCluster{of("bank", "b", "kind=w", 1, 0)},
			hosts:    append([]inventory.Host{brokenOfB}, free...), tree: []PreviousClaim{claimOfB},
			want: "b Worker: +g1 -h1\n", kept: []Reserve{{Lack: 2, Could: 2, Left: 2}}},
		{why: "a minimum comes before another's replacement",
			reserved: []Reservation{reserve("all", "kind=w", number(5), "ml")},
			clusters: []v1.SIPCluster{of("bank", "b", "kind=w", 1, 0)},
			hosts:    append([]inventory.Host{brokenOfB}, free...), tree: []PreviousClaim{claimOfB},
			want: "b Worker: h1\n", kept: []Reserve{{Lack: 5, Could: 5, Left: 5}}},
		{why: "in the order of the list", reserved: []Reservation{spares(4), reserve("two", "kind=w", number(2), "ml")},
			clusters: []v1.SIPCluster{of("bank", "b", "kind=w", 1, 0)}, hosts: free,
			want: "b Worker: short 1/0 unschedulable\n",
			kept: []Reserve{{Lack: 4, Could: 4, Left: 4}, {Lack: 2, Could: 1, Left: 1}}, short: "tenants"},
	} {
		options := testOptions
		options.Reserved = row.reserved
		p := plan(t, row.clusters, row.hosts, Previous{Claims: row.tree}, options)
		wantPlaced(t, row.why, p, row.want)
		p.Kept = slices.DeleteFunc(p.Kept, func(kept Reserve) bool { return kept.Alone })
		if len(p.Kept) != len(row.kept) {
			t.Errorf("%s: found %+v, want %+v", row.why, p.Kept, row.kept)
			continue
		}
		warned := 0
		for i, kept := range p.Kept {
			assert.Truef(t,
				kept.Lack == row.kept[i].Lack && kept.Could == row.kept[i].Could && kept.Left == row.kept[i].Left,
				"%s: found %+v, want %+v", row.why, kept, row.kept[i])
			if kept.Could < kept.Lack {
				warned++
			}
		}
		for _, w := range p.Warnings {
			if _, ok := w.(TooMuchReserved); ok {
				warned--
			}
		}
		assert.Truef(t, warned == 0, "%s: %d warnings are missing: %v", row.why, warned, p.Warnings)
		said := ""
		for i := range p.Shortages {
			said += Say.Shortage(&p.Shortages[i]) + "\n"
		}
		if row.short != "tenants" && (row.short == "" && said != "" || !strings.Contains(said, row.short)) {
			t.Errorf("%s: found shortages %q, want %q", row.why, said, row.short)
		}
	}
}

// TestKeptFrom: which reservation keeps a free host from a role, and from the successor of a failed host. Reservations
// are of kind w, for tenant ml where the name is m, and for all clusters of the site where it is own.
func TestKeptFrom(t *testing.T) {
	for _, row := range []struct {
		why, clusters, hosts, reserved string // "m 9", or "m" without a count
		kind                           string // that is reserved; w by default
		named                          bool   // h, by the cluster's annotation
		from                           string // what keeps a successor from h
		free                           Reason // why the role does not have x
	}{
		{why: "in the failed one's rack, the first of all", clusters: "b:1", hosts: "h/r0&=b x/r0", reserved: "m 9",
			from: "m", free: KeptBack{"m"}},
		{why: "in the failed one's rack, not the first", clusters: "b:2", hosts: "a/r0=b h/r1&=b x/r1", reserved: "m 9",
			from: "m", free: KeptBack{"m"}},
		{why: "in a healthy one's rack, the first of all", clusters: "b:2", hosts: "a/r0=b h/r1&=b x/r0",
			reserved: "m 9",
			free:     DomainFull{"rack", "r0", []HostKey{{Namespace: "metal", Name: "a"}}}},
		{why: "in a healthy one's rack, not the first", clusters: "b:2", hosts: "a/r1=b f/r0&=b h/r0&=b x/r1",
			reserved: "m 9", free: DomainFull{"rack", "r1", []HostKey{{Namespace: "metal", Name: "a"}}}},
		{why: "a rack is full, for a role that lacks some", clusters: "b:2", hosts: "a/r0=b x/r0", reserved: "m 9",
			free: NothingNew{}},
		{why: "spares are not kept from successors", clusters: "b:2", hosts: "a/r0=b h/r1&=b x/r0", reserved: "s 9",
			free: DomainFull{"rack", "r0", []HostKey{{Namespace: "metal", Name: "a"}}}},
		{why: "but from those of hosts that are only named", clusters: "b:2", hosts: "a/r0=b h/r1=b x/r1", named: true,
			reserved: "s 9", from: "s", free: KeptBack{"s"}},
		{why: "a role that has all its hosts", clusters: "b:1", hosts: "a/r0=b x/r1", reserved: "m 9",
			free: Satisfied{1}},
		{why: "a role that lacks some", clusters: "b:2", hosts: "a/r0=b x/r1", reserved: "m 9", free: KeptBack{"m"}},
		{why: "nothing is kept", clusters: "b:3", hosts: "a/r0=b x/r1", reserved: "m 0", free: NothingNew{}},
		{why: "for tenants alone", clusters: "b:1", hosts: "h/r0&=b x/r0", reserved: "m", from: "m",
			free: ReservedFor{"m", "ml"}},
		{why: "for tenants alone, of another kind", clusters: "b:1", hosts: "h/r0&=b x/z/r0", reserved: "m", kind: "z"},
		{why: "for its own tenant, a standby slot of a role that selects others", clusters: "b:any1+1",
			hosts: "a/r0=b x/g/r1", reserved: "own 1", kind: "g", free: KeptBack{"own"}},
		{why: "and an active slot, which it may have", clusters: "b:any3", hosts: "a/r0=b x/g/r1", reserved: "own 1",
			kind: "g", free: NothingNew{}},
		{why: "for its own tenant, and it selects no others", clusters: "b:1+1", hosts: "a/r0=b x/r0",
			reserved: "own 1",
			free:     DomainFull{"rack", "r0", []HostKey{{Namespace: "metal", Name: "a"}}}},
	} {
		clusters, hosts, previous := sited(t, row.clusters, row.hosts, "")
		if row.named {
			clusters[0].Annotations = map[string]string{v1.RemoveAnnotation: "h"}
		}
		name, count, counted := strings.Cut(row.reserved, " ")
		one := Reservation{Name: name, Namespaces: map[string]bool{"tenants": name == "own"}}
		one.Selector, _ = labels.Parse("kind=" + cmp.Or(row.kind, "w"))
		if name != "s" {
			one.Tenants = []string{"ml"}
		}
		if counted {
			n := need.Value(strconv.Atoi(count))(t)
			one.Count = &n
		}
		options := testOptions
		options.Reserved = []Reservation{one}
		p := plan(t, clusters, hosts, previous, options)
		for i := range p.Hosts {
			if kept, _ := p.Hosts[i].Reason.(Kept); kept.StandIn {
				assert.Equal(t, row.from, kept.Reserved, row.why+": "+p.Hosts[i].Host.Name)
			}
		}
		found, _ := p.ExplainHost(HostKey{Namespace: "metal", Name: "x"})
		if row.free == nil {
			assert.Equal(t, 0, len(found.Roles), row.why)
			continue
		}
		role := RoleKey{Cluster: p.Clusters[0].Key, Role: v1.RoleWorker}
		assert.Equal(t, []RoleReason{{role, row.free}}, found.Roles, row.why)
	}
}

// TestReservedTwice: a host that is reserved for tenants alone, and kept, too, is counted once.
func TestReservedTwice(t *testing.T) {
	two := 2
	gpus := Reservation{Name: "alone", Tenants: []string{"ml"}, Namespaces: map[string]bool{"ml": true}}
	gpus.Selector, _ = labels.Parse("gpu=yes")
	both := gpus
	both.Name = "again"
	count := Reservation{Name: "two", Tenants: []string{"ml"}, Namespaces: map[string]bool{"ml": true}, Count: &two}
	count.Selector, _ = labels.Parse("kind=w")
	a := newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("gpu=yes", 1, 0)})
	a.Namespace = "ml"
	hosts := []inventory.Host{newHost("g1", "kind=w gpu=yes rack=r1"), newHost("g2", "kind=w gpu=yes rack=r2"),
		newHost("x1", "kind=w rack=r3")}
	options := testOptions
	options.Reserved = []Reservation{gpus, count, both}
	p := plan(t, []v1.SIPCluster{a}, hosts, Previous{}, options)
	for i, want := range []Reserve{
		{Name: "alone", Alone: true, Lack: 2, Could: 2, LackAfter: 1, Left: 1},
		{Name: "two", Lack: 2, Could: 2, LackAfter: 1, Left: 1, CouldTwice: 2, LeftTwice: 1},
		{Name: "again", Alone: true},
	} {
		want.Tenants = []string{"ml"}
		assert.Equal(t, want, p.Kept[i], want.Name)
	}
}

// TestReservedForOthers: a host that is reserved for tenants alone is theirs, and fills no reservation of other
// tenants.
// A reservation with a count keeps no host from a tenant by itself.
func TestReservedForOthers(t *testing.T) {
	count := 1
	own := Reservation{Name: "own", Tenants: []string{"blue"}, Namespaces: map[string]bool{"blue": true},
		Selector: labels.SelectorFromSet(labels.Set{"kind": "w"})}
	spares := Reservation{Name: "spares", Count: &count, Selector: labels.Everything()}
	few := Reservation{Name: "few", Tenants: []string{"blue"}, Namespaces: own.Namespaces, Count: &count,
		Selector: own.Selector}
	w, x := newHost("h1", "kind=w"), newHost("h2", "kind=x")
	for _, row := range []struct {
		why    string
		all    []Reservation
		tenant string
		host   *inventory.Host
		want   bool
	}{
		{"its tenant", []Reservation{own}, "blue", &w, false},
		{"another tenant", []Reservation{own}, "red", &w, true},
		{"another host", []Reservation{own}, "red", &x, false},
		{"counts only", []Reservation{spares, few}, "red", &w, false},
		{"one of several", []Reservation{spares, own}, "red", &w, true},
	} {
		assert.Equal(t, row.want, ReservedForOthers(row.all, row.tenant, row.host), row.why)
	}
	all := []Reservation{own, spares, few}
	other := few
	other.Tenants = []string{"red"}
	assert.False(t, other.Fills(&w, all), "another tenant's own")
	assert.True(t, other.Fills(&w, all[1:]), "no tenant's alone")
	assert.True(t, few.Fills(&w, all), "a tenant's own")
	assert.False(t, few.Fills(&x, all), "one that is not selected")
}
