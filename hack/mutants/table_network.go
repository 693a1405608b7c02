package main

// networkGuards are for servers that do what they should not: git servers, forges, API servers, and what stands before them.
var networkGuards = []mutant{
	{"publish/auth.go", `hookOutput{client.Transport}, checkRedirect`, `hookOutput{client.Transport}, nil`,
		in("publish", "TestRedirectsElsewhereAreRefused"),
		"a redirect takes the git server's credentials to another port, over plain http"},
	{"publish/redirect.go", `	return safer || from.Scheme == to.Scheme && effectivePort(from) == effectivePort(to)`, `	return safer || from.Scheme == to.Scheme`,
		in("publish", "TestSameServer", "TestRedirectsElsewhereAreRefused"),
		"a redirect takes the git server's credentials to another port of its host"},
	{"publish/remote.go", `		if r.endpoint.Protocol == scheme {`, `		if true || scheme == "" {`,
		in("publish", "TestRedirectFromHTTPToHTTPS"),
		"a server that leads from http to https cannot be published to"},
}
