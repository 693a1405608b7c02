package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/fleet"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/schedule"
)

func newHosts(ui *terminal.UI) *cobra.Command {
	var (
		in       cmdline.Inputs
		previous cmdline.Previous
		only     hostFilter
		output   cmdline.Output
	)
	command := &cobra.Command{
		Use:   "hosts",
		Short: "List the hosts, with the owner of each or the reason for none",
		Long: `List the hosts of the inventory, as they are before a run: held by a cluster, leaving one, left
alone (labels of an unknown cluster), free, cordoned, or not eligible for the printed reason.

RACK is the label whose key ends in "rack"; if there are several, the one of most hosts.`,
		Example: `  sipgen hosts
  sipgen hosts --state free -l kind=worker
  sipgen hosts --cluster tenant-a/edge-a -o wide
  sipgen hosts --site site.yaml -f tenants --inventory hosts --rack r7 -o csv`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(output.Check(), only.check()); err != nil {
				return err
			}
			shared := hostsOfFleet(&in)
			return eachSite(cmd, ui, &in, output.Format, func(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs) error {
				previous, only := previous, only // a Site's own
				admitted, answer, err := holdingsOf(ctx, ui, in, &previous, shared)
				if err != nil {
					return err
				}
				list := report.ListHosts(admitted.Loaded.Site.Name, answer, admitted.Clusters.Options.Reserved)
				if err := only.keep(list); err != nil {
					return err
				}
				if err := showHosts(ui, list, output.Format); err != nil || output.Format != "table" && output.Format != "wide" {
					return err
				}
				kept, err := keptBefore(admitted)
				if words, n := report.KeptWords(kept); n > 0 {
					fmt.Fprintf(ui.Out, "Of the free hosts, %s.\n", words)
				}
				return err
			}, fleetOptions{hosts: shared})
		},
	}
	in.Flags(command)
	in.SelectFlag(command)
	previous.Flags(command, &in)
	flags := command.Flags()
	flags.StringVarP(&only.selector, "selector", "l", "", "list only the hosts with these labels: a label selector")
	flags.StringVar(&only.rack, "rack", "", "list only the hosts of this rack")
	flags.StringVar(&only.cluster, "cluster", "",
		"list only the hosts that this cluster holds or is releasing: `NAMESPACE/NAME`, or a unique name")
	flags.StringSliceVar(&only.states, "state", nil,
		"list only the hosts in these states: "+strings.Join(report.HostStates(), ", "))
	output.Flag(command, "table", "wide", "json", "csv", "name")
	cmdline.CompleteFlag(command, "state", report.HostStates()...)
	return command
}

// holdingsOf returns the owner of each host, before anything is planned, and notes the hosts of a Site of a fleet.
func holdingsOf(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs, previous *cmdline.Previous,
	shared *fleet.Hosts) (*app.Admitted, *holdings.Holdings, error) {
	read := func(site *v1alpha1.Site, hostsRead time.Time) (app.Before, error) {
		return previous.ReadOrWarn(ctx, ui, site, hostsRead)
	}
	loaded, before, err := withTree(ctx, ui, in, shared, read)
	if err != nil {
		return nil, nil, err
	}
	admitted, err := app.Admit(loaded, before)
	if err != nil {
		return nil, nil, err
	}
	if words := admitted.Old(); words != "" {
		ui.Say("warning: %s", words)
	}
	clusters := admitted.Clusters // with the hosts as the run takes them
	answer, err := schedule.Holdings(clusters.All, admitted.Loaded.Hosts.Hosts, clusters.Claims, clusters.Options)
	if err == nil && shared != nil {
		var ofClusters, all []string
		for i := range answer.Hosts {
			h := &answer.Hosts[i]
			if all = append(all, h.Host.UID); h.State == holdings.Held || h.State == holdings.Leaving {
				ofClusters = append(ofClusters, h.Host.UID)
			}
		}
		shared.Listed(loaded.Site.Name, ofClusters, all)
	}
	return admitted, answer, err
}

// hostFilter selects the hosts to list: those that meet all conditions that are set.
type hostFilter struct {
	selector, rack, cluster string
	states                  []string
	labels                  labels.Selector
}

// check reads the flags.
func (f *hostFilter) check() (err error) {
	if f.labels, err = labels.Parse(f.selector); err != nil {
		err = redact.Errorf("--selector: found %q, want a label selector, as in rack=r7,kind!=gpu", f.selector)
	}
	known := report.HostStates()
	for _, state := range f.states {
		if !slices.Contains(known, state) {
			err = errors.Join(err, redact.Errorf("--state: found %q, want %s%s", state, strings.Join(known, ", "),
				cmdline.DidYouMean(state, known)))
		}
	}
	return err
}

// keep drops the other hosts from the list. A rack or a cluster that no host has is misspelled.
func (f *hostFilter) keep(list *report.HostList) error {
	var racks, clusters []string
	for i := range list.Hosts {
		racks, clusters = append(racks, list.Hosts[i].Rack), append(clusters, list.Hosts[i].Cluster)
	}
	distinct := func(words []string) []string {
		slices.Sort(words)
		return slices.DeleteFunc(slices.Compact(words), func(word string) bool { return word == "" })
	}
	racks, clusters = distinct(racks), distinct(clusters)
	if f.rack != "" && !slices.Contains(racks, f.rack) {
		return redact.Errorf("--rack: found %q, and no host has that rack%s", f.rack, cmdline.DidYouMean(f.rack, racks))
	}
	if f.cluster != "" {
		key, err := cmdline.OneOf(f.cluster, "cluster with hosts", clusters)
		if err != nil {
			return fmt.Errorf("--cluster: %w", err)
		}
		f.cluster = key
	}
	list.Hosts = slices.DeleteFunc(list.Hosts, func(h report.ListedHost) bool {
		return f.rack != "" && h.Rack != f.rack || f.cluster != "" && h.Cluster != f.cluster ||
			len(f.states) > 0 && !slices.Contains(f.states, h.State) || !f.labels.Matches(labels.Set(h.Labels))
	})
	return nil
}

// showHosts prints a list of hosts.
func showHosts(ui *terminal.UI, list *report.HostList, output string) error {
	switch output {
	case "json":
		return ui.JSON(list)
	case "csv":
		return csv.NewWriter(ui.Out).WriteAll(withoutFormulas(list.Rows(true)))
	case "name":
		for i := range list.Hosts {
			fmt.Fprintln(ui.Out, list.Hosts[i].Host)
		}
		return nil
	}
	if len(list.Hosts) > 0 {
		rows := list.Rows(output == "wide")
		if err := ui.Columns(rows, len(rows[0])-1); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(ui.Out, "%s.\n", list.Summary())
	return err
}

// withoutFormulas puts a single quote before each cell that a spreadsheet would run as a formula (OWASP, CSV
// Injection).
func withoutFormulas(rows [][]string) [][]string {
	for _, row := range rows {
		for i, cell := range row {
			if cell != "" && strings.Contains("=+-@\t\r", cell[:1]) {
				row[i] = "'" + cell
			}
		}
	}
	return rows
}
