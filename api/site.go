package api

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/api/v1alpha1/validation"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// LoadSite reads the one Site of a file, or of stdin for "-", decodes it strictly, sets its defaults and validates
// it. The error joins all problems, each with its file, line and field; with an error there is no Site. A service
// without a spec is in Missing: see CompleteSite.
func LoadSite(file string, stdin io.Reader) (*v1alpha1.Site, error) {
	if about, err := os.Stat(file); err == nil && about.IsDir() {
		return nil, isFolder(file)
	}
	docs, err := manifest.Read([]string{file}, stdin)
	if err != nil {
		return nil, err
	}
	return siteFromFile(file, docs)
}

// isFolder returns the error for a folder in place of the Site's file, and names the file in it that is probably
// meant.
func isFolder(folder string) error {
	for _, name := range []string{"site.yaml", "site.yml", "site.json"} {
		if about, err := os.Stat(filepath.Join(folder, name)); err == nil && about.Mode().IsRegular() {
			return redact.Errorf("%s: a folder, want the Site's file: did you mean %s?", folder,
				filepath.Join(folder, name))
		}
	}
	return redact.Errorf("%s: a folder, want the Site's file, and there is neither site.yaml nor a kustomization in it",
		folder)
}

// ParseSite is LoadSite for the text of a file, YAML or JSON. file is its name in problems.
func ParseSite(file string, text []byte) (*v1alpha1.Site, error) {
	docs, err := manifest.Parse(file, text)
	if err != nil {
		return nil, err
	}
	return siteFromFile(file, docs)
}

// siteFromFile is SiteFromDocuments with the file's name in front of an error that names no place yet.
func siteFromFile(file string, docs []manifest.Document) (*v1alpha1.Site, error) {
	site, err := SiteFromDocuments(docs)
	var problem *manifest.Problem
	if err != nil && !errors.As(err, &problem) {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return site, err
}

// IsSite reports whether a document is a Site.
func IsSite(doc manifest.Document) bool {
	return doc.Kind == v1alpha1.Kind && doc.APIVersion == v1alpha1.APIVersion
}

// SiteFromDocuments decodes, defaults and validates the one Site among docs. Services without a spec take it from
// the manifests among docs. Other kinds, no Site and a second Site are problems.
func SiteFromDocuments(docs []manifest.Document) (*v1alpha1.Site, error) {
	var (
		site     *v1alpha1.Site
		problems manifest.Problems
	)
	var manifests []*manifest.Document
	for i := range docs {
		if IsManifest(&docs[i]) {
			manifests = append(manifests, &docs[i])
		}
	}
	known := func(doc manifest.Document) bool { return IsSite(doc) || IsManifest(&doc) }
	if at := slices.IndexFunc(docs, func(doc manifest.Document) bool { return !known(doc) }); at >= 0 {
		doc, more := &docs[at], ""
		switch others := len(slices.DeleteFunc(slices.Clone(docs), known)) - 1; others {
		case 0:
		case 1:
			more = "; another document is not a Site either"
		default:
			more = fmt.Sprintf("; %d other documents are not Sites either", others)
		}
		problems.Add(doc.Problem("", "found %s %s, want %s %s%s", redact.Plain(doc.APIVersion),
			redact.Plain(doc.Kind), v1alpha1.APIVersion, v1alpha1.Kind, more))
	}
	for i := range docs {
		doc := &docs[i]
		if !IsSite(*doc) {
			continue
		}
		if site != nil {
			problems.Add(doc.Problem("", "a second Site, want one"))
			continue
		}
		site = &v1alpha1.Site{Document: doc, Documents: docs}
		if err := doc.Decode(site); err != nil {
			problems.Add(err)
			continue
		}
		open := map[string]string{}
		add := func(path, format string, args ...any) {
			if open[path] == "" {
				problems.Add(site.Problem(path, format, args...))
			}
		}
		readManifests(site, manifests, add)
		open = openSecrets(site)
		// These say by themselves what to do.
		delete(open, "spec.repository.url")
		delete(open, "spec.argocd.server")
		for _, path := range slices.Sorted(maps.Keys(open)) {
			problems.Add(site.Problem(path,
				"%s in plain text: git would keep it for ever; put it in the environment, a file or a Secret, and "+
					"replace the exposed value wherever it is in use", open[path]))
		}
		checkNoValues(doc.JSON, add)
		if len(site.Missing) == 0 {
			readIronic(site, add)
			readVinos(site, add)
			readPlacement(site, add)
		}
		site.Default()
		validation.ValidateSite(site, add)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if site == nil {
		return nil, fmt.Errorf("no %s %s in it", v1alpha1.APIVersion, v1alpha1.Kind)
	}
	return site, nil
}
