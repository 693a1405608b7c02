package ci

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// token is what the jobs log in with where they write comments.
const token = "comment-token"

// comment is one as the forge keeps it.
type comment struct {
	id           int
	author, body string
}

// forge stands in for GitHub's comments of a pull request and GitLab's notes of a merge request: the same thing under
// other names.
type forge struct {
	mu       sync.Mutex
	comments []comment
	// bot is who the token belongs to; most is the longest body that is taken, in characters.
	bot  string
	most int
	// problems are requests that a forge would not have understood.
	problems []string
}

// all gives the comments as they are now.
func (f *forge) all() []comment {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.comments)
}

// crowd are comments of other people, more than a page of them.
func crowd() (all []comment) {
	for i := range 150 {
		all = append(all, comment{1000 + i, "somebody", "<!-- sipgen plan: site.yaml -->\nsomebody quotes the comment"})
	}
	return all
}

// serve answers list, create and update, whatever the paths are called; one is the path before a comment's number.
func (f *forge) serve(list, one string, update string, show func(comment) any) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+list, func(w http.ResponseWriter, r *http.Request) {
		page, size := 1, 30
		_, _ = fmt.Sscan(r.URL.Query().Get("page"), &page)
		_, _ = fmt.Sscan(r.URL.Query().Get("per_page"), &size)
		found := f.all()
		from, to := min((page-1)*size, len(found)), min(page*size, len(found))
		if to < len(found) {
			next := *r.URL
			query := next.Query()
			query.Set("page", strconv.Itoa(page+1))
			next.RawQuery = query.Encode()
			w.Header().Set("Link", fmt.Sprintf(`<https://api.github.com%s>; rel="next"`, next.String()))
		}
		answer := []any{}
		for _, c := range found[from:to] {
			answer = append(answer, show(c))
		}
		reply(w, http.StatusOK, answer)
	})
	mux.HandleFunc("POST "+list, func(w http.ResponseWriter, r *http.Request) {
		body, taken := f.body(w, r)
		if !taken {
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		made := comment{id: 1000 + len(f.comments), author: f.bot, body: body}
		f.comments = append(f.comments, made)
		reply(w, http.StatusCreated, show(made))
	})
	mux.HandleFunc(update+" "+one+"/{id}", func(w http.ResponseWriter, r *http.Request) {
		body, taken := f.body(w, r)
		if !taken {
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		for i := range f.comments {
			if strconv.Itoa(f.comments[i].id) == r.PathValue("id") && f.comments[i].author == f.bot {
				f.comments[i].body = body
				reply(w, http.StatusOK, show(f.comments[i]))
				return
			}
		}
		f.problems = append(f.problems, "changed what is not its own: "+r.URL.Path)
		reply(w, http.StatusForbidden, nil)
	})
	mux.HandleFunc("GET /api/v4/user", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]any{"id": botID})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.problems = append(f.problems, r.Method+" "+r.URL.String())
		reply(w, http.StatusNotFound, nil)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "token "+token && r.Header.Get("PRIVATE-TOKEN") != token {
			reply(w, http.StatusUnauthorized, nil)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// body reads a new body, and refuses one as the forge would.
func (f *forge) body(w http.ResponseWriter, r *http.Request) (string, bool) {
	content, _ := io.ReadAll(r.Body)
	var asked struct{ Body string }
	err := json.Unmarshal(content, &asked)
	if err != nil || asked.Body == "" || !utf8.ValidString(asked.Body) || utf8.RuneCountInString(asked.Body) > f.most {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.problems = append(f.problems, fmt.Sprintf("a body of %d bytes: %v", len(content), err))
		reply(w, http.StatusUnprocessableEntity, nil)
		return "", false
	}
	return asked.Body, true
}

func reply(w http.ResponseWriter, code int, answer any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(answer)
}

// botID is the number of the user that writes comments on GitLab.
const botID = 42

// gitlab serves GitLab's notes and gives the API's address.
func (f *forge) gitlab(t *testing.T) string {
	t.Helper()
	notes := "/api/v4/projects/11/merge_requests/7/notes"
	return "http://" + f.listen(t, "tcp", "127.0.0.1:0", f.serve(notes, notes, "PUT", func(c comment) any {
		author := map[string]any{"id": 99, "username": c.author}
		if c.author == f.bot {
			author["id"] = botID
		}
		return map[string]any{"id": c.id, "body": c.body, "author": author}
	})) + "/api/v4"
}

// forge serves GitHub's comments on a socket, and makes the configuration by which gh calls there.
func (g *github) forge(t *testing.T, comments ...comment) *forge {
	t.Helper()
	f := &forge{comments: comments, bot: "github-actions[bot]", most: 65_536}
	folder, err := os.MkdirTemp("", "gh") // a socket's path is short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	socket := filepath.Join(folder, "api")
	issues := "/repos/example/site/issues"
	f.listen(t, "unix", socket, f.serve(issues+"/7/comments", issues+"/comments", "PATCH", func(c comment) any {
		return map[string]any{"id": c.id, "body": c.body, "user": map[string]any{"login": c.author}}
	}))
	need.Write(t, filepath.Join(folder, "config.yml"), "http_unix_socket: "+socket+"\n")
	g.environment["GH_CONFIG_DIR"] = folder
	return f
}

func (f *forge) listen(t *testing.T, network, address string, handler http.Handler) string {
	t.Helper()
	listener, err := net.Listen(network, address)
	require.NoError(t, err)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}}
	server.Start()
	t.Cleanup(func() {
		server.Close()
		assert.Len(t, f.problems, 0, "what the forge does not understand")
	})
	return listener.Addr().String()
}

// only wants one comment of the bot's among all, and gives it.
func (f *forge) only(t *testing.T) comment {
	t.Helper()
	own := slices.DeleteFunc(f.all(), func(c comment) bool { return c.author != f.bot })
	require.Truef(t, len(own) == 1, "%d comments, want one", len(own))
	assert.NotContains(t, own[0].body, "\n/", "a command to GitLab")
	return own[0]
}
