package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/picture"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report"
)

func newPlan(ui *ui) *cobra.Command {
	var (
		in     inputs
		before previous
		ask    whatIf
		output string
	)
	formats := []string{"table", "wide", "json", "yaml", "markdown", "svg", "html"}
	command := &cobra.Command{
		Use:   "plan --site FILE -f SPECS --inventory HOSTS",
		Short: "Show which host each cluster gets, and why",
		Long: `Show which host each cluster gets, and why. Nothing is written.

Earlier decisions that are not synced yet are in the rendered tree. Name the tree with --previous
or --repo, so that they are kept.

Exit codes: 0 success; 1 a cluster cannot have its hosts, or render would refuse the plan (a message
says why); 2 an error.

-o html is a self-contained page that shows the site rack by rack; -o svg is only the picture.`,
		Example: `  sipgen plan --site site.yaml -f tenants --inventory hosts
  sipgen plan --site site.yaml -f tenants --inventory cluster -o json
  sipgen plan --site site.yaml -f tenants --inventory hosts --without rack=r7 --count tenants/a/Worker=12`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(output, formats); err != nil {
				return err
			}
			in.allAddresses = ask.asked() // what is asked about may need hosts that no spec selects
			loaded, err := in.load(cmd.Context(), ui)
			if err != nil {
				return err
			}
			changed, counts, err := ask.apply(ui, loaded)
			if err != nil {
				return err
			}
			tree, err := before.read(cmd.Context(), loaded.site)
			if err != nil {
				return err
			}
			end := ui.progress.stage("planning")
			plan, err := loaded.plan(tree)
			end()
			if err != nil {
				return err
			}
			largest, err := ask.largest(loaded, counts, plan)
			if err != nil {
				return err
			}
			plan.report.WhatIf = append(changed, largest...)
			var unrendered error
			if !ask.asked() {
				end := ui.progress.stage("trying to render it")
				_, unrendered = loaded.render(plan, tree)
				end()
			}
			if err := writePlan(ui, plan, output); err != nil {
				return err
			}
			if !plan.placement.Schedulable() || !ask.asked() && loaded.sayRefusals(ui, plan, unrendered) {
				return errFinding
			}
			return nil
		},
	}
	in.flags(command)
	before.flags(command)
	ask.flags(command)
	command.Flags().StringVarP(&output, "output", "o", "table", "the output format: "+strings.Join(formats, ", "))
	return command
}

// sayRefusals says why render and publish would refuse a plan, if they would.
func (l *loaded) sayRefusals(ui *ui, plan *planned, unrendered error) bool {
	_, err := l.refusals(plan, noAcceptance)
	if err = errors.Join(err, unrendered); err == nil {
		return false
	}
	for _, refusal := range flatten(err) {
		ui.say("render and publish would say: %s", refusal)
	}
	return true
}

func checkFormat(found string, want []string) error {
	for _, format := range want {
		if found == format {
			return nil
		}
	}
	hint := ""
	if near := manifest.Nearest(found, want); near != "" {
		hint = redact.Sprintf(", did you mean %q?", near)
	}
	return redact.Errorf("--output: found %q, want %s%s", found, strings.Join(want, ", "), hint)
}

func writePlan(ui *ui, planned *planned, output string) error {
	plan := planned.report
	switch output {
	case "svg", "html":
		site := picture.Of(planned.placement, picture.Options{Name: plan.Site, WhatIf: plan.WhatIf})
		draw := picture.SVG
		if output == "html" {
			draw = picture.HTML
		}
		_, err := ui.out.Write(draw(site))
		return err
	case "json":
		encoder := json.NewEncoder(ui.out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(plan)
	case "yaml":
		text, err := yaml.Marshal(plan)
		if err != nil {
			return err
		}
		_, err = ui.out.Write(text)
		return err
	case "markdown":
		_, err := fmt.Fprint(ui.out, report.Markdown(plan))
		return err
	}
	report.Table(ui.out, plan, output == "wide")
	return nil
}
