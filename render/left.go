package render

import (
	"maps"
	"strings"

	"github.com/airshipit/sipgen/render/object"
)

// emptied is the kustomization of a folder in which an Application is to find nothing, and no mistake: see
// emptyFolders.
const emptied = object.Header + `# Empty for one more commit: a sync that Argo CD has begun continues in this folder.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: []
`

// IsEmptied reports whether a file is the kustomization of services or rights that went with the commit before: they
// are not in the tree.
func IsEmptied(content []byte) bool { return string(content) == emptied }

// emptyFolders leaves in each folder that a tenant's Application synced until now, and none does with this commit, a
// kustomization without resources, for one more commit.
//
// Argo CD writes an Application's source into each sync that it begins. It retries a failed sync with the newest
// commit, but in the original folder. Until that succeeds, it neither begins another sync nor deletes what a deleted
// Application applied. A folder in which nothing can be built would keep the services of a tenant that is gone
// forever.
func (s *rendering) emptyFolders() {
	for name := range s.Previous {
		folder, ok := strings.CutSuffix(name, "/kustomization.yaml")
		if _, there := s.tree[name]; ok && !there && isOfTenantsApplication(folder) {
			s.tree[name] = []byte(emptied)
		}
	}
}

// isOfTenantsApplication reports whether what an Application applies from a folder is deleted with it.
func isOfTenantsApplication(folder string) bool {
	parts := strings.Split(folder, "/")
	switch len(parts) {
	case 3:
		return parts[0] == "clusters" || parts[0] == "rights"
	case 4:
		return parts[0] == "clusters" && parts[3] == "infra"
	}
	return false
}

// withoutEmptied returns a tree without the kustomizations that emptyFolders left in it.
func withoutEmptied(tree Tree) Tree {
	clone := tree
	for name, content := range tree {
		if !IsEmptied(content) {
			continue
		}
		if len(clone) == len(tree) {
			clone = maps.Clone(tree)
		}
		delete(clone, name)
	}
	return clone
}
