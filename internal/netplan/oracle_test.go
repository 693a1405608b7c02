package netplan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The oracle knows a site of 32 addresses, 10.0.0.0 to 10.0.0.31, and which of them each thing on it has. It looks each
// pair up in the table of docs/network-plan.md.

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

// ofHosts are the pairs of two hosts' things, by name: the first three on one network.
var ofHosts = map[string]string{"host host": "bad", "host lease": "warn", "lease lease": "warn", "host power": "warn",
	"lease power": "warn"}

// verdict is the table: bad, warn or empty.
func verdict(a, b *thing) string {
	is := func(kinds []string, x *thing) bool { return slices.Contains(kinds, x.kind) }
	if is(ranges, b) {
		a, b = b, a
	}
	kinds := []string{a.kind, b.kind}
	slices.Sort(kinds)
	pair := strings.Join(kinds, " ")
	switch {
	case a.space != b.space, a.party() == 1 &&
		b.party() == 1: // clusters are told by the check of clusters against each other
		return ""
	case a.host != "" && b.host != "":
		if a.host == b.host || a.network != b.network && !strings.Contains(pair, "power") {
			return ""
		}
		return ofHosts[pair]
	case is(ranges, a) && !is(ranges, b):
		switch {
		case b.in == a.who, b.in == "pool" && a.kind == "pool", b.kind == "lease" && strings.HasSuffix(a.kind, "dhcp"):
			return ""
		case b.kind == "lease", a.kind == "dhcp" && (b.kind == "power" || b.kind == "program"):
			return "warn"
		}
		return "bad"
	case a.who == b.who && pair == "static vdhcp":
		return "bad"
	case a.who == b.who, strings.Contains(pair, "gateway"), is(machine, a) && is(machine, b) && a.kind != b.kind:
		return ""
	case pair == "node power":
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

// found is who has to change because of what: with the other thing for what the site's services are part of, without
// for pairs of hosts, of which one of several is named, and for a host whose address a cluster asks for.
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
		r := randomSite(seed)
		things := r.things
		want, got := map[string]bool{}, map[string]bool{}
		for i := range things {
			for j := range i {
				a, b := &things[i], &things[j]
				meet := false
				for n := range a.on {
					meet = meet || a.on[n] && b.on[n]
				}
				table := verdict(a, b)
				if !meet || table == "" {
					continue
				}
				at := guilty(a, b)
				with := a
				if at == a {
					with = b
				}
				want[found(at.host+at.cluster+" "+at.field, with.host+with.cluster+" "+with.field, table == "warn",
					at.party(), with.party())] = true
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
		plan := Of(&r.Site, r.clusters, r.hosts)
		said := plan.said()
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
		// A host with an address that is both another host's and another one's lease is named once, as the worse of the
		// two; and no more than maxEach are named of one claim.
		full := false
		for _, n := range each {
			full = full || n >= maxEach
		}
		for line := range want {
			hard := strings.Replace(line, "mild true", "mild false", 1)
			if !got[line] && !full && !(strings.Contains(line, "another") && got[hard]) {
				t.Errorf("site %d: not found: %s\n%s", seed, line, said)
			}
		}
		for line := range got {
			assert.Truef(t, want[line], "site %d: found, and there is none: %s\n%s", seed, line, said)
		}
		if t.Failed() {
			return
		}
		if seed%50 > 0 {
			continue
		}
		r.Shuffle(len(r.clusters), reflect.Swapper(r.clusters))
		r.Shuffle(len(r.hosts), reflect.Swapper(r.hosts))
		again := Of(&r.Site, r.clusters, r.hosts).said()
		require.Truef(t, again == said, "site %d:\n%s\nand in another order\n%s", seed, said, again)
	}
	assert.Truef(t, conflicts >= sites, "%d conflicts in %d sites: the sites are too peaceful to say anything",
		conflicts, sites)
}

// said is all that a plan says.
func (p *Comparison) said() string {
	var out strings.Builder
	for i := range p.Claims {
		c := &p.Claims[i]
		fmt.Fprintf(&out, "  %s %s %s, in %q, space %q: %s\n", c.Kind, c.text(), c.what(), c.Within, c.Space, c.Field)
	}
	for i := range p.Conflicts {
		fmt.Fprintln(&out, p.words(&p.Conflicts[i]))
	}
	return out.String()
}
