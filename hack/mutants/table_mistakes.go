package main

// mistakeGuards are about what people type by mistake.
var mistakeGuards = []mutant{
	{"api/v1alpha1/runner.go", `	if !scpURL.MatchString(r.URL) {
		return r.URL`, `	if true {
		return r.URL`,
		in("render", "TestFluxTakesTheURL"),
		"the API server refuses Flux's GitRepository with git's short form of a URL, after everything was published"},
	{"cmd/sipgen/decide.go", `	for key, why := range d.losesBackends(claims) {`, `	for key, why := range map[schedule.ClusterKey][]string{} {`,
		in("cmd/sipgen", "TestScripts/backends"),
		"a misspelt role releases a running control plane and empties its load balancer"},
	{"cmd/sipgen/tenants.go", `	for _, f := range l.empty {`, `	for _, f := range l.empty[:0] {`,
		in("cmd/sipgen", "TestScripts/cutoff"),
		"a file that was cut off releases the hosts of its cluster"},
	{"cmd/sipgen/tenants.go", ` || claimed[key] && !serves[key] {`, ` {`,
		in("cmd/sipgen", "TestScripts/cutoff"),
		"a stray empty file stops a cluster that is on its way out"},
	{"internal/lint/power.go", ` && !unreadable(host) {`, ` {`,
		in("internal/lint", "TestUnreadableIsNotPowerless"),
		"a host whose power control nobody could read is said to have none"},
	{"internal/lint/backends.go", `				if !c.Served[cluster.Key()+" "+lb.Path] {`, `				if true {`,
		in("cmd/sipgen", "TestScripts/backends"),
		"a site whose tree has had a load balancer without a role publishes nothing any more"},
	{"cmd/sipgen/namespaces.go", `		case host.NoNamespace:`, `		case false:`,
		in("cmd/sipgen", "TestScripts/faults"),
		"a host whose document lost its namespace vanishes, and another one takes its slot without a word"},
}
