package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/cmdline"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/fleet"
	"github.com/airshipit/sipgen/internal/redact"
)

// siteRun is what a command does for one Site. It changes nothing that the runs of other Sites see.
type siteRun func(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs) error

// eachSite runs a command for its Site, or for each Site of a fleet, in the order of their names. A Site's run is what
// it is alone; a Site's error is that Site's, and the others go on (contract 33, 34). checks are about all Sites.
func eachSite(cmd *cobra.Command, ui *terminal.UI, in *cmdline.Inputs, format string, run siteRun,
	checks ...func([]fleet.Site) error) error {
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
	for _, check := range checks {
		if err := check(sites); err != nil {
			return err
		}
	}
	out := &fleetOutput{ui: ui, format: format}
	return inOrder(cmd.Context(), sites, sideBySide, func(ctx context.Context, site *fleet.Site) *siteOutput {
		return runSite(ctx, ui, in, site, run)
	}, out.print)
}

// ofOneSite are the formats that have no form for several Sites.
var ofOneSite = []string{"html", "network", "sarif", "name"}

// sideBySide is how many Sites run at the same time. It bounds the memory of a run, whatever the machine has.
const sideBySide = 4

// inOrder runs at most so many Sites side by side, and hands over what they return in the order of the Sites. A Site
// that waits for its turn counts, so that no more outputs are kept. It returns an error of handing over, or a fleetError.
func inOrder(ctx context.Context, sites []fleet.Site, most int, run func(context.Context, *fleet.Site) *siteOutput,
	take func(*siteOutput) error) error {
	var (
		tally   fleet.Tally
		running sync.WaitGroup
	)
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
		tally.Add(done.site.Name, done.code)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &fleetError{tally}
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
func runSite(ctx context.Context, ui *terminal.UI, in *cmdline.Inputs, site *fleet.Site, run siteRun) *siteOutput {
	done := &siteOutput{site: site}
	name := site.Name
	if site.Unread { // the error names its file
		name = ""
	}
	own := ui.OfSite(name, &done.out, &done.err)
	err := run(ctx, own, in.Of(site))
	switch {
	case err == nil:
	case errors.Is(err, errFinding):
		done.code = exitFinding
	case errors.Is(err, errRefused):
		done.code = exitError
	default:
		done.code, done.failure = exitError, err
		fail(own, err)
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
}

// print prints a Site's product below its name or by the rules of the format, and then its messages.
func (o *fleetOutput) print(s *siteOutput) error {
	var product []byte
	var err error
	switch {
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
