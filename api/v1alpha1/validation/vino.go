package validation

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/redact"
)

// The most that one Vino may ask for: more than any has, and so few that its hosts can be listed.
const (
	maxVinoCount    = 5_000 // of one node set, on a node
	maxVinoHosts    = 200_000
	maxVinoNetworks = 100
	// maxHostName leaves room for what ViNO appends for the Secrets of a host: -network-data.
	maxHostName = validation.DNS1123SubdomainMaxLength - len("-network-data")
)

// validateVirtualHosts holds each Vino to what ViNO's controller can carry out: it has no webhook, and fails where
// nobody looks.
func validateVirtualHosts(s *v1alpha1.Site, add Report) {
	const field = "spec.services.virtualHosts"
	if len(s.Spec.Services.VirtualHosts) > 0 && s.Spec.Hosts.Apply == v1alpha1.ApplyOverlay {
		add(field, "needs spec.hosts.apply: merge: ViNO makes the hosts, and spec.hosts.base has no manifest of them: "+
			"once a cluster has one, the engine could build no host's patch")
	}
	eachService(s, field, s.Spec.Services.VirtualHosts, add, func(one serviceCheck, v *v1alpha1.VirtualHosts) {
		c := &vinoCheck{one}
		c.virtualHosts(v)
	})
}

var (
	interfaceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:-]{0,14}$`)
	diskPath      = regexp.MustCompile(`^/([A-Za-z0-9_-]+[A-Za-z0-9_.-]*/?)+$`)
	bootHost      = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)
)

// commands checks the values that ViNO puts into commands on the nodes.
func (c *vinoCheck) commands(spec *v1alpha1.VinoSpec) {
	is := func(pattern *regexp.Regexp, field, value, want string) {
		if value != "" && !pattern.MatchString(value) {
			c.say(field, "found %q, want %s", value, want)
		}
	}
	is(bootHost, "pxeBootImageHost", spec.PXEBootImageHost, "a host name or an address")
	for i := range spec.Networks {
		is(interfaceName, fmt.Sprintf("networks[%d].physicalInterface", i), spec.Networks[i].PhysicalInterface,
			"the name of a network interface")
		is(interfaceName, fmt.Sprintf("networks[%d].bridgeName", i), spec.Networks[i].BridgeName,
			"the name of a network interface")
	}
	for i := range spec.Nodes {
		is(diskPath, fmt.Sprintf("nodes[%d].rootDeviceName", i), spec.Nodes[i].RootDeviceName,
			"a device as in /dev/vda")
		for j, disk := range spec.Nodes[i].DiskDrives {
			is(diskPath, fmt.Sprintf("nodes[%d].diskDrives[%d].path", i, j), disk.Path, "an absolute path")
		}
	}
}

// vinoCheck checks one Vino.
type vinoCheck struct{ serviceCheck }

func (c *vinoCheck) virtualHosts(v *v1alpha1.VirtualHosts) {
	checkName(c.at+".name", v.Name, c.add)
	checkName(c.at+".namespace", v.Namespace, c.add)
	checkName(c.at+".hostNamespace", v.HostNamespace, c.add)
	if spaces := c.site.Spec.Hosts.Namespaces; len(spaces) > 0 && !slices.Contains(spaces, v.HostNamespace) {
		c.add(c.at+".hostNamespace", "found %q, where ViNO makes hosts, and it is not among spec.hosts.namespaces: "+
			"no cluster could have them", v.HostNamespace)
	}
	if len(v.Group()) > validation.LabelValueMaxLength {
		c.add(c.at+".name", "found %q, want %d characters or fewer together with the namespace: both are in a label",
			v.Name, validation.LabelValueMaxLength-1)
	}
	c.credentials(v)
	c.tenants(v)
	if v.Former {
		return // what is missing has another name
	}
	spec := &v.Spec
	if spec.NodeSelector == nil {
		c.say("nodeSelector", "missing: ViNO's controller crashes without it")
	} else if len(spec.NodeSelector.MatchLabels) == 0 {
		c.say("nodeSelector.matchLabels", "found none: every node would get virtual machines")
	}
	c.labelKeys(spec.NodeLabelKeysToCopy)
	c.commands(spec)
	images := &spec.DaemonSetOptions
	c.images("daemonSetOptions.", map[string]string{
		"libvirtImage": images.LibvirtImage, "sushyImage": images.SushyImage, "vinoBuilderImage": images.VinoBuilder,
		"nodeAnnotatorImage": images.NodeLabeler,
	})
	if len(spec.Networks) > maxVinoNetworks || len(spec.Nodes) > maxVinoNetworks {
		c.say("nodes", "found %d networks and %d node sets, want at most %d of each", len(spec.Networks),
			len(spec.Nodes), maxVinoNetworks)
		return
	}
	networks := c.networks(spec.Networks)
	perNode := c.nodeSets(spec.Nodes, networks)
	c.nodes(v, perNode)
}

// credentials come from a Secret with Flux, and with Argo CD, which puts nothing in at the sync, from somebody who
// applies them himself. They never come from git.
func (c *vinoCheck) credentials(v *v1alpha1.VirtualHosts) {
	if c.site.Spec.Engine == v1alpha1.EngineArgoCD {
		if v.CredentialsSecret != "" {
			c.add(c.at+".credentialsSecret",
				"given with engine argocd, which puts nothing from a Secret into a Vino: want none, and the "+
					"commands in PLAN.md")
		}
	} else {
		if v.CredentialsSecret == "" {
			c.add(c.at+".credentialsSecret",
				"missing: the Secret in namespace %s with bmc_username and bmc_password", c.site.Spec.Flux.Namespace)
		}
		secretName(c.at+".credentialsSecret", v.CredentialsSecret, c.add)
		c.variables(v)
	}
	if _, given := v.Spec.Written["bmcCredentials"]; given {
		c.say("bmcCredentials", "given, and would be committed: remove it, and change the password wherever it is "+
			"in use. %s", c.credentialsHint(v))
	}
}

// credentialsHint returns how the credentials of a Vino reach it without git, in one line.
func (c *vinoCheck) credentialsHint(v *v1alpha1.VirtualHosts) string {
	if c.site.Spec.Engine == v1alpha1.EngineArgoCD {
		return fmt.Sprintf("The commands in PLAN.md apply them with this credentials.yaml: {apiVersion: %s, kind: "+
			"Vino, metadata: {namespace: %s, name: %s}, "+
			"spec: {bmcCredentials: {username: ..., password: ...}}}", upstream.Vino.APIVersion,
			redact.Plain(v.Namespace), redact.Plain(v.Name))
	}
	secret := redact.Plain(cmp.Or(v.CredentialsSecret, v.Name+"-bmc"))
	return fmt.Sprintf("Apply this by hand, and set credentialsSecret: %s in the Site: {apiVersion: v1, kind: "+
		"Secret, metadata: {namespace: %s, name: %s}, "+
		"stringData: {bmc_username: ..., bmc_password: ...}}", secret, redact.Plain(c.site.Spec.Flux.Namespace),
		secret)
}

func (c *vinoCheck) tenants(v *v1alpha1.VirtualHosts) {
	for i, name := range v.Tenants {
		if !slices.ContainsFunc(c.site.Spec.Tenants, func(t v1alpha1.Tenant) bool { return t.Name == name }) {
			c.add(fmt.Sprintf("%s.tenants[%d]", c.at, i), "found %q, which spec.tenants does not have", name)
		}
	}
}

// variables complains about what Flux would put something else in place of, besides the credentials.
func (c *vinoCheck) variables(v *v1alpha1.VirtualHosts) {
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case string:
			if strings.Contains(value, "${") {
				c.say(path, "has ${ in it, which Flux would replace: want the value itself")
			}
		case []any:
			for i, item := range value {
				walk(fmt.Sprintf("%s[%d]", path, i), item)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				if strings.Contains(key, "${") {
					c.say(path, "has a key with ${ in it, which Flux would replace")
				}
				walk(strings.TrimPrefix(path+"."+redact.Plain(key), "."), value[key])
			}
		}
	}
	walk("", map[string]any(v.Spec.Written))
}

// labelKeys refuses copied labels that assign a host.
func (c *vinoCheck) labelKeys(keys []string) {
	for i, key := range keys {
		at := fmt.Sprintf("nodeLabelKeysToCopy[%d]", i)
		c.checkOwnKeys(at, key)
	}
}

func (c *vinoCheck) checkOwnKeys(field, key string) {
	k := &c.site.Spec.LabelKeys
	if slices.Contains([]string{k.ClusterNamespace, k.ClusterName, k.NodeType, k.Standby,
		v1alpha1.VirtualHostsLabel}, key) {
		c.say(field, "found %q, which sipgen writes: hosts would come as if they were a cluster's", key)
	}
}

// object checks the name of an object, of which both parts are given or none.
func (c *vinoCheck) object(field string, name v1alpha1.VinoNamespacedName) {
	for _, part := range []struct{ field, value string }{{".name", name.Name}, {".namespace", name.Namespace}} {
		if part.value == "" {
			c.say(field+part.field, "missing")
		}
		optionalName(c.at+".spec."+field+part.field, part.value, c.add)
	}
}

// nodes checks the nodes that are known, and that the names of their hosts are names.
func (c *vinoCheck) nodes(v *v1alpha1.VirtualHosts, perNode int) {
	first, longest := map[string]int{}, 0
	for _, set := range v.Spec.Nodes {
		longest = max(longest, len(fmt.Sprintf("-%s-%d", set.Name, max(0, set.Count-1))))
	}
	for i := range v.Nodes {
		node := &v.Nodes[i]
		at := fmt.Sprintf("%s.nodes[%d]", c.at, i)
		if node.Name == "" {
			c.add(at+".name", "missing")
		}
		optionalName(at+".name", node.Name, c.add)
		if other, twice := first[node.Name]; twice {
			c.add(at+".name", "found %q, which nodes[%d] is", node.Name, other)
		} else {
			first[node.Name] = i
		}
		if n := len(v.Namespace) + len(v.Name) + len(node.Name) + 2 + longest; n > maxHostName {
			c.add(at+".name", "found %q, want a shorter one: the names of its hosts have %d characters, and their "+
				"Secrets' more than an object may have", node.Name, n)
		}
		checkAddress(at+".address", node.Address, c.add)
		checkLabels(at+".labels", node.Labels, c.add)
		c.checkSelected(v, node, at)
	}
	if n := len(v.Nodes) * perNode; n > maxVinoHosts {
		c.add(c.at+".nodes", "found %d virtual hosts on all nodes, want at most %d", n, maxVinoHosts)
	}
}

// checkSelected complains about a known node label that keeps ViNO from the node.
func (c *vinoCheck) checkSelected(v *v1alpha1.VirtualHosts, node *v1alpha1.VirtualHostNode, at string) {
	if v.Spec.NodeSelector == nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(v.Spec.NodeSelector.MatchLabels)) {
		if has, known := node.Labels[key]; known && has != v.Spec.NodeSelector.MatchLabels[key] {
			c.add(at+".labels", "%s is %q, and spec.nodeSelector requires %q: ViNO makes no host on %s",
				redact.Plain(key), has,
				v.Spec.NodeSelector.MatchLabels[key], redact.Plain(node.Name))
		}
	}
}
