package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/history"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish"
)

// tenures is what `sipgen history -o json` prints.
type tenures struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Site       string `json:"site"`
	Host       string `json:"host,omitempty"`
	Cluster    string `json:"cluster,omitempty"`
	// Older is why older commits were not read.
	Older string `json:"older,omitempty"`
	// Skipped are the commits that could not be read.
	Skipped []string         `json:"skipped,omitempty"`
	Tenures []history.Tenure `json:"tenures"`
}

// mostCommits is how many commits are read: years of a busy site.
const mostCommits = 5000

func newHistory(ui *terminal.UI) *cobra.Command {
	var (
		in     cmdline.Inputs
		git    cmdline.Repository
		output cmdline.Output
		since  string
		usage  bool
		by     []string
	)
	command := &cobra.Command{
		Use:   "history HOST|CLUSTER | --usage",
		Short: "Show the clusters of a host, or the hosts of a cluster, over time",
		Long: `Show which clusters had a host, or which hosts a cluster had: from when to when, by which commit
and why. The name is NAMESPACE/NAME, or the name alone if it is unique.

It reads the assignments in the commits of the Site's branch, and no hosts or specs, also in the
folder where the tree was before. A merge counts as one commit, at the time of the merge. A commit
whose assignments were edited by hand is skipped, with a warning. Times are in UTC; SLOT is active,
standby or leaving. WHY and END WHY are what the commits changed.

--usage sums the host hours of each month, from the commit that assigned a host to the one that
released it; LEAVING HOURS are those from then on until the host is free. --by has one or more of
tenant, cluster, class (equal hardware), hardware.vendor, hardware.model and labels. Tenants are
those of the Site, and class and labels those of the inventory given. COMMITS prove the hours. A
period with commits that cannot be read is an error.

Exit codes: 0 found; 1 the commits have no host or cluster of that name, or none since --since; 2 an
error.`,
		Example: `  sipgen history r1n1-cp
  sipgen history tenant-a/edge-a --since 2026-03-01
  sipgen history vino-system/r1n1-cp --site site.yaml --repo fleet.git -o json
  sipgen history --usage --since 2026-01-01 --by tenant,class --inventory cluster -o csv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if usage {
				return cmdline.Arguments(0, 0, "")(cmd, args)
			}
			return cmdline.Arguments(1, 1, "the name of a host or a cluster, or --usage")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			start, err := parseSince(since)
			switch err = errors.Join(output.Check(), err); {
			case usage:
				err = errors.Join(err, checkUsageBy(by))
			case cmd.Flags().Changed("by"), output.Format == "csv":
				err = errors.Join(err, errors.New("--by and -o csv are for --usage"))
			}
			if err != nil {
				return err
			}
			if usage {
				return showUsage(cmd, ui, &in, git, &usageSum{by: by, since: start}, output.Format)
			}
			return eachSite(cmd, ui, &in, output.Format, func(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs) error {
				site, err := in.LoadSite(ui.In)
				if err != nil {
					return err
				}
				past, err := readPast(ctx, ui, git, site, start)
				if err != nil {
					return err
				}
				shown, err := findTenures(past, args[0], start)
				if err != nil {
					return err
				}
				shown.Site = site.Name
				return showTenures(ui, shown, args[0], output.Format)
			})
		},
	}
	in.SiteFlag(command)
	in.SelectFlag(command)
	git.Flags(command)
	command.Flags().StringVar(&since, "since", "",
		"leave out hosts that left before this `TIME` in UTC, as in 2026-03-01 or 2026-03-01T12:00:00Z, "+
			"and read no older commits")
	command.Flags().BoolVar(&usage, "usage", false, "sum the host hours of each month")
	command.Flags().StringSliceVar(&by, "by", []string{byTenant},
		"with --usage, the groups of the sums: tenant, cluster, class, hardware.vendor, hardware.model, a `LABEL`")
	in.InventoryFlag(command)
	in.ClusterFlags(command)
	output.Flag(command, "table", "json", "csv")
	cmdline.CompleteFlag(command, "by", byTenant, byCluster, byClass, report.ByVendor, report.ByModel)
	return command
}

// readPast reads the decisions in the commits of the Site's branch, and warns of those that cannot be read or are
// misdated.
func readPast(ctx context.Context, ui *terminal.UI, git cmdline.Repository, site *v1alpha1.Site,
	since time.Time) (*app.Past, error) {
	git.Defaults(site)
	target, err := git.Target()
	if err != nil {
		return nil, err
	}
	for _, warning := range cmdline.Unencrypted(target) {
		ui.Say("warning: %s", warning)
	}
	done := ui.Stage("reading the history of " + target.String())
	snapshot, err := publish.Read(ctx, target)
	var past *app.Past
	if err == nil {
		past, err = app.ReadPast(ctx, snapshot, since, time.Now(), mostCommits)
	}
	done()
	if err == nil {
		warnOfUnread(ui, past)
	}
	return past, err
}

// skipped returns the commits that could not be read.
func skipped(past *app.Past) (out []string) {
	for _, unread := range past.Unread {
		out = append(out, unread.Commit)
	}
	return out
}

// parseSince reads --since.
func parseSince(since string) (start time.Time, err error) {
	if since == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if start, err = time.Parse(layout, since); err == nil {
			return start, nil
		}
	}
	return start, redact.Errorf("--since: found %q, want a day or a time, as in 2026-03-01 or 2026-03-01T12:00:00Z", since)
}

// warnOfUnread prints which commits were not read.
func warnOfUnread(ui *terminal.UI, past *app.Past) {
	for i, unread := range past.Unread {
		if i == terminal.MostLines {
			ui.Say("warning: and %s like it", text.Count(len(past.Unread)-i, "more commit"))
			break
		}
		ui.Say("warning: commit %s of %s skipped: %s", shortHash(unread.Commit), unread.When.UTC().Format(time.RFC3339),
			text.Some(strings.Split(unread.Err.Error(), "\n"), 1))
	}
	if len(past.Before) > 0 {
		ui.Say("the folder had the tree of another Site before, which is left out: %s",
			text.Line(text.Some(past.Before, terminal.MostLines)))
	}
	for i, wrong := range past.Misdated {
		if i == terminal.MostLines {
			ui.Say("warning: and %s like it", text.Count(len(past.Misdated)-i, "more commit"))
			break
		}
		ui.Say("warning: commit %s states %s, which contradicts other commits or is in the future: "+
			"it counts from %s", shortHash(wrong.Commit), wrong.Stated.UTC().Format(time.RFC3339),
			wrong.When.UTC().Format(time.RFC3339))
	}
	if past.Unwalked != "" {
		ui.Say("older commits were not read: %s", past.Unwalked)
	}
}

// findTenures returns the tenures of a host or a cluster, or of both if they share the name. There may be none.
func findTenures(past *app.Past, name string, since time.Time) (*tenures, error) {
	shown := &tenures{APIVersion: v1alpha1.APIVersion, Kind: "History", Older: past.Unwalked, Skipped: skipped(past),
		Tenures: []history.Tenure{}}
	hosts, clusters := past.Names()
	names := slices.Compact(slices.Sorted(slices.Values(slices.Concat(hosts, clusters))))
	key, err := cmdline.OneOf(name, "host or cluster", names)
	switch {
	case err == nil:
	case slices.ContainsFunc(names, func(known string) bool { return strings.HasSuffix(known, "/"+name) }):
		return nil, err // several are meant
	default:
		return shown, nil
	}
	if slices.Contains(hosts, key) {
		shown.Host = key
	}
	if slices.Contains(clusters, key) {
		shown.Cluster = key
	}
	shown.Tenures = past.Of(key, since)
	return shown, nil
}

// showTenures prints what was found. To find nothing is a finding.
func showTenures(ui *terminal.UI, shown *tenures, name, output string) error {
	if output == "json" {
		if err := ui.JSON(shown); err != nil {
			return err
		}
	}
	switch {
	case len(shown.Tenures) == 0 && shown.Host+shown.Cluster != "":
		ui.Say("%s: nothing since that time", redact.Plain(name))
		return errFinding
	case len(shown.Tenures) == 0:
		ui.Say("%s: no host or cluster of that name in the commits read", redact.Plain(name))
		return errFinding
	case output == "json":
		return nil
	}
	row := func(from, to, host, cluster string, last ...string) []string {
		cells := []string{from, to}
		if shown.Cluster != "" {
			cells = append(cells, host)
		}
		if shown.Host != "" {
			cells = append(cells, cluster)
		}
		return append(cells, last...)
	}
	rows := [][]string{row("FROM", "TO", "HOST", "CLUSTER", "ROLE", "SLOT", "COMMIT", "WHY", "END COMMIT", "END WHY")}
	for i := range shown.Tenures {
		t := &shown.Tenures[i]
		from, to, end, why := t.From.Format(time.RFC3339), "-", "-", "-"
		if t.Earlier {
			from += " or earlier"
		}
		if t.To != nil {
			to, end, why = t.To.Format(time.RFC3339), shortHash(t.EndCommit), t.EndWhy
		}
		rows = append(rows, row(from, to, t.Host, t.Cluster, t.Role, t.Slot, shortHash(t.Commit), t.Why,
			end, why))
	}
	return ui.Columns(rows, len(rows[0])-1) // END WHY
}

// shortHash returns the beginning of a commit's name.
func shortHash(commit string) string { return commit[:min(len(commit), 12)] }
