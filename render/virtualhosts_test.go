package render

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/render/site/virtualhosts"
	"github.com/airshipit/sipgen/schedule"
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

// With Argo CD the Vino has no credentials, and PLAN.md says how it comes by them; its Application deletes nothing, and comes after Ironic's.
func TestVirtualHostsOnArgoCD(t *testing.T) {
	tree := services(t, siteOf(t, "argocd", ironicPlain+strings.Replace(vinoService, "      credentialsSecret: vino-bmc\n", "", 1)), nil)
	const folder = "site/virtual-hosts/vino.vms"
	wantNot(t, tree, folder+"/vino.yaml", "bmcCredentials", "${")
	want(t, tree, folder+"/vino.yaml", "gateway: $vinobridge", "argocd.argoproj.io/sync-options: Prune=false,Delete=false")
	want(t, tree, "argocd/vino.vino.vms.yaml", "sync-wave: \"3\"", "path: "+folder+"\n", "prune: false", "Prune=false", "Delete=false", "ServerSideApply=true")
	wantNot(t, tree, "argocd/vino.vino.vms.yaml", "finalizers")
	want(t, tree, "argocd/ironic.yaml", "sync-wave: \"2\"")
	want(t, tree, "argocd/kustomization.yaml", "- vino.vino.vms.yaml\n")
	want(t, tree, "PLAN.md", "    metadata: {namespace: vino, name: vms}\n",
		"    kubectl patch --local -f "+folder+"/vino.yaml --type merge --patch-file credentials.yaml -o yaml | kubectl apply --server-side --field-manager=argocd-controller -f -\n",
		"    kubectl apply --server-side --field-manager=bmc-credentials -f credentials.yaml\n")
	wantNot(t, tree, "PLAN.md", "vino-bmc", "flux-system")
	want(t, tree, "policy/service-guard.yaml", "has(object.spec.bmcCredentials)", "make the Vino as PLAN.md says")
}

// A network with too few addresses for the nodes is an error: ViNO would make some hosts and then fail.
func TestVirtualHostsRunShort(t *testing.T) {
	site := siteOf(t, "flux", strings.Replace(vinoService, "{name: n2, address: 10.0.0.2}", "{name: n2}, {name: n3}", 1))
	_, _, err := Site(Input{Site: site, Placement: &schedule.Placement{}})
	const want = "site.yaml: document 1: line 17: spec.services.virtualHosts[0].spec.networks[0].staticAllocationStop: too few addresses: none is left for node n3, with 4 hosts before"
	need.Error(t, "", err, want)
}

// manyVirtualHosts is a site with a thousand nodes of twenty virtual hosts each.
func manyVirtualHosts(tb testing.TB) Input {
	var nodes strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&nodes, "{name: node-%04d, address: 10.9.%d.%d, labels: {rack: r%d}}, ", n, n/250, n%250+1, n/20)
	}
	text := strings.NewReplacer(
		"{name: n1, address: 10.0.0.1}, {name: n2, address: 10.0.0.2}", nodes.String(),
		"subnet: 192.168.2.0/24, dhcpAllocationStart: 192.168.2.128, dhcpAllocationStop: 192.168.2.255, staticAllocationStart: 192.168.2.10, staticAllocationStop: 192.168.2.15",
		"subnet: 172.16.0.0/14, dhcpAllocationStart: 172.18.0.0, dhcpAllocationStop: 172.18.255.255, staticAllocationStart: 172.16.0.10, staticAllocationStop: 172.17.255.255",
		"count: 2", "count: 20").Replace(vinoService)
	return Input{Site: siteOf(tb, "flux", text), Placement: &schedule.Placement{}}
}

// BenchmarkVirtualHosts previews and renders twenty thousand virtual hosts: at most 3 s of processor time and 500 MB.
func BenchmarkVirtualHosts(b *testing.B) {
	in := manyVirtualHosts(b)
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := processor(b)
	for b.Loop() {
		tree, _, err := Site(in)
		need.OK(b, err)
		if n := len(virtualhosts.Hosts(tree)); n != 20_000 {
			b.Fatalf("found %d hosts", n)
		}
	}
	spent := (processor(b) - began).Seconds() / float64(b.N)
	runtime.ReadMemStats(&after)
	b.ReportMetric(spent, "cpu-s/op")
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(b.N); each > 500<<20 {
		b.Errorf("%d MB, want at most 500", each>>20)
	}
	need.That(b, spent <= 3, "%.1f s of processor time, want at most 3", spent)
}

// processor is the time of user and system together: whatever else runs on the machine.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
