package v1alpha1

import (
	"fmt"
	"maps"
	"slices"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// FromDocuments decodes, defaults and validates the one Site among docs. Other kinds, no Site
// and a second Site are problems, since a site's file is given by name.
func FromDocuments(docs []manifest.Document) (*Site, error) {
	var (
		site     *Site
		problems manifest.Problems
	)
	for i := range docs {
		doc := &docs[i]
		if doc.Kind != Kind || doc.APIVersion != APIVersion {
			problems.Add(doc.Problem("", "found %s %s, want %s %s", redact.Plain(doc.APIVersion), redact.Plain(doc.Kind), APIVersion, Kind))
			continue
		}
		if site != nil {
			problems.Add(doc.Problem("", "a second Site, want one"))
			continue
		}
		site = &Site{}
		if err := doc.Decode(site); err != nil {
			problems.Add(err)
			continue
		}
		open := doc.OpenSecrets()
		// These say by themselves what to do.
		delete(open, repositoryURL)
		delete(open, "spec.argocd.server")
		for _, path := range slices.Sorted(maps.Keys(open)) {
			problems.Add(doc.Problem(path, "%s in the open: it would be in git for ever; want it in the environment, a file or a Secret, and this one replaced where it is used", open[path]))
		}
		site.Default()
		site.validate(func(path, format string, args ...any) {
			if open[path] == "" {
				problems.Add(doc.Problem(path, format, args...))
			}
		})
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if site == nil {
		return nil, fmt.Errorf("no %s %s in it", APIVersion, Kind)
	}
	return site, nil
}
