package main

// reviewGuards are what a reviewer must not miss: the words of the plan, the commit and the pull request.
var reviewGuards = []mutant{
	{"internal/text/machine.go", `		case last == 't' && escape:`, `		case false && escape:`,
		in("internal/text", "TestJSON"),
		"a command stands behind a tab in JSON, and a CI system obeys it"},
	{"internal/text/machine.go", `	return true
}`, `	return false
}`,
		in("internal/text", "FuzzEscapeQuoted"),
		"a string is a command from its first byte on, and is written into YAML without quotes"},
	{"internal/text/machine.go", `	_, err := w.Write(EscapeQuoted(indented(out.Bytes())))`, `	_, err := w.Write(indented(out.Bytes()))`,
		in("internal/treediff", "TestNothingIsACommandInJSON"),
		"what a tenant writes into an annotation is a command to the CI system that shows the diff"},
	{"cmd/sipgen/output.go", ` || text.Commands(node.Value)) {`, `) {`,
		in("cmd/sipgen", "FuzzYAML"),
		"a host's error message is a command to the CI system that shows the plan"},
	{"schedule/eligible.go", `	case h.State.Unhealthy:
		return Unhealthy{reportedError(h)}`, `	case h.State.Unhealthy && reportedError(h) == nil:
		return Unhealthy{}`,
		in("cmd/sipgen", "TestScripts/life"),
		"a serving host is replaced, and the commit says what alone replaces no serving host"},
	{"internal/report/explain.go", `	if found.Line.Host.Emptied() {`, `	if false {`,
		in("cmd/sipgen", "TestScripts/nextstep"),
		"explain of a host whose spec was emptied says held, and not that it is about to be wiped"},
	{"internal/report/explain.go", `line.Cluster == key && line.Host.Emptied()`, `false`,
		in("cmd/sipgen", "TestScripts/nextstep"),
		"explain of a cluster does not say that one of its hosts is about to be wiped"},
	{"internal/report/dangers.go", `|| p.HasTree || p.NoTree != "" //`, `//`,
		in("internal/report", "TestFirstPolicies"),
		"a policy is added to the guards of a site that runs, and no danger says so"},
	{"cmd/sipgen/surge.go", `				d.report.Refuse(f.cluster.String())
`, ``,
		in("cmd/sipgen", "TestScripts/surge"),
		"hosts that a tenant may not have stand in the plan as new ones"},
	{"cmd/sipgen/lint.go", `f.Object == v1.Kind+" "+c.Key() && slices`, `slices`,
		in("cmd/sipgen", "TestSaidFrozen"),
		"what is wrong with one cluster is not said, because another one is frozen for the same"},
	{"internal/report/totals.go", `							t.Offered++`, `							t.Promoted += 0`,
		in("cmd/sipgen", "TestScripts/life"),
		"a host that was promoted is wiped, and the pull request did not say that it may be"},
	{"internal/report/totals.go", `						if slot.use == "" {`, `						if true {`,
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
	{"internal/report/slot.go", `|| s.From != "" ||`, `||`,
		in("cmd/sipgen", "TestScripts/life"),
		"after a rollback the commit does not list the host that goes back to whom it serves"},
	{"internal/report/dangers.go", `		for _, words := range c.lost {
			add(&missing, "missing", words)
		}
`, ``,
		in("cmd/sipgen", "TestScripts/stumbles"),
		"a host that is lost is no danger line for reviewers"},
	{"internal/report/table.go", `if unseen[danger.kind] {`, `if false {`,
		in("internal/report", "TestAnyIsADanger"),
		"whoever reads sipgen plan is not told that a tenant's patches may do anything"},
	{"cmd/sipgen/decide.go", `		c.Evicted = c.Gone && d.evicted[c.Namespace]
`, ``,
		in("cmd/sipgen", "TestScripts/tenants"),
		"a tenant that operators evict looks like one whose spec is gone"},
	{"internal/picture/site.go", `	for _, danger := range options.Dangers {`, `	for _, danger := range []string{} {`,
		in("cmd/sipgen", "TestScripts/stumbles"),
		"whoever looks at the page only sees no danger"},
	{"internal/report/fair.go", `return d.kind + "/" + d.namespace`, `return d.kind`,
		in("internal/report", "TestNamespacesTakeTurns"),
		"a tenant with many broken specs hides from the reviewer what becomes of another tenant's hosts"},
	{"internal/report/fair.go", `	take(func(d danger) string { return d.kind })
`, ``,
		in("internal/report", "TestDangersTakeTurns"),
		"a tenant with many broken specs hides its own patches from the reviewer"},
	{"internal/report/markup.go", `return skips.ReplaceAllStringFunc(`, `return regexp.MustCompile("$^").ReplaceAllStringFunc(`,
		in("internal/report", "TestNoWordSkipsTheChecks"),
		"a field's name in a tenant's spec keeps CI from checking the commit"},
	{"internal/report/markup.go", `		words = link.ReplaceAllString(words, "/$1/ $2")
`, ``,
		in("internal/report", "TestNoWordSkipsTheChecks"),
		"a tenant's file name closes an issue"},
	{"internal/report/markup.go", `		words = closing.ReplaceAllString(words, "$1 $2")
`, ``,
		in("internal/report", "TestNoWordSkipsTheChecks", "TestWordsOfTwoPlaces"),
		"a tenant's words close an issue in Jira, by way of the forge"},
	{"internal/report/markup.go", `		words = smart.ReplaceAllString(words, "$1# $2")
`, ``,
		in("internal/report", "TestNoWordSkipsTheChecks"),
		"a tenant's words give Jira orders"},
	{"internal/report/markup.go", `		words = smartClose.ReplaceAllString(words, "$1 $2")
`, ``,
		in("internal/report", "TestNoWordSkipsTheChecks"),
		"a tenant's words give Jira orders without a blank"},
	{"internal/report/markup.go", `	words = alternative.ReplaceAllString(words, "$1 $2")
`, ``,
		in("internal/report", "TestNoWordSkipsTheChecks"),
		"a tenant's words close an issue by GitLab's other way to name one"},
	{"internal/report/markdown.go", `			out.WriteString(uncommanded(line.String()) + "\n")`, `			out.WriteString(line.String() + "\n")`,
		in("internal/report", "TestWordsOfTwoPlaces"),
		"the name of a role and a rack's close an issue together"},
	{"publish/remote.go", `	if r.empty && target.Proposal != "" {`, `	if false {`,
		in("cmd/sipgen", "TestScripts/stumbles"),
		"a proposal to an empty repository leaves a branch that nothing can be merged into"},
	{"cmd/sipgen/lint.go", `			case undecided == nil: // else`, `			case true: // else`,
		in("cmd/sipgen", "TestScripts/stumbles"),
		"a tree that nobody could read is said to have no finding"},
	{"internal/picture/page.css", `.racks { display: flex; flex-wrap: wrap;`, `.racks { display: flex;`,
		in("internal/picture", "TestSearchAndFilter"),
		"racks are cut off in a narrow window"},
	{"internal/picture/layout.go", `(f.cellWidth-8-beside)`, `(f.cellWidth-8)`,
		in("internal/picture", "TestFewRacksUseTheWidth"),
		"the sign of a new host covers the end of its name"},
	{"internal/report/services.go", `		case o.Added:
			out = append(out, ofCluster("reached", s.Cluster, fmt.Sprintf("%s: %s is new; it is reached at %s", s.Cluster, o.Object, o.Reached)))
`, `		case o.Added:
`,
		in("cmd/sipgen", "TestScripts/access"),
		"a second jump host of a cluster stands open on a node port, and no reviewer is told"},
	{"internal/overlay/changes.go", `Added: true, Reached: reached(o)}
			change.Logins, change.NoLogins = logins(nil, o)
`, `Added: true, Reached: reached(o)}
`,
		in("cmd/sipgen", "TestScripts/access"),
		"somebody may log in by a jump host that a cluster got since, and no reviewer is told who"},
	{"internal/overlay/changes.go", `	change.Logins, change.NoLogins = logins(old, o)
	opens`, `	opens`,
		in("cmd/sipgen", "TestScripts/access"),
		"a key is put in place of another, and the reviewer reads that a field changes"},
	{"internal/overlay/access.go", `cmp.Or(v1.KeyFingerprint(line), "a line that is not a plain public key")`, `cmp.Or(v1.KeyFingerprint(line), line)`,
		in("internal/overlay", "TestChangesOfAccess"),
		"what somebody pasted into a tree, a private key perhaps, is repeated in a commit message"},
	{"cmd/sipgen/rendered.go", `serviceChanges(servicesBefore(c.before.files), `, `serviceChanges(was, `,
		in("cmd/sipgen", "TestScripts/access"),
		"the first services of a cluster that is there already come without a word"},
	{"render/infra/notes.go", `	out.WriteString(loginNotes(jump))
`, ``,
		in("cmd/sipgen", "TestScripts/access"),
		"nobody can read in PLAN.md who may log in"},
	{"internal/overlay/changes.go", `return change, opens // `, `return change, opens && false // `,
		in("cmd/sipgen", "TestScripts/access"),
		"a Dex gets another issuer and asks another server, and no reviewer is told"},
	{"internal/overlay/access.go", `		case rules != after[who]:`, `		case false && rules != after[who]:`,
		in("internal/overlay", "TestLoginsByDex"),
		"a Dex lets in whom its server does not know by another search, and no reviewer is told"},
	{"internal/overlay/dexlogins.go", `	if !issuerURL.MatchString(issuer) {`, `	if false {`,
		in("internal/overlay", "TestLoginsByDex"),
		"the password in an issuer's URL is repeated in a commit message"},
	{"internal/overlay/dexlogins.go", `	if !hostPort.MatchString(server) {`, `	if server == "" {`,
		in("internal/overlay", "TestLoginsByDex"),
		"what somebody put in place of a server in a tree is repeated in a commit message"},
	{"internal/overlay/dexlogins.go", `err != nil || len(documents) != 1 || yaml`, `err != nil && false || len(documents) > 1 || yaml`,
		in("internal/overlay", "TestLoginsByDex"),
		"a few bytes of YAML in a tree that somebody edited grow without bound"},
	{"internal/overlay/access.go", `			return "that is no IP address"
`, `			return words
`,
		in("internal/overlay", "TestWhereAServiceIsReached"),
		"what somebody put in place of an address in a tree is repeated in a commit message"},
}
