package forge

import (
	"context"
	"errors"
	"net/http"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

// gitLab is api on gitlab.com and on GitLab elsewhere.
// https://docs.gitlab.com/api/merge_requests/
type gitLab struct {
	client *gitlab.Client
	path   string
}

func newGitLab(repository Repository, httpClient *http.Client, token string) (api, error) {
	base, err := repository.apiBase()
	if err != nil {
		return nil, err
	}
	client, err := gitlab.NewClient(token, gitlab.WithBaseURL(base.String()), gitlab.WithHTTPClient(httpClient),
		gitlab.WithoutRetries(), gitlab.WithCustomLimiter(unlimited{}), gitlab.WithUserAgent("sipgen"))
	return &gitLab{client, repository.Path}, err
}

// unlimited keeps the client from asking for the server's limits first: Open waits if necessary.
type unlimited struct{}

func (unlimited) Wait(context.Context) error { return nil }

// list returns the newest.
func (g *gitLab) list(ctx context.Context, head string, open bool) ([]*pull, error) {
	state := "closed"
	if open {
		state = "opened"
	}
	all, response, err := g.client.MergeRequests.ListProjectMergeRequests(g.path, &gitlab.ListProjectMergeRequestsOptions{
		State: &state, SourceBranch: &head, ListOptions: gitlab.ListOptions{PerPage: 100},
	}, gitlab.WithContext(ctx))
	if err != nil {
		return nil, gitLabError(response, err)
	}
	var own []*pull
	for _, one := range all {
		if one.SourceBranch == head && one.SourceProjectID == one.TargetProjectID {
			own = append(own, gitLabPull(one))
		}
	}
	return own, nil
}

func (g *gitLab) put(ctx context.Context, before *pull, request Request) (*pull, error) {
	var made *gitlab.MergeRequest
	var response *gitlab.Response
	var err error
	if before == nil {
		made, response, err = g.client.MergeRequests.CreateMergeRequest(g.path, &gitlab.CreateMergeRequestOptions{
			Title: &request.Title, Description: &request.Body, SourceBranch: &request.Head, TargetBranch: &request.Base,
		}, gitlab.WithContext(ctx))
	} else {
		edit := &gitlab.UpdateMergeRequestOptions{Title: &request.Title, Description: &request.Body}
		if before.base != request.Base {
			edit.TargetBranch = &request.Base
		}
		if event := "close"; request.closed {
			edit.StateEvent = &event
		}
		made, response, err = g.client.MergeRequests.UpdateMergeRequest(g.path, before.number, edit, gitlab.WithContext(ctx))
	}
	if err != nil {
		return nil, gitLabError(response, err)
	}
	return gitLabPull(&made.BasicMergeRequest), nil
}

// label adds labels; GitLab makes those that the project does not have.
func (g *gitLab) label(ctx context.Context, open *pull, labels []string) ([]string, error) {
	wanted := gitlab.LabelOptions(labels)
	_, response, err := g.client.MergeRequests.UpdateMergeRequest(g.path, open.number,
		&gitlab.UpdateMergeRequestOptions{AddLabels: &wanted}, gitlab.WithContext(ctx))
	if err != nil {
		return nil, gitLabError(response, err)
	}
	return nil, nil
}

func gitLabPull(one *gitlab.BasicMergeRequest) *pull {
	return &pull{number: one.IID, page: one.WebURL, title: one.Title, body: one.Description, base: one.TargetBranch,
		commit: one.SHA, labels: one.Labels}
}

// gitLabError takes the forge's words out of the library's error, which has the request in it.
func gitLabError(response *gitlab.Response, err error) error {
	var refused *gitlab.ErrorResponse
	switch {
	case errors.As(err, &refused):
		return responseError(refused.Response, refused.Message, err)
	case response != nil:
		return responseError(response.Response, err.Error(), err)
	}
	return err
}
