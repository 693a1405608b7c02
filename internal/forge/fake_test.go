package forge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// fake is a MOCK of a forge's API, by what the forge publishes of it. GitHub is a service and GitLab a program that
// does not come as a Go module: neither can run here. Gitea does run in e2e, where the same code meets the real one;
// what is tested here on its mock too is what the real one does not do when asked: to be busy, to lose an answer, to
// send elsewhere.
//
//	https://docs.github.com/en/rest/pulls/pulls
//	https://docs.gitlab.com/api/merge_requests/
//	https://docs.gitea.com/api/
type fake struct {
	kind   Provider
	server *httptest.Server
	mu     sync.Mutex
	pulls  []*fakePull // number 1 is the first
	writes []string    // requests that change something
	seen   []string    // every request, with its token
	// pages is where it says that its pages begin; empty: where they do.
	pages string
	// before answers instead of the API where it gives true.
	before func(http.ResponseWriter, *http.Request) bool
	// rival: while the next one is created another run creates one, and both are taken.
	rival bool
	// lose: the next creation is done, and its answer is lost.
	lose bool
}

type fakePull struct {
	Head, Base, SHA, Title, Body string
	Open, Merged, FromFork       bool
	Labels                       []string
}

const fakeToken = "t0ken-of-the-test"

// fakeLabels are the repository's, on Gitea.
var fakeLabels = []string{"other", "hosts"}

func newFake(t *testing.T, kind Provider) *fake {
	f := &fake{kind: kind}
	f.server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.server.Close)
	return f
}

func (f *fake) repository() Repository {
	return Repository{Kind: f.kind, Web: f.server.URL, Path: "acme/fleet"}
}

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	token := strings.TrimPrefix(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "),
		"token ") + r.Header.Get("PRIVATE-TOKEN")
	f.seen = append(f.seen, token+" "+r.Method+" "+r.URL.EscapedPath())
	if f.before != nil && f.before(w, r) {
		return
	}
	if token != fakeToken {
		f.answer(w, 401, map[string]any{"message": "Bad credentials \x1b[31m" + token})
		return
	}
	if r.Method != http.MethodGet {
		f.writes = append(f.writes, r.Method+" "+r.URL.Path)
	}
	var sent any
	_ = json.NewDecoder(r.Body).Decode(&sent)
	body, _ := sent.(map[string]any)
	prefix := map[Provider]string{GitHub: "/api/v3/repos/acme/fleet/", GitLab: "/api/v4/projects/acme%2Ffleet/",
		Gitea: "/api/v1/repos/acme/fleet/"}[f.kind]
	path, found := strings.CutPrefix(r.URL.EscapedPath(), prefix)
	what, rest, isOne := strings.Cut(path, "/")
	one, _, _ := strings.Cut(rest, "/")
	number, _ := strconv.Atoi(one)
	switch {
	case !found, isOne && (number < 1 || number > len(f.pulls)):
		f.answer(w, 404, map[string]any{"message": "404 Not Found"})
	case what == "labels":
		f.answer(w, 200, []any{map[string]any{"id": 0, "name": fakeLabels[0]},
			map[string]any{"id": 1, "name": fakeLabels[1]}})
	case what == "issues": // labels of a pull request: GitHub takes their names, Gitea their numbers
		names, _ := sent.([]any)
		numbers, _ := body["labels"].([]any)
		for _, label := range slices.Concat(names, numbers) {
			if at, isNumber := label.(float64); isNumber {
				label = fakeLabels[int(at)]
			}
			f.pulls[number-1].Labels = append(f.pulls[number-1].Labels, label.(string))
		}
		f.answer(w, 200, []any{})
	case isOne:
		p := f.pulls[number-1]
		p.set(body)
		p.Open = p.Open && body["state"] != "closed" && body["state_event"] != "close"
		f.answer(w, 200, f.show(number))
	case r.Method == http.MethodGet:
		all := []any{}
		for i, p := range slices.Backward(f.pulls) {
			if p.Open == strings.HasPrefix(r.URL.Query().Get("state"), "open") && !(f.kind == GitLab && p.Merged) {
				all = append(all, f.show(i+1))
			}
		}
		f.answer(w, 200, all)
	default:
		f.create(w, body)
	}
}

// set sets what a request has, by the name that each forge has for it.
func (p *fakePull) set(body map[string]any) {
	for name, field := range map[string]*string{
		"title": &p.Title, "body": &p.Body, "description": &p.Body,
		"head": &p.Head, "source_branch": &p.Head, "base": &p.Base, "target_branch": &p.Base,
	} {
		if text, _ := body[name].(string); text != "" {
			*field = text
		}
	}
	if labels, ok := body["add_labels"].(string); ok {
		p.Labels = append(p.Labels, strings.Split(labels, ",")...)
	}
}

func (f *fake) create(w http.ResponseWriter, body map[string]any) {
	made := &fakePull{Open: true, SHA: "c0ffee"}
	made.set(body)
	if slices.ContainsFunc(f.pulls, func(p *fakePull) bool {
		return p.Open && p.Head == made.Head &&
			p.Base == made.Base && !p.FromFork
	}) {
		switch f.kind {
		case GitHub:
			detail := map[string]any{"resource": "PullRequest", "code": "custom",
				"message": "A pull request already exists for acme:" + made.Head + "."}
			f.answer(w, 422, map[string]any{"message": "Validation Failed", "errors": []any{detail}})
		case GitLab:
			f.answer(w, 409, map[string]any{"message": []any{"Another open merge request already exists for this source branch: !1"}})
		default:
			f.answer(w, 409, map[string]any{"message": "pull request already exists for these targets"})
		}
		return
	}
	if f.rival {
		first := *made
		f.pulls = append(f.pulls, &first)
	}
	f.pulls = append(f.pulls, made)
	if f.lose {
		f.answer(w, 502, map[string]any{"message": "bad gateway"})
	} else {
		f.answer(w, 201, f.show(len(f.pulls)))
	}
	f.rival, f.lose = false, false
}

// show is a pull request as the forge writes it, with what the other forges call its fields.
func (f *fake) show(number int) map[string]any {
	p, repository := f.pulls[number-1], 1
	if p.FromFork {
		repository = 2
	}
	labels := []any{}
	for _, label := range p.Labels {
		if f.kind == GitLab {
			labels = append(labels, label)
		} else {
			labels = append(labels, map[string]any{"name": label})
		}
	}
	page := cmp.Or(f.pages, f.server.URL)
	shown := map[string]any{
		"number": number, "title": p.Title, "body": p.Body, "labels": labels, "merged": p.Merged,
		"html_url": fmt.Sprint(page, "/pull/", number),
		"head": map[string]any{"ref": p.Head, "sha": p.SHA, "repo_id": repository,
			"repo": map[string]any{"id": repository}},
		"base": map[string]any{"ref": p.Base, "repo_id": 1, "repo": map[string]any{"id": 1}},
		"iid":  number, "description": p.Body, "web_url": fmt.Sprint(page, "/-/merge_requests/", number),
		"sha":           p.SHA,
		"source_branch": p.Head, "target_branch": p.Base, "source_project_id": repository, "target_project_id": 1,
	}
	if p.Merged {
		shown["merged_at"] = "2026-01-02T03:04:05Z"
	}
	return shown
}

func (f *fake) answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}
