package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// nameless finds hosts without a uid, which patches need. They are one finding: files seldom lack the uid of only one
// host.
func (c *checker) nameless() {
	if !c.ByUID || c.Site == nil {
		return
	}
	first, n := "", 0
	for i := range c.Hosts {
		if host := &c.Hosts[i]; host.UID == "" && !unreadable(host) && !c.silences(hostName(host), finding.Nameless) {
			if n++; n == 1 {
				first = host.Key()
				if place := finding.At(host.Source).String(); place != "" {
					first += " (" + place + ")"
				}
			}
		}
	}
	if n > 0 {
		c.site(finding.Nameless, finding.Warning, "spec.inputs.inventory",
			fmt.Sprintf("%d of %d hosts have no metadata.uid, %s the first: plan shows them, but render and publish refuse "+
				"to patch them", n, len(c.Hosts), first),
			"if the engine applies these manifests from git, set spec.hosts.apply: overlay; else read the hosts from the "+
				"cluster (--inventory cluster), or from a snapshot of it (sipgen inventory)")
	}
}

// ownerless finds hosts with the labels of an unknown cluster: one finding for each such cluster.
func (c *checker) ownerless() {
	if c.Placement == nil {
		return
	}
	var of []schedule.ClusterKey
	hosts := map[schedule.ClusterKey][]*inventory.Host{}
	for i := range c.Placement.Hosts {
		line := &c.Placement.Hosts[i]
		why, _ := line.Reason.(schedule.Condition)
		if why.Code != holdings.UnknownCluster || c.silences(hostName(line.Host), finding.Ownerless) {
			continue
		}
		cluster := c.Placement.Holdings.Hosts[i].Labels.Cluster // both are by name
		if hosts[cluster] == nil {
			of = append(of, cluster)
		}
		hosts[cluster] = append(hosts[cluster], line.Host)
	}
	for _, cluster := range of {
		also := ""
		if more := len(hosts[cluster]) - 1; more > 0 {
			also = fmt.Sprintf(" (the same of %s)", text.Plural(more, "more host", "more hosts"))
		}
		c.host(finding.Ownerless, finding.Warning, hosts[cluster][0], "metadata.labels",
			fmt.Sprintf("labeled for cluster %s, which is in neither the specs nor the tree%s: no cluster gets it",
				cluster.Quoted(), also),
			"find its owner: another site, another tool, or a cluster that lost its spec; if it has none, spec.hosts.release of the Site releases it")
	}
}

// alike finds failure domains whose names differ only in case: they count as two, and are most likely one.
func (c *checker) alike() {
	found := map[string]string{} // by key: what is wrong with its values, empty for nothing
	for i := range c.Clusters {
		cluster := &c.Clusters[i]
		for _, name := range slices.Sorted(maps.Keys(cluster.Spec.Nodes)) {
			set := cluster.Spec.Nodes[name]
			for _, key := range set.Keys() {
				if _, looked := found[key]; !looked {
					found[key] = twoSpellings(c.Hosts, key)
				}
				if found[key] != "" {
					c.cluster(finding.Alike, finding.Warning, cluster, "spec.nodes."+name, found[key],
						"give the hosts of one domain the same label; until then a domain may get twice as many hosts as the role allows")
				}
			}
		}
	}
}

// twoSpellings names the first two values of a label that differ in capital letters alone, with a host of each; empty
// for none.
func twoSpellings(hosts []inventory.Host, key string) string {
	type spelling struct{ value, host string }
	seen := map[string]spelling{}
	for i := range hosts {
		value := hosts[i].Labels[key]
		folded := strings.ToLower(value)
		first, known := seen[folded]
		switch {
		case value == "":
		case !known:
			seen[folded] = spelling{value, hosts[i].Key()}
		case first.value != value:
			return fmt.Sprintf("%s is %q on %s and %q on %s: these count as two failure domains", key, first.value, first.host,
				value, hosts[i].Key())
		}
	}
	return ""
}
