package tenancy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Count is a number of hosts.
type Count struct{ Hosts, Standby int }

// Holdings says who holds which hosts, by the previous tree and by the labels of hosts that it does not have.
type Holdings struct {
	counts map[schedule.ClusterKey]Count
	hosts  map[schedule.HostKey]schedule.ClusterKey
	// alone are the hosts that are held by their labels alone, and whether as standby.
	alone map[schedule.HostKey]bool
	// joining are the hosts among those that a cluster does not get if it is frozen, by Joining.
	joining map[schedule.ClusterKey][]schedule.HostKey
}

// Held reads the holdings. A host that the tree is releasing is not held any more.
func Held(previous schedule.Previous, hosts []inventory.Host, keys schedule.LabelKeys) Holdings {
	h := Holdings{counts: map[schedule.ClusterKey]Count{}, hosts: map[schedule.HostKey]schedule.ClusterKey{}, alone: map[schedule.HostKey]bool{}}
	known := map[schedule.HostKey]bool{}
	add := func(host schedule.HostKey, cluster schedule.ClusterKey, standby bool) {
		count := h.counts[cluster]
		count.Hosts++
		if standby {
			count.Standby++
		}
		h.counts[cluster], h.hosts[host] = count, cluster
	}
	for i := range previous.Claims {
		claim := &previous.Claims[i]
		if known[claim.Host] {
			continue // a problem, which schedule reports
		}
		known[claim.Host] = true
		if !claim.Releasing {
			add(claim.Host, claim.Cluster, claim.Standby)
		}
	}
	for i := range hosts {
		key := schedule.HostKey{Namespace: hosts[i].Namespace, Name: hosts[i].Name}
		cluster := labelledFor(&hosts[i], keys)
		if cluster.Namespace == "" || cluster.Name == "" || hosts[i].Labels[keys.NodeType] == "" || known[key] {
			continue
		}
		known[key] = true
		h.alone[key] = hosts[i].Labels[keys.Standby] == "true"
		add(key, cluster, h.alone[key])
	}
	return h
}

// Held reads the holdings. Labels of a tenant's hosts that name another tenant's cluster give it none, as in package schedule.
func (t *Tenants) Held(previous schedule.Previous, hosts []inventory.Host, keys schedule.LabelKeys) Holdings {
	return Held(previous, slices.DeleteFunc(slices.Clone(hosts), func(h inventory.Host) bool {
		owner := t.OwnerOfHosts(h.Namespace)
		//guard: a tenant uses up what another one may have, by labels on hosts of its own
		return owner != "" && h.Labels[keys.ClusterNamespace] != "" && t.NameOf(h.Labels[keys.ClusterNamespace]) != owner
	}), keys)
}

// Holder is the cluster that holds a host.
func (h Holdings) Holder(host schedule.HostKey) (cluster schedule.ClusterKey, found bool) {
	cluster, found = h.hosts[host]
	return cluster, found
}

// Joining gives the holdings with a note of the hosts that join clusters which the tree knows by their labels alone, and that nothing uses: a cluster that is frozen
// does not get them.
func (h Holdings) Joining(known map[schedule.ClusterKey]bool, hosts []inventory.Host) Holdings {
	h.joining = map[schedule.ClusterKey][]schedule.HostKey{}
	for i := range hosts {
		key := keyOfHost(&hosts[i])
		_, alone := h.alone[key]
		if cluster, holds := h.hosts[key]; holds && alone && known[cluster] && !hosts[i].State.InUse() {
			h.joining[cluster] = append(h.joining[cluster], key)
		}
	}
	return h
}

// joins counts the hosts that a cluster does not get if it is frozen.
func (h Holdings) joins(cluster schedule.ClusterKey) (count Count) {
	for _, host := range h.joining[cluster] {
		count.Hosts++
		if h.alone[host] {
			count.Standby++
		}
	}
	return count
}

// Frozen gives the holdings without the hosts that do not join clusters which are frozen.
func (h Holdings) Frozen(frozen map[schedule.ClusterKey]bool) Holdings {
	left := map[schedule.HostKey]schedule.Grant{}
	for cluster := range frozen { // each by itself
		for _, host := range h.joining[cluster] {
			left[host] = schedule.Grant{}
		}
	}
	return h.Without(left)
}

// Evicted gives the holdings without those of the clusters in some namespaces.
func (h Holdings) Evicted(namespaces map[string]bool) Holdings {
	h.counts = maps.Clone(h.counts)
	maps.DeleteFunc(h.counts, func(key schedule.ClusterKey, _ Count) bool { return namespaces[key.Namespace] })
	return h
}

// Of is what a cluster holds.
func (h Holdings) Of(key schedule.ClusterKey) Count { return h.counts[key] }

// Wants is what a cluster asks for.
func Wants(c *v1.SIPCluster) Count {
	var want Count
	if c.DeletionTimestamp != nil {
		return want
	}
	for _, set := range c.Spec.Nodes {
		active, standby := set.Want()
		want.Hosts += active + standby
		want.Standby += standby
	}
	return want
}

// Hosts reports the clusters that ask for more hosts than their tenant may have. What a cluster holds it keeps: only clusters that ask for more than they hold are
// complained about. Those that hold hosts come first, then the higher priority, then the name: the newcomer goes without.
// frozen are clusters that get nothing new anyway.
func (t *Tenants) Hosts(clusters []v1.SIPCluster, held Holdings, frozen map[schedule.ClusterKey]bool) []v1.ClusterError {
	used := t.used(held)
	var growing []*v1.SIPCluster
	for i := range clusters {
		c := &clusters[i]
		want, has := Wants(c), held.Of(keyOf(c))
		if t.Of(c.Namespace) != nil && !frozen[keyOf(c)] && (want.Hosts > has.Hosts || want.Standby > has.Standby) {
			growing = append(growing, c)
		}
	}
	slices.SortFunc(growing, func(a, b *v1.SIPCluster) int {
		newcomer := func(c *v1.SIPCluster) int { return min(1, held.Of(keyOf(c)).Hosts) }
		return cmp.Or(newcomer(b)-newcomer(a), cmp.Compare(b.Spec.Priority, a.Spec.Priority), strings.Compare(a.Key(), b.Key()))
	})
	var errs []v1.ClusterError
	for _, c := range growing {
		tenant := t.Of(c.Namespace)
		has, want := held.Of(keyOf(c)), Wants(c)
		more := Count{max(0, want.Hosts-has.Hosts), max(0, want.Standby-has.Standby)}
		now := used[tenant.Name]
		after := now.plus(more)
		refuse := func(asks int, what, field string, of func(c Count) int, most int) {
			joins := held.joins(keyOf(c)) // those that it does not get either
			stays := now.minus(joins)
			used[tenant.Name] = stays
			errs = append(errs, v1.ClusterError{Cluster: c, FieldError: v1.FieldError{Path: "spec.nodes", Message: fmt.Sprintf(
				"asks for %s and holds %d; the tenant's clusters, including those served before it, already have %d, and %s may have at most %d",
				text.Count(asks, what), of(has.minus(joins)), of(stays), tenant.hostLimit(field), most)}})
		}
		switch {
		//guard: one tenant takes every free host
		case more.Hosts > 0 && after.Hosts > *tenant.Hosts.Max:
			refuse(want.Hosts, "host", "hosts.max", func(c Count) int { return c.Hosts }, *tenant.Hosts.Max)
		case more.Standby > 0 && after.Standby > *tenant.Hosts.MaxStandby:
			refuse(want.Standby, "standby host", "hosts.maxStandby", func(c Count) int { return c.Standby }, *tenant.Hosts.MaxStandby)
		default:
			//guard: a tenant has as many hosts as it likes, in many clusters
			used[tenant.Name] = after
		}
	}
	return errs
}

// Clusters reports the clusters that are too many for their tenant. What a tenant has in the tree stays: known are those clusters. Of the
// others those of a higher priority come first, then by name. frozen clusters that the tree does not know get nothing, and do not count.
func (t *Tenants) Clusters(clusters []v1.SIPCluster, known []schedule.ClusterKey, frozen map[schedule.ClusterKey]bool) []v1.ClusterError {
	used, has := map[string]int{}, map[schedule.ClusterKey]bool{}
	for _, key := range known {
		has[key] = true
		if tenant := t.Of(key.Namespace); tenant != nil {
			used[tenant.Name]++
		}
	}
	var more []*v1.SIPCluster
	for i := range clusters {
		if key := keyOf(&clusters[i]); !has[key] && !frozen[key] && t.Of(key.Namespace) != nil {
			more = append(more, &clusters[i])
		}
	}
	slices.SortFunc(more, func(a, b *v1.SIPCluster) int {
		return cmp.Or(cmp.Compare(b.Spec.Priority, a.Spec.Priority), strings.Compare(a.Key(), b.Key()))
	})
	var errs []v1.ClusterError
	for _, c := range more {
		tenant := t.Of(c.Namespace)
		//guard: a tenant fills the tree with clusters that have no hosts
		if used[tenant.Name] < *tenant.MaxClusters {
			used[tenant.Name]++
			continue
		}
		where := tenant.where("maxClusters")
		if !tenant.Listed {
			where = "each namespace (the Site's spec.maxClustersPerTenant)"
		}
		errs = append(errs, v1.ClusterError{Cluster: c, FieldError: v1.FieldError{Path: "metadata.name", Message: fmt.Sprintf(
			"one cluster too many: the tenant already has %d, counting those in the tree and those served before this one, and %s may have at most %d", used[tenant.Name], where, *tenant.MaxClusters)}})
	}
	return errs
}

// hostLimit is where for a bound on hosts, which a site without spec.tenants has too.
func (t *Tenant) hostLimit(field string) string {
	if !t.Listed {
		return "each namespace (the Site's spec.maxHostsPerTenant)"
	}
	return t.where(field)
}

func (c Count) plus(d Count) Count  { return Count{c.Hosts + d.Hosts, c.Standby + d.Standby} }
func (c Count) minus(d Count) Count { return Count{c.Hosts - d.Hosts, c.Standby - d.Standby} }

func keyOf(c *v1.SIPCluster) schedule.ClusterKey {
	return schedule.ClusterKey{Namespace: c.Namespace, Name: c.Name}
}

// Narrowed gives the clusters with the selectors of their roles narrowed to their tenants' hosts, by labels and namespace, for package schedule: it looks at
// selectors for new hosts only, so that hosts a cluster has stay. The clusters given are left as they are.
func (t *Tenants) Narrowed(clusters []v1.SIPCluster) []v1.SIPCluster {
	out := slices.Clone(clusters)
	for i := range out {
		tenant := t.Of(out[i].Namespace)
		if tenant == nil {
			continue
		}
		mine := t.withoutOthersHosts(tenant)
		//guard: a tenant gets hosts of a namespace that is not granted
		if namespaces := tenant.Hosts.Namespaces; len(namespaces) > 0 {
			mine.MatchExpressions = append(slices.Clone(mine.MatchExpressions), metav1.LabelSelectorRequirement{
				Key: v1.HostNamespaceKey, Operator: metav1.LabelSelectorOpIn, Values: namespaces,
			})
		}
		if len(mine.MatchLabels)+len(mine.MatchExpressions) == 0 {
			continue
		}
		nodes := maps.Clone(out[i].Spec.Nodes)
		for name, set := range nodes { // each by itself
			//guard: a tenant gets hosts of another one's pool
			set.LabelSelector = both(&set.LabelSelector, &mine)
			nodes[name] = set
		}
		out[i].Spec.Nodes = nodes
	}
	return out
}

// Asked are the selectors of the roles that Narrowed narrows, as the specs have them.
func (t *Tenants) Asked(clusters []v1.SIPCluster) map[schedule.RoleKey]labels.Selector {
	asked := map[schedule.RoleKey]labels.Selector{}
	for i := range clusters {
		tenant := t.Of(clusters[i].Namespace)
		if tenant == nil {
			continue
		}
		if mine := t.withoutOthersHosts(tenant); len(mine.MatchLabels)+len(mine.MatchExpressions)+len(tenant.Hosts.Namespaces) == 0 {
			continue
		}
		for name, set := range clusters[i].Spec.Nodes { // each by itself
			if selector, err := set.HostSelector(); err == nil {
				asked[schedule.RoleKey{Cluster: keyOf(&clusters[i]), Role: name}] = selector
			}
		}
	}
	return asked
}

// withoutOthersHosts is a tenant's selector, without the virtual hosts that the Site has for other tenants only, and without the hosts that other tenants own:
// a label on one of those freezes nobody else's cluster.
func (t *Tenants) withoutOthersHosts(tenant *Tenant) metav1.LabelSelector {
	var others []string
	for i := range t.site.Spec.Services.VirtualHosts {
		v := &t.site.Spec.Services.VirtualHosts[i]
		//guard: a tenant has virtual hosts that the Site has for others
		if len(v.Tenants) > 0 && !slices.Contains(v.Tenants, tenant.Name) {
			others = append(others, v.Group())
		}
	}
	var owned []string
	for _, namespace := range t.hosts {
		if owner := t.OwnerOfHosts(namespace); owner != "" && owner != tenant.Name {
			owned = append(owned, namespace)
		}
	}
	selector := tenant.Hosts.Selector
	selector.MatchExpressions = slices.Clone(selector.MatchExpressions)
	if len(others) > 0 {
		selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: v1alpha1.VirtualHostsLabel, Operator: metav1.LabelSelectorOpNotIn, Values: others,
		})
	}
	//guard: a cluster gets a host that another tenant owns, because a label of it matches
	if len(owned) > 0 {
		selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: v1.HostNamespaceKey, Operator: metav1.LabelSelectorOpNotIn, Values: owned,
		})
	}
	return selector
}

// both selects what a and b select.
func both(a, b *metav1.LabelSelector) metav1.LabelSelector {
	out := metav1.LabelSelector{MatchLabels: maps.Clone(a.MatchLabels), MatchExpressions: slices.Clone(a.MatchExpressions)}
	for _, key := range slices.Sorted(maps.Keys(b.MatchLabels)) {
		out.MatchExpressions = append(out.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: key, Operator: metav1.LabelSelectorOpIn, Values: []string{b.MatchLabels[key]},
		})
	}
	out.MatchExpressions = append(out.MatchExpressions, b.MatchExpressions...)
	return out
}

// Owned reports the clusters in the namespaces of tenants that own the hosts there, as long as another tenant's cluster holds one of these.
func (t *Tenants) Owned(clusters []v1.SIPCluster, hosts []inventory.Host, held Holdings) []v1.ClusterError {
	owned := map[string][]*inventory.Host{} // by namespace
	for i := range hosts {
		if t.OwnerOfHosts(hosts[i].Namespace) != "" {
			owned[hosts[i].Namespace] = append(owned[hosts[i].Namespace], &hosts[i])
		}
	}
	var errs []v1.ClusterError
	for i := range clusters {
		c := &clusters[i]
		if host, holder := t.heldByOthers(c, owned[c.Namespace], held); host != "" {
			errs = append(errs, v1.ClusterError{Cluster: c, FieldError: v1.FieldError{Path: "metadata.namespace", Message: fmt.Sprintf(
				"found %q, where %s holds host %s: not all hosts in this namespace belong to tenant %s, and its services would run next to the BMC credentials of the others", c.Namespace, holder, host, t.Of(c.Namespace).Name)}})
		}
	}
	return errs
}

// heldByOthers is the first of the hosts that a cluster of another tenant holds, and who holds it.
func (t *Tenants) heldByOthers(c *v1.SIPCluster, hosts []*inventory.Host, held Holdings) (host, holder string) {
	for _, h := range hosts {
		cluster, is := held.hosts[schedule.HostKey{Namespace: h.Namespace, Name: h.Name}]
		if is && t.Of(cluster.Namespace) != t.Of(c.Namespace) && (host == "" || h.Key() < host) {
			host, holder = h.Key(), cluster.Quoted()
		}
	}
	return host, holder
}

// Clusters that hold hosts, by name.
func (h Holdings) Clusters() []schedule.ClusterKey {
	return slices.SortedFunc(maps.Keys(h.counts), func(a, b schedule.ClusterKey) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
}
