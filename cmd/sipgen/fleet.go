package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/fleet"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report"
)

// siteRun is what a command does for one Site. It changes nothing that the runs of other Sites see.
type siteRun func(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs) error

// eachSite runs a command for its Site, or for each Site of a fleet, in the order of their names. A Site's run is what
// it is alone; a Site's error is that Site's, and the others go on (contract 33, 34).
func eachSite(cmd *cobra.Command, ui *terminal.UI, in *cmdline.Inputs, format string, run siteRun,
	options ...fleetOptions) error {
	if !in.Fleet() {
		return run(cmd.Context(), ui, in)
	}
	if slices.Contains(ofOneSite, format) {
		return redact.Errorf("--output: %s is a document about one Site, and --site names a fleet", format)
	}
	sites, err := in.Sites(cmd)
	if err != nil {
		return err
	}
	out := &fleetOutput{ui: ui, format: format}
	var hosts *fleet.Hosts
	for _, option := range options {
		if out.reviews, hosts = option.reviews, option.hosts; option.check == nil {
			continue
		}
		if err := option.check(sites); err != nil {
			return err
		}
	}
	var tally fleet.Tally
	err = planHosts(cmd.Context(), sites, sites, hosts, func(ctx context.Context, site *fleet.Site) *siteOutput {
		done := runSite(ctx, ui, ofFleet(in, site, hosts), site, run)
		if out.replaced() {
			done.out = bytes.Buffer{} // replaced by the review; Reset would keep its memory
		}
		return done
	}, func(done *siteOutput) error {
		tally.Add(done.site.Name, done.code)
		return out.print(done)
	})
	if err == nil && hosts != nil {
		sayShared(ui, hosts)
	}
	return cmp.Or[error](err, out.end(), &fleetError{tally})
}

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

// fleetOptions are what a command has for a fleet.
type fleetOptions struct {
	// check is about all Sites.
	check func([]fleet.Site) error
	// reviews are of the Sites that are planned; nil: the command has no review.
	reviews *siteReviews
	// hosts are those that the Sites have and assign; nil: the command plans none.
	hosts *fleet.Hosts
}

// siteReviews takes the reviews of Sites that run side by side.
type siteReviews struct {
	taking sync.Mutex
	of     map[string]report.SiteReview // until their turn
	whole  report.Review
}

func (r *siteReviews) add(s report.SiteReview) {
	r.taking.Lock()
	defer r.taking.Unlock()
	r.of[s.Site] = s
}

// take adds a Site to the whole review.
func (r *siteReviews) take(done *siteOutput) {
	r.taking.Lock()
	defer r.taking.Unlock()
	if s, planned := r.of[done.site.Name]; planned {
		r.whole.Add(s)
		delete(r.of, s.Site)
		return
	}
	r.whole.Add(report.FailedReview(done.site.Name, done.errors()))
}

// ofOneSite are the formats that have no form for several Sites.
var ofOneSite = []string{"html", "network", "sarif", "name"}

// sideBySide is how many Sites run at the same time. It bounds the memory of a run, whatever the machine has.
const sideBySide = 4

// inOrder runs at most so many Sites side by side, and hands over what they return in the order of the Sites. A Site
// that waits for its turn counts, so that no more outputs are kept.
func inOrder(ctx context.Context, sites []fleet.Site, most int, run func(context.Context, *fleet.Site) *siteOutput,
	take func(*siteOutput) error) error {
	var running sync.WaitGroup
	free, turns := make(chan struct{}, most), make(chan chan *siteOutput, most)
	ctx, stop := context.WithCancel(ctx)
	defer running.Wait()
	defer stop()
	running.Go(func() {
		defer close(turns)
		for i := range sites {
			select {
			case free <- struct{}{}:
			case <-ctx.Done():
				return
			}
			turn := make(chan *siteOutput, 1)
			turns <- turn
			running.Go(func() { turn <- run(ctx, &sites[i]) })
		}
	})
	for turn := range turns {
		done := <-turn
		if ctx.Err() != nil {
			break
		}
		if err := take(done); err != nil {
			return err
		}
		<-free
	}
	return context.Cause(ctx)
}

// fleetError ends a fleet run with its exit code, after each Site has printed why.
type fleetError struct{ fleet.Tally }

func (e *fleetError) Error() string { return e.String() }

// siteOutput is what a Site's run printed, and its exit code.
type siteOutput struct {
	site     *fleet.Site
	out, err bytes.Buffer
	code     int
	// failure is why the run failed, nil if it did not.
	failure error
}

// runSite runs a command for one Site of a fleet.
func runSite(ctx context.Context, ui *terminal.UI, own *cmdline.Inputs, site *fleet.Site, run siteRun) *siteOutput {
	done := &siteOutput{site: site}
	name := site.Name
	if site.Unread { // the error names its file
		name = ""
	}
	siteUI := ui.OfSite(name, &done.out, &done.err)
	err := run(ctx, siteUI, own)
	switch {
	case err == nil:
	case errors.Is(err, errFinding):
		done.code = exitFinding
	case errors.Is(err, errRefused):
		done.code = exitError
	default:
		done.code, done.failure = exitError, err
		fail(siteUI, err)
	}
	return done
}

// siteFault is what a fleet run prints with -o json for a Site without a result.
type siteFault struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Site       string   `json:"site"`
	Errors     []string `json:"errors"`
}

// fleetOutput prints what the Sites of a fleet printed, in one format.
type fleetOutput struct {
	ui     *terminal.UI
	format string
	// headed: the header of the rows is printed.
	headed bool
	// reviews are printed at the end, in place of the Sites' tables.
	reviews *siteReviews
}

// replaced reports whether the review is printed in place of what the Sites print.
func (o *fleetOutput) replaced() bool {
	return o.reviews != nil && (o.format == "table" || o.format == "markdown")
}

// end prints the review, if there is one.
func (o *fleetOutput) end() error {
	if o.reviews == nil {
		return nil
	}
	var err error
	switch o.format {
	case "table":
		_, err = io.WriteString(o.ui.Out, o.reviews.whole.Text(reviewOnScreen))
	case "markdown":
		_, err = io.WriteString(o.ui.Out, o.reviews.whole.Markdown(report.ReviewComment))
	case "json":
		err = json.NewEncoder(o.ui.Out).Encode(&o.reviews.whole)
	}
	return err
}

// reviewOnScreen is the room of a review on a terminal.
var reviewOnScreen = report.ReviewRoom{Bytes: report.ReviewComment.Bytes, Lines: terminal.MostLines}

// print prints a Site's product below its name or by the rules of the format, and then its messages.
func (o *fleetOutput) print(s *siteOutput) error {
	var product []byte
	var err error
	if o.reviews != nil {
		o.reviews.take(s)
	}
	switch {
	case o.replaced():
	case o.format == "json" && s.out.Len() == 0:
		product, err = json.Marshal(siteFault{v1alpha1.APIVersion, "Fault", s.site.Name, s.errors()})
		product = append(product, '\n')
	case o.format == "json":
		product, err = oneLine(s.out.Bytes(), s.site.Name)
	case s.out.Len() == 0:
	case o.format == "csv":
		product, err = o.rows(s)
	case o.format == "github": // each line has all that it is about
		product = s.out.Bytes()
	case o.format == "markdown":
		product = fmt.Appendf(nil, "## Site %s\n\n%s\n", redact.Plain(s.site.Name), s.out.Bytes())
	default:
		product = fmt.Appendf(nil, "Site %s\n%s\n", redact.Plain(s.site.Name), s.out.Bytes())
	}
	if err != nil {
		return fmt.Errorf("site %s: %w", s.site.Name, err)
	}
	if _, err := o.ui.Out.Write(product); err != nil {
		return err
	}
	_, err = o.ui.Err.Write(s.err.Bytes())
	return err
}

// errors returns why a Site's run failed.
func (s *siteOutput) errors() []string {
	words := []string{}
	for _, single := range app.Flatten(s.failure) {
		words = append(words, single.Error())
	}
	return append([]string{}, said(words)...)
}

// oneLine returns a command's JSON on one line, with the name of the Site in it.
func oneLine(product []byte, site string) ([]byte, error) {
	var line bytes.Buffer
	if err := json.Compact(&line, product); err != nil {
		return nil, err
	}
	line.WriteByte('\n')
	var head struct {
		Site *string `json:"site"`
	}
	if err := json.Unmarshal(product, &head); err != nil || head.Site != nil {
		return line.Bytes(), err
	}
	name, err := json.Marshal(site)
	return slices.Concat([]byte(`{"site":`), name, []byte(","), line.Bytes()[1:]), err
}

// rows returns a Site's rows behind its name. Only the first Site's have the header.
func (o *fleetOutput) rows(s *siteOutput) ([]byte, error) {
	rows, err := csv.NewReader(&s.out).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	for i, row := range rows {
		name := s.site.Name
		if i == 0 {
			name = "SITE"
		}
		rows[i] = append([]string{name}, row...)
	}
	if o.headed {
		rows = rows[1:]
	}
	o.headed = true
	var text bytes.Buffer
	err = csv.NewWriter(&text).WriteAll(withoutFormulas(rows))
	return text.Bytes(), err
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
