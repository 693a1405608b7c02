package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/kustomization"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/takeover"
	"github.com/airshipit/sipgen/internal/text"
)

// Installation reads SIP's specs and services.
func Installation(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs,
	site *v1alpha1.Site) (*takeover.Installation, error) {
	got := &takeover.Installation{Engine: site.Spec.Engine}
	var files []string
	var docs []manifest.Document
	for _, path := range in.Specs {
		if path != app.FromCluster {
			files = append(files, path)
			continue
		}
		var err error
		if docs, err = in.ClusterSpecs(ctx); err != nil {
			return nil, err
		}
		if got.Objects, err = in.LiveServices(ctx); err != nil {
			return nil, err
		}
	}
	if len(files) > 0 {
		read, err := kustomization.Specs(files, ui.In, nil)
		if err != nil {
			return nil, err
		}
		got.Objects = append(got.Objects, takeover.Objects(read)...)
		docs = append(docs, read...)
	}
	var problems manifest.Problems
	for i := range docs {
		if docs[i].NoKind() {
			problems.Add(docs[i].Problem("kind", "missing, want %q or another object's", v1.Kind))
		}
		if !takeover.IsSIPCluster(&docs[i]) {
			continue
		}
		spec, err := takeover.Convert(&docs[i])
		problems.Add(err)
		got.Specs = append(got.Specs, spec)
	}
	return got, problems.Err()
}

// WriteSpecs writes a file for each loaded spec.
func WriteSpecs(ui *terminal.UI, dir string, specs []*takeover.Converted) error {
	if dir == "" {
		return nil
	}
	var errs []error
	written := 0
	for _, spec := range specs {
		if spec.Cluster == nil {
			ui.Say("%s: not written, sipgen does not read it yet", spec.Key())
			continue
		}
		path := filepath.Join(dir, spec.Cluster.Namespace, spec.Cluster.Name+".yaml")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), writeNew(path, spec.YAML)); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", spec.Key(), err))
			continue
		}
		written++
	}
	if written > 0 {
		ui.Done = text.Plural(written, "spec is", "specs are") + " written to " + dir
		ui.Say("written to %s; move one file at a time into your specs", dir)
	}
	return errors.Join(errs...)
}
