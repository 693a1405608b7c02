package push

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/internal/forge"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/publish"
)

// The names that GitOps Promoter's contract for hydrators has, and that Argo CD's own hydrator uses.
// https://gitops-promoter.readthedocs.io/ "Building a Custom Hydrator"
const (
	hydratorFile  = "hydrator.metadata"
	hydratorNotes = "refs/notes/hydrator.metadata"
)

// hydrator is the flags that tell GitOps Promoter which commit of the specs a tree was made from.
type hydrator struct {
	file   string
	drySHA string
}

func (h *hydrator) flags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&h.file, "hydrator-metadata", "",
		"record for GitOps Promoter which commit the specs come from, in this `FILE` of the repository and in a git note")
	flags.Lookup("hydrator-metadata").NoOptDefVal = hydratorFile
	flags.StringVar(&h.drySHA, "dry-sha", "",
		"the `COMMIT` that the specs come from (default: the one checked out where --site and -f are)")
}

// metadata is the file, with the fields of the contract.
type metadata struct {
	DrySHA  string `json:"drySha"`
	RepoURL string `json:"repoURL,omitempty"`
	Author  string `json:"author,omitempty"`
	Date    string `json:"date,omitempty"`
	Subject string `json:"subject,omitempty"`
	Body    string `json:"body,omitempty"`
}

var fullHash = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// add puts the file and the note into what a commit carries. paths are the files that the tree is made from.
func (h *hydrator) add(meta *publish.Meta, paths []string) error {
	switch {
	case h.file == "" && h.drySHA == "":
		return nil
	case h.file == "":
		return errors.New("--dry-sha: needs --hydrator-metadata")
	case path.Base(h.file) != hydratorFile || path.Clean(h.file) != h.file || strings.HasPrefix(h.file, "/"):
		return redact.Errorf("--hydrator-metadata: found %q, want %s, or FOLDER/%s", h.file, hydratorFile, hydratorFile)
	case h.drySHA != "" && !fullHash.MatchString(h.drySHA):
		return redact.Errorf("--dry-sha: found %q, want a whole commit hash, 40 or 64 digits", h.drySHA)
	}
	about := metadata{DrySHA: h.drySHA}
	if h.drySHA == "" {
		for _, path := range paths {
			if path == "-" || path == "cluster" {
				return redact.Errorf("--hydrator-metadata: the specs come from %q, which is not in a commit: --dry-sha is "+
					"required", path)
			}
		}
		source, err := publish.SourceOf(paths)
		if err != nil {
			return fmt.Errorf("--hydrator-metadata: %w", err)
		}
		about = metadata{
			DrySHA: source.Commit, RepoURL: repositoryPage(source.Remote), Author: source.Author,
			Date: source.When.Format(time.RFC3339), Subject: source.Subject, Body: source.Body,
		}
	}
	var text, note bytes.Buffer
	readable := json.NewEncoder(&text)
	readable.SetEscapeHTML(false)
	readable.SetIndent("", "  ")
	if err := errors.Join(readable.Encode(about),
		json.NewEncoder(&note).Encode(metadata{DrySHA: about.DrySHA})); err != nil {
		return err
	}
	meta.ExtraFiles = publish.Tree{h.file: text.Bytes()}
	meta.Note = &publish.Note{Ref: hydratorNotes, Text: note.String()}
	meta.Trailers = append(meta.Trailers, publish.Trailer{Key: "Dry-Commit", Value: about.DrySHA})
	return nil
}

// repositoryPage returns a remote as the promoter's page links to it, "" for a folder of this machine.
func repositoryPage(remote string) string {
	kind, err := forge.KindOf(remote, "auto")
	if err != nil {
		return ""
	}
	repository, found, err := forge.Locate(remote, kind, "")
	if err != nil || !found {
		return ""
	}
	return repository.String()
}
