package main

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/lint"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

func newLint(ui *ui) *cobra.Command {
	var (
		in                    inputs
		previous              previousFlags
		output, color, failOn string
	)
	formats := []string{"human", "json", "sarif", "github"}
	command := &cobra.Command{
		Use:   "lint",
		Short: "Find likely mistakes across tenants and hosts",
		Long: `Find likely mistakes in specs and hosts that are each valid: conflicts between tenants, selectors
that match nothing or compete for the same hosts, hosts that share an address or a BMC. Annotations
suppress a finding with a reason.

A spec that is not valid is reported, and the others are checked.

Exit codes: 0 no findings; 1 findings; 2 an error.`,
		Example: `  sipgen lint --site site.yaml -f tenants --inventory hosts
  sipgen lint --site site.yaml -f tenants --inventory inventory.yaml -o sarif > sipgen.sarif`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(output, formats); err != nil {
				return err
			}
			if failOn != string(lint.Warning) && failOn != string(lint.Error) {
				return redact.Errorf("--fail-on: found %q, want %s or %s", failOn, lint.Warning, lint.Error)
			}
			colour, err := coloured(color, ui.out, os.Getenv)
			if err != nil {
				return err
			}
			in.allAddresses = true // hosts may share one that no tenant asks for yet
			loaded, err := in.read(cmd.Context(), ui)
			if err != nil {
				return err
			}
			in.warnUnused(ui, loaded)
			loaded.sayOthers(ui)
			before, err := previous.readOrWarn(cmd.Context(), ui, loaded.site)
			if err != nil {
				return err
			}
			decided, undecided := loaded.with(loaded.beyondGrants()).decide(ui, before)
			findings := loaded.lint(decided)
			if err := writeFindings(ui, findings, output, colour); err != nil {
				return errors.Join(err, undecided)
			}
			for _, wrong := range flatten(joined(loaded.findings)) {
				ui.say("%s", wrong)
			}
			count, warnings := lint.Counts(findings)
			count += len(flatten(joined(loaded.findings)))
			switch {
			case count+warnings > 0:
				ui.say("%s, %s", text.Plural(count, "error", "errors"), text.Plural(warnings, "warning", "warnings"))
			//guard: a tree that nobody could read is said to have no finding
			case undecided == nil: // else not everything was looked at
				ui.say("no finding")
			}
			switch {
			case undecided != nil:
				return undecided
			case count > 0, warnings > 0 && failOn == string(lint.Warning):
				return errFinding
			}
			return nil
		},
	}
	in.flags(command)
	previous.flags(command)
	flags := command.Flags()
	flags.StringVarP(&output, "output", "o", "human", "the output format: "+strings.Join(formats, ", "))
	completeFlag(command, "output", formats...)
	flags.StringVar(&failOn, "fail-on", string(lint.Warning), "what makes the exit code 1: warning (any finding), error")
	completeFlag(command, "fail-on", string(lint.Warning), string(lint.Error))
	flags.StringVar(&color, "color", "auto", "colours in human output: auto (on a terminal, unless $NO_COLOR is set), always, never")
	completeFlag(command, "color", "auto", "always", "never")
	return command
}

// lint looks for findings. Where nothing can be decided, it has those that need no decision.
func (l *loaded) lint(decided *decided) []lint.Finding {
	in := lint.Input{Site: l.site, Clusters: l.clusters, Hosts: l.hosts.Hosts, Networks: options(l.site).Networks, LeftOut: l.hosts.LeftOut, Secrets: map[string]bool{},
		ByUID: l.site.Spec.Hosts.Apply == v1alpha1.ApplyMerge}
	for _, name := range append(l.hosts.Secrets, l.secrets...) {
		in.Secrets[name] = true
	}
	for i := range l.clusters {
		c := &l.clusters[i]
		for _, e := range append(l.tenants.Namespace(c), l.tenants.Spec(c)...) {
			in.Beyond = append(in.Beyond, v1.ClusterError{Cluster: c, FieldError: e})
		}
	}
	for _, f := range l.empty {
		var inFile *manifest.FileError
		if errors.As(f.err, &inFile) {
			in.Empty = append(in.Empty, inFile.File)
		}
	}
	asked := l.tenants.Asked(l.clusters)
	for _, c := range l.tenants.Narrowed(l.clusters) {
		for name, set := range c.Spec.Nodes {
			role := schedule.RoleKey{Cluster: keyOf(&c), Role: name}
			if granted, err := set.HostSelector(); err == nil && asked[role] != nil {
				if in.Granted == nil {
					in.Granted = map[schedule.RoleKey]labels.Selector{}
				}
				in.Granted[role] = granted
			}
		}
	}
	if decided != nil {
		in.Placement = decided.placement
		//guard: lint passes a spec that publish refuses, because of hosts that are released and still labelled
		in.Beyond = append(in.Beyond, decided.settled.beyond...)
		//guard: lint passes a spec that publish refuses, because a frozen cluster has the port in the tree
		in.Clashes = append(decided.clashesWithRefused(), decided.settled.clashing...)
		gone, ports := decided.settled.gone(decided.claims), l.site.Spec.NodePorts
		if len(gone) > 0 || len(v1.ValidateSite(l.clusters, ports.Start, ports.End)) > 0 {
			//guard: lint blames the cluster that has a port for one that wants it, too
			in.Held = decided.settled.inUse(decided.before.files, gone)
		}
		in.Served = decided.servedBefore()
	}
	return in.Check()
}

// saidFrozen says whether a finding is why its cluster is frozen, which the run has said.
func (d *decided) saidFrozen(f *lint.Finding) bool {
	for i := range d.report.Clusters {
		c := &d.report.Clusters[i]
		//guard: what is wrong with one cluster is not said, because another one is frozen for the same
		if f.Object == v1.Kind+" "+c.Key() && slices.ContainsFunc(c.Frozen, func(why string) bool { return strings.HasSuffix(why, f.Message) }) {
			return true
		}
	}
	return false
}

// lintErrors are the errors of specs that lint finds, but for those that freeze their clusters: the run has said these.
func (c *checked) lintErrors() (words []string) {
	for _, f := range c.lint(c.decided) {
		if f.Severity == lint.Error && f.OfCluster() && !f.OfPlacement() && !c.saidFrozen(&f) {
			words = append(words, "lint: "+f.String())
		}
	}
	return words
}

func writeFindings(ui *ui, findings []lint.Finding, output string, colour bool) error {
	switch output {
	case "json":
		return lint.JSON(ui.out, findings)
	case "sarif":
		return lint.SARIF(ui.out, findings, version())
	case "github":
		return lint.GitHub(ui.out, findings)
	}
	return lint.Human(ui.out, findings, colour)
}
