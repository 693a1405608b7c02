package tenancy

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/overlay"
)

// TestMaxPods: the bank may have ten pods. A row's clusters are NAME=HAS>WANTS, or NAME=HAS of those that stay as they are.
func TestMaxPods(t *testing.T) {
	tenants := Of(siteOf(t, strings.Replace(bank, "maxClusters: 2", "maxPods: 10", 1)), nil)
	for _, row := range []struct{ why, uses, want string }{
		{"as many as it may", "a=0>4 b=0>6", ""},
		{"one more", "a=0>4 b=0>7", "bank/b: spec.services: the services ask for 7 pods and have 0; those of all the tenant's clusters, including those served before this one, already have 4, and tenant bank (the Site's spec.tenants[].maxPods) may have at most 10"},
		{"in one cluster", "a=0>11", "bank/a"},
		{"the newcomer, though its name comes first", "a=0>4 b=7>7", "bank/a"},
		{"the newcomer, though its priority is higher", "b=7>7 urgent=0>4", "bank/urgent"},
		{"the newcomer, where a cluster that has services wants more, too", "a=0>3 b=6>9", "bank/a"},
		{"of newcomers, the one with less priority", "a=0>4 urgent=0>7", "bank/a"},
		{"of newcomers, the last that does not fit, and those behind it that do", "a=0>6 b=0>5 c=0>4", "bank/b"},
		{"what it has stays", "a=8>8 b=7>7", ""},
		{"what it has stays, and less", "a=8>8 b=7>6", ""},
		{"more than it may, and one more", "a=8>8 b=7>8", "bank/b"},
		{"who gives back makes room at once", "a=8>3 b=0>7", ""},
		{"one that stays as it is", "a=8 b=0>3", "bank/b"},
		{"one that has nothing and stays so", "a=0 b=0>10", ""},
	} {
		var uses []PodUse
		for text := range strings.FieldsSeq(row.uses) {
			name, numbers, _ := strings.Cut(text, "=")
			has, wants, grows := strings.Cut(numbers, ">")
			c := wanting(name, 0, 0, 0)
			if name == "urgent" {
				c.Spec.Priority = 5
			}
			uses = append(uses, PodUse{Cluster: &c, Has: func() int { return number(t, has) }, Stays: !grows})
			if grows {
				uses[len(uses)-1].Wants = number(t, wants)
			}
		}
		found := tenants.MaxPods(uses)
		want(t, row.why, said(found), row.want)
		if row.want != "" && len(found) != 1 {
			t.Errorf("%s: %d complaints, want one", row.why, len(found))
		}
	}
	use := func(namespace string, wants int) PodUse {
		c := wanting("a", 0, 0, 0)
		c.Namespace = namespace
		return PodUse{Cluster: &c, Wants: wants, Has: func() int { return 0 }}
	}
	want(t, "in its other namespace", said(tenants.MaxPods([]PodUse{use("bank", 6), use("bank-test", 6)})), "bank/a")
	want(t, "another tenant's", said(tenants.MaxPods([]PodUse{use("bank", 6), use("edge", 6)})), "")
	want(t, "nobody's", said(tenants.MaxPods([]PodUse{use("kube-system", 5000)})), "")
	plain := Of(siteOf(t, ""), nil)
	want(t, "by default", said(plain.MaxPods([]PodUse{use("any", 1000), use("other", 1001)})), "other/a: spec.services: the services ask for 1001 pods and have 0; those of all the tenant's clusters, including those served before this one, already have 0, and each namespace (the Site's spec.maxPodsPerTenant) may have at most 1000")
	asked := false
	fits := use("bank", 10)
	fits.Has = func() int { asked = true; return 0 }
	if found := tenants.MaxPods([]PodUse{fits}); len(found) > 0 || asked {
		t.Errorf("found %v, asked: %v; nobody needs to know what the tree has where everything fits", found, asked)
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n := 0
	for _, digit := range text {
		n = 10*n + int(digit-'0')
	}
	return n
}

// TestPodsAreCounted: by the spec as by what is rendered for it, whatever the services are.
func TestPodsAreCounted(t *testing.T) {
	c := clusterOf(t, "bank/bank", "{services: {loadBalancerControlPlane: [{nodeInterfaceId: oam}, {nodeInterfaceId: oam, replicas: 3}], "+
		"loadBalancerWorker: [{nodeInterfaceId: oam, nodePortRange: {start: 30011, end: 30019}}], jumpHost: [{nodeInterfaceId: oam}, {nodeInterfaceId: oam, replicas: 0}]}}")
	if got := Pods(&c); got != 2+3+2+1+1 {
		t.Errorf("found %d pods", got)
	}
	files := map[string][]byte{}
	for name, text := range treeOf(t, "../../golden/full-service") {
		if inside, is := strings.CutPrefix(name, "clusters/bank/bank/infra/"); is {
			files[inside] = text
		}
	}
	folder, err := overlay.Parse(files)
	if err != nil {
		t.Fatal(err)
	}
	built, err := folder.Built()
	if err != nil {
		t.Fatal(err)
	}
	specs, err := v1.Load([]string{"../../examples/full-service/cluster.yaml"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if spec, objects, read := Pods(&specs[0]), PodsOf(built.Objects), PodsIn(files); spec < 5 || objects != spec || read != spec {
		t.Errorf("%d pods by the spec, %d as built, %d in the files", spec, objects, read)
	}
	none := []overlay.Object{{Kind: "Deployment", Fields: map[string]any{"spec": map[string]any{"replicas": 0}}}, {Kind: "Deployment"}, {Kind: "Deployment", Fields: map[string]any{"spec": 7}}, {Kind: "Service"}}
	if got := PodsOf(none); got != 3 {
		t.Errorf("found %d pods in three Deployments without any", got)
	}
}
