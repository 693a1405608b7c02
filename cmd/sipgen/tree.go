package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// plan places the hosts: the previous tree's decisions are kept.
func (l *loaded) plan(previous previousTree) (*planned, error) {
	claims, err := render.Previous(previous.where, previous.files, l.site)
	if err = errors.Join(err, previous.unsealed); err != nil {
		return nil, err
	}
	how := options(l.site)
	how.LabelsNewer, how.LabelsOlder = l.labelsNewer(previous), l.labelsOlder(previous)
	how.Refused = l.unknownNetworks(claims)
	placement, err := schedule.Plan(l.clusters, l.hosts.Hosts, claims, how)
	if err != nil {
		return nil, err
	}
	words := report.Of(l.site.Name, l.clusters, placement)
	words.Since(claims)
	words.Warnings = append(words.Warnings, render.ForeignBackends(previous.files, placement.Clusters)...)
	switch {
	case how.LabelsOlder:
		words.Warnings = append(words.Warnings, notSeenClean(claims, l.hosts.Hosts, options(l.site).Keys, l.hosts.TakenAt, previous.committed)...)
	case l.hosts.TakenAt.IsZero(), !how.LabelsNewer:
		words.Warnings = append(words.Warnings, takenForClean(claims, placement)...)
	}
	return &planned{
		placement: placement,
		report:    words,
		loss:      schedule.Losses(placement, claims, l.hosts.Hosts),
		previous:  claims,
		options:   how,
	}, nil
}

// unknownNetworks are the clusters whose services name a network that no host has an address on, and had none in the previous tree.
func (l *loaded) unknownNetworks(claims schedule.Previous) map[schedule.ClusterKey][]string {
	known := l.hosts.Networks()
	for _, claim := range claims.Claims {
		for network := range claim.Addresses {
			known[network] = true
		}
	}
	refused := map[schedule.ClusterKey][]string{}
	for _, unknown := range v1.UnknownNetworks(l.clusters, known) {
		key := schedule.ClusterKey{Namespace: unknown.Cluster.Namespace, Name: unknown.Cluster.Name}
		refused[key] = append(refused[key], unknown.Cluster.Problem(unknown.Path, "%s", unknown.Message).Error())
	}
	return refused
}

// planned is a placement, the words for it, what it takes from the clusters, what was decided before it, and
// the choices that it was made with.
type planned struct {
	placement *schedule.Placement
	report    *report.Plan
	loss      schedule.Loss
	previous  schedule.Previous
	options   schedule.Options
}

// takenForClean warns of hosts that the tree was releasing and that manifests without a time show without our labels:
// they may have been written before the labels were ever set.
func takenForClean(claims schedule.Previous, placement *schedule.Placement) []string {
	leaving := map[string]bool{}
	for i := range placement.Clusters {
		for j := range placement.Clusters[i].Roles {
			role := &placement.Clusters[i].Roles[j]
			for _, release := range role.Releasing {
				leaving[release.Host.Key()] = true
			}
		}
	}
	var clean []string
	for _, claim := range claims.Claims {
		if claim.Releasing && !leaving[claim.Host.String()] {
			clean = append(clean, claim.Host.String())
		}
	}
	if len(clean) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("assumed to be free, because they have none of sipgen's labels, but nothing says that they were read after the tree was written: %s; a live inventory would be certain, and so would a snapshot with --repo", strings.Join(clean, ", "))}
}

// notSeenClean names the hosts that the tree releases and that have no label of sipgen's in an inventory older than the tree.
func notSeenClean(claims schedule.Previous, hosts []inventory.Host, keys schedule.LabelKeys, read, committed time.Time) []string {
	clean := map[string]bool{}
	for i := range hosts {
		labels := hosts[i].Labels
		clean[hosts[i].Key()] = labels[keys.ClusterNamespace]+labels[keys.ClusterName]+labels[keys.NodeType]+labels[keys.Standby] == ""
	}
	var waiting []string
	for _, claim := range claims.Claims {
		if claim.Releasing && clean[claim.Host.String()] {
			waiting = append(waiting, claim.Host.String())
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("not known to be free yet, because the hosts were read at %s and the tree was committed at %s: %s; nobody gets them before they are read again",
		read.UTC().Format(time.RFC3339), committed.UTC().Format(time.RFC3339), strings.Join(waiting, ", "))}
}

// rendering is the flags that say when a tree is rendered in spite of what was found.
type rendering struct {
	keepGoing  bool
	acceptLoss int
}

func (r *rendering) flags(command *cobra.Command) {
	command.Flags().BoolVar(&r.keepGoing, "keep-going", false, "render the other clusters when one is unschedulable")
	acceptLossFlag(command, &r.acceptLoss)
}

// tree renders the site. It refuses what the brake does not allow; an unschedulable cluster is a finding.
func (l *loaded) tree(ui *ui, previous previousTree, how rendering) (render.Tree, *report.Plan, error) {
	end := ui.progress.stage("planning")
	plan, err := l.plan(previous)
	end()
	if err != nil {
		return nil, nil, err
	}
	for _, problem := range plan.report.Problems() {
		ui.say("%s", problem)
	}
	warnings, err := l.refusals(plan, how.acceptLoss)
	for _, warning := range warnings {
		ui.say("warning: %s", warning)
	}
	if err != nil {
		return nil, nil, err
	}
	if !plan.placement.Schedulable() && !how.keepGoing {
		for i := range plan.report.Clusters {
			if c := &plan.report.Clusters[i]; c.Unschedulable {
				ui.say("%s: unschedulable", c.Key())
			}
		}
		ui.say("nothing is written; --keep-going renders the other clusters")
		return nil, nil, errFinding
	}
	defer ui.progress.stage("rendering")()
	tree, err := l.render(plan, previous)
	return tree, plan.report, err
}

// render renders the plan, and notes in its report what that changes in the services that were there before.
func (l *loaded) render(plan *planned, previous previousTree) (render.Tree, error) {
	tree, err := render.Site(render.Input{Site: l.site, Clusters: l.clusters, Placement: plan.placement, Previous: previous.files})
	if err == nil {
		plan.report.Services = serviceChanges(previous.files, tree)
	}
	return tree, err
}

// refusals are why a placement is not rendered: it takes too much from the clusters, or its patches would do harm.
func (l *loaded) refusals(plan *planned, acceptLoss int) (warnings []string, err error) {
	warnings, err = l.preflight(plan.placement)
	return warnings, errors.Join(brake(l.site, plan.loss, acceptLoss), err)
}

// age says how old the inventory is, empty for plain files.
func (l *loaded) age(now time.Time) string {
	if l.hosts.TakenAt.IsZero() {
		return ""
	}
	return now.Sub(l.hosts.TakenAt).Round(time.Second).String()
}

// unschedulable is the finding that a cluster cannot have its hosts, where the others were rendered all the same.
func unschedulable(plan *report.Plan) error {
	if plan.Unschedulable() {
		return errFinding
	}
	return nil
}
