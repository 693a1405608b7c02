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
	{"publish/pack.go", `		if pack.objects.isLarge(hash) {`, `		if false {`,
		in("publish", "TestLargeObjectsOfAPack"),
		"a megabyte of a pack that unpacks to gigabytes kills the run"},
	{"publish/pack.go", `objects[top.position].large || top.large || size > maxFile`, `objects[top.position].large || size > maxFile`,
		in("publish", "TestLargeObjectsOfAPack"),
		"a small delta of a file of gigabytes kills the run"},
	{"publish/pack.go", `	if size > l.held {`, `	if size > maxHeld {`,
		in("publish", "TestPackLimits"),
		"deltas that grow with each step kill the run"},
	{"publish/pack.go", `	if size < 0 || size > l.all {`, `	if size < 0 {`,
		in("publish", "TestPackLimits"),
		"a small pack takes hours to sum up"},
}
