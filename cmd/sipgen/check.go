package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// tolerance is the flags that say when a tree is made in spite of what was found.
type tolerance struct {
	acceptLoss int
	// pushes: the tree is for a branch, and not for a folder.
	pushes bool
	// lostTree: the branch has lost its tree, and there is none to put back.
	lostTree bool
}

// noTolerance is that of a command that writes nothing.
var noTolerance = tolerance{acceptLoss: noAcceptance}

func (t *tolerance) flags(command *cobra.Command) {
	acceptLossFlag(command, &t.acceptLoss)
	lostTreeFlag(command, &t.lostTree)
}

// checked is a decision, and what speaks against carrying it out.
type checked struct {
	*decided
	warnings []string
	// refusal: the decision gives tenants or takes from clusters too much, or its patches would do harm. nil if neither.
	refusal error
	// braked: the refusal is, among others, that too many hosts would be lost or released.
	braked bool
}

// check asks whether the tree before is lost, and the brake, and holds the patches to be against the live hosts.
func (d *decided) check(how tolerance) *checked {
	warnings, harm := d.preflight()
	for _, f := range d.network.Findings() {
		warnings = append(warnings, f.String())
	}
	//guard: the selector of a full role is mistyped, and nobody knows before a host fails
	warnings = append(warnings, d.unselected()...)
	//guard: an edit in the tree is overwritten, and nobody has been told
	warnings = append(warnings, d.before.editedWords()...)
	braked := d.brake(how.acceptLoss) // it comes last, where a terminal shows it
	lost := d.lost(how.lostTree)
	if lost == nil && d.report.NoTree != "" && !how.pushes { // publish says it with the dangers
		warnings = append(warnings, d.report.NoTree)
	}
	refusal := errors.Join(lost, harm, errors.Join(d.network.Problems()...), braked)
	return &checked{decided: d, warnings: warnings, refusal: refusal, braked: braked != nil && how.acceptLoss == noAcceptance}
}

// fewWords is how many bytes may stand before the brake's refusal without a word about it: ten lines of a narrow terminal.
const fewWords = 10 * 80

// proceed says what was found, and gives the error that ends the run, if something does. A frozen or unschedulable cluster is a finding.
func (c *checked) proceed(ui *ui, how tolerance) error {
	here := c.here(c.report)
	problems := here.Problems()
	if c.braked && len(strings.Join(slices.Concat(problems, c.warnings), "")) > fewWords {
		ui.say("%s: the last lines say which, and what to do", c.brakeWords())
	}
	if !how.pushes { // publish says all dangers before it pushes
		for _, danger := range here.Emptied() {
			ui.say("danger: %s", danger)
		}
	}
	for _, problem := range problems {
		ui.say("%s", problem)
	}
	for _, warning := range c.warnings {
		ui.say("warning: %s", warning)
	}
	ui.hintAtSpecs(c.problems)
	//guard: what is refused is written all the same
	return c.refusal
}

// unselected are the roles that have hosts and match none of them any more: they are full, and nobody sees that before one fails.
func (d *decided) unselected() []string {
	var out []string
	specs := map[schedule.ClusterKey]*v1.SIPCluster{}
	for i := range d.clusters {
		specs[keyOf(&d.clusters[i])] = &d.clusters[i]
	}
	for i := range d.placement.Clusters {
		placed := &d.placement.Clusters[i]
		c := specs[placed.Key]
		if c == nil || len(d.admitted.Frozen[placed.Key]) > 0 {
			continue
		}
		for j := range placed.Roles {
			role := &placed.Roles[j]
			set, asked := c.Spec.Nodes[role.Name]
			if !asked || len(role.Assigned) == 0 {
				continue
			}
			selector, err := set.HostSelector()
			if err != nil || slices.ContainsFunc(role.Assigned, func(a schedule.Assignment) bool {
				return a.Host.Unsure() || selector.Matches(v1.HostLabels{Namespace: a.Host.Namespace, Labels: a.Host.Labels})
			}) {
				continue
			}
			out = append(out, fmt.Sprintf("%s: %s: its labelSelector no longer matches any host that it has (%s): it keeps what it has, but only a matching host can replace one", c.Key(), role.Name, text.Count(len(role.Assigned), "host")))
		}
	}
	return out
}

// here is a report whose reasons for frozen clusters name files as they were given: for who reads it on this machine, and not in the tree.
func (d *decided) here(p *report.Plan) *report.Plan {
	out := *p
	out.Clusters, out.Warnings = slices.Clone(p.Clusters), slices.Clone(p.Warnings)
	for i, words := range out.Warnings {
		out.Warnings[i] = d.admitted.Here(words)
	}
	for i := range out.Clusters {
		var frozen []string
		for _, why := range out.Clusters[i].Frozen {
			frozen = append(frozen, d.admitted.Here(why))
		}
		out.Clusters[i].Frozen = frozen
	}
	return &out
}

// live is what speaks against the patches to be, by what the cluster has.
func (d *decided) live() []finding.Finding {
	asks := d.asks()
	patched := map[string]bool{}
	for _, ask := range asks {
		//guard: a host that is released is patched without a look at who owns its spec
		patched[ask.Host.Key()] = true
	}
	isPatched := func(host *inventory.Host) bool { return patched[host.Key()] }
	findings := preflight.Check(d.site.Spec.Engine, d.site.Spec.Hosts.Apply, d.hosts.Hosts, isPatched)
	findings = append(findings, preflight.Moves(d.site.Spec.Hosts.Apply, d.options.Keys, asks)...)
	//guard(TestTwoSites): the guards of two sites deny each other's syncs
	findings = append(findings, preflight.Sites(d.site.Name, d.site.Spec.Hosts.Namespaces, d.guards)...)
	//guard: sipgen diff says that there is no difference where the sync cannot work
	findings = append(findings, preflight.Services(d.site.Spec.Engine, d.clusters, d.services)...)
	findings = append(findings, preflight.PortNames(d.clusters, d.services)...)
	//guard: a jump host without its keys holds up all hosts of the tenant after the merge, and not before
	findings = append(findings, preflight.MissingHostKeys(d.clusters, d.services, d.hostKeys)...)
	//guard: a SIPCluster with the finalizer that nobody takes off is deleted, and stays for ever
	return append(findings, preflight.Finalizers(d.clusters, d.finalized)...)
}

// preflight refuses a tree whose patches would do harm to the live hosts that it assigns or releases.
func (d *decided) preflight() (warnings []string, err error) {
	//guard: who may not look at SIP's objects believes that they were looked at, and the sync over them fails
	if d.unseen != nil {
		warnings = append(warnings, fmt.Sprintf("field ownership of services was not checked: %v", d.unseen))
	}
	if d.left != nil {
		warnings = append(warnings, fmt.Sprintf("what the SIP operator may have left was not checked: %v", d.left))
	}
	if d.unguarded != nil {
		warnings = append(warnings, fmt.Sprintf("whether another site on this API server guards the same namespaces was not checked: %v", d.unguarded))
	}
	var errs []error
	findings := d.live()
	for i := range findings {
		f := &findings[i]
		if f.Severity == finding.Warning {
			warnings = append(warnings, f.Sentence())
			continue
		}
		if namespace, name, of := strings.Cut(f.Cluster, "/"); of && len(d.admitted.Frozen[schedule.ClusterKey{Namespace: namespace, Name: name}]) > 0 {
			continue // which is why: its services stay as the tree has them
		}
		errs = append(errs, fmt.Errorf("refused: %s", f.Sentence()))
	}
	return append(warnings, d.passedOver()...), errors.Join(errs...)
}

// mostPassedOver bounds how many hosts that nobody gets are named with a remedy; the plan has a reason for each.
const mostPassedOver = 20

// passedOver says of free hosts why no patch of them may be written, and what would help. Those that are held have frozen their clusters.
func (d *decided) passedOver() []string {
	var out []string
	for i := range d.report.Hosts {
		host := &d.report.Hosts[i]
		found := d.unpatchable[host.Host]
		if len(found) == 0 || host.Cluster != "" {
			continue
		}
		out = append(out, "not handed out until this is fixed: "+found[0].Sentence())
	}
	return finding.Fold(out, mostPassedOver, "hosts that are not handed out for similar reasons; the plan names them")
}

// asks are what the patches ask of their hosts: those that are written anew.
func (d *decided) asks() []preflight.Ask {
	var asks []preflight.Ask
	for i := range d.placement.Clusters {
		cluster := &d.placement.Clusters[i]
		for _, role := range cluster.Roles {
			for _, a := range role.Assigned {
				if a.Host.Untouchable() {
					continue
				}
				asks = append(asks, preflight.Ask{Host: a.Host, Claim: holdings.Claim{Cluster: cluster.Key, Role: role.Name}})
			}
			for _, r := range role.Releasing {
				if r.Host.Untouchable() {
					continue
				}
				_, approved := r.Reason.(schedule.Approved)
				asks = append(asks, preflight.Ask{Host: r.Host, Approved: approved})
			}
		}
	}
	return asks
}

// unschedulable is the finding that a cluster cannot have its hosts, or a spec cannot be followed, where the others were rendered all the same.
func (c *checked) unschedulable() error {
	if c.report.Unschedulable() || len(c.admitted.Lost) > 0 {
		return errFinding
	}
	return nil
}
