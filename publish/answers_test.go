package publish

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

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
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found %v, want %q", reports, err, want)
		}
	}
}
