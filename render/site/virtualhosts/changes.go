package virtualhosts

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

// Remade returns why ViNO makes the machines of a Vino again, or gives them other addresses, that the tree before has
// otherwise: empty where it does not. previous gives a file of that tree by its path. Networks that only grow change
// nothing.
func Remade(v *v1alpha1.VirtualHosts, previous map[string][]byte) []string {
	var was struct {
		Spec v1alpha1.VinoSpec `json:"spec"`
	}
	if yaml.Unmarshal(previous[Folder(v)+"/vino.yaml"], &was) != nil {
		return nil
	}
	var out []string
	for i := range was.Spec.Networks {
		before := &was.Spec.Networks[i]
		n := slices.IndexFunc(v.Spec.Networks, func(n v1alpha1.VinoNetwork) bool { return n.Name == before.Name })
		if n < 0 {
			out = append(out, "network "+before.Name+" is gone")
			continue
		}
		out = append(out, network(before, &v.Spec.Networks[n])...)
	}
	for i := range was.Spec.Nodes {
		before := &was.Spec.Nodes[i]
		n := slices.IndexFunc(v.Spec.Nodes, func(s v1alpha1.VinoNodeSet) bool { return s.Name == before.Name })
		if n < 0 || before.Count == 0 {
			continue // whose machines are no longer asked for
		}
		if was, ok := wiring(before), wiring(&v.Spec.Nodes[n]); was != ok {
			out = append(out, fmt.Sprintf("node set %s has interfaces %s, was %s", before.Name, ok, was))
		}
	}
	return out
}

func network(was, is *v1alpha1.VinoNetwork) []string {
	var out []string
	for _, field := range []struct{ name, was, is string }{
		{"subnet", was.SubNet, is.SubNet}, {"macPrefix", was.FirstMAC(), is.FirstMAC()},
		{"staticAllocationStart", was.StaticAllocationStart, is.StaticAllocationStart}, {"dhcpAllocationStart",
			was.DHCPAllocationStart, is.DHCPAllocationStart},
		{"instanceSubnetBitStep", fmt.Sprint(was.BitStep()), fmt.Sprint(is.BitStep())},
	} {
		if field.was != field.is {
			out = append(out, fmt.Sprintf("network %s has %s %s, was %s", is.Name, field.name, field.is, field.was))
		}
	}
	for _, stop := range []struct{ name, was, is string }{
		{"staticAllocationStop", was.StaticAllocationStop, is.StaticAllocationStop}, {"dhcpAllocationStop",
			was.DHCPAllocationStop, is.DHCPAllocationStop},
	} {
		before, err := netip.ParseAddr(stop.was)
		now, err2 := netip.ParseAddr(stop.is)
		if err == nil && err2 == nil && now.Less(before) {
			out = append(out, fmt.Sprintf("network %s has %s %s, was %s", is.Name, stop.name, stop.is, stop.was))
		}
	}
	return out
}

// wiring returns the interfaces of a set's machines, each with its network, and a * at the one that they boot from.
func wiring(s *v1alpha1.VinoNodeSet) string {
	var out []string
	for _, iface := range s.NetworkInterfaces {
		boot := ""
		if iface.Name == s.BootInterfaceName {
			boot = "*"
		}
		out = append(out, iface.Name+boot+"="+iface.NetworkName)
	}
	return strings.Join(out, ",")
}

// Made reports whether a host is one that ViNO makes of the Vino: by where it is and what it is called, which ViNO
// decides.
func Made(v *v1alpha1.VirtualHosts, namespace, name string) bool {
	return namespace == v.HostNamespace && strings.HasPrefix(name, v.Namespace+"-"+v.Name+"-")
}
