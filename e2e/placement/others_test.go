package placement

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/airshipit/sipgen/render/site/ledger"
)

// A host that somebody else claims in Placement: the cluster that wants it keeps what it has and gets nothing new, and gives up what it does
// not want any more; the other cluster's changes go on. When the host is let go, the next run claims it.
func TestClaimsOfOthers(t *testing.T) {
	p, f := shared(t), twoTenants(t, "claims-of-others")
	f.render(t)
	f.load(t, p.URL, 0)
	f.sync(t)
	before := f.planned(t)
	free := f.candidates(t, p)
	p.Must(t, "PUT", "/allocations/"+stranger, claimBody("nova", nil, free...))

	worker := f.cluster(t, "edge-a").Spec.Nodes["Worker"]
	worker.Count.Active++
	f.cluster(t, "edge-a").Spec.Nodes["Worker"] = worker
	worker = f.cluster(t, "edge-b").Spec.Nodes["Worker"]
	worker.Count.Standby = 0
	f.cluster(t, "edge-b").Spec.Nodes["Worker"] = worker
	for range 2 { // released, and then seen clean
		f.sync(t)
		f.render(t)
	}
	after := f.planned(t)
	if len(after["tenant-a/edge-a"]) != 10 || len(after["tenant-b/edge-b"]) != 8 {
		t.Fatalf("found %v", after)
	}
	out := f.load(t, p.URL, 1)
	if !strings.Contains(out.stderr, "tenant-a/edge-a: vino-system/") || !strings.Contains(out.stderr, "is claimed by consumer "+stranger+" of project \"p\", which is not sipgen's: the cluster gets nothing new") {
		t.Errorf("found %s", out.stderr)
	}
	if strings.Count(out.stdout, "free tenant-b/edge-b ") != 1 || strings.Contains(out.stdout, "claim") {
		t.Errorf("found %s", out.stdout)
	}
	a := object(p.Must(t, "GET", "/allocations/"+f.clusterID("tenant-a/edge-a"), nil), "allocations")
	if len(a) != len(before["tenant-a/edge-a"]) {
		t.Errorf("edge-a: found %v, want the %d hosts it had", a, len(before["tenant-a/edge-a"]))
	}
	strange := object(p.Must(t, "GET", "/allocations/"+stranger, nil), "allocations")
	if len(strange) != len(free) {
		t.Errorf("the other claims: found %d, want %d", len(strange), len(free))
	}
	p.Must(t, "DELETE", "/allocations/"+stranger, nil)
	f.load(t, p.URL, 0)
	f.check(t, p, after)
}

// What is not sipgen's stays as it is, on other resource providers and on sipgen's own.
func TestOthersAreLeftAlone(t *testing.T) {
	p, f := shared(t), twoTenants(t, "others-are-left-alone")
	f.render(t)
	f.load(t, p.URL, 0)
	plan := f.planned(t)
	taken, gone := f.hostID(plan["tenant-a/edge-a"][0]), f.hostID(plan["tenant-b/edge-b"][0])
	const node, instance = "22222222-2222-4222-8222-222222222222", "33333333-3333-4333-8333-333333333333"
	p.Must(t, "POST", "/resource_providers", map[string]any{"name": "compute-1", "uuid": node})
	vcpus := func(uuid string) map[string]any {
		return object(p.Must(t, "GET", "/resource_providers/"+uuid+"/inventories", nil), "inventories")
	}
	generation := func(uuid string) any {
		return object(p.Must(t, "GET", "/resource_providers/"+uuid, nil))["generation"]
	}
	p.Must(t, "PUT", "/traits/CUSTOM_NOVA", nil)
	for _, uuid := range []string{node, taken, gone} {
		inventories := vcpus(uuid)
		if inventories == nil {
			inventories = map[string]any{}
		}
		inventories["VCPU"] = map[string]any{"total": 8}
		if uuid == gone { // sipgen's own inventory is mended beside theirs
			inventories[ledger.ResourceClass].(map[string]any)["total"] = 2
		}
		p.Must(t, "PUT", "/resource_providers/"+uuid+"/inventories", map[string]any{"resource_provider_generation": generation(uuid), "inventories": inventories})
		// On sipgen's own ones its traits are taken away, and given back.
		p.Must(t, "PUT", "/resource_providers/"+uuid+"/traits", map[string]any{"resource_provider_generation": generation(uuid), "traits": []string{"CUSTOM_NOVA"}})
	}
	p.Must(t, "PUT", "/allocations/"+instance, map[string]any{
		"allocations": map[string]any{node: map[string]any{"resources": map[string]int{"VCPU": 2}}, taken: map[string]any{"resources": map[string]int{"VCPU": 1}}},
		"project_id":  "p", "user_id": "nova", "consumer_type": "INSTANCE", "consumer_generation": nil,
	})
	// Somebody has a cluster's consumer use a processor of the other one.
	consumer := object(p.Must(t, "GET", "/allocations/"+f.clusterID("tenant-a/edge-a"), nil))
	consumer["allocations"].(map[string]any)[node] = map[string]any{"resources": map[string]int{"VCPU": 1}}
	p.Must(t, "PUT", "/allocations/"+f.clusterID("tenant-a/edge-a"), consumer)

	others := func() string {
		var all []any
		for _, path := range []string{
			"/resource_providers/" + node, "/resource_providers/" + node + "/inventories", "/resource_providers/" + node + "/traits",
			"/resource_providers/" + node + "/allocations", "/resource_providers/" + node + "/aggregates",
		} {
			answer := object(p.Must(t, "GET", path, nil))
			// It counts the claims of edge-a, which sipgen writes.
			for _, field := range []string{"generation", "resource_provider_generation"} {
				delete(answer, field)
			}
			for _, a := range object(answer, "allocations") {
				delete(a.(map[string]any), "consumer_generation")
			}
			all = append(all, answer)
		}
		instances := object(p.Must(t, "GET", "/allocations/"+instance, nil), "allocations")
		all = append(all, object(instances[node], "resources"), object(instances[taken], "resources"))
		return fmt.Sprint(all)
	}
	want := others()
	out := f.load(t, p.URL, 0)
	if strings.Count(out.stdout, "mend ") != 3 || strings.Count(out.stdout, ": inventory") != 1 {
		t.Errorf("found %s", out.stdout)
	}
	if total := vcpus(gone)[ledger.ResourceClass].(map[string]any)["total"]; fmt.Sprint(total) != "1" {
		t.Errorf("sipgen's inventory of %s: found %v, want 1", gone, total)
	}
	f.sync(t)
	worker := f.cluster(t, "edge-a").Spec.Nodes["Worker"]
	worker.Count.Active++
	f.cluster(t, "edge-a").Spec.Nodes["Worker"] = worker
	f.render(t)
	f.load(t, p.URL, 0)
	for _, uuid := range []string{taken, gone} {
		traits := fmt.Sprint(list(p.Must(t, "GET", "/resource_providers/"+uuid+"/traits", nil), "traits"))
		if !strings.Contains(traits, "CUSTOM_NOVA") || !strings.Contains(traits, f.trait()) || len(object(vcpus(uuid)["VCPU"])) == 0 {
			t.Errorf("%s: found %v, %v", uuid, traits, vcpus(uuid))
		}
	}
	if got := others(); got != want {
		t.Errorf("others': found\n%s\nwant\n%s", got, want)
	}
	if a := object(p.Must(t, "GET", "/allocations/"+f.clusterID("tenant-a/edge-a"), nil), "allocations"); len(a) != 11 {
		t.Errorf("edge-a: found %v, want 10 hosts and a processor", a)
	}

	// Hosts that leave the tree leave Placement, but for one with something of others' on it.
	f = twoTenants(t, "others-are-left-alone")
	f.clusters, f.hosts = nil, nil
	f.render(t)
	out = f.load(t, p.URL, 1, "--max-lost", "24")
	if left := f.providers(t, p); len(left) != 2 || strings.Count(out.stderr, "and it has inventories that are not sipgen's: it stays") != 2 {
		t.Errorf("found %v, %s", left, out.stderr)
	}
	if a := object(p.Must(t, "GET", "/allocations/"+f.clusterID("tenant-a/edge-a"), nil), "allocations"); len(a) != 1 || a[node] == nil {
		t.Errorf("edge-a: found %v, want its processor", a)
	}
}

// Names and ids that others have are theirs: the host has no row, its cluster gets nothing new, everything else goes on.
func TestNamesOfOthers(t *testing.T) {
	p, f := shared(t), twoTenants(t, "names-of-others")
	f.render(t)
	plan := f.planned(t)
	named, known := plan["tenant-a/edge-a"][0], plan["tenant-a/edge-a"][1]
	p.Must(t, "POST", "/resource_providers", map[string]any{"name": "sipgen/" + f.site.Name + "/" + named, "uuid": stranger})
	p.Must(t, "POST", "/resource_providers", map[string]any{"name": "compute-2", "uuid": f.hostID(known)})
	// sipgen would remove what is named like its own; see TestEveryClaimIsAnAllocation for what it takes to lose more than two.
	inventory := map[string]any{"resource_provider_generation": 0, "inventories": map[string]any{"VCPU": map[string]any{"total": 1}}}
	p.Must(t, "PUT", "/resource_providers/"+stranger+"/inventories", inventory)
	out := f.load(t, p.URL, 1)
	for _, want := range []string{
		named + ": its name sipgen/" + f.site.Name + "/" + named + " is in use by another resource provider: it is left alone",
		known + ": its UUID " + f.hostID(known) + " is in use by another resource provider: it is left alone",
		"tenant-a/edge-a: ",
	} {
		if !strings.Contains(out.stderr, want) {
			t.Errorf("no %q in\n%s", want, out.stderr)
		}
	}
	if b := object(p.Must(t, "GET", "/allocations/"+f.clusterID("tenant-b/edge-b"), nil), "allocations"); len(b) != 9 {
		t.Errorf("edge-b: found %v, want 9 hosts", b)
	}
	if a := object(p.Must(t, "GET", "/allocations/"+f.clusterID("tenant-a/edge-a"), nil), "allocations"); len(a) != 0 {
		t.Errorf("edge-a: found %v, want nothing", a)
	}
	if found := object(p.Must(t, "GET", "/resource_providers/"+f.hostID(known)+"/inventories", nil), "inventories"); len(found) != 0 {
		t.Errorf("compute-2: found %v", found)
	}
}

// A consumer that somebody took over is not sipgen's any more.
func TestConsumerOfOthers(t *testing.T) {
	p, f := shared(t), twoTenants(t, "consumer-of-others")
	f.render(t)
	f.load(t, p.URL, 0)
	consumer := object(p.Must(t, "GET", "/allocations/"+f.clusterID("tenant-a/edge-a"), nil))
	consumer["user_id"] = "somebody"
	p.Must(t, "PUT", "/allocations/"+f.clusterID("tenant-a/edge-a"), consumer)
	out := f.load(t, p.URL, 1)
	if want := "its consumer " + f.clusterID("tenant-a/edge-a") + " has been made that of user \"somebody\""; out.stdout != "" || !strings.Contains(out.stderr, want) {
		t.Errorf("found %s%s, want %q", out.stdout, out.stderr, want)
	}
}

// Between reading and writing somebody else writes: Placement refuses by the generation, and the script reads again.
func TestConflictsAreReadAgain(t *testing.T) {
	p, f := shared(t), twoTenants(t, "conflicts-are-read-again")
	f.render(t)
	plan := f.planned(t)
	bumped := map[string]int{}
	b := watch(t, p, func(_ int, r *http.Request) {
		parts := strings.Split(r.URL.Path, "/")
		switch {
		case r.Method != "PUT" || len(bumped) > 40:
		case len(parts) == 4 && parts[3] == "inventories" && bumped[r.URL.Path] < 2:
			// Somebody puts the host into an aggregate.
			bumped[r.URL.Path]++
			generation := object(p.Must(t, "GET", "/resource_providers/"+parts[2], nil))["generation"]
			p.Must(t, "PUT", "/resource_providers/"+parts[2]+"/aggregates", map[string]any{"resource_provider_generation": generation, "aggregates": []string{stranger}})
		case len(parts) == 3 && parts[1] == "allocations" && bumped[r.URL.Path] < 1:
			// Another run of the script is as far as this one.
			bumped[r.URL.Path]++
			one := f.hostID(plan["tenant-a/edge-a"][0])
			if parts[2] == f.clusterID("tenant-b/edge-b") {
				one = f.hostID(plan["tenant-b/edge-b"][0])
			}
			body := claimBody("sipgen/"+f.site.Name, nil, one)
			body["consumer_type"], body["project_id"] = "SIPCLUSTER", f.site.Name+"/other"
			if status, _ := p.Do(t, "PUT", r.URL.Path, body); status != 204 {
				bumped[r.URL.Path]-- // the host has no inventory yet
			}
		}
	})
	f.load(t, b.URL, 0)
	if conflicts := b.seen(` 409$`); len(conflicts) < 26 {
		t.Errorf("found %d conflicts, want more: %v", len(conflicts), conflicts)
	}
	f.check(t, p, plan)
}

// Two runs at once do what one does.
func TestTwoRunsAtOnce(t *testing.T) {
	p, f := shared(t), twoTenants(t, "two-runs-at-once")
	f.render(t)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if out := f.run(t, p.URL, f.tree[ledger.Path]); out.code != 0 {
				t.Errorf("found %d, %s", out.code, out.stderr)
			}
		})
	}
	both.Wait()
	f.check(t, p, f.planned(t))
}

// A tree that is loaded after two others were rendered may hand hosts from one cluster to another: that is one transaction, in a circle too.
func TestHandOverIsOneTransaction(t *testing.T) {
	p, f := shared(t), twoTenants(t, "hand-over-is-one-transaction")
	f.render(t)
	f.load(t, p.URL, 0)
	plan := f.planned(t)
	a, b := plan["tenant-a/edge-a"], plan["tenant-b/edge-b"]
	var file map[string]any
	if err := json.Unmarshal(f.tree[ledger.Path], &file); err != nil {
		t.Fatal(err)
	}
	for i, hosts := range [][]string{{b[0], b[1]}, {a[0]}} {
		allocations := object(list(file, "consumers")[i], "body", "allocations")
		mine := a
		if i == 1 {
			mine = b
		}
		for _, host := range []string{mine[0], mine[1]}[:3-len(hosts)] {
			delete(allocations, f.hostID(host))
		}
		for _, host := range hosts {
			allocations[f.hostID(host)] = map[string]any{"resources": map[string]any{ledger.ResourceClass: 1}}
		}
	}
	// a gives one host for two of b.
	delete(object(list(file, "consumers")[1], "body", "allocations"), f.hostID(b[1]))
	text, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	between := watch(t, p, nil)
	if out := f.run(t, between.URL, text); out.code != 0 {
		t.Fatalf("found %d, %s%s", out.code, out.stdout, out.stderr)
	}
	if found := between.seen(writes); len(found) != 1 || found[0] != "POST /allocations 204" {
		t.Errorf("found %v, want one transaction", found)
	}
	for _, host := range []string{b[0], b[1]} {
		if x := object(p.Must(t, "GET", "/allocations/"+f.clusterID("tenant-a/edge-a"), nil), "allocations"); x[f.hostID(host)] == nil {
			t.Errorf("edge-a has no %s: %v", host, x)
		}
	}
}
