package main

// sipGuards keep what the SIP operator's installations, and inputs as the world writes them, may do to a site.
var sipGuards = []mutant{
	{"schedule/match.go", `				sh.lack(r.required(), s.kinds)
`, ``,
		in("schedule", "TestHostsWithoutTheKey"),
		"hosts whose rack nobody knows are handed out, and a control plane ends up in one rack"},
	{"schedule/topology.go", `if r.lost(h) != "" || !of.kinds.has(h.kind) && !slices.Contains(others, i) {`, `if !of.kinds.has(h.kind) && !slices.Contains(others, i) {`,
		in("schedule", "TestHostsWithoutTheKey"),
		"one host that lost its row label gets every cluster with topologyKeys refused"},
}
