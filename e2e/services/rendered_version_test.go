package services

import (
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// haproxySuite is the Debian suite that has HAProxy in the version whose image is the Site's default, or one day in a
// later one.
const haproxySuite = "forky"

// renderedVersion is HAProxy 3.2 or later.
var renderedVersion = regexp.MustCompile(`^HAProxy version (3\.([2-9]|[1-9][0-9])\.|[4-9]\.)`)

// debianCache keeps Debian's packages by their digests.
func debianCache() string { return filepath.Join(engine.CacheDir(), "debian") }

// renderedHAProxy is the command of an HAProxy of the version that is rendered, from Debian's packages, kept in the
// cache.
func renderedHAProxy(t *testing.T) []string {
	t.Helper()
	root := filepath.Join(engine.CacheDir(), "debian-"+haproxySuite+"-haproxy")
	if _, err := os.Stat(root); err != nil {
		need.Program(t, "apt-get", "apt")
		fetch := exec.Command("bash", filepath.Join("..", "..", "hack", "debian-root.sh"), haproxySuite, root,
			"haproxy")
		fetch.Env = append(os.Environ(), "DEBIAN_CACHE="+debianCache())
		if out, err := fetch.CombinedOutput(); err != nil {
			need.Missing(t, "HAProxy of the rendered version: Debian %s cannot be had: %v\n%s", haproxySuite, err, out)
		}
	}
	libraries, err := filepath.Glob(filepath.Join(root, "usr", "lib", "*-linux-gnu"))
	loaders, loaderErr := filepath.Glob(filepath.Join(root, "usr", "lib*", "ld-linux-*"))
	require.Truef(t, err == nil && loaderErr == nil && len(libraries) != 0 && len(loaders) != 0,
		"%s: no libraries or no loader: %v, %v", root, libraries, loaders)
	return []string{loaders[0], "--library-path", strings.Join(libraries, ":"),
		filepath.Join(root, "usr", "sbin", "haproxy")}
}

// TestRenderedVersionTakesTheConfigurations: HAProxy of the version that is rendered reads every configuration of the
// golden trees, and those with every option, without a warning, and refuses what a line may break. What they do is
// tested with the HAProxy that the machine has.
func TestRenderedVersionTakesTheConfigurations(t *testing.T) {
	t.Parallel()
	haproxy := renderedHAProxy(t)
	version, err := exec.Command(haproxy[0], append(haproxy[1:], "-v")...).Output()
	require.Truef(t, err == nil && renderedVersion.Match(version), "%v: %s, want %s", err, version, renderedVersion)
	t.Logf("%s", version)
	configs := map[string][]byte{}
	require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", "golden"),
		func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasPrefix(filepath.Base(path), "loadbalancer-") && filepath.Ext(path) == ".cfg" {
				configs[path], err = os.ReadFile(path)
			}
			return err
		}))
	require.Truef(t, len(configs) >= 4, "%d configurations in the golden trees", len(configs))
	for name, options := range map[string]*v1.HAProxy{
		"none": nil, "all": allOptions(), "roundrobin": {Balance: "roundrobin", SendProxyProtocol: "v1"},
		"leastconn": {Balance: "leastconn"},
		"first":     {Balance: "first"}, "random": {Balance: "random"},
		"a bad line": {Lines: &v1.HAProxyLines{Backend: []string{"no such word"}}},
	} {
		services := controlPlane(nil)
		services.LoadBalancerControlPlane[0].HAProxy = options
		configs[name] = overlay(t, input(services, v1.RoleControlPlane, "192.0.2.1", "2001:db8::1"))[controlPlaneConfig]
		for _, each := range []bool{false, true} {
			services := v1.Services{LoadBalancerWorker: []v1.LoadBalancerWorker{{
				NodeInterface: "oam", NodePortRange: v1.PortRange{Start: 30100, End: 30355}, CheckEachPort: each,
				HAProxy: options,
			}}}
			in := input(services, v1.RoleWorker, "192.0.2.1", "2001:db8::1")
			configs[fmt.Sprintf("%s: workers, each port: %t", name, each)] = overlay(t, in)[workerConfig]
		}
	}
	authority := filepath.Join(t.TempDir(), "ca.crt")
	write(t, authority, []byte(pemOf(issue(t, nil, "ours"))), 0o600)
	verified := overlay(t, input(controlPlane(&v1.HealthCheck{CA: &v1.BackendCA{Secret: "ca"}}), v1.RoleControlPlane,
		"192.0.2.1"))[controlPlaneConfig]
	configs["backends verified"] = []byte(replaceOnce(t, string(verified), "/usr/local/etc/haproxy-ca/ca.crt",
		authority))
	for name, config := range configs {
		path := filepath.Join(t.TempDir(), "haproxy.cfg")
		write(t, path, config, 0o600)
		out, err := exec.Command(haproxy[0], append(haproxy[1:], "-c", "-f", path)...).CombinedOutput()
		bad := strings.HasPrefix(name, "a bad line")
		assert.Truef(t, bad == (err != nil) && (bad || !bytes.Contains(out, []byte("[WARNING]"))), "%s: %v\n%s", name,
			err, out)
	}
}

// TestDebianMirrorsThatHang: a mirror that takes connections and never answers costs its time and no more; the next one
// is asked, and if none gives the packages nothing is left behind.
func TestDebianMirrorsThatHang(t *testing.T) {
	t.Parallel()
	need.Program(t, "apt-get", "apt")
	var mirrors []string
	for range 2 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer listener.Close()
		mirrors = append(mirrors, "http://"+listener.Addr().String()+"/debian")
	}
	folder := t.TempDir()
	cmd := exec.Command("bash", filepath.Join("..", "..", "hack", "debian-root.sh"), "trixie",
		filepath.Join(folder, "root"), "hostname")
	cmd.Env = append(os.Environ(), "DEBIAN_MIRROR="+strings.Join(mirrors, " "), "DEBIAN_TIMEOUT=2")
	began := time.Now()
	out, err := cmd.CombinedOutput()
	assert.Truef(t,
		err != nil && cmd.ProcessState.ExitCode() == 2 && strings.Contains(string(out), "no mirror gave the packages"),
		"%v: %s", err, out)
	for _, mirror := range mirrors {
		assert.Contains(t, string(out), mirror+" did not give the packages within 2 s", mirror)
	}
	assert.Truef(t, time.Since(began) < time.Minute, "it took %s", time.Since(began))
	assert.Len(t, need.Value(os.ReadDir(folder))(t), 0, "left behind")
}
