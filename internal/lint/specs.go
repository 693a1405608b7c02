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
	"github.com/airshipit/sipgen/api/v1/validation"
	apivalidation "github.com/airshipit/sipgen/api/v1alpha1/validation"
	"github.com/airshipit/sipgen/internal/finding"
)

// warnings are fields that are accepted and do nothing, leave a service of no use, or are not rendered as written.
func (c *checker) warnings() {
	if c.Site != nil {
		for _, unused := range apivalidation.UnusedFields(c.Site) {
			c.site(finding.Useless, finding.Warning, unused.Path, unused.Message, "remove the field, or correct spec.engine")
		}
		if !c.silences(siteName(c.Site), finding.Unrendered) {
			for _, err := range c.Site.Warnings {
				f := finding.FromError(finding.Unrendered, siteName(c.Site), err)
				f.Severity = finding.Warning
				c.add(f)
			}
		}
	}
	for i := range c.Clusters {
		cluster := &c.Clusters[i]
		for _, warning := range validation.Warnings(cluster) {
			code, fix := finding.Useless, "set the field, or remove the entry"
			switch {
			case strings.HasPrefix(warning.Path, "metadata.annotations["):
				code, fix = finding.Unread, correct
			case warning.Path == "metadata.deletionTimestamp":
				fix = "remove the line; if the cluster is to go, remove its file"
			case strings.HasPrefix(warning.Path, "spec.services.auth["):
				code, fix = finding.Deprecated, "describe the provider in spec.services.dex"
			case strings.HasPrefix(warning.Path, "spec.services."+v1.ListWorker+"[") &&
				strings.HasSuffix(warning.Path, "].nodePort"):
				code, fix = finding.Deprecated, "remove the field"
			case strings.HasPrefix(warning.Path, "spec.nodes.") && strings.HasSuffix(warning.Path, ".count"):
				fix = "set the number of hosts, such as count: {active: 3}"
				if set := cluster.Spec.Nodes[strings.TrimSuffix(strings.TrimPrefix(warning.Path, "spec.nodes."),
					".count")]; set.Count != nil {
					fix = "ask for an active host too, or for no standby host"
				}
			case strings.HasPrefix(warning.Path, "spec.nodes."):
				fix = "rename the role, unless it is meant to have no load balancer"
			}
			c.cluster(code, finding.Warning, cluster, warning.Path, warning.Message, fix)
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
				c.cluster(finding.IssuerShared, finding.Error, cluster, field,
					fmt.Sprintf("%s is the issuer of %s too: each cluster's API server would ask the other's Dex for keys",
						dex.Issuer, other),
					"give each cluster an issuer of its own")
			} else {
				first[id] = clusterName(cluster).String()
			}
			if message, fix := misplaced(dex, issuer, port); message != "" {
				c.cluster(finding.IssuerPlace, finding.Warning, cluster, field, message, fix)
			}
			c.reserved(cluster, j)
		}
	}
}

// reserved finds empty prefixes, with which the identity provider can give rights in the tenant's cluster by a name.
// The file authentication.yaml has a rule against it; flags cannot. An e-mail address cannot equal the name of one of
// Kubernetes' own users.
func (c *checker) reserved(cluster *v1.SIPCluster, n int) {
	k := cluster.Spec.Services.Dex[n].Kubernetes
	if k == nil {
		return
	}
	add := func(name, who, example string, prefix *string) {
		if prefix != nil && v1.MayBeReserved(*prefix) {
			c.cluster(finding.Reserved, finding.Warning, cluster,
				fmt.Sprintf("spec.services.%s[%d].kubernetes.%s", v1.ListDex, n, name),
				fmt.Sprintf("found %q: %s that the identity provider names %s has the rights of Kubernetes' own; authentication.yaml makes the API server refuse such a token, kube-apiserver-flags.txt cannot", *prefix, who, example),
				`leave the field out, which means "oidc:", or use authentication.yaml, and suppress this`)
		}
	}
	if k.UsernameClaim != "" && k.UsernameClaim != "email" {
		add("usernamePrefix", "a user", "system:kube-scheduler", k.UsernamePrefix)
	}
	add("groupsPrefix", "a group", "system:masters", k.GroupsPrefix)
}

// misplaced describes how the issuer's address differs from that of Dex's Service. A ClusterIP Service has a proxy in
// front of it that sipgen does not see.
func misplaced(dex *v1.Dex, issuer *url.URL, port string) (message, fix string) {
	const proxy = ", or suppress this and name the proxy in between as the reason"
	switch dex.ExposureType(dex.NodePort) {
	case corev1.ServiceTypeNodePort:
		switch {
		case dex.NodePort == 0:
			return fmt.Sprintf("%s has port %s, and the node port is left to the API server to choose", dex.Issuer,
				port), "set nodePort to the issuer's port" + proxy
		case port != strconv.Itoa(int(dex.NodePort)):
			return fmt.Sprintf("%s has port %s, and Dex is exposed at node port %d", dex.Issuer, port,
				dex.NodePort), "write the node port into the issuer" + proxy
		}
	case corev1.ServiceTypeLoadBalancer:
		if port != "443" {
			return fmt.Sprintf("%s has port %s, and the load balancer's Service port 443", dex.Issuer,
				port), "leave the port out of the issuer" + proxy
		}
		addresses := dex.Service.Service.Addresses()
		if ip := literal(issuer.Hostname()); ip != "" && len(addresses) > 0 &&
			!slices.ContainsFunc(addresses, func(a string) bool { return literal(a) == ip }) {
			return fmt.Sprintf("%s is at %s, and the load balancer at %s", dex.Issuer, ip,
				strings.Join(addresses, ", ")), "write the load balancer's address or name into the issuer" + proxy
		}
	}
	return "", ""
}

// literal returns an IP address in its usual form, empty for a name.
func literal(text string) string {
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return ""
	}
	return ip.Unmap().String()
}
