package forge

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func onEach(t *testing.T, test func(*testing.T, *fake)) {
	for _, kind := range []Provider{GitHub, GitLab, Gitea} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			test(t, newFake(t, kind))
		})
	}
}

func request(change func(*Request)) Request {
	r := Request{Base: "main", Head: "sipgen/dc1", Commit: "c0ffee", Title: "dc1: 3 hosts", Body: "the body"}
	if change != nil {
		change(&r)
	}
	return r
}

// ask runs Open, and fails the test unless it does what is wanted.
func ask(t *testing.T, f *fake, r Request, want Outcome) *Opened {
	t.Helper()
	client := &Client{Token: fakeToken, TokenName: "SIPGEN_FORGE_TOKEN", Timeout: 5 * time.Minute}
	opened := need.Value(client.Open(t.Context(), f.repository(), r))(t)
	require.Truef(t, opened.Outcome == want, "found %q, want %q", opened.Outcome, want)
	return opened
}

func refuse(t *testing.T, f *fake, client Client) error {
	t.Helper()
	opened, err := client.Open(t.Context(), f.repository(), request(nil))
	require.Truef(t, err != nil, "found %+v, want an error", opened)
	if strings.ContainsAny(err.Error(), "\x1b\n") || client.Token != "" && strings.Contains(err.Error(), client.Token) {
		t.Errorf("found %q", err)
	}
	return err
}

// A fork's branch of the same name is another one.
func TestOneBranchIsOnePullRequest(t *testing.T) {
	onEach(t, func(t *testing.T, f *fake) {
		f.pulls = []*fakePull{{Head: "sipgen/dc1", Base: "main", Title: "theirs", Open: true, FromFork: true}}
		opened := ask(t, f, request(nil), Created)
		assert.NotContains(t, opened.URL, "acme/fleet")
		assert.Truef(t,
			strings.HasPrefix(opened.URL, f.server.URL+"/") && opened.Number == 2 && opened.OtherHost == "",
			"found %+v", opened)
		p := f.pulls[1]
		assert.Truef(t,
			p.Title == "dc1: 3 hosts" && p.Body == "the body" && p.Head == "sipgen/dc1" && p.Base == "main",
			"found %+v", p)
		ask(t, f, request(nil), Unchanged)
		p.Body = "the body\r\n"
		ask(t, f, request(nil), Unchanged)
		assert.Len(t, f.writes, 1, "writes")
		ask(t, f, request(func(r *Request) { r.Title, r.Body = "dc1: 4 hosts", "another" }), Updated)
		ask(t, f, request(func(r *Request) { r.Title, r.Body, r.Base = "dc1: 4 hosts", "another", "production" }),
			Updated)
		assert.Truef(t, p.Title == "dc1: 4 hosts" && p.Body == "another" && p.Base == "production", "found %+v", p)
		assert.Truef(t, len(f.pulls) == 2 && f.pulls[0].Title == "theirs", "found %d, %+v", len(f.pulls), f.pulls[0])
	})
}

// Nobody is sent to another host than the forge's: a page there is replaced by one that is made from the number.
func TestPagesOnOtherHosts(t *testing.T) {
	onEach(t, func(t *testing.T, f *fake) {
		own := f.server.URL + map[Provider]string{GitHub: "/acme/fleet/pull/1",
			GitLab: "/acme/fleet/-/merge_requests/1", Gitea: "/acme/fleet/pulls/1"}[f.kind]
		want := Created
		for _, row := range []struct{ pages, other string }{
			{"https://evil.example", "evil.example"}, {"https://EVIL.example:8443/x", "EVIL.example:8443"},
			{f.server.URL + "@evil.example", ""}, {"https://evil.example\u202e/", "evil.example"},
			{"javascript://127.0.0.1/%0a", ""}, {"http://127.0.0.1.evil.example", "127.0.0.1.evil.example"},
			{"/elsewhere", ""}, {"https://127.0.0.1%2eevil.example", ""},
		} {
			f.pages = row.pages
			if opened := ask(t, f, request(nil), want); opened.URL != own || opened.OtherHost != row.other {
				t.Errorf("%s: found %+v, want %s and the other host %q", row.pages, opened, own, row.other)
			}
			want = Unchanged
		}
		for _, pages := range []string{"https://127.0.0.1",
			"http://127.0.0.1:1/forge"} { // by another port, or scheme, of its host
			f.pages = pages
			opened := ask(t, f, request(nil), Unchanged)
			assert.Truef(t, strings.HasPrefix(opened.URL, pages) && opened.OtherHost == "", "%s: found %+v", pages,
				opened)
		}
		f.pages = "https://evil.example"
		f.pulls = []*fakePull{{Head: "sipgen/dc1", Base: "main", SHA: "c0ffee"}}
		opened := ask(t, f, request(nil), Declined)
		assert.Truef(t, opened.URL == own && opened.OtherHost == "evil.example", "closed: found %+v", opened)
		opened = ask(t, f, request(func(r *Request) { r.UpdateOnly = true }), Nothing)
		assert.Truef(t, opened.URL == "" && opened.OtherHost == "", "none: found %+v", opened)
	})
}

// A body with the stamp is left to the people who have written in it since.
func TestStamp(t *testing.T) {
	onEach(t, func(t *testing.T, f *fake) {
		stamped := func(stamp string) Request {
			return request(func(r *Request) { r.Body, r.Marker = "age 3s, commit "+stamp, stamp })
		}
		ask(t, f, stamped("c0ffee"), Created)
		f.pulls[0].Title, f.pulls[0].Body = "approved by Ada", "LGTM. "+f.pulls[0].Body
		ask(t, f, stamped("c0ffee"), Unchanged)
		ask(t, f, stamped("decaf"), Updated)
		p := f.pulls[0]
		assert.Truef(t, p.Body == "age 3s, commit decaf" && p.Title == "dc1: 3 hosts", "found %+v", p)
	})
}

// What was merged was not declined: if it is to be done again, it is proposed again.
func TestClosedAndMergedAreLeftAlone(t *testing.T) {
	onEach(t, func(t *testing.T, f *fake) {
		f.pulls = []*fakePull{
			{Head: "sipgen/dc1", Base: "main", SHA: "merged", Title: "merged", Merged: true},
			{Head: "sipgen/dc1", Base: "main", SHA: "c0ffee", Title: "closed"},
		}
		opened := ask(t, f, request(nil), Declined)
		assert.Truef(t, opened.Number == 2 && opened.URL != "", "found %+v", opened)
		ask(t, f, request(func(r *Request) { r.UpdateOnly = true }), Nothing)
		assert.Len(t, f.writes, 0, "writes")
		ask(t, f, request(func(r *Request) { r.Commit = "merged" }), Created)
		assert.Len(t, f.pulls, 3)
		assert.Truef(t, f.pulls[0].Title == "merged" && f.pulls[1].Title == "closed", "found %+v %+v", f.pulls[0],
			f.pulls[1])
	})
}

func TestNothingToMergeOpensNothing(t *testing.T) {
	onEach(t, func(t *testing.T, f *fake) {
		empty := request(func(r *Request) { r.UpdateOnly, r.Body = true, "nothing left" })
		ask(t, f, empty, Nothing)
		ask(t, f, request(nil), Created)
		ask(t, f, empty, Updated)
		assert.Equal(t, "nothing left", f.pulls[0].Body, f.pulls[0])
	})
}

// The forge makes it, and the answer does not come back: the second try finds it.
func TestLostAnswer(t *testing.T) {
	onEach(t, func(t *testing.T, f *fake) {
		f.lose = true
		ask(t, f, request(nil), Unchanged)
		assert.Equal(t, 1, len(f.pulls))
	})
}

// Two runs at the same moment: the older one stays open, and is brought up to date. The younger one is closed, too, if
// the answer to its creation, or to its end, was lost.
func TestRivalsOpenOne(t *testing.T) {
	onEach(t, func(t *testing.T, f *fake) {
		for _, lost := range []string{"", "creation", "end"} {
			f.pulls, f.rival, f.lose, f.before = nil, true, lost == "creation", nil
			if lost == "end" {
				f.before = func(w http.ResponseWriter, r *http.Request) bool {
					edits := r.Method == http.MethodPatch || r.Method == http.MethodPut
					if edits {
						f.before = nil
						f.answer(w, 500, map[string]any{"message": "database is locked"})
					}
					return edits
				}
			}
			opened := ask(t, f, request(nil), Unchanged)
			assert.Truef(t, opened.Number == 1, "%s: found %+v", lost, opened)
			assert.Truef(t, len(f.pulls) == 2 && f.pulls[0].Open && !f.pulls[1].Open, "%s: found %+v %+v", lost,
				f.pulls[0], f.pulls[1])
		}
	})
}

func TestBusyForge(t *testing.T) {
	onEach(t, func(t *testing.T, f *fake) {
		statuses := []int{503, 429, 500}
		var times []time.Time
		f.before = func(w http.ResponseWriter, r *http.Request) bool {
			times = append(times, time.Now())
			if len(statuses) == 0 {
				return false
			}
			if statuses[0] == 429 {
				w.Header().Set("Retry-After", "2")
			}
			f.answer(w, statuses[0], map[string]any{"message": "busy"})
			statuses = statuses[1:]
			return true
		}
		ask(t, f, request(nil), Created)
		wait := times[2].Sub(times[1])
		assert.Truef(t, wait >= 2*time.Second, "waited %s after Retry-After: 2", wait)
	})
}

// A forge that is busy for long, never ends its answer, or is not waited for any more, does not keep a run from its
// end.
func TestPatienceEnds(t *testing.T) {
	onEach(t, func(t *testing.T, f *fake) {
		started := time.Now()
		f.before = func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Retry-After", "3600")
			f.answer(w, 429, map[string]any{"message": "slow down"})
			return true
		}
		text := refuse(t, f, Client{Token: fakeToken}).Error()
		for _, word := range []string{"1h0m0s", "slow down"} {
			assert.Contains(t, text, word)
		}
		f.before = func(w http.ResponseWriter, _ *http.Request) bool { f.answer(w, 503, nil); return true }
		assert.ErrorContains(t, refuse(t, f, Client{Token: fakeToken, Timeout: 5 * time.Second}), "503")
		f.before = func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte(" "))
				_ = http.NewResponseController(w).Flush()
				time.Sleep(50 * time.Millisecond)
			}
			return true
		}
		assert.ErrorContains(t, refuse(t, f, Client{Token: fakeToken, Timeout: time.Second}),
			"/acme/fleet: the forge did not answer in time")
		ctx, cancel := context.WithCancel(t.Context())
		f.before = func(w http.ResponseWriter, _ *http.Request) bool {
			cancel()
			f.answer(w, 503, nil)
			return true
		}
		_, err := (&Client{Token: fakeToken}).Open(ctx, f.repository(), request(nil))
		assert.Truef(t, err != nil && time.Since(started) <= time.Minute, "after %s found %v", time.Since(started),
			err)
	})
}

func TestRefusals(t *testing.T) {
	onEach(t, func(t *testing.T, f *fake) {
		err := refuse(t, f, Client{Token: "wr0ng-token", TokenName: "SIPGEN_FORGE_TOKEN"})
		assert.Truef(t,
			errors.Is(err, ErrToken) && strings.Contains(err.Error(), "SIPGEN_FORGE_TOKEN") &&
				strings.Contains(err.Error(), tokenScopes[f.kind]) && strings.Contains(err.Error(), "Bad credentials"),
			"found %v", err)
		assert.Equal(t, 1, len(f.seen))
		for _, row := range []struct {
			status int
			want   error
			words  string
		}{
			{403, ErrToken, "Resource not accessible"}, {404, ErrNoRepository, "SIPGEN_GIT_TOKEN"},
			{422, nil, "Resource not accessible"},
		} {
			f.before = func(w http.ResponseWriter, _ *http.Request) bool {
				f.answer(w, row.status, map[string]any{"message": "Resource not accessible\x1b[2J\n to " + fakeToken +
					strings.Repeat(" and so on", 1000)})
				return true
			}
			err := refuse(t, f, Client{Token: fakeToken, TokenName: "SIPGEN_GIT_TOKEN"})
			if row.want != nil && !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.words) ||
				len(err.Error()) > 2000 {
				t.Errorf("%d: found %v", row.status, err)
			}
		}
	})
}

// Neither a redirect nor a page of a proxy in between gets the token, or is taken for an answer.
func TestElsewhere(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s was asked, with %q %q", r.Method, r.URL, r.Header.Get("Authorization"),
			r.Header.Get("Private-Token"))
	}))
	defer other.Close()
	t.Run("", func(t *testing.T) {
		onEach(t, func(t *testing.T, f *fake) {
			f.before = func(w http.ResponseWriter, r *http.Request) bool {
				http.Redirect(w, r, other.URL+"/x?secret=1", http.StatusMovedPermanently)
				return true
			}
			if err := refuse(t, f, Client{Token: fakeToken}); !strings.Contains(err.Error(),
				"has moved to "+other.URL+"/x") || strings.Contains(err.Error(), "secret") {
				t.Errorf("found %v", err)
			}
			f.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodPost {
					return false
				}
				http.Redirect(w, r, "/elsewhere", http.StatusMovedPermanently) // a POST becomes a GET
				return true
			}
			if err := refuse(t, f, Client{Token: fakeToken}); !strings.Contains(err.Error(), "has moved to") {
				t.Errorf("found %v", err)
			}
			f.before = func(w http.ResponseWriter, _ *http.Request) bool {
				_, _ = w.Write([]byte("<html>Please log in\x1b[31m</html>"))
				return true
			}
			started := time.Now()
			err := refuse(t, f, Client{Token: fakeToken, Timeout: 5 * time.Minute})
			assert.Truef(t,
				strings.Contains(err.Error(), "answered with a web page instead of API data") &&
					time.Since(started) <= time.Minute,
				"after %s found %v", time.Since(started), err)
		})
	})
}

// An answer that a library takes for data, and that has none, is no answer: neither "there is no pull request" nor
// "opened".
func TestAnswersWithoutData(t *testing.T) {
	for _, row := range []struct {
		method, answer string
		status         int
		want           string
	}{
		{http.MethodGet, "null", 200, "answered with null instead of API data"},
		{http.MethodGet, " [null]", 200, "answered with a list with null instead of API data"},
		{http.MethodGet, "", 200, "answered with nothing instead of API data"},
		{http.MethodGet, "", 204, "answered with nothing instead of API data"},
		{http.MethodPost, "null\n", 201, "answered with null instead of API data"},
		{http.MethodPost, "", 201, "answered with nothing instead of API data"},
		{http.MethodPost, "", 204, "answered with nothing instead of API data"},
		{http.MethodPost, "{}", 201, "the forge's answer has no pull request with a number"},
		{http.MethodPost, `{"number": -1, "iid": -1}`, 201, "the forge's answer has no pull request with a number"},
		{http.MethodPost, `{"number": null, "iid": null}`, 201, "the forge's answer has no pull request with a number"},
	} {
		t.Run(row.method+row.answer, func(t *testing.T) {
			onEach(t, func(t *testing.T, f *fake) {
				f.before = func(w http.ResponseWriter, r *http.Request) bool {
					if r.Method != row.method {
						return false
					}
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(row.status)
					_, _ = w.Write([]byte(row.answer))
					return true
				}
				need.Error(t, "", refuse(t, f, Client{Token: fakeToken}), row.want)
				assert.Len(t, f.writes, 0, "requests that change something")
			})
		})
	}
}

func TestLabels(t *testing.T) {
	onEach(t, func(t *testing.T, f *fake) {
		opened := ask(t, f, request(func(r *Request) { r.Labels = []string{"hosts", "hosts"} }), Created)
		assert.Equal(t, []string{"hosts"}, f.pulls[0].Labels, "labels")
		assert.Len(t, opened.Warnings, 0, "warnings")
		writes := len(f.writes)
		ask(t, f, request(func(r *Request) { r.Labels = []string{"hosts"} }), Unchanged)
		assert.Truef(t, len(f.writes) == writes, "writes %q", f.writes[writes:])
		if f.kind == Gitea {
			opened := ask(t, f, request(func(r *Request) { r.Labels = []string{"none such"} }), Unchanged)
			assert.Truef(t,
				slices.ContainsFunc(opened.Warnings, func(w string) bool { return strings.Contains(w, `"none such"`) }),
				"warnings %q", opened.Warnings)
		}
	})
}

func TestLongTitles(t *testing.T) {
	onEach(t, func(t *testing.T, f *fake) {
		ask(t, f, request(func(r *Request) { r.Title = "dc1:\n" + strings.Repeat("ü", 400) }), Created)
		if title := f.pulls[0].Title; len([]rune(title)) != maxTitle || strings.Contains(title, "\n") ||
			!strings.HasSuffix(title, "…") {
			t.Errorf("found %q", title)
		}
		ask(t, f, request(func(r *Request) { r.Title = "dc1:\n" + strings.Repeat("ü", 400) }), Unchanged)
	})
}
