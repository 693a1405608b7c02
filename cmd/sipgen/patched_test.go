package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/render"
)

// TestPatchesOfATenant: what the patches of all clusters of a tenant have to do has a bound, those that are there keep their place, and another tenant's
// do not count.
func TestPatchesOfATenant(t *testing.T) {
	site, err := v1alpha1.Parse("site.yaml", []byte(securityFiles["site.yaml"]))
	check(t, err)
	const large = overlay.MaxPatchedOfTenant / 4 / 10 // of which ten are a little more than a quarter
	filesOf := func(all ...render.Services) map[string]map[string][]byte {
		out := map[string]map[string][]byte{}
		for _, s := range all {
			out[s.Cluster.Key()] = s.Files
		}
		return out
	}
	var hundred []render.Services
	for i := range 100 {
		hundred = append(hundred, patchedServices("bank", fmt.Sprintf("c%03d", i), 3, 10_000))
	}
	var quarters []render.Services
	for _, name := range []string{"d", "b", "c", "a"} {
		quarters = append(quarters, patchedServices("bank", name, 10, large))
	}
	grown := slices.Clone(quarters)
	grown[3] = patchedServices("bank", "a", 11, large)
	alone := patchedServices("edge", "a", 10, large)
	for _, row := range []struct {
		why     string
		now     []render.Services
		was, is map[string]map[string][]byte
		want    string
	}{
		{"a hundred clusters with three patches", hundred, nil, nil, ""},
		{"the last by name", quarters, nil, nil, "bank/d"},
		{"the newcomer", quarters, filesOf(quarters[0], quarters[1], quarters[2]), nil, "bank/a"},
		{"the one that changes", grown, filesOf(quarters...), nil, "bank/a"},
		{"what stays as it is", quarters[1:], filesOf(quarters[0]), filesOf(quarters...), "bank/c"},
		{"another tenant's", append(slices.Clone(quarters[1:]), alone), nil, nil, ""},
		{"one that is refused by itself", append(slices.Clone(quarters[1:]), patchedServices("bank", "0", 31, large)), nil, nil, ""},
	} {
		l := &loaded{site: site, tenants: tenancy.Of(site, nil), built: &serviceBuilds{}}
		beyond := (&checked{decided: &decided{loaded: l}}).checkWeights(row.now, row.was, row.is)
		if got := strings.Join(slices.Sorted(maps.Keys(beyond)), " "); got != row.want {
			t.Errorf("%s: refused %q, want %q", row.why, got, row.want)
		}
		for _, err := range beyond {
			if want := "tenant bank's other clusters to "; !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "want at most 4096 KiB for all of them") {
				t.Errorf("%s: got %v, want %q in it", row.why, err, want)
			}
		}
		if len(l.built.done)+len(l.built.used) > 0 {
			t.Errorf("%s: something was built to count it", row.why)
		}
	}
}

// patchedServices are a cluster's with so many patches of an object of so many bytes.
func patchedServices(namespace, name string, patches, size int) render.Services {
	c := &v1.SIPCluster{}
	c.Namespace, c.Name, c.Source = namespace, name, name+".yaml"
	const patch = "- {op: test, path: /kind, value: Service}"
	c.Spec.Patches = slices.Repeat([]v1.Patch{{Patch: patch}}, patches)
	return render.Services{Cluster: c, Files: map[string][]byte{
		"kustomization.yaml": []byte("resources: [a.yaml]\npatches:\n" + strings.Repeat("- {target: {kind: Service}, patch: '"+patch+"'}\n", patches)),
		"a.yaml":             []byte("apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: " + namespace + ", annotations: {a: " + strings.Repeat("x", size) + "}}\n"),
	}}
}

// TestHeavyServicesAreNotBuilt: what is refused for its work is not built to count what it takes of a quota, and what is built once counts by that.
func TestHeavyServicesAreNotBuilt(t *testing.T) {
	const limits = "    limits: {replicas: 3"
	site, err := v1alpha1.Parse("site.yaml", []byte(strings.Replace(securityFiles["site.yaml"], limits, "    quota: {services: '10'}\n"+limits, 1)))
	check(t, err)
	l := &loaded{site: site, tenants: tenancy.Of(site, nil), built: &serviceBuilds{}}
	heavy := patchedServices("bank", "a", 32, overlay.MaxPatched/16)
	tree := map[string]map[string][]byte{"bank/a": heavy.Files}
	_, err = (&checked{decided: &decided{loaded: l}}).checkServices([]render.Services{heavy}, tree, tree)
	if want := "bank/a: spec.patches[15]: together with the patches before it, it applies to more than 2048 KiB of objects"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	if len(l.built.used) > 0 {
		t.Error("it was built")
	}
	light := patchedServices("bank", "a", 1, 10)
	_, err = (&checked{decided: &decided{loaded: l}}).checkServices([]render.Services{light}, nil, nil)
	check(t, err)
	if len(l.built.used) != 1 || len(l.built.done) != 2 {
		t.Errorf("got %d uses and %d builds of what is light", len(l.built.used), len(l.built.done))
	}
}

// TestHeavyTreeBeforeIsNotBuilt: the tree before may have patches that are more work than sipgen lets a tenant have. They are not built to say what changes: it is
// said that this is not known. So it is with many trees that are not too much each.
func TestHeavyTreeBeforeIsNotBuilt(t *testing.T) {
	const tooHeavy = "before: spec.patches[15]: together with the patches before it, it applies to more than 2048 KiB of objects"
	light, heavy := patchedServices("bank", "a", 1, 10).Files, patchedServices("bank", "a", 32, overlay.MaxPatched/16).Files
	after := render.Tree{}
	for name, content := range light {
		after["clusters/bank/a/infra/"+name] = content
	}
	for _, row := range []struct {
		why         string
		was, rights map[string][]byte
		want        string
	}{
		{"its services", heavy, nil, tooHeavy},
		{"its rights", light, heavy, tooHeavy},
		{"neither: it is read, and is not what sipgen writes", patchedServices("bank", "a", 1, 20).Files, nil, "before: kustomization.yaml: it has fields that sipgen does not write"},
	} {
		was, had := map[string]map[string][]byte{"bank/a": row.was}, map[string]map[string][]byte{}
		if row.rights != nil {
			had["bank/a"] = row.rights
		}
		changes := serviceChanges(was, had, after, nil)
		if len(changes) != 1 || !strings.HasPrefix(changes[0].Unknown, row.want) {
			t.Errorf("%s: found %.300v, want unknown for %q", row.why, changes, row.want)
		}
	}
	many, all := map[string]map[string][]byte{}, render.Tree{}
	for i := range 18 {
		name := fmt.Sprintf("c%02d", i)
		many["bank/"+name] = patchedServices("bank", name, 1, overlay.MaxPatched/2).Files
		for file, content := range patchedServices("bank", name, 1, 10).Files {
			all["clusters/bank/"+name+"/infra/"+file] = content
		}
	}
	unknown := 0
	for _, c := range serviceChanges(many, nil, all, nil) {
		if strings.HasPrefix(c.Unknown, "too many clusters change at once") {
			unknown++
		}
	}
	if unknown == 0 || unknown == len(many) {
		t.Errorf("%d of %d are not compared, want those beyond the bound", unknown, len(many))
	}
}
