package main

// watchGuards are in the watch by which every engine test fails when a host is harmed: the baremetal-operator is real, and what it answers is seen.
var watchGuards = []mutant{
	{"e2e/engine/hostwatch.go", `		add("lost its spec")`, `		_ = after`,
		in("e2e/engine", "TestHostWatchSeesHarm"),
		"a host whose spec is gone is no harm to any engine test"},
	{"e2e/engine/hostwatch.go", `	for _, field := range []string{"online", "bmc", `, `	for _, field := range []string{"bmc", `,
		in("e2e/engine", "TestHostWatchSeesHarm"),
		"a host that is switched off is no harm to any engine test"},
	{"e2e/engine/hostwatch.go", `from != to && !slices.Contains(workingStates, to) {`, `from != to && len(workingStates) == 0 {`,
		in("e2e/engine", "TestHostWatchSeesHarm"),
		"a host that the operator deprovisions is no harm to any engine test"},
	{"e2e/engine/hostwatch.go", `		return []string{"was deleted"}`, `		return nil`,
		in("e2e/engine", "TestHostWatchSeesHarm"),
		"a host that is deleted is no harm to any engine test"},
	{"e2e/engine/hostwatch.go", `	if was.settled && !was.announced {`, `	if false && was.settled && !was.announced {`,
		in("e2e/engine", "TestHostWatchSeesHarm"),
		"no engine test sees any harm"},
}
