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

// list returns the newest.
func (g *gitHub) list(ctx context.Context, head string, open bool) ([]*pull, error) {
	state := "closed"
	if open {
		state = "open"
	}
	all, response, err := g.client.PullRequests.List(ctx, g.owner, g.name, &github.PullRequestListOptions{
		State: state, Head: g.owner + ":" + head, ListOptions: github.ListOptions{PerPage: 100},
	})
	if err != nil {
		return nil, gitHubError(response, err)
	}
	var own []*pull
	for _, one := range all {
		if one.GetHead().GetRef() == head && one.GetHead().GetRepo().GetID() == one.GetBase().GetRepo().GetID() {
			own = append(own, gitHubPull(one))
		}
	}
	return own, nil
}

func (g *gitHub) put(ctx context.Context, before *pull, request Request) (*pull, error) {
	var made *github.PullRequest
	var response *github.Response
	var err error
	if before == nil {
		made, response, err = g.client.PullRequests.Create(ctx, g.owner, g.name, &github.NewPullRequest{
			Title: &request.Title, Head: &request.Head, Base: &request.Base, Body: &request.Body,
		})
	} else {
		edit := &github.PullRequest{Title: &request.Title, Body: &request.Body}
		if before.base != request.Base {
			edit.Base = &github.PullRequestBranch{Ref: &request.Base}
		}
		if closed := "closed"; request.closed {
			edit.State = &closed
		}
		made, response, err = g.client.PullRequests.Edit(ctx, g.owner, g.name, int(before.number), edit)
	}
	if err != nil {
		return nil, gitHubError(response, err)
	}
	return gitHubPull(made), nil
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
	made := &pull{
		number: int64(one.GetNumber()), page: one.GetHTMLURL(), title: one.GetTitle(), body: one.GetBody(),
		base:   one.GetBase().GetRef(),
		commit: one.GetHead().GetSHA(), merged: one.MergedAt != nil,
	}
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
