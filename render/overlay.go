package render

import (
	"path"
	"strings"

	"github.com/airshipit/sipgen/render/object"
)

// overlay renders hosts/, with apply: overlay: the hosts' manifests as the base, and every
// cluster's patches over them. One overlay for the site, so that each host is in exactly one.
func (s *site) overlay() error {
	if s.merge() {
		return nil
	}
	up := strings.Repeat("../", 1+depth(s.Site.Spec.Repository.Path))
	kustomization := object.NewKustomization(up + s.Site.Spec.Hosts.Base)
	for _, c := range s.clusters {
		if !s.hasHosts(c) {
			continue
		}
		kustomization.Components = append(kustomization.Components, path.Join("..", Folder(c.Key), "hosts"))
	}
	content, err := object.Marshal(kustomization)
	s.tree["hosts/kustomization.yaml"] = content
	return err
}

// depth counts the folders of a relative path, 0 for the root.
func depth(folder string) int {
	if folder == "" {
		return 0
	}
	return 1 + strings.Count(folder, "/")
}

func (s *site) hasSiteObjects() bool {
	_, found := s.tree["site/kustomization.yaml"]
	return found
}
