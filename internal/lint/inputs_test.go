package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	metal3hosts "github.com/airshipit/sipgen/inventory/bmh"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/require"
)

func documents(t *testing.T, file, text string) []manifest.Document {
	t.Helper()
	docs, err := manifest.Parse(file, []byte(text))
	require.NoError(t, err)
	return docs
}

func siteOf(ports string) *v1alpha1.Site {
	site := &v1alpha1.Site{}
	site.Default()
	if ports != "" {
		fmt.Sscanf(ports, "%d-%d", &site.Spec.NodePorts.Start, &site.Spec.NodePorts.End)
	}
	return site
}

// cluster is a SIPCluster whose spec is given as flow YAML.
func cluster(name, spec string, annotations ...string) string {
	text := "apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata:\n  namespace: " + name + "\n  name: " +
		name + "\n"
	if len(annotations) > 0 {
		text += "  annotations:\n"
	}
	for _, annotation := range annotations {
		text += "    " + annotation + "\n"
	}
	return text + "spec: " + spec + "\n---\n"
}

// claimLabels say that cluster a/a has a host.
const claimLabels = "sip.airshipit.org/cluster-namespace: a, sip.airshipit.org/cluster-name: a, " +
	"sip.airshipit.org/node-type: Worker"

// bmh is a BareMetalHost: its labels, and the rest of its spec, as flow YAML.
func bmh(name, labels, spec string) string {
	return "apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata:\n  namespace: metal3\n  name: " + name +
		"\n  labels: {" + labels + "}\nspec: {" + spec + "}\n---\n"
}

// in has a host in another namespace than metal3.
func in(namespace, host string) string {
	return strings.Replace(host, "namespace: metal3", "namespace: "+namespace, 1)
}

// inputs decodes specs and hosts, and places them.
func inputs(t *testing.T, site *v1alpha1.Site, specs, hosts string) Input {
	t.Helper()
	clusters, err := api.ClustersFromDocuments(documents(t, "specs.yaml", specs))
	require.NoError(t, err)
	found, left := metal3hosts.FromDocuments(documents(t, "hosts.yaml", hosts))
	inventory.Conflicts(found)
	keys := site.Spec.LabelKeys
	placement, err := schedule.Plan(clusters, found, schedule.Previous{}, schedule.Options{Keys: schedule.LabelKeys{
		ClusterNamespace: keys.ClusterNamespace, ClusterName: keys.ClusterName, NodeType: keys.NodeType,
		Standby: keys.Standby,
	}})
	require.NoError(t, err)
	return Input{Site: site, Clusters: clusters, Hosts: found, LeftOut: left, Placement: placement}
}

func codes(findings []finding.Finding) []string {
	var out []string
	for _, f := range findings {
		out = append(out, f.Code+" "+string(f.Severity)+" "+f.Object.String()+" "+f.Field)
	}
	return out
}

const (
	any1 = "{nodes: {Worker: {labelSelector: {}, count: {active: 1}}}}"
	jump = "services: {jumpHost: [{nodeInterfaceId: oam, nodePort: %d, sshAuthorizedKeys: [ssh-ed25519 " +
		"AAAAC3NzaC1lZDI1NTE5AAAAIO/U3rjtwvmtGX2eLm0ewdPD/UWr+X9vypuJN2A5pqvV a@b]}]}"
	imaged = "services: {jumpHost: [{nodeInterfaceId: oam, nodePort: 30022, image: \"%s\", sshAuthorizedKeys: " +
		"[ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO/U3rjtwvmtGX2eLm0ewdPD/UWr+X9vypuJN2A5pqvV a@b]}]}"
	lb = "services: {loadBalancerControlPlane: [{nodeInterfaceId: oam, service: {type: LoadBalancer, " +
		"loadBalancerIP: %s}}]}"
	workers = "{nodes: {Worker: {labelSelector: {matchLabels: {flavor: %s}}, topologyKey: %s, count: {active: %d, " +
		"standby: %d}}}}"
)

func dex(service, issuer string) string {
	return "{services: {dex: [{" + service + ", issuer: \"" + issuer +
		"\", tls: {secretName: dex-tls}, env: [{name: PW, secretRef: {name: pw, key: pw}}], connectors: [{type: " +
		"oidc, id: m, name: M, config: {issuer: \"https://accounts.example.org\", clientID: sipgen, clientSecret: " +
		"$PW, redirectURI: \"" + issuer + "/callback\"}}], staticClients: [{id: k, name: K, public: true}]}]}}"
}

// annotated is a host whose annotation says its address on oam.
func annotated(name, address string) string {
	return strings.Replace(bmh(name, "", ""), "  labels:",
		"  annotations: {sip.airshipit.org/address.oam: "+address+"}\n  labels:", 1)
}

// nmstate is a network data Secret that sipgen does not read.
func nmstate(name string) string {
	return "apiVersion: v1\nkind: Secret\nmetadata: {namespace: metal3, name: " + name +
		"}\nstringData: {nmstate: \"interfaces: []\"}\n---\n"
}
