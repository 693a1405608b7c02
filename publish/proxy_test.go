//go:build linux

package publish

import (
	"encoding/base64"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/elazarl/goproxy"

	"github.com/airshipit/sipgen/hack/need"
)

// forwardProxy is an HTTP proxy on loopback that wants the user squid with the password pr0xy, and is the only
// one who knows where git.example.test is.
type forwardProxy struct {
	url, anonymous string
	handler        *goproxy.ProxyHttpServer
	through        atomic.Int64 // connections that it has made
}

func serveProxy(t testing.TB, gitServer string) *forwardProxy {
	t.Helper()
	served := &forwardProxy{}
	proxy := goproxy.NewProxyHttpServer()
	served.handler = proxy
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("squid:pr0xy"))
	proxy.OnRequest().HandleConnectFunc(func(host string, ctx *goproxy.ProxyCtx) (*goproxy.ConnectAction, string) {
		if ctx.Req.Header.Get("Proxy-Authorization") != want {
			ctx.Resp = goproxy.NewResponse(ctx.Req, goproxy.ContentTypeText, http.StatusProxyAuthRequired, "who are you")
			ctx.Resp.Header.Set("Proxy-Authenticate", `Basic realm="proxy"`)
			return goproxy.RejectConnect, host
		}
		return goproxy.OkConnect, host
	})
	proxy.ConnectDial = func(network, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "git.example.test:") {
			address = strings.TrimPrefix(gitServer, "https://")
		}
		served.through.Add(1)
		return net.Dial(network, address)
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	served.anonymous = server.URL
	served.url = strings.Replace(server.URL, "http://", "http://squid:pr0xy@", 1)
	return served
}

func TestHTTPProxy(t *testing.T) {
	t.Parallel()
	repo, server, target := overHTTPS(t)
	proxy := serveProxy(t, server.url)
	target.URL, target.Auth.Proxy = "https://git.example.test/fleet.git", proxy.url
	if mustPublish(t, target, tree("a", "1")); proxy.through.Load() == 0 {
		t.Error("it did not go through the proxy")
	}
	closed := httptest.NewServer(nil)
	closed.Close()
	refusedAs(t, repo, target, []wrong{
		{"no credentials for the proxy", func(t *Target) { t.Auth.Proxy = proxy.anonymous }, ErrAuth, "the proxy requires credentials"},
		{"others", func(t *Target) { t.Auth.Proxy = strings.Replace(proxy.url, "pr0xy", "wr0ng", 1) }, ErrAuth, "the proxy requires credentials"},
		{"a proxy that is not there", func(t *Target) { t.Auth.Proxy = strings.Replace(closed.URL, "//", "//squid:pr0xy@", 1) }, nil, "Auth.Proxy"},
		{"a proxy that is no URL", func(t *Target) { t.Auth.Proxy = "http://squid:pr0xy%zz@proxy:3128" }, nil, "want a URL"},
		{"a proxy without its scheme", func(t *Target) { t.Auth.Proxy = "squid:pr0xy@proxy:3128" }, nil, "want a URL"},
		{"a proxy of another kind", func(t *Target) { t.Auth.Proxy = "ftp://squid:pr0xy@proxy:21" }, nil, "http://HOST:PORT"},
		{"ssh through an HTTP proxy", func(t *Target) { t.URL = "ssh://git.example.test/x"; t.Auth.KnownHosts = []string{os.DevNull} }, nil, "SOCKS5"},
	})
}

// What the environment says of proxies is read once in a process, so each row is a process of its own.
func TestProxyFromTheEnvironment(t *testing.T) {
	t.Parallel()
	_, server, _ := overHTTPS(t)
	proxy := serveProxy(t, server.url)
	for _, row := range []struct {
		why  string
		set  []string
		says string // empty: it is published, and only the proxy knows where the server is
	}{
		{"HTTPS_PROXY", []string{"HTTPS_PROXY=" + proxy.url}, ""},
		{"https_proxy", []string{"https_proxy=" + proxy.url}, ""},
		{"no credentials", []string{"HTTPS_PROXY=" + proxy.anonymous}, "the proxy requires credentials"},
		{"a proxy that is no URL", []string{"HTTPS_PROXY=http://squid:pr0xy%zz@proxy:3128"}, "proxy"},
		{"NO_PROXY", []string{"HTTPS_PROXY=" + proxy.url, "NO_PROXY=.example.test"}, "git.example.test"},
	} {
		t.Run(row.why, func(t *testing.T) {
			work := child{Do: "branch, once", Target: Target{
				URL: "https://git.example.test/fleet.git", Branch: "main", Path: "sites/" + row.why,
				Auth: Auth{Token: "t0ken", CAFile: server.ca, NoHelper: true},
			}}.command(t)
			for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy"} {
				work.Env = append(work.Env, name+"=")
			}
			work.Env = append(work.Env, row.set...)
			out, err := work.CombinedOutput()
			if (err == nil) != (row.says == "") || !strings.Contains(string(out), row.says) {
				t.Errorf("found %v, want %q: %s", err, row.says, out)
			}
			tellsNoSecret(t, string(out))
		})
	}
}

// ssh -D is a SOCKS5 proxy.
func TestSOCKSProxy(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	ssh := sshTarget(t, repo)
	https := httpsTarget(t, repo)
	address := freeAddress(t)
	rest := append(strings.Fields(strings.TrimPrefix(ssh.env[0], "GIT_SSH_COMMAND=ssh ")), "-N", "-D", address, strings.TrimSuffix(ssh.URL, repo))
	tunnel := exec.Command("ssh", rest...)
	if err := tunnel.Start(); err != nil {
		need.Missing(t, "SOCKS5: %v", err)
	}
	t.Cleanup(func() {
		_ = tunnel.Process.Kill()
		_ = tunnel.Wait()
	})
	listens(t, address)
	for i, target := range []Target{ssh.Target, https.Target} {
		target.Auth.Proxy = "socks5://" + address
		mustPublish(t, target, tree("a", strings.Repeat("x", i)))
		target.Auth.Proxy = "socks5://squid:pr0xy@" + freeAddress(t)
		refusedAs(t, repo, target, []wrong{{"a proxy that is not there", nil, nil, "Auth.Proxy"}})
	}
}

// freeAddress gives an address on loopback where nobody listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// listens waits until somebody answers there.
func listens(t testing.TB, address string) {
	t.Helper()
	for range 400 {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("%s: nobody answers", address)
}
