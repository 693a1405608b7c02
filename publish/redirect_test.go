package publish

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/elazarl/goproxy"
)

// Credentials are for the server that the URL names. Where it sends a client elsewhere, nothing goes there.
func TestRedirectsElsewhereAreRefused(t *testing.T) {
	t.Parallel()
	var reached atomic.Value
	reached.Store("")
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Store(fmt.Sprint(reached.Load()) + "\n" + r.Method + " " + r.URL.String() + " Authorization: " + r.Header.Get("Authorization"))
		if service := r.URL.Query().Get("service"); service != "" { // an empty repository
			w.Header().Set("Content-Type", "application/x-"+service+"-advertisement")
			fmt.Fprint(w, packetOf("# service="+service+"\n")+"0000"+packetOf(strings.Repeat("0", 40)+" capabilities^{}\x00report-status\n")+"0000")
		}
	}))
	t.Cleanup(elsewhere.Close)
	port := elsewhere.URL[strings.LastIndexByte(elsewhere.URL, ':'):]
	for _, row := range []struct{ why, to, says string }{
		{"to http", "http://127.0.0.1" + port, "http://127.0.0.1" + port + "/moved/fleet.git"},
		{"to another host", "http://localhost" + port, "http://localhost" + port + "/moved/fleet.git"},
		{"with a login of its own", "http://u:s3cretloc@localhost" + port, "http://localhost" + port + "/moved/fleet.git"},
	} {
		for _, secure := range []bool{true, false} {
			for _, auth := range []Auth{{Token: "t0ken"}, {Username: "robot", Password: "s3cret"}, {}} {
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, row.to+strings.Replace(r.URL.Path, "/acme/", "/moved/", 1)+"?"+r.URL.RawQuery, http.StatusFound)
				}))
				if secure {
					own := newAuthority(t)
					server.TLS = &tls.Config{Certificates: []tls.Certificate{own.issue(t, "server").pair}}
					auth.CAFile = own.file
					server.StartTLS()
				} else {
					server.Start()
				}
				auth.NoHelper = true
				target := Target{URL: server.URL + "/acme/fleet.git", Branch: "main", Auth: auth}
				_, _, err := Loop(t.Context(), target, func(*Snapshot) (Tree, Meta, string, error) { return tree("a", "1"), meta, "", nil })
				server.Close()
				if err == nil || !strings.Contains(err.Error(), row.says+", which has another") || !strings.Contains(err.Error(), "if the repository has moved, use that URL") {
					t.Errorf("%s, https %t: found %v, want %q", row.why, secure, err, row.says)
				}
				if err != nil {
					tellsNoSecret(t, err.Error())
				}
				if found := reached.Swap(""); found != "" {
					t.Errorf("%s, https %t: the other server was reached: %s", row.why, secure, found)
				}
			}
		}
	}
}

// A repository that was renamed on its server is found as before.
func TestRedirectOnTheSameServer(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	git(t, repo, "config", "http.receivepack", "true")
	server := serveHTTPS(t, filepath.Dir(repo))
	target := Target{
		URL: renamed(t, server).URL + "/old/fleet.git", Branch: "main", Path: "site",
		Auth: Auth{Token: "t0ken", NoHelper: true},
	}
	mustPublish(t, target, tree("a", "1"))
	mustPublish(t, target, tree("a", "2"))
	same(t, "the branch", inGit(t, repo, "main"), tree("site/a", "2"))
}

// renamed is a plain server before another one, on which what was below old is at the top.
func renamed(t testing.TB, behind *httpsServer) *httptest.Server {
	t.Helper()
	address, err := url.Parse(behind.url)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(address)
	client, err := Auth{CAFile: behind.ca}.HTTPClient()
	if err != nil {
		t.Fatal(err)
	}
	pass.Transport = client.Transport
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, old := strings.CutPrefix(r.URL.Path, "/old/"); old {
			http.Redirect(w, r, "/"+rest+"?"+r.URL.RawQuery, http.StatusMovedPermanently)
			return
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front
}

// Servers send whoever comes by http to https, at the ports that both have by default.
func TestRedirectFromHTTPToHTTPS(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	git(t, repo, "config", "http.receivepack", "true")
	server := serveHTTPS(t, filepath.Dir(repo))
	proxy := serveProxy(t, server.url)
	plain := 0
	proxy.handler.OnRequest().DoFunc(func(r *http.Request, _ *goproxy.ProxyCtx) (*http.Request, *http.Response) {
		plain++
		answer := goproxy.NewResponse(r, goproxy.ContentTypeText, http.StatusMovedPermanently, "")
		answer.Header.Set("Location", strings.Replace(r.URL.String(), "http://", "https://", 1))
		return r, answer
	})
	for _, auth := range []Auth{{Token: "t0ken"}, {Username: "robot", Password: "s3cret"}} {
		auth.CAFile, auth.NoHelper, auth.Proxy = server.ca, true, proxy.url
		target := Target{URL: "http://git.example.test/fleet.git", Branch: "main", Path: "site", Auth: auth}
		if _, _, err := Loop(t.Context(), target, func(*Snapshot) (Tree, Meta, string, error) { return tree("a", auth.Token), meta, "", nil }); err != nil {
			t.Error(err)
		}
		if plain != 1 {
			t.Errorf("%d requests went by http, want one: the others go where it led", plain)
		}
		plain = 0
	}
}
