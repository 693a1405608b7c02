package holdings

import (
	"cmp"
	"slices"
	"strings"
)

// Clusters are those of which the tree has hosts, the leaving ones too, by name.
func Clusters(tree []Claim) []ClusterKey {
	var out []ClusterKey
	for i := range tree {
		out = append(out, tree[i].Cluster)
	}
	slices.SortFunc(out, func(a, b ClusterKey) int { return compare(HostKey(a), HostKey(b)) })
	return slices.Compact(out)
}

// ClusterHosts are the hosts that the tree gives to a cluster, by role and name, without those that leave it.
func ClusterHosts(tree []Claim, cluster ClusterKey) []Claim {
	var out []Claim
	for i := range tree {
		if tree[i].Cluster == cluster && !tree[i].Releasing {
			out = append(out, tree[i])
		}
	}
	slices.SortFunc(out, func(a, b Claim) int { return cmp.Or(strings.Compare(a.Role, b.Role), compare(a.Host, b.Host)) })
	return out
}

// Networks are those on which the tree has addresses of hosts.
func Networks(tree []Claim) map[string]bool {
	out := map[string]bool{}
	for i := range tree {
		for network := range tree[i].Addresses {
			out[network] = true
		}
	}
	return out
}
