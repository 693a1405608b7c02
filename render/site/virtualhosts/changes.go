package virtualhosts

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

// Broken returns why the machines of a Vino may lose libvirt and their BMC, or be defined with other addresses than
// those of their BareMetalHosts: empty where nothing of the kind has changed since the tree before. previous gives a file
// of that tree by its path. Ranges are not among it: ViNO's pools keep the addresses of what is there.
func Broken(v *v1alpha1.VirtualHosts, previous map[string][]byte) []string {
	var was struct {
		Spec v1alpha1.VinoSpec `json:"spec"`
	}
	file, found := previous[Folder(v)+"/vino.yaml"]
	if !found || yaml.Unmarshal(file, &was) != nil {
		return nil
	}
	var out []string
	if !reflect.DeepEqual(was.Spec.NodeSelector, v.Spec.NodeSelector) {
		out = append(out, "another nodeSelector")
	}
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
	} {
		if field.was != field.is {
			out = append(out, fmt.Sprintf("network %s has %s %s, was %s", is.Name, field.name, field.is, field.was))
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

// Ended returns the Vinos that the tree before has and the Site no longer asks for, sorted.
func Ended(site *v1alpha1.Site, previous map[string][]byte) []v1alpha1.VirtualHosts {
	var out []v1alpha1.VirtualHosts
	for _, path := range slices.Sorted(maps.Keys(previous)) {
		folder, found := strings.CutSuffix(path, "/vino.yaml")
		if !found || !strings.HasPrefix(path, root) || slices.ContainsFunc(site.Spec.Services.VirtualHosts,
			func(v v1alpha1.VirtualHosts) bool { return Folder(&v) == folder }) {
			continue
		}
		var was struct {
			Metadata struct {
				Namespace string `json:"namespace"`
				Name      string `json:"name"`
			} `json:"metadata"`
		}
		if yaml.Unmarshal(previous[path], &was) == nil && was.Metadata.Name != "" {
			out = append(out, v1alpha1.VirtualHosts{Namespace: was.Metadata.Namespace, Name: was.Metadata.Name})
		}
	}
	return out
}

// Made reports whether a host is one that ViNO makes of the Vino: by where it is and what it is called, which ViNO
// decides. Of a Vino that has ended nothing says where its hosts are.
func Made(v *v1alpha1.VirtualHosts, namespace, name string) bool {
	return (v.HostNamespace == "" || namespace == v.HostNamespace) && strings.HasPrefix(name, v.Namespace+"-"+v.Name+"-")
}
