package tenancy

import (
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Beyond gives the hosts that a cluster does not get by their labels alone, and which grant it would be beyond with them: who may label hosts may give a
// tenant no more than its grants. They are those that the tree does not have for the cluster, and that nothing uses: what runs on a host stays with the
// cluster that the labels name. Of hosts that are more than a tenant may have, it gets the first by name. frozen clusters, of those that the tree has, get none, and
// use no tenant's room up.
func (t *Tenants) Beyond(clusters []v1.SIPCluster, previous schedule.Previous, hosts []inventory.Host, keys schedule.LabelKeys, frozen map[schedule.ClusterKey]bool) map[schedule.HostKey]schedule.Grant {
	served := map[schedule.ClusterKey]bool{}
	for i := range clusters {
		served[keyOf(&clusters[i])] = clusters[i].DeletionTimestamp == nil
	}
	inTree := map[schedule.HostKey]schedule.ClusterKey{}
	for i := range previous.Claims {
		if claim := &previous.Claims[i]; !claim.Releasing {
			inTree[claim.Host] = claim.Cluster
		}
	}
	var alone []*inventory.Host // that labels alone give to a cluster
	for i := range hosts {
		h := &hosts[i]
		cluster := labelledFor(h, keys)
		owner := t.OwnerOfHosts(h.Namespace)
		if served[cluster] && h.Labels[keys.NodeType] != "" && inTree[keyOfHost(h)] != cluster && !h.Unsure() && !h.State.InUse() &&
			(owner == "" || owner == t.NameOf(cluster.Namespace)) && t.Of(cluster.Namespace) != nil {
			alone = append(alone, h)
		}
	}
	slices.SortFunc(alone, func(a, b *inventory.Host) int { return strings.Compare(a.Key(), b.Key()) })
	beyond := map[schedule.HostKey]schedule.Grant{}
	for _, h := range alone {
		beyond[keyOfHost(h)] = schedule.Grant{} // until it is known not to be
	}
	used := t.used(t.Held(previous, hosts, keys).Without(beyond))
	for _, h := range alone {
		cluster := labelledFor(h, keys)
		tenant := t.Of(cluster.Namespace)
		more := Count{Hosts: 1}
		if h.Labels[keys.Standby] == "true" {
			more.Standby = 1
		}
		after := used[tenant.Name].plus(more)
		field := t.outside(tenant, h)
		switch {
		//guard: labels for a frozen cluster use up the room of the tenant's others
		case frozen[cluster]: // package schedule finds out about more of them
			continue
		case field != "":
		//guard: labels give a tenant more hosts than hosts.max
		case after.Hosts > *tenant.Hosts.Max:
			field = "hosts.max"
		//guard: labels give a tenant more standby hosts than hosts.maxStandby
		case after.Standby > *tenant.Hosts.MaxStandby && more.Standby > 0:
			field = "hosts.maxStandby"
		default:
			used[tenant.Name] = after
			delete(beyond, keyOfHost(h))
			continue
		}
		beyond[keyOfHost(h)] = schedule.Grant{Tenant: tenant.Name, Field: field}
	}
	return beyond
}

// outside is the grant by which a host is none that a tenant's clusters may be given, empty if it is one.
func (t *Tenants) outside(tenant *Tenant, h *inventory.Host) string {
	//guard: labels give a tenant hosts outside its namespaces
	if in := tenant.Hosts.Namespaces; len(in) > 0 && !slices.Contains(in, h.Namespace) {
		return "hosts.namespaces"
	}
	matches := func(selector metav1.LabelSelector) bool {
		s, err := metav1.LabelSelectorAsSelector(&selector)
		return err == nil && s.Matches(v1.HostLabels{Labels: h.Labels, Namespace: h.Namespace})
	}
	switch {
	//guard: labels give a tenant hosts that its selector does not match
	case !matches(tenant.Hosts.Selector):
		return "hosts.selector"
	case !matches(t.withoutOthersHosts(tenant)):
		return "virtualHosts[].tenants"
	}
	return ""
}

// used is what the clusters of each tenant hold, by its name.
func (t *Tenants) used(held Holdings) map[string]Count {
	used := map[string]Count{}
	for key, count := range held.counts {
		if tenant := t.Of(key.Namespace); tenant != nil {
			//guard: a tenant with two namespaces has hosts beyond its limit
			used[tenant.Name] = used[tenant.Name].plus(count)
		}
	}
	return used
}

// Without are the holdings without hosts that are held by their labels alone.
func (h Holdings) Without(hosts map[schedule.HostKey]schedule.Grant) Holdings {
	out := Holdings{counts: maps.Clone(h.counts), hosts: maps.Clone(h.hosts), alone: h.alone}
	for host := range hosts { // each by itself
		standby, alone := h.alone[host]
		if !alone {
			continue
		}
		cluster := out.hosts[host]
		count := out.counts[cluster]
		count.Hosts--
		if standby {
			count.Standby--
		}
		if out.counts[cluster] = count; count.Hosts == 0 {
			delete(out.counts, cluster)
		}
		delete(out.hosts, host)
	}
	return out
}

// labelledFor is the cluster that the labels of a host name.
func labelledFor(h *inventory.Host, keys schedule.LabelKeys) schedule.ClusterKey {
	return schedule.ClusterKey{Namespace: h.Labels[keys.ClusterNamespace], Name: h.Labels[keys.ClusterName]}
}

func keyOfHost(h *inventory.Host) schedule.HostKey {
	return schedule.HostKey{Namespace: h.Namespace, Name: h.Name}
}
