package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/kustomization"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/takeover"
)

func newTakeover(ui *terminal.UI) *cobra.Command {
	var (
		in  cmdline.Inputs
		out string
	)
	command := &cobra.Command{
		Use:   "takeover --site FILE -f cluster [--out DIR]",
		Short: "Convert the specs of the SIP operator, and tell what changes for its services",
		Long: `Convert the SIPClusters of the SIP operator, in any version of SIP's API. Print each tenant's spec
in today's shape, with comments: what became of its fields, what changes for its services, and the
commands that hand its Deployments and Services to the engine. With --out, write the specs to files
instead, one each, and print the comments. Nothing is changed in the cluster.

The steps are in docs/from-sip.md.

Exit codes: 0 done; 1 a spec has to be corrected by hand before sipgen can read it; 2 an error.`,
		Example: `  sipgen takeover --site site.yaml -f cluster --out sip-specs > takeover.txt
  kubectl get sipclusters,deployments,services -A -o yaml --show-managed-fields > sip.yaml
  sipgen takeover --site site.yaml -f sip.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(in.Specs) == 0 {
				return errors.New("--filename is required: the installation, the word cluster or files of it")
			}
			site, err := in.LoadSite(ui.In)
			if err != nil {
				return err
			}
			for _, path := range site.Spec.Inputs.Specs {
				//guard: takeover writes all tenants into the specs, and every run of the site is refused
				if specs := in.Beside(path); out != "" && cmdline.Inside(out, specs) {
					return fmt.Errorf("--out: found %s, want a folder outside %s, which sipgen reads specs from: the next run would be of all tenants at once", out, specs)
				}
			}
			installation, err := installation(cmd.Context(), ui, &in, site)
			if err != nil {
				return err
			}
			if len(installation.Specs) == 0 {
				return errors.New("no SIPCluster found")
			}
			if err := writeSpecs(ui, out, installation.Specs); err != nil {
				return err
			}
			if err := installation.Write(ui.Out, out == ""); err != nil {
				return err
			}
			for _, spec := range installation.Specs {
				if len(spec.Problems) > 0 {
					return errFinding
				}
			}
			return nil
		},
	}
	in.SiteFlag(command)
	flags := command.Flags()
	flags.StringArrayVarP(&in.Specs, "filename", "f", nil, "the installation: a file or folder of its objects, - for standard input, or the word cluster; may be repeated")
	flags.StringVar(&out, "out", "", "a folder for the converted specs, NAMESPACE/NAME.yaml, outside the Site's spec.inputs.specs; existing files are not touched")
	in.ClusterFlags(command)
	return command
}

// installation reads SIP's specs and services.
func installation(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs, site *v1alpha1.Site) (*takeover.Installation, error) {
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
		built, err := kustomization.Of(files, ui.In, nil)
		if err != nil {
			return nil, err
		}
		got.Objects = append(got.Objects, takeover.Objects(built.Documents)...)
		docs = append(docs, built.Documents...)
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

// writeSpecs writes a file for each loaded spec.
func writeSpecs(ui *terminal.UI, dir string, specs []*takeover.Converted) error {
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
		ui.Say("written to %s; move one file at a time into your specs", dir)
	}
	return errors.Join(errs...)
}
