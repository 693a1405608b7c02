package render

import (
	"strings"
	"testing"
)

const placementService = `    networks:
    - {name: storage, namespace: openstack, attachment: '{"type": "macvlan"}'}
    - {name: internal, namespace: metallb-system, pool: {addresses: [172.17.0.200-172.17.0.210], autoAssign: false}}
    placement:
    - {name: placement, namespace: openstack, spec: {databaseInstance: openstack, secret: placement-secret, networkAttachments: [storage]}}
`

// Placement comes after its networks; nothing waits for it, and nothing prunes any of it.
func TestPlacementAndItsNetworks(t *testing.T) {
	tree := services(t, siteOf(t, "flux", placementService), nil)
	want(t, tree, "site/placement/openstack.placement.yaml", "kind: PlacementAPI\n", "apiVersion: placement.openstack.org/v1beta1\n", "  databaseInstance: openstack\n", "networkAttachments: [storage]\n", "prune: disabled")
	wantNot(t, tree, "site/placement/openstack.placement.yaml", "networkAttachents", "kind: Secret")
	want(t, tree, "site/networks/attachment.openstack.storage.yaml", "kind: NetworkAttachmentDefinition\n", `config: '{"type": "macvlan"}'`)
	want(t, tree, "site/networks/pool.metallb-system.internal.yaml", "kind: IPAddressPool\n", "addresses: [172.17.0.200-172.17.0.210]\n", "autoAssign: false\n")
	want(t, tree, "flux/placement.yaml", "prune: false", "deletionPolicy: Orphan", "- name: sipgen-dc1-networks", "- name: sipgen-dc1-policy")
	want(t, tree, "flux/networks.yaml", "prune: false", "deletionPolicy: Orphan", "- name: sipgen-dc1-policy")
	want(t, tree, "PLAN.md", "kubectl -n openstack create secret generic placement-secret --from-file=PlacementPassword\n")
	for path, content := range tree {
		if strings.HasPrefix(path, "flux/") && path != "flux/placement.yaml" && strings.Contains(string(content), "- name: sipgen-dc1-networks") {
			t.Errorf("%s waits for the site's networks:\n%s", path, content)
		}
	}
	tree = services(t, siteOf(t, "argocd", placementService), nil)
	want(t, tree, "argocd/placement.yaml", `argocd.argoproj.io/sync-wave: "2"`, "Prune=false")
	want(t, tree, "argocd/networks.yaml", `argocd.argoproj.io/sync-wave: "-1"`, "Prune=false")
}
