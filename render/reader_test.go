package render

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// TestReaderNamespaces: hosts are data from outside, and one in kube-system must not make the Secrets there readable.
func TestReaderNamespaces(t *testing.T) {
	placement := &schedule.Placement{}
	for _, namespace := range []string{"metal3", "kube-system", "flux-system", "cert-manager"} {
		placement.Hosts = append(placement.Hosts, schedule.HostLine{Host: &inventory.Host{Namespace: namespace, Name: "h"}})
	}
	bound := func(site *v1alpha1.Site) string {
		var out []string
		tree := render(t, Input{Site: site, Placement: placement})
		for _, text := range tree {
			for document := range strings.SplitSeq(string(text), "---\n") {
				if strings.Contains(document, "\nkind: RoleBinding\n") && strings.Contains(document, "name: "+"sipgen-dc1-network-data"+"\n  namespace: ") {
					_, rest, _ := strings.Cut(document, "name: "+"sipgen-dc1-network-data"+"\n  namespace: ")
					namespace, _, _ := strings.Cut(rest, "\n")
					out = append(out, namespace)
				}
			}
		}
		return strings.Join(out, " ")
	}
	need.Equal(t, "", bound(testSite(nil)), "metal3")
	named := testSite(func(s *v1alpha1.Site) { s.Spec.Hosts.Namespaces = []string{"kube-system"} })
	need.Equal(t, "of a Site that names the namespace: found bindings in", bound(named), "kube-system")
}
