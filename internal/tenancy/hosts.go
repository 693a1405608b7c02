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
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/order"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Count is a number of hosts.
type Count struct{ Hosts, Standby int }

// Counts are the numbers of hosts that each cluster holds and releases, by package holdings.
type Counts struct {
	// All is the owner of each host, nil on contradictions, which schedule.Plan reports.
	All *holdings.Holdings
	// counts are the hosts that clusters hold, those included that they keep only until their users have let them go.
	counts map[schedule.ClusterKey]Count
	hosts  map[schedule.HostKey]schedule.ClusterKey
	// leaving are hosts that clusters have released and that are not free yet. exempt are failed hosts in use that are
	// to leave: see Limit of package schedule.
	leaving, exempt map[schedule.ClusterKey]int
}

// Held counts the hosts that clusters hold and release. On contradictions, which schedule.Plan reports, it counts none.
func Held(clusters []v1.SIPCluster, previous schedule.Previous, hosts []inventory.Host,
	options schedule.Options) Counts {
	h := Counts{All: &holdings.Holdings{}, counts: map[schedule.ClusterKey]Count{},
		hosts: map[schedule.HostKey]schedule.ClusterKey{}, leaving: map[schedule.ClusterKey]int{},
		exempt: map[schedule.ClusterKey]int{}}
	answer, err := schedule.Holdings(clusters, hosts, previous, options)
	if err != nil {
		return h
	}
	h.All = answer
	leaves := func(cluster schedule.ClusterKey, live *inventory.Host) {
		if why := holdings.Failed(live); why.Code != "" && why.Code != holdings.InError && live.State.InUse() {
			h.exempt[cluster]++
		}
	}
	for i := range answer.Hosts {
		is := &answer.Hosts[i]
		switch is.State {
		case holdings.Held:
			h.counts[is.Cluster] = h.counts[is.Cluster].plus(countOf(is.Standby))
			h.hosts[holdings.KeyOf(is.Host)] = is.Cluster
			if is.Claim != nil && is.Claim.Cluster == is.Cluster && is.Claim.Pending {
				leaves(is.Cluster, is.Host)
			}
		case holdings.Leaving:
			h.leaving[is.Cluster]++
			leaves(is.Cluster, is.Host)
		}
	}
	return h
}

func countOf(standby bool) Count {
	if standby {
		return Count{1, 1}
	}
	return Count{1, 0}
}

// Holder returns the cluster that holds a host.
func (h Counts) Holder(host schedule.HostKey) (cluster schedule.ClusterKey, found bool) {
	cluster, found = h.hosts[host]
	return cluster, found
}

// Of returns the count of a cluster.
func (h Counts) Of(key schedule.ClusterKey) Count { return h.counts[key] }

// Leaving returns how many hosts a cluster has released that are not free yet.
func (h Counts) Leaving(key schedule.ClusterKey) int { return h.leaving[key] }

// used returns how many hosts of each tenant count towards its limit, by its name: those that its clusters hold and
// release, without failed ones in use that are to leave, up to the number of the brake.
func (t *Tenants) used(held Counts, brake int) map[string]int {
	used, exempt := map[string]int{}, map[string]int{}
	add := func(to map[string]int, key schedule.ClusterKey, n int) {
		if tenant := t.Of(key.Namespace); tenant != nil {
			to[tenant.Name] += n
		}
	}
	for key, count := range held.counts { // sums
		add(used, key, count.Hosts)
	}
	for key, n := range held.leaving {
		add(used, key, n)
	}
	for key, n := range held.exempt {
		add(exempt, key, n)
	}
	for name, n := range exempt {
		used[name] -= min(n, brake)
	}
	return used
}

// Wants returns what a cluster that stays asks for.
func Wants(c *v1.SIPCluster) (want Count) {
	for _, set := range c.Spec.Nodes {
		active, standby := set.Want()
		want.Hosts += active + standby
		want.Standby += standby
	}
	return want
}

// Limits returns how many hosts the tenants of the clusters may have, by cluster.
func (t *Tenants) Limits(clusters []schedule.ClusterKey) map[schedule.ClusterKey]*schedule.Limit {
	out, known := map[schedule.ClusterKey]*schedule.Limit{}, map[string]*schedule.Limit{}
	for _, key := range clusters {
		tenant := t.Of(key.Namespace)
		if tenant == nil {
			continue
		}
		if known[tenant.Name] == nil {
			known[tenant.Name] = &schedule.Limit{Hosts: *tenant.Hosts.Max, Standby: *tenant.Hosts.MaxStandby,
				HostsFrom: tenant.hostLimit("hosts.max"), StandbyFrom: tenant.hostLimit("hosts.maxStandby")}
		}
		out[key] = known[tenant.Name]
	}
	return out
}

// Room returns how many hosts a tenant's clusters may have beyond those that they hold and are releasing. brake is the
// number of the site's brake.
func (t *Tenants) Room(tenant *Tenant, held Counts, brake int) int {
	return max(0, *tenant.Hosts.Max-t.used(held, brake)[tenant.Name])
}

// Clusters reports the clusters beyond their tenant's limit. Clusters in the tree (known), and those that leave, stay.
// The others come by priority, highest first, then by name. frozen clusters that are not in the tree come last and do
// not count: they are reported if there is no place for them beside the others.
func (t *Tenants) Clusters(clusters []v1.SIPCluster, known []schedule.ClusterKey, leaves func(*v1.SIPCluster) bool,
	frozen map[schedule.ClusterKey]bool) []validation.ClusterError {
	used, has := map[string]int{}, map[schedule.ClusterKey]bool{}
	for _, key := range known {
		has[key] = true
		if tenant := t.Of(key.Namespace); tenant != nil {
			used[tenant.Name]++
		}
	}
	var more []*v1.SIPCluster
	for i := range clusters {
		if key := schedule.KeyOf(&clusters[i]); !has[key] && !leaves(&clusters[i]) && t.Of(key.Namespace) != nil {
			more = append(more, &clusters[i])
		}
	}
	slices.SortFunc(more, func(a, b *v1.SIPCluster) int {
		return cmp.Or(order.Bool(frozen[schedule.KeyOf(a)], frozen[schedule.KeyOf(b)]),
			cmp.Compare(b.Spec.Priority, a.Spec.Priority), strings.Compare(a.Key(), b.Key()))
	})
	var errs []validation.ClusterError
	for _, c := range more {
		tenant := t.Of(c.Namespace)
		if used[tenant.Name] < *tenant.MaxClusters {
			if !frozen[schedule.KeyOf(c)] {
				used[tenant.Name]++
			}
			continue
		}
		where := tenant.where("maxClusters")
		if !tenant.Listed {
			where = "each namespace (the Site's spec.maxClustersPerTenant)"
		}
		errs = append(errs, validation.ClusterError{Cluster: c,
			FieldError: validation.FieldError{Path: "metadata.name", Message: fmt.Sprintf(
				"one cluster too many: the tenant already has %d, counting those in the tree and those served before this one, and %s may have at most %d", used[tenant.Name], where, *tenant.MaxClusters)}})
	}
	return errs
}

// hostLimit returns where for a bound on hosts, which a site without spec.tenants has too.
func (t *Tenant) hostLimit(field string) string {
	if !t.Listed {
		return "each namespace (the Site's spec.maxHostsPerTenant)"
	}
	return t.where(field)
}

func (c Count) plus(d Count) Count { return Count{c.Hosts + d.Hosts, c.Standby + d.Standby} }

// Granted returns the hosts that the tenants of clusters may have, by labels and namespace, for package schedule.
func (t *Tenants) Granted(clusters []schedule.ClusterKey) map[schedule.ClusterKey]labels.Selector {
	out, known := map[schedule.ClusterKey]labels.Selector{}, map[string]labels.Selector{}
	for _, key := range clusters {
		tenant := t.Of(key.Namespace)
		if tenant == nil {
			continue
		}
		if _, is := known[tenant.Name]; !is {
			known[tenant.Name] = t.granted(tenant)
		}
		if granted := known[tenant.Name]; granted != nil {
			out[key] = granted
		}
	}
	return out
}

// granted returns the hosts that a tenant may have, nil for all. A selector that is not valid selects none.
func (t *Tenants) granted(tenant *Tenant) labels.Selector {
	mine := t.withoutOthersHosts(tenant)
	if namespaces := tenant.Hosts.Namespaces; len(namespaces) > 0 {
		mine.MatchExpressions = append(mine.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: v1.HostNamespaceKey, Operator: metav1.LabelSelectorOpIn, Values: namespaces,
		})
	}
	if len(mine.MatchLabels)+len(mine.MatchExpressions) == 0 {
		return nil
	}
	selector, err := metav1.LabelSelectorAsSelector(&mine)
	if err != nil {
		return labels.Nothing()
	}
	return selector
}

// MayHave returns which hosts the grant of a listed tenant lets its clusters have, nil for every host.
func (t *Tenants) MayHave(name string) func(*inventory.Host) bool {
	at := slices.IndexFunc(t.site.Spec.Tenants, func(of v1alpha1.Tenant) bool { return of.Name == name })
	tenant := &Tenant{Tenant: t.site.Spec.Tenants[at]}
	granted := t.granted(tenant)
	if granted == nil {
		return nil
	}
	return func(h *inventory.Host) bool {
		return granted.Matches(v1.HostLabels{Namespace: h.Namespace, Labels: h.Labels})
	}
}

// withoutOthersHosts returns a tenant's selector, without the virtual hosts that the Site has for other tenants only.
func (t *Tenants) withoutOthersHosts(tenant *Tenant) metav1.LabelSelector {
	var others []string
	for i := range t.site.Spec.Services.VirtualHosts {
		v := &t.site.Spec.Services.VirtualHosts[i]
		if len(v.Tenants) > 0 && !slices.Contains(v.Tenants, tenant.Name) {
			others = append(others, v.Group())
		}
	}
	selector := tenant.Hosts.Selector
	selector.MatchExpressions = slices.Clone(selector.MatchExpressions)
	if len(others) > 0 {
		selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: v1alpha1.VirtualHostsLabel, Operator: metav1.LabelSelectorOpNotIn, Values: others,
		})
	}
	return selector
}

// Clusters that hold hosts, or that hosts are leaving, by name.
func (h Counts) Clusters() []schedule.ClusterKey {
	all := maps.Clone(h.counts)
	for key := range h.leaving {
		all[key] = h.counts[key]
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b schedule.ClusterKey) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
}
