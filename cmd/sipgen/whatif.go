package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/schedule"
)

// whatIf is the flags that plan a site that is not there: with other counts, specs or fewer hosts.
type whatIf struct {
	without []string
	with    []string
	counts  []string

	today []v1.SIPCluster // the specs without the counts: what a largest count is compared with
}

func (w *whatIf) flags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringArrayVar(&w.without, "without", nil, "plan as if the hosts that match this label `SELECTOR` were gone")
	flags.StringArrayVar(&w.with, "with", nil, "also plan with the SIPClusters in this `FILE`; they replace those of the same name")
	flags.StringArrayVar(&w.counts, "count", nil, "plan with a different active count, `NAMESPACE/NAME/ROLE=N`, and report the largest that fits")
}

// asked says whether the site that is planned is one that is not there.
func (w *whatIf) asked() bool { return len(w.without)+len(w.with)+len(w.counts) > 0 }

// roleCount is a --count.
type roleCount struct {
	cluster schedule.ClusterKey
	role    string
	active  int
}

// apply changes what was loaded, and says what it changed, one line each.
func (w *whatIf) apply(ui *ui, l *loaded) ([]string, []roleCount, error) {
	var (
		lines  []string
		counts []roleCount
		errs   []error
	)
	for _, text := range w.without {
		selector, err := labels.Parse(text)
		if err != nil {
			errs = append(errs, redact.Errorf("--without: %q is not a label selector", text))
			continue
		}
		hosts, gone, err := schedule.Without(l.hosts.Hosts, selector)
		if err != nil {
			errs = append(errs, fmt.Errorf("--without: %w", err))
			continue
		}
		l.hosts.Hosts = hosts
		lines = append(lines, fmt.Sprintf("without %s: %d hosts left out", text, gone))
	}
	if len(w.with) > 0 {
		docs, err := manifest.Read(w.with, ui.in)
		errs = append(errs, err)
		more, err := v1.FromDocuments(docs)
		errs = append(errs, err)
		for i := range more {
			lines = append(lines, "with "+more[i].Key()+" of "+more[i].Source)
			l.clusters = slices.DeleteFunc(l.clusters, func(c v1.SIPCluster) bool { return c.Key() == more[i].Key() })
		}
		l.clusters = append(l.clusters, more...)
	}
	w.today = l.clusters
	for _, text := range w.counts {
		count, err := parseRoleCount(text)
		if err == nil {
			l.clusters, err = schedule.WithCount(l.clusters, count.cluster, count.role, count.active)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--count: %w", err))
			continue
		}
		counts = append(counts, count)
	}
	return lines, counts, errors.Join(errs...)
}

func parseRoleCount(text string) (roleCount, error) {
	name, number, found := strings.Cut(text, "=")
	parts := strings.Split(name, "/")
	active, err := strconv.Atoi(number)
	if !found || len(parts) != 3 || err != nil || active < 0 {
		return roleCount{}, redact.Errorf("found %q, want NAMESPACE/NAME/ROLE=N", text)
	}
	return roleCount{schedule.ClusterKey{Namespace: parts[0], Name: parts[1]}, parts[2], active}, nil
}

// largest says for every --count how many hosts the role could have, whatever number was asked about, if nothing else changes.
func (w *whatIf) largest(l *loaded, counts []roleCount, plan *planned) ([]string, error) {
	var lines []string
	for _, count := range counts {
		most, err := schedule.Largest(w.today, l.hosts.Hosts, plan.previous, plan.options, count.cluster, count.role)
		if err != nil {
			return nil, err
		}
		line := fmt.Sprintf("%s %s: up to %d", count.cluster, count.role, most)
		if most < 0 {
			line = fmt.Sprintf("%s %s: no count fits", count.cluster, count.role)
		}
		lines = append(lines, line)
	}
	return lines, nil
}
