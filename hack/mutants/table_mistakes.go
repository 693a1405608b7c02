package main

// mistakeGuards are about what people type by mistake.
var mistakeGuards = []mutant{
	{"api/v1alpha1/runner.go", `	if !scpURL.MatchString(r.URL) {
		return r.URL`, `	if true {
		return r.URL`,
		in("render", "TestFluxTakesTheURL"),
		"the API server refuses Flux's GitRepository with git's short form of a URL, after everything was published"},
}
