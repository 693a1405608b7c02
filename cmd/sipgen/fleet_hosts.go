package main

import (
	"context"
	"slices"
	"time"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/fleet"
)

// ofFleet returns the inputs of one Site of a fleet, without the hosts that other Sites have.
func ofFleet(in *cmdline.Inputs, site *fleet.Site, hosts *fleet.Hosts) *cmdline.Inputs {
	own := in.Of(site)
	if hosts != nil {
		own.Taken = hosts.Taken(site.Name)
		hosts.Planned(site.Name, nil, nil) // unless this run does
	}
	return own
}

// hostsOfFleet returns where the Sites of a run note their hosts, nil for a run of one Site.
func hostsOfFleet(in *cmdline.Inputs) *fleet.Hosts {
	if in.Fleet() {
		return &fleet.Hosts{}
	}
	return nil
}

// sayShared prints what Sites share.
func sayShared(ui *terminal.UI, hosts *fleet.Hosts) {
	for _, words := range hosts.Words() {
		ui.Say("%s", words)
	}
}

// planHosts is inOrder for Sites that assign hosts. One that assigns the host of another Site is run again without the
// host, until each is one Site's (contract 35), and only then are the outputs handed over. now are those of all Sites
// that are to run; without hosts there is nothing to resolve.
func planHosts(ctx context.Context, all, now []fleet.Site, hosts *fleet.Hosts,
	run func(context.Context, *fleet.Site) *siteOutput, take func(*siteOutput) error) error {
	if hosts == nil {
		return inOrder(ctx, now, sideBySide, run, take)
	}
	var outputs keptOutputs
	defer func() { _ = outputs.close() }() // it has no name
	for len(now) > 0 {
		if err := inOrder(ctx, now, sideBySide, run, outputs.keep); err != nil {
			return err
		}
		again := hosts.Resolve()
		now = slices.DeleteFunc(slices.Clone(all), func(s fleet.Site) bool { return !slices.Contains(again, s.Name) })
	}
	for i := range all {
		done, err := outputs.take(all[i].Name)
		if err == nil && done != nil {
			err = take(done)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// withTree reads a Site's inputs and the tree that read gives, whose hosts it notes, also if the Site cannot be
// planned. hosts is nil in a run of one Site.
func withTree(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs, hosts *fleet.Hosts,
	read func(site *v1alpha1.Site, hostsRead time.Time) (app.Before, error)) (loaded *app.Loaded, before app.Before,
	err error) {
	return noteTree(in, hosts, read, func() (*app.Loaded, error) { return in.Load(ctx, ui) })
}

// noteTree is withTree for inputs that load reads.
func noteTree(in *cmdline.Inputs, hosts *fleet.Hosts,
	read func(site *v1alpha1.Site, hostsRead time.Time) (app.Before, error),
	load func() (*app.Loaded, error)) (loaded *app.Loaded, before app.Before, err error) {
	if loaded, err = load(); err != nil {
		noteUnread(hosts, in, read)
		return nil, before, err
	}
	if before, err = read(loaded.Site, loaded.Hosts.TakenAt); err == nil && hosts != nil {
		hosts.Held(loaded.Site.Name, app.HeldUIDs(before.Files))
	}
	return loaded, before, err
}

// noteUnread notes the hosts in the tree of a Site whose inputs have an error: they stay its own. read reads the tree.
func noteUnread(hosts *fleet.Hosts, in *cmdline.Inputs,
	read func(site *v1alpha1.Site, hostsRead time.Time) (app.Before, error)) {
	if hosts == nil {
		return
	}
	if site, err := in.LoadSite(nil); err == nil {
		if before, err := read(site, time.Time{}); err == nil { // else its own error has been said
			hosts.Held(site.Name, app.HeldUIDs(before.Files))
		}
	}
}

// noteHosts notes the hosts that a Site has and, if its tree may be written, those that it assigns: a refused Site
// leaves them to the others. hosts is nil in a run of one Site.
func noteHosts(hosts *fleet.Hosts, planned *app.Planned, written bool) {
	if hosts == nil {
		return
	}
	uids, bmcs := planned.Hosts()
	noteAssigned(hosts, planned, written, uids, bmcs)
	hosts.Synced(planned.Applications())
}

// noteAlone is noteHosts for a command that says nothing of what Sites share but their hosts.
func noteAlone(hosts *fleet.Hosts, planned *app.Planned, written bool) {
	if hosts != nil {
		uids, _ := planned.Hosts()
		noteAssigned(hosts, planned, written, uids, nil)
	}
}

func noteAssigned(hosts *fleet.Hosts, planned *app.Planned, written bool, uids, bmcs []string) {
	if !written {
		uids = nil
	}
	name := planned.Loaded.Site.Name
	hosts.Held(name, app.HeldUIDs(planned.Before.Files))
	hosts.Planned(name, uids, bmcs)
}
