//go:build linux

package publish

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/elazarl/goproxy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// credentialHelper makes a program be git's only credential helper.
func credentialHelper(t *testing.T, script string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "helper")
	need.Executable(t, file, "#!/bin/sh\n"+script)
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "credential.helper")
	t.Setenv("GIT_CONFIG_VALUE_0", file)
}

// However many rounds a run takes, keys are read once, and git's credential helper is asked once.
func TestLoopLogsInOnce(t *testing.T) {
	t.Run("https", func(t *testing.T) {
		repo, server, target := overHTTPS(t)
		calls := filepath.Join(t.TempDir(), "calls")
		credentialHelper(t, "test \"$1\" = get || exit 0\necho asked >>"+calls+
			"\nprintf 'username=robot\\npassword=s3cret\\n'\n")
		target.Auth = Auth{CAFile: server.ca}
		loopWithRival(t, repo, target, server.ca)
		text, err := os.ReadFile(calls)
		assert.Truef(t, err == nil && string(text) == "asked\n", "the helper was asked: %q, %v; want once", text, err)
	})
	t.Run("ssh", func(t *testing.T) {
		repo := bare(t)
		target := sshTarget(t, repo)
		loopWithRival(t, repo, target, target.Auth.SSHKeyFile, target.Auth.KnownHosts[0])
	})
}

// loopWithRival publishes while somebody else is faster once, and takes the files of the login away meanwhile.
func loopWithRival(t *testing.T, repo string, target Target, login ...string) {
	t.Helper()
	rounds := 0
	done, made, err := Loop(context.Background(), target, func(*Snapshot) (Tree, Meta, int, error) {
		rival(t, repo, "main", tree("elsewhere", fmt.Sprint(rounds)))
		for _, file := range login {
			require.NoError(t, os.Remove(file))
		}
		rounds++
		return tree("a", "1"), meta, rounds, nil
	})
	assert.Truef(t, err == nil && done.Changed && rounds == 1 && made == rounds,
		"found %+v, %d, %v after %d attempts; want a commit after one", done, made, err, rounds)
	same(t, "the branch", inGit(t, repo, "main"), tree("elsewhere", "0", filepath.Join(target.Path, "a"), "1"))
}

// The time for everything ends, by each transport, while a hook goes on and on.
func TestSlowServerTimesOut(t *testing.T) {
	t.Parallel()
	repo := with(t, tree("x", "1"))
	over := filepath.Join(t.TempDir(), "over")
	hook := "#!/bin/sh\nfor i in $(seq 2400); do [ ! -e '" + over + "' ] || exit 0; echo . >&2; sleep 0.05; done\n"
	need.Executable(t, filepath.Join(repo, "hooks", "pre-receive"), hook)
	targets := map[string]Target{"https": httpsTarget(t, repo), "ssh": sshTarget(t, repo),
		"file": {URL: repo, Path: "site"}}
	t.Cleanup(func() { // before the servers close, which wait for the hook
		assert.NoError(t, os.WriteFile(over, nil, 0o600))
		// A git that nothing waits for any more still writes to the repository for a moment.
		for end := time.Now().Add(5 * time.Minute); os.RemoveAll(repo) != nil && time.Now().Before(end); {
			time.Sleep(50 * time.Millisecond)
		}
	})
	for way, target := range targets {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			target.Timeout = 2 * time.Second
			began := time.Now()
			_, _, err := Loop(t.Context(), target,
				func(*Snapshot) (Tree, Meta, int, error) { return tree("a", "1"), meta, 0, nil })
			wantError(t, "", err, ErrTimeout, "timed out after 2s")
			assert.Truef(t, time.Since(began) <= time.Minute, "took %s", time.Since(began))
		})
	}
}

// Whatever a run waits for, it ends with its context.
func TestEveryWaitEndsWithTheContext(t *testing.T) {
	publishing := func(target Target, meanwhile func()) func(context.Context) error {
		return func(ctx context.Context) error {
			_, _, err := Loop(ctx, target, func(tip *Snapshot) (Tree, Meta, string, error) {
				meanwhile()
				return tree("a", tip.Commit), meta, "", nil
			})
			return err
		}
	}
	for why, prepare := range map[string]func(*testing.T) func(context.Context) error{
		"between rounds": func(t *testing.T) func(context.Context) error {
			repo, target := site(t)
			mustPublish(t, target, tree("a", "0"))
			rounds := 0
			return publishing(target, func() {
				rounds++
				rival(t, repo, "main", tree("site/x", fmt.Sprint(rounds)))
			})
		},
		"for git's credential helper": func(t *testing.T) func(context.Context) error {
			credentialHelper(t, "exec sleep 3\n")
			repo := bare(t)
			server := serveHTTPS(t, filepath.Dir(repo))
			return publishing(Target{URL: server.url + "/fleet.git", Branch: "main", Auth: Auth{CAFile: server.ca}},
				func() {})
		},
		"for somebody who writes the folder": func(t *testing.T) func(context.Context) error {
			dir := t.TempDir()
			other := need.Value(os.Open(dir))(t)
			t.Cleanup(func() { _ = other.Close() })
			require.NoError(t, syscall.Flock(int(other.Fd()), syscall.LOCK_EX))
			return func(ctx context.Context) error { return need.Err(WriteDir(ctx, dir, tree("a", "1"), DirOptions{})) }
		},
	} {
		t.Run(why, func(t *testing.T) {
			run, why := prepare(t), errors.New("interrupted")
			ctx, stop := context.WithCancelCause(context.Background())
			time.AfterFunc(700*time.Millisecond, func() { stop(why) })
			began := time.Now()
			wantError(t, "", run(ctx), why)
			assert.Truef(t, time.Since(began) <= time.Minute, "took %s", time.Since(began))
		})
	}
}

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
			ctx.Resp = goproxy.NewResponse(ctx.Req, goproxy.ContentTypeText, http.StatusProxyAuthRequired,
				"who are you")
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
	refusedAs(t, repo, target, []wrong{
		{"no credentials for the proxy", func(t *Target) { t.Auth.Proxy = proxy.anonymous }, ErrAuth,
			"the proxy requires credentials"},
		{"a proxy that is not there", func(t *Target) { t.Auth.Proxy = "http://squid:pr0xy@" + need.Unheard }, nil,
			"Auth.Proxy"},
		{"a proxy that is no URL", func(t *Target) { t.Auth.Proxy = "http://squid:pr0xy%zz@proxy:3128" }, nil,
			"want a URL"},
		{"a proxy without its scheme", func(t *Target) { t.Auth.Proxy = "squid:pr0xy@proxy:3128" }, nil, "want a URL"},
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
		{"no credentials", []string{"HTTPS_PROXY=" + proxy.anonymous}, "the proxy requires credentials"},
		{"NO_PROXY", []string{"HTTPS_PROXY=" + proxy.url, "NO_PROXY=.example.test"}, "git.example.test"},
	} {
		t.Run(row.why, func(t *testing.T) {
			work := child{Do: "branch, once", Target: Target{
				URL: "https://git.example.test/fleet.git", Branch: "main", Path: "sites/" + row.why,
				Auth: Auth{Token: "t0ken", CAFile: server.ca, NoHelper: true},
			}}.command(t)
			for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY",
				"no_proxy", "ALL_PROXY", "all_proxy"} {
				work.Env = append(work.Env, name+"=")
			}
			work.Env = append(work.Env, row.set...)
			out, err := work.CombinedOutput()
			assert.Truef(t, (err == nil) == (row.says == "") && strings.Contains(string(out), row.says),
				"found %v, want %q: %s", err, row.says, out)
			tellsNoSecret(t, string(out))
		})
	}
}

// ssh -D is a SOCKS5 proxy.
func TestSOCKSProxy(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	ssh, https, address := sshTarget(t, repo), httpsTarget(t, repo), need.Address(t)
	tunnel := exec.Command("ssh", "-F", "none", "-o", "IdentitiesOnly=yes", "-i", ssh.Auth.SSHKeyFile,
		"-o", "UserKnownHostsFile="+ssh.Auth.KnownHosts[0], "-N", "-D", address, strings.TrimSuffix(ssh.URL, repo))
	if err := tunnel.Start(); err != nil {
		need.Missing(t, "SOCKS5: %v", err)
	}
	t.Cleanup(func() { _ = tunnel.Process.Kill(); _ = tunnel.Wait() })
	listens(t, "tcp", address)
	for i, target := range []Target{ssh, https} {
		target.Auth.Proxy = "socks5://" + address
		mustPublish(t, target, tree("a", strings.Repeat("x", i)))
		target.Auth.Proxy = "socks5://squid:pr0xy@" + need.Unheard
		refusedAs(t, repo, target, []wrong{{"a proxy that is not there", nil, nil, "Auth.Proxy"}})
	}
}

// listens waits until somebody answers there.
func listens(t testing.TB, network, address string) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if conn, err := net.Dial(network, address); err == nil {
			_ = conn.Close()
			return
		}
	}
	t.Fatalf("%s: nobody answers", address)
}
