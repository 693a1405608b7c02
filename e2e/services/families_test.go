package services

import (
	"fmt"
	"net/http"
	"net/netip"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// TestFamiliesOnADualStackCluster: on an API server with service addresses of both families a Service has those of the addresses that are asked for.
// MetalLB compares the families of the cluster IPs with those of the addresses, and gives no address if they differ (allocateIPs in service.go of its
// controller, v0.16). A Service that was there with both keeps its first.
func TestFamiliesOnADualStackCluster(t *testing.T) {
	const space = "families"
	api := server(t)
	api.Namespaces(t, space)
	services := schema.GroupVersionResource{Version: "v1", Resource: "services"}
	rendered := func(t *testing.T, address string) *unstructured.Unstructured {
		entry := v1.LoadBalancerControlPlane{NodeInterface: "oam"}
		entry.Service.Service = &v1.ServiceExposure{Type: "LoadBalancer", LoadBalancerIP: address}
		in := input(v1.Services{LoadBalancerControlPlane: []v1.LoadBalancerControlPlane{entry}}, v1.RoleControlPlane, "10.0.0.1")
		in.Cluster.Namespace = space
		return objects(t, overlay(t, in)["loadbalancer-controlplane-"+cluster+".yaml"], "Service")[0]
	}
	apply := func(t *testing.T, service *unstructured.Unstructured) []string {
		need.OK(t, api.TryApply(service, "e2e", false))
		live := api.Get(t, services, space, service.GetName())
		ips, _, err := unstructured.NestedStringSlice(live.Object, "spec", "clusterIPs")
		need.OK(t, err)
		var families []string
		for _, ip := range ips {
			families = append(families, map[bool]string{true: "IPv4", false: "IPv6"}[netip.MustParseAddr(ip).Is4()])
		}
		return families
	}
	for address, want := range map[string][]string{
		"":                          {"IPv4", "IPv6"},
		"203.0.113.20":              {"IPv4"},
		"2001:db8:77::20":           {"IPv6"},
		"203.0.113.20,2001:db8::20": {"IPv4", "IPv6"},
	} {
		t.Run(fmt.Sprintf("address %q", address), func(t *testing.T) {
			service := rendered(t, address)
			service.SetName("lb-" + fmt.Sprint(len(address)))
			need.Same(t, "", apply(t, service), want)
		})
	}
	t.Run("an address is asked for later", func(t *testing.T) {
		if got := apply(t, rendered(t, "")); len(got) != 2 {
			t.Fatalf("found %v, want both", got)
		}
		need.Same(t, "", apply(t, rendered(t, "203.0.113.20")), []string{"IPv4"})
		// The page says to delete the Service.
		err := api.TryApply(rendered(t, "2001:db8:77::20"), "e2e", false)
		need.Error(t, "", err, "spec.clusterIPs[0]")
	})
}

// TestNodesWithoutIPv6: where the kernel makes no IPv6 socket, HAProxy starts if the Site says so, and answers on IPv4. The shim is that kernel: what is
// rendered for both families does not start with it.
func TestNodesWithoutIPv6(t *testing.T) {
	t.Parallel()
	haproxy := need.Program(t, "haproxy", "haproxy")
	shim := filepath.Join(t.TempDir(), "no6.so")
	if out, err := exec.Command(need.Program(t, "gcc", "gcc"), "-shared", "-fPIC", "-o", shim, filepath.Join("testdata", "no6.c")).CombinedOutput(); err != nil {
		need.Missing(t, "the C library's files, of Debian's libc6-dev: %v\n%s", err, out)
	}
	first := int32(freeRange(t, 2))
	ports := v1.PortRange{Start: first, End: first + 1}
	for name, services := range map[string]v1.Services{
		"control plane":              controlPlane(nil),
		"workers":                    {LoadBalancerWorker: []v1.LoadBalancerWorker{{NodeInterface: "oam", NodePortRange: ports}}},
		"workers, each port checked": {LoadBalancerWorker: []v1.LoadBalancerWorker{{NodeInterface: "oam", NodePortRange: ports, CheckEachPort: true}}},
		"workers, PROXY protocol": {LoadBalancerWorker: []v1.LoadBalancerWorker{{NodeInterface: "oam", NodePortRange: ports,
			HAProxy: &v1.HAProxy{AcceptProxyProtocol: true}}}},
	} {
		role, file := v1.RoleWorker, "loadbalancer-worker-"+cluster
		if name == "control plane" {
			role, file = v1.RoleControlPlane, "loadbalancer-controlplane-"+cluster
		}
		t.Run(name, func(t *testing.T) {
			in := input(services, role, "192.0.2.1")
			run := func(status int) *running {
				config := string(overlay(t, in)[file+".cfg"])
				config = replaceOnce(t, config, ":8404", fmt.Sprintf(":%d", status))
				config = strings.ReplaceAll(config, "0.0.0.0:6443", fmt.Sprintf("0.0.0.0:%d", engine.FreePort(t)))
				path := filepath.Join(t.TempDir(), "haproxy.cfg")
				write(t, path, []byte(config), 0o600)
				cmd := exec.Command(haproxy, "-W", "-db", "-f", path)
				cmd.Env = []string{"LD_PRELOAD=" + shim}
				return start(t, cmd)
			}
			refused := run(engine.FreePort(t))
			eventually(t, "HAProxy ends at an IPv6 socket", func() error {
				if !strings.Contains(refused.String(), "cannot create receiving socket") {
					return errNotYet
				}
				return nil
			})
			in.Site.Spec.Defaults.IPFamily = "IPv4"
			status := engine.FreePort(t)
			run(status)
			eventually(t, "HAProxy answers", func() error {
				_, err := get(http.DefaultClient, fmt.Sprintf("http://127.0.0.1:%d/healthz", status))
				return err
			})
			service := objects(t, overlay(t, in)[file+".yaml"], "Service")[0]
			if families, _, _ := unstructured.NestedStringSlice(service.Object, "spec", "ipFamilies"); !slices.Equal(families, []string{"IPv4"}) {
				t.Errorf("the Service has families %v, want IPv4", families)
			}
		})
	}
}
