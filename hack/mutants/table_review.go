package main

// reviewGuards are what a reviewer must not miss: the words of the plan, the commit and the pull request.
var reviewGuards = []mutant{
	{"schedule/eligible.go", `	case h.State.Unhealthy:
		return Unhealthy{reportedError(h)}`, `	case h.State.Unhealthy && reportedError(h) == nil:
		return Unhealthy{}`,
		in("cmd/sipgen", "TestScripts/life"),
		"a serving host is replaced, and the commit says what alone replaces no serving host"},
	{"internal/report/plan.go", `							t.Offered++`, `							t.Promoted += 0`,
		in("cmd/sipgen", "TestScripts/life"),
		"a host that was promoted is wiped, and the pull request did not say that it may be"},
	{"internal/report/plan.go", `						if slot.use == "" {`, `						if true {`,
		in("internal/report", "TestPromotedInUse"),
		"a host that serves is said to be wiped"},
	{"schedule/result.go", `		a.WasPending = h.wasPending && !a.Pending
`, ``,
		in("cmd/sipgen", "TestScripts/life"),
		"the release that was reviewed is not the one that happens, and nobody says so"},
	{"internal/report/request.go", `	b.list("\n### Failed\n\n", unique(p.troubles()), b.left/3, "failed host", "failed hosts")
`, ``,
		in("cmd/sipgen", "TestScripts/life"),
		"the pull request does not say that a host has failed"},
	{"internal/report/plan.go", `|| s.From != "" ||`, `||`,
		in("cmd/sipgen", "TestScripts/life"),
		"after a rollback the commit does not list the host that goes back to whom it serves"},
}
