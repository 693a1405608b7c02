package services

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/require"
)

// backend is an API server as far as a load balancer sees it.
type backend struct {
	name   string
	status atomic.Int32
	// failed counts the checks answered with anything but 200.
	failed atomic.Int32
	*httptest.Server
}

// startBackend answers at address:6443 over TLS, with a certificate of its own if one is given: /readyz with its
// status, /hang for ever, and its name otherwise.
func startBackend(t *testing.T, name, address string, certificates ...tls.Certificate) *backend {
	t.Helper()
	return startBackendAt(t, name, net.JoinHostPort(address, "6443"), certificates...)
}

func startBackendAt(t *testing.T, name, address string, certificates ...tls.Certificate) *backend {
	t.Helper()
	b := &backend{name: name}
	b.status.Store(http.StatusOK)
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		status := int(b.status.Load())
		if status != http.StatusOK {
			b.failed.Add(1)
		}
		w.WriteHeader(status)
	})
	mux.HandleFunc("/hang", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, name)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, name) })
	listener, err := net.Listen("tcp", address)
	if err != nil {
		need.Missing(t, "no loopback address %s: %v", address, err)
	}
	b.Server = &httptest.Server{Listener: listener,
		Config: &http.Server{Handler: mux, ErrorLog: log.New(io.Discard, "", 0)}}
	b.TLS = &tls.Config{Certificates: certificates}
	b.StartTLS()
	t.Cleanup(b.Close)
	return b
}

// balancer is a running HAProxy.
type balancer struct{ url, status string }

// startHAProxy runs HAProxy with a rendered configuration, whose two binds are moved to loopback and free ports: the
// backends need the API servers' port on the same machine.
func startHAProxy(t *testing.T, config []byte) balancer {
	t.Helper()
	front, status := need.Address(t), need.Address(t)
	text := replaceOnce(t, string(config), "bind :::8404 v4v6", "bind "+status)
	text = replaceOnce(t, text, "bind :::6443 v4v6", "bind "+front)
	runHAProxy(t, text, "http://"+status)
	return balancer{"https://" + front, "http://" + status}
}

// workers is the rendered configuration of an entry for n ports in a row, which are free, with its binds moved to a
// loopback address, and the address of its status.
func workers(t *testing.T, entry v1.LoadBalancerWorker, n int32, addresses ...string) (config, status string,
	first int32) {
	t.Helper()
	first, status = int32(need.Range(t, int(n))), need.Address(t)
	entry.NodeInterface, entry.NodePortRange = "oam", v1.PortRange{Start: first, End: first + n - 1}
	if !entry.CheckEachPort {
		entry.CheckPort = first
	}
	config = string(overlay(t, input(v1.Services{LoadBalancerWorker: []v1.LoadBalancerWorker{entry}}, v1.RoleWorker,
		addresses...))[workerConfig])
	config = replaceOnce(t, config, "bind :::8404 v4v6", "bind "+status)
	return strings.ReplaceAll(strings.ReplaceAll(config, "bind :::", "bind 127.0.0.1:"), " v4v6",
		""), "http://" + status, first
}

// allOptions are all that a load balancer may be given.
func allOptions() *v1.HAProxy {
	return &v1.HAProxy{
		Balance: "source", MaxConnections: 20000, AcceptProxyProtocol: true, SendProxyProtocol: "v2",
		Timeouts: &v1.HAProxyTimeouts{Connect: "1500ms", Queue: "1m", Check: "2s", Client: "24h", Server: "168h",
			Tunnel: "12h"},
		Lines: &v1.HAProxyLines{Global: []string{"tune.bufsize 32768"}, Defaults: []string{"option tcpka"},
			Frontend: []string{"tcp-request connection reject if { src 192.0.2.0/24 }"},
			Backend:  []string{"fullconn 500"}},
	}
}

func runHAProxy(t *testing.T, config, status string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	write(t, file, []byte(config), 0o600)
	start(t, exec.Command(need.Program(t, "haproxy", "haproxy"), "-W", "-db", "-f", file))
	eventually(t, "HAProxy answers", func() error {
		_, err := get(http.DefaultClient, status+"/healthz")
		return err
	})
}

func get(client *http.Client, url string) (string, error) {
	response, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, response.Status)
	}
	return string(body), err
}

// newConnections makes a client whose every request is a connection of its own.
func newConnections() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
}

// answers counts which backends answer n requests.
func answers(t *testing.T, url string, n int) map[string]int {
	t.Helper()
	out := map[string]int{}
	for range n {
		name, err := get(newConnections(), url)
		require.NoError(t, err)
		out[name]++
	}
	return out
}

// serverState is HAProxy's word for a server ("UP", "DOWN", "DOWN 1/2"), and for its last check ("L7OK").
func (b balancer) serverState(name string) (state, check string, err error) {
	csv, err := get(http.DefaultClient, b.status+"/stats;csv")
	if err != nil {
		return "", "", err
	}
	for line := range strings.Lines(csv) {
		if fields := strings.Split(line, ","); len(fields) > 36 && (fields[1] == name ||
			fields[0]+","+fields[1] == name) {
			return fields[17], fields[36], nil
		}
	}
	return "", "", fmt.Errorf("no server %s in HAProxy's statistics", name)
}

func (b balancer) waitState(t *testing.T, name, want string) {
	t.Helper()
	eventually(t, name+" is "+want, func() error {
		state, check, err := b.serverState(name)
		if err == nil && (state != want || check == "INI") {
			err = fmt.Errorf("%s is %s, %s", name, state, check)
		}
		return err
	})
}

func serveText(t *testing.T, address, text string) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		need.Missing(t, "%v", err)
	}
	server := &httptest.Server{Listener: listener,
		Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, text)
		})}}
	server.Start()
	t.Cleanup(server.Close)
}
