package virtualhosts

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

// Change is one that leaves machines of a Vino without care, or breaks them.
type Change struct {
	// Vino has a namespace, a name and, unless it ended, where its hosts are.
	Vino v1alpha1.VirtualHosts
	// Does is what happens, for a sentence about the Vino: "ends: its machines lose libvirt and their BMC".
	Does string
	// Fewer: its hosts are no longer asked for. Else every host of the Vino is concerned.
	Fewer bool
	lost  func(host string) bool
}

// Loses reports whether a host is one of those that the change is about.
func (c *Change) Loses(namespace, name string) bool {
	return Made(&c.Vino, namespace, name) && c.lost(name)
}

// Changes returns what the Site changes in the Vinos of the tree before, by ViNO's own rules. previous gives a file of
// that tree by its path. Ranges of addresses are not among it: ViNO's pools keep the addresses of what is there.
func Changes(site *v1alpha1.Site, previous map[string][]byte) []Change {
	var out []Change
	for n := range site.Spec.Services.VirtualHosts {
		v := &site.Spec.Services.VirtualHosts[n]
		was := before(v, previous)
		if was == nil {
			continue
		}
		if why := fewer(was, &v.Spec); len(why) > 0 {
			out = append(out, Change{*v, "asks for fewer hosts (" + strings.Join(why, "; ") +
				"): no pod of ViNO that starts again defines their machines, and ViNO deletes neither them nor their hosts", true,
				func(host string) bool { return asksFor(was, host) && !asksFor(&v.Spec, host) }})
		}
		if why := broken(was, &v.Spec); len(why) > 0 {
			out = append(out, Change{*v, "has changed (" + strings.Join(why, "; ") +
				"): machines may lose libvirt and their BMC, or get other addresses than their hosts", false, every})
		}
	}
	for _, v := range ended(site, previous) {
		out = append(out, Change{v, "ends: its machines lose libvirt and their BMC", false, every})
	}
	return out
}

func every(string) bool { return true }

// Refused returns what ViNO refuses to change in the Vinos of the tree before: nothing happens to their hosts.
func Refused(site *v1alpha1.Site, previous map[string][]byte) []string {
	var out []string
	for n := range site.Spec.Services.VirtualHosts {
		v := &site.Spec.Services.VirtualHosts[n]
		was := before(v, previous)
		if was == nil {
			continue
		}
		for i := range was.Networks {
			network := &was.Networks[i]
			same := func(n v1alpha1.VinoNetwork) bool { return n.Name == network.Name && n.SubNet == network.SubNet }
			n := slices.IndexFunc(v.Spec.Networks, same)
			if n >= 0 && v.Spec.Networks[n].FirstMAC() != network.FirstMAC() {
				out = append(out, fmt.Sprintf("Vino %s: network %s has macPrefix %s, was %s: ViNO refuses that for a subnet, "+
					"and makes no host for the Vino until it is as before", v.Key(), network.Name, v.Spec.Networks[n].FirstMAC(),
					network.FirstMAC()))
			}
		}
	}
	return out
}

// before returns the spec of a Vino in the tree before, nil for none.
func before(v *v1alpha1.VirtualHosts, previous map[string][]byte) *v1alpha1.VinoSpec {
	var was struct {
		Spec v1alpha1.VinoSpec `json:"spec"`
	}
	file, found := previous[Folder(v)+"/vino.yaml"]
	if !found || yaml.Unmarshal(file, &was) != nil {
		return nil
	}
	return &was.Spec
}

// fewer returns the node sets that have gone or have a lower count.
func fewer(was, is *v1alpha1.VinoSpec) []string {
	var out []string
	for i := range was.Nodes {
		set := &was.Nodes[i]
		n := slices.IndexFunc(is.Nodes, func(s v1alpha1.VinoNodeSet) bool { return s.Name == set.Name })
		switch {
		case set.Count == 0:
		case n < 0:
			out = append(out, "node set "+set.Name+" is gone")
		case is.Nodes[n].Count < set.Count:
			out = append(out, fmt.Sprintf("node set %s has %d, was %d", set.Name, is.Nodes[n].Count, set.Count))
		}
	}
	return out
}

// asksFor reports whether a Vino asks for a host on whatever node: its name ends in the set and the number.
func asksFor(spec *v1alpha1.VinoSpec, host string) bool {
	dash := strings.LastIndex(host, "-")
	k, err := strconv.Atoi(host[dash+1:])
	return err == nil && slices.ContainsFunc(spec.Nodes, func(set v1alpha1.VinoNodeSet) bool {
		return k < set.Count && strings.HasSuffix(host[:dash], "-"+set.Name)
	})
}

// broken returns why the machines of a Vino may lose libvirt and their BMC, or be defined with other addresses than
// those of their BareMetalHosts.
func broken(was, is *v1alpha1.VinoSpec) []string {
	var out []string
	if !reflect.DeepEqual(was.NodeSelector, is.NodeSelector) {
		out = append(out, "another nodeSelector")
	}
	for i := range was.Networks {
		network := &was.Networks[i]
		n := slices.IndexFunc(is.Networks, func(n v1alpha1.VinoNetwork) bool { return n.Name == network.Name })
		switch {
		case n < 0:
			out = append(out, "network "+network.Name+" is gone")
		case network.SubNet != is.Networks[n].SubNet:
			out = append(out, fmt.Sprintf("network %s has subnet %s, was %s", network.Name, is.Networks[n].SubNet,
				network.SubNet))
		}
	}
	for i := range was.Nodes {
		set := &was.Nodes[i]
		n := slices.IndexFunc(is.Nodes, func(s v1alpha1.VinoNodeSet) bool { return s.Name == set.Name })
		if n < 0 || set.Count == 0 {
			continue // whose machines are no longer asked for
		}
		if was, ok := wiring(set), wiring(&is.Nodes[n]); was != ok {
			out = append(out, fmt.Sprintf("node set %s has interfaces %s, was %s", set.Name, ok, was))
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

// ended returns the Vinos that the tree before has and the Site no longer asks for, sorted.
func ended(site *v1alpha1.Site, previous map[string][]byte) []v1alpha1.VirtualHosts {
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
