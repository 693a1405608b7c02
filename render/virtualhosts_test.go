package render

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
)

const vinoService = `    virtualHosts:
    - name: vms
      namespace: vino
      credentialsSecret: vino-bmc
      nodes: [{name: n1, address: 10.0.0.1}, {name: n2, address: 10.0.0.2}]
      spec:
        nodeSelector: {matchLabels: {vino: 'yes'}}
        networks:
        - {name: mgmt, subnet: 192.168.2.0/24, dhcpAllocationStart: 192.168.2.128, dhcpAllocationStop: 192.168.2.255, staticAllocationStart: 192.168.2.10, staticAllocationStop: 192.168.2.15, routes: [{network: 10.0.0.0, gateway: $vinobridge}]}
        nodes:
        - {name: worker, count: 2, networkDataTemplate: {name: t, namespace: vino}, bootInterfaceName: eth0, networkInterfaces: [{name: eth0, network: mgmt}]}
`

// With Argo CD the Vino has no credentials, and PLAN.md says how it comes by them; its Application deletes nothing, and
// comes after Ironic's.
func TestVirtualHostsOnArgoCD(t *testing.T) {
	tree := services(t, siteOf(t, "argocd",
		ironicPlain+strings.Replace(vinoService, "      credentialsSecret: vino-bmc\n", "", 1)), nil)
	const folder = "site/virtual-hosts/vino.vms"
	wantNot(t, tree, folder+"/vino.yaml", "bmcCredentials", "${")
	want(t, tree, folder+"/vino.yaml", "gateway: $vinobridge",
		"argocd.argoproj.io/sync-options: Prune=false,Delete=false")
	want(t, tree, "argocd/vino.vino.vms.yaml", "sync-wave: \"3\"", "path: "+folder+"\n", "prune: false", "Prune=false",
		"Delete=false", "ServerSideApply=true")
	wantNot(t, tree, "argocd/vino.vino.vms.yaml", "finalizers")
	want(t, tree, "argocd/ironic.yaml", "sync-wave: \"2\"")
	want(t, tree, "argocd/kustomization.yaml", "- vino.vino.vms.yaml\n")
	want(t, tree, "PLAN.md", "    metadata: {namespace: vino, name: vms}\n",
		"    kubectl patch --local -f "+folder+
			"/vino.yaml --type merge --patch-file credentials.yaml -o yaml | kubectl apply --server-side --field-manager=argocd-controller -f -\n",
		"    kubectl apply --server-side --field-manager=bmc-credentials -f credentials.yaml\n")
	wantNot(t, tree, "PLAN.md", "vino-bmc", "flux-system")
	want(t, tree, "policy/service-guard.yaml", "has(object.spec.bmcCredentials)", "make the Vino as PLAN.md says")
	want(t, tree, folder+"/hosts.tsv", "\nvino-system/vino-vms-n1-worker-0\tn1\t02:00:00:00:00:01\t")
}

// A network with too few addresses for the nodes is an error: ViNO would make some hosts and then fail.
func TestVirtualHostsRunShort(t *testing.T) {
	site := siteOf(t, "flux", strings.Replace(vinoService, "{name: n2, address: 10.0.0.2}", "{name: n2}, {name: n3}",
		1))
	_, _, err := Site(Input{Site: site, Placement: &schedule.Placement{}})
	const want = "site.yaml: document 1: line 17: spec.services.virtualHosts[0].spec.networks[0].staticAllocationStop: too few addresses: none is left for node n3, with 4 hosts before"
	assert.ErrorContains(t, err, want)
}
