package forge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
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
	pulls  []*fakePull
	labels []string // of the repository, on Gitea
	writes []string // requests that change something
	seen   []string // every request, with its token
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
	Number                         int
	Head, Base, SHA, Title, Body   string
	Open, Merged, FromFork, Locked bool
	Labels                         []string
}

const fakeToken = "t0ken-of-the-test"

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
	token := strings.TrimPrefix(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), "token ") + r.Header.Get("PRIVATE-TOKEN")
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
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	prefix := map[Provider]string{GitHub: "/api/v3/repos/acme/fleet/", GitLab: "/api/v4/projects/acme%2Ffleet/", Gitea: "/api/v1/repos/acme/fleet/"}[f.kind]
	path, found := strings.CutPrefix(r.URL.EscapedPath(), prefix)
	if !found {
		f.answer(w, 404, map[string]any{"message": "404 Not Found"})
		return
	}
	what, rest, _ := strings.Cut(path, "/")
	switch {
	case what == "labels":
		var labels []any
		for i, label := range f.labels {
			labels = append(labels, map[string]any{"id": i + 1, "name": label})
		}
		f.answer(w, 200, labels)
	case what == "issues": // labels of a pull request, on GitHub and Gitea
		f.addLabels(w, rest, body)
	case rest == "" && r.Method == http.MethodGet:
		f.list(w, r.URL.Query())
	case rest == "":
		f.create(w, body)
	default:
		f.edit(w, rest, body)
	}
}

func (f *fake) list(w http.ResponseWriter, query url.Values) {
	all := []any{}
	for i := len(f.pulls) - 1; i >= 0; i-- {
		p := f.pulls[i]
		open := query.Get("state") == "open" || query.Get("state") == "opened"
		switch {
		case p.Open != open,
			f.kind == GitLab && (query.Get("source_branch") != p.Head || p.Merged),
			f.kind == GitHub && query.Get("head") != "acme:"+p.Head:
			continue
		}
		all = append(all, f.show(p))
	}
	f.answer(w, 200, all)
}

func (f *fake) create(w http.ResponseWriter, body map[string]any) {
	made := &fakePull{Number: len(f.pulls) + 1, Open: true, Title: body["title"].(string), SHA: "c0ffee"}
	if f.kind == GitLab {
		made.Head, made.Base, made.Body = body["source_branch"].(string), body["target_branch"].(string), body["description"].(string)
	} else {
		made.Head, made.Base, made.Body = body["head"].(string), body["base"].(string), body["body"].(string)
	}
	for _, p := range f.pulls {
		if p.Open && p.Head == made.Head && p.Base == made.Base && !p.FromFork {
			switch f.kind {
			case GitHub:
				f.answer(w, 422, map[string]any{"message": "Validation Failed", "errors": []any{map[string]any{"resource": "PullRequest", "code": "custom", "message": "A pull request already exists for acme:" + p.Head + "."}}})
			case GitLab:
				f.answer(w, 409, map[string]any{"message": []any{fmt.Sprintf("Another open merge request already exists for this source branch: !%d", p.Number)}})
			default:
				f.answer(w, 409, map[string]any{"message": "pull request already exists for these targets"})
			}
			return
		}
	}
	if f.rival {
		f.rival = false
		first := *made
		f.pulls = append(f.pulls, &first)
		made.Number++
	}
	f.pulls = append(f.pulls, made)
	if f.lose {
		f.lose = false
		f.answer(w, 502, map[string]any{"message": "bad gateway"})
		return
	}
	f.answer(w, 201, f.show(made))
}

func (f *fake) edit(w http.ResponseWriter, number string, body map[string]any) {
	for _, p := range f.pulls {
		if fmt.Sprint(p.Number) != number {
			continue
		}
		set := func(field *string, names ...string) {
			for _, name := range names {
				if text, ok := body[name].(string); ok && text != "" {
					*field = text
				}
			}
		}
		set(&p.Title, "title")
		set(&p.Body, "body", "description")
		set(&p.Base, "base", "target_branch")
		if body["state"] == "closed" || body["state_event"] == "close" {
			p.Open = false
		}
		if labels, ok := body["add_labels"].(string); ok {
			p.Labels = append(p.Labels, strings.Split(labels, ",")...)
		}
		f.answer(w, 200, f.show(p))
		return
	}
	f.answer(w, 404, map[string]any{"message": "404 Not found"})
}

func (f *fake) addLabels(w http.ResponseWriter, rest string, body map[string]any) {
	number, _, _ := strings.Cut(rest, "/")
	for _, p := range f.pulls {
		if fmt.Sprint(p.Number) != number {
			continue
		}
		switch labels, _ := body["labels"].([]any); f.kind {
		case GitHub: // the body is a list, which was not decoded into the map
			p.Labels = append(p.Labels, "(posted)")
		default:
			for _, label := range labels {
				p.Labels = append(p.Labels, f.labels[int(label.(float64))-1])
			}
		}
		f.answer(w, 200, []any{})
		return
	}
	f.answer(w, 404, map[string]any{"message": "no such issue"})
}

func (f *fake) page(what string, p *fakePull) string {
	return cmp.Or(f.pages, f.server.URL) + what + fmt.Sprint(p.Number)
}

// show is a pull request as the forge writes it.
func (f *fake) show(p *fakePull) any {
	repository, own := 1, 1
	if p.FromFork {
		repository = 2
	}
	state := "closed"
	if p.Open {
		state = "open"
	}
	if f.kind == GitLab {
		if p.Open {
			state = "opened"
		}
		labels := p.Labels
		if labels == nil {
			labels = []string{}
		}
		return map[string]any{"iid": p.Number, "title": p.Title, "description": p.Body, "state": state, "source_branch": p.Head, "target_branch": p.Base,
			"source_project_id": repository, "target_project_id": own, "sha": p.SHA, "labels": labels, "web_url": f.page("/-/merge_requests/", p)}
	}
	var labels []any
	for _, label := range p.Labels {
		labels = append(labels, map[string]any{"name": label})
	}
	shown := map[string]any{"number": p.Number, "title": p.Title, "body": p.Body, "state": state, "labels": labels, "html_url": f.page("/pull/", p), "merged": p.Merged,
		"head": map[string]any{"ref": p.Head, "sha": p.SHA, "repo_id": repository, "repo": map[string]any{"id": repository}},
		"base": map[string]any{"ref": p.Base, "repo_id": own, "repo": map[string]any{"id": own}}}
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
