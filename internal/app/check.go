package app

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/inventory"
)

// Tolerance is what a run accepts.
type Tolerance struct {
	// AcceptLoss is the exact number of hosts that may be lost; NoAcceptance leaves it to the Site.
	AcceptLoss int
	// Pushes: the tree is for a branch, and not for a folder.
	Pushes bool
	// LostTree: the branch has lost its tree, and it cannot be restored.
	LostTree bool
	// NewerTree: a tree of a newer version is written over.
	NewerTree bool
}

// NoAcceptance is the AcceptLoss of a run without an accepted number.
const NoAcceptance = -1

// Checked is a rendered tree, with the objections to writing it.
type Checked struct {
	Plan     *Planned
	Rendered *Rendered
	// Warnings are about the tree before, and about live objects. Manifests have no managedFields, so only lint and
	// publish print those that are finding.Blind.
	Warnings []finding.Finding
	// Refusal is why the tree must not be written, nil if it may: the plan assigns or takes too much, or its patches
	// would do harm.
	Refusal error
}

// Check checks for a lost tree, applies the brake, and compares the patches with the live hosts.
func Check(r *Rendered, how Tolerance) *Checked {
	p := r.Plan
	warnings, harm := p.preflight()
	warnings = append(warnings, p.edited()...)
	lost := p.lost(how.LostTree)
	if lost == nil && p.Report.NoTree != "" && !how.Pushes { // publish prints it with the dangers
		warnings = append(warnings, finding.Finding{Code: finding.NoTree, Message: p.Report.NoTree})
	}
	braked := p.brake(how.AcceptLoss) // last, where a terminal shows it
	return &Checked{Plan: p, Rendered: r, Warnings: warnings,
		Refusal: errors.Join(lost, p.Before.refuseEdited(), harm, errors.Join(p.Loaded.Network.Problems()...), braked)}
}

// live returns the objections to the patches by the state of the cluster.
func (p *Planned) live() []finding.Finding {
	objects, patched := &p.Loaded.objects, p.patched()
	left := objects.leftovers.found
	isPatched := func(host *inventory.Host) bool { return patched[host.Key()] }
	findings := preflight.Check(p.Loaded.Site, p.Loaded.Hosts.Hosts, isPatched)
	findings = append(findings, preflight.Sites(p.Loaded.Site.Name, p.Loaded.Site.Spec.Hosts.Namespaces,
		objects.guards.found)...)
	findings = append(findings, preflight.PortNames(p.Clusters.All, objects.services.found)...)
	findings = append(findings, preflight.MissingHostKeys(p.Clusters.All, objects.services.found, left.hostKeys)...)
	return append(findings, preflight.Finalizers(p.Clusters.All, left.finalized)...)
}

// preflight refuses a tree whose patches would harm the live hosts that it assigns or releases.
func (p *Planned) preflight() (warnings []finding.Finding, err error) {
	for _, unchecked := range []struct {
		what string
		err  error
	}{
		{"field ownership of services was", p.Loaded.objects.services.err},
		{"what the SIP operator may have left was", p.Loaded.objects.leftovers.err},
		{"whether another site on this API server guards the same namespaces was", p.Loaded.objects.guards.err},
	} {
		if unchecked.err != nil {
			warnings = append(warnings, finding.Finding{Code: finding.Unchecked, Severity: finding.Warning,
				Message: fmt.Sprintf("%s not checked: %v", unchecked.what, unchecked.err)})
		}
	}
	var errs []error
	for _, f := range p.live() {
		if f.Severity == finding.Warning {
			warnings = append(warnings, f)
			continue
		}
		errs = append(errs, refusef("%s", f.Sentence()))
	}
	return slices.Concat(warnings, p.passedOver(), p.missingBase()), errors.Join(errs...)
}

// missingBase warns of an overlay over hosts' manifests that the branch does not have, or that kustomize cannot build.
func (p *Planned) missingBase() []finding.Finding {
	hosts := &p.Loaded.Site.Spec.Hosts
	if hosts.Apply != v1alpha1.ApplyOverlay || p.Before.kustomization == nil {
		return nil
	}
	there, builds, err := p.Before.kustomization(path.Clean(hosts.Base))
	lacks := "kustomization.yaml in "
	switch {
	case err != nil:
		return []finding.Finding{warning(finding.Unchecked, p.Loaded.siteRef(),
			fmt.Sprintf("spec.hosts.base was not looked for on the branch: %v", err))}
	case builds:
		return nil
	case !there:
		lacks = "folder "
	}
	return []finding.Finding{warning(finding.NoBase, p.Loaded.siteRef(), fmt.Sprintf("spec.hosts.base: branch %s has no "+
		"%s%s: the engine cannot build the hosts of the tree, and labels none", p.Before.branch, lacks, hosts.Base))}
}

// passedOver returns for free hosts why no patch of them may be written, and the remedy: one command for all hosts of
// one cause. Held ones have frozen their clusters.
func (p *Planned) passedOver() []finding.Finding {
	var hosts [][]finding.Finding
	for i := range p.Report.Hosts {
		if host := &p.Report.Hosts[i]; host.Cluster == "" {
			hosts = append(hosts, p.Loaded.Unpatchable[host.Host])
		}
	}
	out := preflight.Together(hosts)
	for i := range out {
		out[i].Message += "; not handed out until this is fixed"
	}
	return out
}

// patched returns the hosts whose patches are written in this run.
func (p *Planned) patched() map[string]bool {
	out := map[string]bool{}
	add := func(host *inventory.Host) { out[host.Key()] = !host.Untouchable() && !host.Old() }
	for i := range p.Placement.Clusters {
		for _, role := range p.Placement.Clusters[i].Roles {
			for _, a := range role.Assigned {
				add(a.Host)
			}
			for _, r := range role.Releasing {
				add(r.Host)
			}
		}
	}
	return out
}
