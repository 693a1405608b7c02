//go:build linux

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
)

// The most bytes of memory that one run may take, however hostile its input, those included that runs before it left to be collected.
const securityMemory = 300 << 20

// attack is one thing that somebody tries who writes a file that sipgen reads.
type attack struct {
	class, why string
	// first are files with which a tree is rendered before those of files come. Rows of class tree have one without.
	first map[string]string
	// files are put over those of securityFiles, by name; a text "run: " is a script.
	files map[string]string
	// want is in the refusal. With "in FILE: " the run succeeds, and the rest is in the file of the tree; with "not in FILE: " it is not.
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
    specs: [bank]
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
  - {name: edge, specs: [edge], namespaces: [edge], nodePorts: [{start: 30100, end: 30199}]}
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
	return bankFile("apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: " + metadata + "\nspec: " + spec + "\n")
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

// connector is a Dex with a connector of these fields.
func connector(config string) map[string]string {
	return dexWith("issuer: 'https://dex.bank.example.org', tls: {secretName: t}, connectors: [{type: ldap, id: a, name: A, config: {host: 'ldap.example.org:636', userSearch: {baseDN: x, username: u, idAttr: i, emailAttr: m}, " + config + "}}]")
}

const securityDex = "dex: [{staticClients: [{id: k, public: true}], issuer: 'https://dex.bank.example.org', tls: {issuerRef: {kind: ClusterIssuer, name: site-ca}}, connectors: [{type: github, id: a, name: A, config: {clientID: x, clientSecret: $S, redirectURI: 'https://dex.bank.example.org/callback'}}], env: [{name: S, secretRef: {name: s, key: k}}]}]"

// patched are all services with a patch for the objects of a kind.
func patched(kind, patch string) map[string]string {
	return bankSpec("\n  services:\n    loadBalancerControlPlane: [{nodeInterfaceId: oam}]\n    jumpHost: [{nodeInterfaceId: oam, sshAuthorizedKeys: ['" + securityKey + "']}]\n    " + securityDex +
		"\n  patches:\n  - target: {kind: " + kind + "}\n    patch: |\n      " + strings.ReplaceAll(patch, "\n", "\n      "))
}

// podPatch merges fields into the pods of all services.
func podPatch(fields string) map[string]string {
	return patched("Deployment", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec: {template: {spec: {"+fields+"}}}")
}

// objectPatch merges fields into all objects of a kind.
func objectPatch(version, kind, fields string) map[string]string {
	return patched(kind, "apiVersion: "+version+"\nkind: "+kind+"\nmetadata: {name: x}\n"+fields)
}

const securityKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKHEChAJ3WN0D2e1oCQzdH3JUDJGzkBlzMDqjuUMkh4C ops@example"

// ofEngines are the classes whose rows each engine has. Other rows take turns: what refuses them knows of no engine.
var ofEngines = []string{"rights", "annotation", "tree", "site service"}

// TestSecurityTable: what a tenant may try, by class, on a site of either engine, each with the refusal that it gets or with what is left of it in the tree. Every row is a
// whole command of a worker, which is asked for its time and memory, and is ended when it takes far too long. More rows of a class are
// where what refuses them is: TestGrants, TestBuilt, TestTamperedTrees, TestOutputsAreTextOnly. What the API server refuses has its
// rows in e2e: docs/security-table.md has both.
func TestSecurityTable(t *testing.T) {
	seen := map[string]int{}
	workers := newWorkers()
	t.Cleanup(func() { check(t, workers.stop()) })
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
	for _, class := range []string{"namespace", "pod", "option", "rights", "secret", "address", "certificate", "network", "annotation", "patch", "tree", "file", "text", "quota", "site service"} {
		if seen[class] < 5 {
			t.Errorf("class %s has %d rows, want five", class, seen[class])
		}
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
				if out, err := command.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", script, err, out)
				}
				continue
			}
			if name == "site.yaml" && engine == "argocd" {
				text = strings.Replace(text, "\nspec:\n", "\nspec:\n  engine: argocd\n  argocd: {order: none}\n", 1)
				// Somebody applies a Vino's credentials himself there.
				text = strings.Replace(text, "      credentialsSecret: vino-bmc\n", "", 1)
			}
			check(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
			check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
	}
	write(securityFiles)
	render := func() (string, int) {
		t.Helper()
		memory := int64(securityMemory)
		if raceDetector {
			memory *= 15
		}
		found, err := workers.run(asked{dir, os.Environ(), []string{"render", "--out", "tree", "--site", "site.yaml", "-f", "specs", "--inventory", "hosts.yaml"}})
		check(t, err)
		if found.Peak > memory {
			t.Errorf("it took %d MB", found.Peak>>20)
		}
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
		if code == exitError || strings.Contains(said, "frozen: ") || err != nil || strings.Contains(string(found), text) == without {
			t.Errorf("exit code %d, %v, want it to be harmless: %s\n%s", code, err, row.want, said)
		}
		return
	}
	if !wasRefused(code, said) || !strings.Contains(said, row.want) {
		t.Errorf("exit code %d, want it refused, with %q:\n%s", code, row.want, said)
	}
	// What is wrong with one tenant's spec freezes that tenant's cluster, and the other tenant goes on.
	if _, err := os.Stat(filepath.Join(dir, "tree/clusters/bank/a/infra")); !row.onTop() && err == nil {
		t.Error("the services were written")
	}
	if _, err := os.Stat(filepath.Join(dir, "tree/clusters/edge/a/infra")); code == exitFinding && err != nil {
		t.Errorf("the other tenant waits: %v", err)
	}
	if strings.Contains(said, "hunter2") || strings.Contains(said, "\x1b") {
		t.Errorf("it says what it must not: %q", said)
	}
}

// wasRefused says that a run wrote nothing, froze a cluster, left something out, or gave a cluster no more than its tenant may have.
func wasRefused(code int, said string) bool {
	return code == exitError || code == exitFinding && (strings.Contains(said, "frozen: ") || strings.Contains(said, "left out: ") || strings.Contains(said, " may have at most ")) ||
		code != exitError && strings.Contains(said, "; not handed out until this is fixed")
}
