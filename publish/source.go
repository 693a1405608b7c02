package publish

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// Source is the commit that files in a git checkout are of.
type Source struct {
	Commit  string // in hex
	Author  string // "Name <address>"
	When    time.Time
	Subject string
	Body    string // without the subject
	Remote  string // the URL of the remote origin without credentials; empty where there is none
}

// SourceOf returns the commit that is checked out where the paths are, files and folders of one checkout. It is an
// error if a file there is not as the commit has it: then the files are of no commit.
func SourceOf(paths []string) (*Source, error) {
	if len(paths) == 0 {
		return nil, errors.New("no files")
	}
	first, err := filepath.Abs(folderOf(paths[0]))
	if err != nil {
		return nil, err
	}
	checkout, found := findCheckout(first)
	if !found {
		return nil, fmt.Errorf("%s: not in a git checkout", paths[0])
	}
	repository, err := openRepository(checkout)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", checkout, err)
	}
	head, err := storer.ResolveReference(repository, plumbing.HEAD)
	if err != nil {
		return nil, fmt.Errorf("%s: HEAD: %w", paths[0], err)
	}
	commit, err := object.GetCommit(repository, head.Hash())
	if err != nil {
		return nil, fmt.Errorf("commit %s: %w", head.Hash(), err)
	}
	root, err := filepath.EvalSymlinks(checkout)
	if err != nil {
		return nil, err
	}
	tree, err := commit.Tree()
	if err != nil {
		return nil, err
	}
	var problems []error
	for _, path := range paths {
		problems = append(problems, checkCommitted(commit.Hash, tree, root, path))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	subject, body, _ := strings.Cut(strings.TrimSpace(commit.Message), "\n")
	source := &Source{
		Commit: commit.Hash.String(), Author: fmt.Sprintf("%s <%s>", text.Line(commit.Author.Name),
			text.Line(commit.Author.Email)),
		When: commit.Author.When, Subject: text.Line(subject), Body: strings.TrimSpace(text.Block(body)),
	}
	settings, err := repository.Config()
	if err != nil {
		return nil, err
	}
	if origin := settings.Remotes["origin"]; origin != nil && len(origin.URLs) > 0 {
		source.Remote = redact.URL(origin.URLs[0])
	}
	return source, nil
}

func folderOf(path string) string {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return filepath.Dir(path)
	}
	return path
}

// checkCommitted returns which files at a path are not as the commit has them.
func checkCommitted(commit plumbing.Hash, tree *object.Tree, root, path string) error {
	full, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if full, err = filepath.EvalSymlinks(full); err != nil {
		return err
	}
	var problems []error
	err = filepath.WalkDir(full, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return filepath.SkipDir
		}
		if !entry.Type().IsRegular() || name != full &&
			!slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) {
			return nil // not read from a folder
		}
		inside, err := filepath.Rel(root, name)
		if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
			return fmt.Errorf("%s: outside of the checkout %s", name, root)
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		there, err := tree.FindEntry(filepath.ToSlash(inside))
		switch {
		case err != nil:
			problems = append(problems, fmt.Errorf("%s: not in commit %s: commit it first", inside, commit))
		case there.Hash != plumbing.ComputeHash(plumbing.BlobObject, content) &&
			// As core.autocrlf and the attribute eol check out; to git and to YAML it is the same text.
			there.Hash != plumbing.ComputeHash(plumbing.BlobObject, bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))):
			problems = append(problems, fmt.Errorf("%s: not as commit %s has it: commit it first", inside, commit))
		}
		return nil
	})
	return errors.Join(append(problems, err)...)
}
