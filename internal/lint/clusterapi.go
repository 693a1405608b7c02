package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/text"
)

// minScaleIn is the smallest control plane that Cluster API rolls out by going down first (package render/capi).
const minScaleIn = 3

// clusterAPI finds clusters that Cluster API and its provider for metal3 cannot use, or not as intended.
func (c *checker) clusterAPI() {
	for i := range c.Clusters {
		cluster := &c.Clusters[i]
		if c.leaves(cluster) {
			continue
		}
		c.apart(cluster)
		set := cluster.Spec.Nodes[v1.RoleControlPlane]
		active, standby := set.Want()
		field := "spec.nodes." + v1.RoleControlPlane + ".count"
		if active > 0 && active%2 == 0 {
			c.cluster(finding.Even, finding.Warning, cluster, field+".active",
				fmt.Sprintf("%d control planes: Cluster API refuses an even number if etcd runs on them, and an even member does not make etcd more available", active),
				fmt.Sprintf("ask for %d or %d, or suppress this where etcd is elsewhere", active-1, active+1))
		}
		if active > 0 && active < minScaleIn && standby > 0 {
			c.cluster(finding.NoSurge, finding.Warning, cluster, field+".standby",
				fmt.Sprintf("with %d active control planes a rollout needs one spare host (Cluster API allows maxSurge: 0 only from %d), and a standby host does not serve for that",
					active, minScaleIn),
				fmt.Sprintf("ask for %d active, or suppress this where the standby host is meant for failures only", minScaleIn))
		}
	}
}

// apart finds clusters whose hosts are in several namespaces: Cluster API's provider for metal3 looks for hosts in
// one.
func (c *checker) apart(cluster *v1.SIPCluster) {
	in := map[string][]string{} // hosts by namespace
	if placed := c.findPlaced(cluster); placed != nil {
		for _, role := range placed.Roles {
			for _, a := range role.Assigned {
				in[a.Host.Namespace] = append(in[a.Host.Namespace], a.Host.Key())
			}
		}
	}
	const fix = "name one namespace in hostNamespaces of each role, or suppress this where Cluster API does not use the hosts"
	if len(in) > 1 {
		var parts []string
		for _, namespace := range slices.Sorted(maps.Keys(in)) {
			hosts := in[namespace]
			slices.Sort(hosts)
			parts = append(parts, fmt.Sprintf("%s (%s)", namespace, text.Some(hosts, 1)))
		}
		c.cluster(finding.Apart, finding.Warning, cluster, "spec.nodes",
			"the hosts are in "+strings.Join(parts, ", ")+": Cluster API uses those of one namespace only", fix)
		return
	}
	var common, first []string
	var where string
	for _, name := range slices.Sorted(maps.Keys(cluster.Spec.Nodes)) {
		set := cluster.Spec.Nodes[name]
		if active, standby := set.Want(); active+standby == 0 || len(set.HostNamespaces) == 0 {
			continue
		}
		if first == nil {
			common, first, where = set.HostNamespaces, set.HostNamespaces, name
			continue
		}
		common = slices.DeleteFunc(slices.Clone(common),
			func(n string) bool { return !slices.Contains(set.HostNamespaces, n) })
		if len(common) == 0 {
			c.cluster(finding.Apart, finding.Warning, cluster, "spec.nodes."+name+".hostNamespaces",
				fmt.Sprintf("has no namespace in common with the roles before it (%s: %s): Cluster API uses the hosts of one namespace only", where, strings.Join(first, ", ")), fix)
			return
		}
	}
}

// noMeeting reports whether hosts match the role's labelSelector and none of them is in its hostNamespaces, and
// complains.
func (c *checker) noMeeting(r *role) bool {
	if len(r.set.HostNamespaces) == 0 {
		return false
	}
	selector, err := metav1.LabelSelectorAsSelector(&r.set.LabelSelector)
	if err != nil {
		return false
	}
	matched, in := 0, map[string]bool{}
	for i := range c.Hosts {
		if selector.Matches(labels.Set(c.Hosts[i].Labels)) {
			matched++
			in[c.Hosts[i].Namespace] = true
		}
	}
	if matched == 0 {
		return false
	}
	namespaces := slices.Sorted(maps.Keys(in))
	c.cluster(finding.NoMeeting, finding.Error, r.cluster, r.field(".hostNamespaces"),
		fmt.Sprintf("none of the %d hosts that labelSelector matches is in %s: they are in %s", matched,
			strings.Join(r.set.HostNamespaces, " or "), text.Some(namespaces, shown)),
		"correct one of the two")
	return true
}
