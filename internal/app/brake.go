package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// brake refuses a run that takes more hosts from the clusters than the site allows: a lost inventory or a tree of
// another site must not release the fleet. Losses that a spec accepts by its annotation are counted apart.
func (p *Planned) brake(accept int) error {
	_, accepted := p.beyond()
	now := p.counts()
	total := now.lost
	stripped := p.stripped()
	switch {
	case stripped != nil:
		return stripped
	case accept == total:
		return nil
	case accept == NoAcceptance && len(p.loss.Outside) > 0:
		return p.refuseOutside(total)
	case accept == NoAcceptance && total <= p.BrakeLimit():
		return nil
	case p.lifted != nil && total <= p.lifted.lost:
		return nil
	case accept != NoAcceptance:
		return fmt.Errorf("--accept-loss is %d, but this run would lose or release %s%s (%s)%s", accept,
			text.Count(total, "host"), besides(accepted), describeLoss(p.loss), now.orAll())
	}
	return errors.Join(
		refusef("%d of %d claimed hosts would be lost or released, but the site allows only %d "+
			"(spec.brake: %s%s): %s", total, p.loss.Claimed, p.BrakeLimit(), brakeRule(p.Loaded.Site), besides(accepted),
			describeLoss(p.loss)),
		refusef("check the specs and the inventory first; if every one of these hosts is meant to go, "+
			"repeat publish (or render) with %s", p.Loaded.acceptLoss(total)),
	)
}

// refuseOutside refuses a Site whose namespaces leave out hosts of the tree, any number of them. Such a host is there
// and keeps its labels, so its machine runs on, without the load balancers and the guards.
func (p *Planned) refuseOutside(total int) error {
	return fmt.Errorf("%s; add the namespace, or release the hosts first; if every one of these hosts is meant to "+
		"leave the site with its labels, repeat publish (or render) with %s", p.outside(p.loss.Outside),
		p.Loaded.acceptLoss(total))
}

// stripped refuses such a Site with apply: overlay, also for hosts that leave. A patch that goes takes its labels away
// there: the base still has the host, which may be in use, and no guard covers its namespace any more.
func (p *Planned) stripped() error {
	if p.Loaded.Site.Spec.Hosts.Apply != v1alpha1.ApplyOverlay {
		return nil
	}
	var hosts []schedule.HostKey
	for i := range p.Clusters.Claims.Claims {
		if host := p.Clusters.Claims.Claims[i].Host; p.Clusters.Options.Outside(host) {
			hosts = append(hosts, host)
		}
	}
	if len(hosts) == 0 {
		return nil
	}
	slices.SortFunc(hosts, func(a, b schedule.HostKey) int { return strings.Compare(a.String(), b.String()) })
	return fmt.Errorf("%s; with apply: overlay the next sync would remove the labels of these hosts, also of those in "+
		"use: add the namespace, and wait until they are released", p.outside(hosts))
}

// outside names hosts of the tree, sorted, that the Site's namespaces leave out.
func (p *Planned) outside(hosts []schedule.HostKey) string {
	var names, namespaces []string
	for _, host := range hosts {
		names, namespaces = append(names, host.String()), append(namespaces, host.Namespace)
	}
	return fmt.Sprintf("site %s: spec.hosts.namespaces: leaves out %s, where the tree has %s: %s", p.Loaded.Site.Name,
		strings.Join(slices.Compact(namespaces), ", "), text.Count(len(names), "host"), text.Some(names, 10))
}

// counts are what --accept-loss may accept: the hosts that the run loses, without those that specs accept, and the
// failed ones that keep their slots because others wait to leave.
type counts struct{ lost, stay int }

// counts counts what the placement loses and keeps.
func (p *Planned) counts() counts {
	_, accepted := p.beyond()
	stay, _ := p.stay()
	return counts{p.loss.Total() - accepted, len(stay)}
}

// orAll tells of the number that replaces all failed hosts, too.
func (c counts) orAll() string {
	if c.stay == 0 {
		return ""
	}
	return fmt.Sprintf("; %d replaces the %s, too", c.lost+c.stay,
		text.Plural(c.stay, "failed host that keeps its slot", "failed hosts that keep their slots"))
}

// replacesAll reports whether all failed hosts are to be replaced at once, and are not yet.
func (p *Planned) replacesAll(accept int) bool {
	now := p.counts()
	if p.lifted != nil || now.stay == 0 || accept != now.lost+now.stay {
		return false
	}
	p.lifted = &now
	return true
}

// stay returns the failed hosts that keep their slots because others wait to leave, and why.
func (p *Planned) stay() (hosts []string, why schedule.WaitsForOthers) {
	for i := range p.Placement.Clusters {
		for _, role := range p.Placement.Clusters[i].Roles {
			for _, a := range role.Assigned {
				kept, _ := a.Reason.(schedule.Kept)
				if waits, ok := kept.Stays.(schedule.WaitsForOthers); ok {
					hosts, why = append(hosts, a.Host.Key()), waits
				}
			}
		}
	}
	slices.Sort(hosts)
	return hosts, why
}

// slow returns the finding about failed hosts that keep their slots because others wait to leave.
func (p *Planned) slow() []finding.Finding {
	hosts, why := p.stay()
	if len(hosts) == 0 {
		return nil
	}
	now, besides := p.counts(), ""
	if now.lost > 0 {
		besides = fmt.Sprintf(", which includes the %s that this run loses", text.Count(now.lost, "host"))
	}
	return []finding.Finding{warning(finding.Slow, p.Loaded.siteRef(), fmt.Sprintf(
		"%s (%s) %s; to replace all at once, repeat publish (or render) with %s%s",
		text.Plural(len(hosts), "failed host keeps its slot", "failed hosts keep their slots"), text.Some(hosts, 10),
		sentence.Reason(why), p.Loaded.acceptLoss(now.lost+now.stay), besides))}
}

// besides tells of losses that do not count.
func besides(accepted int) string {
	if accepted == 0 {
		return ""
	}
	return fmt.Sprintf("; besides %d that specs accept", accepted)
}

// brakeRule describes how the limit is computed.
func brakeRule(site *v1alpha1.Site) string {
	return fmt.Sprintf("the smaller of %s and %d %%, at least 1", text.Count(*site.Spec.Brake.MaxHosts, "host"),
		*site.Spec.Brake.MaxPercent)
}

// BrakeLimit returns how many hosts a run may take from the clusters: the smaller of the Site's two limits, and at
// least one. Example: with maxHosts 10 and maxPercent 10, a site with 40 claimed hosts may lose 4.
func (p *Planned) BrakeLimit() int { return p.brakeOf(p.loss.Claimed) }

func (p *Planned) brakeOf(claimed int) int {
	return max(1, min(*p.Loaded.Site.Spec.Brake.MaxHosts, claimed**p.Loaded.Site.Spec.Brake.MaxPercent/100))
}

// beyond returns the clusters whose specs lose more than the run may still take, and how many hosts others accept. A
// spec speaks for its cluster unless the Site's list decides.
func (p *Planned) beyond() ([]schedule.Beyond, int) {
	return p.loss.Beyond(p.BrakeLimit(), p.Placement.Clusters, p.answers())
}

// answers returns how many hosts each spec that speaks for its cluster accepts to lose, -1 for none.
func (p *Planned) answers() map[schedule.ClusterKey]int {
	return p.Clusters.Claims.Answers(p.acceptances())
}

// acceptances returns the annotations of the specs that speak for their clusters.
func (p *Planned) acceptances() map[schedule.ClusterKey]schedule.Acceptance {
	out := map[schedule.ClusterKey]schedule.Acceptance{}
	for i := range p.Clusters.All {
		if c := &p.Clusters.All[i]; c.Document != nil && !slices.Contains(p.Loaded.Site.Spec.Decommission, c.Key()) {
			out[schedule.KeyOf(c)] = schedule.Acceptance{Number: c.AcceptedLoss(), Text: acceptance(c)}
		}
	}
	return out
}

// beyondBrake returns the clusters to freeze: their specs lose more hosts than the run may still take, and do not
// accept that number.
func (p *Planned) beyondBrake() (frozen []admit.Problem) {
	found, _ := p.beyond()
	for _, b := range found {
		at := slices.IndexFunc(p.Clusters.All, func(c v1.SIPCluster) bool { return schedule.KeyOf(&c) == b.Cluster })
		c := &p.Clusters.All[at]
		limit, answer := fmt.Sprintf("a run may take only %d", p.BrakeLimit()), fmt.Sprint(b.Number)
		if p.Clusters.Claims.Accepted[b.Cluster] == digestOf(answer) {
			answer += " again"
		}
		more := ""
		if p.usedUp(c) {
			more = "; its present text accepted an earlier loss, and each text accepts one"
		}
		if b.Before > 0 {
			limit += fmt.Sprintf(", and %d count before", b.Before)
		}
		frozen = append(frozen, problemsIn("", admit.Keeps, finding.Loss, b.Cluster,
			c.Problem("spec", "loses %d of %d claimed hosts, but %s (spec.brake: %s): if that is "+
				"intended, annotate the SIPCluster with %s: %q%s",
				b.Number, p.loss.Claimed, limit, brakeRule(p.Loaded.Site), v1.AcceptLossAnnotation, answer, more))...)
	}
	return frozen
}

// digestOf returns what the tree notes of a text: the text is a tenant's, and could be anything.
func digestOf(acceptance string) string {
	sum := sha256.Sum256([]byte(acceptance))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// acceptance returns the digest of a cluster's AcceptLossAnnotation, empty without one.
func acceptance(c *v1.SIPCluster) string {
	if c.Acceptance() == "" {
		return ""
	}
	return digestOf(c.Acceptance())
}

// usedUp reports whether an earlier loss used the text of a cluster's AcceptLossAnnotation up.
func (p *Planned) usedUp(c *v1.SIPCluster) bool {
	return p.Clusters.Claims.UsedUp(schedule.KeyOf(c), acceptance(c))
}

// accepted returns what the tree notes of the clusters' acceptances.
func (p *Planned) accepted() map[schedule.ClusterKey]string {
	texts := map[schedule.ClusterKey]string{}
	for key := range p.Clusters.Claims.Accepted {
		if c := p.Clusters.Spec(key); c != nil && !p.Clusters.Options.Absent[key] {
			texts[key] = acceptance(c)
		}
	}
	return p.Clusters.Claims.Accepts(&p.loss, texts, p.acceptances())
}

// idleAcceptances returns the findings about annotations that accept nothing in this run.
func (p *Planned) idleAcceptances() (out []finding.Finding) {
	answers := p.answers()
	for i := range p.Clusters.All {
		c := &p.Clusters.All[i]
		key := schedule.KeyOf(c)
		answer, speaks := answers[key]
		words := ""
		switch {
		case !speaks || c.Acceptance() == "" || len(p.Clusters.Frozen[key]) > 0:
		case p.usedUp(c):
			words = "its text accepted an earlier loss, and accepts no other: remove the annotation"
		case answer != p.loss.Asked[key]:
			words = fmt.Sprintf("it accepts nothing, because the spec gives up %s in this run: remove the annotation",
				text.Count(p.loss.Asked[key], "host"))
		case answer == 0:
			words = "it accepts nothing: remove the annotation"
		}
		if words != "" {
			idle := warning(finding.NoEffect, clusterRef(key), "annotation "+v1.AcceptLossAnnotation+": "+words)
			idle.Named = "metadata.annotations[" + v1.AcceptLossAnnotation + "]"
			out = append(out, idle)
		}
	}
	return out
}

func describeLoss(loss schedule.Loss) string {
	var parts []string
	for _, part := range []struct {
		what  string
		hosts []schedule.HostKey
	}{
		{"not in the inventory", loss.Missing},
		{"outside the Site's namespaces", loss.Outside},
		{"recreated, with another uid", loss.Recreated},
		{"given to another cluster", loss.Moved},
		{"released", loss.Released},
		{"virtual machines that no Vino asks for", loss.Virtual},
		{"virtual machines whose Vino changes or ends", loss.Remade},
	} {
		if len(part.hosts) == 0 {
			continue
		}
		names := make([]string, 0, len(part.hosts))
		for _, host := range part.hosts {
			names = append(names, host.String())
		}
		parts = append(parts, fmt.Sprintf("%d %s: %s", len(names), part.what, text.Some(names, 10)))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, "; ")
}
