package app

import (
	"errors"
	"fmt"
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// Tolerance says when a tree is made in spite of what was found.
type Tolerance struct {
	// AcceptLoss is how many hosts may be lost, exactly; NoAcceptance where only the Site says.
	AcceptLoss int
	// Pushes: the tree is for a branch, and not for a folder.
	Pushes bool
	// LostTree: the branch has lost its tree, and there is none to put back.
	LostTree bool
}

// NoAcceptance is that of a run that accepts no loss by its number.
const NoAcceptance = -1

// Checked is a tree that is made, and what speaks against writing it.
type Checked struct {
	Plan     *Planned
	Rendered *Rendered
	Warnings []string
	// Blind says that nobody knows who owns the fields of hosts. Manifests have no managedFields, so lint and publish
	// alone say it.
	Blind []string
	// Refusal: the plan gives tenants or takes from clusters too much, or its patches would do harm. nil if neither.
	Refusal error
	// Braked says that too many hosts would be lost or released, where the refusal does, among others.
	Braked string
}

// Check asks whether the tree before is lost, and the brake, and holds the patches to be against the live hosts.
func Check(r *Rendered, how Tolerance) *Checked {
	p := r.Plan
	warnings, blind, harm := p.preflight()
	for _, f := range p.Loaded.Network.Findings() {
		warnings = append(warnings, f.String())
	}
	//guard: the selector of a full role is mistyped, and nobody knows before a host fails
	warnings = append(warnings, p.unselected()...)
	//guard: an edit in the tree is overwritten, and nobody has been told
	warnings = append(warnings, p.Before.EditedWords()...)
	lost := p.lost(how.LostTree)
	if lost == nil && p.Report.NoTree != "" && !how.Pushes { // publish says it with the dangers
		warnings = append(warnings, p.Report.NoTree)
	}
	braked := p.brake(how.AcceptLoss) // it comes last, where a terminal shows it
	c := &Checked{Plan: p, Rendered: r, Warnings: warnings, Blind: blind, Refusal: errors.Join(lost, harm, errors.Join(p.Loaded.Network.Problems()...), braked)}
	if braked != nil && how.AcceptLoss == NoAcceptance {
		c.Braked = p.brakeWords()
	}
	return c
}

// unselected are the roles that have hosts and match none of them any more: they are full, and nobody sees that
// before one fails.
func (p *Planned) unselected() []string {
	var out []string
	specs := map[schedule.ClusterKey]*v1.SIPCluster{}
	for i := range p.Clusters.All {
		specs[keyOf(&p.Clusters.All[i])] = &p.Clusters.All[i]
	}
	for i := range p.Placement.Clusters {
		placed := &p.Placement.Clusters[i]
		c := specs[placed.Key]
		if c == nil || len(p.Clusters.Frozen[placed.Key]) > 0 {
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

// Here is a report whose reasons for frozen clusters name files as they were given: for who reads it on this machine,
// and not in the tree.
func (p *Planned) Here(plan *report.Plan) *report.Plan {
	out := *plan
	out.Clusters, out.Findings = slices.Clone(plan.Clusters), slices.Clone(plan.Findings)
	for i := range out.Findings {
		out.Findings[i].Message = p.Clusters.Here(out.Findings[i].Message)
	}
	for i := range out.Clusters {
		var frozen []string
		for _, why := range out.Clusters[i].Frozen {
			frozen = append(frozen, p.Clusters.Here(why))
		}
		out.Clusters[i].Frozen = frozen
	}
	return &out
}

// live is what speaks against the patches to be, by what the cluster has.
func (p *Planned) live() []finding.Finding {
	asks := p.asks()
	patched := map[string]bool{}
	for _, ask := range asks {
		//guard: a host that is released is patched without a look at who owns its spec
		patched[ask.Host.Key()] = true
	}
	isPatched := func(host *inventory.Host) bool { return patched[host.Key()] }
	findings := preflight.Check(p.Loaded.Site.Spec.Engine, p.Loaded.Site.Spec.Hosts.Apply, p.Loaded.Hosts.Hosts, isPatched)
	findings = append(findings, preflight.Moves(p.Loaded.Site.Spec.Hosts.Apply, p.Clusters.Options.Keys, asks)...)
	//guard(TestTwoSites): the guards of two sites deny each other's syncs
	findings = append(findings, preflight.Sites(p.Loaded.Site.Name, p.Loaded.Site.Spec.Hosts.Namespaces, p.Loaded.guards)...)
	findings = append(findings, preflight.PortNames(p.Clusters.All, p.Loaded.services)...)
	//guard: a jump host without its keys holds up all hosts of the tenant after the merge, and not before
	findings = append(findings, preflight.MissingHostKeys(p.Clusters.All, p.Loaded.services, p.Loaded.hostKeys)...)
	//guard: a SIPCluster with the finalizer that nobody takes off is deleted, and stays for ever
	return append(findings, preflight.Finalizers(p.Clusters.All, p.Loaded.finalized)...)
}

// preflight refuses a tree whose patches would do harm to the live hosts that it assigns or releases.
func (p *Planned) preflight() (warnings, blind []string, err error) {
	//guard: who may not look at SIP's objects believes that they were looked at, and the sync over them fails
	if p.Loaded.unseen != nil {
		warnings = append(warnings, fmt.Sprintf("field ownership of services was not checked: %v", p.Loaded.unseen))
	}
	if p.Loaded.left != nil {
		warnings = append(warnings, fmt.Sprintf("what the SIP operator may have left was not checked: %v", p.Loaded.left))
	}
	if p.Loaded.unguarded != nil {
		warnings = append(warnings, fmt.Sprintf("whether another site on this API server guards the same namespaces was not checked: %v", p.Loaded.unguarded))
	}
	var errs []error
	findings := p.live()
	for i := range findings {
		f := &findings[i]
		if f.Code == finding.Blind {
			blind = append(blind, f.Sentence())
			continue
		}
		if f.Severity == finding.Warning {
			warnings = append(warnings, f.Sentence())
			continue
		}
		errs = append(errs, fmt.Errorf("refused: %s", f.Sentence()))
	}
	return append(warnings, p.passedOver()...), blind, errors.Join(errs...)
}

// mostPassedOver bounds how many hosts that nobody gets are named with a remedy; the plan has a reason for each.
const mostPassedOver = 20

// passedOver says of free hosts why no patch of them may be written, and what would help. Those that are held have
// frozen their clusters.
func (p *Planned) passedOver() []string {
	var out []string
	for i := range p.Report.Hosts {
		host := &p.Report.Hosts[i]
		found := p.Loaded.Unpatchable[host.Host]
		if len(found) == 0 || host.Cluster != "" {
			continue
		}
		out = append(out, "not handed out until this is fixed: "+found[0].Sentence())
	}
	return finding.Fold(out, mostPassedOver, "hosts that are not handed out for similar reasons; the plan names them")
}

// asks are what the patches ask of their hosts: those that are written anew.
func (p *Planned) asks() []preflight.Ask {
	var asks []preflight.Ask
	for i := range p.Placement.Clusters {
		cluster := &p.Placement.Clusters[i]
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
