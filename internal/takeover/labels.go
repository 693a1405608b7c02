package takeover

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// labelOwners says of the cluster's hosts which field managers own the labels that say whose they are. A label that two managers set is removed
// only when both let it go, and the SIP operator never will: the release of such a host is one commit longer.
func (t *Tenant) labelOwners(hosts []inventory.Host, keys holdings.LabelKeys, engine v1alpha1.Engine) {
	type group struct {
		becomes string
		hosts   []string
	}
	groups := map[string]*group{}
	for i := range hosts {
		host := &hosts[i]
		if holdings.LabelsOf(host, keys).Cluster != t.key() {
			continue
		}
		who, becomes := ownersOfLabels(host, keys, engine)
		if groups[who] == nil {
			groups[who] = &group{becomes: becomes}
		}
		groups[who].hosts = append(groups[who].hosts, host.Key())
	}
	for _, who := range slices.Sorted(maps.Keys(groups)) {
		g := groups[who]
		slices.Sort(g.hosts)
		t.LabelOwners = append(t.LabelOwners, fmt.Sprintf("of %s (%s): %s: %s", text.Count(len(g.hosts), "host"), strings.Join(g.hosts, ", "), who, g.becomes))
	}
}

// ownersOfLabels are the managers of a host's labels in words, and what becomes of the labels.
func ownersOfLabels(host *inventory.Host, keys holdings.LabelKeys, engine v1alpha1.Engine) (who, becomes string) {
	if host.Managers == nil {
		return "set by nobody knows whom", "read the hosts with -f cluster, or from files with managedFields (kubectl get -o yaml --show-managed-fields)"
	}
	claim := keys.Claim()
	var owners []string
	others, own := false, preflight.Manager(engine)
	for _, m := range host.Managers {
		if m.Subresource != "" {
			continue
		}
		var owned []string
		for _, key := range claim {
			if slices.Contains(m.Labels, key) {
				owned = append(owned, key)
			}
		}
		if len(owned) == 0 {
			continue
		}
		owner := fmt.Sprintf("%s (%s)", m.Name, m.Operation)
		if len(owned) < len(claim) {
			owner += " " + strings.Join(owned, ", ")
		}
		owners = append(owners, owner)
		// Flux takes over by itself what kubectl set.
		others = others || m.Name != own && (engine != v1alpha1.EngineFlux || !strings.HasPrefix(m.Name, "kubectl"))
	}
	slices.Sort(owners)
	switch {
	case len(owners) == 0:
		return "owned by nobody", "they stay, and are the engine's with its first apply"
	case !others:
		return "owned by " + strings.Join(owners, " and "), "they stay, and are the engine's alone from its first apply on"
	}
	return "owned by " + strings.Join(owners, " and "), "they stay; the engine's first apply owns them as well, and changes nothing. When such a host is released, one commit overwrites the labels and the next removes them"
}
