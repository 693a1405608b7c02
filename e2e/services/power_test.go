package services

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// server is one kube-apiserver that knows hosts and volumes of images, with service addresses of both families.
var server = engine.Shared(func(t testing.TB) *engine.APIServer {
	api := engine.StartAPIServer(t, engine.Options{Flags: []string{"--feature-gates=ImageVolume=true",
		"--service-cluster-ip-range=10.96.0.0/16,fd00:10:96::/112"}})
	api.InstallCRDs(t, engine.HostCRDs(t)...)
	return api
})

// bareMetalHost is a host of the cluster that the tests render.
func bareMetalHost(at, name string) string {
	return `
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  namespace: ` + at + `
  name: ` + name + `
  labels: {rack: r1, sip.airshipit.org/cluster-namespace: ` + namespace + `, sip.airshipit.org/cluster-name: ` +
		cluster + `}
  annotations: {example.org/asset: "4711"}
spec: {online: true, bootMACAddress: "52:54:00:00:00:01"}
`
}

func jumpHosts(access string) v1.Services {
	key := "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKHEChAJ3WN0D2e1oCQzdH3JUDJGzkBlzMDqjuUMkh4C ops@example"
	jump := v1.JumpHost{NodeInterface: "oam", SSHAuthorizedKeys: []string{key}}
	if access != "" {
		jump.BMC = &v1.BMC{Access: access}
	}
	return v1.Services{JumpHost: []v1.JumpHost{jump}}
}

// objects are the objects of the overlay's files of those kinds.
func objects(t *testing.T, file []byte, kinds ...string) []*unstructured.Unstructured {
	t.Helper()
	return slices.DeleteFunc(engine.Objects(t, file), func(o *unstructured.Unstructured) bool {
		return !slices.Contains(kinds, o.GetKind())
	})
}

// rights are what an entry of the cluster may do: the site gives it, and not the overlay.
func rights(t *testing.T, in infra.Input, name string) []*unstructured.Unstructured {
	t.Helper()
	files, err := infra.Rights(checked(t, in))
	require.NoError(t, err)
	return objects(t, files[name+".yaml"], "Role", "RoleBinding")
}

// host runs the host command of a staged pod and gives what it wrote.
func (p pod) host(t *testing.T, args ...string) (string, error) {
	t.Helper()
	out, err := p.command(t, append([]string{"/bin/sh", "/opt/sip/bin/host"}, args...)...).CombinedOutput()
	return string(out), err
}

func TestHostCommandByMetal3(t *testing.T) {
	api := server(t)
	api.Namespaces(t, namespace, "metal")
	api.Create(t, "kubectl-create", bareMetalHost("metal", "node-1"), bareMetalHost("metal", "foreign"))

	in := input(jumpHosts(""), v1.RoleWorker, "127.0.15.1")
	in.Hosts[0].Host.Namespace = "metal"
	files := overlay(t, in)
	for _, o := range append(objects(t, files[jumpName+".yaml"], "ServiceAccount"), rights(t, in, jumpName)...) {
		require.NoError(t, api.TryApply(o, "e2e", false))
	}
	site, err := infra.SiteObjects(in.Site, []v1.SIPCluster{*in.Cluster})
	require.NoError(t, err)
	api.Apply(t, "e2e", string(site["jump-host-guard.yaml"]))

	p := stage(t, files, jumpName, map[string]map[string][]byte{jumpName + "-host-keys": {}})
	// The image brings it, and Debian does not.
	write(t, filepath.Join(p.root, "programs", "kubectl"), need.Read(t, engine.Binary(t, "kubectl")), 0o755)
	account := api.ServiceAccount(t, namespace, jumpName)
	// The three places where the pod finds its API server.
	kubeconfig := filepath.Join(p.root, "opt/sip/config/kubeconfig")
	text := need.Read(t, kubeconfig)
	write(t, filepath.Join(p.root, "opt/sip/run/token"), []byte(account.BearerToken), 0o644)
	write(t, filepath.Join(p.root, "opt/sip/run/ca.crt"), account.CAData, 0o644)
	replaced := replaceOnce(t, string(text), "https://kubernetes.default.svc", account.Host)
	replaced = replaceOnce(t, replaced, "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt", "/opt/sip/run/ca.crt")
	replaced = replaceOnce(t, replaced, "/var/run/secrets/kubernetes.io/serviceaccount/token", "/opt/sip/run/token")
	write(t, kubeconfig, []byte(replaced), 0o444)

	annotation := func(name, key string) (string, bool) {
		value, set := api.Get(t, engine.Hosts, "metal", name).GetAnnotations()[key]
		return value, set
	}
	for _, row := range []struct {
		args       []string
		key, value string
		set        bool
	}{
		{[]string{"reboot", "node-1"}, "reboot.metal3.io", `{"mode":"soft"}`, true},
		{[]string{"reboot", "--hard", "node-1"}, "reboot.metal3.io", `{"mode":"hard"}`, true},
		{[]string{"off", "node-1.metal"}, "reboot.metal3.io/sip-jump-host", `{"mode":"soft"}`, true},
		{[]string{"off", "--hard", "node-1"}, "reboot.metal3.io/sip-jump-host", `{"mode":"hard"}`, true},
		{[]string{"on", "node-1"}, "reboot.metal3.io/sip-jump-host", "", false},
	} {
		out, err := p.host(t, row.args...)
		require.Truef(t, err == nil, "host %q: %v\n%s", row.args, err, out)
		value, set := annotation("node-1", row.key)
		assert.Truef(t, set == row.set && value == row.value, "host %q: %s is %q, %t", row.args, row.key, value, set)
	}
	out, err := p.host(t, "status")
	assert.Truef(t, err == nil && strings.Contains(out, "node-1"), "host status: %v\n%s", err, out)
	assert.Contains(t, fmt.Sprint(api.Get(t, engine.Hosts, "metal", "node-1").GetManagedFields()), "sip-jump-host",
		"the field managers")
	refused := func(words string, args ...string) {
		out, err := p.host(t, args...)
		assert.Truef(t, err != nil && strings.Contains(out, words), "host %q: found %v, %s, want %s", args, err, out,
			words)
	}
	refused(`no host "foreign" in this cluster`, "reboot", "foreign")
	// The table may be edited by who is in the pod; the API server has the last word.
	table := need.Read(t, filepath.Join(p.root, "opt/sip/config/hosts"))
	write(t, filepath.Join(p.root, "opt/sip/config/hosts"),
		[]byte(strings.ReplaceAll(string(table), "node-1", "foreign")), 0o444)
	refused("forbidden", "reboot", "foreign")
	_, set := annotation("foreign", "reboot.metal3.io")
	assert.Truef(t, !set, "another tenant's host is annotated")

	// RBAC allows the account to patch its host; the policy holds it to the annotations, as TestJumpHostGuard has it.
	err = patchHost(t, engine.NewClient(t, account), "metal", "node-1", func(o map[string]any) {
		_ = unstructured.SetNestedField(o, false, "spec", "online")
	})
	assert.ErrorContains(t, err, "a jump host changes no", "a spec")
}

func TestHostCommandByRedfish(t *testing.T) {
	need.Program(t, "curl", "curl")
	need.Program(t, "jq", "jq")
	var (
		mu   sync.Mutex
		seen []string
	)
	bmc := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		body, _ := io.ReadAll(r.Body)
		if user != "root" || password != `a"b\c d$e` {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Method+" "+r.URL.Path+" "+string(body))
		_ = json.NewEncoder(w).Encode(map[string]any{"PowerState": "On", "Status": map[string]any{"Health": "OK"}})
	}))
	defer bmc.Close()

	in := input(jumpHosts(v1.BMCRedfish), v1.RoleWorker, "127.0.16.1")
	in.Hosts[0].Host.BMC = inventory.BMC{
		Address: "redfish-virtualmedia+" + bmc.URL + "/redfish/v1/Systems/42", CredentialsName: "node-1-bmc",
		InsecureTLS: true,
	}
	files := overlay(t, in)
	secrets := map[string]map[string][]byte{
		jumpName + "-host-keys": {},
		"node-1-bmc":            {"username": []byte("root"), "password": []byte("a\"b\\c d$e\n")},
	}
	p := stage(t, files, jumpName, secrets)
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"reboot", "node-1"}, `POST /redfish/v1/Systems/42/Actions/ComputerSystem.Reset {"ResetType":"GracefulRestart"}`},
		{[]string{"reboot", "--hard", "node-1"},
			`POST /redfish/v1/Systems/42/Actions/ComputerSystem.Reset {"ResetType":"ForceRestart"}`},
		{[]string{"off", "node-1"}, `POST /redfish/v1/Systems/42/Actions/ComputerSystem.Reset {"ResetType":"GracefulShutdown"}`},
		{[]string{"on", "node-1"}, `POST /redfish/v1/Systems/42/Actions/ComputerSystem.Reset {"ResetType":"On"}`},
		{[]string{"status", "node-1"}, `GET /redfish/v1/Systems/42 `},
	} {
		out, err := p.host(t, row.args...)
		require.Truef(t, err == nil, "host %q: %v\n%s", row.args, err, out)
		assert.Equal(t, row.want, seen[len(seen)-1], strings.Join(row.args, " "))
	}
	// A changed Secret is read by the next command.
	passwords, err := filepath.Glob(filepath.Join(p.root, "opt/sip/bmc/*/password"))
	require.Truef(t, err == nil && len(passwords) == 1, "found %q, %v, want one password", passwords, err)
	password := passwords[0]
	right := need.Read(t, password)
	write(t, password, []byte("renewed"), 0o440)
	out, err := p.host(t, "reboot", "node-1")
	assert.Truef(t, err != nil, "the former password is used: %s", out)
	for _, args := range [][]string{{"status", "node-1"}, {"status"}} {
		out, err := p.host(t, args...)
		assert.Truef(t, err != nil && strings.Contains(out, "401"), "host %q at a BMC that refuses: %v, %s", args, err,
			out)
	}
	write(t, password, right, 0o440)
	out, err = p.host(t, "reboot", "node-1")
	require.Truef(t, err == nil, "%v\n%s", err, out)
	// Without the host's leave a certificate that nobody vouches for ends it.
	in.Hosts[0].Host.BMC.InsecureTLS = false
	p = stage(t, overlay(t, in), jumpName, secrets)
	before := len(seen)
	out, err = p.host(t, "reboot", "node-1")
	assert.Truef(t, err != nil && len(seen) == before, "an unknown certificate is accepted: %s", out)
}

func TestHostCommandWithoutAccess(t *testing.T) {
	files := overlay(t, input(jumpHosts(v1.BMCNone), v1.RoleWorker, "127.0.17.1"))
	p := stage(t, files, jumpName, map[string]map[string][]byte{jumpName + "-host-keys": {}})
	out, err := p.host(t, "off", "node-1")
	assert.Truef(t, err != nil && strings.Contains(out, "bmc.access is none"), "host off: %v\n%s", err, out)
}
