package publish

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// What a server and its hooks answer to a push takes no memory without an end.
func TestAnswersToAPushHaveAnEnd(t *testing.T) {
	t.Parallel()
	statuses := strings.Repeat(packetOf("ok refs/heads/"+strings.Repeat("x", 50)+"\n"), 500)
	begin, band := packetOf("\x01"+packetOf("unpack ok\n")), packetOf("\x01"+statuses)
	words := packetOf("\x02" + strings.Repeat("words\n", 10_000))
	for why, more := range map[string]string{"a report": band, "words": words} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			const most = 64 << 20
			var sent atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if service := r.URL.Query().Get("service"); service != "" {
					w.Header().Set("Content-Type", "application/x-"+service+"-advertisement")
					fmt.Fprint(w, packetOf("# service="+service+"\n")+"0000"+packetOf(strings.Repeat("0", 40)+" capabilities^{}\x00report-status side-band-64k\n")+"0000")
					return
				}
				w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
				fmt.Fprint(w, begin)
				for sent.Load() < most {
					n, err := fmt.Fprint(w, more)
					if err != nil {
						return
					}
					sent.Add(int64(n))
				}
			}))
			t.Cleanup(server.Close)
			_, err := publishTree(Target{URL: server.URL + "/fleet.git", Branch: "main", Auth: Auth{Token: "t0ken"}}, tree("a", "1"), meta)
			if err == nil || !strings.Contains(err.Error(), "answer to the push has more than 8 MiB, want at most that") || sent.Load() >= most {
				t.Errorf("after %d bytes found %.300v", sent.Load(), err)
			}
		})
	}
}

// A server that reports another ref than the one that was pushed has not taken the push.
func TestReportOfAnotherRef(t *testing.T) {
	t.Parallel()
	for reports, want := range map[string]string{
		packetOf("ok refs/heads/other\n"):                                 "push: the server's status report names refs/heads/other, want refs/heads/main",
		packetOf("ok refs/heads/a\n") + packetOf("ok refs/heads/main2\n"): "names refs/heads/a, refs/heads/main2, want refs/heads/main",
		"": "names no ref, want refs/heads/main",
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

// A hook of a local repository, or behind ssh, is bounded, too; what it printed at first is passed on.
func TestHooksThatPrintALot(t *testing.T) {
	t.Parallel()
	for way, reach := range map[string]func(testing.TB, string) reached{"ssh": sshTarget, "file": func(_ testing.TB, repo string) reached {
		return reached{Target: Target{URL: repo, Branch: "main"}}
	}} {
		t.Run(way, func(t *testing.T) {
			repo := bare(t)
			rival(t, repo, "main", tree("x", "1"))
			target := reach(t, repo).Target
			target.Path = "site"
			hook := filepath.Join(repo, "hooks/pre-receive")
			for lines, want := range map[int]string{40_000: "", 2_000_000: "answer to the push has more than 8 MiB"} {
				if err := os.WriteFile(hook, fmt.Appendf(nil, "#!/bin/sh\ncat >/dev/null\necho first words\nyes words words words words words | head -n %d\n", lines), 0o755); err != nil {
					t.Fatal(err)
				}
				done, err := publishTree(target, tree("a", fmt.Sprint(lines)), meta)
				if want == "" && (err != nil || !strings.HasPrefix(done.Server, "first words; words words") || len(done.Server) > 4*2000) {
					t.Errorf("%d lines: found %+v, %v", lines, done, err)
				}
				if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("%d lines: found %.300v, want %q", lines, err, want)
				}
			}
		})
	}
}
