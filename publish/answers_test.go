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
		}, 100 << 20, "list of branches and tags has more than 64 MiB, want at most that"},
		"an error without an end": {func(w http.ResponseWriter, r *http.Request, sent *atomic.Int64) {
			w.WriteHeader(http.StatusForbidden)
			page := strings.Repeat("no ", 10_000)
			endless(w, r, sent, 30<<20, func(int) string { return page })
		}, 30 << 20, "these credentials do not allow this"},
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
