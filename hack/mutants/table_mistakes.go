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
	{"internal/lint/backends.go", `				if !c.Served[cluster.Key()+" "+lb.Path] {`, `				if true {`,
		in("cmd/sipgen", "TestScripts/backends"),
		"a site whose tree has had a load balancer without a role publishes nothing any more"},
}
