package lint

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// claims are what two clusters ask of the management cluster, and only one can have.
func (c *checker) claims() {
	ports := c.Site.Spec.NodePorts
	start, end := int32(1), int32(65535)
	if ports != nil {
		start, end = ports.Start, ports.End
	}
	clashes, known := v1.ValidateHeld(c.Clusters, c.Held, start, end), map[string]bool{}
	for _, clash := range clashes {
		known[clash.Cluster.Key()+" "+clash.Path] = true
	}
	for _, clash := range c.Clashes {
		if !known[clash.Cluster.Key()+" "+clash.Path] {
			clashes = append(clashes, clash)
		}
	}
	for _, clash := range clashes {
		code, fix := codeAddress, "give one of the two another address"
		port := strings.HasSuffix(clash.Path, ".nodePort") || strings.HasSuffix(clash.Path, ".nodePortRange")
		switch {
		case port && strings.HasPrefix(clash.Message, "found "):
			code, fix = codeNodePortRange, "choose a port of the range, or set spec.nodePorts of the Site to the management cluster's --service-node-port-range"
			c.outOfRange[clash.Cluster.Key()+" "+clash.Path] = !c.silences(clusterName(clash.Cluster), code)
		case port:
			code, fix = codeNodePort, "give one of the two another port"
		case strings.HasSuffix(clash.Path, ".loadBalancerIP"):
			fix = "give one of the two another address, or both the same sharingKey and ports of their own"
		case strings.HasPrefix(clash.Path, "spec.services."+v1.ListDex+"[") && strings.HasSuffix(clash.Path, "]"):
			code, fix = codeDexNamespace, "move one of the two clusters to a namespace of its own"
		}
		if was := c.was(clash.Cluster); was != "" && strings.Contains(clash.Message, was) {
			fix = nameFirst
		}
		c.cluster(code, Error, clash.Cluster, clash.Path, clash.Message, fix)
	}
}

// nameFirst is the fix of what is wrong only, or most likely only, because a cluster has another name than before.
const nameFirst = "first put the name back (" + codeRenamed + ")"

// was is the cluster of the tree that another one most likely is, by another name: "namespace/name", empty for none.
func (c *checker) was(cluster *v1.SIPCluster) string {
	for _, r := range c.Renamed {
		if r.Was != "" && r.Cluster.Key() == cluster.Key() {
			return r.Was
		}
	}
	return ""
}

// networks are those that services name and no host is on.
func (c *checker) networks() {
	if len(c.Hosts) == 0 {
		return // there is nothing that a network could be on
	}
	unread := c.unreadHosts()
	if unread == len(c.Hosts) {
		return // nor is there anything that anybody knows the networks of
	}
	hosts := inventory.Inventory{Hosts: c.Hosts}
	known := hosts.Networks()
	for _, line := range c.placed() {
		for _, address := range line.Host.Addresses { // of a held host, those that it was handed out with
			known[address.Network] = true
		}
	}
	for _, unknown := range v1.UnknownNetworks(c.Clusters, known) {
		if unread > 0 {
			c.cluster(codeNoNetwork, Warning, unknown.Cluster, unknown.Path,
				fmt.Sprintf("%s; nobody knows the networks of %s that cannot be read (%s)", unknown.Message, text.Count(unread, "host"), codeObject),
				"first correct the objects that cannot be read")
			continue
		}
		c.cluster(codeNoNetwork, Error, unknown.Cluster, unknown.Path, unknown.Message, "correct the network's id, or add the hosts' network data to the inventory")
	}
}

// warnings are fields that are accepted and do nothing, or leave a service of no use.
func (c *checker) warnings() {
	if c.Site != nil {
		for _, unused := range c.Site.UnusedFields() {
			c.site(codeUseless, Warning, unused.Path, unused.Message, "remove the field, or correct spec.engine")
		}
	}
	for i := range c.Clusters {
		cluster := &c.Clusters[i]
		for _, warning := range cluster.Warnings() {
			code, fix := codeUseless, "set the field, or remove the entry"
			switch {
			case strings.HasPrefix(warning.Path, "metadata.annotations["):
				code, fix = codeUnread, "correct the key, or give an annotation of your own a domain of your own"
			case warning.Path == "metadata.deletionTimestamp":
				fix = "remove the line; if the cluster is to go, remove its file"
			case strings.HasPrefix(warning.Path, "spec.services.auth["):
				code, fix = codeDeprecated, "describe the provider in spec.services.dex"
			case strings.HasPrefix(warning.Path, "spec.services."+v1.ListWorker+"[") && strings.HasSuffix(warning.Path, "].nodePort"):
				code, fix = codeDeprecated, "remove the field"
			case strings.HasPrefix(warning.Path, "spec.nodes.") && strings.HasSuffix(warning.Path, ".count"):
				fix = "say how many hosts the role needs, such as count: {active: 3}"
				if set := cluster.Spec.Nodes[strings.TrimSuffix(strings.TrimPrefix(warning.Path, "spec.nodes."), ".count")]; set.Count != nil {
					fix = "ask for an active host too, or for no standby host"
				}
			case strings.HasPrefix(warning.Path, "spec.nodes."):
				fix = "rename the role, unless it is meant to have no load balancer"
			}
			c.cluster(code, Warning, cluster, warning.Path, warning.Message, fix)
		}
	}
}

// dexes are issuers that another cluster has too, or that lead somewhere else than to Dex.
func (c *checker) dexes() {
	first := map[string]string{}
	for i := range c.Clusters {
		cluster := &c.Clusters[i]
		for j := range cluster.Spec.Services.Dex {
			dex := &cluster.Spec.Services.Dex[j]
			issuer, err := url.Parse(dex.Issuer)
			if err != nil || issuer.Host == "" {
				continue // complained about where the cluster is validated
			}
			field := fmt.Sprintf("spec.services.%s[%d].issuer", v1.ListDex, j)
			port := issuer.Port()
			if port == "" {
				port = "443"
			}
			id := strings.ToLower(issuer.Hostname()) + ":" + port + issuer.EscapedPath()
			if other, taken := first[id]; taken {
				c.cluster(codeIssuerShared, Error, cluster, field,
					fmt.Sprintf("%s is the issuer of %s too: each cluster's API server would ask the other's Dex for keys", dex.Issuer, other),
					"give each cluster an issuer of its own")
			} else {
				first[id] = clusterName(cluster)
			}
			if message, fix := misplaced(dex, issuer, port); message != "" {
				c.cluster(codeIssuerPlace, Warning, cluster, field, message, fix)
			}
			c.reserved(cluster, j)
		}
	}
}

// reserved are the prefixes with which whoever gives names at the identity provider gives rights in the tenant's cluster. The file authentication.yaml has a
// rule against it; flags can have none. Nobody can make an e-mail address the name of one of Kubernetes' own users.
func (c *checker) reserved(cluster *v1.SIPCluster, n int) {
	k := cluster.Spec.Services.Dex[n].Kubernetes
	if k == nil {
		return
	}
	add := func(name, who, example string, prefix *string) {
		if prefix != nil && (v1.MayBeReserved(*prefix) || name == "usernamePrefix" && *prefix == "-") { // "-" is how kube-apiserver's flags spell no prefix
			c.cluster(codeReserved, Warning, cluster, fmt.Sprintf("spec.services.%s[%d].kubernetes.%s", v1.ListDex, n, name),
				fmt.Sprintf("found %q: %s that the identity provider names %s has the rights of Kubernetes' own; authentication.yaml makes the API server refuse such a token, kube-apiserver-flags.txt cannot", *prefix, who, example),
				`leave the field out, which means "oidc:", or use authentication.yaml, and suppress this`)
		}
	}
	if k.UsernameClaim != "" && k.UsernameClaim != "email" {
		add("usernamePrefix", "a user", "system:kube-scheduler", k.UsernamePrefix)
	}
	add("groupsPrefix", "a group", "system:masters", k.GroupsPrefix)
}

// misplaced says how the issuer's address differs from the one that Dex's Service has. A ClusterIP Service has something in front of it
// that sipgen does not know.
func misplaced(dex *v1.Dex, issuer *url.URL, port string) (message, fix string) {
	const proxy = ", or suppress this and name the proxy in between as the reason"
	switch dex.ExposureType(dex.NodePort) {
	case corev1.ServiceTypeNodePort:
		switch {
		case dex.NodePort == 0:
			return fmt.Sprintf("%s has port %s, and the node port is left to the API server to choose", dex.Issuer, port), "set nodePort to the issuer's port" + proxy
		case port != strconv.Itoa(int(dex.NodePort)):
			return fmt.Sprintf("%s has port %s, and Dex is exposed at node port %d", dex.Issuer, port, dex.NodePort), "write the node port into the issuer" + proxy
		}
	case corev1.ServiceTypeLoadBalancer:
		if port != "443" {
			return fmt.Sprintf("%s has port %s, and the load balancer's Service port 443", dex.Issuer, port), "leave the port out of the issuer" + proxy
		}
		addresses := dex.Service.Service.Addresses()
		if ip := literal(issuer.Hostname()); ip != "" && len(addresses) > 0 && !slices.ContainsFunc(addresses, func(a string) bool { return literal(a) == ip }) {
			return fmt.Sprintf("%s is at %s, and the load balancer at %s", dex.Issuer, ip, strings.Join(addresses, ", ")), "write the load balancer's address or name into the issuer" + proxy
		}
	}
	return "", ""
}

// literal is an IP address in its usual form, empty for a name.
func literal(text string) string {
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return ""
	}
	return ip.Unmap().String()
}
