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
)

// Request is the pull request that there shall be.
type Request struct {
	Base, Head string // branches of one repository
	Commit     string // the tip of Head, in hex
	Title      string // cut to 255 characters, which every forge takes
	Body       string // markdown
	Labels     []string
	// Stamp is a part of Body that tells this proposal from others. An open pull request whose body has it is up to
	// date, whatever else was written there since. Empty: every difference is an update.
	Stamp string
	// UpdateOnly: Head has nothing that Base has not. An open pull request is updated, and none is opened.
	UpdateOnly bool
}

// Did says what became of a request.
type Did string

// What Open does.
const (
	Created   Did = "opened"
	Updated   Did = "updated"
	Unchanged Did = "up to date"
	Declined  Did = "closed by somebody" // with this commit: it is not opened again
	Nothing   Did = "not needed"         // UpdateOnly, and none is open
)

// Opened is what Open did.
type Opened struct {
	Did      Did
	URL      string // the pull request's page; empty for Nothing
	Number   int64
	Warnings []string // labels that could not be set
}

// Client talks to forges. The zero value has no token, which no forge takes.
type Client struct {
	// HTTP has the certificates, the proxy and the like. nil: Go's own.
	HTTP *http.Client
	// Token is sent to the forge's API and to nowhere else.
	Token string
	// TokenName is what messages call the token: the environment variable that it came from.
	TokenName string
	// Patience is how long to go on when a forge is busy. Zero: two minutes.
	Patience time.Duration
}

// pull is a pull request as a forge has it.
type pull struct {
	number            int64
	page              string
	title, body, base string
	labels            []string
}

// api is what is needed of a forge's API. Errors are *apiError where the forge has answered.
type api interface {
	// find gives the open pull request for a branch, or one that a person closed at the same commit.
	find(context.Context, Request) (open, declined *pull, err error)
	create(context.Context, Request) (*pull, error)
	update(context.Context, *pull, Request) (*pull, error)
	close(context.Context, *pull) error
	// label adds labels, and gives those that it could not.
	label(context.Context, *pull, []string) (missing []string, err error)
}

// attemptTimeout bounds one try, which is a few requests.
const attemptTimeout = 40 * time.Second

// maxTitle is GitLab's and Gitea's limit; GitHub has 256.
const maxTitle = 255

// Open makes the pull request be there once, with the title, the body and the labels asked for. When the forge is
// busy (429, 5xx) or cannot be reached it looks again and goes on from what it finds, so that a request whose answer
// was lost does not open a second one.
func (c *Client) Open(ctx context.Context, place Place, request Request) (*Opened, error) {
	if c.Token == "" {
		return nil, fmt.Errorf("%s: no token", place.Web)
	}
	request.Title = cut(plain(request.Title), maxTitle)
	if request.Title == "" || request.Base == "" || request.Head == "" || request.Base == request.Head {
		return nil, errors.New("pull request: want a title and two branches")
	}
	forge, err := c.connect(place)
	if err != nil {
		return nil, err
	}
	patience := c.Patience
	if patience == 0 {
		patience = 2 * time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	deadline, _ := ctx.Deadline()
	var last error
	attempt := func() (*Opened, error) {
		attempt, cancel := context.WithTimeout(ctx, attemptTimeout)
		defer cancel()
		opened, err := once(attempt, forge, request)
		if err == nil {
			return opened, nil
		}
		last = err
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
	opened, err := backoff.Retry(ctx, attempt, backoff.WithBackOff(steps), backoff.WithMaxElapsedTime(patience))
	if err != nil {
		if last == nil {
			last = err
		}
		return nil, c.explain(place, last)
	}
	return opened, nil
}

func (c *Client) connect(place Place) (api, error) {
	wire := c.wire(place)
	switch place.Kind {
	case GitHub:
		return newGitHub(place, wire, c.Token)
	case GitLab:
		return newGitLab(place, wire, c.Token)
	case Gitea:
		return newGitea(place, wire, c.Token)
	}
	return nil, fmt.Errorf("%s: the kind of forge is unknown", place.Web)
}

// once is one try: look, then do what is missing.
func once(ctx context.Context, forge api, request Request) (*Opened, error) {
	open, declined, err := forge.find(ctx, request)
	if err != nil {
		return nil, err
	}
	opened := &Opened{Did: Unchanged}
	switch {
	case open == nil && request.UpdateOnly:
		return &Opened{Did: Nothing}, nil
	case open == nil && declined != nil:
		return &Opened{Did: Declined, URL: plain(declined.page), Number: declined.number}, nil
	case open == nil:
		opened.Did = Created
		if open, err = forge.create(ctx, request); err == nil {
			err = onlyOne(ctx, forge, request, open)
		}
	case !request.describes(open):
		opened.Did = Updated
		open, err = forge.update(ctx, open, request)
	}
	if err != nil {
		return nil, err
	}
	opened.URL, opened.Number = plain(open.page), open.number
	var wanted []string
	for _, label := range request.Labels {
		if !slices.Contains(open.labels, label) && !slices.Contains(wanted, label) {
			wanted = append(wanted, label)
		}
	}
	if len(wanted) > 0 {
		missing, err := forge.label(ctx, open, wanted)
		for _, label := range missing {
			opened.Warnings = append(opened.Warnings, fmt.Sprintf("label %q: the repository has none of that name", label))
		}
		if _, again := retry(err); again {
			return nil, err
		}
		if err != nil {
			opened.Warnings = append(opened.Warnings, "labels: "+plain(err.Error()))
		}
	}
	return opened, nil
}

// onlyOne looks whether another run has opened a pull request for the branch at the same moment: Gitea takes both. The
// older one stays, and the one that this run has just made is closed again; the next try goes on with the older.
func onlyOne(ctx context.Context, forge api, request Request, made *pull) error {
	first, _, err := forge.find(ctx, request)
	if err != nil || first == nil || first.number >= made.number || first.base != made.base {
		return err
	}
	if err := forge.close(ctx, made); err != nil {
		return err
	}
	return &apiError{status: http.StatusConflict, message: "another run was faster"}
}

// describes says that an open pull request says what is asked for.
func (r *Request) describes(open *pull) bool {
	if r.Stamp != "" && open.base == r.Base {
		return strings.Contains(open.body, r.Stamp)
	}
	return open.title == r.Title && text(open.body) == text(r.Body) && open.base == r.Base
}

// text is a body as it compares: forges change line ends, and blanks at the end.
func text(body string) string {
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
