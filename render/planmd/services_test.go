package planmd

import (
	"bytes"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
)

// TestWhereServicesAnswer: the URLs of Ironics and Placements, the names that Ironic's certificate needs, and what
// clients outside the cluster have to resolve.
func TestWhereServicesAnswer(t *testing.T) {
	ironic := func(change func(spec *v1alpha1.IronicSpec)) v1alpha1.SiteServices {
		i := v1alpha1.Ironic{Name: "i", Namespace: "n"}
		change(&i.Spec)
		return v1alpha1.SiteServices{Ironic: []v1alpha1.Ironic{i}}
	}
	placement := func(spec v1alpha1.PlacementSpec) v1alpha1.SiteServices {
		return v1alpha1.SiteServices{Placement: []v1alpha1.Placement{{Name: "p", Namespace: "n", Spec: spec}}}
	}
	ironicWithDatabase := func(certificate, database string) v1alpha1.SiteServices {
		services := ironic(func(s *v1alpha1.IronicSpec) { s.TLS.CertificateName = certificate })
		services.Ironic[0].MariaDB = &v1alpha1.MariaDB{Name: "d", TLSCertificateName: database}
		return services
	}
	const head = "\n## Services of the site\n\n"
	for _, row := range []struct {
		why      string
		services v1alpha1.SiteServices
		want     string
	}{
		{"none", v1alpha1.SiteServices{}, ""},
		{"no address", ironic(func(*v1alpha1.IronicSpec) {}),
			head + "- Ironic `n/i`: `http://i.n.svc` in the cluster\n"},
		{"an address", ironic(func(s *v1alpha1.IronicSpec) { s.Networking.IPAddress = "192.0.2.2" }),
			head + "- Ironic `n/i`: `http://i.n.svc` in the cluster, `http://192.0.2.2:6385`\n"},
		{"a certificate for every address", ironic(func(s *v1alpha1.IronicSpec) {
			s.Networking.IPAddress, s.Networking.ExternalIP, s.TLS.CertificateName = "192.0.2.2", "2001:db8::2", "tls"
			s.Networking.Keepalived = &v1alpha1.IronicKeepalived{Enabled: true,
				AdditionalVIPs: []v1alpha1.IronicVIP{{IPAddress: "203.0.113.2"}, {IPAddress: "192.0.2.2"}}}
		}), head + "- Ironic `n/i`: `https://i.n.svc` in the cluster, `https://192.0.2.2:6385`, `https://[2001:db8::2]:6385`, `https://203.0.113.2:6385`. " +
			"Names in the certificate `tls`: `i.n.svc`, `192.0.2.2`, `2001:db8::2`, `203.0.113.2`\n"},
		{"a certificate, and the nodes' addresses",
			ironic(func(s *v1alpha1.IronicSpec) { s.TLS.CertificateName = "tls" }),
			head + "- Ironic `n/i`: `https://i.n.svc` in the cluster. Names in the certificate `tls`: `i.n.svc`, and the address of each node that runs it\n"},
		{"a certificate of Ironic and its database", ironicWithDatabase("tls", "tls"),
			head + "- Ironic `n/i`: `https://i.n.svc` " +
				"in the cluster. Names in the certificate `tls`: `i.n.svc`, `d.n.svc`, and the address of each node that runs it\n"},
		{"one of each", ironicWithDatabase("tls", "db"),
			head + "- Ironic `n/i`: `https://i.n.svc` in the cluster. Names in the " +
				"certificate `tls`: `i.n.svc`, and the address of each node that runs it. Name in the database's certificate `db`: `d.n.svc`\n"},
		{"one of the database", ironicWithDatabase("", "db"),
			head + "- Ironic `n/i`: `http://i.n.svc` in the cluster. " +
				"Name in the database's certificate `db`: `d.n.svc`\n"},
		{"a Placement with an address and certificates", placement(v1alpha1.PlacementSpec{
			Override: &v1alpha1.PlacementOverride{Service: map[string]v1alpha1.PlacementService{"internal": {Metadata: &v1alpha1.PlacementMetadata{Annotations: map[string]string{"metallb.universe.tf/loadBalancerIPs": "172.17.0.80, 2001:db8::80"}}}}},
			TLS:      &v1alpha1.PlacementTLS{API: &v1alpha1.PlacementTLSAPI{Internal: &v1alpha1.PlacementCertificate{SecretName: "tls"}}},
		}), head + "- Placement `n/p`, internal: `https://placement-internal.n.svc:8778` at `172.17.0.80`, `2001:db8::80`. Clients outside the cluster need this name in DNS or in their hosts files\n" +
			"- Placement `n/p`, public: `http://placement-public.n.svc:8778`\n"},
	} {
		var out bytes.Buffer
		site := &v1alpha1.Site{}
		site.Spec.Services = row.services
		writeServices(&out, site)
		assert.Equal(t, row.want, out.String(), row.why)
	}
}

// TestPlanMarkdownKeepsItsLines: whatever a placement has in it, only sipgen writes headings, elements and links in
// PLAN.md.
func TestPlanMarkdownKeepsItsLines(t *testing.T) {
	const forged = "x\n\n## good/g\n\nowned <b>owned</b> [owned](javascript:owned)\r\x1b[31m\u202e\u3164"
	role := schedule.RoleKey{Cluster: schedule.ClusterKey{Namespace: "evil", Name: forged}, Role: forged}
	in := In{Site: &v1alpha1.Site{}, Clusters: []Cluster{{Cluster: &schedule.Cluster{
		Key: role.Cluster,
		Roles: []schedule.Role{{Name: forged, TopologyKeys: []string{forged, forged}, PerDomain: []int{1, 1}, Active: 1,
			ShortActive: 1}},
	}}}}
	in.Site.Name = "lab"
	page := string(Page(in))
	assert.Truef(t, strings.Count(page, "owned") >= 8, "the words are not in the page: %s", page)
	for line := range strings.Lines(page) {
		assert.Truef(t,
			!strings.HasPrefix(line, "## good") && !strings.HasPrefix(line, "owned") && !strings.Contains(line,
				"<b>") && !strings.Contains(line, "]("),
			"%q", line)
	}
	assert.Truef(t, !bytes.ContainsAny([]byte(page), "\r\x1b\u202e\u3164"), "what is not text is in %q", page)
}

// TestAnyPatches: a reviewer reads which clusters have patches, and what these may do.
func TestAnyPatches(t *testing.T) {
	for why, row := range map[string]struct {
		spec *v1.SIPCluster
		want bool
	}{"patches": {&v1.SIPCluster{Spec: v1.SIPClusterSpec{Patches: make([]v1.Patch, 1)}}, true},
		"none": {&v1.SIPCluster{}, false}, "no spec": {nil, false}} {
		var out bytes.Buffer
		writePatches(&out, row.spec)
		assert.Equal(t, row.want, strings.Contains(out.String(), "**Any patches:**"), why)
	}
}

func TestMarkdownCells(t *testing.T) {
	assert.Equal(t, `a\|b&lt;script> c`, escapeCell("a|b<script>\nc"))
}
