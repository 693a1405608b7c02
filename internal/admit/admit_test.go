package admit

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api"
	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/netplan"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
)

func key(cluster string) schedule.ClusterKey {
	namespace, name, _ := strings.Cut(cluster, "/")
	return schedule.ClusterKey{Namespace: namespace, Name: name}
}

// spec is a cluster, with annotations and a spec in flow YAML.
func spec(cluster, annotations, spec string) string {
	return fmt.Sprintf("apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: %s, name: %s, annotations: {%s}}\nspec: {%s}\n---\n",
		key(cluster).Namespace, key(cluster).Name, annotations, spec)
}

const (
	leaves = `sip.airshipit.org/decommission: %s`
	one    = "nodes: {Worker: {count: {active: 1}}}"
	port   = one + ", services: {loadBalancerWorker: [{nodeInterfaceId: oam, nodePortRange: {start: %d, end: %d}}]}"
)

// served are the files of a cluster with a load balancer at a node port.
func served(cluster string, port int) render.Tree {
	folder := render.Folder(key(cluster))
	return render.Tree{folder + "/infra/loadbalancer.yaml": []byte(fmt.Sprintf(
		"apiVersion: v1\nkind: Service\nmetadata: {namespace: %s, name: loadbalancer-worker-%s}\nspec: {type: NodePort, ports: [{port: 443, nodePort: %d}]}\n",
		key(cluster).Namespace, key(cluster).Name, port)),
		folder + "/infra/kustomization.yaml": []byte("resources: [loadbalancer.yaml]\n")}
}

func both(a, b render.Tree) render.Tree {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

func holds(cluster, host string) schedule.PreviousClaim {
	return schedule.PreviousClaim{Cluster: key(cluster), Role: "Worker",
		Host: schedule.HostKey{Namespace: "metal3", Name: host}}
}

// TestWhoIsFrozen is contract 18 and 21: what freezes a cluster, and what does not. Clusters a/a and b/b are those of
// two tenants.
func TestWhoIsFrozen(t *testing.T) {
	ports := func(n int) string { return fmt.Sprintf(port, n, n) }
	wrongA := fault("a/a", finding.Invalid, "", Freezes)
	for _, row := range []struct {
		why, specs   string
		problems     []Problem
		tree         render.Tree
		claims       []schedule.PreviousClaim
		left         []string // in an earlier run
		decommission []string
		tenants      []v1alpha1.Tenant
		unpatchable  string
		want         []string // "cluster code", by cluster
		leaving      []string
		lost, notes  int
	}{
		{why: "two that are well", specs: spec("a/a", "", ports(30001)) + spec("b/b", "", ports(30002))},
		{why: "a spec with a mistake freezes its cluster, and no other", specs: spec("b/b", "", one), problems: wrongA,
			want: []string{"a/a SIP043"}},
		{why: "a mistake in nobody's spec freezes nobody", specs: spec("b/b", "", one),
			problems: fault("", finding.Invalid, "", Freezes), lost: 1},
		{why: "another tenant writes the name of a cluster that has a spec", specs: spec("a/a", "", one),
			problems: fault("a/a", finding.Strange, "", Beside), lost: 1},
		{why: "in somebody else's folder it says nothing of a cluster without a spec",
			claims:   []schedule.PreviousClaim{holds("a/a", "n1")},
			problems: fault("a/a", finding.Strange, "", Strange), want: []string{"a/a SIP044"}, lost: 1},
		{why: "in nobody's folder it may have been the spec", claims: []schedule.PreviousClaim{holds("a/a", "n1")},
			problems: fault("a/a", finding.Strange, "", Beside), want: []string{"a/a SIP045"}},

		{why: "a cluster of the tree without a spec keeps what it has",
			claims: []schedule.PreviousClaim{holds("a/a", "n1")}, specs: spec("b/b", "", one),
			want: []string{"a/a SIP044"}},
		{why: "one with services and no host, too", tree: served("a/a", 30001), want: []string{"a/a SIP044"}},
		{why: "it leaves by its annotation", specs: spec("a/a", fmt.Sprintf(leaves, "a/a"), one),
			claims: []schedule.PreviousClaim{holds("a/a", "n1")}, leaving: []string{"a/a"}},
		{why: "it leaves by the Site's list, without a spec", claims: []schedule.PreviousClaim{holds("a/a", "n1")},
			decommission: []string{"a/a"}, leaving: []string{"a/a"}},
		{why: "and with one that is wrong", claims: []schedule.PreviousClaim{holds("a/a", "n1")},
			decommission: []string{"a/a"}, problems: wrongA, leaving: []string{"a/a"}, lost: 1},
		{why: "and by its annotation with a spec that is wrong", specs: spec("a/a", fmt.Sprintf(leaves, "a/a"), one),
			claims: []schedule.PreviousClaim{holds("a/a", "n1")}, problems: wrongA, leaving: []string{"a/a"}, lost: 1},
		{why: "with a port and a network of no use", specs: spec("a/a", fmt.Sprintf(leaves, "a/a"),
			strings.Replace(ports(29999), "oam", "oan", 1)), claims: []schedule.PreviousClaim{holds("a/a", "n1")},
			leaving: []string{"a/a"}},
		{why: "though it is one cluster too many", specs: spec("a/a", fmt.Sprintf(leaves, "a/a"), one),
			leaving: []string{"a/a"},
			tenants: []v1alpha1.Tenant{{Name: "a", Namespaces: []string{"a"}, MaxClusters: new(int)}}},
		{why: "not if another document of its name is there, and says nothing of it",
			specs:    spec("a/a", fmt.Sprintf(leaves, "a/a"), one),
			claims:   []schedule.PreviousClaim{holds("a/a", "n1")},
			problems: fault("a/a", finding.Invalid, "", Keeps), want: []string{"a/a SIP043"}},
		{why: "unless the Site's list has it", specs: spec("a/a", "", one),
			claims:       []schedule.PreviousClaim{holds("a/a", "n1")},
			decommission: []string{"a/a"}, problems: fault("a/a", finding.Invalid, "", Keeps),
			leaving: []string{"a/a"}, lost: 1},
		{why: "it goes on leaving when its spec is gone", claims: []schedule.PreviousClaim{holds("a/a", "n1")},
			left: []string{"a/a"}, leaving: []string{"a/a"}},
		{why: "it stays when its spec is back", specs: spec("a/a", "", one),
			claims: []schedule.PreviousClaim{holds("a/a", "n1")}, left: []string{"a/a"}},
		{why: "an entry that lets nothing leave is said", specs: spec("a/a", "", one), decommission: []string{"a/x"},
			leaving: []string{"a/x"}, notes: 1},
		{why: "one that gives up too much keeps its hosts, though it is to leave",
			specs: spec("a/a", fmt.Sprintf(leaves, "a/a"), one), claims: []schedule.PreviousClaim{holds("a/a", "n1")},
			problems: fault("a/a", finding.Loss, "", Keeps), want: []string{"a/a SIP046"}},
		{why: "but not one that was leaving before", specs: spec("a/a", fmt.Sprintf(leaves, "a/a"), one),
			claims: []schedule.PreviousClaim{holds("a/a", "n1")}, left: []string{"a/a"},
			problems: fault("a/a", finding.Loss, "", Keeps), want: []string{"a/a SIP046"}, leaving: []string{"a/a"}},

		{why: "of two new ones the first has the port",
			specs: spec("a/a", "", ports(30001)) + spec("b/b", "", ports(30001)), want: []string{"b/b SIP001"}},
		{why: "of two the one that has it in the tree",
			specs: spec("a/a", "", ports(30001)) + spec("b/b", "", ports(30001)), tree: served("b/b", 30001),
			want: []string{"a/a SIP001"}},
		{why: "a frozen one keeps its own", specs: spec("a/a", "", ports(30001)), tree: served("b/b", 30001),
			claims: []schedule.PreviousClaim{holds("b/b", "n1")},
			want:   []string{"a/a SIP001", "b/b SIP044"}},
		{why: "what is given up in this run is free from the next",
			specs: spec("a/a", "", ports(30001)) + spec("b/b", "", ports(30002)), tree: served("b/b", 30001),
			want: []string{"a/a SIP001"}},
		{why: "two that exchange their ports: neither gets the other's",
			specs: spec("a/a", "", ports(30001)) + spec("b/b", "", ports(30002)),
			tree:  both(served("a/a", 30002), served("b/b", 30001)), want: []string{"a/a SIP001", "b/b SIP001"}},
		{why: "a cluster that leaves has its port until its last host is gone", specs: spec("a/a", "", ports(30001)),
			tree:   served("b/b", 30001),
			claims: []schedule.PreviousClaim{holds("b/b", "n1")}, decommission: []string{"b/b"},
			want: []string{"a/a SIP001"}, leaving: []string{"b/b"}},
		{why: "a port outside the site's range", specs: spec("a/a", "", ports(29999)), want: []string{"a/a SIP002"}},

		{why: "a network that no host is on", specs: spec("a/a", "", strings.Replace(ports(30001), "oam", "oan", 1)),
			want: []string{"a/a SIP018"}},
		{why: "it takes nothing from another one then, and is told of both",
			specs: spec("a/a", "", strings.Replace(ports(30001), "oam", "oan", 1)) + spec("b/b", "", ports(30001)),
			want:  []string{"a/a SIP001", "a/a SIP018"}},
		{why: "a wrong spec, a port and a network are named at once",
			specs:    spec("a/a", "", strings.Replace(ports(29999), "oam", "oan", 1)),
			problems: wrongA, want: []string{"a/a SIP002", "a/a SIP018", "a/a SIP043"}},
		{why: "a role without hosts behind a load balancer that stays",
			specs:  spec("a/a", "", strings.Replace(ports(30001), "Worker:", "Wroker:", 1)),
			claims: []schedule.PreviousClaim{holds("a/a", "n1")},
			want:   []string{"a/a SIP033"}},
		{why: "a host of which no patch may be written freezes the cluster that has it",
			specs: spec("a/a", "", one) + spec("b/b", "", one), claims: []schedule.PreviousClaim{holds("a/a", "n1")},
			unpatchable: "metal3/n1", want: []string{"a/a SIP048"}},
		{why: "a free one freezes nobody", specs: spec("a/a", "", one), unpatchable: "metal3/n1"},
		{why: "where its cluster leaves, its release waits", specs: spec("a/a", fmt.Sprintf(leaves, "a/a"), one),
			claims:      []schedule.PreviousClaim{holds("a/a", "n1")},
			unpatchable: "metal3/n1", leaving: []string{"a/a"}, lost: 1},
	} {
		t.Run(row.why, func(t *testing.T) {
			documents := need.Value(manifest.Parse("specs.yaml", []byte(row.specs)))(t)
			specs := need.Value(api.ClustersFromDocuments(documents))(t)
			site := &v1alpha1.Site{}
			site.Name = "s"
			site.Spec.Decommission, site.Spec.Tenants = row.decommission, row.tenants
			site.Default()
			hosts := []inventory.Host{{Namespace: "metal3", Name: "n1", UID: "u1",
				Addresses: []inventory.Address{{Network: "oam"}}}, {Namespace: "metal3", Name: "n2", UID: "u2"}}
			in := Input{
				Site: site, Clusters: specs, Problems: row.problems, Hosts: hosts,
				Tenants: tenancy.Of(site, []string{"metal3"}), Network: netplan.Of(site, specs, hosts),
				Tree: row.tree, Claims: schedule.Previous{Claims: row.claims, Leaving: map[schedule.ClusterKey]bool{}},
				Options: schedule.Options{Keys: schedule.LabelKeys{
					ClusterNamespace: site.Spec.LabelKeys.ClusterNamespace,
					ClusterName:      site.Spec.LabelKeys.ClusterName,
					NodeType:         site.Spec.LabelKeys.NodeType, Standby: site.Spec.LabelKeys.Standby,
				}},
			}
			for _, cluster := range row.left {
				in.Claims.Leaving[key(cluster)] = true
			}
			if row.unpatchable != "" {
				host := finding.To(finding.KindHost, "metal3", strings.TrimPrefix(row.unpatchable, "metal3/"))
				in.Unpatchable = map[string][]finding.Finding{row.unpatchable: {{Object: host,
					Message: "another app's: it"}}}
			}
			got := Of(in)
			var frozen, leaving []string
			for i := range got.Findings {
				if name := got.Findings[i].Object.Key(); len(got.Frozen[key(name)]) > 0 && !slices.Contains(frozen,
					name+" "+got.Findings[i].Code) &&
					got.Findings[i].Code != finding.Strange ||
					got.Findings[i].Code == finding.Strange && row.lost == 0 {
					frozen = append(frozen, name+" "+got.Findings[i].Code)
				}
			}
			for cluster := range got.Leaving {
				leaving = append(leaving, cluster.String())
			}
			slices.Sort(frozen)
			slices.Sort(leaving)
			clusters := map[string]bool{}
			for _, word := range row.want {
				clusters[strings.Fields(word)[0]] = true
			}
			assert.Truef(t, slices.Equal(frozen, row.want) && len(got.Frozen) == len(clusters),
				"frozen: got %q, want %q: %v", frozen, row.want, got.Frozen)
			assert.Equal(t, row.leaving, leaving, "leaving: got")
			assert.Truef(t, len(got.Lost) == row.lost && len(got.Notes) == row.notes, "lost %v, notes %q", got.Lost,
				got.Notes)
			for cluster := range got.Frozen {
				if !slices.ContainsFunc(got.All, func(c v1.SIPCluster) bool {
					return schedule.KeyOf(&c) == cluster && !got.Options.Leaves(&c) || got.Leaving[cluster]
				}) {
					t.Errorf("%s is frozen, and among the clusters it is not, or leaves", cluster)
				}
			}
			for i := range specs {
				if is := got.Spec(schedule.KeyOf(&specs[i])); is != nil {
					assert.Equal(t, specs[i].Annotations, is.Annotations, "the annotations of a spec")
					assert.Truef(t, is.DeletionTimestamp.Equal(specs[i].DeletionTimestamp),
						"the spec is deleted at another time")
				}
			}
		})
	}
}

// TestHostsWithOneCause: many hosts with one cause are one reason of their cluster, whether it stays or leaves, with
// one command for all of them. Those of another cluster are another.
func TestHostsWithOneCause(t *testing.T) {
	for annotations, wantFrozen := range map[string]int{"": 1, fmt.Sprintf(leaves, "a/a"): 0} {
		specs := need.Value(api.ClustersFromDocuments(need.Value(manifest.Parse("specs.yaml",
			[]byte(spec("a/a", annotations, one)+spec("b/b", "", one))))(t)))(t)
		site := &v1alpha1.Site{}
		site.Default()
		in := Input{Site: site, Clusters: specs, Unpatchable: map[string][]finding.Finding{},
			Claims:  schedule.Previous{Leaving: map[schedule.ClusterKey]bool{}},
			Options: schedule.Options{Keys: schedule.LabelKeys(site.Spec.LabelKeys)}}
		names := "metal3 baremetalhosts.metal3.io"
		for i := range 500 {
			name := fmt.Sprintf("n%03d", i)
			names += " " + name
			cluster := "a/a"
			if i == 499 {
				cluster, names = "b/b", strings.TrimSuffix(names, " "+name)
			}
			in.Hosts = append(in.Hosts, inventory.Host{Namespace: "metal3", Name: name, UID: "u1"})
			in.Claims.Claims = append(in.Claims.Claims, holds(cluster, name))
			in.Unpatchable["metal3/"+name] = []finding.Finding{{Object: finding.To(finding.KindHost, "metal3", name),
				Message: "another app's: it",
				Fix:     "kubectl label -n metal3 baremetalhosts.metal3.io/" + name + " app-"}}
		}
		in.Tenants, in.Network = tenancy.Of(site, []string{"metal3"}), netplan.Of(site, specs, in.Hosts)
		got := Of(in)
		assert.Equal(t, wantFrozen, len(got.Frozen[key("a/a")]), "reasons of a/a")
		assert.Equal(t, 1, len(got.Frozen[key("b/b")]), "reasons of b/b")
		assert.Equal(t, 1-wantFrozen, len(got.Lost), "releases that wait")
		assert.Equal(t, 2, len(got.Findings), "findings")
		var words []string
		for i := range got.Findings {
			words = append(words, got.Findings[i].Message)
		}
		assert.Contains(t, strings.Join(words, "\n"),
			"host metal3/n000 and 498 other hosts: another app's: it; fix it with: kubectl label -n "+
				names+" app-", annotations)
		assert.Contains(t, strings.Join(words, "\n"), "host metal3/n499: another app's: it", annotations)
	}
}

// TestDecommissionOfASpecLeftOut: an entry of the Site's list whose spec is written, and cannot be read, is not one of
// a cluster that nobody has.
func TestDecommissionOfASpecLeftOut(t *testing.T) {
	site := &v1alpha1.Site{}
	site.Spec.Decommission = []string{"a/a"}
	site.Spec.Tenants = []v1alpha1.Tenant{{Name: "a", Namespaces: []string{"a"}, Specs: []string{"ta"}},
		{Name: "b", Namespaces: []string{"b"}, Specs: []string{"tb"}}}
	site.Default()
	const leftOut, perhaps = "the tree does not have this cluster, and its spec is left out",
		"the tree does not have this cluster, and its spec may be in a file that is left out"
	const nowhere = "neither the specs nor the tree have this cluster; remove the entry"
	for why, row := range map[string]struct {
		problem []Problem
		claims  []schedule.PreviousClaim
		want    string
	}{
		"its spec is wrong":                   {problem: fault("a/a", "", "", Freezes), want: leftOut},
		"its spec is in another's folder":     {problem: fault("a/a", "", "", Strange), want: leftOut},
		"a file of its tenant does not parse": {problem: fault("", "", "ta/x.yaml", Freezes), want: perhaps},
		"a file of no tenant does not parse":  {problem: fault("", "", "x.yaml", Freezes), want: perhaps},
		"and it is misspelled": {problem: fault("", "", "x.yaml", Freezes),
			claims: []schedule.PreviousClaim{holds("a/aa", "n1")}, want: perhaps + `; or did you mean "a/aa"?`},
		"it has left, and there are others": {problem: fault("b/c", "", "", Freezes),
			claims: []schedule.PreviousClaim{holds("a/b", "n1"), holds("b/b", "n2"), holds("ab/a1", "n3")},
			want:   nowhere},
		"the namespace is misspelled": {problem: fault("b/c", "", "", Freezes),
			claims: []schedule.PreviousClaim{holds("aa/a", "n1"), holds("ab/ab", "n2")},
			want:   nowhere + `; or did you mean "aa/a"?`},
		"a file of another does not parse":     {problem: fault("", "", "tb/x.yaml", Freezes), want: nowhere},
		"the spec of another cluster is wrong": {problem: fault("a/b", "", "", Freezes), want: nowhere},
	} {
		got := Of(Input{Site: site, Problems: row.problem, Tenants: tenancy.Of(site, nil),
			Network: netplan.Of(site, nil, nil),
			Claims:  schedule.Previous{Claims: row.claims}})
		if want := "spec.decommission: a/a: " + row.want; !slices.Equal(got.Notes, []string{want}) {
			t.Errorf("%s: got %q, want %q", why, got.Notes, want)
		}
	}
}

// fault returns a problem of a cluster, "" if it is unknown, in a file as package tenancy names files.
func fault(cluster, code, file string, effect Effect) []Problem {
	var of schedule.ClusterKey
	if cluster != "" {
		of = key(cluster)
	}
	problems := Problems(code, of, errors.New("wrong"))
	problems[0].Place.Written, problems[0].Effect = file, effect
	return problems
}
