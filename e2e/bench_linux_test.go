//go:build bench

package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The site that is measured.
const (
	benchHosts   = 10000
	benchTenants = 20
	benchWorkers = 100
)

// TestBenchLive measures, side by side on one API server, sipgen render on the live inventory, and kubectl get of
// the same hosts. It takes minutes, so it is built with the tag bench only: make bench-live.
func TestBenchLive(t *testing.T) {
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, writableStatus(t, engine.HostCRDs(t))...)
	benchSite(t, api)
	dir := t.TempDir()
	files := map[string]string{"site.yaml": "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: bench}\nspec:\n  repository: {url: 'ssh://git@git.invalid/bench.git'}\n"}
	for i := range benchTenants {
		files[fmt.Sprintf("specs/t%02d.yaml", i)] = fmt.Sprintf(`
apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: tenants, name: t%02d}
spec:
  nodes: {Worker: {labelSelector: {matchLabels: {pool: tenants}}, topologyKey: slot, count: {active: %d}}}
  services: {loadBalancerWorker: [{nodeInterfaceId: oam, nodePortRange: {start: %d, end: %d}}]}
`, i, benchWorkers, 30100+i, 30100+i)
	}
	for name, content := range files {
		need.Write(t, filepath.Join(dir, name), content)
	}
	kubeconfig := engine.Kubeconfig(t, api.Config())
	sipgen, kubectl := engine.Sipgen(t), engine.Binary(t, "kubectl")
	measured := map[string][]measurement{}
	const rounds = 3
	for round := range rounds {
		out := filepath.Join(dir, fmt.Sprintf("tree-%d", round))
		said, m := measure(t, kubeconfig, sipgen, "render", "--site", filepath.Join(dir, "site.yaml"), "-f",
			filepath.Join(dir, "specs"), "--inventory", "cluster", "--out", out)
		assert.Contains(t, said, fmt.Sprintf("%d hosts assigned", benchTenants*benchWorkers), "sipgen")
		measured["sipgen"] = append(measured["sipgen"], m)
		said, m = measure(t, kubeconfig, kubectl, "get", "baremetalhosts.metal3.io", "-A", "-o", "json")
		var list struct{ Items []struct{} }
		require.NoError(t, json.Unmarshal([]byte(said), &list))
		assert.Equal(t, benchHosts, len(list.Items), "kubectl's hosts")
		measured["kubectl"] = append(measured["kubectl"], m)
	}
	ours, theirs := median(measured["sipgen"]), median(measured["kubectl"])
	fmt.Printf("\n%d hosts, %d of them claimed; the median of %d runs, one beside the other\n\n", benchHosts,
		benchTenants*benchWorkers, rounds)
	fmt.Printf("| command | time | processor | peak memory |\n|---|---|---|---|\n")
	fmt.Printf("| `sipgen render --inventory cluster` | %s |\n| `kubectl get bmh -A -o json` | %s |\n\n", ours, theirs)
	assert.Truef(t, ours.peak <= 300e6, "peak memory %d MB, want at most 300", ours.peak/int64(1e6))
}

// measurement is what a run took. Times are reported and not judged: they are the machine's too.
type measurement struct {
	wall, cpu time.Duration
	peak      int64
}

func (m measurement) String() string {
	return fmt.Sprintf("%.2f s | %.2f s | %d MB", m.wall.Seconds(), m.cpu.Seconds(), m.peak/1e6)
}

func median(all []measurement) measurement {
	slices.SortFunc(all, func(a, b measurement) int { return int(a.wall - b.wall) })
	return all[len(all)/2]
}

// measure runs a program and gives what it printed.
func measure(t *testing.T, kubeconfig, program string, args ...string) (string, measurement) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	started := time.Now()
	require.NoError(t, cmd.Start())
	// The kernel's own account of a child's peak begins with what this process had, so the child's is asked while it
	// runs.
	done, peak := make(chan struct{}), make(chan int64)
	go func() {
		most := int64(0)
		for {
			select {
			case <-done:
				peak <- most
				return
			case <-time.After(10 * time.Millisecond):
				most = max(most, highWater(cmd.Process.Pid))
			}
		}
	}()
	err := cmd.Wait()
	m := measurement{wall: time.Since(started), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	close(done)
	m.peak = <-peak
	require.Truef(t, err == nil, "%s %v: %v\n%.2000s", program, args, err, &out)
	return out.String(), m
}

// highWater is the most memory that a process had, in bytes; 0 when it is gone.
func highWater(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "VmHWM:"); found {
			kilobytes, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10,
				64)
			return kilobytes * 1024
		}
	}
	return 0
}

// writableStatus gives the CRDs without their status subresource, so that a host is made with its status in one
// request.
func writableStatus(t *testing.T, files []string) []string {
	t.Helper()
	var out []string
	for _, file := range files {
		content := need.Read(t, file)
		for i, o := range engine.Objects(t, content) {
			versions, _, _ := unstructured.NestedSlice(o.Object, "spec", "versions")
			for _, version := range versions {
				delete(version.(map[string]any), "subresources")
			}
			require.NoError(t, unstructured.SetNestedSlice(o.Object, versions, "spec", "versions"))
			text, err := o.MarshalJSON()
			require.NoError(t, err)
			name := filepath.Join(t.TempDir(), fmt.Sprintf("%d.json", i))
			require.NoError(t, os.WriteFile(name, text, 0o600))
			out = append(out, name)
		}
	}
	return out
}

// benchSite makes hosts as metal3 shows them after inspection. A fifth and some spare are the tenants'; those have
// network data in Secrets, which sipgen reads one by one.
func benchSite(t *testing.T, api *engine.APIServer) {
	t.Helper()
	api.Namespaces(t, "metal", "tenants")
	started := time.Now()
	var group errgroup.Group
	group.SetLimit(24)
	claimed := benchTenants * benchWorkers
	for i := range benchHosts {
		group.Go(func() error {
			name, pool, labels := fmt.Sprintf("node-%05d", i), "other", ""
			if i < claimed {
				labels = fmt.Sprintf(", sip.airshipit.org/cluster-namespace: tenants, sip.airshipit.org/cluster-name: t%02d, sip.airshipit.org/node-type: Worker", i/benchWorkers)
			}
			manifests := benchHost(name, i)
			if i < claimed+claimed/10 {
				pool = "tenants"
				manifests += fmt.Sprintf("\n---\napiVersion: v1\nkind: Secret\nmetadata: {namespace: metal, name: %s-net}\nstringData: {networkData: '{\"networks\":[{\"id\":\"oam\",\"type\":\"ipv4\",\"ip_address\":\"10.%d.%d.1/8\"}]}'}\n", name, i/256, i%256)
			}
			manifests = strings.NewReplacer("POOL", pool, "LABELS", labels, "SLOT",
				fmt.Sprint(i%benchWorkers)).Replace(manifests)
			return createAll(t, api, manifests)
		})
	}
	require.NoError(t, group.Wait())
	fmt.Printf("e2e: %d hosts made in %s\n", benchHosts, time.Since(started).Round(time.Second))
}

func benchHost(name string, i int) string {
	mac := fmt.Sprintf("52:54:00:00:%02x:%02x", i/256, i%256)
	var nics, disks []string
	for n := range 6 {
		nics = append(nics, fmt.Sprintf("{name: eno%d, mac: '52:54:00:%02x:%02x:%02x', ip: '', model: 0x8086 0x1572, speedGbps: 25, pxe: %t, vlanId: 0}", n, i/256, i%256, n, n == 0))
		disks = append(disks, fmt.Sprintf("{name: /dev/sd%c, alternateNames: [/dev/disk/by-path/pci-0000:00:1f.2-ata-%d], type: SSD, rotational: false, sizeBytes: 1920383410176, vendor: ATA, model: SSDSC2KB01, serialNumber: S%05d%d, wwn: '0x5000c500%05d%d'}", 'a'+n, n, i, n, i, n))
	}
	return fmt.Sprintf(`
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {namespace: metal, name: %[1]s, labels: {pool: POOL, slot: s-SLOT, rack: r%[2]dLABELS}}
spec:
  online: true
  bootMACAddress: '`+mac+`'
  bootMode: UEFI
  bmc: {address: 'redfish-virtualmedia://198.51.100.1/redfish/v1/Systems/%[2]d', credentialsName: %[1]s-bmc, disableCertificateVerification: true}
  rootDeviceHints: {deviceName: /dev/sda}
  networkData: {name: %[1]s-net}
status:
  operationalStatus: OK
  errorCount: 0
  errorMessage: ''
  poweredOn: true
  hardwareProfile: unknown
  lastUpdated: "2026-01-02T03:04:05Z"
  operationHistory: {register: {start: "2026-01-02T03:04:05Z", end: "2026-01-02T03:05:05Z"}, inspect: {start: "2026-01-02T03:04:05Z", end: "2026-01-02T03:05:05Z"}}
  provisioning: {state: available, ID: 0f39f33a-8310-4dd1-a37d-2ffe8ca77e01, bootMode: UEFI, image: {url: ''}, rootDeviceHints: {deviceName: /dev/sda}}
  goodCredentials: {credentials: {name: %[1]s-bmc, namespace: metal}, credentialsVersion: "1234"}
  triedCredentials: {credentials: {name: %[1]s-bmc, namespace: metal}, credentialsVersion: "1234"}
  hardware:
    hostname: %[1]s
    systemVendor: {manufacturer: Vendor, productName: R1000, serialNumber: SN%[2]d}
    firmware: {bios: {date: 01/01/2026, vendor: Vendor, version: 2.1.0}}
    ramMebibytes: 262144
    cpu: {arch: x86_64, model: Xeon, clockMegahertz: 2600, count: 64, flags: [aes, avx, avx2, avx512f, fma, sse4_2, vmx]}
    nics: [%[3]s]
    storage: [%[4]s]
`, name, i, strings.Join(nics, ", "), strings.Join(disks, ", "))
}
