package render

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/render/assignments"
	"github.com/airshipit/sipgen/schedule"
)

// Parts returns, for each file that is one cluster's alone, the cluster's folder: what is in that and in the cluster's
// folder of rights, and its sync objects. The folder's list of sipgen's files has them, so a change of a cluster's
// services changes no file of the site.
//
// What a cluster without assignments left for one more commit is the site's.
func Parts(names iter.Seq[string]) map[string]string {
	clusters, parts := map[string]string{}, map[string]string{} // by "NAMESPACE.NAME", which are labels without dots
	for name := range names {
		if key, found := clusterIn(name); found && name == assignments.Folder(key)+"/assignments.yaml" {
			clusters[key.Namespace+"."+key.Name] = assignments.Folder(key)
		}
	}
	for name := range names {
		var of string
		if key, found := clusterIn(name); found {
			of = key.Namespace + "." + key.Name
		} else if engine, file, _ := strings.Cut(name, "/"); engine == "flux" || engine == "argocd" {
			of, _ = strings.CutSuffix(file, ".yaml")
			if words := strings.SplitN(of, ".", 3); len(words) == 3 && (words[2] == "project" || words[2] == "rights") {
				of = words[0] + "." + words[1]
			}
		}
		if folder := clusters[of]; folder != "" {
			parts[name] = folder
		}
	}
	return parts
}

// clusterIn returns the cluster in whose folder, or folder of rights, a file is.
func clusterIn(name string) (schedule.ClusterKey, bool) {
	words := strings.SplitN(name, "/", 4)
	if len(words) < 4 || words[0] != "clusters" && words[0] != "rights" {
		return schedule.ClusterKey{}, false
	}
	return schedule.ClusterKey{Namespace: words[1], Name: words[2]}, true
}

// ClusterOf returns the cluster of a folder that Parts gives.
func ClusterOf(folder string) schedule.ClusterKey {
	key, _ := clusterIn(folder + "/")
	return key
}

// IsKept reports whether a file is one that stays as it is as long as its cluster is frozen.
func IsKept(name string) bool {
	words := strings.SplitN(name, "/", 5)
	switch {
	case len(words) == 5 && words[0] == "clusters":
		return words[3] == "infra" || words[3] == "capi"
	case len(words) == 4 && words[0] == "rights":
		return words[3] != accountFile && words[3] != quotaFile && words[3] != "kustomization.yaml"
	}
	return false
}

// Shared is a sum over which hosts the clusters of a tree have, those that they are letting go included. The site's
// list has it: of two proposals that hand out hosts the second one conflicts, because it may hand out the same ones.
// What a cluster makes of its hosts changes nothing for another.
type Shared map[assigned]bool

type assigned struct {
	cluster schedule.ClusterKey
	host    schedule.HostKey
}

// SharedIn returns the hosts of a tree that was read.
func SharedIn(claims []schedule.PreviousClaim) Shared {
	shared := Shared{}
	for i := range claims {
		shared[assigned{claims[i].Cluster, claims[i].Host}] = true
	}
	return shared
}

// SharedOf returns the hosts of a tree that was rendered from a placement.
func SharedOf(tree Tree, placement *schedule.Placement) Shared {
	shared := Shared{}
	for i := range placement.Clusters {
		c := &placement.Clusters[i]
		if _, there := tree[Folder(c.Key)+"/assignments.yaml"]; !there {
			continue
		}
		for j := range c.Roles {
			for _, a := range c.Roles[j].Assigned {
				shared[assigned{c.Key, schedule.KeyOfHost(a.Host)}] = true
			}
			for _, r := range c.Roles[j].Releasing {
				shared[assigned{c.Key, schedule.KeyOfHost(r.Host)}] = true
			}
		}
	}
	return shared
}

// Sum returns the sum, for publish.Lists.
func (s Shared) Sum() string {
	lines := make([]string, 0, len(s))
	for a := range s {
		lines = append(lines, a.cluster.String()+" "+a.host.String()+"\n")
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return "sha256:" + hex.EncodeToString(sum[:])
}
