package publish

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/elazarl/goproxy"

	"github.com/airshipit/sipgen/hack/need"
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
				need.That(t, err != nil && strings.Contains(err.Error(), row.says+", which has another") && strings.Contains(err.Error(), "if the repository has moved, use that URL"),
					"%s, https %t: found %v, want %q", row.why, secure, err, row.says)
				if err != nil {
					tellsNoSecret(t, err.Error())
				}
				found := reached.Swap("")
				need.That(t, found == "", "%s, https %t: the other server was reached: %s", row.why, secure, found)
			}
		}
	}
}

// A repository that was renamed on its server is found as before.
func TestRedirectOnTheSameServer(t *testing.T) {
	t.Parallel()
	repo, server, target := overHTTPS(t)
	target.URL, target.Auth = renamed(t, server).URL+"/old/fleet.git", Auth{Token: "t0ken", NoHelper: true}
	mustPublish(t, target, tree("a", "1"))
	mustPublish(t, target, tree("a", "2"))
	same(t, "the branch", inGit(t, repo, "main"), tree("site/a", "2"))
}

// renamed is a plain server before another one, on which what was below old is at the top.
func renamed(t testing.TB, behind *httpsServer) *httptest.Server {
	t.Helper()
	address := need.Value(url.Parse(behind.url))(t)
	pass := httputil.NewSingleHostReverseProxy(address)
	client := need.Value(Auth{CAFile: behind.ca}.HTTPClient())(t)
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
	_, server, _ := overHTTPS(t)
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
		need.That(t, plain == 1, "%d requests went by http, want one: the others go where it led", plain)
		plain = 0
	}
}

// What a server or a proxy answers instead of what it was asked for has an end, and is told as what it is.
func TestAnswersThatAreNotGits(t *testing.T) {
	t.Parallel()
	endless := func(w http.ResponseWriter, r *http.Request, sent *atomic.Int64, most int64, more func(int) string) {
		for i := 0; r.Context().Err() == nil && sent.Load() < most; i++ {
			n, err := fmt.Fprint(w, more(i))
			if err != nil {
				return
			}
			sent.Add(int64(n))
		}
	}
	for why, row := range map[string]struct {
		serve func(http.ResponseWriter, *http.Request, *atomic.Int64)
		most  int64 // of bytes, where nobody stops the server
		says  string
	}{
		"branches without an end": {func(w http.ResponseWriter, r *http.Request, sent *atomic.Int64) {
			w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			fmt.Fprint(w, packetOf("# service=git-upload-pack\n")+"0000"+packetOf(strings.Repeat("ab", 20)+" HEAD\x00side-band-64k ofs-delta\n"))
			name := strings.Repeat("x", 50_000) // go-git keeps each, and fewer are quicker
			endless(w, r, sent, 100<<20, func(i int) string { return packetOf(fmt.Sprintf("%040x refs/heads/%s%d\n", i+1, name, i)) })
		}, 100 << 20, "an answer of more than 64 MiB"},
		"a login page": {func(w http.ResponseWriter, _ *http.Request, _ *atomic.Int64) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<html>\x1b[31m please log in </html>")
		}, 1, " answered with a web page instead of git data"},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { row.serve(w, r, &sent) }))
			t.Cleanup(server.Close)
			_, err := Read(t.Context(), Target{URL: server.URL + "/fleet.git", Branch: "main", Auth: Auth{Token: "t0ken", NoHelper: true}, Timeout: 4 * time.Minute})
			if err == nil || errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), row.says) || sent.Load() >= row.most {
				t.Errorf("found %.300v after %d bytes, want %q", err, sent.Load(), row.says)
				return
			}
			tellsNoSecret(t, err.Error())
			if host := strings.TrimPrefix(server.URL, "http://"); why == "a login page" && !strings.Contains(err.Error(), host+" answered") {
				t.Errorf("found %v, want the host %s", err, host)
			}
		})
	}
}

// A server that reports another ref than the one that was pushed has not taken the push.
func TestReportOfAnotherRef(t *testing.T) {
	t.Parallel()
	for reports, want := range map[string]string{
		packetOf("ok refs/heads/other\n"):                                 "push: the server's status report does not name refs/heads/main",
		packetOf("ok refs/heads/a\n") + packetOf("ok refs/heads/main2\n"): "does not name refs/heads/main",
		"": "does not name refs/heads/main",
		packetOf("ok refs/heads/other\n") + packetOf("ok refs/heads/main\n"): "",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if service := r.URL.Query().Get("service"); service != "" {
				w.Header().Set("Content-Type", "application/x-"+service+"-advertisement")
				capabilities := strings.Repeat("0", 40) + " capabilities^{}\x00report-status side-band-64k\n"
				fmt.Fprint(w, packetOf("# service="+service+"\n")+"0000"+packetOf(capabilities)+"0000")
				return
			}
			w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
			fmt.Fprint(w, packetOf("\x01"+packetOf("unpack ok\n")+reports+"0000")+"0000")
		}))
		t.Cleanup(server.Close)
		target := Target{URL: server.URL + "/fleet.git", Branch: "main", Auth: Auth{Token: "t0ken"}}
		_, err := publishTree(target, tree("a", "1"), meta)
		need.Error(t, reports, err, want)
	}
}
