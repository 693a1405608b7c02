package app

import (
	"errors"
	"fmt"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/internal/report"
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
	warnings = append(warnings, report.Unselected(p.Clusters.All, p.Clusters.Frozen, p.Placement)...)
	//guard: an edit in the tree is overwritten, and nobody has been told
	warnings = append(warnings, p.Before.EditedWords()...)
	lost := p.lost(how.LostTree)
	if lost == nil && p.Report.NoTree != "" && !how.Pushes { // publish says it with the dangers
		warnings = append(warnings, p.Report.NoTree)
	}
	braked := p.brake(how.AcceptLoss) // it comes last, where a terminal shows it
	c := &Checked{Plan: p, Rendered: r, Warnings: warnings, Blind: blind,
		Refusal: errors.Join(lost, harm, errors.Join(p.Loaded.Network.Problems()...), braked)}
	if braked != nil && how.AcceptLoss == NoAcceptance {
		c.Braked = p.brakeWords()
	}
	return c
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
	findings = append(findings, preflight.Sites(p.Loaded.Site.Name, p.Loaded.Site.Spec.Hosts.Namespaces,
		p.Loaded.guards)...)
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
		warnings = append(warnings,
			fmt.Sprintf("whether another site on this API server guards the same namespaces was not checked: %v",
				p.Loaded.unguarded))
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
	return append(warnings, p.Report.PassedOver(p.Loaded.Unpatchable)...), blind, errors.Join(errs...)
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
