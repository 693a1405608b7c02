package main

// lifeGuards are told apart by what becomes of live hosts that the real baremetal-operator works on, on either engine.
var lifeGuards = []mutant{
	{"schedule/eligible.go", `failed(h) != nil && !h.State.Deleting && !h.State.Unhealthy &&`, `failed(h) != nil && !h.State.Deleting &&`,
		in("e2e", "TestFluxRows/stand-in", "TestArgoRows/stand-in"),
		"a host that Cluster API gave up keeps its slot on a live site, and the standby host stands by"},
	{"schedule/eligible.go", `	case h.State.Consumer != nil:
		return InUse{h.State.Consumer.String()}
	case provisioned(h):`, `	case h.State.Consumer != nil && h.State.Consumer.Kind == "Metal3Machine":
		return InUse{h.State.Consumer.String()}
	case provisioned(h):`,
		in("e2e", "TestFluxRows/claimed", "TestArgoRows/claimed"),
		"a host that is bound to a HostClaim is released from under it"},
	{"schedule/addresses.go", `	h.setAddresses(kept)
`, ``,
		in("e2e", "TestFluxRows/network-data", "TestArgoRows/network-data"),
		"the load balancer of a live cluster loses a host when Cluster API consumes it"},
	{"schedule/eligible.go", `	case s.NodeReuse != "":`, `	case false:`,
		in("e2e", "TestFluxRows/reuse", "TestArgoRows/reuse"),
		"a host that Cluster API keeps for one control plane goes to another cluster"},
	{"render/capi/objects.go", `Operator: metav1.LabelSelectorOpNotIn, Values: []string{"true"}}`, `Operator: metav1.LabelSelectorOpNotIn, Values: []string{"no"}}`,
		in("e2e", "TestFluxRows/handover", "TestArgoRows/handover"),
		"Cluster API takes standby hosts on a live site"},
	{"schedule/keep.go", `	} else if use := inUse(h); use != nil && !r.cluster.approved[i] {
		r.pending`, `	} else if use := inUse(h); false {
		r.pending`,
		in("e2e", "TestFluxRows/life", "TestArgoRows/life"),
		"a contraction takes the labels off a live host on which a machine runs"},
}
