package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// brake refuses a run that takes more hosts from the clusters than the site allows: a lost inventory or a tree of
// another site must not release the fleet. Losses that a spec accepts by its annotation are counted apart.
func (p *Planned) brake(accept int) error {
	total, limit := p.loss.Total(), p.brakeLimit()
	if accept == NoAcceptance {
		total -= p.acceptedLoss()
	}
	switch {
	case accept == NoAcceptance && total <= limit, accept == total:
		return nil
	case accept != NoAcceptance:
		return fmt.Errorf("--accept-loss is %d, but this run would lose or release %s (%s)", accept,
			text.Count(total, "host"), describeLoss(p.loss))
	}
	return errors.Join(
		fmt.Errorf("%s: %s", p.brakeWords(), describeLoss(p.loss)),
		fmt.Errorf("refused: check the specs and the inventory first; if every one of these hosts is meant to go, "+
			"repeat publish (or render) with --accept-loss %d", p.loss.Total()),
	)
}

func (p *Planned) brakeWords() string {
	accepted := ""
	if n := p.acceptedLoss(); n > 0 {
		accepted = fmt.Sprintf("; besides %d that specs accept", n)
	}
	return fmt.Sprintf("refused: %d of %d claimed hosts would be lost or released, but the site allows only %d "+
		"(spec.brake: %s%s)",
		p.loss.Total()-p.acceptedLoss(), p.loss.Claimed, p.brakeLimit(), brakeRule(p.Loaded.Site), accepted)
}

// brakeRule describes how the limit is computed.
func brakeRule(site *v1alpha1.Site) string {
	return fmt.Sprintf("the smaller of %s and %d %%, at least 1", text.Count(*site.Spec.Brake.MaxHosts, "host"),
		*site.Spec.Brake.MaxPercent)
}

// brakeLimit returns how many hosts a run may take from the clusters: the smaller of the Site's two limits, and at
// least one. Example: with maxHosts 10 and maxPercent 10, a site with 40 claimed hosts may lose 4.
func (p *Planned) brakeLimit() int {
	return max(1, min(*p.Loaded.Site.Spec.Brake.MaxHosts, p.loss.Claimed**p.Loaded.Site.Spec.Brake.MaxPercent/100))
}

// beyondBrake returns the clusters to freeze: their specs lose more hosts than a run may take, and do not accept that
// number.
func (p *Planned) beyondBrake() (frozen []admit.Problem) {
	for i := range p.Clusters.All {
		c := &p.Clusters.All[i]
		asked := p.loss.Asked[keyOf(c)]
		if asked <= p.brakeLimit() || c.Document == nil || slices.Contains(p.Loaded.Site.Spec.Decommission, c.Key()) ||
			c.AcceptedLoss() == asked {
			continue
		}
		frozen = append(frozen, admit.Problem{Cluster: keyOf(c), Keeps: true, Code: finding.Loss,
			Err: c.Problem("spec", "loses %d of %d claimed hosts, but a run may take only %d (spec.brake: %s): if that is "+
				"intended, annotate the SIPCluster with %s: %q",
				asked, p.loss.Claimed, p.brakeLimit(), brakeRule(p.Loaded.Site), v1.AcceptLossAnnotation, fmt.Sprint(asked))})
	}
	return frozen
}

// acceptedLoss returns how many hosts the annotations accept, of specs that lose more than a run may take.
func (p *Planned) acceptedLoss() (n int) {
	for i := range p.Clusters.All {
		c := &p.Clusters.All[i]
		if asked := p.loss.Asked[keyOf(c)]; asked > p.brakeLimit() && c.AcceptedLoss() == asked {
			n += asked
		}
	}
	return n
}

func describeLoss(loss schedule.Loss) string {
	var parts []string
	for _, part := range []struct {
		what  string
		hosts []schedule.HostKey
	}{
		{"no longer in the inventory", loss.Missing},
		{"recreated, with another uid", loss.Recreated},
		{"given to the cluster that uses them under its labels", loss.Moved},
		{"failed and in use, and another host gets their slot", loss.Replaced},
		{"released", loss.Released},
		{"virtual machines that ViNO is no longer asked for", loss.Virtual},
		{"virtual machines that ViNO recreates", loss.Remade},
	} {
		if len(part.hosts) == 0 {
			continue
		}
		names := make([]string, 0, len(part.hosts))
		for _, host := range part.hosts {
			names = append(names, host.String())
		}
		parts = append(parts, fmt.Sprintf("%d %s: %s", len(names), part.what, first(10, names)))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, "; ")
}
