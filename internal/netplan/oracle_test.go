package netplan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// The oracle knows a site of 32 addresses, 10.0.0.0 to 10.0.0.31. It reads a site by itself, writes down address by address what is there, and looks
// each pair up in the table of docs/network-plan.md.

type thing struct {
	// kind is a row of the table, who the thing that has it, in the range of whom it is meant to be.
	kind, who, in                        string
	space, field, host, cluster, network string
	on                                   [32]bool
}

func (x *thing) party() int {
	switch {
	case x.host != "":
		return 2
	case x.cluster != "":
		return 1
	}
	return 0
}

func paint(x thing, from, to string) thing {
	last := func(text string) int {
		var n int
		if _, err := fmt.Sscanf(text, "10.0.0.%d", &n); err != nil {
			panic(text)
		}
		return n
	}
	for n := last(from); n <= last(to); n++ {
		x.on[n] = true
	}
	return x
}

// ranges are the kinds that something gives out; machine those of an address that a machine may have anyway.
var (
	ranges  = []string{"dhcp", "vdhcp", "static", "pool", "pods"}
	machine = []string{"node", "ironic", "host", "lease", "program"}
)

// verdict is the table: bad, warn or empty.
func verdict(a, b *thing) string {
	if a.space != b.space {
		return ""
	}
	if a.party() == 1 && b.party() == 1 {
		return "" // told by the check of clusters against each other
	}
	is := func(kinds []string, x *thing) bool { return slices.Contains(kinds, x.kind) }
	pair := func(x, y string) bool { return a.kind == x && b.kind == y || a.kind == y && b.kind == x }
	switch {
	case a.host != "" && b.host != "":
		switch {
		case a.host == b.host:
			return ""
		case pair("host", "host") && a.network == b.network:
			return "bad"
		case (pair("lease", "host") || pair("lease", "lease")) && a.network == b.network:
			return "warn"
		case pair("power", "host"), pair("power", "lease"):
			return "warn"
		}
		return ""
	case is(ranges, a) && is(ranges, b):
		if a.who == b.who {
			return ""
		}
		return "bad"
	case is(ranges, a) || is(ranges, b):
		giver, taker := a, b
		if is(ranges, b) {
			giver, taker = b, a
		}
		switch {
		case taker.in == giver.who, taker.in == "pool" && giver.kind == "pool":
			return ""
		case taker.kind == "lease" && (giver.kind == "dhcp" || giver.kind == "vdhcp"):
			return ""
		case taker.kind == "lease":
			return "warn"
		case (taker.kind == "power" || taker.kind == "program") && giver.kind == "dhcp":
			return "warn"
		}
		return "bad"
	case a.kind == "gateway" || b.kind == "gateway", a.who == b.who:
		return ""
	case is(machine, a) && is(machine, b):
		if a.kind == b.kind {
			return "bad"
		}
		return ""
	case pair("power", "node"):
		return "warn"
	}
	return "bad"
}

// guilty is which of two has to change.
func guilty(a, b *thing) *thing {
	if a.party() > b.party() {
		a, b = b, a
	}
	switch {
	case a.party() == 0 && b.party() == 0:
		if a.field > b.field {
			return a
		}
		return b
	case a.party() == 0:
		return b
	case a.party() == 1:
		return a
	case a.kind == "power" && b.kind != "power": // of several hosts with the address one is named, and the power control is the odd one
		return a
	case b.kind == "power" && a.kind != "power":
		return b
	case a.host > b.host:
		return a
	}
	return b
}

// found is who has to change because of what: with the other thing for what the site's services are part of, without for pairs of hosts, of which
// one of several is named, and for a host whose address a cluster asks for.
func found(at, with string, mild bool, atParty, withParty int) string {
	if atParty == 2 && withParty == 2 || atParty == 2 && withParty == 1 {
		with = "another"
	}
	if atParty == 1 && withParty == 2 {
		with = "a host"
	}
	return fmt.Sprintf("%s / %s / mild %t", at, with, mild)
}

func TestPlanAgreesWithTheOracle(t *testing.T) {
	sites, conflicts := 20_000, 0
	if testing.Short() {
		sites = 4_000
	}
	for seed := range uint64(sites) {
		r := rand.New(rand.NewPCG(seed, 17))
		site, clusters, hosts := random(r)
		things := read(site, clusters, hosts)
		want, got := map[string]bool{}, map[string]bool{}
		for i := range things {
			for j := range i {
				a, b := &things[i], &things[j]
				meet := false
				for n := range a.on {
					meet = meet || a.on[n] && b.on[n]
				}
				said := verdict(a, b)
				if !meet || said == "" {
					continue
				}
				at := guilty(a, b)
				with := a
				if at == a {
					with = b
				}
				want[found(at.host+at.cluster+" "+at.field, with.host+with.cluster+" "+with.field, said == "warn", at.party(), with.party())] = true
			}
		}
		name := func(c *Claim) string {
			switch {
			case c.Host != nil:
				return c.Host.Key() + " " + c.Field
			case c.Cluster != nil:
				return c.Cluster.Key() + " " + c.Field
			}
			return " " + c.Field
		}
		plan := Of(site, clusters, hosts)
		each := map[*Claim]int{}
		for _, c := range plan.Conflicts {
			if c.At.Kind != Addresses {
				continue
			}
			each[c.At]++
			each[c.With]++
			got[found(name(c.At), name(c.With), c.Mild, int(c.At.party()), int(c.With.party()))] = true
		}
		conflicts += len(want)
		// A host with an address that is both another host's and another one's lease is named once, as the worse of the two; and no more than
		// maxEach are named of one claim.
		full := false
		for _, n := range each {
			full = full || n >= maxEach
		}
		for line := range want {
			hard := strings.Replace(line, "mild true", "mild false", 1)
			if !got[line] && !full && !(strings.Contains(line, "another") && got[hard]) {
				t.Errorf("site %d: not found: %s\n%s", seed, line, describe(plan))
			}
		}
		for line := range got {
			need.That(t, want[line], "site %d: found, and there is none: %s\n%s", seed, line, describe(plan))
		}
		if t.Failed() {
			return
		}
	}
	need.That(t, conflicts >= sites, "%d conflicts in %d sites: the sites are too peaceful to say anything", conflicts, sites)
}

func describe(p *Comparison) string {
	var out strings.Builder
	for i := range p.Claims {
		c := &p.Claims[i]
		fmt.Fprintf(&out, "  %s %s %s, in %q, space %q: %s\n", c.Kind, c.text(), c.what(), c.Within, c.Space, c.Field)
	}
	return out.String()
}

// The plan does not depend on the order of what it is of.
func TestOrderDoesNotMatter(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 18))
		site, clusters, hosts := random(r)
		words := func() string {
			plan := Of(site, clusters, hosts)
			var out []string
			for i := range plan.Conflicts {
				out = append(out, plan.words(&plan.Conflicts[i]))
			}
			return describe(plan) + strings.Join(out, "\n")
		}
		first := words()
		r.Shuffle(len(clusters), func(i, j int) { clusters[i], clusters[j] = clusters[j], clusters[i] })
		r.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
		again := words()
		need.Must(t, again == first, "site %d:\n%s\nand in another order\n%s", seed, first, again)
	}
}
