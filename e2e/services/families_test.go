package services

import (
	"net/netip"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestFamiliesOnADualStackCluster: on an API server with service addresses of both families a Service has those of the
// addresses that are asked for. MetalLB compares the families of the cluster IPs with those of the addresses, and gives
// no address if they differ (allocateIPs in service.go of its controller, v0.16). A Service that was there with both
// keeps its first.
func TestFamiliesOnADualStackCluster(t *testing.T) {
	const space = "families"
	api := server(t)
	api.Namespaces(t, space)
	services := schema.GroupVersionResource{Version: "v1", Resource: "services"}
	apply := func(t *testing.T, name, address string) ([]string, error) {
		entry := v1.LoadBalancerControlPlane{NodeInterface: "oam"}
		entry.Service.Service = &v1.ServiceExposure{Type: "LoadBalancer", LoadBalancerIP: address}
		in := input(v1.Services{LoadBalancerControlPlane: []v1.LoadBalancerControlPlane{entry}}, v1.RoleControlPlane,
			"10.0.0.1")
		in.Cluster.Namespace = space
		service := objects(t, overlay(t, in)["loadbalancer-controlplane-"+cluster+".yaml"], "Service")[0]
		service.SetName(name)
		if err := api.TryApply(service, "e2e", false); err != nil {
			return nil, err
		}
		ips, _, err := unstructured.NestedStringSlice(api.Get(t, services, space, name).Object, "spec", "clusterIPs")
		require.NoError(t, err)
		var families []string
		for _, ip := range ips {
			families = append(families, map[bool]string{true: "IPv4", false: "IPv6"}[netip.MustParseAddr(ip).Is4()])
		}
		return families, nil
	}
	for _, row := range []struct {
		name, address string
		want          []string
		err           string
	}{
		{"none", "", []string{"IPv4", "IPv6"}, ""},
		{"none", "203.0.113.20", []string{"IPv4"}, ""},         // an address is asked for later
		{"none", "2001:db8:77::20", nil, "spec.clusterIPs[0]"}, // the page says to delete the Service
		{"ipv6", "2001:db8:77::20", []string{"IPv6"}, ""},
		{"both", "203.0.113.20,2001:db8::20", []string{"IPv4", "IPv6"}, ""},
	} {
		families, err := apply(t, row.name, row.address)
		need.Error(t, row, err, row.err)
		assert.Equal(t, row.want, families, row)
	}
}
