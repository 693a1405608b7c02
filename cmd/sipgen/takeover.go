package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/setup"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
)

func newTakeover(ui *terminal.UI) *cobra.Command {
	var (
		in  cmdline.Inputs
		out string
	)
	command := &cobra.Command{
		Use:   "takeover --site FILE -f cluster [--out DIR]",
		Short: "Convert the specs of the SIP operator, and report the changes for its services",
		Long: `Convert the SIPClusters of the SIP operator, in any version of SIP's API. Print each tenant's spec
in today's shape, with comments: the fate of its fields, the changes for its services, and the
commands that hand its Deployments and Services to the engine. With --out, write the specs to files
instead, one each, and print the comments. Nothing is changed in the cluster.

The page from-sip.md of the documentation has the steps.

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
				if specs := in.Beside(path); out != "" && cmdline.Inside(out, specs) {
					return fmt.Errorf("--out: found %s, want a folder outside %s, which sipgen reads specs from: "+
						"the next run would be of all tenants at once", out, specs)
				}
			}
			installation, err := setup.Installation(cmd.Context(), ui, &in, site)
			if err != nil {
				return err
			}
			if len(installation.Specs) == 0 {
				return errors.New("no SIPCluster found")
			}
			if err := setup.WriteSpecs(ui, out, installation.Specs); err != nil {
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
	flags.StringArrayVarP(&in.Specs, "filename", "f", nil,
		"the installation: a file or folder of its objects, - for standard input, or the word cluster; may be repeated")
	flags.StringVar(&out, "out", "",
		"a folder for the converted specs, NAMESPACE/NAME.yaml, outside the Site's spec.inputs.specs; "+
			"existing files are not touched")
	in.ClusterFlags(command)
	return command
}
