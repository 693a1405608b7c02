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

// unlimited keeps the client from asking for the server's limits first: Open waits where it has to.
type unlimited struct{}

func (unlimited) Wait(context.Context) error { return nil }

func (g *gitLab) find(ctx context.Context, request Request) (open, declined *pull, err error) {
	found, err := g.list(ctx, request, "opened")
	if err != nil || len(found) > 0 || request.UpdateOnly {
		var pulls []*pull
		for _, one := range found {
			pulls = append(pulls, gitLabPull(one))
		}
		return choose(pulls, request.Base), nil, err
	}
	found, err = g.list(ctx, request, "closed")
	for _, one := range found {
		if one.SHA == request.Commit {
			return nil, gitLabPull(one), nil
		}
	}
	return nil, nil, err
}

// list gives the newest merge requests from a branch of this project; a fork may have one of the same name.
func (g *gitLab) list(ctx context.Context, request Request, state string) ([]*gitlab.BasicMergeRequest, error) {
	all, response, err := g.client.MergeRequests.ListProjectMergeRequests(g.path, &gitlab.ListProjectMergeRequestsOptions{
		State: &state, SourceBranch: &request.Head, ListOptions: gitlab.ListOptions{PerPage: 100},
	}, gitlab.WithContext(ctx))
	if err != nil {
		return nil, gitLabError(response, err)
	}
	var own []*gitlab.BasicMergeRequest
	for _, one := range all {
		if one.SourceBranch == request.Head && one.SourceProjectID == one.TargetProjectID {
			own = append(own, one)
		}
	}
	return own, nil
}

func (g *gitLab) create(ctx context.Context, request Request) (*pull, error) {
	made, response, err := g.client.MergeRequests.CreateMergeRequest(g.path, &gitlab.CreateMergeRequestOptions{
		Title: &request.Title, Description: &request.Body, SourceBranch: &request.Head, TargetBranch: &request.Base,
	}, gitlab.WithContext(ctx))
	if err != nil {
		return nil, gitLabError(response, err)
	}
	return gitLabPull(&made.BasicMergeRequest), nil
}

func (g *gitLab) update(ctx context.Context, open *pull, request Request) (*pull, error) {
	edit := &gitlab.UpdateMergeRequestOptions{Title: &request.Title, Description: &request.Body}
	if open.base != request.Base {
		edit.TargetBranch = &request.Base
	}
	made, response, err := g.client.MergeRequests.UpdateMergeRequest(g.path, open.number, edit, gitlab.WithContext(ctx))
	if err != nil {
		return nil, gitLabError(response, err)
	}
	return gitLabPull(&made.BasicMergeRequest), nil
}

func (g *gitLab) close(ctx context.Context, made *pull) error {
	event := "close"
	_, response, err := g.client.MergeRequests.UpdateMergeRequest(g.path, made.number, &gitlab.UpdateMergeRequestOptions{StateEvent: &event}, gitlab.WithContext(ctx))
	if err != nil {
		return gitLabError(response, err)
	}
	return nil
}

// label adds labels; GitLab makes those that the project does not have.
func (g *gitLab) label(ctx context.Context, open *pull, labels []string) ([]string, error) {
	wanted := gitlab.LabelOptions(labels)
	_, response, err := g.client.MergeRequests.UpdateMergeRequest(g.path, open.number, &gitlab.UpdateMergeRequestOptions{AddLabels: &wanted}, gitlab.WithContext(ctx))
	if err != nil {
		return nil, gitLabError(response, err)
	}
	return nil, nil
}

func gitLabPull(one *gitlab.BasicMergeRequest) *pull {
	return &pull{number: one.IID, page: one.WebURL, title: one.Title, body: one.Description, base: one.TargetBranch, labels: one.Labels}
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
