// Package networks renders what services and tenants name: NetworkAttachmentDefinitions, and address pools of MetalLB.
package networks

import (
	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/render/object"
	siteobject "github.com/airshipit/sipgen/render/site"
)

// Folder is where the objects are in the tree.
const Folder = "site/networks"

// Files returns those of the folder, nothing without a network.
func Files(site *v1alpha1.Site) (map[string][]byte, error) {
	var problems manifest.Problems
	files := map[string][]byte{}
	for i := range site.Spec.Services.Networks {
		n := &site.Spec.Services.Networks[i]
		kind, file, spec := upstream.NetworkAttachmentDefinition, "attachment.", map[string]any{"config": n.Attachment}
		if n.Pool != nil {
			kind, file, spec = upstream.IPAddressPool, "pool.", n.Pool.Object()
		}
		content, err := object.Marshal(siteobject.Object(site, kind, n.Namespace, n.Name, spec))
		problems.Add(err)
		files[file+n.Namespace+"."+n.Name+".yaml"] = content
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return siteobject.Files(files)
}
