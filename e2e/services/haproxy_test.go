package services

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func controlPlane(check *v1.HealthCheck) v1.Services {
	return v1.Services{LoadBalancerControlPlane: []v1.LoadBalancerControlPlane{{
		NodeInterface: "oam", NodePort: 30443, HealthCheck: check,
	}}}
}

const (
	controlPlaneConfig = "loadbalancer-controlplane-" + cluster + ".cfg"
	workerConfig       = "loadbalancer-worker-" + cluster + ".cfg"
)

func TestControlPlaneLoadBalancer(t *testing.T) {
	t.Parallel()
	addresses := []string{need.Loopback(t, "11.1"), need.Loopback(t, "11.2"), need.Loopback(t, "11.3")}
	backends := map[string]*backend{}
	for i, name := range []string{"node-1", "node-2", "node-3"} {
		backends[name] = startBackend(t, name, addresses[i])
	}
	config := overlay(t, input(controlPlane(nil), v1.RoleControlPlane, addresses...))[controlPlaneConfig]
	lb := startHAProxy(t, config)
	// Before its first check a server goes down at once; after it, only by four failures in a row.
	for name := range backends {
		lb.waitState(t, name, "UP")
	}

	assert.Len(t, answers(t, lb.url, 9), 3, "9 connections went to")
	metrics, err := get(http.DefaultClient, lb.status+"/metrics")
	assert.Truef(t,
		err == nil && strings.Contains(metrics, `haproxy_server_status{proxy="kube-apiservers",server="node-1"`),
		"metrics: %v, want node-1's status in them", err)

	// A connection that is in flight when its backend fails, and one that is not the backend's.
	hanging := map[string]*atomic.Bool{}
	for range 50 {
		if len(hanging) == 3 {
			break
		}
		response, err := newConnections().Get(lb.url + "/hang")
		require.NoError(t, err)
		defer response.Body.Close()
		reader := bufio.NewReader(response.Body)
		name, err := reader.ReadString('\n')
		require.NoError(t, err)
		if name := strings.TrimSpace(name); hanging[name] == nil {
			ended := &atomic.Bool{}
			hanging[name] = ended
			go func() {
				_, _ = reader.ReadByte()
				ended.Store(true)
			}()
		}
	}
	sick := backends["node-2"]
	require.Truef(t, hanging[sick.name] != nil, "no connection to node-2")
	sick.status.Store(http.StatusInternalServerError)
	lb.waitState(t, sick.name, "DOWN")
	assert.Truef(t, sick.failed.Load() >= 4, "down after %d failed checks, want 4", sick.failed.Load())
	eventually(t, "the connection to a backend that is down is cut",
		func() error { return notYet(hanging[sick.name].Load()) })
	for name, ended := range hanging {
		assert.Truef(t, name == sick.name || !ended.Load(), "the connection to %s is cut, too", name)
	}
	got := answers(t, lb.url, 6)
	assert.Truef(t, got[sick.name] == 0 && len(got) == 2, "6 connections went to %v, want node-1 and node-3", got)
	sick.status.Store(http.StatusOK)
	lb.waitState(t, sick.name, "UP")
	eventually(t, "node-2 answers again", func() error {
		name, err := get(newConnections(), lb.url)
		return notYet(err == nil && name == sick.name)
	})
}

// A site without anonymous access answers 401 to a check without credentials: that, then, is health.
func TestExpectedStatusOfTheCheck(t *testing.T) {
	t.Parallel()
	addresses := []string{need.Loopback(t, "12.1"), need.Loopback(t, "12.2")}
	locked, open := startBackend(t, "node-1", addresses[0]), startBackend(t, "node-2", addresses[1])
	locked.status.Store(http.StatusUnauthorized)
	files := overlay(t, input(controlPlane(&v1.HealthCheck{Path: "/readyz", Status: 401}), v1.RoleControlPlane,
		addresses...))
	lb := startHAProxy(t, files[controlPlaneConfig])
	lb.waitState(t, open.name, "DOWN")
	lb.waitState(t, locked.name, "UP")
	assert.Equal(t, 4, answers(t, lb.url, 4)[locked.name], "of 4 connections node-1 got")
}

func TestControlPlaneLoadBalancerOfIPv6Hosts(t *testing.T) {
	t.Parallel()
	backend := fmt.Sprintf("[::1]:%d", need.Port(t)) // this address there is once
	startBackendAt(t, "node-1", backend)
	config := overlay(t, input(controlPlane(nil), v1.RoleControlPlane, "::1"))[controlPlaneConfig]
	lb := startHAProxy(t, []byte(replaceOnce(t, string(config), "[::1]:6443", backend)))
	assert.Equal(t, 2, answers(t, lb.url, 2)["node-1"], "of 2 connections node-1 got")
}

// The binds as they are rendered serve both families, and a cluster without hosts serves its status.
func TestStatusWithoutHostsOnBothFamilies(t *testing.T) {
	t.Parallel()
	config := string(overlay(t, input(controlPlane(nil), v1.RoleControlPlane))[controlPlaneConfig])
	status, front := need.Port(t), need.Port(t)
	config = replaceOnce(t, config, ":::8404", fmt.Sprintf(":::%d", status))
	config = replaceOnce(t, config, ":::6443", fmt.Sprintf(":::%d", front))
	runHAProxy(t, config, fmt.Sprintf("http://127.0.0.1:%d", status))
	_, err := get(http.DefaultClient, fmt.Sprintf("http://[::1]:%d/healthz", status))
	assert.NoError(t, err, "over IPv6")
	name, err := get(newConnections(), fmt.Sprintf("https://127.0.0.1:%d", front))
	assert.Truef(t, err != nil, "a cluster without hosts answers %q", name)
}

func TestWorkerLoadBalancerKeepsThePort(t *testing.T) {
	t.Parallel()
	worker := need.Loopback(t, "13.1")
	config, status, first := workers(t, v1.LoadBalancerWorker{}, 3, worker)
	for port := first; port <= first+2; port++ {
		serveText(t, fmt.Sprintf("%s:%d", worker, port), fmt.Sprint(port))
	}
	runHAProxy(t, config, status)
	for port := first; port <= first+2; port++ {
		got, err := get(http.DefaultClient, fmt.Sprintf("http://127.0.0.1:%d", port))
		assert.Truef(t, err == nil && got == fmt.Sprint(port), "port %d leads to %q, %v", port, got, err)
	}
}

// With a check for each port, a worker has the traffic of the ports that it answers at, as the SIP operator had it: the
// kubelet's port, which is closed here, says nothing. A port that nobody answers at leads nowhere, and the others go
// on.
func TestWorkerPortsAreCheckedOneByOne(t *testing.T) {
	t.Parallel()
	one, two := need.Loopback(t, "14.1"), need.Loopback(t, "14.2")
	config, status, first := workers(t, v1.LoadBalancerWorker{CheckEachPort: true}, 3, one, two)
	serveText(t, fmt.Sprintf("%s:%d", one, first), "node-1")
	serveText(t, fmt.Sprintf("%s:%d", two, first), "node-2")
	serveText(t, fmt.Sprintf("%s:%d", two, first+1), "node-2")
	runHAProxy(t, config, status)
	lb := balancer{"", status}
	for _, want := range []struct {
		port          int32
		server, state string
	}{{first, "node-1", "UP"}, {first, "node-2", "UP"}, {first + 1, "node-1", "DOWN"}, {first + 1, "node-2", "UP"},
		{first + 2, "node-1", "DOWN"}, {first + 2, "node-2", "DOWN"}} {
		lb.waitState(t, fmt.Sprintf("port-%d,%s", want.port, want.server), want.state)
	}
	assert.Len(t, answers(t, fmt.Sprintf("http://127.0.0.1:%d", first), 8), 2,
		"8 connections to the port of both went to")
	assert.Equal(t, 8, answers(t, fmt.Sprintf("http://127.0.0.1:%d", first+1), 8)["node-2"],
		"of 8 connections to its port node-2 got")
	name, err := get(newConnections(), fmt.Sprintf("http://127.0.0.1:%d", first+2))
	assert.Truef(t, err != nil, "a port that nobody answers at answers %q", name)
}

// TestLoadBalancerAtItsLimit: with as many clients as it takes, over any of its ports, a load balancer answers its
// probes at once, and the next client waits until one is gone. The probes would have the pod killed, and with it all
// connections.
func TestLoadBalancerAtItsLimit(t *testing.T) {
	t.Parallel()
	const limit = 6
	options := &v1.HAProxy{MaxConnections: limit}
	for name, run := range map[string]func(t *testing.T) (status string, urls []string){
		"control plane": func(t *testing.T) (string, []string) {
			node := need.Loopback(t, "16.1")
			startBackend(t, "node-1", node)
			services := controlPlane(nil)
			services.LoadBalancerControlPlane[0].HAProxy = options
			started := startHAProxy(t, overlay(t,
				input(services, v1.RoleControlPlane, node))[controlPlaneConfig])
			return started.status, []string{started.url}
		},
		"workers": func(t *testing.T) (string, []string) {
			worker := need.Loopback(t, "16.3")
			config, status, first := workers(t, v1.LoadBalancerWorker{HAProxy: options, CheckEachPort: true}, 2, worker)
			var urls []string
			for port := first; port <= first+1; port++ {
				serveText(t, fmt.Sprintf("%s:%d", worker, port), "node-1")
				urls = append(urls, fmt.Sprintf("http://127.0.0.1:%d", port))
			}
			runHAProxy(t, config, status)
			return status, urls
		},
	} {
		t.Run(name, func(t *testing.T) {
			status, urls := run(t)
			for _, url := range urls {
				eventually(t, url+" answers", func() error {
					_, err := get(newConnections(), url)
					return err
				})
			}
			probe := &http.Client{Timeout: 30 * time.Second} // less than that of clients
			connected := func(n int) error {
				csv, _ := get(probe, status+"/stats;csv")
				return notYet(strings.Contains(csv, fmt.Sprintf("clients,FRONTEND,,,%d,", n)))
			}
			// Those that asked before would count on the limit: HAProxy then accepts the rest when it sees one go.
			eventually(t, "no client is connected", func() error { return connected(0) })
			var clients []net.Conn
			for i := range limit {
				url := urls[i%len(urls)]
				client, err := net.Dial("tcp", url[strings.LastIndex(url, "/")+1:])
				require.NoError(t, err)
				defer client.Close()
				clients = append(clients, client)
			}
			eventually(t, "all clients are connected", func() error { return connected(limit) })
			_, err := get(probe, status+"/healthz")
			assert.NoError(t, err, "a probe")
			next := make(chan error, 1)
			go func() {
				_, err := get(newConnections(), urls[len(urls)-1])
				next <- err
			}()
			select {
			case err := <-next:
				t.Fatalf("one client more than the limit is served: %v", err)
			case <-time.After(time.Second):
			}
			_, err = get(probe, status+"/healthz")
			assert.NoError(t, err, "a probe while a client waits")
			require.NoError(t, clients[0].Close())
			assert.NoError(t, <-next, "the client that waited")
		})
	}
}

// TestProxyProtocol: with it, a backend is told the client's address by the load balancer in front, and without it a
// client is not let in. A client that says it came to another port (443 here) still reaches the port of the range, and
// no other one of the worker.
func TestProxyProtocol(t *testing.T) {
	t.Parallel()
	worker := need.Loopback(t, "15.1")
	config, status, first := workers(t, v1.LoadBalancerWorker{HAProxy: &v1.HAProxy{AcceptProxyProtocol: true,
		SendProxyProtocol: "v1"}}, 2, worker)
	listener, err := net.Listen("tcp", fmt.Sprintf("%s:%d", worker, first))
	if err != nil {
		need.Missing(t, "%v", err)
	}
	t.Cleanup(func() { listener.Close() })
	heads := make(chan string, 100)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				if head, err := bufio.NewReader(connection).ReadString('\n'); err == nil {
					heads <- head
					fmt.Fprint(connection, "seen\n")
				}
			}()
		}
	}()
	front, second := fmt.Sprintf("127.0.0.1:%d", first), fmt.Sprintf("127.0.0.1:%d", first+1)
	serveText(t, fmt.Sprintf("%s:%d", worker, first+1), "the second port")
	runHAProxy(t, config, status)
	balancer{"", status}.waitState(t, fmt.Sprintf("port-%d,node-1", first), "UP")
	balancer{"", status}.waitState(t, fmt.Sprintf("port-%d,node-1", first+1), "UP")
	say := func(front, text string) string {
		connection, err := net.Dial("tcp", front)
		require.NoError(t, err)
		defer connection.Close()
		fmt.Fprint(connection, text)
		answer, _ := bufio.NewReader(connection).ReadString('\n')
		return answer
	}
	assert.Empty(t, say(front, "hello\n"), "a client without the protocol got")
	const head = "PROXY TCP4 203.0.113.9 192.0.2.1 4711 "
	answer := say(front, head+"443\r\nhello\n")
	require.Truef(t, answer == "seen\n", "a client with the protocol got %q", answer)
	assert.Contains(t, <-heads, head+"443", "the backend was told")
	// The server of the second port does not take the protocol: it refuses the line, and is the one that answers.
	answer = say(second, fmt.Sprintf(head+"%d\r\nhello\n", first))
	assert.Contains(t, answer, "HTTP/1.1 400", "a client of the second port that says it came to the first got")
}
