package preflight

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
)

// TestUnpatchable: what is wrong with one host is that host's. What no host of an inventory has says something of the inventory.
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
		{"a mark on one", flux, v1alpha1.ApplyMerge, []inventory.Host{host("a", nil), host("b", func(h *inventory.Host) {
			h.Engine = map[string]string{"kustomize.toolkit.fluxcd.io/force": "enabled"}
		})}, map[string]string{"metal/b": "it has the annotation kustomize.toolkit.fluxcd.io/force"}},
		{"the engine owns the spec of one", flux, v1alpha1.ApplyMerge, []inventory.Host{host("a", nil), host("b", func(h *inventory.Host) { h.Managers = []inventory.Manager{owner} })},
			map[string]string{"metal/b": "its spec is owned by"}},
		{"one has no uid", flux, v1alpha1.ApplyMerge, []inventory.Host{host("a", nil), host("b", nameless)}, map[string]string{"metal/b": "no metadata.uid"}},
		{"one has no uid, and the patches need none", flux, v1alpha1.ApplyOverlay, []inventory.Host{host("a", nil), host("b", nameless)}, nil},
		{"one has no uid because it cannot be read", flux, v1alpha1.ApplyMerge, []inventory.Host{host("a", nil), host("b", func(h *inventory.Host) {
			h.UID, h.Faults = "", []inventory.Fault{{Kind: inventory.FaultObject}}
		})}, nil},
		{"none has a uid", flux, v1alpha1.ApplyMerge, []inventory.Host{host("a", nameless), host("b", nameless)}, nil},
		{"one has no managedFields, with Argo CD", argo, v1alpha1.ApplyMerge, []inventory.Host{host("a", nil), host("b", unmanaged)}, map[string]string{"metal/b": "the inventory has no managedFields"}},
		{"one has no managedFields, with Flux", flux, v1alpha1.ApplyMerge, []inventory.Host{host("a", nil), host("b", unmanaged)}, nil},
		{"none has managedFields", argo, v1alpha1.ApplyMerge, []inventory.Host{host("a", unmanaged), host("b", unmanaged)}, nil},
	} {
		got := Unpatchable(row.engine, row.apply, row.hosts)
		if keys := slices.Sorted(maps.Keys(got)); !slices.Equal(keys, slices.Sorted(maps.Keys(row.want))) {
			t.Errorf("%s: found %v, want %v", row.why, keys, row.want)
			continue
		}
		for key, want := range row.want {
			if text := got[key][0].Sentence(); len(got[key]) != 1 || !strings.Contains(text, want) || !strings.HasPrefix(text, "host "+key+": ") {
				t.Errorf("%s: found %v, want %q", row.why, got[key], want)
			}
		}
	}
}
