package netplan

// clash says whether two claims that overlap are at odds, and whether that may be so on purpose or for a time: then it
// is only a warning. docs/network-plan.md has it as a table.
func clash(a, b *Claim) (at, mild bool) {
	if b.party() < a.party() || b.party() == a.party() && b.Use.gives() && !a.Use.gives() {
		a, b = b, a
	}
	switch {
	case a.party() == ofCluster && b.party() == ofCluster:
		return false, false // found with more care where clusters are checked against each other
	case a.party() == ofHost:
		return hosts(a, b)
	case a.Use.gives():
		return given(a, b)
	case a.Kind == Ports:
		// two Ironics may be on nodes of their own; and what is a node port is found with the range of those
		return false, false
	case a.Use == IronicInterface && b.Use == BootMAC:
		return false, false // a node may be a host
	case a.Use == Gateway || b.Use == Gateway:
		return false, false // a router may be anything else, too
	case a.Owner == b.Owner:
		return false, false
	case a.Use.atNode() && b.Use.atNode() && (a.Use != b.Use):
		return false, false
	case b.Use == PowerControl:
		return true, a.Use == Node
	}
	return true, false
}

// given: something gives out what a has.
func given(a, b *Claim) (at, mild bool) {
	switch {
	case a.Owner == b.Owner && b.Use.gives():
		// Networks of one subnet share a list of static addresses and one of DHCP addresses, and attachments may share
		// a range. MetalLB rejects a pool that names an address twice.
		return a.Use != b.Use || a.Use == Pool, false
	case b.Within == a.Owner, b.Within == anyPool && a.Use == Pool:
		return false, false
	case b.Use == Lease && (a.Use == DHCP || a.Use == VirtualDHCP):
		return false, false // it may be this one's
	case b.Use == PowerControl || b.Use == PowerProgram:
		return true, a.Use == DHCP
	}
	return true, b.Use == Lease
}

// hosts: their addresses are compared network by network, as two of different names may be different wires.
func hosts(a, b *Claim) (at, mild bool) {
	address := func(c *Claim) bool { return c.Use == HostAddress || c.Use == Lease }
	switch {
	case a.Host == b.Host:
		return false, false
	case address(a) && address(b):
		return true, a.Use == Lease || b.Use == Lease // the sweep brings none of two networks together
	case a.Use == BootMAC:
		return true, false
	case address(a) && b.Use == PowerControl, address(b) && a.Use == PowerControl:
		return true, true
	}
	return false, false
}

// anyPool is meant to be in a pool of MetalLB, whichever.
const anyPool = "a pool"
