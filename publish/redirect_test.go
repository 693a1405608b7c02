package publish

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/elazarl/goproxy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// advertisesNothing answers as an empty repository where the request asks which branches there are.
func advertisesNothing(w http.ResponseWriter, r *http.Request) bool {
	service := r.URL.Query().Get("service")
	if service != "" {
		w.Header().Set("Content-Type", "application/x-"+service+"-advertisement")
		fmt.Fprint(w, packetOf("# service="+service+"\n")+"0000"+packetOf(strings.Repeat("0",
			40)+" capabilities^{}\x00report-status\n")+"0000")
	}
	return service != ""
}

// Credentials are for the server that the URL names. Where it sends a client elsewhere, nothing goes there.
func TestRedirectsElsewhereAreRefused(t *testing.T) {
	t.Parallel()
	var reached atomic.Value
	reached.Store("")
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Store(fmt.Sprint(reached.Load()) + "\n" + r.Method + " " + r.URL.String() + " Authorization: " +
			r.Header.Get("Authorization"))
		advertisesNothing(w, r)
	}))
	t.Cleanup(elsewhere.Close)
	own := newAuthority(t)
	port := elsewhere.URL[strings.LastIndexByte(elsewhere.URL, ':'):]
	for _, row := range []struct{ why, to, says string }{
		{"to http", "http://127.0.0.1" + port, "http://127.0.0.1" + port + "/moved/fleet.git"},
		{"to another host", "http://localhost" + port, "http://localhost" + port + "/moved/fleet.git"},
		{"with a login of its own", "http://u:s3cretloc@localhost" + port,
			"http://localhost" + port + "/moved/fleet.git"},
	} {
		for _, auth := range []Auth{{Token: "t0ken"}, {Username: "robot", Password: "s3cret"}, {}} {
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, row.to+strings.Replace(r.URL.Path, "/acme/", "/moved/", 1)+"?"+r.URL.RawQuery,
					http.StatusFound)
			}))
			server.TLS = &tls.Config{Certificates: []tls.Certificate{own.issue(t, "server").pair}}
			server.StartTLS()
			auth.CAFile, auth.NoHelper = own.file, true
			_, err := publishTree(Target{URL: server.URL + "/acme/fleet.git", Branch: "main", Auth: auth},
				tree("a", "1"), meta)
			server.Close()
			wantError(t, row.why, err, nil, row.says+", which has another", "if the repository has moved, use that URL")
			tellsNoSecret(t, fmt.Sprint(err))
			assert.Empty(t, reached.Swap("").(string), row.why+": the other server was reached")
		}
	}
}

// Servers send whoever comes by http to https, at the ports that both have by default, and from a repository's old name
// to its new one.
func TestRedirectFromHTTPToHTTPS(t *testing.T) {
	t.Parallel()
	_, server, _ := overHTTPS(t)
	proxy := serveProxy(t, server.url)
	plain := 0
	proxy.handler.OnRequest().DoFunc(func(r *http.Request, _ *goproxy.ProxyCtx) (*http.Request, *http.Response) {
		plain++
		answer := goproxy.NewResponse(r, goproxy.ContentTypeText, http.StatusMovedPermanently, "")
		answer.Header.Set("Location", strings.Replace(r.URL.String(), "http://git.example.test/old/",
			"https://git.example.test/", 1))
		return r, answer
	})
	for _, auth := range []Auth{{Token: "t0ken"}, {Username: "robot", Password: "s3cret"}} {
		auth.CAFile, auth.NoHelper, auth.Proxy = server.ca, true, proxy.url
		target := Target{URL: "http://git.example.test/old/fleet.git", Branch: "main", Path: "site", Auth: auth}
		_, _, err := Loop(t.Context(), target,
			func(*Snapshot) (Tree, Meta, int, error) { return tree("a", auth.Token), meta, 0, nil })
		require.NoError(t, err)
		assert.Truef(t, plain == 1, "%d requests went by http, want one: the others go where it led", plain)
		plain = 0
	}
}

// What a server or a proxy answers instead of what it was asked for has an end, and is told as what it is.
func TestAnswersThatAreNotGits(t *testing.T) {
	t.Parallel()
	for says, serve := range map[string]func(http.ResponseWriter){
		"an answer of more than 64 MiB": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			fmt.Fprint(w, packetOf("# service=git-upload-pack\n")+"0000"+packetOf(strings.Repeat("ab",
				20)+" HEAD\x00side-band-64k ofs-delta\n"))
			name := strings.Repeat("x", 50_000) // go-git keeps each, and fewer are quicker
			for i, err := 1, error(nil); err == nil && i < 3000; i++ {
				_, err = fmt.Fprint(w, packetOf(fmt.Sprintf("%040x refs/heads/%s%d\n", i, name, i)))
			}
		},
		" answered with a web page instead of git data": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<html>\x1b[31m please log in </html>")
		},
		" answered as a server of files does": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/octet-stream")
			fmt.Fprint(w, strings.Repeat("ab", 20)+"\trefs/heads/main\n")
		},
		"no repository: repository not found; check the URL": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "<html><h1>Not found</h1></html>")
		},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { serve(w) }))
			t.Cleanup(server.Close)
			_, err := Read(t.Context(), Target{URL: server.URL + "/fleet.git", Branch: "main",
				Auth: Auth{Token: "t0ken", NoHelper: true}})
			need.Error(t, "", err, says)
			tellsNoSecret(t, fmt.Sprint(err))
		})
	}
}

// A push whose answer is lost may have succeeded, and the message says so; one that was refused has not.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	const lost = "the answer to the push is lost, so it may have succeeded; run again to find out: "
	report := func(w http.ResponseWriter, lines ...string) {
		w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
		for _, line := range lines {
			fmt.Fprint(w, packetOf(line))
		}
	}
	for why, row := range map[string]struct {
		serve  func(http.ResponseWriter)
		blind  bool // the branch is not to be looked at afterwards
		want   string
		refuse string // instead of want
	}{
		"the connection breaks": {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, false,
			lost + "the server closed the", ""},
		"and the branch cannot be read": {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, true, lost, ""},
		"an empty answer":               {func(w http.ResponseWriter) { report(w) }, false, lost, ""},
		"half an answer":                {func(w http.ResponseWriter) { report(w, "unpack ok\n") }, false, lost, ""},
		"a report of another branch": {func(w http.ResponseWriter) {
			report(w, "unpack ok\n",
				"ok refs/heads/x\n")
			fmt.Fprint(w, "0000")
		}, false, lost, ""},
		"a proxy's time is up": {func(w http.ResponseWriter) { http.Error(w, "x", http.StatusGatewayTimeout) },
			false, lost, ""},
		"a page of a proxy": {func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/html") },
			false, lost, ""},
		"the pack is too big": {func(w http.ResponseWriter) {
			http.Error(w, "x",
				http.StatusRequestEntityTooLarge)
		}, false, "", "413"},
		"not allowed": {func(w http.ResponseWriter) { http.Error(w, "x", http.StatusForbidden) },
			false, "", "not authorized"},
		"refused, and nothing is legible": {func(w http.ResponseWriter) {
			report(w, "unpack ok\n", "ng refs/heads/main no\n")
			fmt.Fprint(w, "0000")
		}, true, "", "no"},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			var pushed atomic.Bool
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if row.blind && pushed.Load() {
					http.Error(w, "x", http.StatusInternalServerError)
				} else if !advertisesNothing(w, r) {
					pushed.Store(true)
					row.serve(w)
				}
			}))
			t.Cleanup(server.Close)
			_, err := publishTree(Target{URL: server.URL + "/fleet.git", Branch: "main", Auth: Auth{NoHelper: true}},
				tree("a", "1"), meta)
			if row.refuse == "" {
				wantError(t, why, err, nil, row.want)
				return
			}
			wantError(t, why, err, nil, row.refuse)
			assert.Truef(t, !strings.Contains(err.Error(), "is lost"), "%s: found %v, which was answered", why, err)
		})
	}
}

// A branch has moved when the server's report of the push says so of this branch.
func TestReportWithoutTheBranch(t *testing.T) {
	t.Parallel()
	for report, says := range map[string]string{
		"ok refs/heads/other\n":         "the server's status report does not name refs/heads/main",
		"ng refs/heads/main no space\n": "no space",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !advertisesNothing(w, r) {
				w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
				fmt.Fprint(w, packetOf("unpack ok\n")+packetOf(report)+"0000")
			}
		}))
		t.Cleanup(server.Close)
		_, err := publishTree(Target{URL: server.URL + "/fleet.git", Branch: "main", Auth: Auth{NoHelper: true}},
			tree("a", "1"), meta)
		need.Error(t, report, err, says)
	}
}
