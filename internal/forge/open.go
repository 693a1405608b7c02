package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// Request is the pull request that there shall be.
type Request struct {
	Base, Head string // branches of one repository
	Commit     string // the tip of Head, in hex
	Title      string // truncate to 255 characters, which every forge takes
	Body       string // markdown
	Labels     []string
	// Marker is a part of Body that identifies this proposal. An open pull request whose body has it is up to date,
	// even if edited. Empty: every difference is an update.
	Marker string
	// UpdateOnly: Head has nothing that Base has not. An open pull request is updated, and none is opened.
	UpdateOnly bool

	closed bool // the pull request ends
}

// Outcome is the result of a request.
type Outcome string

// The outcomes of Open.
const (
	Created   Outcome = "opened"
	Updated   Outcome = "updated"
	Unchanged Outcome = "up to date"
	Declined  Outcome = "closed by hand" // with this commit: it is not opened again
	Nothing   Outcome = "not needed"     // UpdateOnly, and none is open
)

// Opened is the result of Open.
type Opened struct {
	Outcome Outcome
	URL     string // the pull request's page on the forge's host; empty for Nothing
	Number  int64
	// OtherHost is the host of the page that the forge gave, if that is another one: URL is then made from the number.
	OtherHost string
	Warnings  []string // labels that could not be set
}

// Client talks to forges. The zero value has no token, which no forge takes.
type Client struct {
	// HTTP has the certificates, the proxy and the like. nil: Go's own.
	HTTP *http.Client
	// Token is sent to the forge's API and to nowhere else.
	Token string
	// TokenName is the name of the token in messages: its environment variable.
	TokenName string
	// Timeout is how long to retry while a forge is busy. Zero: two minutes.
	Timeout time.Duration
}

// pull is a pull request as a forge has it.
type pull struct {
	number            int64
	page              string
	title, body, base string
	commit            string // the tip of its branch
	merged            bool
	labels            []string
}

// api is the part of a forge's API that Open needs. Unsuccessful responses are *apiError.
type api interface {
	// list gives the pull requests from a branch of the repository itself, open or closed ones; a fork may have one of
	// the same name.
	list(ctx context.Context, head string, open bool) ([]*pull, error)
	// put opens a pull request where there is none before, and else changes that one.
	put(ctx context.Context, before *pull, request Request) (*pull, error)
	// label adds labels, and gives those that it could not.
	label(context.Context, *pull, []string) (missing []string, err error)
}

// attemptTimeout bounds one try, which is a few requests.
const attemptTimeout = 40 * time.Second

// maxTitle is GitLab's and Gitea's limit; GitHub has 256.
const maxTitle = 255

// Open opens or updates the pull request, with the title, the body and the labels of the request. If the forge is
// busy (429, 5xx) or unreachable, it looks again and continues from the state that it finds, so that a lost answer
// does not cause a second pull request.
func (c *Client) Open(ctx context.Context, repository Repository, request Request) (*Opened, error) {
	if c.Token == "" {
		return nil, fmt.Errorf("%s: no token", repository.Web)
	}
	request.Title = text.Truncate(oneLine(request.Title), maxTitle)
	if request.Title == "" || request.Base == "" || request.Head == "" || request.Base == request.Head {
		return nil, errors.New("pull request: want a title and two branches")
	}
	forge, err := c.connect(repository)
	if err != nil {
		return nil, err
	}
	limit := c.Timeout
	if limit == 0 {
		limit = 2 * time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	deadline, _ := ctx.Deadline()
	var last error
	attempt := func() (*Opened, error) {
		attempt, cancel := context.WithTimeout(ctx, attemptTimeout)
		defer cancel()
		opened, err := attemptOnce(attempt, forge, request)
		if err == nil {
			return opened, nil
		}
		if last == nil || ctx.Err() == nil { // an answer cut off by the deadline is less useful than the one before
			last = err
		}
		wait, again := retry(err)
		switch {
		case !again || time.Now().Add(wait).After(deadline):
			return nil, backoff.Permanent(err)
		case wait > 0:
			return nil, &backoff.RetryAfterError{Duration: wait}
		}
		return nil, err
	}
	steps := backoff.NewExponentialBackOff()
	steps.InitialInterval, steps.MaxInterval = 500*time.Millisecond, 20*time.Second
	opened, err := backoff.Retry(ctx, attempt, backoff.WithBackOff(steps), backoff.WithMaxElapsedTime(limit))
	if err != nil {
		if last == nil {
			last = err
		}
		return nil, c.explain(repository, last)
	}
	if on, other := repository.OnHost(opened.URL); !on && opened.Outcome != Nothing {
		opened.URL, opened.OtherHost = repository.PullRequestPage(opened.Number), c.mask(other)
	}
	opened.URL = c.mask(opened.URL)
	for i, warning := range opened.Warnings {
		opened.Warnings[i] = c.mask(warning)
	}
	return opened, nil
}

func (c *Client) connect(repository Repository) (api, error) {
	connect, known := map[Provider]func(Repository, *http.Client, string) (api, error){
		GitHub: newGitHub, GitLab: newGitLab, Gitea: newGitea,
	}[repository.Kind]
	if !known {
		return nil, fmt.Errorf("%s: the kind of forge is unknown", repository.Web)
	}
	connected, err := connect(repository, c.httpClient(repository), c.Token)
	return numbered{connected}, err
}

// numbered is a forge's API whose pull requests have numbers: an answer without one, such as {}, is none.
type numbered struct{ api }

func (n numbered) list(ctx context.Context, head string, open bool) ([]*pull, error) {
	found, err := n.api.list(ctx, head, open)
	for _, one := range found {
		err = errors.Join(err, one.check())
	}
	return found, err
}

func (n numbered) put(ctx context.Context, before *pull, request Request) (*pull, error) {
	made, err := n.api.put(ctx, before, request)
	if err == nil {
		err = made.check()
	}
	return made, err
}

func (p *pull) check() error {
	if p.number < 1 {
		return &answerError{"the forge's answer has no pull request with a number"}
	}
	return nil
}

// settle returns the open pull request for a branch, or one that a person closed at the same commit. Of several that
// are open it closes those of this request but the oldest: Gitea lets two runs open one at the same moment, and may
// have opened one that it answers with an error.
func settle(ctx context.Context, forge api, request Request) (open, declined *pull, err error) {
	found, err := forge.list(ctx, request.Head, true)
	if err != nil {
		return nil, nil, err
	}
	if len(found) > 0 || request.UpdateOnly {
		open = choose(found, request.Base)
		request.closed = true
		for _, one := range found {
			if one != open && request.matches(one) {
				if _, err := forge.put(ctx, one, request); err != nil {
					return nil, nil, err
				}
			}
		}
		return open, nil, nil
	}
	found, err = forge.list(ctx, request.Head, false)
	for _, one := range found {
		if one.commit == request.Commit && !one.merged {
			return nil, one, nil
		}
	}
	return nil, nil, err
}

// attemptOnce tries once: it looks, then does what is missing.
func attemptOnce(ctx context.Context, forge api, request Request) (*Opened, error) {
	open, declined, err := settle(ctx, forge, request)
	if err != nil {
		return nil, err
	}
	opened := &Opened{Outcome: Unchanged}
	switch {
	case open == nil && request.UpdateOnly:
		return &Opened{Outcome: Nothing}, nil
	case open == nil && declined != nil:
		return &Opened{Outcome: Declined, URL: oneLine(declined.page), Number: declined.number}, nil
	case open == nil:
		opened.Outcome = Created
		if open, err = forge.put(ctx, nil, request); err == nil {
			err = giveWay(ctx, forge, request, open)
		}
	case !request.matches(open):
		opened.Outcome = Updated
		open, err = forge.put(ctx, open, request)
	}
	if err != nil {
		return nil, err
	}
	opened.URL, opened.Number = oneLine(open.page), open.number
	var wanted []string
	for _, label := range request.Labels {
		if !slices.Contains(open.labels, label) && !slices.Contains(wanted, label) {
			wanted = append(wanted, label)
		}
	}
	if len(wanted) > 0 {
		missing, err := forge.label(ctx, open, wanted)
		for _, label := range missing {
			opened.Warnings = append(opened.Warnings, redact.Sprintf("label %q: the repository has no such label", label))
		}
		if _, again := retry(err); again {
			return nil, err
		}
		if err != nil {
			opened.Warnings = append(opened.Warnings, "labels: "+oneLine(err.Error()))
		}
	}
	return opened, nil
}

// giveWay looks again after a pull request was opened. Where another run has an older one, the next try continues with
// that.
func giveWay(ctx context.Context, forge api, request Request, made *pull) error {
	first, _, err := settle(ctx, forge, request)
	if err != nil || first == nil || first.number >= made.number || first.base != made.base {
		return err
	}
	return &apiError{status: http.StatusConflict, message: "another run was faster"}
}

// matches reports whether an open pull request equals the request.
func (r *Request) matches(open *pull) bool {
	if r.Marker != "" && open.base == r.Base {
		return strings.Contains(open.body, r.Marker)
	}
	return open.title == r.Title && normalized(open.body) == normalized(r.Body) && open.base == r.Base
}

// normalized returns a body as it compares: forges change line ends, and blanks at the end.
func normalized(body string) string {
	return strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
}

// choose takes the pull request for the base that is asked for, else the oldest.
func choose(pulls []*pull, base string) *pull {
	var chosen *pull
	for _, one := range pulls {
		switch {
		case chosen == nil,
			one.base == base && chosen.base != base,
			(one.base == base) == (chosen.base == base) && one.number < chosen.number:
			chosen = one
		}
	}
	return chosen
}
