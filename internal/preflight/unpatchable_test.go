package preflight

import (
	"maps"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/inventory"
)

// TestUnpatchable: what is wrong with one host is that host's. What no host of an inventory has says something of the
// inventory.
func TestUnpatchable(t *testing.T) {
	host := func(name string, change func(*inventory.Host)) inventory.Host {
		h := inventory.Host{Namespace: "metal", Name: name, UID: "uid-" + name, Managers: []inventory.Manager{people}}
		if change != nil {
			change(&h)
		}
		return h
	}
	nameless := func(h *inventory.Host) { h.UID = "" }
	unmanaged := func(h *inventory.Host) { h.Managers = nil }
	for _, row := range []struct {
		why    string
		engine v1alpha1.Engine
		apply  v1alpha1.ApplyMode
		hosts  []inventory.Host
		want   map[string]string
	}{
		{"nothing is wrong", flux, v1alpha1.ApplyMerge, []inventory.Host{host("a", nil), host("b", nil)}, nil},
		{"a mark on one", flux, v1alpha1.ApplyMerge,
			[]inventory.Host{host("a", nil), host("b", func(h *inventory.Host) {
				h.Engine = map[string]string{"kustomize.toolkit.fluxcd.io/force": "enabled"}
			})}, map[string]string{"metal/b": "it has the annotation kustomize.toolkit.fluxcd.io/force"}},
		{"the engine owns the spec of one", flux, v1alpha1.ApplyMerge,
			[]inventory.Host{host("a", nil),
				host("b", func(h *inventory.Host) { h.Managers = []inventory.Manager{owner} })},
			map[string]string{"metal/b": "its spec is owned by"}},
		{"one has no uid", flux, v1alpha1.ApplyMerge, []inventory.Host{host("a", nil), host("b", nameless)},
			map[string]string{"metal/b": "no metadata.uid"}},
		{"one has no uid, and the patches need none", flux, v1alpha1.ApplyOverlay,
			[]inventory.Host{host("a", nil), host("b", nameless)}, nil},
		{"one has no uid because it cannot be read", flux, v1alpha1.ApplyMerge,
			[]inventory.Host{host("a", nil), host("b", func(h *inventory.Host) {
				h.UID, h.Faults = "", []inventory.Fault{{Kind: inventory.FaultObject}}
			})}, nil},
		{"none has a uid", flux, v1alpha1.ApplyMerge, []inventory.Host{host("a", nameless), host("b", nameless)}, nil},
		{"one has no managedFields, with Argo CD", argo, v1alpha1.ApplyMerge,
			[]inventory.Host{host("a", nil), host("b", unmanaged)},
			map[string]string{"metal/b": "the inventory has no managedFields"}},
		{"one has no managedFields, with Flux", flux, v1alpha1.ApplyMerge,
			[]inventory.Host{host("a", nil), host("b", unmanaged)}, nil},
		{"none has managedFields", argo, v1alpha1.ApplyMerge,
			[]inventory.Host{host("a", unmanaged), host("b", unmanaged)}, nil},
	} {
		got := Unpatchable(siteOf(row.engine, row.apply), row.hosts)
		if keys := slices.Sorted(maps.Keys(got)); !slices.Equal(keys, slices.Sorted(maps.Keys(row.want))) {
			t.Errorf("%s: found %v, want %v", row.why, keys, row.want)
			continue
		}
		for key, want := range row.want {
			if text := got[key][0].Sentence(); len(got[key]) != 1 || !strings.Contains(text, want) ||
				!strings.HasPrefix(text, "host "+key+": ") {
				t.Errorf("%s: found %v, want %q", row.why, got[key], want)
			}
		}
	}
}

func TestServices(t *testing.T) {
	cluster := v1.SIPCluster{}
	cluster.Namespace, cluster.Name = "lma-infra", "lma"
	cluster.Spec.Services.JumpHost = []v1.JumpHost{{}}
	sip := inventory.Owner{Index: 0, Manager: "manager", Operation: "Update", Made: true}
	object := func(kind, name string, owners ...inventory.Owner) inventory.ServiceObject {
		return inventory.ServiceObject{Kind: kind, Namespace: "lma-infra", Name: name, Owners: owners}
	}
	flux := inventory.Owner{Index: 1, Manager: "kustomize-controller", Operation: "Apply", Made: true}
	for _, row := range []struct {
		why  string
		live inventory.ServiceObject
		fix  string // "": nothing is found
	}{
		{"SIP's Deployment", object("Deployment", "jumphost-lma", sip),
			`kubectl patch -n lma-infra deployments.apps/jumphost-lma --type=json -p '[{"op":"test","path":"/metadata/managedFields/0/manager","value":"manager"},` +
				`{"op":"test","path":"/metadata/managedFields/0/operation","value":"Update"},{"op":"replace","path":"/metadata/managedFields/0/manager","value":"kustomize-controller"},` +
				`{"op":"replace","path":"/metadata/managedFields/0/operation","value":"Apply"}]'`},
		{"SIP's Service", object("Service", "jumphost-lma", sip), "kubectl patch -n lma-infra services/jumphost-lma "},
		{"a sync over it failed", object("Deployment", "jumphost-lma", sip, flux),
			`"value":"Apply"},{"op":"remove","path":"/metadata/managedFields/1"}]'`},
		{"the engine's own", object("Deployment", "jumphost-lma", flux), ""},
		{"made by kubectl, which engines take over",
			object("Deployment", "jumphost-lma",
				inventory.Owner{Manager: "kubectl-client-side-apply", Operation: "Update", Made: true}), ""},
		{"somebody changed a field", object("Deployment", "jumphost-lma", flux,
			inventory.Owner{Index: 2, Manager: "somebody", Operation: "Update"}), ""},
		{"of no service that is rendered", object("Deployment", "jumphost-other", sip), ""},
		{"a manager that ends the quote",
			object("Deployment", "jumphost-lma",
				inventory.Owner{Manager: "a'; reboot #", Operation: "Update", Made: true}),
			`"value":"a\u0027; reboot #"`},
	} {
		found := Services(v1alpha1.EngineFlux, []v1.SIPCluster{cluster}, []inventory.ServiceObject{row.live})
		switch {
		case row.fix == "" && len(found) == 0:
		case len(found) != 1 || row.fix == "" || found[0].Severity == finding.Warning ||
			!strings.Contains(found[0].Fix, row.fix):
			t.Errorf("%s: %v, want %s", row.why, found, row.fix)
		case strings.Count(found[0].Fix, "'") != 2:
			t.Errorf("%s: a quote in the quotes: %s", row.why, found[0].Fix)
		}
	}
	if found := Services(v1alpha1.EngineArgoCD, []v1.SIPCluster{cluster},
		[]inventory.ServiceObject{object("Service", "jumphost-lma", sip)}); len(found) != 1 ||
		!strings.Contains(found[0].Fix, `"argocd-controller"`) {
		t.Errorf("Argo CD: %v", found)
	}
}

// TestSites: two sites on one API server have no namespace in common.
func TestSites(t *testing.T) {
	binding := func(name, site string, namespaces ...string) inventory.GuardBinding {
		return inventory.GuardBinding{Name: name, Site: site, Namespaces: namespaces}
	}
	own := binding("sipgen-dc1-sync-guard-v1", "dc1", "metal")
	for _, row := range []struct {
		why        string
		namespaces []string
		live       []inventory.GuardBinding
		// refused are words of the one finding, "" for none.
		refused string
	}{
		{"no guards", nil, nil, ""},
		{"its own", []string{"metal"}, []inventory.GuardBinding{own}, ""},
		{"another site elsewhere", []string{"metal"}, []inventory.GuardBinding{own, binding("a", "dc2", "other")}, ""},
		{"another site in one of its namespaces", []string{"edge", "metal"},
			[]inventory.GuardBinding{binding("a", "dc2", "other", "metal"), binding("b", "dc2", "other", "metal")},
			"the guards of site dc2 are in force in namespace metal, which has hosts of site dc1: "},
		{"the way out names its guards", []string{"metal"},
			[]inventory.GuardBinding{binding("a", "dc2", "metal"), binding("b", "dc2", "metal")},
			"kubectl delete validatingadmissionpolicybindings.admissionregistration.k8s.io a b"},
		{"another site in all namespaces", []string{"metal"}, []inventory.GuardBinding{binding("a", "dc2")},
			"in force in namespace metal"},
		{"a site in all namespaces, another in one", nil, []inventory.GuardBinding{binding("a", "dc2", "other")},
			"in force in namespace other"},
		{"both in all namespaces", nil, []inventory.GuardBinding{binding("a", "dc2")}, "in force in every namespace"},
	} {
		var found []string
		for _, f := range Sites("dc1", row.namespaces, row.live) {
			found = append(found, f.Sentence())
		}
		if got := strings.Join(found, "\n"); (got == "") != (row.refused == "") || !strings.Contains(got, row.refused) {
			t.Errorf("%s: got %q, want %q", row.why, got, row.refused)
		}
	}
}
