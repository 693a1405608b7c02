package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/internal/text"
)

func newTenants(ui *terminal.UI) *cobra.Command {
	var (
		in       cmdline.Inputs
		previous cmdline.Previous
		suggest  bool
		output   cmdline.Output
	)
	command := &cobra.Command{
		Use:   "tenants",
		Short: "Show the tenants and their requests, or suggest their grants",
		Long: `Print each tenant with its clusters, and its requested, assigned and permitted hosts. LEAVING: hosts
being released. MORE: permitted hosts, less assigned and leaving ones.

--suggest prints grants for the Site's spec: the missing ones of its tenants, and a new tenant for
every other namespace, with room for twice its hosts. Read them before you paste them: they permit
everything that the specs request. Conflicts between tenants, and requests that cannot be granted,
are warnings.

Assigned hosts count before they are labeled, from the tree of the Site's repository, --repo or
--previous.

-o json also has the clusters' names, standby hosts, and errors in specs.

Exit codes: 0 success; 1 a spec asks for more than its tenant is granted or, with --suggest, can be
granted; 2 an error.`,
		Example: `  sipgen tenants --site site.yaml -f tenants --inventory hosts
  sipgen tenants --site site.yaml -f tenants --inventory cluster --suggest`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := output.Check(); err != nil {
				return err
			}
			if suggest && output.Format != "table" {
				return redact.Errorf("--suggest prints YAML for the Site: leave out --output %s", output.Format)
			}
			hosts := hostsOfFleet(&in)
			return eachSite(cmd, ui, &in, output.Format, func(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs) error {
				previous := previous // a Site's own
				read := func(site *v1alpha1.Site, hostsRead time.Time) (app.Before, error) {
					return previous.ReadOrWarn(ctx, ui, site, hostsRead)
				}
				loaded, before, err := noteTree(in, hosts, read, func() (*app.Loaded, error) { return in.Read(ctx, ui) })
				if err != nil {
					return err
				}
				claims, err := before.Previous(loaded.Site)
				if err != nil {
					return err
				}
				held := tenancy.Held(loaded.Clusters, claims, loaded.Hosts.Hosts, app.Options(loaded.Site))
				wrong := loaded.Wrong()
				for i := range wrong {
					ui.Say("%s", wrong[i].Reason())
				}
				if suggest {
					if err := showGrants(ui, loaded, held); err != nil || len(wrong) == 0 {
						return err
					}
					ui.Say("these grants leave out the specs with errors")
					return errFinding
				}
				checked, err := flow(ui, loaded, before, noTolerance) // which freezes clusters, too
				if err != nil {
					return err
				}
				planned := checked.Plan
				noteAlone(hosts, planned, checked.Refusal == nil && checked.Rendered.Err == nil)
				tenants := summarize(planned)
				problems := append(reasons(planned, wrong), beyondMost(tenants)...)
				var all []string
				for i := range wrong {
					all = append(all, wrong[i].Reason())
				}
				all = append(all, problems...)
				if output.Format == "json" {
					err = ui.JSON(siteTenants{v1alpha1.APIVersion, "Tenants", loaded.Site.Name, tenants,
						said(all)})
				} else {
					err = showTenants(ui, tenants)
					if words, n := report.KeptWords(planned.Report.Kept); n > 0 && err == nil {
						fmt.Fprintf(ui.Out, "Of the hosts that stay free, %s.\n", words)
					}
				}
				if err != nil {
					return err
				}
				for _, problem := range problems {
					ui.Say("%s", problem)
				}
				if len(problems)+len(wrong) > 0 {
					return errFinding
				}
				return nil
			}, fleetOptions{hosts: hosts})
		},
	}
	in.Flags(command)
	in.SelectFlag(command)
	previous.Flags(command, &in)
	output.Flag(command, "table", "json")
	command.Flags().BoolVar(&suggest, "suggest", false, "print the grants that the specs need, as YAML for the Site")
	return command
}

// reasons returns why clusters are frozen, without those that were printed, and which are beyond their tenants' limits.
func reasons(p *app.Planned, said []finding.Finding) (out []string) {
	for i := range p.Report.Clusters {
		c := &p.Report.Clusters[i]
		for _, f := range c.Reasons() {
			if !slices.Contains(said, f) {
				out = append(out, c.Key()+": "+f.Reason())
			}
		}
	}
	for i := range p.Placement.Shortages {
		if short := &p.Placement.Shortages[i]; short.Limit != nil {
			out = append(out, sentence.Shortage(short))
		}
	}
	return out
}

// beyondMost returns the tenants whose specs ask for more hosts than they may have.
func beyondMost(tenants []tenantSummary) (out []string) {
	for i := range tenants {
		t := &tenants[i]
		beyond := func(asks, most int, what, field string) {
			if asks > most {
				out = append(out, redact.Sprintf("tenant %s: its specs ask for %s, and %s permits %d", t.Name,
					text.Count(asks, what), field, most))
			}
		}
		beyond(t.AsksFor.Hosts, t.Most.Hosts, "host", "hosts.max")
		beyond(t.AsksFor.Standby, t.Most.Standby, "standby host", "hosts.maxStandby")
	}
	return out
}

// siteTenants is what `sipgen tenants -o json` prints.
type siteTenants struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Site       string          `json:"site"`
	Tenants    []tenantSummary `json:"tenants"`
	// Problems is what is wrong with specs, and what they ask for beyond the grants.
	Problems []string `json:"problems,omitempty"`
}

// tenantSummary is what a tenant asks for, has, and may have.
type tenantSummary struct {
	Name       string   `json:"name"`
	Namespaces []string `json:"namespaces"`
	// Listed: spec.tenants has it.
	Listed   bool      `json:"listed,omitempty"`
	Clusters []string  `json:"clusters,omitempty"`
	AsksFor  hostCount `json:"asksFor"`
	Holds    hostCount `json:"holds"`
	Leaving  int       `json:"leaving"`
	Most     hostCount `json:"most"`
	More     int       `json:"more"`
	Patches  string    `json:"patches"`
}

// hostCount is a number of hosts, and how many of them have standby slots.
type hostCount struct {
	Hosts   int `json:"hosts"`
	Standby int `json:"standby"`
}

func (c *hostCount) add(more tenancy.Count) {
	c.Hosts, c.Standby = c.Hosts+more.Hosts, c.Standby+more.Standby
}

// said returns problems as they are printed.
func said(problems []string) (out []string) {
	for _, problem := range problems {
		out = append(out, text.Line(redact.Text(problem)))
	}
	return out
}

// summarize sums up each tenant that has clusters or is listed, by name.
func summarize(p *app.Planned) []tenantSummary {
	l, held, clusters := p.Loaded, p.Clusters.Held, p.Clusters.All
	lines := map[string]*tenantSummary{}
	add := func(t *tenancy.Tenant) *tenantSummary {
		if lines[t.Name] == nil {
			lines[t.Name] = &tenantSummary{
				Name: t.Name, Namespaces: t.Namespaces, Listed: t.Listed, Most: hostCount{*t.Hosts.Max, *t.Hosts.MaxStandby},
				More: l.Tenants.Room(t, held, p.BrakeLimit()), Patches: string(t.Patches),
			}
		}
		return lines[t.Name]
	}
	for i := range l.Site.Spec.Tenants {
		if t := l.Tenants.Of(l.Site.Spec.Tenants[i].Namespaces[0]); t != nil {
			add(t)
		}
	}
	for i := range clusters {
		t := l.Tenants.Of(clusters[i].Namespace)
		if t == nil {
			continue
		}
		line := add(t)
		line.Clusters = append(line.Clusters, clusters[i].Key())
		if !p.Clusters.Options.Leaves(&clusters[i]) {
			line.AsksFor.add(tenancy.Wants(&clusters[i]))
		}
	}
	for _, key := range held.Clusters() {
		if t := l.Tenants.Of(key.Namespace); t != nil {
			line := add(t)
			line.Holds.add(held.Of(key))
			line.Leaving += held.Leaving(key)
		}
	}
	out := []tenantSummary{}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		slices.Sort(lines[name].Clusters)
		out = append(out, *lines[name])
	}
	return out
}

// showTenants prints a line for each tenant.
func showTenants(ui *terminal.UI, tenants []tenantSummary) error {
	rows := [][]string{{"TENANT", "NAMESPACES", "CLUSTERS", "ASKS FOR", "HOLDS", "LEAVING", "MOST", "MORE", "PATCHES"}}
	for i := range tenants {
		t := &tenants[i]
		row := []string{text.Line(t.Name), text.Line(strings.Join(t.Namespaces, " "))}
		for _, n := range []int{len(t.Clusters), t.AsksFor.Hosts, t.Holds.Hosts, t.Leaving, t.Most.Hosts, t.More} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, append(row, t.Patches))
	}
	return ui.Columns(rows, 1)
}
