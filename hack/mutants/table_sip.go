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
	{"internal/preflight/services.go", "strings.ReplaceAll(string(text), \"'\", `\\u0027`)", `string(text)`,
		in("internal/preflight", "TestServices"),
		"the name of a field manager runs a command in the shell of whoever copies what is printed"},
	{"inventory/owners.go", `w.Made && w.Operation == "Update"`, `false && w.Operation == "Update"`,
		in("internal/preflight", "TestServices"),
		"the first sync over SIP's objects fails, or leaves BMC passwords in the new pods"},
	{"cmd/sipgen/check.go", `if d.unseen != nil {`, `if false {`,
		in("cmd/sipgen", "TestServiceOwners"),
		"who may not look at SIP's objects believes that they were looked at, and the sync over them fails"},
	{"inventory/live/owners.go", `reader.accept, reader.selector = onlyMetadata, kind.selector`, `reader.selector = kind.selector`,
		in("cmd/sipgen", "TestServiceOwners"),
		"whole Deployments of all namespaces, with passwords in plain text, are read to learn who owns them"},
	{"internal/takeover/write.go", `if t.Spec.Cluster == nil {
		return // names`, `if false {
		return // names`,
		in("internal/takeover", "TestNamesInCommands"),
		"the name of an object in a file runs a command in the shell of whoever runs what is printed"},
	{"internal/takeover/write.go", `text.Line(fmt.Sprintf(format, args...))`, `text.Line("") + fmt.Sprintf(format, args...)`,
		in("internal/takeover", "TestNamesInCommands"),
		"the name of a field ends its comment, and the rest is run"},
	{"cmd/sipgen/takeover.go", `os.O_WRONLY|os.O_CREATE|os.O_EXCL`, `os.O_WRONLY|os.O_CREATE|os.O_TRUNC`,
		in("cmd/sipgen", "TestScripts/takeover"),
		"a spec that somebody has changed since is overwritten"},
	{"render/infra/loadbalancer.go", `target = intstr.FromInt32(apiPort)`, ``,
		in("render/infra", "TestPortNameOfSIP"),
		"the control plane of a tenant that is taken over has no endpoint until new pods are ready"},
}
