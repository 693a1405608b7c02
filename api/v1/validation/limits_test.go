package validation

import (
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// TestFewComplaints: however many lists of a spec are too long, few of them are told of.
func TestFewComplaints(t *testing.T) {
	requirement := metav1.LabelSelectorRequirement{Key: "a", Operator: "In", Values: make([]string, MaxValues+1)}
	set := v1.NodeSet{}
	for range MaxRequirements {
		set.LabelSelector.MatchExpressions = append(set.LabelSelector.MatchExpressions, requirement)
	}
	cluster := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"}, Spec: v1.SIPClusterSpec{Nodes: map[string]v1.NodeSet{}}}
	for n := range MaxRoles {
		cluster.Spec.Nodes[fmt.Sprintf("r%d", n)] = set
	}
	errs := ValidateCluster(&cluster)
	if last := errs[len(errs)-1]; len(errs) != 21 || last.Error() != "spec: 6380 more lists are longer than they may be" {
		t.Errorf("%d complaints, the last is %v", len(errs), last)
	}
}

func TestLimits(t *testing.T) {
	keys := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("k%d", i)
		}
		return out
	}
	worker := func(change func(*v1.NodeSet)) func(*v1.SIPCluster) {
		return func(c *v1.SIPCluster) {
			set := c.Spec.Nodes["Worker"]
			change(&set)
			c.Spec.Nodes["Worker"] = set
		}
	}
	mapOf := func(keys []string) map[string]string {
		out := map[string]string{}
		for _, key := range keys {
			out[key] = ""
		}
		return out
	}
	dex := func(change func(*v1.Dex)) func(*v1.SIPCluster) {
		return func(c *v1.SIPCluster) {
			c.Spec.Services.Dex = make([]v1.Dex, 1)
			change(&c.Spec.Services.Dex[0])
		}
	}
	for why, row := range map[string]struct {
		change func(*v1.SIPCluster)
		want   string // with one more than may be
	}{
		"roles": {func(c *v1.SIPCluster) {
			for _, role := range keys(MaxRoles) {
				c.Spec.Nodes[role] = v1.NodeSet{}
			}
		}, "spec.nodes: found 65 roles, want at most 64"},
		"topology keys":       {worker(func(n *v1.NodeSet) { n.TopologyKeys = keys(MaxTopologyKeys + 1) }), "spec.nodes.Worker.topologyKeys: found 9 keys, want at most 8"},
		"namespaces of hosts": {worker(func(n *v1.NodeSet) { n.HostNamespaces = keys(MaxNamespaces + 1) }), "spec.nodes.Worker.hostNamespaces: found 101 namespaces, want at most 100"},
		"limits of topology keys": {worker(func(n *v1.NodeSet) {
			n.MaxPerDomainByKey = map[string]v1.PerDomain{}
			for _, key := range keys(MaxTopologyKeys + 1) {
				n.MaxPerDomainByKey[key] = 1
			}
		}), "spec.nodes.Worker.maxPerDomainByKey: found 9 keys, want at most 8"},
		"requirements": {worker(func(n *v1.NodeSet) {
			for _, key := range keys(MaxRequirements + 1) {
				n.LabelSelector.MatchExpressions = append(n.LabelSelector.MatchExpressions, metav1.LabelSelectorRequirement{Key: key, Operator: "Exists"})
			}
		}), "spec.nodes.Worker.labelSelector: found 101 requirements, want at most 100"},
		"values": {worker(func(n *v1.NodeSet) {
			n.LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "a", Operator: "In", Values: keys(MaxValues + 1)}}
		}), "spec.nodes.Worker.labelSelector.matchExpressions[0].values: found 1001 values, want at most 1000"},
		"names to remove": {func(c *v1.SIPCluster) {
			c.Annotations = map[string]string{v1.RemoveAnnotation: strings.Join(keys(MaxNames+1), ",")}
		}, "metadata.annotations[sip.airshipit.org/remove]: found 1001 names, want at most 1000"},
		"annotations": {func(c *v1.SIPCluster) { c.Annotations = map[string]string{"a": strings.Repeat("x", 256<<10)} },
			"metadata.annotations: found 262145 bytes, want at most 262144"},
		"jump hosts": {func(c *v1.SIPCluster) { c.Spec.Services.JumpHost = make([]v1.JumpHost, MaxServices+1) }, "spec.services.jumpHost: found 65 of them, want at most 64"},
		"auths":      {func(c *v1.SIPCluster) { c.Spec.Services.Auth = make([]v1.Auth, MaxServices+1) }, "spec.services.auth: found 65 of them, want at most 64"},
		"keys of a jump host": {func(c *v1.SIPCluster) {
			c.Spec.Services.JumpHost = []v1.JumpHost{{}, {SSHAuthorizedKeys: make([]string, 950_000)}}
		}, "spec.services.jumpHost[1].sshAuthorizedKeys: found 950000 keys, want at most 200"},
		"attachments": {func(c *v1.SIPCluster) {
			c.Spec.Services.LoadBalancerWorker = []v1.LoadBalancerWorker{{Service: v1.Service{NetworkAttachments: make([]v1.NetworkAttachment, MaxAttachments+1)}}}
		}, "spec.services.loadBalancerWorker[0].networkAttachments: found 33 attachments, want at most 32"},
		"addresses of an attachment": {func(c *v1.SIPCluster) {
			c.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{{Service: v1.Service{NetworkAttachments: []v1.NetworkAttachment{{IPs: keys(MaxIPs + 1)}}}}}
		}, "spec.services.loadBalancerControlPlane[0].networkAttachments[0].ips: found 17 addresses, want at most 16"},
		"labels of nodes": {dex(func(d *v1.Dex) { d.NodeLabels = mapOf(keys(MaxLabels + 1)) }), "spec.services.dex[0].nodeLabels: found 65 labels, want at most 64"},
		"annotations of a Service": {dex(func(d *v1.Dex) { d.Service.Service = &v1.ServiceExposure{Annotations: mapOf(keys(MaxLabels + 1))} }),
			"spec.services.dex[0].service.annotations: found 65 annotations, want at most 64"},
		"addresses of a Service": {dex(func(d *v1.Dex) { d.Service.Service = &v1.ServiceExposure{LoadBalancerIP: strings.Repeat(",", MaxIPs)} }),
			"spec.services.dex[0].service.loadBalancerIP: found 17 addresses, want at most 16"},
		"variables":  {dex(func(d *v1.Dex) { d.Env = make([]v1.SecretEnv, MaxEnv+1) }), "spec.services.dex[0].env: found 101 variables, want at most 100"},
		"connectors": {dex(func(d *v1.Dex) { d.Connectors = make([]apiextensionsv1.JSON, MaxConnectors+1) }), "spec.services.dex[0].connectors: found 33 connectors, want at most 32"},
		"a connector": {dex(func(d *v1.Dex) { d.Connectors = []apiextensionsv1.JSON{{Raw: make([]byte, MaxConnector+1)}} }),
			"spec.services.dex[0].connectors[0]: found 65537 bytes, want at most 65536"},
		"clients": {dex(func(d *v1.Dex) { d.StaticClients = make([]v1.DexClient, MaxClients+1) }), "spec.services.dex[0].staticClients: found 101 clients, want at most 100"},
		"URLs of a client": {dex(func(d *v1.Dex) { d.StaticClients = []v1.DexClient{{RedirectURIs: keys(MaxRedirects + 1)}} }),
			"spec.services.dex[0].staticClients[0].redirectURIs: found 51 URLs, want at most 50"},
		"peers of a client": {dex(func(d *v1.Dex) { d.StaticClients = []v1.DexClient{{TrustedPeers: keys(MaxRedirects + 1)}} }),
			"spec.services.dex[0].staticClients[0].trustedPeers: found 51 clients, want at most 50"},
	} {
		cluster := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"}, Spec: v1.SIPClusterSpec{Nodes: map[string]v1.NodeSet{"Worker": {}}}}
		if errs := ValidateCluster(&cluster); len(errs) > 0 {
			t.Fatal(errs)
		}
		row.change(&cluster)
		if errs := ValidateCluster(&cluster); len(errs) != 1 || errs[0].Error() != row.want {
			t.Errorf("%s: got %.300v, want %s alone", why, errs, row.want)
		}
	}
}
