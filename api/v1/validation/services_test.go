package validation

import (
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/stretchr/testify/assert"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const goodKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKHEChAJ3WN0D2e1oCQzdH3JUDJGzkBlzMDqjuUMkh4C ops@example"

// withServices is a cluster with one entry of each service, and nothing wrong with it.
func withServices(name string) v1.SIPCluster {
	c := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "tenants", Name: name}}
	const oam = "oam-ipv4"
	c.Spec.Services = v1.Services{
		LoadBalancerControlPlane: []v1.LoadBalancerControlPlane{{NodeInterface: oam, NodePort: 30443}},
		LoadBalancerWorker: []v1.LoadBalancerWorker{{NodeInterface: oam,
			NodePortRange: v1.PortRange{Start: 30100, End: 30109}}},
		JumpHost: []v1.JumpHost{{NodeInterface: oam, NodePort: 30022,
			SSHAuthorizedKeys: []string{goodKey}}},
		Dex: []v1.Dex{{
			Issuer: "https://dex.example:30556/dex", NodePort: 30556, TLS: v1.DexTLS{SecretName: "dex-tls"},
			Env:           []v1.SecretEnv{{Name: "BIND_PW", SecretRef: v1.SecretKeyRef{Name: "ldap", Key: "password"}}},
			StaticClients: []v1.DexClient{{ID: "kubernetes", Public: true}},
			Connectors:    []apiextensionsv1.JSON{{Raw: []byte(ldap)}},
		}},
	}
	return c
}

const ldap = `{"type":"ldap","id":"staff","name":"Staff","config":{"host":"ldap.example:636","bindDN":"cn=dex","bindPW":"$BIND_PW",
	"userSearch":{"baseDN":"ou=people","username":"uid","idAttr":"uid","emailAttr":"mail"},
	"groupSearch":{"baseDN":"ou=groups","nameAttr":"cn","userMatchers":[{"userAttr":"DN","groupAttr":"member"}]}}}`

func TestServicesThatAreFine(t *testing.T) {
	c := withServices("edge-a")
	assert.Len(t, validateServices(&c), 0)
	none := "None"
	c.Spec.Services.JumpHost[0].ClusterIP, c.Spec.Services.JumpHost[0].NodePort = &none, 0
	c.Spec.Services.LoadBalancerWorker[0].HAProxy = &v1.HAProxy{Timeouts: &v1.HAProxyTimeouts{Client: "90s"}}
	prefix := "oidc:"
	c.Spec.Services.Dex[0].Kubernetes = &v1.DexKubernetes{UsernamePrefix: &prefix}
	c.Spec.Services.Dex[0].StaticClients[0].RedirectURIs = []string{"http://localhost:8000",
		"com.example.app:/callback", "urn:ietf:wg:oauth:2.0:oob"}
	assert.Len(t, validateServices(&c), 0, "no address and no port, and an application's own scheme: got")
	long := withServices(strings.Repeat("a", 37))
	assert.Len(t, validateServices(&long), 0, "the longest name: got")
}

func haproxyLine(line string) func(*v1.Services) {
	return func(s *v1.Services) {
		s.LoadBalancerWorker[0].HAProxy = &v1.HAProxy{Lines: &v1.HAProxyLines{Backend: []string{line}}}
	}
}

func TestServicesThatAreNot(t *testing.T) {
	connector := func(text string) func(*v1.Services) {
		return func(s *v1.Services) { s.Dex[0].Connectors = []apiextensionsv1.JSON{{Raw: []byte(text)}} }
	}
	exposed := func(e v1.ServiceExposure) func(*v1.Services) {
		return func(s *v1.Services) { s.JumpHost[0].Service.Service = &e }
	}
	proxied := func(h v1.HAProxy) func(*v1.Services) {
		return func(s *v1.Services) { s.LoadBalancerWorker[0].HAProxy = &h }
	}
	client := func(c v1.DexClient) func(*v1.Services) { return func(s *v1.Services) { s.Dex[0].StaticClients[0] = c } }
	for _, row := range []struct {
		why        string
		change     func(*v1.Services)
		path, want string // below spec.services
	}{
		{"a load balancer without a network has no backends",
			func(s *v1.Services) { s.LoadBalancerControlPlane[0].NodeInterface = "" },
			"loadBalancerControlPlane[0].nodeInterfaceId", "missing"},
		{"clusterIP that is no address", func(s *v1.Services) { x := "10.0.0.256"; s.JumpHost[0].ClusterIP = &x },
			"jumpHost[0].clusterIP", "want an IP address"},
		{"a range upside down", func(s *v1.Services) { s.LoadBalancerWorker[0].NodePortRange = v1.PortRange{Start: 30109, End: 30100} }, "loadBalancerWorker[0].nodePortRange", "30109 to 30100"},
		{"a range that one Service cannot list",
			func(s *v1.Services) { s.LoadBalancerWorker[0].NodePortRange = v1.PortRange{Start: 30000, End: 32767} },
			"loadBalancerWorker[0].nodePortRange", "2768 ports"},
		{"more ports than a cluster may have, over its services", func(s *v1.Services) {
			for range 4 {
				s.LoadBalancerWorker = append(s.LoadBalancerWorker,
					v1.LoadBalancerWorker{Service: s.LoadBalancerWorker[0].Service,
						NodePortRange: v1.PortRange{Start: 30000, End: 30999}})
			}
			s.LoadBalancerWorker[0].NodePortRange = v1.PortRange{Start: 30000, End: 30096}
		}, "loadBalancerWorker", "found 4097 ports in all, want at most 4096"},
		{"a range that takes the status port",
			func(s *v1.Services) { s.LoadBalancerWorker[0].NodePortRange = v1.PortRange{Start: 8400, End: 8410} },
			"loadBalancerWorker[0].nodePortRange", "8404"},
		{"a check's path that breaks the line", func(s *v1.Services) {
			s.LoadBalancerControlPlane[0].HealthCheck = &v1.HealthCheck{Path: "/readyz\n    server evil 192.0.2.1:6443"}
		}, "loadBalancerControlPlane[0].healthCheck.path", "absolute path"},
		{"a check for each port and one for all", func(s *v1.Services) {
			s.LoadBalancerWorker[0].CheckEachPort, s.LoadBalancerWorker[0].CheckPort = true, 22
		}, "loadBalancerWorker[0].checkPort", "not together with checkEachPort"},
		{"a check for each of many ports", func(s *v1.Services) {
			s.LoadBalancerWorker[0].CheckEachPort, s.LoadBalancerWorker[0].NodePortRange.End = true, 30356
		}, "loadBalancerWorker[0].nodePortRange", "found 257 ports, want at most 256"},
		{"a backend for each of many ports", func(s *v1.Services) {
			s.LoadBalancerWorker[0].HAProxy, s.LoadBalancerWorker[0].NodePortRange.End = &v1.HAProxy{AcceptProxyProtocol: true}, 30356
		}, "loadBalancerWorker[0].nodePortRange", "found 257 ports, want at most 256"},
		{"a time that is no time", proxied(v1.HAProxy{Timeouts: &v1.HAProxyTimeouts{Tunnel: "0s"}}),
			"loadBalancerWorker[0].haproxy.timeouts.tunnel", `found "0s"`},
		{"a time beyond a week", proxied(v1.HAProxy{Timeouts: &v1.HAProxyTimeouts{Client: "169h"}}),
			"loadBalancerWorker[0].haproxy.timeouts.client", `found "169h"`},
		{"a time with a line", proxied(v1.HAProxy{Timeouts: &v1.HAProxyTimeouts{Server: "5s\nglobal"}}),
			"loadBalancerWorker[0].haproxy.timeouts.server", "want a number"},
		{"two lines in one", haproxyLine("fullconn 5\nlisten x"), "loadBalancerWorker[0].haproxy.lines.backend[0]",
			"a control character"},
		{"a line that begins a section", haproxyLine("  listen x"), "loadBalancerWorker[0].haproxy.lines.backend[0]",
			"begins a section"},
		{"a line that takes the next one", haproxyLine("fullconn 5 \\"),
			"loadBalancerWorker[0].haproxy.lines.backend[0]", "ends with a backslash"},
		{"a preprocessor's line", haproxyLine(".if defined(X)"), "loadBalancerWorker[0].haproxy.lines.backend[0]",
			"preprocessor"},
		{"an empty line", haproxyLine(" "), "loadBalancerWorker[0].haproxy.lines.backend[0]", "empty"},
		{"an address without a load balancer",
			func(s *v1.Services) { s.JumpHost[0].Service.Service = &v1.ServiceExposure{LoadBalancerIP: "192.0.2.1"} },
			"jumpHost[0].service.loadBalancerIP", "no meaning"},
		{"a load balancer's address that is none", func(s *v1.Services) {
			s.JumpHost[0].Service.Service = &v1.ServiceExposure{Type: "LoadBalancer",
				LoadBalancerIP: "192.0.2.1, 192.0.2.2"}
		}, "jumpHost[0].service.loadBalancerIP", "want an IP address"},
		{"a class that the API server refuses",
			exposed(v1.ServiceExposure{Type: "LoadBalancer", LoadBalancerClass: "a/b/c"}),
			"jumpHost[0].service.loadBalancerClass", `found "a/b/c"`},
		{"two addresses of one family", exposed(v1.ServiceExposure{Type: "LoadBalancer",
			LoadBalancerIP: "192.0.2.1,2001:db8::1,192.0.2.2"}),
			"jumpHost[0].service.loadBalancerIP",
			"found 192.0.2.1 and 192.0.2.2, want one address, or one of each family"},
		{"one address twice", exposed(v1.ServiceExposure{Type: "LoadBalancer", Provider: "cilium",
			LoadBalancerIP: "2001:db8::1,2001:db8::1"}),
			"jumpHost[0].service.loadBalancerIP", "found 2001:db8::1 and 2001:db8::1"},
		{"a cluster IP of another family than the load balancer's address", func(s *v1.Services) {
			inside := "fd00:10:96::7"
			s.JumpHost[0].ClusterIP = &inside
			s.JumpHost[0].Service.Service = &v1.ServiceExposure{Type: "LoadBalancer", LoadBalancerIP: "192.0.2.1"}
		}, "jumpHost[0].clusterIP", `found "fd00:10:96::7", want an IPv4 address`},
		{"an address past the field, as it was spelled", func(s *v1.Services) {
			s.JumpHost[0].Service.Service = &v1.ServiceExposure{Annotations: map[string]string{"metallb.universe.tf/loadBalancerIPs": "x"}}
		}, `jumpHost[0].service.annotations["metallb.universe.tf/loadBalancerIPs"]`, "not for a tenant to set"},
		{"another's address", exposed(v1.ServiceExposure{Annotations: map[string]string{"metallb.io/allow-shared-ip": "x"}}),
			`jumpHost[0].service.annotations["metallb.io/allow-shared-ip"]`, "not for a tenant to set"},
		{"one fixed address for two pods", func(s *v1.Services) {
			s.LoadBalancerControlPlane[0].NetworkAttachments = []v1.NetworkAttachment{{Name: "vlan",
				IPs: []string{"192.0.2.5/24"}}}
		}, "loadBalancerControlPlane[0].networkAttachments[0].ips", "replicas: 1"},
		{"an address whose network is everything",
			attached(v1.NetworkAttachment{Name: "vlan", IPs: []string{"192.0.2.5/24", "192.0.2.6/0"}}),
			"jumpHost[0].networkAttachments[0].ips[1]",
			`found "192.0.2.6/0", want the prefix of its own network, at least /8`},
		{"one whose network is half of everything",
			attached(v1.NetworkAttachment{Name: "vlan", IPs: []string{"192.0.2.6/1"}}),
			"jumpHost[0].networkAttachments[0].ips[0]", "at least /8"},
		{"an IPv6 address whose network is everything",
			attached(v1.NetworkAttachment{Name: "vlan", IPs: []string{"2001:db8::5/0"}}),
			"jumpHost[0].networkAttachments[0].ips[0]", "at least /32"},
		{"the kernel's own interface", attached(v1.NetworkAttachment{Name: "vlan", Interface: "lo"}),
			"jumpHost[0].networkAttachments[0].interface", `found "lo", which every pod already has`},
		{"the cluster's interface", attached(v1.NetworkAttachment{Name: "vlan", Interface: "eth0"}),
			"jumpHost[0].networkAttachments[0].interface", `found "eth0", which every pod already has`},
		{"two networks with one interface", func(s *v1.Services) {
			s.JumpHost[0].NetworkAttachments = []v1.NetworkAttachment{{Name: "a", Interface: "vlan"}, {Name: "b"},
				{Name: "c", Interface: "vlan"}}
		}, "jumpHost[0].networkAttachments[2].interface", "vlan is the interface of networkAttachments[0] too"},
		{"an interface that Multus gives another network", func(s *v1.Services) {
			s.JumpHost[0].NetworkAttachments = []v1.NetworkAttachment{{Name: "a"}, {Name: "b", Interface: "net1"}}
		}, "jumpHost[0].networkAttachments[1].interface", "net1 is the interface of networkAttachments[0] too"},
		{"a key that is none", func(s *v1.Services) { s.JumpHost[0].SSHAuthorizedKeys = []string{goodKey, "rsa..."} },
			"jumpHost[0].sshAuthorizedKeys[1]", "not a public key"},
		{"a key that runs a command", func(s *v1.Services) { s.JumpHost[0].SSHAuthorizedKeys = []string{"command=\"id\" " + goodKey} }, "jumpHost[0].sshAuthorizedKeys[0]", "options before the key"},
		{"a user CA as authorized_keys has it",
			func(s *v1.Services) { s.JumpHost[0].TrustedUserCA = "cert-authority " + goodKey },
			"jumpHost[0].trustedUserCA", "options before the key"},
		{"two keys in one line", func(s *v1.Services) {
			s.JumpHost[0].SSHAuthorizedKeys = []string{goodKey + "\n" +
				goodKey}
		}, "jumpHost[0].sshAuthorizedKeys[0]", "more than one line"},
		{"a Secret's name that leads elsewhere",
			func(s *v1.Services) { s.JumpHost[0].NodeSSHPrivateKeys = "../../etc/shadow" },
			"jumpHost[0].nodeSSHPrivateKeys", "not a valid Secret name (not shown"},
		{"an issuer that is not https", func(s *v1.Services) { s.Dex[0].Issuer = "http://dex.example" },
			"dex[0].issuer", "want https"},
		{"an issuer with a slash at its end", func(s *v1.Services) { s.Dex[0].Issuer = "https://dex.example/" },
			"dex[0].issuer", "slash"},
		{"an issuer with a port that there cannot be",
			func(s *v1.Services) { s.Dex[0].Issuer = "https://dex.example:99999" }, "dex[0].issuer",
			`found "https://dex.example:99999", want a port of 1 to 65535 in it, or none`},
		{"an issuer with port 0", func(s *v1.Services) { s.Dex[0].Issuer = "https://dex.example:0/dex" },
			"dex[0].issuer", "want a port of 1 to 65535"},
		{"an issuer at an address that is IPv4 in IPv6",
			func(s *v1.Services) { s.Dex[0].Issuer = "https://[::ffff:192.0.2.1]:30556" }, "dex[0].issuer",
			"want the host 192.0.2.1: "},
		{"a client's URI with a port that there cannot be",
			func(s *v1.Services) { s.Dex[0].StaticClients[0].RedirectURIs = []string{"https://app.example:65536/"} },
			"dex[0].staticClients[0].redirectURIs[0]", "want a port of 1 to 65535"},
		{"an issuer that breaks out of a flag", func(s *v1.Services) { s.Dex[0].Issuer = "https://dex.example/$(id)" },
			"dex[0].issuer", "want a URL"},
		{"an issuer of letters that only look right", func(s *v1.Services) { s.Dex[0].Issuer = "https://dеx.example" },
			"dex[0].issuer", "want a URL"},
		{"no certificate", func(s *v1.Services) { s.Dex[0].TLS = v1.DexTLS{} }, "dex[0].tls.secretName", "missing"},
		{"a CA that is none", func(s *v1.Services) { s.Dex[0].TLS.CA = "-----BEGIN PRIVATE KEY-----" }, "dex[0].tls.ca",
			"not PEM"},
		{"a variable without its Secret", func(s *v1.Services) { s.Dex[0].Env[0].SecretRef.Name = "" },
			"dex[0].env[0].secretRef.name", "missing"},
		{"an unknown connector type", connector(`{"type":"ldapp","id":"a","name":"A","config":{}}`),
			"dex[0].connectors[0].type", `did you mean "ldap"`},
		{"a mock connector, which lets everybody in",
			connector(`{"type":"mockCallback","id":"a","name":"A","config":{}}`), "dex[0].connectors[0].type",
			"want one of"},
		{"a field that Dex does not know", connector(strings.Replace(ldap, "baseDN", "baseDn", 1)),
			"dex[0].connectors[0].config.userSearch.baseDn", `did you mean "baseDN"`},
		{"a field in a list that Dex does not know", connector(strings.Replace(ldap, "groupAttr", "groupAttribute", 1)),
			"dex[0].connectors[0].config.groupSearch.userMatchers[0].groupAttribute", "unknown"},
		{"a variable that is not there", connector(strings.Replace(ldap, "$BIND_PW", "${BIND}", 1)),
			"dex[0].connectors[0].config.bindPW", "not in env"},
		{"a dollar that Dex would drop", connector(strings.Replace(ldap, "cn=dex", "cn=$1", 1)),
			"dex[0].connectors[0].config.bindDN", "names no variable"},
		{"a directory with a port that there cannot be",
			connector(strings.Replace(ldap, "ldap.example:636", "ldap.example:70000", 1)),
			"dex[0].connectors[0].config.host", "want HOST or HOST:PORT"},
		{"a callback that is not Dex's",
			connector(`{"type":"github","id":"a","name":"A","config":{"clientID":"x","clientSecret":"$BIND_PW","redirectURI":"https://dex.example/callback"}}`), "dex[0].connectors[0].config.redirectURI", "/dex/callback"},
		{"a connector that is a list", connector(`[]`), "dex[0].connectors[0]", "want a mapping"},
		{"a client whose secret is nowhere", func(s *v1.Services) { s.Dex[0].StaticClients[0].Public = false },
			"dex[0].staticClients[0].secretEnv", "missing"},
		{"a client's secret where its variable should be", client(v1.DexClient{ID: "web", SecretEnv: "hunter2SECRET"}),
			"dex[0].staticClients[0].secretEnv", "not in env: a value of 13 characters (not shown)"},
		{"a variable that is nearly there", client(v1.DexClient{ID: "web", SecretEnv: "BIND_PWD"}),
			"dex[0].staticClients[0].secretEnv",
			`names the variable BIND_PWD, which is not in env, did you mean "BIND_PW"?`},
		{"a password with a dollar in it", connector(strings.Replace(ldap, "cn=dex", "cn=pa$hunter2", 1)),
			"dex[0].connectors[0].config.bindDN", "not in env: a value of 7 characters (not shown)"},
		{"a person sent to a script", func(s *v1.Services) { s.Dex[0].StaticClients[0].RedirectURIs = []string{"JavaScript:alert(1)"} }, "dex[0].staticClients[0].redirectURIs[0]", "scheme javascript"},
		{"a person sent to a page in a URL", func(s *v1.Services) {
			s.Dex[0].StaticClients[0].RedirectURIs = []string{"https://a.example/", "data:text/html,x"}
		}, "dex[0].staticClients[0].redirectURIs[1]", "scheme data"},
		{"a Service without an address that is reached by nodes' ports",
			func(s *v1.Services) { x := "None"; s.JumpHost[0].ClusterIP = &x }, "jumpHost[0].clusterIP",
			"no Service of type NodePort can have"},
		{"a provider of tokens without an address that is reached by one", func(s *v1.Services) {
			x := "None"
			s.Dex[0].ClusterIP, s.Dex[0].NodePort, s.Dex[0].Service.Service = &x, 0, &v1.ServiceExposure{Type: "LoadBalancer"}
		}, "dex[0].clusterIP", "no Service of type LoadBalancer can have"},
		{"no client", func(s *v1.Services) { s.Dex[0].StaticClients = nil }, "dex[0].staticClients", "missing"},
		{"users that a token could not tell from the cluster's own",
			func(s *v1.Services) { x := "system:"; s.Dex[0].Kubernetes = &v1.DexKubernetes{GroupsPrefix: &x} },
			"dex[0].kubernetes.groupsPrefix", "system:"},
		{"users that the API server's flags and its file name differently",
			func(s *v1.Services) { x := "-"; s.Dex[0].Kubernetes = &v1.DexKubernetes{UsernamePrefix: &x} },
			"dex[0].kubernetes.usernamePrefix", `want "" for no prefix`},
	} {
		c := withServices("edge-a")
		row.change(&c.Spec.Services)
		errs := ValidateCluster(&c)
		if !slices.ContainsFunc(errs, func(e FieldError) bool {
			return e.Path == "spec.services."+row.path && strings.Contains(e.Message, row.want)
		}) {
			t.Errorf("%s:\n got %v\nwant spec.services.%s: ...%s...", row.why, errs, row.path, row.want)
		}
		assert.Truef(t,
			!slices.ContainsFunc(errs, func(e FieldError) bool { return strings.Contains(e.Message, "hunter2") }),
			"%s: the secret is repeated: %v", row.why, errs)
	}
}

func TestANameThatIsTooLong(t *testing.T) {
	c := withServices(strings.Repeat("a", 38))
	errs := validateServices(&c)
	assert.Truef(t,
		len(errs) == 1 && errs[0].Path == "spec.services.loadBalancerControlPlane[0]" &&
			strings.Contains(errs[0].Message, "shorten the cluster's name to 37"),
		"got %v", errs)
}

func TestWarnings(t *testing.T) {
	c := withServices("edge-a")
	assert.Len(t, Warnings(&c), 0)
	c.Spec.Services.LoadBalancerWorker[0].NodePort = 30001
	c.Spec.Services.Auth = []v1.Auth{{}}
	c.Annotations = map[string]string{"sip.airshipit.org/aprove-release": "h", v1.ApproveReleaseAnnotation: "h"}
	c.Spec.Nodes = map[string]v1.NodeSet{"Lost": {}, "None": {Count: &v1.NodeCount{}},
		"Standby": {Count: &v1.NodeCount{Standby: 1}}, "Whole": {Count: &v1.NodeCount{Active: 1, Standby: 1}}}
	c.Spec.Services.JumpHost[0].SSHAuthorizedKeys = nil
	var paths []string
	for _, w := range Warnings(&c) {
		paths = append(paths, w.Path)
	}
	want := []string{`metadata.annotations["sip.airshipit.org/aprove-release"]`, "spec.nodes.Lost.count",
		"spec.nodes.Standby.count", "spec.services.loadBalancerWorker[0].nodePort",
		"spec.services.jumpHost[0].sshAuthorizedKeys", "spec.services.auth[0]"}
	assert.Equal(t, want, paths)
}

func attached(n v1.NetworkAttachment) func(*v1.Services) {
	return func(s *v1.Services) { s.JumpHost[0].NetworkAttachments = []v1.NetworkAttachment{n} }
}

// Prefixes that networks have are taken, and names that Multus gives.
func TestNetworkAttachmentsThatAreTaken(t *testing.T) {
	for _, n := range []v1.NetworkAttachment{
		{Name: "vlan", Interface: "net1",
			IPs: []string{"10.0.0.5/8", "192.0.2.5/32", "192.0.2.6/31", "2001:db8::5/32", "2001:db8::6/128"}},
		{Name: "vlan", Interface: "eth1"}, {Name: "vlan", Interface: "lo0"}, {Name: "vlan"},
	} {
		c := withServices("edge-a")
		attached(n)(&c.Spec.Services)
		assert.Equal(t, 0, len(ValidateCluster(&c)), n)
	}
}
