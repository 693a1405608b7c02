package services

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	certutil "k8s.io/client-go/util/cert"
)

// secretVolume writes a Secret's volume as the kubelet's AtomicWriter does: a new folder, and ..data renamed to it.
type secretVolume struct {
	dir  string
	sets int
}

func (v *secretVolume) set(t *testing.T, at time.Time, keys map[string][]byte) {
	t.Helper()
	v.sets++
	folder := fmt.Sprintf("..%d", v.sets)
	for key, value := range keys {
		file := filepath.Join(v.dir, folder, key)
		write(t, file, value, 0o600)
		require.NoError(t, os.Chtimes(file, at, at))
		if v.sets == 1 {
			require.NoError(t, os.Symlink(filepath.Join("..data", key), filepath.Join(v.dir, key)))
		}
	}
	require.NoError(t, os.Symlink(folder, filepath.Join(v.dir, "..data_tmp")))
	require.NoError(t, os.Rename(filepath.Join(v.dir, "..data_tmp"), filepath.Join(v.dir, "..data")))
}

// offlineInput is a Dex whose connector is asked for nothing before a login.
func offlineInput(t *testing.T, d dexServer) infra.Input {
	t.Helper()
	connector, err := json.Marshal(map[string]any{"type": "ldap", "id": "staff", "name": "Staff",
		"config": map[string]any{
			"host": "ldap.example:636", "userSearch": map[string]any{"baseDN": "dc=example", "username": "uid",
				"idAttr": "uid", "emailAttr": "mail"},
		}})
	require.NoError(t, err)
	services := dexServices(d, d)
	services.Dex[0].Connectors = []apiextensionsv1.JSON{{Raw: connector}}
	return input(services, v1.RoleWorker)
}

// offline is the Dex of offlineInput with its state in memory.
func offline(t *testing.T, d dexServer) (map[string][]byte, []byte) {
	t.Helper()
	files := overlay(t, offlineInput(t, d))
	return files, inMemory(t, files)
}

// inMemory is the rendered configuration with Dex's state in memory.
func inMemory(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	config := replaceOnce(t, string(files[dexName+"/config.yaml"]),
		"storage:\n  config:\n    inCluster: true\n  type: kubernetes\n", "storage:\n  type: memory\n")
	return []byte(config)
}

// TestRenewedCertificateOfDex: cert-manager renews the Secret, twice. Dex goes on with the certificate of its start
// (the engine has no reloader; the one of cmd/dex waits for another event than a Secret's volume makes). By the
// rendered probe the kubelet starts Dex anew, and Dex serves the renewed certificate.
func TestRenewedCertificateOfDex(t *testing.T) {
	d := newDexServer(t)
	files, config := offline(t, d)
	var deployment appsv1.Deployment
	rendered := objects(t, files[dexName+".yaml"], "Deployment")[0]
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(rendered.Object, &deployment))
	command := deployment.Spec.Template.Spec.Containers[0].LivenessProbe.Exec.Command

	telemetry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz/live" {
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(telemetry.Close)
	dir := t.TempDir()
	volume, log := secretVolume{dir: filepath.Join(dir, "tls")}, filepath.Join(dir, "termination-log")
	script := replaceOnce(t, command[2], "/etc/dex/tls/", volume.dir+"/")
	script = replaceOnce(t, script, "/dev/termination-log", log)
	script = replaceOnce(t, script, "127.0.0.1:5558", telemetry.Listener.Addr().String())
	lives := func(path string) bool { // as the kubelet asks
		cmd := exec.Command("/bin/"+command[0], command[1], script)
		cmd.Env = []string{"PATH=" + path}
		return cmd.Run() == nil
	}

	at := time.Now().Add(-time.Hour)
	renew := func() string {
		at = at.Add(time.Minute)
		cert, key, err := certutil.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
		require.NoError(t, err)
		volume.set(t, at, map[string][]byte{"tls.crt": cert, "tls.key": key})
		certificates, err := certutil.ParseCertsPEM(cert)
		require.NoError(t, err)
		return string(certificates[0].Raw)
	}
	write(t, filepath.Join(dir, "config.yaml"), config, 0o600)
	container := func() *running { // as the kubelet starts one: the termination log first
		at = at.Add(time.Minute)
		write(t, log, nil, 0o600)
		require.NoError(t, os.Chtimes(log, at, at))
		return start(t, exec.Command(dexProgram(t), "-config", filepath.Join(dir, "config.yaml"), "-listen", d.listen,
			"-tls-cert", filepath.Join(volume.dir, "tls.crt"), "-tls-key", filepath.Join(volume.dir, "tls.key")))
	}
	served := func() (der string) {
		t.Helper()
		eventually(t, "Dex answers", func() error {
			connection, err := tls.Dial("tcp", d.listen,
				&tls.Config{InsecureSkipVerify: true}) //nolint:gosec // which one is the question
			if err != nil {
				return err
			}
			der = string(connection.ConnectionState().PeerCertificates[0].Raw)
			return connection.Close()
		})
		return der
	}

	first := renew()
	dex := container()
	assert.Truef(t, served() == first, "Dex does not serve the Secret's certificate")
	path := os.Getenv("PATH")
	for range 2 {
		assert.Truef(t, lives(path), "the probe ends a Dex whose certificate is the mounted one")
		was := served()
		renewed := renew()
		assert.Truef(t, served() == was, "Dex takes a renewed certificate before it is started anew")
		require.Truef(t, !lives(path), "the probe leaves a Dex that serves the certificate of before the renewal")
		dex.end(t, d.listen)
		dex = container()
		assert.Truef(t, served() == renewed, "Dex does not serve the renewed certificate")
	}

	telemetry.Close()
	assert.Truef(t, strings.Contains(script, "wget"), "the probe asks nobody")
	need.Program(t, "wget", "wget")
	assert.Truef(t, !lives(path), "the probe leaves a Dex that does not answer")
	assert.Truef(t, lives(t.TempDir()), "the probe ends a Dex whose image has no wget")
}
