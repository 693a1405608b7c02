package forge

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/google/go-github/v84/github"
)

// gitHub is api on github.com and on GitHub Enterprise.
// https://docs.github.com/en/rest/pulls/pulls
type gitHub struct {
	client      *github.Client
	owner, name string
}

func newGitHub(repository Repository, httpClient *http.Client, token string) (api, error) {
	client := github.NewClient(httpClient).WithAuthToken(token)
	base, err := repository.apiBase()
	if err != nil {
		return nil, err
	}
	client.BaseURL, client.UserAgent = base, "sipgen"
	owner, name, _ := strings.Cut(repository.Path, "/")
	return &gitHub{client, owner, name}, nil
}

func (g *gitHub) find(ctx context.Context, request Request) (open, declined *pull, err error) {
	found, err := g.list(ctx, request, "open")
	if err != nil || len(found) > 0 || request.UpdateOnly {
		return g.choose(found, request), nil, err
	}
	found, err = g.list(ctx, request, "closed")
	for _, one := range found {
		if one.GetHead().GetSHA() == request.Commit && one.MergedAt == nil {
			return nil, gitHubPull(one), nil
		}
	}
	return nil, nil, err
}

// list gives the newest pull requests from a branch of this repository; a fork may have one of the same name.
func (g *gitHub) list(ctx context.Context, request Request, state string) ([]*github.PullRequest, error) {
	all, response, err := g.client.PullRequests.List(ctx, g.owner, g.name, &github.PullRequestListOptions{
		State: state, Head: g.owner + ":" + request.Head, ListOptions: github.ListOptions{PerPage: 100},
	})
	if err != nil {
		return nil, gitHubError(response, err)
	}
	var own []*github.PullRequest
	for _, one := range all {
		if one.GetHead().GetRef() == request.Head && one.GetHead().GetRepo().GetID() == one.GetBase().GetRepo().GetID() {
			own = append(own, one)
		}
	}
	return own, nil
}

func (g *gitHub) choose(found []*github.PullRequest, request Request) *pull {
	var pulls []*pull
	for _, one := range found {
		pulls = append(pulls, gitHubPull(one))
	}
	return choose(pulls, request.Base)
}

func (g *gitHub) create(ctx context.Context, request Request) (*pull, error) {
	made, response, err := g.client.PullRequests.Create(ctx, g.owner, g.name, &github.NewPullRequest{
		Title: &request.Title, Head: &request.Head, Base: &request.Base, Body: &request.Body,
	})
	if err != nil {
		return nil, gitHubError(response, err)
	}
	return gitHubPull(made), nil
}

func (g *gitHub) update(ctx context.Context, open *pull, request Request) (*pull, error) {
	edit := &github.PullRequest{Title: &request.Title, Body: &request.Body}
	if open.base != request.Base {
		edit.Base = &github.PullRequestBranch{Ref: &request.Base}
	}
	made, response, err := g.client.PullRequests.Edit(ctx, g.owner, g.name, int(open.number), edit)
	if err != nil {
		return nil, gitHubError(response, err)
	}
	return gitHubPull(made), nil
}

func (g *gitHub) close(ctx context.Context, made *pull) error {
	closed := "closed"
	_, response, err := g.client.PullRequests.Edit(ctx, g.owner, g.name, int(made.number), &github.PullRequest{State: &closed})
	if err != nil {
		return gitHubError(response, err)
	}
	return nil
}

// label adds labels; GitHub makes those that the repository does not have.
func (g *gitHub) label(ctx context.Context, open *pull, labels []string) ([]string, error) {
	_, response, err := g.client.Issues.AddLabelsToIssue(ctx, g.owner, g.name, int(open.number), labels)
	if err != nil {
		return nil, gitHubError(response, err)
	}
	return nil, nil
}

func gitHubPull(one *github.PullRequest) *pull {
	made := &pull{number: int64(one.GetNumber()), page: one.GetHTMLURL(), title: one.GetTitle(), body: one.GetBody(), base: one.GetBase().GetRef()}
	for _, label := range one.Labels {
		made.labels = append(made.labels, label.GetName())
	}
	return made
}

// gitHubError takes the forge's words out of the library's error, which has the request in it.
func gitHubError(response *github.Response, err error) error {
	var (
		refused *github.ErrorResponse
		limit   *github.RateLimitError
		abuse   *github.AbuseRateLimitError
	)
	switch {
	case errors.As(err, &refused):
		words := []string{refused.Message}
		for _, detail := range refused.Errors {
			if detail.Message != "" {
				words = append(words, detail.Message)
			} else if detail.Field != "" {
				words = append(words, detail.Field+" "+detail.Code)
			}
		}
		return responseError(refused.Response, strings.Join(words, "; "), err)
	case errors.As(err, &limit):
		return responseError(limit.Response, limit.Message, err)
	case errors.As(err, &abuse):
		return responseError(abuse.Response, abuse.Message, err)
	case response != nil:
		return responseError(response.Response, "", err)
	}
	return err
}
