package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/require"
)

// writeFleet writes the manifests of a site: 20 hosts a rack, 25 hosts a cluster, of which 17 are assigned, 10 clusters
// a tenant. A host is three documents, as metal3 has them: the BareMetalHost, and the Secrets of its BMC and its
// network data.
func writeFleet(b testing.TB, folder string, n int) {
	b.Helper()
	var hosts, tenants bytes.Buffer
	for i := range n {
		size := "large"
		if i%10 < 4 {
			size = "small"
		}
		fmt.Fprintf(&hosts, `---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  creationTimestamp: "2026-01-02T03:04:05Z"
  labels:
    size: %[2]s
    rack: r%[3]d
  name: host-%[1]d
  namespace: metal3
  uid: uid-%[1]d
spec:
  automatedCleaningMode: metadata
  bmc:
    address: redfish://bmc-%[1]d.example.org/redfish/v1/Systems/1
    credentialsName: bmc-%[1]d
  bootMACAddress: 02:00:0a:%02[4]x:%02[5]x:%02[6]x
  networkData:
    name: net-%[1]d
  online: true
status:
  operationalStatus: OK
  poweredOn: true
  provisioning:
    ID: 00000000-0000-0000-0000-%012[1]d
    state: available
---
apiVersion: v1
kind: Secret
metadata:
  name: bmc-%[1]d
  namespace: metal3
type: Opaque
data:
  username: cm9vdA==
  password: bm90LWEtcGFzc3dvcmQ=
---
apiVersion: v1
kind: Secret
metadata:
  name: net-%[1]d
  namespace: metal3
type: Opaque
stringData:
  networkData: |
    links:
    - {id: nic0, type: phy, ethernet_mac_address: "02:00:0a:%02[4]x:%02[5]x:%02[6]x"}
    networks:
    - {id: oam, type: ipv4, link: nic0, ip_address: 10.%[4]d.%[5]d.%[6]d, netmask: 255.0.0.0}
    services: []
`, i, size, i/20, (i+1)>>16, (i+1)>>8&255, (i+1)&255)
	}
	for i := range n / 25 {
		fmt.Fprintf(&tenants, `---
apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: tenant-%[3]d, name: c-%[1]d}
spec:
  nodes:
    ControlPlane: {labelSelector: {matchLabels: {size: small}}, topologyKey: rack, count: {active: 3}}
    Worker: {labelSelector: {matchLabels: {size: large}}, count: {active: 14}}
  services:
    loadBalancerControlPlane: [{nodeInterfaceId: oam, nodePort: %[2]d}]
`, i, 20000+i, i/10)
	}
	site := "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nspec: {repository: {url: 'https://git.example.org/fleet.git'}, nodePorts: {start: 20000, end: 32767}, maxHostsPerTenant: 200}\n"
	for name, text := range map[string]string{"hosts.yaml": hosts.String(), "tenants.yaml": tenants.String(),
		"site.yaml": site} {
		require.NoError(b, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
}

// BenchmarkCommands measures whole commands on 5,000 hosts and 200 clusters, on four times as many, and on many small
// clusters, each as a process of its own, built as a release is: their processor time (user and system) and the most
// memory they had, beside the limits of docs/performance.md. Nothing fails.
func BenchmarkCommands(b *testing.B) {
	command := filepath.Join(b.TempDir(), "sipgen")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", command, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	need.Output(b, build)
	info := need.Value(os.Stat(command))(b)
	b.Run("version", func(b *testing.B) { // what every command takes before it does anything
		for b.Loop() {
			require.NoError(b, exec.Command(command, "version").Run())
		}
		b.ReportMetric(float64(info.Size())/1e6, "MB")
	})
	b.Run("hosts=5000", func(b *testing.B) {
		benchmarkFleet(b, command, "tenant-0/c-0", func(folder string) { writeFleet(b, folder, 5_000) }, 3, 400)
	})
	b.Run("hosts=20000", func(b *testing.B) {
		benchmarkFleet(b, command, "tenant-0/c-0", func(folder string) { writeFleet(b, folder, 20_000) }, 30, 4000)
	})
	for _, clusters := range []int{1_000, 10_000} { // of one host: the limit of a plan is that of 10,000
		b.Run(fmt.Sprint("clusters=", clusters), func(b *testing.B) {
			write := func(folder string) { writeClusters(b, folder, clusters) }
			benchmarkFleet(b, command, "edge-0/edge", write, float64(clusters)/500, 800)
		})
	}
}

// writeClusters writes the manifests of n clusters of one host, each with a load balancer and a label of its own.
func writeClusters(b testing.TB, folder string, n int) {
	b.Helper()
	var hosts, tenants bytes.Buffer
	for i := range n {
		fmt.Fprintf(&hosts, `---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  namespace: metal3
  name: server-%[1]d
  uid: %08[1]d-0000-4000-8000-000000000001
  labels: {example.org/site: s%[1]d}
  annotations: {sip.airshipit.org/address.oam: 10.0.%[2]d.%[3]d}
spec:
  online: true
  bootMACAddress: 02:00:00:00:%02[2]x:%02[3]x
  bmc: {address: 'redfish://bmc-%[1]d.example.org/redfish/v1/Systems/1', credentialsName: bmc-%[1]d}
status: {operationalStatus: OK, errorCount: 0, errorMessage: "", poweredOn: false, provisioning: {ID: "", state: available}}
`, i, (i+1)>>8, (i+1)&255)
		fmt.Fprintf(&tenants, `---
apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: edge-%[1]d, name: edge}
spec:
  nodes:
    ControlPlane: {labelSelector: {matchLabels: {example.org/site: s%[1]d}}, count: {active: 1}}
  services:
    loadBalancerControlPlane: [{nodeInterfaceId: oam, service: {type: ClusterIP}}]
`, i)
	}
	site := "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nspec: {repository: {url: 'https://git.example.org/fleet.git'}}\n"
	for name, text := range map[string]string{"hosts.yaml": hosts.String(), "tenants.yaml": tenants.String(),
		"site.yaml": site} {
		require.NoError(b, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
}

// benchmarkFleet measures the commands on the site that write writes into a folder.
func benchmarkFleet(b *testing.B, command, cluster string, write func(folder string), limitSeconds, limitMB float64) {
	folder := b.TempDir()
	repo, tree, from := fleetIn(b, folder, write)
	// A process of Go starts with the peak of the one that starts it, one of time's does not.
	run := func(b *testing.B, args ...string) (cpu, peak float64) {
		b.Helper()
		var said bytes.Buffer
		times := filepath.Join(folder, "times")
		process := exec.Command("time", append([]string{"-f", "%U %S %M", "-o", times, command},
			append(args, from...)...)...)
		process.Stderr = &said
		process.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		err := process.Run()
		require.Truef(b, err == nil, "%s: %v\n%.2000s", args[0], err, &said)
		text := need.Value(os.ReadFile(times))(b)
		var user, system float64
		_, err = fmt.Sscan(string(text), &user, &system, &peak)
		require.Truef(b, err == nil, "time said %q", text)
		return user + system, peak / 1e3
	}
	for _, row := range fleetCommands(repo, tree, cluster) {
		b.Run(row.name, func(b *testing.B) {
			cpu, peak, n := 0.0, 0.0, 0.0
			for b.Loop() {
				seconds, most := run(b, append(slices.Clone(row.args), "--site",
					filepath.Join(folder, row.site+".yaml"))...)
				cpu, peak, n = cpu+seconds, max(peak, most), n+1
			}
			b.ReportMetric(cpu/n, "cpu-s/op")
			b.ReportMetric(cpu/n/limitSeconds, "of-limit-s")
			b.ReportMetric(peak, "peak-MB")
			b.ReportMetric(peak/limitMB, "of-limit-MB")
		})
	}
}

// fleetCommand is a command on a site. Those of fleetCommands are in the order in which each finds what it reads.
type fleetCommand struct {
	name, site string
	args       []string
}

func fleetCommands(repo, tree, cluster string) []fleetCommand {
	publish := []string{"publish", "--repo", repo, "--branch", "main", "--author", "bench <bench@example.org>"}
	return []fleetCommand{
		{"plan", "site", []string{"plan", "--previous", "none"}},
		{"render", "site", []string{"render", "--out", tree}},
		{"publish", "site", publish},
		{"publish-unchanged", "site", publish},
		{"plan-with-tree", "site", []string{"plan", "--repo", repo}},
		{"plan-count", "site", []string{"plan", "--repo", repo, "--count", cluster + "/ControlPlane=1"}},
		{"plan-image", "image", []string{"plan", "--repo", repo}},
		{"render-image", "image", []string{"render", "--out", tree}},
		{"diff", "site", []string{"diff", "--repo", repo}},
		{"lint", "site", []string{"lint", "--repo", repo}},
		{"status", "site", []string{"status", "--repo", repo}},
		{"tenants", "site", []string{"tenants", "--repo", repo}},
		{"explain", "site", []string{"explain", cluster, "--repo", repo}},
		{"impact-by", "site", []string{"impact", "--by", "rack", "--repo", repo}},
	}
}

// fleetIn makes a site's files, with image.yaml as a Site of another image, and an empty repository. from are the flags
// for its inputs.
func fleetIn(b testing.TB, folder string, write func(folder string)) (repo, tree string, from []string) {
	b.Helper()
	write(folder)
	repo, tree = filepath.Join(folder, "fleet.git"), filepath.Join(folder, "tree")
	require.NoError(b, exec.Command("git", "init", "--quiet", "--bare", "--initial-branch=main", repo).Run())
	site := need.Value(os.ReadFile(filepath.Join(folder, "site.yaml")))(b)
	image := bytes.Replace(site, []byte("spec: {"),
		[]byte("spec: {images: {haproxy: registry.example.org/haproxy:3.2}, "), 1)
	require.NoError(b, os.WriteFile(filepath.Join(folder, "image.yaml"), image, 0o644))
	from = []string{"-f", filepath.Join(folder, "tenants.yaml"), "--inventory", filepath.Join(folder, "hosts.yaml")}
	return repo, tree, from
}
