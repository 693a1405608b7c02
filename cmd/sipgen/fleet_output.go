package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/cmd/sipgen/internal/terminal"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/report"
)

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
