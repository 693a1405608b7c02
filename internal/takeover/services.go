package takeover

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// lists are the spellings of the lists of services, and of the words for them in spec.infra.
var lists = map[string]string{
	"loadbalancer": v1.ListControlPlane, "loadbalancercontrolplane": v1.ListControlPlane, "loadbalancerworker": v1.ListWorker,
	"jumphost": v1.ListJumpHost, "jumppod": v1.ListJumpHost, "jump": v1.ListJumpHost,
	"auth": "auth", "authhost": "auth", "authpod": "auth", "dex": v1.ListDex,
}

// services converts spec.services, list by list.
func (c *converter) services(value any, out map[string]any) {
	from := c.fields("spec.services", value)
	for _, name := range slices.Sorted(maps.Keys(from.left)) {
		list := lists[strings.ToLower(name)]
		if list == "" {
			continue
		}
		value, _ := from.take(name)
		for i, item := range c.items("spec.services."+name, value) {
			c.service(fmt.Sprintf("spec.services.%s[%d]", name, i), list, item, out)
		}
	}
	from.rest()
}

// infra converts spec.infra: a map by service, or a list of entries that name theirs.
func (c *converter) infra(value any, out map[string]any) {
	if object, is := value.(map[string]any); is {
		from := c.fields("spec.infra", object)
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if list := lists[strings.ToLower(name)]; list != "" {
				entry, _ := from.take(name)
				c.service("spec.infra."+name, list, entry, out)
			}
		}
		from.rest()
		return
	}
	for i, item := range c.items("spec.infra", value) {
		path := fmt.Sprintf("spec.infra[%d]", i)
		object, _ := item.(map[string]any)
		kind, _ := object["serviceType"].(string)
		list := lists[strings.ToLower(kind)]
		if list == "" {
			c.note(path+".serviceType", "names no service: the entry is left out")
			continue
		}
		object = maps.Clone(object)
		delete(object, "serviceType")
		c.service(path, list, object, out)
	}
}

// service converts one entry of whatever list, and puts it into its list of today.
func (c *converter) service(path, list string, value any, out map[string]any) {
	switch list {
	case "auth":
		c.note(path, "SIP never ran it: left out; spec.services.dex is an OIDC provider")
		return
	case v1.ListDex: // of today's shape
		entries, _ := out[list].([]any)
		out[list] = append(entries, value)
		return
	}
	from := c.fields(path, value)
	// For some weeks the tag of the common part was a name, so that its fields had to stand in an object of that name.
	if inner, name := from.take("inline"); name != "" {
		if object, is := inner.(map[string]any); is {
			for field, value := range object {
				if _, twice := from.left[field]; !twice {
					from.left[field] = value
				}
			}
		}
	}
	if optional, name := from.take("optional"); name != "" {
		if object, is := optional.(map[string]any); is {
			maps.Copy(from.left, object)
		}
	}
	entry := map[string]any{}
	c.image(from, list, entry)
	c.ignored(from)
	if network := from.text("nodeInterfaceId"); network != "" {
		entry["nodeInterfaceId"] = network
	}
	c.ports(from, list, entry)
	switch list {
	case v1.ListJumpHost:
		c.jumpHost(from, entry)
	case v1.ListWorker:
		if c.fewPorts(entry) && from.left["checkPort"] == nil && from.left["checkEachPort"] == nil {
			entry["checkEachPort"] = true
			from.note("", "checkEachPort is true: as with SIP, a worker's port is up where that port answers. Without it checkPort decides for all")
		}
	case v1.ListControlPlane:
		entry["portName"] = v1.PortNameSIP
		from.note("", "portName is %s: the name that SIP gave the Service's port. With another name the Service has no endpoint until new pods are ready", v1.PortNameSIP)
	}
	for _, name := range today[list] {
		if value, found := from.take(name); found != "" {
			entry[name] = value
		}
	}
	from.rest()
	entries, _ := out[list].([]any)
	if len(entries) == 1 {
		c.note(path, "SIP gave all entries of a list the same objects, and the last one won: further entries have objects of their own here")
	}
	out[list] = append(entries, entry)
}

// today are the fields that SIP did not have, in case a spec has been converted in part.
var today = map[string][]string{
	v1.ListControlPlane: {"addressFamily", "replicas", "resources", "service", "networkAttachments", "healthCheck", "portName", "haproxy"},
	v1.ListWorker:       {"addressFamily", "replicas", "resources", "service", "networkAttachments", "checkPort", "checkEachPort", "haproxy"},
	v1.ListJumpHost:     {"addressFamily", "replicas", "resources", "service", "networkAttachments", "trustedUserCA", "hostKeys"},
}

// image drops the images of SIP's time: they do not run what is rendered today.
func (c *converter) image(from *fields, list string, entry map[string]any) {
	image := from.text("image")
	if image == "" {
		return
	}
	if v1.SIPImage(list, image) || list == v1.ListJumpHost {
		from.note("image", "of SIP's time, which cannot run what is rendered now: left out, so that it is the Site's")
		return
	}
	entry["image"] = image
	from.note("image", "kept: it has to run what is rendered now; without the field it is the Site's")
}

// ignored are fields that SIP read, and that had no effect.
func (c *converter) ignored(from *fields) {
	for _, names := range [][]string{{"nodeLabels", "nodelabels"}, {"clusterIP", "clusterIp"}} {
		if _, name := from.take(names...); name != "" {
			from.note(name, "SIP ignored it, and here it has an effect: left out; set it if it is meant")
		}
	}
}

func (c *converter) ports(from *fields, list string, entry map[string]any) {
	port := from.number("nodePort")
	if value, name := from.take("nodePorts"); name != "" {
		ports := c.items(from.path+"."+name, value)
		for i, item := range ports {
			number, is := item.(float64)
			if i == 0 && is && port == 0 {
				port = int64(number)
			}
		}
		if len(ports) > 1 {
			from.note(name, "a service has one node port: the first one is taken")
		}
	}
	if list != v1.ListWorker {
		if port != 0 {
			entry["nodePort"] = port
		}
		return
	}
	if value, name := from.take("nodePortRange"); name != "" {
		entry[name] = value
		if port != 0 {
			from.note("nodePort", "SIP ignored it beside nodePortRange: left out")
		}
		return
	}
	if port != 0 {
		entry["nodePortRange"] = map[string]any{"start": port, "end": port}
		from.note("nodePort", "is a nodePortRange of one port now: set its end, if more ports are to be served")
	}
}

func (c *converter) jumpHost(from *fields, entry map[string]any) {
	keys, name := from.take("sshAuthorizedKeys")
	if name != "" {
		entry[name] = keys
	}
	if key, name := from.take("sshkey", "sshKey"); name != "" {
		text, is := key.(string)
		switch {
		case keys != nil:
			from.note(name, "stands beside sshAuthorizedKeys: left out")
		case is && v1.IsPublicKey(text):
			entry["sshAuthorizedKeys"] = []any{strings.TrimSpace(text)}
			from.note(name, "is sshAuthorizedKeys now")
		default:
			from.note(name, "is not a public key: left out, and without sshAuthorizedKeys nobody can log in")
		}
	}
	if secret := from.text("nodeSSHPrivateKeys"); secret != "" {
		entry["nodeSSHPrivateKeys"] = secret
	}
	if value, name := from.take("bmc"); name != "" {
		entry[name] = value
	}
}

// fewPorts: a range is small enough for a check of each port.
func (c *converter) fewPorts(entry map[string]any) bool {
	ports, _ := entry["nodePortRange"].(map[string]any)
	number := func(name string) int64 {
		switch n := ports[name].(type) {
		case int64:
			return n
		case float64:
			return int64(n)
		}
		return -1
	}
	start, end := number("start"), number("end")
	return start > 0 && start <= end && end-start < v1.MaxCheckedPorts
}
