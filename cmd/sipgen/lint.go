package main

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/lint"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report/sentence"
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
		Long: `Find likely mistakes in valid specs and hosts: conflicts between tenants, selectors without a match
or with the same hosts, hosts that share an address or a BMC. An annotation with a reason suppresses
a finding. An invalid spec is reported, and the others are checked.

Exit codes: 0 no findings; 1 findings; 2 an error.`,
		Example: `  sipgen lint --site site.yaml -f tenants --inventory hosts
  sipgen lint --site site.yaml -f tenants --inventory inventory.yaml -o sarif > sipgen.sarif`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(output, formats); err != nil {
				return err
			}
			if failOn != string(finding.Warning) && failOn != string(finding.Error) {
				return redact.Errorf("--fail-on: found %q, want %s or %s", failOn, finding.Warning, finding.Error)
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
			count, warnings := finding.Counts(findings)
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
			case count > 0, warnings > 0 && failOn == string(finding.Warning):
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
	flags.StringVar(&failOn, "fail-on", string(finding.Warning), "what makes the exit code 1: warning (any finding), error")
	completeFlag(command, "fail-on", string(finding.Warning), string(finding.Error))
	flags.StringVar(&color, "color", "auto", "colors: auto (on a terminal, unless $NO_COLOR is set), always, never")
	completeFlag(command, "color", "auto", "always", "never")
	return command
}

// lint is all that is wrong with the site: why clusters are frozen, what the hosts contradict, and what only package lint looks for. Where nothing
// can be decided, it has those findings that need no decision.
func (l *loaded) lint(decided *decided) []finding.Finding {
	found, problems := l.linted(decided), l.problems
	if decided != nil {
		problems = decided.admitted.Newcomers(decided.refused())
		found = slices.Concat(found, decided.admitted.Findings, decided.contradictions(), decided.live())
		// Manifests never have managedFields; whoever commits is told.
		found = slices.DeleteFunc(found, func(f finding.Finding) bool { return f.Code == finding.Blind })
	}
	for i := range problems {
		found = append(found, problems[i].Finding())
	}
	return finding.Sorted(found)
}

// linted is what only package lint looks for.
func (l *loaded) linted(decided *decided) []finding.Finding {
	in := lint.Input{Site: l.site, Clusters: l.clusters, Hosts: l.hosts.Hosts, Networks: options(l.site).Networks, LeftOut: l.hosts.LeftOut, Secrets: map[string]bool{},
		ByUID: l.site.Spec.Hosts.Apply == v1alpha1.ApplyMerge}
	for _, name := range append(l.hosts.Secrets, l.secrets...) {
		in.Secrets[name] = true
	}
	for _, f := range l.empty {
		var inFile *manifest.FileError
		if errors.As(f.Err, &inFile) {
			in.Empty = append(in.Empty, inFile.File)
		}
	}
	if decided != nil {
		in.Placement, in.Served = decided.placement, decided.servedBefore()
		in.Said = append(decided.network.Findings(), slices.DeleteFunc(sentence.Findings(decided.placement), saidByLint)...)
	}
	return in.Check()
}

// saidByLint: package lint finds it by itself, with the place; and manifests never have a status.
func saidByLint(f finding.Finding) bool {
	return slices.Contains([]string{
		finding.BMC, finding.MAC, finding.UID, finding.Network, finding.Object, finding.Ownerless, finding.NoAddress, finding.NoDomain, finding.Statusless,
	}, f.Code)
}

// lintErrors are the errors of specs that freeze no cluster: the run has said those that do.
func (c *checked) lintErrors() (words []string) {
	for _, f := range c.linted(c.decided) {
		//guard: nobody is told of two clusters with one token issuer before they are published
		if f.Severity == finding.Error && f.Of(v1.Kind) && len(c.admitted.Frozen[clusterOf(&f)]) == 0 {
			words = append(words, "lint: "+f.String())
		}
	}
	return words
}

// clusterOf is the cluster that a finding is about.
func clusterOf(f *finding.Finding) schedule.ClusterKey {
	namespace, name, _ := strings.Cut(strings.TrimPrefix(f.Object, v1.Kind+" "), "/")
	return schedule.ClusterKey{Namespace: namespace, Name: name}
}

// contradictions are why the placement refuses clusters, but for what froze them before.
func (d *decided) contradictions() (out []finding.Finding) {
	for i := range d.placement.Clusters {
		c := &d.placement.Clusters[i]
		for _, why := range c.Refused {
			code := finding.Crossing
			switch why.(type) {
			case schedule.Contradiction:
				continue
			case schedule.UnknownTopologyKey:
				code = finding.UnknownKey
			}
			out = append(out, finding.FromError(code, v1.Kind+" "+c.Key.String(), errors.New(sentence.Refusal(why))))
		}
	}
	return out
}

func writeFindings(ui *ui, findings []finding.Finding, output string, colour bool) error {
	switch output {
	case "json":
		return finding.JSON(ui.out, findings)
	case "sarif":
		return finding.SARIF(ui.out, findings, version())
	case "github":
		return finding.GitHub(ui.out, findings)
	}
	return finding.Human(ui.out, findings, colour)
}
