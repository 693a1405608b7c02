package infra

import (
	"fmt"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/hack/orphans"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func site() *v1alpha1.Site {
	s := &v1alpha1.Site{Spec: v1alpha1.SiteSpec{Repository: v1alpha1.Repository{URL: "https://git.example/site.git"}}}
	s.Default()
	return s
}

func host(name, role string, addresses ...string) Member {
	h := &inventory.Host{Namespace: "metal", Name: name}
	for _, a := range addresses {
		h.Addresses = append(h.Addresses,
			inventory.Address{Network: "oam", IP: netip.MustParseAddr(a), Origin: inventory.FromNetworkData})
	}
	return Member{Host: h, Role: role}
}

const testKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKHEChAJ3WN0D2e1oCQzdH3JUDJGzkBlzMDqjuUMkh4C ops@example"

// tenant is a cluster with every load balancer and hosts of both families.
func tenant() Input {
	cluster := &v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "tenants", Name: "edge-a"}}
	cluster.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{{NodeInterface: "oam",
		NodePort: 30443}}
	cluster.Spec.Services.LoadBalancerWorker = []v1.LoadBalancerWorker{{NodeInterface: "oam",
		NodePortRange: v1.PortRange{Start: 30100, End: 30104}}}
	cluster.Spec.Services.JumpHost = []v1.JumpHost{{
		NodeInterface: "oam", NodePort: 30022, SSHAuthorizedKeys: []string{testKey}, TrustedUserCA: testKey,
		NodeSSHPrivateKeys: "node-keys",
	}}
	cluster.Spec.Services.Dex = []v1.Dex{{
		Issuer: "https://dex.edge-a.example:30556", NodePort: 30556,
		Connectors: []apiextensionsv1.JSON{{Raw: []byte(`{"type":"ldap","id":"staff","name":"Staff","config":{"host":"ldap.example:636","bindDN":"cn=dex","bindPW":"$BIND_PW",
			"userSearch":{"baseDN":"ou=people","username":"uid","idAttr":"uid","emailAttr":"mail"}}}`)}},
		StaticClients: []v1.DexClient{{ID: "kubernetes", Name: "Kubernetes", Public: true,
			RedirectURIs: []string{"http://localhost:8000"}}},
		Env: []v1.SecretEnv{{Name: "BIND_PW",
			SecretRef: v1.SecretKeyRef{Name: "edge-a-ldap", Key: "password"}}},
		TLS: v1.DexTLS{IssuerRef: &v1.IssuerRef{Name: "site-ca"}},
	}}
	return Input{Cluster: cluster, Site: site(), Hosts: []Member{
		host("node-2", v1.RoleControlPlane, "10.0.0.2", "2001:db8::2"),
		host("node-1", v1.RoleControlPlane, "10.0.0.1"),
		host("node-3", v1.RoleControlPlane, "2001:db8::3"),
		host("node-4", v1.RoleWorker, "10.0.0.4"),
		host("node-5", v1.RoleWorker, "2001:db8::5"),
	}}
}

// overlayOf is the overlay of an input, if it is a harmless one.
func overlayOf(in Input) (map[string][]byte, error) {
	checked, err := Check(in)
	if err != nil {
		return nil, err
	}
	return Overlay(checked)
}

// notesOf are the notes of an input, if it is a harmless one.
func notesOf(in Input) string {
	checked, err := Check(in)
	if err != nil {
		return ""
	}
	return Notes(checked)
}

func checked(t *testing.T, in Input) *Checked {
	t.Helper()
	checked, err := Check(in)
	require.NoError(t, err)
	return checked
}

func render(t *testing.T, in Input) map[string][]byte {
	t.Helper()
	files, err := overlayOf(in)
	require.NoError(t, err)
	return files
}

// built is the overlay as kustomize builds it. Callers do not run in parallel: krusty keeps global state.
func built(t *testing.T, files map[string][]byte) resmap.ResMap {
	t.Helper()
	disk := filesys.MakeFsInMemory()
	for name, text := range files {
		require.NoError(t, disk.WriteFile(filepath.Join("/infra", name), text))
	}
	result, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(disk, "/infra")
	require.NoError(t, err)
	return result
}

// checkHAProxy lets the real HAProxy parse every configuration.
func checkHAProxy(t *testing.T, files map[string][]byte) {
	t.Helper()
	haproxy := need.Program(t, "haproxy", "haproxy")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".cfg") {
			continue
		}
		file := filepath.Join(t.TempDir(), "haproxy.cfg")
		require.NoError(t, os.WriteFile(file, files[name], 0o600))
		out, err := exec.Command(haproxy, "-c", "-V", "-f", file).CombinedOutput()
		assert.Truef(t, err == nil && !strings.Contains(string(out), "WARNING"), "%s: %v\n%s\n%s", name, err, out,
			files[name])
	}
}

func TestOverlayBuildsAndHAProxyAcceptsIt(t *testing.T) {
	empty := tenant()
	empty.Hosts = nil
	twins := tenant()
	twin := host("node-1", v1.RoleControlPlane, "10.0.0.9")
	twin.Host = &inventory.Host{Namespace: "other", Name: "node-1", Addresses: twin.Host.Addresses}
	twins.Hosts = append(twins.Hosts, twin)
	for _, row := range []struct {
		why string
		in  Input
	}{
		{"both families", tenant()},
		{"a cluster that has no hosts yet", empty},
		{"two hosts of one name in two namespaces: HAProxy wants distinct servers", twins},
	} {
		t.Run(row.why, func(t *testing.T) {
			files := render(t, row.in)
			checkHAProxy(t, files)
			for _, r := range built(t, files).Resources() {
				assert.Truef(t, r.GetKind() != "Namespace", "%s is rendered: pruning it would delete the hosts in it",
					r.CurId())
				assert.Truef(t, r.GetNamespace() != "", "%s has no namespace", r.CurId())
			}
		})
	}
}

func TestMain(m *testing.M) { os.Exit(orphans.Tests{M: m}.Run()) }

// TestConfigurationsBeyondAConfigMap: what the API server would refuse is refused here, with its numbers.
func TestConfigurationsBeyondAConfigMap(t *testing.T) {
	in := tenant()
	in.Cluster.Spec.Services.LoadBalancerWorker, in.Hosts = nil, nil
	for i := range 5000 {
		in.Hosts = append(in.Hosts, host(fmt.Sprintf("rack%02d-node%02d", i/40, i%40), v1.RoleWorker,
			fmt.Sprintf("10.0.%d.%d", i/250, i%250+1)))
	}
	_, err := overlayOf(in)
	assert.ErrorContains(t, err, "jumphost-edge-a: its configuration for 5000 hosts has ", "5,000 hosts")
	in.Hosts = in.Hosts[:3000]
	_, err = overlayOf(in)
	require.NoError(t, err)
}

// TestNoVariablesForFlux: Flux substitutes ${NAME} where a Kustomization asks for it, and a script would lose its own.
func TestNoVariablesForFlux(t *testing.T) {
	for name, text := range render(t, tenant()) {
		assert.NotContains(t, string(text), "${", name)
	}
}
