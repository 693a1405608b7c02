package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The most bytes of memory that one run may take, however hostile its input, those included that runs before it left to
// be collected.
const securityMemory = 300 << 20

// attack is one thing that somebody tries who writes a file that sipgen reads.
type attack struct {
	class, why string
	// first are files with which a tree is rendered before those of files come. Rows of class tree have one without.
	first map[string]string
	// files are put over those of securityFiles, by name; a text "run: " is a script.
	files map[string]string
	// want is in the refusal. With "in FILE: " the run succeeds, and the rest is in the file of the tree; with "not in
	// FILE: " it is not.
	want string
	// argo is what is wanted with Argo CD, where that is something else.
	argo string
}

// securityFiles is a site with two tenants that may have little.
var securityFiles = map[string]string{
	"site.yaml": `apiVersion: sipgen.airshipit.org/v1alpha1
kind: Site
metadata: {name: lab}
spec:
  repository: {url: 'ssh://git@git.example.org/fleet.git'}
  hosts: {namespaces: [metal3]}
  images: {jumpHost: registry.example.org/jump-host:1}
  tenants:
  - name: bank
    specs: [specs/bank]
    namespaces: [bank]
    hosts: {max: 2, maxStandby: 1}
    maxClusters: 2
    maxPriority: 5
    nodePorts: [{start: 30000, end: 30099}]
    addresses: [203.0.113.16/28]
    issuerDomains: [bank.example.org]
    certificateIssuers: [ClusterIssuer/site-ca]
    networkAttachments: [networks/storage]
    patches: any
  - {name: edge, specs: [specs/edge], namespaces: [edge], nodePorts: [{start: 30100, end: 30199}]}
`,
	"hosts.yaml": securityHost("h1", "192.0.2.1") + securityHost("h2", "192.0.2.2") + securityHost("h3", "192.0.2.3"),
	"specs/edge/a.yaml": `apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: edge, name: a}
spec:
  nodes: {Worker: {count: {active: 1}}}
  services: {loadBalancerWorker: [{nodeInterfaceId: oam, nodePortRange: {start: 30100, end: 30101}}]}
`,
}

func securityHost(name, ip string) string {
	return fmt.Sprintf("---\napiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: metal3, name: %s, uid: u-%[1]s, annotations: {sip.airshipit.org/address.oam: %s}, "+
		"managedFields: [{manager: people, operation: Update, apiVersion: metal3.io/v1alpha1, fieldsType: FieldsV1, fieldsV1: {'f:spec': {'f:online': {}}}}]}\n"+
		"spec: {online: true, bootMACAddress: '52:54:00:00:00:%[1]s'}\nstatus: {operationalStatus: OK, provisioning: {state: available}}\n", name, ip)
}

// bankFile is a spec of the tenant bank, whatever it says.
func bankFile(text string) map[string]string { return map[string]string{"specs/bank/a.yaml": text} }

// bankSpec is a SIPCluster of the tenant bank with the fields of its spec.
func bankSpec(spec string) map[string]string { return named("{namespace: bank, name: a}", spec) }

func named(metadata, spec string) map[string]string {
	return bankFile("apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: " + metadata + "\nspec: " +
		spec + "\n")
}

// balancer, jumpHost and dex are one service with these fields.
func balancer(fields string) map[string]string {
	return bankSpec("{services: {loadBalancerControlPlane: [{nodeInterfaceId: oam, " + fields + "}]}}")
}
func jumpHost(fields string) map[string]string {
	return bankSpec("{services: {jumpHost: [{nodeInterfaceId: oam, " + fields + "}]}}")
}
func dexWith(fields string) map[string]string {
	return bankSpec("{services: {dex: [{staticClients: [{id: k, public: true}], " + fields + "}]}}")
}

// connectedDex is a Dex that somebody can log in to.
func connectedDex(fields string) map[string]string {
	return dexWith(fields + ", connectors: [{type: ldap, id: a, name: A, config: {host: 'ldap.example.org:636', bindDN: x, bindPW: $S, userSearch: {baseDN: x, username: u, idAttr: i, emailAttr: m}}}], env: [{name: S, secretRef: {name: s, key: k}}]")
}

func connector(config string) map[string]string {
	return dexWith("issuer: 'https://dex.bank.example.org', tls: {secretName: t}, connectors: [{type: ldap, id: a, name: A, config: {host: 'ldap.example.org:636', userSearch: {baseDN: x, username: u, idAttr: i, emailAttr: m}, " + config + "}}]")
}

const securityDex = "dex: [{staticClients: [{id: k, public: true}], issuer: 'https://dex.bank.example.org', tls: {issuerRef: {kind: ClusterIssuer, name: site-ca}}, connectors: [{type: github, id: a, name: A, config: {clientID: x, clientSecret: $S, redirectURI: 'https://dex.bank.example.org/callback'}}], env: [{name: S, secretRef: {name: s, key: k}}]}]"

// patched are all services with a patch for the objects of a kind.
func patched(kind, patch string) map[string]string {
	return bankSpec("\n  services:\n    loadBalancerControlPlane: [{nodeInterfaceId: oam}]\n    jumpHost: [{nodeInterfaceId: oam, sshAuthorizedKeys: ['" + securityKey + "']}]\n    " + securityDex +
		"\n  patches:\n  - target: {kind: " + kind + "}\n    patch: |\n      " + strings.ReplaceAll(patch, "\n",
		"\n      "))
}

func podPatch(fields string) map[string]string {
	return patched("Deployment", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec: {template: {spec: {"+fields+"}}}")
}

func objectPatch(version, kind, fields string) map[string]string {
	return patched(kind, "apiVersion: "+version+"\nkind: "+kind+"\nmetadata: {name: x}\n"+fields)
}

const securityKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKHEChAJ3WN0D2e1oCQzdH3JUDJGzkBlzMDqjuUMkh4C ops@example"

// ofEngines are the classes whose rows each engine has. Other rows take turns: what refuses them knows of no engine.
var ofEngines = []string{"rights", "annotation", "tree", "site service"}

// TestSecurityTable: what a tenant may try, by class, on a site of either engine, each with the refusal that it gets or
// with what is left of it in the tree. Every row is a whole command of a worker, which is asked for its time and
// memory, and is ended when it takes far too long. More rows of a class are where what refuses them is: TestGrants,
// TestBuilt, TestTamperedTrees, TestOutputsAreTextOnly. What the API server refuses has its rows in e2e: docs/trust.md
// has both.
func TestSecurityTable(t *testing.T) {
	seen := map[string]int{}
	workers := newWorkers()
	t.Cleanup(func() { require.NoError(t, workers.stop()) })
	engines := []string{"flux", "argocd"}
	for i, row := range securityTable() {
		seen[row.class]++
		for _, engine := range engines {
			if !slices.Contains(ofEngines, row.class) && row.argo == "" && engine != engines[i%2] {
				continue
			}
			row := row
			if engine == "argocd" {
				row.want = cmp.Or(row.argo, row.want)
			}
			t.Run(engine+"/"+row.class+"/"+row.why, func(t *testing.T) {
				t.Parallel()
				row.try(t, workers, engine)
			})
		}
	}
	for _, class := range []string{"namespace", "pod", "option", "rights", "secret", "address", "certificate",
		"network", "annotation", "patch", "tree", "file", "text", "quota", "site service"} {
		assert.Truef(t, seen[class] >= 5, "class %s has %d rows, want five", class, seen[class])
	}
}

// onTop: there is a tree before.
func (row attack) onTop() bool { return row.class == "tree" || row.first != nil }

func (row attack) try(t *testing.T, workers *workers, engine string) {
	dir := t.TempDir()
	write := func(files map[string]string) {
		t.Helper()
		for name, text := range files {
			if script, ok := strings.CutPrefix(text, "run: "); ok {
				command := exec.Command("sh", "-ec", script)
				command.Dir = dir
				need.Output(t, command)
				continue
			}
			if name == "site.yaml" && engine == "argocd" {
				text = strings.Replace(text, "\nspec:\n", "\nspec:\n  engine: argocd\n  argocd: {order: none}\n", 1)
				// Somebody applies a Vino's credentials himself there.
				text = strings.Replace(text, "      credentialsSecret: vino-bmc\n", "", 1)
			}
			need.Write(t, filepath.Join(dir, name), text)
		}
	}
	write(securityFiles)
	render := func() (string, int) {
		t.Helper()
		found, err := workers.run(asked{dir, os.Environ(),
			[]string{"render", "--out", "tree", "--site", "site.yaml", "-f", "specs", "--inventory", "hosts.yaml"}})
		require.NoError(t, err)
		assert.Truef(t, found.Peak <= securityMemory, "it took %d MB", found.Peak>>20)
		return found.Stdout + found.Stderr, found.Code
	}
	write(row.first)
	if row.onTop() {
		if said, code := render(); code != exitDone {
			t.Fatal(said)
		}
	}
	write(row.files)
	said, code := render()
	file, text, harmless := strings.Cut(row.want, ": ")
	name, without := strings.CutPrefix(file, "not in ")
	name, with := strings.CutPrefix(name, "in ")
	if harmless && (with || without) {
		found, err := os.ReadFile(filepath.Join(dir, "tree", name))
		// A spec with an error of lint, or short of standby hosts, is a finding, and is rendered.
		assert.Truef(t,
			code != exitError && !strings.Contains(said, "frozen: ") && err == nil && strings.Contains(string(found),
				text) != without,
			"exit code %d, %v, want it to be harmless: %s\n%s", code, err, row.want, said)
		return
	}
	assert.Truef(t, wasRefused(code, said) && strings.Contains(said, row.want),
		"exit code %d, want it refused, with %q:\n%s", code, row.want, said)
	// What is wrong with one tenant's spec freezes that tenant's cluster, and the other tenant goes on.
	if _, err := os.Stat(filepath.Join(dir, "tree/clusters/bank/a/infra")); !row.onTop() && err == nil {
		t.Error("the services were written")
	}
	if _, err := os.Stat(filepath.Join(dir, "tree/clusters/edge/a/infra")); code == exitFinding && err != nil {
		t.Errorf("the other tenant waits: %v", err)
	}
	assert.Truef(t, !strings.Contains(said, "hunter2") && !strings.Contains(said, "\x1b"),
		"it says what it must not: %q", said)
}

// wasRefused says that a run wrote nothing, froze a cluster, left something out, or gave a cluster no more than its
// tenant may have.
func wasRefused(code int, said string) bool {
	return code == exitError || code == exitFinding && (strings.Contains(said, "frozen: ") ||
		strings.Contains(said, "left out: ") || strings.Contains(said, " may have at most ")) ||
		code != exitError && strings.Contains(said, "; not handed out until this is fixed")
}

// The services of a site that is valid, for somebody to change one thing in.
const securityServices = `  services:
    ironic:
    - name: ironic
      namespace: bmo
      spec:
        version: "35.0"
        networking: {interface: eth1, ipAddress: 172.22.0.2, dhcp: {networkCIDR: 172.22.0.0/24, rangeBegin: 172.22.0.10, rangeEnd: 172.22.0.99}}
        deployRamdisk: {sshKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKHEChAJ3WN0D2e1oCQzdH3JUDJGzkBlzMDqjuUMkh4C ops@example"}
        images: {ironic: quay.example.org/metal3/ironic}
    virtualHosts:
    - name: vms
      namespace: vino
      hostNamespace: metal3
      credentialsSecret: vino-bmc
      nodes: [{name: n1, address: 192.0.2.101, labels: {rack: r1}}]
      spec:
        nodeSelector: {matchLabels: {vino: 'yes'}}
        configuration: {cpuExclude: 0-1}
        pxeBootImageHost: boot.example.org
        daemonSetOptions: {libvirtImage: quay.example.org/vino/libvirt}
        networks:
        - {name: mgmt, subnet: 192.168.2.0/24, dhcpAllocationStart: 192.168.2.128, dhcpAllocationStop: 192.168.2.255, staticAllocationStart: 192.168.2.10, staticAllocationStop: 192.168.2.99, macPrefix: '52:54:00:06:00:00', physicalInterface: eth2, routes: [{network: 10.0.0.0, netmask: 255.0.0.0, gateway: $vinobridge}]}
        nodes:
        - {name: worker, count: 2, rootDeviceName: /dev/vda, bmhLabels: {role: worker}, networkDataTemplate: {name: t, namespace: vino}, bootInterfaceName: eth0, networkInterfaces: [{name: eth0, network: mgmt}]}
    placement:
    - name: placement
      namespace: openstack
      spec: {databaseInstance: db, secret: placement-secret, customServiceConfig: "debug = true", override: {service: {public: {endpointURL: 'https://placement.example.org', metadata: {annotations: {metallb.io/loadBalancerIPs: 198.51.100.5}}}}}}
    networks:
    - {name: storage, namespace: openstack, attachment: '{"type": "macvlan", "ipam": {"type": "whereabouts", "range": "198.51.100.64/28"}}'}
    - {name: oam, namespace: metallb-system, pool: {addresses: [198.51.100.0/28]}}
`

// ofService is the site with its services, where old is new.
func ofService(old, new string) map[string]string {
	if strings.Count(securityServices, old) != 1 {
		panic("not once among the services: " + old)
	}
	return map[string]string{"site.yaml": securityFiles["site.yaml"] + strings.Replace(securityServices, old, new, 1)}
}

// securityOfServices are what the services of a site may not be made to do: its author is trusted, what he copies from
// elsewhere is not.
func securityOfServices() []attack {
	const at = "spec.services."
	key := `deployRamdisk: {sshKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKHEChAJ3WN0D2e1oCQzdH3JUDJGzkBlzMDqjuUMkh4C ops@example"}`
	many := func(n int) string { return strings.Repeat("x", n) }
	return []attack{
		{why: "nothing wrong", files: ofService("name: ironic\n", "name: ironic\n"),
			want: "in site/virtual-hosts/vino.vms/vino.yaml: password: ${sipgen_quote}${bmc_password//'/''}${sipgen_quote}",
			argo: "not in site/virtual-hosts/vino.vms/vino.yaml: bmcCredentials"},
		{why: "a folder for a name", files: ofService("name: ironic\n", "name: ../../policy/x\n"),
			want: at + "ironic[0].name: "},
		{why: "a folder for a namespace", files: ofService("namespace: bmo", "namespace: ../bmo"),
			want: at + "ironic[0].namespace: "},
		{why: "an object more in a name", files: ofService("name: vms\n", "name: \"vms\\n---\\nkind: Secret\"\n"),
			want: at + "virtualHosts[0].name: "},
		{why: "a folder for a Vino", files: ofService("namespace: vino\n      hostNamespace",
			"namespace: ..\n      hostNamespace"), want: at + "virtualHosts[0].namespace: "},
		{why: "a name beyond bounds", files: ofService("name: placement\n", "name: "+many(300)+"\n"),
			want: at + "placement[0].name: "},
		{why: "a folder for a network", files: ofService("name: storage,", "name: ../storage,"),
			want: at + "networks[0].name: "},
		{why: "a password among Ironic's options",
			files: ofService(key, "extraConfig: [{group: database, name: connection_password, value: hunter2}]"),
			want:  at + "ironic[0].spec.extraConfig[0]"},
		{why: "a private key", files: ofService("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKHEChAJ3WN0D2e1oCQzdH3JUDJGzkBlzMDqjuUMkh4C ops@example", `-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2`), want: "sshKey: "},
		{why: "a login for images", files: ofService("ironic: quay.example.org/metal3/ironic",
			"deployRamdiskBranch: x, ironic: 'robot:hunter2@quay.example.org/ironic'"),
			want: at + "ironic[0].spec.images.ironic: "},
		{why: "a password in a container's environment",
			files: ofService("images: {ironic: quay.example.org/metal3/ironic}",
				"overrides: {containers: [{name: x, image: quay.example.org/x, env: [{name: DB_PASSWORD, value: hunter2}]}]}"), want: "overrides.containers[0].env[0].value: is of DB_PASSWORD and would be committed"},
		{why: "the BMCs' password", files: ofService("        configuration:",
			"        bmcCredentials: {username: admin, password: hunter2}\n        configuration:"),
			want: "bmcCredentials: given, and would be committed"},
		{why: "the BMCs' password for a Secret's name",
			files: ofService("credentialsSecret: vino-bmc", "credentialsSecret: admin:hunter2"),
			want:  at + "virtualHosts[0].credentialsSecret: "},
		{why: "a password in Placement's options",
			files: ofService("debug = true", `[database]\nconnection = mysql://p:hunter2@db/p`),
			want:  at + "placement[0].spec.customServiceConfig"},
		{why: "a password for Placement, by its name",
			files: ofService("debug = true", "[keystone_authtoken]\\npassword = hunter2"),
			want:  "sets option password in its line 2, which would be committed"},
		{why: "a login in an endpoint", files: ofService("https://placement.example.org",
			"https://admin:hunter2@placement.example.org"), want: "endpointURL: "},
		{why: "a password in an attachment",
			files: ofService(`"type": "macvlan", `, `"type": "macvlan", "password": "hunter2", `),
			want:  at + "networks[0].attachment: "},
		{why: "a variable of Flux", files: ofService("boot.example.org", "${bmc_password}"),
			want: "has ${ in it, which Flux would replace", argo: "pxeBootImageHost: "},
		{why: "a variable of Flux for a key", files: ofService("{role: worker}", "{'${bmc_password}': x}"),
			want: "bmhLabels"},
		{why: "a variable of Flux in a gateway", files: ofService("gateway: $vinobridge", "gateway: '${vinobridge}'"),
			want: "has ${ in it, which Flux would replace", argo: "routes[0].gateway: "},
		{why: "a variable with a default",
			files: ofService("rootDeviceName: /dev/vda", "rootDeviceName: '/dev/${x:=vda}'"),
			want:  "has ${ in it, which Flux would replace", argo: "rootDeviceName: "},
		{why: "a command for an interface",
			files: ofService("physicalInterface: eth2", "physicalInterface: 'eth2; reboot'"),
			want:  "physicalInterface: "},
		{why: "a command for a device", files: ofService("/dev/vda", "/dev/vda;reboot"), want: "rootDeviceName: "},
		{why: "a file of the node", files: ofService("bootInterfaceName: eth0,",
			"bootInterfaceName: eth0, diskDrives: [{name: d, path: /var/../etc/shadow}],"),
			want: "diskDrives[0].path: "},
		{why: "a line more for Ironic", files: ofService("interface: eth1", `externalIP: "192.0.2.1\nx"`),
			want: "networking.externalIP: "},
		{why: "an image of anybody's", files: ofService("quay.example.org/vino/libvirt", "'*'"),
			want: "daemonSetOptions.libvirtImage: "},
		{why: "the labels that say whose a host is",
			files: ofService("{role: worker}", "{sip.airshipit.org/cluster-name: a}"), want: "which sipgen writes"},
		{why: "a label with a line in it", files: ofService("{rack: r1}", `{rack: "r1\nx"}`), want: "labels: "},
		{why: "machines without end", files: ofService("count: 2", "count: 1000000000"),
			want: "count: found 1000000000"},
		{why: "two hundred thousand machines and more",
			files: ofService("nodes: [{name: n1, address: 192.0.2.101, labels: {rack: r1}}]",
				"nodes: ["+manyNodes(201)+"]"), want: "too few"},
		{why: "a network without end", files: ofService("192.168.2.0/24, dhcpAllocationStart: 192.168.2.128, dhcpAllocationStop: 192.168.2.255", "0.0.0.0/0, instanceSubnetBitStep: 1, dhcpAllocationStart: 193.0.0.0, dhcpAllocationStop: 255.255.255.255"), want: "overlaps"},
		{why: "an attachment of a megabyte",
			files: ofService(`"type": "macvlan", `, `"type": "macvlan", "x": "`+many(1<<20)+`", `),
			want:  at + "networks[0].attachment: found"},
		{why: "an address that is none",
			files: ofService("metallb.io/loadBalancerIPs: 198.51.100.5",
				`metallb.io/loadBalancerIPs: "198.51.100.5\nx"`), want: "annotations: found"},
		{why: "a pool of everything", files: ofService("198.51.100.0/28", "0.0.0.0/0"), want: "which is every address"},
		{why: "the hosts' addresses, for Ironic",
			files: ofService("networkCIDR: 172.22.0.0/24, rangeBegin: 172.22.0.10, rangeEnd: 172.22.0.99",
				"networkCIDR: 172.22.0.0/24, rangeBegin: 172.22.0.1, rangeEnd: 172.22.0.99"), want: "overlaps"},
		{why: "more of the same", files: ofService("    networks:\n    - {name: storage",
			"    networks:\n    - {name: oam, namespace: metallb-system, pool: {addresses: [10.0.0.0/8]}}\n    - {name: storage"), want: at + "networks[2].name: "},
		{why: "a tenant that is none", files: ofService("credentialsSecret:",
			"tenants: ['bank\\n']\n      credentialsSecret:"), want: at + "virtualHosts[0].tenants[0]: "},
		{why: "a network that never meets what it is",
			files: ofService("    networks:\n    - {name: storage",
				"    addressSpaces: [{name: \"a\\nb\", networks: [bmc]}]\n    networks:\n    - {name: storage"),
			want: at + "addressSpaces[0].name: "},
	}
}

func manyNodes(n int) string {
	var out strings.Builder
	for i := range n {
		out.WriteString("{name: n" + strings.Repeat("x", i%40) + string(rune('a'+i/40)) + "}, ")
	}
	return out.String()
}
