package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/status"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/files"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// siteStatus is what `sipgen status -o json` prints.
type siteStatus struct {
	APIVersion string              `json:"apiVersion"`
	Kind       string              `json:"kind"`
	Site       string              `json:"site"`
	Hosts      []status.HostStatus `json:"hosts"`
	// Services are those of the tree and the Site, where they could be read.
	Services []status.Service `json:"services,omitempty"`
	// Edited are the files of the tree that were edited or deleted by hand.
	Edited []app.EditedFile `json:"edited,omitempty"`
	// Findings are hosts in use without a status, and contradictions between the owners of hosts and the Cluster API
	// clusters that use them.
	Findings []finding.Finding `json:"findings,omitempty"`
}

func newStatus(ui *terminal.UI) *cobra.Command {
	var (
		in       cmdline.Inputs
		previous cmdline.Previous
		output   cmdline.Output
		write    bool
		wait     time.Duration
	)
	command := &cobra.Command{
		Use:   "status [--write | --wait TIME] [--previous DIR | --repo URL]",
		Short: "Compare the tree with the live hosts: unsynced and stuck changes",
		Long: `Print what the live hosts lack of the tree (default: the Site's repository): unsynced labels,
releases and what they wait for, edited labels, patches that the guards deny, failed hosts, emptied
specs. Without --write, no specs are read and nothing is written.

Then print the services that are not ready: the Site's Ironics, Vinos and PlacementAPIs by their
conditions, the rollouts of the clusters' services, and the engine's Kustomizations or Applications:
which commit each has applied, and which are suspended or fail: there an operator has to act, and if
hosts carry labels, on a missing root or source of the engine. The reader of policy/ may list all
but vinoes: a Vino holds the BMCs' password. Of files, the objects among those of --inventory are
printed.

-o wide also lists healthy hosts and services.

--wait returns when each host and service is as in the tree, or is stuck. It goes on while the
engine tries a failed sync again. After the time it prints what is not live yet, and exits with 1.

--write also plans, and writes the assigned and missing hosts and the condition Ready into the
status of the SIPClusters, if changed, and nothing else. It needs the permission to patch
sipclusters/status, which the Site's spec.runner.status grants to an account.

Hosts with machines of another Cluster API cluster are findings.

Exit codes: 0 done, or pending without you; 1 an operator has to act, a file of the tree was edited,
or a finding; 2 an error.`,
		Example: `  sipgen status --site site.yaml --inventory cluster
  sipgen status --site site.yaml --inventory inventory.yaml --previous tree -o json
  sipgen status --site site.yaml --inventory cluster --wait 10m
  sipgen status --site site.yaml --inventory cluster -f cluster --write`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := output.Check(); err != nil {
				return err
			}
			switch {
			case wait < 0:
				return fmt.Errorf("--wait: found %s, want a time that is not negative", wait)
			case wait > 0 && write:
				return errors.New("--wait is for reading, and --write for a CronJob: want one of them")
			case wait > 0 && in.Inventory == manifest.Stdin:
				return errors.New("--wait: --inventory: standard input cannot be read again, want a file or the word cluster")
			}
			end := time.Now().Add(wait) // for all Sites of a fleet
			return eachSite(cmd, ui, &in, output.Format, func(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs) error {
				previous := previous // a Site's own
				if write {
					return reportToTenants(ctx, ui, in, &previous, output.Format)
				}
				site, err := in.LoadSite(ui.In)
				if err != nil {
					return err
				}
				if err := in.CheckInventory(); err != nil {
					return err
				}
				if wait > 0 {
					if err := waitUntilLive(ctx, ui, wait, end, in, &previous, site); err != nil {
						return err
					}
				}
				before, found, err := readStatus(ctx, ui, in, &previous, site, output.Format == "wide")
				if found == nil {
					return err
				}
				// Without the tree it shows what hosts say of themselves: one whose spec was emptied does not wait for
				// git.
				err = cmp.Or(err, showStatus(ui, before, found, output.Format))
				if waiting := found.waiting(); wait > 0 && waiting != "" {
					ui.Say("not live after %s: %s", wait, waiting)
					err = cmp.Or(err, errFinding)
				}
				return err
			})
		},
	}
	in.SiteFlag(command)
	in.SelectFlag(command)
	in.ClusterFlags(command)
	previous.Flags(command, nil) // --wait reads them again
	flags := command.Flags()
	in.InventoryFlag(command)
	in.SpecsFlag(command, "with --write: ")
	flags.BoolVar(&write, "write", false, "write the status of the SIPClusters on the cluster")
	flags.DurationVar(&wait, "wait", 0, "wait this long until the tree is live, as in 10m")
	output.Flag(command, "table", "wide", "json")
	return command
}

// waiting returns what of the tree is on its way, "" if all is live or stuck.
func (s *siteStatus) waiting() string {
	var parts []string
	if n := count(s.Hosts, status.HostStatus.Waits); n > 0 {
		parts = append(parts, text.Count(n, "host"))
	}
	own, syncs := status.Count(s.Services, status.Service.Waits)
	if own > 0 {
		parts = append(parts, text.Count(own, "service"))
	}
	if syncs > 0 {
		parts = append(parts, text.Count(syncs, "sync object"))
	}
	return strings.Join(parts, ", ")
}

func count[T any](of []T, is func(T) bool) (n int) {
	for _, one := range of {
		if is(one) {
			n++
		}
	}
	return n
}

// waitUntilLive returns when nothing of the tree is on its way, or at the end of the time.
func waitUntilLive(ctx context.Context, ui *terminal.UI, wait time.Duration, end time.Time, in *cmdline.Inputs,
	previous *cmdline.Previous, site *v1alpha1.Site) error {
	defer ui.Stage("waiting until the tree is live")()
	quiet := ui.Quiet() // the last read repeats the messages
	interval := min(max(wait/20, 100*time.Millisecond), 10*time.Second)
	for time.Now().Add(interval).Before(end) {
		_, found, err := readStatus(ctx, quiet, in, previous, site, false)
		if err != nil || found.waiting() == "" {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(interval):
		}
	}
	return nil
}

// readStatus compares the tree with the live objects. If the Site's repository cannot be read, found has the state of
// the hosts alone, with the error.
func readStatus(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs, previous *cmdline.Previous,
	site *v1alpha1.Site, wide bool) (before app.Before, found *siteStatus, err error) {
	hosts, err := readHosts(ctx, ui, in, site)
	if err != nil {
		return before, nil, err
	}
	before, unread := previous.Read(ctx, ui, site, hosts.TakenAt)
	if is := (*cmdline.PreviousError)(nil); unread != nil && !errors.As(unread, &is) {
		return before, nil, unread
	}
	claims, err := before.Previous(site)
	if err = errors.Join(err, before.Unsealed); err != nil {
		return before, nil, err
	}
	if words := app.NotLive(hosts, in.Inventory == app.FromCluster, before); words != "" {
		ui.Warn("%s", words)
	}
	warnOfForeign(ui, &before, site, before.Files)
	for _, words := range sentences(before.EditedByHand(), true) {
		ui.Say("warning: %s", words)
	}
	answer, err := schedule.Holdings(nil, hosts.Hosts, claims, app.Options(site))
	if err != nil {
		return before, nil, err
	}
	states := status.Of(statusInput(site, before, answer, hosts))
	if unread != nil { // then it is not known whether the tree has a host
		states = slices.DeleteFunc(states, func(h status.HostStatus) bool { return h.State == status.LeftAlone })
	}
	return before, &siteStatus{v1alpha1.APIVersion, "Status", site.Name, states,
		servicesOf(ctx, ui, in, site, before, anyLabeled(answer), wide), before.Edited,
		append(sentence.ForgottenOf(finding.To(v1alpha1.Kind, "", site.Name), answer),
			sentence.Conflicts(answer)...)}, unread
}

// readHosts reads the hosts of a site without what a plan needs of them.
func readHosts(
	ctx context.Context, ui *terminal.UI, in *cmdline.Inputs, site *v1alpha1.Site,
) (hosts *inventory.Inventory, err error) {
	if in.Inventory == app.FromCluster {
		hosts, err = in.LiveState(ctx, site, time.Now())
	} else {
		hosts, err = files.Load([]string{in.Inventory}, ui.In)
	}
	if err == nil {
		hosts, _, err = app.OfTheSite(site, hosts)
	}
	return hosts, err
}

// anyLabeled reports whether a host carries labels of a cluster.
func anyLabeled(answer *holdings.Holdings) bool {
	for i := range answer.Hosts {
		if answer.Hosts[i].Labels.NameCluster() {
			return true
		}
	}
	return false
}

// statusInput returns the tree and the hosts, with the findings of preflight for the hosts that the tree patches.
func statusInput(site *v1alpha1.Site, before app.Before, answer *holdings.Holdings,
	hosts *inventory.Inventory) status.Input {
	patched, refused := map[string]bool{}, map[string]string{}
	for _, claim := range answer.Tree {
		patched[claim.Host.String()] = true
	}
	isPatched := func(host *inventory.Host) bool { return patched[host.Key()] }
	for _, f := range preflight.Check(site, hosts.Hosts, isPatched) {
		if f.Severity == finding.Error {
			refused[f.Object.Key()] = f.Sentence()
		}
	}
	clusters := map[schedule.ClusterKey]bool{}
	for name := range before.Files {
		if folders := strings.Split(name, "/"); render.IsAssignments(name) && len(folders) == 4 {
			clusters[schedule.ClusterKey{Namespace: folders[1], Name: folders[2]}] = true
		}
	}
	return status.Input{
		Holdings: answer, Keys: app.Options(site).Keys, NoTree: before.Missing(), Clusters: clusters, Refused: refused,
	}
}

// showStatus prints the hosts and the services, and ends in a finding if one is stuck.
func showStatus(ui *terminal.UI, before app.Before, shown *siteStatus, output string) error {
	hosts, services := shown.Hosts, shown.Services
	stuck := 0
	stuckServices, stuckSyncs := status.Count(services, func(s status.Service) bool { return s.Stuck })
	for _, h := range hosts {
		if h.Stuck {
			stuck++
		}
	}
	if output == "json" {
		if err := ui.JSON(shown); err != nil {
			return err
		}
	} else {
		var rows [][]string
		for _, h := range hosts {
			if h.State == status.Synced && h.What == "" && output != "wide" {
				continue
			}
			if len(rows) == 0 {
				rows = append(rows, []string{"HOST", "CLUSTER", "ROLE", "STATE", "WHAT"})
			}
			rows = append(rows, []string{text.Line(h.Host), text.Line(h.Cluster), text.Line(h.Role), string(h.State),
				text.Line(h.What)})
		}
		if err := ui.Columns(rows, 4); err != nil {
			return err
		}
		fmt.Fprintf(ui.Out, "%s.\n", status.Summary(hosts))
		if err := showServices(ui, services, before.Commit, output); err != nil {
			return err
		}
		for i := range shown.Findings {
			fmt.Fprintln(ui.Out, shown.Findings[i].String())
		}
	}
	if stuckServices > 0 {
		ui.Say("%s", text.Plural(stuckServices, "service is stuck", "services are stuck"))
	}
	if stuckSyncs > 0 {
		ui.Say("%s", text.Plural(stuckSyncs, "sync object is stuck", "sync objects are stuck"))
	}
	if stuck > 0 {
		ui.Say("%s", text.Plural(stuck, "host is stuck", "hosts are stuck"))
		if before.Missing() {
			ui.Say("%s has no tree, and hosts carry labels of clusters: "+
				"if there was a tree, it is lost, and these are its hosts; "+
				`do not release them (sipgen help runbook tree-lost)`, before.Where)
		}
	}
	if len(before.Edited) > 0 {
		ui.Say("%s has %s: the engine applies the edited files; find out who changed them "+
			"(sipgen help runbook edited-file)",
			before.Where, text.Plural(len(before.Edited), "edited file",
				"edited files"))
	}
	if stuck+stuckServices+stuckSyncs+len(shown.Findings) > 0 || len(before.Edited) > 0 {
		return errFinding
	}
	return nil
}
