package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func slots(slots ...Slot) Plan {
	return Plan{Clusters: []ClusterResult{{Namespace: "t", Name: "a",
		Roles: []RoleResult{{Name: "Worker", Slots: slots}}}}}
}

// pending is a host whose release waits, by the decision of this run or of an earlier one.
func pending(host, use string, decided bool) Slot {
	return Slot{Host: host, Status: StatusPending, InUse: use, decided: decided}
}

// gone is a cluster that leaves.
func gone(slots ...Slot) ClusterResult {
	return ClusterResult{Gone: true, Roles: []RoleResult{{Name: "Worker", Slots: slots}}}
}

func planOf(c ClusterResult) Plan {
	c.Namespace, c.Name = "t", "a"
	return Plan{Clusters: []ClusterResult{c}}
}

// objects is a plan in which one object of a cluster's services changes.
func objects(o objdiff.Effect) Plan {
	return Plan{Services: []ServiceChanges{{Cluster: "t/a", Objects: []objdiff.Effect{o}}}}
}

func component(c ComponentChange) Plan {
	c.Cluster = "t/a"
	return Plan{Components: []ComponentChange{c}}
}

// relabeledPlan is a plan with a host in use of t/a, whose labels name another cluster.
func relabeledPlan(name string) Plan {
	keys := holdings.LabelKeys{ClusterNamespace: "sip/ns", ClusterName: "sip/name", NodeType: "sip/role",
		Standby: "sip/standby"}
	host := inventory.Host{Namespace: "metal", Name: "h", UID: "u",
		Labels: map[string]string{"sip/ns": "t", "sip/name": name, "sip/role": "Worker"}}
	host.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Namespace: "t", Name: "m1"}
	host.Managers = []inventory.Manager{{Name: "kustomize-controller", Labels: []string{"sip/ns"}},
		{Name: "kubectl-label", Labels: []string{"sip/name"}}}
	of, err := holdings.Of(holdings.Input{Hosts: []inventory.Host{host}, Keys: keys,
		Known: map[holdings.ClusterKey]bool{{Namespace: "t", Name: "blue"}: true},
		Tree: []holdings.Claim{{Host: holdings.HostKey{Namespace: "metal", Name: "h"}, UID: "u",
			Cluster: holdings.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker"}}})
	if err != nil {
		panic(err)
	}
	p := planOf(ClusterResult{})
	p.AddRelabeled(of, Relabeling{Keys: keys, Group: "ops", Engines: []string{"kustomize-controller"}})
	return p
}

// TestNotRelabeled: a manifest lacks the labels that the engine sets, and says nothing of the live ones; and those of a
// host that the run releases are to go.
func TestNotRelabeled(t *testing.T) {
	for _, row := range []struct {
		manifests bool
		status    Status
		want      int
	}{{true, StatusKept, 0}, {false, StatusKept, 1}, {false, StatusReleased, 0}, {false, StatusLeaving, 1}} {
		host := inventory.Host{Namespace: "metal", Name: "h", State: inventory.State{Image: true}}
		of, err := holdings.Of(holdings.Input{Hosts: []inventory.Host{host},
			Tree: []holdings.Claim{{Host: holdings.HostKey{Namespace: "metal", Name: "h"},
				Cluster: holdings.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker"}}})
		require.NoError(t, err)
		p := planOf(ClusterResult{Roles: []RoleResult{{Slots: []Slot{{Host: "metal/h", Status: row.status}}}}})
		p.AddRelabeled(of, Relabeling{Manifests: row.manifests})
		assert.Len(t, p.Relabeled(), row.want, row)
	}
}

// TestGuardOfJumpHosts: the guard of jump hosts is beside the site's definitions, and comes with the first jump host.
func TestGuardOfJumpHosts(t *testing.T) {
	for kind, want := range map[string][]string{"changed": {guardsChange}, "added": nil, "deleted": nil} {
		p := &Plan{HasTree: true, Files: []File{{Path: "site/jump-host-guard.yaml", Kind: kind}}}
		assert.Equal(t, want, Dangers(p), kind)
	}
}

// TestRules has for each rule what it finds, and what is next to it and no danger of that kind.
func TestRules(t *testing.T) {
	kept := Slot{Host: "m/k", Status: StatusKept}
	changed := func(path string) []File { return []File{{Path: path, Kind: "changed"}} }
	one, two := 1, 2
	rows := []struct {
		kind  string
		plan  Plan
		files []File
		want  string
		safe  Plan
		other []File
	}{
		{"emptied", Plan{Hosts: []HostResult{{Host: "m/h", Emptied: true}}}, nil,
			"the spec of m/h (no cluster's) is EMPTY",
			Plan{Hosts: []HostResult{{Host: "m/h"}}}, nil},
		{"forgotten", Plan{Hosts: []HostResult{{Host: "m/h", forgotten: true}, {Host: "m/i", forgotten: true}}}, nil,
			"2 hosts are in use and have no status: m/h, m/i: restore the status before metal3 starts. metal3 inspects these " +
				"servers again otherwise, and provisions them again if they have an image, which wipes them (docs/rebuild.md)",
			Plan{Hosts: []HostResult{{Host: "m/h"}}}, nil},
		{"running", slots(Slot{Host: "m/h", Status: StatusReleased, InUse: "it runs", Why: "w"}, kept), nil,
			"t/a Worker releases m/h: w; the host is IN USE: it runs",
			slots(Slot{Host: "m/h", Status: StatusReleased}, kept), nil},
		{"given up", slots(pending("m/h", "it runs", true), pending("m/i", "it runs", true)), nil,
			"t/a Worker gives up 2 hosts that are IN USE: m/h, m/i; they are released once nothing uses them",
			slots(pending("m/h", "it runs", false), pending("m/i", "", true)), nil},
		{"gone in use", planOf(gone(pending("m/h", "it runs", true), pending("m/i", "", true))), nil,
			"t/a is being decommissioned: 1 host IN USE, with release pending: m/h; 1 host with release pending: m/i",
			planOf(gone(pending("m/h", "it runs", false))), nil},
		{"maybe running", slots(Slot{Host: "m/h", Status: StatusReleased, unseen: true}), nil,
			"1 host without status is released, and may be in use: m/h",
			slots(Slot{Host: "m/h", Status: StatusReleased}, Slot{Host: "m/i", Status: StatusLeaving, unseen: true}),
			nil},
		{"disputed", relabeledPlan("blue"), nil,
			"metal/h, in use by Metal3Machine t/m1, is disputed: the tree has it for t/a Worker, and its labels name t/blue: sip/name is \"blue\", written by \"kubectl-label\". " +
				"Neither cluster gets or loses it until one of these is done. If the labels are wrong: kubectl label -n metal baremetalhosts.metal3.io/h --overwrite --field-manager=oncall --as=YOU --as-group=ops sip/name=a. " +
				"If the branch was rolled back, restore the tree: sipgen help runbook tree-lost. " +
				"If t/a gives the host to t/blue, approve it in its spec, in git: add metal/h to the list in the annotation sip.airshipit.org/approve-release (HOST,HOST)", relabeledPlan("a"), nil},
		{"relabeled", relabeledPlan("zz"), nil,
			"t/a Worker keeps metal/h, in use by Metal3Machine t/m1, whose labels were changed: sip/name is \"zz\", written by \"kubectl-label\"; put them back: kubectl label -n metal baremetalhosts.metal3.io/h --overwrite --field-manager=oncall --as=YOU --as-group=ops sip/name=a", relabeledPlan("a"), nil},
		{"virtual", Plan{Virtual: []string{"Vino v/v ends: 3 hosts"}}, nil, "Vino v/v ends: 3 hosts", Plan{}, nil},
		{"no tree", Plan{NoTree: "the tree is lost"}, nil, "the tree is lost", Plan{}, nil},
		{"source", Plan{Source: "the engine reads another one"}, nil, "the engine reads another one", Plan{}, nil},
		{"missing", planOf(ClusterResult{lost: []lostHost{{words: "t/a Worker loses m/h"}}}), nil,
			"t/a Worker loses m/h",
			planOf(ClusterResult{}), nil},
		{"moved", slots(Slot{Host: "m/h", Status: StatusKept, From: "t/b"}), nil,
			"t/a Worker takes over m/h, which t/b had", slots(kept), nil},
		{"adopted", func() Plan {
			p := slots(Slot{Host: "m/h", Status: StatusKept, adopted: true})
			p.HasTree = true
			return p
		}(), nil,
			"t/a Worker takes 1 host that only labels give to it, not the tree: m/h",
			slots(Slot{Host: "m/h", Status: StatusKept, adopted: true}), nil},
		{"machines without labels", planOf(ClusterResult{first: true,
			Roles: []RoleResult{{Name: "Worker", running: 3}}}), nil,
			"t/a Worker is new, and selects 3 hosts that run machines and have no labels of a cluster: if they run this cluster, label them before it gets others",
			planOf(ClusterResult{Roles: []RoleResult{{Name: "Worker", running: 3}}}), nil},
		{"not cleaned", planOf(ClusterResult{Roles: []RoleResult{{New: 1,
			Slots: []Slot{{Host: "m/h", Status: StatusNew, uncleaned: true}}}}}), nil,
			"1 host is handed out, and metal3 does not clean it", planOf(ClusterResult{Roles: []RoleResult{{New: 1}}}),
			nil},
		// Its spec may stay for long after its last host.
		{"gone", planOf(ClusterResult{Gone: true,
			Roles: []RoleResult{{Slots: []Slot{{Host: "m/h", Status: StatusReleased}}}}}),
			nil, "t/a is being decommissioned: 1 host released: m/h", planOf(ClusterResult{Gone: true}), nil},
		{"left", Plan{left: []string{"t/a"}}, nil, "t/a has no host and leaves the tree", Plan{}, nil},
		{"frozen", planOf(ClusterResult{Frozen: []string{"why"}}), nil,
			"t/a is frozen: it keeps what it has, as it is, and gets nothing new", planOf(ClusterResult{}), nil},
		{"patches", func() Plan {
			p := planOf(ClusterResult{AnyPatches: true})
			p.Tenants = map[string]string{"t": "red"}
			return p
		}(), nil, "t/a has patches (its tenant's grant is patches: any)", planOf(ClusterResult{}), nil},
		{"lines", planOf(ClusterResult{HAProxyLines: true}), nil, "t/a has lines of HAProxy's configuration",
			planOf(ClusterResult{}), nil},
		{"last host", slots(Slot{Host: "m/h", Status: StatusReleased}), nil, "t/a Worker loses its last host",
			slots(Slot{Host: "m/h", Status: StatusReleased}, kept), nil},
		{"foreign", Plan{}, []File{{Path: "README.md", Kind: "changed", Foreign: true}},
			"README.md: sipgen did not write the file there, and replaces it (--adopt)", Plan{}, changed("README.md")},
		{"policy", Plan{HasTree: true}, []File{{Path: "policy/a.yaml", Kind: "added"},
			{Path: "policy/b.yaml", Kind: "deleted"}}, "the policies that guard the hosts change", Plan{},
			[]File{{Path: "policy/a.yaml", Kind: "added"}}},
		{"claims", Plan{}, changed("claims/a.yaml"), "other namespaces may claim hosts", Plan{},
			changed("site/claims/a.yaml")},
		{"runner", Plan{HasTree: true}, changed("runner/a.yaml"), "the runner changes", Plan{},
			changed("site/runner.yaml")},
		{"site services", Plan{HasTree: true}, append(changed("site/ironic/n.ironic.yaml"),
			File{Path: "site/ironic/kustomization.yaml", Kind: "changed"}),
			"site/ironic/n.ironic.yaml changes: a service of the site", Plan{HasTree: true},
			append(changed("site/dex-crds.yaml"), File{Path: "site/networks/pool.n.lan.yaml", Kind: "added"})},
		{"services", objects(objdiff.Effect{Object: "Role r", Fields: []string{"rules"}}), nil,
			"t/a: Role r changes: rules", objects(objdiff.Effect{Object: "Role r", Added: true}), nil},
		{"rights", objects(objdiff.Effect{Object: "RoleBinding r", Added: true}), nil,
			"t/a: RoleBinding r is new: it gives rights to an account",
			objects(objdiff.Effect{Object: "Service r", Added: true}), nil},
		{"reached", objects(objdiff.Effect{Object: "Service s", Fields: []string{"spec"}, Reached: "port 2",
			WasReached: "port 1"}), nil, "t/a: Service s is reached at port 2; before, at port 1",
			objects(objdiff.Effect{Object: "Service s", Gone: true}), nil},
		{"logins", objects(objdiff.Effect{Object: "ConfigMap c",
			Logins: []string{"tokens of https://dex.example.org"}}), nil,
			"t/a: ConfigMap c: may now log in: tokens of https://dex.example.org",
			objects(objdiff.Effect{Object: "ConfigMap c"}), nil},
		{"component authentication", component(ComponentChange{What: ComponentAuthentication,
			Files: []string{"dex-a"}}), nil, "t/a: capi: the authentication changes (dex-a)", Plan{}, nil},
		{"component endpoint", component(ComponentChange{What: ComponentEndpoint, To: "192.0.2.1:6443"}), nil,
			"t/a: capi: controlPlaneEndpoint set to 192.0.2.1:6443", Plan{}, nil},
		{"component patches", component(ComponentChange{What: ComponentPatches, Files: []string{"a.yaml"}}), nil,
			"t/a: capi: a.yaml changes", Plan{}, nil},
		{"component deleted", component(ComponentChange{What: ComponentDeleted}), nil,
			"t/a: capi: the component is deleted", Plan{}, nil},
		{"fewer machines", Plan{Replicas: []ReplicaChange{{Cluster: "t/a", Role: "Worker", From: &two, To: &one}}}, nil,
			"t/a: capi: replicas of Worker 2 to 1: where the component is used, Cluster API deletes 1 machine",
			Plan{Replicas: []ReplicaChange{{Cluster: "t/a", Role: "Worker", From: &one, To: &two}}}, nil},
		{"handed out", planOf(ClusterResult{Roles: []RoleResult{{New: 1}}}), nil,
			"1 host is handed out: Cluster API may provision it, and that wipes its disks",
			planOf(ClusterResult{Roles: []RoleResult{{Held: 1}}}), nil},
		{"promoted", slots(Slot{Host: "m/h", Status: StatusKept, Changes: []string{promoted}},
			Slot{Host: "m/i", Status: StatusKept, Changes: []string{promoted}}), nil,
			"2 hosts are promoted from standby: m/h, m/i",
			slots(Slot{Host: "m/h", Status: StatusKept, Changes: []string{"x"}}), nil},
		{"released", slots(Slot{Host: "m/h", Status: StatusReleased, Why: "w"}, kept), nil,
			"1 host that nothing uses is released: m/h",
			slots(Slot{Host: "m/h", Status: StatusReleased, InUse: "it runs"}, kept,
				Slot{Host: "m/i", Status: StatusReleased, unseen: true}), nil},
		{"back", func() Plan {
			p := slots(Slot{Host: "m/h",
				Status: StatusLeaving})
			p.Clusters[0].back = true
			return p
		}(), nil,
			"t/a is back: 1 host that still has its labels leaves all the same: m/h",
			slots(Slot{Host: "m/h", Status: StatusLeaving}), nil},
		{"component domains", component(ComponentChange{What: ComponentDomains, To: "r1"}), nil,
			"t/a: capi: failureDomains set to r1", Plan{}, nil},
		{"more machines", Plan{Replicas: []ReplicaChange{{Cluster: "t/a", Role: "Worker", From: &one, To: &two}}}, nil,
			"t/a: capi: replicas of Worker 1 to 2",
			Plan{Replicas: []ReplicaChange{{Cluster: "t/a", Role: "Worker", From: &two, To: &one}}}, nil},
	}
	var kinds []string
	for _, row := range rows {
		kinds = append(kinds, row.kind)
		of := func(p *Plan, files []File) []danger {
			p.Files = files
			return slices.DeleteFunc(p.find(weak, strong, change), func(d danger) bool { return d.kind != row.kind })
		}
		found := of(&row.plan, row.files)
		if len(found) != 1 || !strings.HasPrefix(found[0].words, row.want) {
			t.Errorf("%s: found %q, want one danger that begins with %q", row.kind, sentences(found), row.want)
			continue
		}
		whose := ""
		switch {
		case row.kind == "patches":
			whose = "tenant red"
		case strings.HasPrefix(row.want, "t/a") || row.kind == "disputed":
			whose = "t"
		}
		assert.Equal(t, whose, found[0].tenant, row.kind+": its tenant")
		assert.Len(t, of(&row.safe, row.other), 0, row.kind)
		listedEverywhere(t, row.kind, &row.plan)
	}
	for i, r := range rules {
		require.Truef(t, kinds[min(i, len(kinds)-1)] == r.kind,
			"rule %q: want row %d for it, the rows are in the order of the rules", r.kind, i)
	}
}

// listedEverywhere wants the same dangers and changes, in the same order, in all that a reviewer may read.
func listedEverywhere(t *testing.T, why string, p *Plan) {
	t.Helper()
	var want []string
	for _, words := range Dangers(p) {
		want = append(want, "danger: "+words)
	}
	for _, words := range Changes(p) {
		want = append(want, "change: "+words)
	}
	assert.Truef(t, len(want) > 0, "%s: no danger, and no change", why)
	var table strings.Builder
	Table(&table, p, TableOptions{})
	first, more := FirstDangers(p, 50)
	assert.Empty(t, more, why+": left out on a terminal")
	var terminal strings.Builder
	for _, words := range first {
		terminal.WriteString("danger: " + words + "\n")
	}
	for _, words := range Changes(p) {
		terminal.WriteString("change: " + words + "\n")
	}
	for output, said := range map[string]string{
		"plan": table.String(), "publish, diff and render": terminal.String(), "commit": CommitMessage(p, ""),
		"plan -o markdown": listed(Markdown(p, false)), "pull request": listed(PullRequest(p, About{})),
	} {
		var found []string
		for line := range strings.Lines(said) {
			if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "danger: ") ||
				strings.HasPrefix(line, "change: ") {
				found = append(found, line)
			}
		}
		wanted := slices.Clone(want)
		if output != "plan" && output != "publish, diff and render" {
			for i := range wanted { // a commit and a page may hold no order, and no long line
				wanted[i] = strings.ReplaceAll(inert(bounded(wanted[i])), "`", "")
			}
		}
		assert.Equal(t, wanted, found, why+": "+output)
	}
}

// listed gives the lists of a page the words that a commit has before each line.
func listed(page string) string {
	var out strings.Builder
	before, items := "", 0
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(line, "**Dangers**"):
			before, items = "danger: ", 0
		case strings.HasPrefix(line, "**Changes**"):
			before, items = "change: ", 0
		case strings.HasPrefix(line, "- ") && before != "":
			items++
			out.WriteString(before + strings.NewReplacer("`", "", "\\", "", "&#42;",
				"*").Replace(strings.TrimPrefix(line, "- ")))
		case items > 0: // what comes behind the empty line is another list
			before = ""
		}
	}
	return out.String()
}

// TestSaidOnce: what is so of several clusters is one sentence, and what differs between them is not.
func TestSaidOnce(t *testing.T) {
	p := &Plan{Tenants: map[string]string{"t": "red"}}
	for i := range 111 {
		name := fmt.Sprintf("c%03d", i)
		fields := []string{"configuration haproxy.cfg"}
		if i == 7 {
			fields = []string{"spec.replicas 2 → 3"}
		}
		p.Services = append(p.Services, ServiceChanges{Cluster: "t/" + name, Objects: []objdiff.Effect{
			{Object: "Deployment loadbalancer-worker-" + name, Fields: fields, Rolls: true},
			{Object: "RoleBinding t." + name + ".infra", Added: true}}})
	}
	assert.Equal(t, []string{
		"t/c000, t/c001, t/c002 and 107 more: Deployment loadbalancer-worker-NAME changes: configuration haproxy.cfg, and its pods roll",
		"t/c007: Deployment loadbalancer-worker-c007 changes: spec.replicas 2 → 3, and its pods roll",
		"t/c000, t/c001, t/c002 and 108 more: RoleBinding NAMESPACE.NAME.infra is new: it gives rights to an account",
	}, Dangers(p))
	assert.Equal(t, "tenant red", p.dangers()[0].tenant, "whose")
	p.Services[3].Cluster = "u/c003"
	assert.Empty(t, p.dangers()[0].tenant, "whose")
	assert.Equal(t, []string{
		"t/c000: Deployment loadbalancer-worker-c000 changes: configuration haproxy.cfg, and its pods roll",
		"t/c000: RoleBinding t.c000.infra is new: it gives rights to an account"}, Dangers(p.Only("t/c000")),
		"one cluster")
}
