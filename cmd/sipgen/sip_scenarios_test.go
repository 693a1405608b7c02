package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Hosts and specs as the SIP operator's own tests make them (airshipit/sip, commit 1f88a95, testutil): hosts with three
// labels and network data with one address on oam-ipv4, a spec with one service of each kind. There, all hosts have one
// BMC and one address; here each has its own, as on any site, because sipgen does not hand out hosts that share them.
const sipNetworks = `{"networks": [{"id": "oam-ipv6", "type": "ipv6", "ip_address": "2001:1890:1001:293d::%d"}, {"id": "oam-ipv4", "type": "ipv4", "ip_address": "32.68.51.%d", "netmask": "255.255.255.128"}]}`

const sipNetworksYAML = "networks:\n- {id: oam-ipv6, type: ipv6, ip_address: '2001:1890:1001:293d::%d'}\n- {id: oam-ipv4, type: ipv4, ip_address: 32.68.51.%d, netmask: 255.255.255.128}\n"

// sipHost is one host.
type sipHost struct {
	role   string
	labels string
	// networks is its network data; "none" for a host that names no Secret, "missing" for one whose Secret is not
	// there.
	networks string
	bmc      string
}

func (h sipHost) manifest(n int) string {
	labels := fmt.Sprintf("example.org/bmh-label: %s, vino.airshipit.org/rack: r6, vino.airshipit.org/host: stl2r6o%d",
		h.role, n)
	if h.labels != "" {
		labels = fmt.Sprintf("example.org/bmh-label: %s, vino.airshipit.org/rack: r6, %s", h.role, h.labels)
		if !strings.Contains(labels, "vino.airshipit.org/host") {
			labels += fmt.Sprintf(", vino.airshipit.org/host: stl2r6o%d", n)
		}
	}
	out := fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: default, name: node0%d, uid: uid-%d, labels: {%s}}\nspec:\n  bmc: {address: 'redfish+https://32.68.52.%d/redfish/v1/Systems/System.Embedded.1', credentialsName: node0%d-bmc-credentials}\n", n, n, labels, n+1, n)
	if h.networks != "none" {
		out += fmt.Sprintf("  networkData: {namespace: default, name: node%d-network-data}\n", n)
	}
	out += "---\n"
	if h.networks != "none" && h.networks != "missing" {
		text := h.networks
		if strings.Contains(text, "%d") {
			text = fmt.Sprintf(text, n+10, n+10)
		}
		out += fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {namespace: default, name: node%d-network-data}\ndata: {%s}\n---\n", n, text)
	}
	if h.bmc != "" {
		out += fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {namespace: default, name: node0%d-bmc-credentials}\nstringData: {%s}\n---\n", n, h.bmc)
	}
	return out
}

// data is the value of a Secret's data.
func data(text string, n int) string {
	return "networkData: " + base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf(text, n+10, n+10)))
}

const sipKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKHEChAJ3WN0D2e1oCQzdH3JUDJGzkBlzMDqjuUMkh4C ops@example"

// sipSpec is a spec for so many hosts of each role, with a service of each kind.
func sipSpec(controlPlanes, workers int, topology, key string) string {
	return fmt.Sprintf(`apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: default, name: subcluster-1}
spec:
  nodes:
    ControlPlane: {labelSelector: {matchLabels: {example.org/bmh-label: control-plane}}, topologyKey: %[3]s, count: {active: %[1]d, standby: 0}}
    Worker: {labelSelector: {matchLabels: {example.org/bmh-label: worker}}, topologyKey: %[3]s, count: {active: %[2]d, standby: 0}}
  services:
    jumpHost: [{image: quay.io/airshipit/jump-host, nodePort: 30000, nodeInterfaceId: oam-ipv4, nodeSSHPrivateKeys: subcluster-1-ssh-private-key, sshAuthorizedKeys: ['%[4]s']}]
    loadBalancerControlPlane: [{nodeInterfaceId: oam-ipv4}]
    loadBalancerWorker: [{nodeInterfaceId: oam-ipv4, nodePortRange: {start: 30002, end: 30011}}]
`, controlPlanes, workers, topology, key)
}

// scenario is one test of the SIP operator, what it answers there, and what sipgen answers.
type scenario struct {
	// name and where are the test's, in SIP's repository. sip is its answer, sipgen ours, and why where they differ.
	where, name, sip, sipgen, why string
	hosts                         []sipHost
	spec                          string
	// code and want are sipgen's for plan; never may be in nothing that it prints or renders.
	code  int
	want  []string
	never string
	// then is more to look at, in the folder with site.yaml, spec.yaml and hosts.yaml.
	then func(t *testing.T, dir string, run func(code int, args ...string) string)
}

func roles(names ...string) []sipHost {
	var out []sipHost
	for i, name := range names {
		role := map[string]string{"c": "control-plane", "w": "worker"}[name]
		out = append(out, sipHost{role: role, networks: data(sipNetworks, i)})
	}
	return out
}

func labeled(hosts []sipHost, labels string) []sipHost {
	for i := range hosts {
		hosts[i].labels = labels
	}
	return hosts
}

const hostKey, rackKey = "vino.airshipit.org/host", "vino.airshipit.org/rack"

func scenarios() []scenario {
	const controllers, bmhs, services = "pkg/controllers", "pkg/bmh", "pkg/services"
	const ofSubcluster = "sip.airshipit.org/cluster-namespace: default, sip.airshipit.org/cluster-name: subcluster-1, sip.airshipit.org/node-type: ControlPlane"
	one := func(change func(*sipHost)) []sipHost {
		hosts := roles("c")
		change(&hosts[0])
		return hosts
	}
	return []scenario{
		{controllers, "Should schedule available nodes", "all seven hosts labeled", "the same", "",
			roles("c", "c", "c", "w", "w", "w", "w"), sipSpec(3, 4, hostKey, sipKey), 0,
			[]string{"7 hosts assigned (7 new)"}, "", nil},
		{controllers, "Should not schedule nodes when there is an insufficient number of available ControlPlane nodes",
			"no host labeled", "the same, and says which is missing", "",
			roles("c", "c", "w", "w", "w", "w"), sipSpec(3, 4, hostKey, sipKey), 1,
			[]string{"0 hosts assigned (0 new)", "ControlPlane needs 3", "short 1"}, "", nil},
		{controllers, "Should not schedule nodes when there is an insufficient number of available Worker nodes",
			"no host labeled", "the same, and says which is missing", "",
			roles("c", "c", "c", "w", "w"), sipSpec(3, 4, hostKey, sipKey), 1,
			[]string{"0 hosts assigned (0 new)", "Worker needs 4", "short 2"}, "", nil},
		{controllers, "Should not schedule two Worker nodes to the same server", "no host labeled", "the same", "",
			labeled(roles("c", "w", "w"), hostKey+": r06o001"), sipSpec(1, 2, hostKey, sipKey), 1,
			[]string{"0 hosts assigned (0 new)", "Worker needs 2"}, "", nil},
		{controllers, "Should not schedule two ControlPlane nodes to the same server", "no host labeled", "the same",
			"",
			labeled(roles("c", "c", "w"), hostKey+": r06o001"), sipSpec(2, 1, hostKey, sipKey), 1,
			[]string{"0 hosts assigned (0 new)", "ControlPlane needs 2"}, "", nil},
		{controllers, "Should not schedule two Worker nodes to the same rack", "no host labeled", "the same", "",
			roles("c", "w", "w"), sipSpec(1, 2, rackKey, sipKey), 1,
			[]string{"0 hosts assigned (0 new)", "Worker needs 2"}, "", nil},
		{controllers, "Should not schedule two ControlPlane nodes to the same rack", "no host labeled", "the same", "",
			roles("c", "c", "w"), sipSpec(2, 1, rackKey, sipKey), 1,
			[]string{"0 hosts assigned (0 new)", "ControlPlane needs 2"}, "", nil},
		{bmhs, "Should report if it has a machine registered for a BMH object", "a host that it has is not taken twice",
			"the same: hosts with the cluster's labels are kept", "",
			labeled(roles("c", "c"), ofSubcluster), sipSpec(2, 0, hostKey, sipKey), 0,
			[]string{"2 hosts assigned (0 new)", "kept"}, "", nil},
		{bmhs, "Should produce a list of unscheduled BMH objects",
			"hosts with another cluster's labels are not offered", "the same, and names that cluster", "",
			append(labeled(roles("c"), strings.ReplaceAll(ofSubcluster, "subcluster-1", "other")),
				roles("c", "c", "c")[1:]...), sipSpec(3, 0, hostKey, sipKey), 1,
			[]string{"0 hosts assigned (0 new)", "default/other", "short 1"}, "", nil},
		{bmhs, "Should not produce a list of BMH objects when there are none available for scheduling", "an error",
			"the cluster is short, and the run ends with 1", "other clusters' hosts are no reason to stop",
			labeled(roles("c", "c"), strings.ReplaceAll(ofSubcluster, "subcluster-1", "other")),
			sipSpec(2, 0, hostKey, sipKey), 1, []string{"0 hosts assigned (0 new)", "short 2"}, "", nil},
		{bmhs, "Should retrieve the BMH IP from the BMH's NetworkData secret when infra services are defined",
			"the address on the service's network", "the same", "",
			roles("c"), sipSpec(1, 0, hostKey, sipKey), 0, []string{"32.68.51.10"}, "", nil},
		{bmhs, "Should retrieve the BMH IP from the BMH's NetworkData secret when netdata is in yaml format",
			"the address on the service's network", "the same", "",
			one(func(h *sipHost) { h.networks = data(sipNetworksYAML, 0) }), sipSpec(1, 0, hostKey, sipKey), 0,
			[]string{"32.68.51.10"}, "", nil},
		{bmhs, "Should not retrieve the BMH IP from the BMH's NetworkData secret if no infraServices are defined",
			"reads the BMC's user and password", "reads neither",
			"power goes by metal3's annotations; no password leaves its Secret",
			one(func(h *sipHost) { h.bmc = "username: root, password: hunter2-Marker" }),
			sipSpec(1, 0, hostKey, sipKey), 0, []string{"1 hosts assigned (1 new)"}, "hunter2-Marker", nil},
		{bmhs, "Should not process a BMH when its BMC secret is missing", "an error", "the host is handed out",
			"sipgen does not read the Secret; metal3 says so in the host's status, and a host in error is not handed out",
			roles("c"), sipSpec(1, 0, hostKey, sipKey), 0, []string{"1 hosts assigned (1 new)"}, "", nil},
		{bmhs, "Should not process a BMH when its BMC secret is incorrectly formatted", "an error",
			"the host is handed out", "the same",
			one(func(h *sipHost) { h.bmc = "foo: 'hunter2-Marker'" }), sipSpec(1, 0, hostKey, sipKey), 0,
			[]string{"1 hosts assigned (1 new)"}, "hunter2-Marker", nil},
		{bmhs, "Should not process a BMH when its Network Data secret is missing", "an error, for the whole cluster",
			"that host is not handed out, another one may be", "one host's fault is that host's",
			append(one(func(h *sipHost) { h.networks = "missing" }), roles("c", "c")[1:]...),
			sipSpec(1, 0, hostKey, sipKey), 0, []string{"default/node01", "1 hosts assigned (1 new)"}, "", nil},
		{bmhs, "Should not process a BMH when its Network Data secret is incorrectly formatted",
			"an error, for the whole cluster", "that host is not handed out, another one may be",
			"one host's fault is that host's",
			append(one(func(h *sipHost) {
				h.networks = "foo: " +
					base64.StdEncoding.EncodeToString([]byte("hunter2-Marker"))
			}), roles("c", "c")[1:]...), sipSpec(1, 0, hostKey, sipKey), 0,
			[]string{"default/node01", "1 hosts assigned (1 new)"}, "hunter2-Marker", nil},
		{bmhs, "Should not retrieve the BMH IP if it has been previously extrapolated", "the address that it knows",
			"the same: the tree keeps the address from the hand-out on", "",
			roles("c"), sipSpec(1, 0, hostKey, sipKey), 0, []string{"32.68.51.10"}, "",
			func(t *testing.T, dir string, run func(code int, args ...string) string) {
				run(0, "render", "--out", filepath.Join(dir, "tree"))
				require.NoError(t,
					os.WriteFile(filepath.Join(dir, "hosts.yaml"),
						[]byte(sipHost{role: "control-plane", networks: "missing"}.manifest(0)), 0o600))
				if out := run(0, "plan", "--previous", filepath.Join(dir, "tree")); !strings.Contains(out,
					"32.68.51.10") || !strings.Contains(out, "(0 new)") {
					t.Errorf("after the Secret is gone: %s", out)
				}
			}},
		{bmhs, "Should not schedule BMH if it is missing networkdata", "the host is not taken",
			"the same, where a service of the role's needs its address", "a role without services needs no address",
			one(func(h *sipHost) { h.networks = "none" }), sipSpec(1, 0, hostKey, sipKey), 1,
			[]string{"0 hosts assigned (0 new)", "address"}, "",
			func(t *testing.T, dir string, run func(code int, args ...string) string) {
				spec, _, _ := strings.Cut(sipSpec(1, 0, hostKey, sipKey), "  services:")
				require.NoError(t, os.WriteFile(filepath.Join(dir, "spec.yaml"), []byte(spec), 0o600))
				run(0, "plan")
			}},
		{services, "Deploys services", "three Deployments and Services; the jump host knows the hosts' names and addresses, and has their BMC passwords", "the same objects by the same names, without passwords", "power goes by metal3's annotations",
			roles("c", "w"), sipSpec(1, 1, hostKey, sipKey), 0, []string{"2 hosts assigned (2 new)"}, "",
			func(t *testing.T, dir string, run func(code int, args ...string) string) {
				run(0, "render", "--out", filepath.Join(dir, "tree"))
				var all strings.Builder
				for _, name := range []string{"loadbalancer-controlplane-subcluster-1",
					"loadbalancer-worker-subcluster-1", "jumphost-subcluster-1"} {
					text := read(t, filepath.Join(dir, "tree/clusters/default/subcluster-1/infra", name+".yaml"))
					for _, kind := range []string{"Deployment", "Service"} {
						assert.Truef(t,
							regexp.MustCompile(`kind: `+kind+`\nmetadata:\n(  .*\n)*  name: `+name+
								`\n`).MatchString(text),
							"no %s %s", kind, name)
					}
					all.WriteString(text)
				}
				for _, word := range []string{"32.68.51.10", "32.68.51.11", "node00", "node01"} {
					assert.Contains(t, all.String(), word, "the jump host does not know")
				}
			}},
		{services, "Does not deploy a Jump Host when an invalid SSH key is provided",
			"the jump host is not deployed, the cluster stays unready",
			"the spec is refused, with file, line and field", "said before anything is written",
			roles("c", "w"), sipSpec(1, 1, hostKey, "sshrsaAAAAAAAAAAAAAAAAAAAAAinvalidkey"), 1,
			[]string{"spec.yaml: document 1: line 9: spec.services.jumpHost[0].sshAuthorizedKeys[0]"}, "", nil},
	}
}

// TestScenariosOfSIP holds sipgen to every test that the SIP operator had, and tests.md beside SIP's objects to the
// table of them.
func TestScenariosOfSIP(t *testing.T) {
	table := "| SIP's test | SIP | sipgen | why |\n|---|---|---|---|\n"
	for _, s := range scenarios() {
		table += fmt.Sprintf("| `%s`: %s | %s | %s | %s |\n", s.where, s.name, s.sip, s.sipgen, s.why)
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			hosts := ""
			for i, h := range s.hosts {
				hosts += h.manifest(i)
			}
			for name, text := range map[string]string{"hosts.yaml": hosts, "spec.yaml": s.spec,
				"site.yaml": "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: sip}\nspec:\n  repository: {url: 'https://git.example.org/a.git'}\n  images: {jumpHost: 'registry.example.org/jump-host:1'}\n  hosts: {sharedNamespaces: [default]}\n"} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
			sipgen := func(code int, args ...string) string {
				t.Helper()
				args = append(args, "--site", filepath.Join(dir, "site.yaml"), "-f", filepath.Join(dir, "spec.yaml"),
					"--inventory", filepath.Join(dir, "hosts.yaml"))
				got, out, said := ran(t, args...)
				out += said
				assert.Truef(t, got == code, "sipgen %v: exit code %d, want %d\n%s", args[:1], got, code, out)
				if s.never != "" && strings.Contains(out, s.never) {
					t.Errorf("it prints what is in a Secret:\n%s", out)
				}
				return out
			}
			out := sipgen(s.code, "plan")
			for _, word := range s.want {
				assert.Contains(t, strings.ReplaceAll(out, "1 host assigned", "1 hosts assigned"), word)
			}
			if s.then != nil {
				s.then(t, dir, sipgen)
			}
		})
	}
	const page = sipInputs + "/tests.md"
	const begin, end = "<!-- SIP's tests: written by go test ./cmd/sipgen -run ScenariosOfSIP -update -->\n", "<!-- end of SIP's tests -->\n"
	before, rest, found := strings.Cut(read(t, page), begin)
	_, after, closed := strings.Cut(rest, end)
	require.Truef(t, found && closed, "%s: no place for the table", page)
	same(t, page, before+begin+table+end+after)
}

// TestTakeoverInOrder takes four of SIP's tenants over one at a time, in four orders, where each tenant is first once,
// and last once: at every step each tenant has exactly the hosts that SIP gave it, none is new, released or pending,
// the free hosts stay free, and those of tenants that are not taken over yet are left alone. One tenant has a host on
// standby, one two hosts in a rack that its spec would not allow today.
func TestTakeoverInOrder(t *testing.T) {
	type tenant struct{ controlPlanes, workers, standby int }
	tenants := map[string]tenant{"a": {1, 2, 0}, "b": {1, 1, 1}, "c": {3, 0, 0}, "d": {1, 2, 0}}
	hosts, n := "", 0
	had := map[string]string{}
	for _, name := range []string{"a", "b", "c", "d", ""} {
		of := tenants[name]
		if name == "" {
			of = tenant{3, 6, 0}
		}
		for role, count := range map[string]int{"ControlPlane": of.controlPlanes, "Worker": of.workers + of.standby} {
			for range count {
				h := sipHost{role: map[string]string{"ControlPlane": "control-plane", "Worker": "worker"}[role],
					networks: data(sipNetworks, n)}
				h.labels = fmt.Sprintf("vino.airshipit.org/host: s%d", n)
				if name == "d" && role == "Worker" {
					h.labels = "vino.airshipit.org/host: one-server"
				}
				if name != "" {
					h.labels += fmt.Sprintf(", sip.airshipit.org/cluster-namespace: %s-infra, sip.airshipit.org/cluster-name: %s, sip.airshipit.org/node-type: %s", name, name, role)
					had[fmt.Sprintf("default/node0%d", n)] = name + "-infra/" + name
				}
				hosts += h.manifest(n)
				n++
			}
		}
	}
	spec := func(name string, port int) string {
		of := tenants[name]
		return fmt.Sprintf(`apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: %[1]s-infra, name: %[1]s, finalizers: [sip.airship.airshipit.org/finalizer]}
spec:
  nodes:
    ControlPlane: {labelSelector: {matchLabels: {example.org/bmh-label: control-plane}}, topologyKey: vino.airshipit.org/host, count: {active: %[2]d, standby: 0}}
    Worker: {labelSelector: {matchLabels: {example.org/bmh-label: worker}}, topologyKey: vino.airshipit.org/host, count: {active: %[3]d, standby: %[4]d}}
  services:
    loadBalancerControlPlane: [{image: 'haproxy:2.3.2', nodePort: %[5]d, nodeInterfaceId: oam-ipv4}]
`, name, of.controlPlanes, of.workers, of.standby, port)
	}
	for _, order := range []string{"abcd", "bdac", "cadb", "dcba"} {
		dir := t.TempDir()
		put := func(name, text string) { need.Write(t, filepath.Join(dir, name), text) }
		put("hosts.yaml", hosts)
		put("site.yaml", "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: sip}\nspec:\n  repository: {url: 'https://git.example.org/a.git'}\n  hosts: {namespaces: [default]}\n")
		for step, name := range strings.Split(order, "") {
			put("specs/"+name+".yaml", spec(name, 30001+int(name[0]-'a')))
			sipgen := func(args ...string) []byte {
				t.Helper()
				args = append(args, "--site", filepath.Join(dir, "site.yaml"), "-f", filepath.Join(dir, "specs"),
					"--inventory", filepath.Join(dir, "hosts.yaml"))
				code, out, said := ran(t, args...)
				require.Truef(t, code == 0, "%v, %s: sipgen %v: exit code %d\n%s%s", order, name, args[:1], code, out,
					said)
				return []byte(out)
			}
			args := []string{"plan", "-o", "json"}
			if step > 0 {
				args = append(args, "--previous", filepath.Join(dir, "tree"))
			}
			var plan struct {
				Clusters []struct {
					Namespace, Name string
					Roles           []struct {
						New, Pending, Released, ShortActive, ShortStandby int
						Slots                                             []struct{ Host string }
					}
				}
			}
			require.NoError(t, json.Unmarshal(sipgen(args...), &plan))
			assert.Truef(t, len(plan.Clusters) == step+1, "%v, %s: %d clusters in the plan", order, name,
				len(plan.Clusters))
			for _, cluster := range plan.Clusters {
				of, slots := tenants[cluster.Name], 0
				for _, role := range cluster.Roles {
					assert.Truef(t, role.New+role.Pending+role.Released+role.ShortActive+role.ShortStandby <= 0,
						"%v, %s: %s: %+v", order, name, cluster.Name, role)
					for _, slot := range role.Slots {
						if slots++; had[slot.Host] != cluster.Namespace+"/"+cluster.Name {
							t.Errorf("%v, %s: host %s is %s's, and was %s's", order, name, slot.Host, cluster.Name,
								had[slot.Host])
						}
					}
				}
				assert.Truef(t, slots == of.controlPlanes+of.workers+of.standby, "%v, %s: %s has %d hosts", order,
					name, cluster.Name, slots)
			}
			sipgen("render", "--out", filepath.Join(dir, "tree"))
		}
	}
}
