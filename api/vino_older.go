package api

import (
	"fmt"
	"strings"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/api/v1alpha1/validation"
)

// vinoFormer are fields that a Vino had before, as paths below its spec, with what there is instead.
var vinoFormer = []struct{ was, is string }{
	{"nodeLabels", "it as nodeSelector.matchLabels"},
	{"networks.vmInterfaceName", "a list of networks, and in each the interface as physicalInterface and the " +
		"bridge as bridgeName"},
	{"networks[].allocationStart", "it as staticAllocationStart, and for DHCP a range of its own, from " +
		"dhcpAllocationStart to dhcpAllocationStop"},
	{"networks[].allocationStop", "it as staticAllocationStop"},
	{"networks[].instanceSubnet", "instanceSubnetBitStep, how many bits of addresses each node has"},
	{"networks[].routes[].to", "it as network and netmask"},
	{"networks[].routes[].via", "it as gateway"},
	{"nodes[].labels", "it as bmhLabels, a mapping"},
	{"nodes[].libvirtTemplateDefinition", "it as libvirtTemplate"},
	{"nodes[].networkInterfaces[].bridgeName", "it in the network, as bridgeName"},
	{"nodes[].networkInterfaces[].pf", "it among the interface's options"},
	{"nodes[].networkInterfaces[].vlan", "it among the interface's options"},
}

// readVinos moves the field of an older Vino, and holds each spec against its definition, with credentials in it as
// the API server will see it.
func readVinos(s *v1alpha1.Site, add validation.Report) {
	for n := range s.Spec.Services.VirtualHosts {
		v, at := &s.Spec.Services.VirtualHosts[n], fmt.Sprintf("spec.services.virtualHosts[%d].spec", n)
		spec := v.Spec.Object()
		if _, given := spec["vmBridge"]; given {
			moveBridge(s, at, spec, add)
		}
		fieldsAt(spec, at, "configuration.redfishCredentialSecret",
			func(configuration map[string]any, key, field string) {
				s.Warn(field, "ViNO never read it: the credentials are those of credentialsSecret in the Site, or "+
					"with Argo CD the administrator's")
				delete(configuration, key)
			})
		if v.Spec.Written != nil {
			reread(s, at, spec, &v.Spec, add)
		}
		for _, former := range vinoFormer {
			fieldsAt(spec, at, former.was, func(in map[string]any, key, field string) {
				add(field, "today's API has %s", former.is)
				delete(in, key)
				v.Former = true
			})
		}
		spec["bmcCredentials"] = map[string]any{"username": "", "password": ""}
		checkDefinition(s, upstream.Vino, at, spec, add)
	}
}

// fieldsAt calls found for each field at a path as networks[].routes[].to, with the mapping that it is in.
func fieldsAt(value any, at, path string, found func(in map[string]any, key, field string)) {
	in, _ := value.(map[string]any)
	step, rest, more := strings.Cut(path, ".")
	key, isList := strings.CutSuffix(step, "[]")
	_, has := in[key]
	switch at += "." + key; {
	case !has:
	case !more:
		found(in, key, at)
	case isList:
		for i, item := range anyList(in[key]) {
			fieldsAt(item, fmt.Sprintf("%s[%d]", at, i), rest, found)
		}
	default:
		fieldsAt(in[key], at, rest, found)
	}
}

// moveBridge puts the one bridge of an older Vino where its network has it today.
func moveBridge(s *v1alpha1.Site, at string, spec map[string]any, add validation.Report) {
	networks, _ := spec["networks"].([]any)
	if len(networks) == 1 {
		if network, is := networks[0].(map[string]any); is && network["bridgeName"] == nil {
			s.Warn(at+".vmBridge", "today's API has it as networks[0].bridgeName")
			network["bridgeName"] = spec["vmBridge"]
			delete(spec, "vmBridge")
			return
		}
	}
	add(at+".vmBridge", "today's API has a bridgeName in each network instead: want it there alone")
	delete(spec, "vmBridge")
}
