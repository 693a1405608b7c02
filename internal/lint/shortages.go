package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/schedule"
)

// shortages are slots that stay empty. The complaint is about the role that is served last among those that compete.
func (c *checker) shortages() {
	if c.Placement == nil {
		return
	}
	holders := c.holders()
	for i := range c.Placement.Shortages {
		shortage := &c.Placement.Shortages[i]
		if len(shortage.Roles) == 0 {
			continue
		}
		last := shortage.Roles[len(shortage.Roles)-1]
		cluster := c.find(last.Cluster)
		if cluster == nil {
			continue
		}
		severity := Error
		if shortage.Standby {
			severity = Warning
		}
		field := "spec.nodes." + last.Role
		if len(shortage.Roles) > 1 {
			c.cluster(codeCompete, severity, cluster, field+".labelSelector", sentence.Shortage(shortage), "give the roles selectors that do not overlap, ask for fewer, or add hosts that only one of them selects")
			continue
		}
		if message := c.starved(last, shortage, holders); message != "" {
			c.cluster(codeCompete, severity, cluster, field+".labelSelector", message, "give the roles selectors that do not overlap, ask for fewer, or add hosts that only this one selects")
			continue
		}
		c.cluster(codeShort, severity, cluster, field+".count", sentence.Shortage(shortage), "ask for fewer, add hosts in other domains, or widen the selector")
	}
}

func (c *checker) find(key schedule.ClusterKey) *v1.SIPCluster {
	for i := range c.Clusters {
		if c.Clusters[i].Namespace == key.Namespace && c.Clusters[i].Name == key.Name {
			return &c.Clusters[i]
		}
	}
	return nil
}

// holders are the roles that have hosts already, with the labels of these.
func (c *checker) holders() map[schedule.RoleKey][]v1.HostLabels {
	out := map[schedule.RoleKey][]v1.HostLabels{}
	for i := range c.Placement.Hosts {
		line := &c.Placement.Hosts[i]
		switch line.Verdict {
		case schedule.Assigned, schedule.Held, schedule.Pending:
			key := schedule.RoleKey{Cluster: line.Cluster, Role: line.Role}
			out[key] = append(out[key], v1.HostLabels{Namespace: line.Host.Namespace, Labels: line.Host.Labels})
		}
	}
	return out
}

// starved says who has the hosts that one role falls short of, if others have enough of those that it selects.
func (c *checker) starved(short schedule.RoleKey, shortage *schedule.Shortage, holders map[schedule.RoleKey][]v1.HostLabels) string {
	var mine *role
	for _, r := range c.wanting() {
		if r.name == short.Role && r.cluster.Namespace == short.Cluster.Namespace && r.cluster.Name == short.Cluster.Name {
			mine = &r
		}
	}
	if mine == nil {
		return ""
	}
	var parts []string
	total := 0
	keys := slices.SortedFunc(maps.Keys(holders), func(a, b schedule.RoleKey) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		if key == short {
			continue
		}
		n := 0
		for _, set := range holders[key] {
			if mine.selector.Matches(set) {
				n++
			}
		}
		if n > 0 {
			total += n
			parts = append(parts, fmt.Sprintf("%d by %s", n, key))
		}
	}
	if total == 0 || total < shortage.Need-shortage.Capacity {
		return ""
	}
	if len(parts) > shown {
		parts = append(parts[:shown:shown], fmt.Sprintf("%d more roles", len(parts)-shown))
	}
	return fmt.Sprintf("%s; of the hosts that it selects, others are held: %s", strings.TrimSuffix(sentence.Shortage(shortage), "."), strings.Join(parts, ", "))
}
