package takeover

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
)

// lists are today's lists of services by SIP's words for them, in lower case.
var lists = map[string]string{
	"loadbalancer": v1.ListControlPlane, "loadbalancercontrolplane": v1.ListControlPlane,
	"loadbalancerworker": v1.ListWorker,
	"jumphost":           v1.ListJumpHost, "jumppod": v1.ListJumpHost, "jump": v1.ListJumpHost,
	"auth": "auth", "authhost": "auth", "authpod": "auth",
}

// services converts spec.services and spec.infra, which is a map by service or a list of entries that name theirs.
func (c *converter) services(spec map[string]any) {
	out := map[string]any{}
	add := func(path, name string, value any) {
		list := lists[strings.ToLower(name)]
		entry, ok := value.(map[string]any)
		switch {
		case !ok || list == "":
			c.note(path, "is no service of SIP's: left out")
			return
		case list == "auth":
			c.note(path, "SIP never ran it: left out; spec.services.dex is an OIDC provider")
			return
		}
		c.service(path, list, entry)
		entries, _ := out[list].([]any)
		if len(entries) == 1 {
			c.note(path, "SIP gave all entries of a list the same objects, and the last one won: further entries have objects of their own here")
		}
		out[list] = append(entries, entry)
	}
	services := object(spec, "services")
	for _, name := range slices.Sorted(maps.Keys(services)) {
		entries, ok := services[name].([]any)
		if !ok || lists[strings.ToLower(name)] == "" {
			out[name] = services[name]
			continue
		}
		for i, entry := range entries {
			add(fmt.Sprintf("spec.services.%s[%d]", name, i), name, entry)
		}
	}
	switch infra := spec["infra"].(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(infra)) {
			add("spec.infra."+name, name, infra[name])
		}
		delete(spec, "infra")
	case []any:
		for i, value := range infra {
			entry, _ := value.(map[string]any)
			name, _ := entry["serviceType"].(string)
			delete(entry, "serviceType")
			add(fmt.Sprintf("spec.infra[%d]", i), name, value)
		}
		delete(spec, "infra")
	}
	if len(out) > 0 {
		spec["services"] = out
	}
}

// service converts one entry of a list.
func (c *converter) service(path, list string, entry map[string]any) {
	// For some weeks the common fields stood in an object "inline", and others in one "optional".
	for _, name := range []string{"inline", "optional"} {
		if inner := object(entry, name); inner != nil {
			delete(entry, name)
			maps.Copy(inner, entry)
			maps.Copy(entry, inner)
		}
	}
	if image, ok := entry["image"].(string); ok && (v1.SIPImage(list, image) || list == v1.ListJumpHost) {
		c.drop(path, entry, "of SIP's time, which cannot run what is rendered now: left out, so that it is the Site's",
			"image")
	} else if ok {
		c.note(path+".image", "kept: it has to run what is rendered now; without the field it is the Site's")
	}
	c.drop(path, entry, "SIP ignored it, and here it has an effect: left out; set it if it is intended", "nodeLabels",
		"nodelabels", "clusterIP", "clusterIp")
	c.drop(path, entry, "no counterpart: left out", "redfish")
	if ports, _ := entry["nodePorts"].([]any); len(ports) > 0 && entry["nodePort"] == nil {
		entry["nodePort"] = ports[0]
		delete(entry, "nodePorts")
		if len(ports) > 1 {
			c.note(path+".nodePorts", "a service has one node port: the first one is taken")
		}
	}
	switch list {
	case v1.ListControlPlane:
		if entry["portName"] == nil {
			entry["portName"] = v1.PortNameSIP
			c.note(path, "portName is %s: the name that SIP gave the Service's port. With another name the Service has no endpoint until new pods are ready", v1.PortNameSIP)
		}
	case v1.ListWorker:
		c.workerPorts(path, entry)
	case v1.ListJumpHost:
		c.keys(path, entry)
	}
}

func (c *converter) workerPorts(path string, entry map[string]any) {
	if port := entry["nodePort"]; port != nil && entry["nodePortRange"] == nil {
		entry["nodePortRange"] = map[string]any{"start": port, "end": port}
		c.drop(path, entry, "is a nodePortRange of one port now: set its end, if more ports are to be served", "nodePort")
	}
	c.drop(path, entry, "SIP ignored it next to nodePortRange: left out", "nodePort")
	start, _ := object(entry, "nodePortRange")["start"].(float64)
	end, _ := object(entry, "nodePortRange")["end"].(float64)
	if start > 0 && start <= end && end-start < validation.MaxCheckedPorts && entry["checkPort"] == nil &&
		entry["checkEachPort"] == nil {
		entry["checkEachPort"] = true
		c.note(path, "checkEachPort is true: as with SIP, a worker's port is up where that port answers. Without it checkPort decides for all")
	}
}

func (c *converter) keys(path string, entry map[string]any) {
	for _, name := range []string{"sshkey", "sshKey", "SSHKey"} {
		if text, ok := entry[name].(string); ok && entry["sshAuthorizedKeys"] == nil && validation.IsPublicKey(text) {
			entry["sshAuthorizedKeys"] = []any{strings.TrimSpace(text)}
			c.drop(path, entry, "is sshAuthorizedKeys now", name)
		}
		c.drop(path, entry, "is not a public key, or is next to sshAuthorizedKeys: left out, and without sshAuthorizedKeys no user can log in", name)
	}
}
