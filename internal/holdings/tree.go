package holdings

import (
	"cmp"
	"slices"
	"strings"
)

// Clusters returns the clusters with hosts in the tree, including leaving ones, by name.
func Clusters(tree []Claim) []ClusterKey {
	var out []ClusterKey
	for i := range tree {
		out = append(out, tree[i].Cluster)
	}
	slices.SortFunc(out, func(a, b ClusterKey) int { return compare(HostKey(a), HostKey(b)) })
	return slices.Compact(out)
}

// ClusterHosts returns a cluster's hosts in the tree, by role and name, without leaving ones.
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

// Networks returns the networks on which the tree has addresses of hosts.
func Networks(tree []Claim) map[string]bool {
	out := map[string]bool{}
	for i := range tree {
		for network := range tree[i].Addresses {
			out[network] = true
		}
	}
	return out
}
