package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/publish"
)

// previous is the flags that name the tree as it was: a folder, or a branch of a repository.
type previous struct {
	dir string
	git repository
}

func (p *previous) flags(command *cobra.Command) {
	command.Flags().StringVar(&p.dir, "previous", "", "the tree as it was: a `DIR` that sipgen render wrote")
	p.git.flags(command)
}

// read gives the tree as it was, empty where none is named.
func (p *previous) read(ctx context.Context) (previousTree, error) {
	switch {
	case p.dir != "" && p.git.url != "":
		return previousTree{}, errors.New("--previous and --repo: want one of them")
	case p.dir != "":
		files, err := publish.ReadDir(p.dir)
		return previousTree{where: p.dir, files: files}, err
	case p.git.url != "":
		target := p.git.target()
		snapshot, err := publish.Read(ctx, target)
		if err != nil {
			return previousTree{}, err
		}
		return previousTree{where: target.String(), files: snapshot.Tree}, nil
	}
	return previousTree{}, nil
}

// repository is the flags that name a repository, a branch and a folder in it.
type repository struct {
	url, branch, path string
}

func (r *repository) flags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&r.url, "repo", "", "the git repository: a path, or a file, ssh or https `URL`")
	flags.StringVar(&r.branch, "branch", "main", "its branch")
	flags.StringVar(&r.path, "path", "", "the tree's folder in the repository (default the Site's)")
}

func (r *repository) target() publish.Target {
	return publish.Target{URL: r.url, Branch: r.branch, Path: r.path}
}
