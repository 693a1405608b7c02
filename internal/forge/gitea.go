package forge

import (
	"context"
	"net/http"
	"strings"

	"code.gitea.io/sdk/gitea"
)

// giteaAPI is api on Gitea and Forgejo.
// https://docs.gitea.com/api/
type giteaAPI struct {
	web         string
	options     []gitea.ClientOption
	owner, name string
}

func newGitea(repository Repository, httpClient *http.Client, token string) (api, error) {
	owner, name, _ := strings.Cut(repository.Path, "/")
	return &giteaAPI{web: repository.Web, owner: owner, name: name, options: []gitea.ClientOption{
		gitea.SetHTTPClient(httpClient), gitea.SetToken(token), gitea.SetUserAgent("sipgen"),
		gitea.SetGiteaVersion(""), // do not ask for it: what is used here is older than any that runs
	}}, nil
}

// client returns a new client each time, because a client keeps its context.
func (g *giteaAPI) client(ctx context.Context) (*gitea.Client, error) {
	return gitea.NewClient(g.web, append([]gitea.ClientOption{gitea.SetContext(ctx)}, g.options...)...)
}

// openPages and closedPages bound the lists of pull requests, 50 a page, the last changed first.
const (
	openPages   = 1_000
	closedPages = 4
)

// list looks through all pull requests: the API does not look for a branch.
func (g *giteaAPI) list(ctx context.Context, head string, open bool) ([]*pull, error) {
	client, err := g.client(ctx)
	if err != nil {
		return nil, err
	}
	state, pages := gitea.StateOpen, openPages
	if !open {
		state, pages = gitea.StateClosed, closedPages
	}
	var own []*pull
	for page := 1; page <= pages; page++ {
		all, response, err := client.ListRepoPullRequests(g.owner, g.name, gitea.ListPullRequestsOptions{
			ListOptions: gitea.ListOptions{Page: page, PageSize: 50}, State: state, Sort: "recentupdate",
		})
		if err != nil {
			return nil, giteaError(response, err)
		}
		for _, one := range all {
			if one.Head != nil && one.Base != nil && one.Head.Ref == head && one.Head.RepoID == one.Base.RepoID {
				own = append(own, giteaPull(one))
			}
		}
		if len(all) == 0 || response.NextPage == 0 {
			break
		}
	}
	return own, nil
}

func (g *giteaAPI) put(ctx context.Context, before *pull, request Request) (*pull, error) {
	client, err := g.client(ctx)
	if err != nil {
		return nil, err
	}
	var made *gitea.PullRequest
	var response *gitea.Response
	if before == nil {
		made, response, err = client.CreatePullRequest(g.owner, g.name, gitea.CreatePullRequestOption{
			Head: request.Head, Base: request.Base, Title: request.Title, Body: request.Body,
		})
	} else {
		edit := gitea.EditPullRequestOption{Title: request.Title, Body: &request.Body}
		if before.base != request.Base {
			edit.Base = request.Base
		}
		if closed := gitea.StateClosed; request.closed {
			edit.State = &closed
		}
		made, response, err = client.EditPullRequest(g.owner, g.name, before.number, edit)
	}
	if err != nil {
		return nil, giteaError(response, err)
	}
	return giteaPull(made), nil
}

// labelPages bounds the list of a repository's labels, 50 a page.
const labelPages = 100

// label adds the labels that the repository or its organization has: Gitea identifies them by numbers.
func (g *giteaAPI) label(ctx context.Context, open *pull, labels []string) ([]string, error) {
	client, err := g.client(ctx)
	if err != nil {
		return nil, err
	}
	numbers := map[string]int64{}
	for page := 1; page != 0 && page <= labelPages; {
		all, response, err := client.ListRepoLabels(g.owner, g.name,
			gitea.ListLabelsOptions{ListOptions: gitea.ListOptions{Page: page, PageSize: 50}})
		if err != nil {
			return nil, giteaError(response, err)
		}
		for _, label := range all {
			numbers[label.Name] = label.ID
		}
		page = response.NextPage
	}
	// A user has no such labels, and the answer is 404.
	if all, _, err := client.ListOrgLabels(g.owner, gitea.ListOrgLabelsOptions{}); err == nil {
		for _, label := range all {
			numbers[label.Name] = label.ID
		}
	}
	var (
		missing []string
		add     []int64
	)
	for _, label := range labels {
		if number, found := numbers[label]; found {
			add = append(add, number)
		} else {
			missing = append(missing, label)
		}
	}
	if len(add) == 0 {
		return missing, nil
	}
	if _, response, err := client.AddIssueLabels(g.owner, g.name, open.number,
		gitea.IssueLabelsOption{Labels: add}); err != nil {
		return missing, giteaError(response, err)
	}
	return missing, nil
}

func giteaPull(one *gitea.PullRequest) *pull {
	made := &pull{number: one.Index, page: one.HTMLURL, title: one.Title, body: one.Body, merged: one.HasMerged}
	if one.Head != nil {
		made.commit = one.Head.Sha
	}
	if one.Base != nil {
		made.base = one.Base.Ref
	}
	for _, label := range one.Labels {
		made.labels = append(made.labels, label.Name)
	}
	return made
}

// giteaError adds the status, which the library's error does not have.
func giteaError(response *gitea.Response, err error) error {
	if response == nil {
		return err
	}
	return responseError(response.Response, err.Error(), err)
}
