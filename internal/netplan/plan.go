package netplan

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
)

// Comparison is every address, port and MAC address of a site, with the conflicts.
type Comparison struct {
	// Claims are sorted by their values.
	Claims []Claim
	// Conflicts are sorted by their values.
	Conflicts []Conflict
	// Tenants are conflicts between tenants, one sentence each. They are found elsewhere, and added by the caller
	// that prints the plan.
	Tenants []string
	// Unknown are the paths of fields of the Site beside those of claims: an operator's newer version may read
	// addresses from them. Nothing is known of their values.
	Unknown []string

	site *v1alpha1.Site
}

// Conflict is two claims that overlap and should not, or that should and do not.
type Conflict struct {
	// At is the claim that has to change: the site's if both are, else a tenant's or a host's.
	At, With *Claim
	// Mild: it may be so on purpose, or for a time.
	Mild bool
	// Outside: At is not in With, the pool that it names.
	Outside bool
}

// Of returns the plan of a site that is defaulted and valid.
func Of(site *v1alpha1.Site, clusters []v1.SIPCluster, hosts []inventory.Host) *Comparison {
	g := newGatherer(site)
	g.claims = make([]Claim, 0, 4*len(clusters)+3*len(hosts)) // most have no more
	g.services()
	for i := range clusters {
		g.cluster(&clusters[i])
	}
	for i := range hosts {
		g.host(&hosts[i])
	}
	p := &Comparison{Unknown: g.unknown(), Claims: sorted(g.claims), site: site}
	s := sweep{plan: p}
	s.run()
	return p
}

// blame returns the claim that has to change, and the other one.
func (p *Comparison) blame(a, b *Claim) (at, with *Claim) {
	if x, y := a.party(), b.party(); x != y {
		if y < x {
			a, b = b, a
		}
		if a.Cluster != nil { // b is a host's
			return a, b
		}
		return b, a
	}
	if a.Host != nil && a.Use != b.Use && (a.Use == PowerControl || b.Use == PowerControl) {
		if a.Use == PowerControl {
			return a, b
		}
		return b, a
	}
	if p.later(a, b) {
		return a, b
	}
	return b, a
}

// later reports whether a comes after b in the Site's file, or for hosts by name.
func (p *Comparison) later(a, b *Claim) bool {
	if a.Host != nil {
		return a.Host.Key() > b.Host.Key()
	}
	return cmp.Or(cmp.Compare(p.line(a), p.line(b)), strings.Compare(a.Field, b.Field)) > 0
}

// unknown returns the unknown fields of the Site's services that are beside the field of a claim, or beside a list
// with one, sorted.
func (g *gatherer) unknown() (fields []string) {
	if len(g.site.Unknown) == 0 {
		return nil
	}
	above := func(path string) string { return path[:max(0, strings.LastIndexByte(path, '.'))] }
	holders := map[string]bool{}
	for i := range g.claims {
		c := &g.claims[i]
		if c.Host != nil || c.Cluster != nil {
			continue
		}
		for path, list := c.Field, true; list; list = strings.HasSuffix(path, "]") {
			path = above(path)
			holders[path] = true
		}
	}
	for _, field := range g.site.Unknown {
		if holders[above(field)] {
			fields = append(fields, field)
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

func (p *Comparison) line(c *Claim) int {
	switch {
	case c.Cluster != nil && c.Cluster.Document != nil:
		return c.Cluster.Document.LineOf(c.Field)
	case c.Cluster == nil && c.Host == nil:
		if document, field := p.site.Place(c.Field); document != nil {
			return document.LineOf(field)
		}
	}
	return 0
}

// Place returns the place of a claim: file, line and field as far as known.
func (p *Comparison) Place(c *Claim) string {
	var parts []string
	switch {
	case c.Host != nil:
		parts = append(parts, c.Host.Source.String())
	case c.Cluster != nil && c.Cluster.Document != nil:
		parts = append(parts, c.Cluster.Document.File, "line "+strconv.Itoa(p.line(c)))
	case c.Cluster != nil:
		parts = append(parts, c.Cluster.Source.String())
	}
	field := c.Field
	if c.Host == nil && c.Cluster == nil {
		document, there := p.site.Place(c.Field)
		if field = there; document != nil {
			parts = append(parts, document.File, "line "+strconv.Itoa(p.line(c)))
		}
	}
	if parts = append(parts, field); parts[0] == "" {
		parts = parts[1:]
	}
	return strings.Join(parts, ": ")
}

// Overlaps reports whether there is an overlap that is not allowed.
func (p *Comparison) Overlaps() bool {
	return len(p.Tenants) > 0 || slices.ContainsFunc(p.Conflicts, func(c Conflict) bool { return !c.Mild })
}

// Problems returns the conflicts within the site's own services, which stop the run.
func (p *Comparison) Problems() []error {
	var errs []error
	for i := range p.Conflicts {
		if c := &p.Conflicts[i]; c.At.party() == ofSite && !c.Mild {
			errs = append(errs, p.site.Problem(c.At.Field, "%s", p.words(c)))
		}
	}
	return errs
}

// Yield turns conflicts between a host and a cluster that has the address in the tree, or whose tenant the Site grants
// it: then the host has to change, because its network data may be written by its own machine. A cluster that newly
// asks for a host's address without a grant, on a network of its own namespace, has to change itself. If the Site's
// spec.hosts.networks does not accept the host's address, neither has to: no service reaches the host there, and a
// tenant keeps no host from the others by asking for what it is not granted. has returns what a cluster's services have
// in the tree, by "namespace/name".
func (p *Comparison) Yield(has func(cluster string) validation.Held, granted func(*v1.SIPCluster, netip.Addr) bool) {
	for i := range p.Conflicts {
		c := &p.Conflicts[i]
		if c.At.Cluster == nil || c.With.Host == nil {
			continue
		}
		holds := len(has(c.At.Cluster.Key())[c.At.asked]) > 0 ||
			granted(c.At.Cluster, c.At.span.from.address(c.At.wide))
		c.Mild = c.Mild || c.With.misplaced && !holds
		if holds || c.With.misplaced {
			c.At, c.With = c.With, c.At
		}
	}
}

// Refused returns the tenants' conflicts.
func (p *Comparison) Refused() []finding.Finding {
	var out []finding.Finding
	for i := range p.Conflicts {
		if c := &p.Conflicts[i]; c.At.Cluster != nil && !c.Mild {
			out = append(out, p.finding(c, finding.Error))
		}
	}
	return out
}

// Findings returns the conflicts that may be so on purpose, but for those of two hosts, which sipgen lint finds.
func (p *Comparison) Findings() []finding.Finding {
	var out []finding.Finding
	for i := range p.Conflicts {
		if c := &p.Conflicts[i]; c.Mild && (c.At.Host == nil || c.With.Host == nil) {
			out = append(out, p.finding(c, finding.Warning))
		}
	}
	return out
}

// finding returns a conflict as a finding about the claim that has to change.
func (p *Comparison) finding(c *Conflict, severity finding.Severity) finding.Finding {
	f := finding.Finding{Code: finding.Network, Severity: severity, Field: c.At.Field,
		Fix: finding.Remedy(finding.Network)}
	switch {
	case c.At.Host != nil:
		f.Object = finding.To(finding.KindHost, c.At.Host.Namespace, c.At.Host.Name)
		f.Place = finding.At(c.At.Host.Source)
	case c.At.Cluster != nil:
		f.Object = finding.To(v1.Kind, c.At.Cluster.Namespace, c.At.Cluster.Name)
		f.Place = finding.In(c.At.Cluster.Document, c.At.Cluster.Source, c.At.Field)
	default:
		document, field := p.site.Place(c.At.Field)
		f.Object, f.Field = finding.To(v1alpha1.Kind, "", p.site.Name), field
		f.Place = finding.In(document, manifest.Place{}, field)
	}
	return f.Naming(p.Place(c.With), c.With.Field, func(place string) string { return words(c, place) })
}

// Faults notes, for each host, what keeps it from being handed out: an address or a MAC address that the site's
// services, or a cluster's, give out or have. What two hosts have in common is noted elsewhere. hosts are those that
// the plan is of, or copies; what one has already is not noted again.
func (p *Comparison) Faults(hosts []inventory.Host) {
	faults := map[string][]inventory.Fault{}
	for i := range p.Conflicts {
		c := &p.Conflicts[i]
		if c.At.Host == nil || c.Mild || c.With.Host != nil {
			continue
		}
		if key := c.At.Host.Key(); len(faults[key]) < maxFaults {
			faults[key] = append(faults[key], inventory.Fault{
				Kind: inventory.FaultNetwork, Field: c.At.Field, Text: c.At.text() + " overlaps " + c.With.text() + ", " +
					c.With.what(), Other: manifest.Place{File: p.Place(c.With)},
			})
		}
	}
	if len(faults) == 0 {
		return
	}
	for i := range hosts {
		host := &hosts[i]
		for _, fault := range faults[host.Key()] {
			if !slices.Contains(host.Faults, fault) {
				host.Faults = append(host.Faults[:len(host.Faults):len(host.Faults)], fault)
			}
		}
	}
}

// maxFaults is how many of one host are noted: one keeps it from being handed out.
const maxFaults = 3

func (p *Comparison) words(c *Conflict) string { return words(c, p.Place(c.With)) }

func words(c *Conflict, place string) string {
	if c.Outside {
		return fmt.Sprintf("%s, %s, is not in %s, which it names (%s): want one of that pool's addresses", c.At.text(),
			c.At.what(), c.With.whose(), place)
	}
	want := "want addresses of its own, or networks that never meet in the Site's spec.services.addressSpaces"
	switch c.At.Kind {
	case MACs:
		want = "want MAC addresses of its own"
	case Ports:
		want = "want a port outside the Site's spec.nodePorts"
	}
	return fmt.Sprintf("%s, %s, overlaps %s, %s (%s): %s", c.At.text(), c.At.what(), c.With.text(), c.With.what(), place,
		want)
}

// text returns what a claim has: an address, or the first and the last one.
func (c *Claim) text() string {
	one := func(n number) string {
		switch c.Kind {
		case MACs:
			v := n.lo
			return fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", byte(v>>40), byte(v>>32), byte(v>>24), byte(v>>16), byte(v>>8),
				byte(v))
		case Ports:
			return strconv.FormatUint(n.lo, 10)
		}
		return n.address(c.wide).String()
	}
	if c.span.single() {
		return one(c.span.from)
	}
	return one(c.span.from) + "-" + one(c.span.to)
}

var useWords = map[Use]string{
	DHCP: "DHCP addresses", VirtualDHCP: "DHCP addresses", Static: "addresses of virtual hosts", Pool: "addresses",
	Attachment:  "addresses of pods",
	VirtualMACs: "MAC addresses of virtual hosts", NodePorts: "node ports", Node: "address", IronicAddress: "address",
	VIP:      "virtual address",
	External: "external address", Gateway: "gateway", LoadBalancer: "load balancer", ClusterIP: "cluster IP",
	Pod:         "address of pods",
	HostAddress: "address", Lease: "address at inspection", PowerControl: "power control", PowerProgram: "power control",
	IronicInterface: "interface", BootMAC: "boot MAC address", IronicPort: "port", TenantPorts: "node ports",
}

// what returns what a claim is, and whose.
func (c *Claim) what() string { return c.use() + " of " + c.whose() }

func (c *Claim) use() string {
	if (c.Use == HostAddress || c.Use == Lease) && c.Network != "" {
		return useWords[c.Use] + " on network " + c.Network
	}
	return useWords[c.Use]
}

func (c *Claim) whose() string {
	if c.Of != "" {
		return c.Of
	}
	return c.Owner
}
