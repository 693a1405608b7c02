package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

func newCapacity(ui *terminal.UI) *cobra.Command {
	var (
		in       cmdline.Inputs
		previous cmdline.Previous
		by, like string
		output   cmdline.Output
		minFree  []string
	)
	command := &cobra.Command{
		Use:   "capacity",
		Short: "Count the hosts by class and state, and the clusters that still fit",
		Long: `Count the hosts by class: total, held, leaving, left alone, free, cordoned, not eligible, as in
sipgen hosts. A class is a value of the label --by, a vendor (--by hardware.vendor) or a model
(--by hardware.model); without --by, equal hardware.

--like plans further clusters like one, after all others, and prints how many fit, and what the
next one lacks. It counts hosts: the grants of the tenant may allow fewer.

Exit codes: 0 done; 1 fewer free hosts than --min-free; 2 an error.`,
		Example: `  sipgen capacity --by rack
  sipgen capacity --like tenant-a/edge-a
  sipgen capacity --min-free kind=worker=4 --min-free =10`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			asked, err := parseMinFree(minFree)
			if err = errors.Join(output.Check(), checkBy(by), err); err != nil {
				return err
			}
			in.AllAddresses = like != ""
			shared := hostsOfFleet(&in)
			return eachSite(cmd, ui, &in, output.Format, func(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs) error {
				previous := previous // a Site's own
				admitted, answer, err := holdingsOf(ctx, ui, in, &previous, shared)
				if err != nil {
					return err
				}
				shown := report.CapacityOf(admitted.Loaded.Site.Name, answer, by)
				if like != "" {
					if shown.Like, err = moreLike(admitted, like); err != nil {
						return err
					}
				}
				kept, err := keptBefore(admitted)
				if err != nil {
					return err
				}
				shown.Kept = kept
				for _, one := range asked {
					shown.MinFree = append(shown.MinFree, one.of(answer, kept, admitted.Clusters.Options.Reserved))
				}
				return showCapacity(ui, shown, output.Format)
			}, fleetOptions{hosts: shared})
		},
	}
	in.Flags(command)
	in.SelectFlag(command)
	previous.Flags(command, &in)
	flags := command.Flags()
	flags.StringVar(&by, "by", "",
		"the class: a `LABEL` of the hosts, hardware.vendor or hardware.model (default: equal hardware)")
	flags.StringVar(&like, "like", "",
		"report how many more clusters like this one fit: `NAMESPACE/NAME`, or a unique name")
	flags.StringArrayVar(&minFree, "min-free", nil,
		"exit with 1 if fewer free hosts match, `SELECTOR=N`; may be repeated")
	output.Flag(command, "table", "json")
	return command
}

// checkBy refuses a class by a label that no host can have.
func checkBy(label string) error {
	if label != "" && len(validation.IsQualifiedName(label)) > 0 {
		return redact.Errorf("--by: found %q, want the name of a label, as in rack or example.org/rack", label)
	}
	return nil
}

// leastFree is a --min-free.
type leastFree struct {
	words    string
	selector labels.Selector
	want     int
}

// parseMinFree reads the flags: a selector, which may be empty, and a number behind the last "=".
func parseMinFree(flags []string) (out []leastFree, err error) {
	for _, flag := range flags {
		last := max(0, strings.LastIndex(flag, "="))
		selector, badSelector := labels.Parse(flag[:last])
		want, badNumber := strconv.Atoi(strings.TrimPrefix(flag[last:], "="))
		if badSelector != nil || badNumber != nil || want < 0 {
			err = errors.Join(err, redact.Errorf("--min-free: found %q, "+
				"want a label selector and a number of hosts, as in kind=worker=4", flag))
			continue
		}
		out = append(out, leastFree{flag[:last], selector, want})
	}
	return out, err
}

// keptBefore returns what the Site's reservations keep before anything is assigned.
func keptBefore(a *app.Admitted) (out []report.KeptHosts, _ error) {
	if len(a.Clusters.Options.Reserved) == 0 {
		return nil, nil
	}
	p, err := schedule.Plan(a.Clusters.All, a.Loaded.Hosts.Hosts, a.Clusters.Claims,
		a.Clusters.Options)
	if err != nil {
		return nil, err
	}
	return report.KeptBefore(p), nil
}

// of counts the free hosts that the selector matches, and how many of them are reserved: for some tenants alone, or
// because a reservation needs them.
func (l *leastFree) of(answer *holdings.Holdings, kept []report.KeptHosts,
	reserved []schedule.Reservation) report.MinFree {
	out := report.MinFree{Selector: l.words, Want: l.want}
	alone := func(h *inventory.Host) bool {
		return slices.ContainsFunc(reserved, func(r schedule.Reservation) bool { return r.ReservedFor(h) != nil })
	}
	var others []*inventory.Host // that do not count
	for i := range answer.Hosts {
		h := &answer.Hosts[i]
		if report.HostState(h) != string(holdings.Free) {
			continue
		}
		asked := l.selector.Matches(labels.Set(h.Host.Labels))
		if asked {
			out.Free++
		}
		if !asked || alone(h.Host) {
			others = append(others, h.Host)
		}
		if asked && alone(h.Host) {
			out.Kept++
		}
	}
	keeps := make([]int, len(reserved))
	for _, k := range kept {
		if k.Alone {
			continue
		}
		keeps[slices.IndexFunc(reserved, func(r schedule.Reservation) bool { return r.Name == k.Name })] = k.Hosts
		out.Kept += k.Hosts
	}
	out.Kept -= schedule.Covered(reserved, keeps, others)
	return out
}

// moreLike plans clusters like one in addition to the existing ones.
func moreLike(admitted *app.Admitted, name string) (*report.CapacityLike, error) {
	l, clusters := admitted.Loaded, admitted.Clusters
	names := make([]string, len(clusters.All))
	for i := range clusters.All {
		names[i] = clusters.All[i].Key()
	}
	key, err := cmdline.OneOf(name, "cluster", names)
	if err != nil {
		return nil, fmt.Errorf("--like: %w", err)
	}
	more, why, err := schedule.MoreLike(clusters.All, l.Hosts.Hosts, clusters.Claims, clusters.Options,
		holdings.ClusterNamed(key))
	if err != nil {
		return nil, fmt.Errorf("--like: %w", err)
	}
	out := &report.CapacityLike{Cluster: key, More: more}
	if why != nil {
		out.Why = sentence.Shortage(why)
	}
	return out, nil
}

// showCapacity prints the counts, and ends in a finding if there are too few free hosts.
func showCapacity(ui *terminal.UI, shown *report.Capacity, output string) error {
	if output == "json" {
		if err := ui.JSON(shown); err != nil {
			return err
		}
	} else {
		if err := ui.Columns(shown.Rows(), 0); err != nil {
			return err
		}
		if words, n := report.KeptWords(shown.Kept); n > 0 {
			fmt.Fprintf(ui.Out, "Of the free hosts, %s.\n", words)
		}
		if kept := shown.ReuseWords(); kept != "" {
			fmt.Fprintf(ui.Out, "%s.\n", kept)
		}
		if like := shown.Like; like != nil {
			fmt.Fprintf(ui.Out, "%s like %s %s.\n", text.Plural(like.More, "more cluster", "more clusters"), like.Cluster,
				sentence.Verb(like.More, "fits", "fit"))
			if like.Why != "" {
				fmt.Fprintf(ui.Out, "The next one does not: %s\n", like.Why)
			}
		}
	}
	var err error
	for _, least := range shown.MinFree {
		if least.Free-least.Kept < least.Want {
			reserved := ""
			if least.Kept > 0 {
				reserved = fmt.Sprintf(" (and %d reserved)", least.Kept)
			}
			ui.Say("%s", redact.Sprintf("--min-free %q: found %d free", least.Selector, least.Free-least.Kept)+reserved+
				fmt.Sprintf(", want at least %d", least.Want))
			err = errFinding
		}
	}
	return err
}
