package placement

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// python computes ids and traits without sipgen's code: RFC 4122's by the standard library, names of traits by OpenStack's os-traits.
const python = `
import json, sys, uuid, os_traits
asked = json.load(sys.stdin)
space = uuid.uuid5(uuid.NAMESPACE_DNS, "sipgen.airshipit.org")
json.dump({
    "ids": {name: str(uuid.uuid5(space, name)) for name in asked["ids"]},
    "traits": {value: os_traits.normalize_name("sipgen_rack_" + value) for value in asked["traits"]},
}, sys.stdout)
`

type answers struct{ IDs, Traits map[string]string }

func ask(t *testing.T, ids, traits []string) answers {
	t.Helper()
	interpreter, err := exec.LookPath("/usr/bin/python3")
	if err != nil {
		need.Missing(t, "no python3: apt install python3-placement")
	}
	asked, err := json.Marshal(map[string][]string{"ids": ids, "traits": traits})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(interpreter, "-c", python)
	cmd.Stdin = strings.NewReader(string(asked))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var a answers
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// check asks Placement who has what, and holds it against who has it by the plan: allocations by cluster, usages by tenant and by host,
// candidates for who has nothing, traits by rack.
func (f *fleet) check(t *testing.T, p *engine.Placement, plan map[string][]string) {
	t.Helper()
	var names, racks []string
	site := f.trait()
	rackOf, taken, tenants := map[string]string{}, map[string]bool{}, map[string]int{}
	for i := range f.hosts {
		names = append(names, f.site.Name+"/host/"+f.hosts[i].Key())
		rack := f.hosts[i].Labels["vino.airshipit.org/rack"]
		racks, rackOf[f.hosts[i].Key()] = append(racks, rack), rack
	}
	for cluster, hosts := range plan {
		names = append(names, f.site.Name+"/cluster/"+cluster)
		namespace, _, _ := strings.Cut(cluster, "/")
		tenants[namespace] += len(hosts)
		for _, host := range hosts {
			taken[host] = true
		}
	}
	oracle := ask(t, names, racks)
	idOf := func(kind, name string) string { return oracle.IDs[f.site.Name+"/"+kind+"/"+name] }

	for cluster, hosts := range plan {
		want := map[string]any{}
		for _, host := range hosts {
			want[idOf("host", host)] = map[string]any{"CUSTOM_SIPGEN_HOST": 1.0}
		}
		found := map[string]any{}
		for id, a := range object(p.Must(t, "GET", "/allocations/"+idOf("cluster", cluster), nil), "allocations") {
			found[id] = object(a, "resources")
		}
		equal(t, cluster, found, want)
	}
	for tenant, hosts := range tenants {
		usage := object(p.Must(t, "GET", "/usages?project_id="+f.site.Name+"/"+tenant, nil), "usages", "SIPCLUSTER")
		if usage["CUSTOM_SIPGEN_HOST"] != float64(hosts) {
			t.Errorf("%s uses %v, want %d hosts", tenant, usage, hosts)
		}
	}
	used := 0
	for host := range rackOf {
		want := 0
		if taken[host] {
			want, used = 1, used+1
		}
		usage := object(p.Must(t, "GET", "/resource_providers/"+idOf("host", host)+"/usages", nil), "usages")
		equal(t, host, usage, map[string]any{"CUSTOM_SIPGEN_HOST": float64(want)})
	}
	if used != len(taken) {
		t.Errorf("the plan has %d hosts, %d of them in the inventory", len(taken), used)
	}

	var free []string
	for host := range rackOf {
		if !taken[host] {
			free = append(free, idOf("host", host))
		}
	}
	slices.Sort(free)
	if found := f.candidates(t, p); !slices.Equal(found, free) {
		t.Errorf("candidates: found %v, want %v", found, free)
	}
	for _, rack := range slices.Compact(slices.Sorted(maps.Values(rackOf))) {
		var want []string
		for host, r := range rackOf {
			if r == rack {
				want = append(want, idOf("host", host))
			}
		}
		slices.Sort(want)
		var found []string
		for _, provider := range list(p.Must(t, "GET", "/resource_providers?required="+oracle.Traits[rack]+","+site, nil), "resource_providers") {
			found = append(found, provider.(map[string]any)["uuid"].(string))
		}
		slices.Sort(found)
		if !slices.Equal(found, want) {
			t.Errorf("rack %s: found %v, want %v", rack, found, want)
		}
	}
}

// trait is the one that the site's hosts have.
func (f *fleet) trait() string {
	return "CUSTOM_SIPGEN_SITE_" + strings.ToUpper(strings.ReplaceAll(f.site.Name, "-", "_"))
}

// candidates are the site's resource providers that can be claimed.
func (f *fleet) candidates(t *testing.T, p *engine.Placement) []string {
	t.Helper()
	answer := p.Must(t, "GET", "/allocation_candidates?resources=CUSTOM_SIPGEN_HOST:1&required="+f.trait(), nil)
	return slices.Sorted(maps.Keys(object(answer, "provider_summaries")))
}

// providers are the generations of the site's resource providers by name.
func (f *fleet) providers(t *testing.T, p *engine.Placement) map[string]any {
	t.Helper()
	found := map[string]any{}
	for _, provider := range list(p.Must(t, "GET", "/resource_providers", nil), "resource_providers") {
		fields := provider.(map[string]any)
		if name := fields["name"].(string); strings.HasPrefix(name, "sipgen/"+f.site.Name+"/") {
			found[name] = fields["generation"]
		}
	}
	return found
}

func object(value any, path ...string) map[string]any {
	for _, name := range path {
		fields, _ := value.(map[string]any)
		value = fields[name]
	}
	fields, _ := value.(map[string]any)
	return fields
}

func list(value any, name string) []any {
	fields, _ := value.(map[string]any)
	items, _ := fields[name].([]any)
	return items
}

func equal(t *testing.T, what string, found, want map[string]any) {
	t.Helper()
	if fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("%s: found %v, want %v", what, found, want)
	}
}
