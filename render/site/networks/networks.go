// Package networks renders what services and tenants name: NetworkAttachmentDefinitions, and address pools of MetalLB.
package networks

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/render/object"
	siteobject "github.com/airshipit/sipgen/render/site"
)

// Folder is where the objects are in the tree.
const Folder = "site/networks"

type network struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              any `json:"spec"`
}

type attachment struct {
	Config string `json:"config"`
}

// Files are those of the folder, nothing without a network.
func Files(site *v1alpha1.Site) (map[string][]byte, error) {
	var problems manifest.Problems
	files := map[string][]byte{}
	for i := range site.Spec.Services.Networks {
		n := &site.Spec.Services.Networks[i]
		o := network{ObjectMeta: siteobject.Meta(site, n.Namespace, n.Name)}
		kind := "attachment."
		if n.Pool != nil {
			kind = "pool."
			o.TypeMeta = metav1.TypeMeta{APIVersion: "metallb.io/v1beta1", Kind: "IPAddressPool"}
			o.Spec = n.Pool
		} else {
			o.TypeMeta = metav1.TypeMeta{APIVersion: "k8s.cni.cncf.io/v1", Kind: "NetworkAttachmentDefinition"}
			o.Spec = attachment{n.Attachment}
		}
		content, err := object.Marshal(o)
		problems.Add(err)
		files[kind+n.Namespace+"."+n.Name+".yaml"] = content
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return siteobject.Files(files)
}
