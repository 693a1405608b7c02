package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/api/v1alpha1/validation"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/push"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/fleet"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish"
)

// publishFleet publishes the Sites of a fleet: those of one repository and branch in one commit (contract 33).
func publishFleet(cmd *cobra.Command, ui *terminal.UI, in *cmdline.Inputs, losses tolerance, dest *push.Settings,
	ask *push.Approval) error {
	meta, err := dest.Meta(time.Now())
	if err != nil {
		return err
	}
	if in.Sliced() && dest.Proposes() {
		return errors.New("--slice and --propose: a proposal is the whole fleet's, and each slice would replace it")
	}
	sites, err := in.Sites(cmd)
	if err == nil {
		err = losses.checkFleet(sites)
	}
	if err != nil {
		return err
	}
	codes, hosts, groups := map[string]int{}, &fleet.Hosts{}, byBranch(sites, dest)
	if len(groups) > 1 {
		if err := settleHosts(cmd.Context(), ui, in, losses, dest, sites, hosts); err != nil {
			return err
		}
	}
	for _, of := range groups {
		p := &fleetPublication{ui: ui, in: in, losses: losses, dest: dest, sites: of, codes: codes, hosts: hosts,
			reviews: make([]report.SiteReview, len(of)), lines: make([]report.SiteLine, len(of)),
			files: make([]map[publish.Kind]int, len(of)), trailers: make([][]publish.Trailer, len(of))}
		if err := p.publish(cmd.Context(), meta, ask); err != nil {
			if cmd.Context().Err() != nil {
				return err
			}
			fail(ui, unpushed(err))
			for i := range of {
				codes[of[i].Name] = exitError
			}
			continue
		}
		hosts.Written(of)
	}
	sayShared(ui, hosts)
	var tally fleet.Tally
	for i := range sites {
		tally.Add(sites[i].Name, codes[sites[i].Name])
	}
	return &fleetError{tally}
}

// settleHosts plans all Sites without a word: the branches are pushed one after the other, and a Site of a later one
// may have a host in its tree, or be the first by name that assigns it (contract 35). Each Site's own run reports its
// errors.
func settleHosts(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs, losses tolerance, dest *push.Settings,
	sites []fleet.Site, hosts *fleet.Hosts) error {
	run := func(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs) error {
		how, err := losses.of(in)
		if err != nil {
			return err
		}
		previous := dest.Previous(in)
		read := func(site *v1alpha1.Site, hostsRead time.Time) (app.Before, error) {
			return previous.Read(ctx, ui, site, hostsRead)
		}
		loaded, before, err := withTree(ctx, ui, in, hosts, read)
		if err != nil {
			return err
		}
		checked, err := publishable(ctx, ui, loaded, before, how)
		if err == nil {
			noteHosts(hosts, checked.Plan, true)
		}
		return err
	}
	return planHosts(ctx, sites, sites, hosts, func(ctx context.Context, site *fleet.Site) *siteOutput {
		return runSite(ctx, ui, ofFleet(in, site, hosts), site, run)
	}, func(*siteOutput) error { return nil })
}

// byBranch returns the Sites of each repository and branch. Those with an error have no place, and are behind the first
// ones.
func byBranch(sites []fleet.Site, dest *push.Settings) (groups [][]fleet.Site) {
	of := func(a, b *fleet.Site) int {
		url, branch := dest.Place(a)
		otherURL, otherBranch := dest.Place(b)
		return cmp.Or(cmp.Compare(url, otherURL), cmp.Compare(branch, otherBranch))
	}
	placed := func(s fleet.Site) bool { return s.URL != "" }
	sorted, unplaced := slices.DeleteFunc(slices.Clone(sites), func(s fleet.Site) bool { return !placed(s) }),
		slices.DeleteFunc(slices.Clone(sites), placed)
	slices.SortStableFunc(sorted, func(a, b fleet.Site) int { return of(&a, &b) })
	for i := range sorted {
		if last := len(groups) - 1; last >= 0 && of(&groups[last][0], &sorted[i]) == 0 {
			groups[last] = append(groups[last], sorted[i])
		} else {
			groups = append(groups, []fleet.Site{sorted[i]})
		}
	}
	if len(groups) == 0 && len(unplaced) > 0 {
		groups = make([][]fleet.Site, 1)
	}
	if len(unplaced) > 0 {
		groups[0] = append(groups[0], unplaced...)
	}
	return groups
}

// fleetPublication is one commit of a fleet under way. Of a Site that is planned it keeps what the commit says of it.
type fleetPublication struct {
	ui     *terminal.UI
	in     *cmdline.Inputs
	losses tolerance
	dest   *push.Settings
	sites  []fleet.Site
	codes  map[string]int // exit codes, by Site
	hosts  *fleet.Hosts   // of all Sites of the run

	to       *push.Destination
	reviews  []report.SiteReview
	lines    []report.SiteLine
	files    []map[publish.Kind]int // of changed files: their names would be most of what is kept of a Site
	trailers [][]publish.Trailer    // nil: its run failed
	shared   report.SharedChanges
}

// errAllFailed ends a publication without a Site that could be planned.
var errAllFailed = errors.New("all Sites failed")

// publish plans the Sites, commits and pushes.
func (p *fleetPublication) publish(ctx context.Context, meta publish.Meta, ask *push.Approval) error {
	placed := p.sites
	if at := slices.IndexFunc(p.sites, func(s fleet.Site) bool { return s.URL == "" }); at >= 0 {
		placed = p.sites[:at]
	}
	if len(placed) == 0 { // each Site has an error
		return p.plan(ctx, nil)
	}
	var err error
	if p.to, err = p.dest.FleetDestination(placed, meta); err != nil {
		return err
	}
	for _, warning := range p.to.Warnings {
		p.ui.Say("warning: %s", warning)
	}
	ask.Begin(p.ui, p.to)
	p.to.Target.Waiting = func(reason string) {
		p.ui.Say("another push holds the branch; trying again for up to three minutes: %s", reason)
	}
	var folders []string
	for i := range placed {
		folders = append(folders, placed[i].Folder)
	}
	attempt := func(ctx context.Context, round *publish.Round) (publish.Meta, error) {
		if err := p.plan(ctx, round); err != nil {
			return meta, err
		}
		return p.meta(ask)
	}
	done, err := publish.LoopSites(ctx, p.to.Target, folders, attempt)
	switch {
	case errors.Is(err, errAllFailed), errors.Is(err, push.ErrDryRun):
		return nil
	case err != nil:
		return err
	}
	if done.Changed {
		p.ui.Done = fmt.Sprintf("%s: %s is pushed", p.to.Target, done.Commit)
	}
	serverSaid, hint := p.to.PullRequest.CutHint(done.Server)
	if serverSaid != "" {
		p.ui.Say("%s reports: %s", p.to.Target, serverSaid)
	}
	if done.Changed {
		fmt.Fprintln(p.ui.Out, done.Commit)
		p.ui.Say("%s: committed %s, %s, %s", p.to.Target, done.Commit, text.Count(len(p.changed()), "site"), p.count())
	} else {
		p.ui.Say("%s: nothing to commit, up to date at %s", p.to.Target, done.Commit)
	}
	return p.to.PullRequest.RequestFleet(ctx, p.ui, done, p.to.Meta, p.review(), hint)
}

// plan plans the Sites of a round; in the first one those with an error, too. Without a round there are only those.
func (p *fleetPublication) plan(ctx context.Context, round *publish.Round) error {
	p.hosts.Again()
	var now []fleet.Site
	at := map[string]int{}
	add := func(i int) {
		now, at[p.sites[i].Name] = append(now, p.sites[i]), i
	}
	if round == nil {
		for i := range p.sites {
			add(i)
		}
	} else {
		for _, i := range round.Folders {
			add(i)
		}
		for i := range p.sites {
			if _, planned := p.codes[p.sites[i].Name]; p.sites[i].URL == "" && !planned {
				add(i)
			}
		}
	}
	slices.SortFunc(now, func(a, b fleet.Site) int { return cmp.Compare(a.Name, b.Name) })
	all := p.sites
	if round != nil { // one that another round has planned may assign a host of these
		for i := range p.sites {
			at[p.sites[i].Name] = i
		}
		all = slices.SortedFunc(slices.Values(p.sites), func(a, b fleet.Site) int { return cmp.Compare(a.Name, b.Name) })
	}
	out := &fleetOutput{ui: p.ui}
	return planHosts(ctx, all, now, p.hosts, func(ctx context.Context, site *fleet.Site) *siteOutput {
		i := at[site.Name]
		p.lines[i], p.files[i], p.trailers[i] = report.SiteLine{}, nil, nil
		run := func(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs) error {
			return p.planSite(ctx, ui, in, round, i)
		}
		done := runSite(ctx, p.ui, ofFleet(p.in, site, p.hosts), site, run)
		if done.failure != nil {
			p.reviews[i] = report.FailedReview(site.Name, done.errors())
		}
		return done
	}, func(done *siteOutput) error {
		p.codes[done.site.Name] = done.code
		return out.print(done)
	})
}

// planSite plans one Site, and puts its tree into the commit.
func (p *fleetPublication) planSite(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs, round *publish.Round,
	i int) error {
	how, err := p.losses.of(in)
	if err != nil {
		return err
	}
	how.Pushes = true
	var snapshot *publish.Snapshot
	var unread error
	if round != nil && p.sites[i].URL != "" { // its hosts stay its own also if it cannot be planned
		if snapshot, unread = round.Snapshot(ctx, i); unread == nil {
			p.hosts.Held(p.sites[i].Name, app.HeldUIDs(snapshot.Tree))
		}
	}
	loaded, err := in.Load(ctx, ui)
	if err = cmp.Or(err, unread); err != nil {
		return err
	}
	target := p.to.Target
	target.Path = loaded.Site.Spec.Repository.Path
	if inside := validation.BaseInside(loaded.Site, target.Path); inside != "" {
		return redact.Errorf("spec.hosts.base: %s", inside)
	}
	for _, warning := range p.dest.Elsewhere(loaded.Site, target) {
		ui.Say("warning: %s", warning)
	}
	before, err := app.ReadSnapshot(ctx, target, snapshot, loaded.Hosts.TakenAt)
	if err != nil {
		return err
	}
	checked, err := publishable(ctx, ui, loaded, before, how)
	if err != nil {
		return err
	}
	noteHosts(p.hosts, checked.Plan, true)
	words := compare(ui, checked.Rendered)
	changes, err := round.Put(ctx, i, snapshot, checked.Rendered.Tree, checked.Rendered.Lists())
	if err != nil {
		return err
	}
	if p.trailers[i], err = push.Trailers(loaded, p.dest.Version); err != nil {
		return err
	}
	words.Files = push.FilesOf(changes)
	p.reviews[i] = report.ReviewOf(words, before.Files, checked.Rendered.Tree, loaded.LeftToOthers()...)
	p.shared.Keep(&p.reviews[i])
	p.lines[i] = report.SiteLine{Site: loaded.Site.Name, Summary: words.Summary(), Files: len(changes)}
	if len(changes) == 0 { // what a reviewer would have read in the commit
		for _, danger := range words.Standing() {
			ui.Say("danger: %s", danger)
		}
	}
	p.files[i] = countKinds(changes)
	sayAge(ui, loaded, p.to.Meta.When)
	return outcome(checked.Plan)
}

// changed returns a line for each Site that changes, by name.
func (p *fleetPublication) changed() []report.SiteLine {
	lines := slices.DeleteFunc(slices.Clone(p.lines), func(l report.SiteLine) bool { return l.Files == 0 })
	slices.SortFunc(lines, func(a, b report.SiteLine) int { return cmp.Compare(a.Site, b.Site) })
	return lines
}

// review returns the review of the Sites, by name.
func (p *fleetPublication) review() *report.Review {
	sites := slices.Clone(p.reviews)
	slices.SortFunc(sites, func(a, b report.SiteReview) int { return cmp.Compare(a.Site, b.Site) })
	review := &report.Review{}
	for i := range sites {
		review.Add(sites[i])
	}
	return review
}

// count returns how many files the commit changes.
func (p *fleetPublication) count() string {
	all := map[publish.Kind]int{}
	for _, of := range p.files {
		for kind, n := range of {
			all[kind] += n
		}
	}
	return sayKinds(all)
}

// meta returns the metadata of the commit for what was planned.
func (p *fleetPublication) meta(ask *push.Approval) (publish.Meta, error) {
	var names []string
	var own [][]publish.Trailer
	for i := range p.sites {
		if p.trailers[i] != nil {
			names, own = append(names, p.sites[i].Name), append(own, p.trailers[i])
		}
	}
	if len(own) == 0 {
		return publish.Meta{}, errAllFailed
	}
	meta := p.to.Meta
	meta.Trailers = append(push.FleetTrailers(names, own), meta.Trailers...)
	meta.Message = func([]publish.Change) string {
		return report.FleetMessage(p.review(), p.changed(), p.to.Subject)
	}
	meta.Approve = func([]publish.Change) error {
		return ask.ApproveFleet(p.ui, p.review(), reviewOnScreen, p.count())
	}
	return meta, nil
}
