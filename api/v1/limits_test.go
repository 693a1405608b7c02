package v1

import (
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/internal/manifest"
)

// TestFewComplaints: however many lists of a spec are too long, few of them are told of.
func TestFewComplaints(t *testing.T) {
	requirement := metav1.LabelSelectorRequirement{Key: "a", Operator: "In", Values: make([]string, MaxValues+1)}
	set := NodeSet{}
	for range MaxRequirements {
		set.LabelSelector.MatchExpressions = append(set.LabelSelector.MatchExpressions, requirement)
	}
	cluster := SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"}, Spec: SIPClusterSpec{Nodes: map[string]NodeSet{}}}
	for n := range MaxRoles {
		cluster.Spec.Nodes[fmt.Sprintf("r%d", n)] = set
	}
	errs := cluster.Validate()
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
	worker := func(change func(*NodeSet)) func(*SIPCluster) {
		return func(c *SIPCluster) {
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
	dex := func(change func(*Dex)) func(*SIPCluster) {
		return func(c *SIPCluster) {
			c.Spec.Services.Dex = make([]Dex, 1)
			change(&c.Spec.Services.Dex[0])
		}
	}
	for why, row := range map[string]struct {
		change func(*SIPCluster)
		want   string // with one more than may be
	}{
		"roles": {func(c *SIPCluster) {
			for _, role := range keys(MaxRoles) {
				c.Spec.Nodes[role] = NodeSet{}
			}
		}, "spec.nodes: found 65 roles, want at most 64"},
		"topology keys":       {worker(func(n *NodeSet) { n.TopologyKeys = keys(MaxTopologyKeys + 1) }), "spec.nodes.Worker.topologyKeys: found 9 keys, want at most 8"},
		"namespaces of hosts": {worker(func(n *NodeSet) { n.HostNamespaces = keys(MaxNamespaces + 1) }), "spec.nodes.Worker.hostNamespaces: found 101 namespaces, want at most 100"},
		"limits of topology keys": {worker(func(n *NodeSet) {
			n.MaxPerDomainByKey = map[string]PerDomain{}
			for _, key := range keys(MaxTopologyKeys + 1) {
				n.MaxPerDomainByKey[key] = 1
			}
		}), "spec.nodes.Worker.maxPerDomainByKey: found 9 keys, want at most 8"},
		"requirements": {worker(func(n *NodeSet) {
			for _, key := range keys(MaxRequirements + 1) {
				n.LabelSelector.MatchExpressions = append(n.LabelSelector.MatchExpressions, metav1.LabelSelectorRequirement{Key: key, Operator: "Exists"})
			}
		}), "spec.nodes.Worker.labelSelector: found 101 requirements, want at most 100"},
		"values": {worker(func(n *NodeSet) {
			n.LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "a", Operator: "In", Values: keys(MaxValues + 1)}}
		}), "spec.nodes.Worker.labelSelector.matchExpressions[0].values: found 1001 values, want at most 1000"},
		"names to remove": {func(c *SIPCluster) {
			c.Annotations = map[string]string{RemoveAnnotation: strings.Join(keys(MaxNames+1), ",")}
		}, "metadata.annotations[sip.airshipit.org/remove]: found 1001 names, want at most 1000"},
		"annotations": {func(c *SIPCluster) { c.Annotations = map[string]string{"a": strings.Repeat("x", 256<<10)} },
			"metadata.annotations: found 262145 bytes, want at most 262144"},
		"jump hosts": {func(c *SIPCluster) { c.Spec.Services.JumpHost = make([]JumpHost, MaxServices+1) }, "spec.services.jumpHost: found 65 of them, want at most 64"},
		"auths":      {func(c *SIPCluster) { c.Spec.Services.Auth = make([]Auth, MaxServices+1) }, "spec.services.auth: found 65 of them, want at most 64"},
		"keys of a jump host": {func(c *SIPCluster) {
			c.Spec.Services.JumpHost = []JumpHost{{}, {SSHAuthorizedKeys: make([]string, 950_000)}}
		}, "spec.services.jumpHost[1].sshAuthorizedKeys: found 950000 keys, want at most 200"},
		"attachments": {func(c *SIPCluster) {
			c.Spec.Services.LoadBalancerWorker = []LoadBalancerWorker{{Service: Service{NetworkAttachments: make([]NetworkAttachment, MaxAttachments+1)}}}
		}, "spec.services.loadBalancerWorker[0].networkAttachments: found 33 attachments, want at most 32"},
		"addresses of an attachment": {func(c *SIPCluster) {
			c.Spec.Services.LoadBalancerControlPlane = []LoadBalancerControlPlane{{Service: Service{NetworkAttachments: []NetworkAttachment{{IPs: keys(MaxIPs + 1)}}}}}
		}, "spec.services.loadBalancerControlPlane[0].networkAttachments[0].ips: found 17 addresses, want at most 16"},
		"labels of nodes": {dex(func(d *Dex) { d.NodeLabels = mapOf(keys(MaxLabels + 1)) }), "spec.services.dex[0].nodeLabels: found 65 labels, want at most 64"},
		"annotations of a Service": {dex(func(d *Dex) { d.Service.Service = &ServiceExposure{Annotations: mapOf(keys(MaxLabels + 1))} }),
			"spec.services.dex[0].service.annotations: found 65 annotations, want at most 64"},
		"addresses of a Service": {dex(func(d *Dex) { d.Service.Service = &ServiceExposure{LoadBalancerIP: strings.Repeat(",", MaxIPs)} }),
			"spec.services.dex[0].service.loadBalancerIP: found 17 addresses, want at most 16"},
		"variables":  {dex(func(d *Dex) { d.Env = make([]SecretEnv, MaxEnv+1) }), "spec.services.dex[0].env: found 101 variables, want at most 100"},
		"connectors": {dex(func(d *Dex) { d.Connectors = make([]apiextensionsv1.JSON, MaxConnectors+1) }), "spec.services.dex[0].connectors: found 33 connectors, want at most 32"},
		"a connector": {dex(func(d *Dex) { d.Connectors = []apiextensionsv1.JSON{{Raw: make([]byte, MaxConnector+1)}} }),
			"spec.services.dex[0].connectors[0]: found 65537 bytes, want at most 65536"},
		"clients": {dex(func(d *Dex) { d.StaticClients = make([]DexClient, MaxClients+1) }), "spec.services.dex[0].staticClients: found 101 clients, want at most 100"},
		"URLs of a client": {dex(func(d *Dex) { d.StaticClients = []DexClient{{RedirectURIs: keys(MaxRedirects + 1)}} }),
			"spec.services.dex[0].staticClients[0].redirectURIs: found 51 URLs, want at most 50"},
		"peers of a client": {dex(func(d *Dex) { d.StaticClients = []DexClient{{TrustedPeers: keys(MaxRedirects + 1)}} }),
			"spec.services.dex[0].staticClients[0].trustedPeers: found 51 clients, want at most 50"},
	} {
		cluster := SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"}, Spec: SIPClusterSpec{Nodes: map[string]NodeSet{"Worker": {}}}}
		if errs := cluster.Validate(); len(errs) > 0 {
			t.Fatal(errs)
		}
		row.change(&cluster)
		if errs := cluster.Validate(); len(errs) != 1 || errs[0].Error() != row.want {
			t.Errorf("%s: got %.300v, want %s alone", why, errs, row.want)
		}
	}
}

// TestLimitsComeFirst: what a spec with too much asks for is not looked at any more.
func TestLimitsComeFirst(t *testing.T) {
	for n, left := range map[int]bool{MaxTopologyKeys: true, MaxTopologyKeys + 1: false} {
		var keys []string
		for i := range n {
			keys = append(keys, fmt.Sprint("k", i))
		}
		docs, err := manifest.Parse("a.yaml", []byte("apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: a, name: b}\nspec: {nodes: {Worker: {topologyKeys: ["+strings.Join(keys, ", ")+"]}}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if found := Decode(docs); len(found) != 1 || (found[0].Cluster != nil) != left {
			t.Errorf("%d keys: found %+v, want a cluster: %t", n, found, left)
		}
	}
}

// TestFirstProblems: of a spec in which everything is wrong, the first problems are said, and how many more there are.
func TestFirstProblems(t *testing.T) {
	cluster := SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"}}
	cluster.Spec.Services.JumpHost = []JumpHost{{Service: Service{NodeInterface: "oam"}, SSHAuthorizedKeys: make([]string, MaxKeys)}}
	errs := cluster.Validate()
	if len(errs) != MaxProblems+1 || errs[0].Path != "spec.services.jumpHost[0].sshAuthorizedKeys[0]" || errs[MaxProblems].Error() != "spec: and 180 more problems" {
		t.Errorf("found %d: %v", len(errs), errs[len(errs)-1])
	}
	text := "apiVersion: " + APIVersion + "\nkind: SIPCluster\nmetadata: {namespace: a, name: b}\nspec:\n"
	for why, row := range map[string]struct{ spec, want string }{
		"unknown fields":   {"  nodes: {W: {" + strings.Repeat("x%d: 1, ", 60) + "}}", "and 40 more problems"},
		"values of a type": {"  services: {jumpHost: [" + strings.Repeat("%d, ", 60) + "]}", "and 40 more problems"},
		"open secrets":     {"  nodes: {W: {labelSelector: {matchExpressions: [{key: a, operator: In, values: [" + strings.Repeat("ghp_0123456789012345678901234567%08d, ", 60) + "]}]}}}", "and 40 more values like these"},
	} {
		numbers := make([]any, strings.Count(row.spec, "%"))
		for i := range numbers {
			numbers[i] = i
		}
		_, err := Parse("a.yaml", []byte(text+fmt.Sprintf(row.spec, numbers...)))
		if err == nil || !strings.Contains(err.Error(), row.want) || strings.Count(err.Error(), "\n") > 2*MaxProblems {
			t.Errorf("%s: got %v, want %q", why, err, row.want)
		}
	}
}
