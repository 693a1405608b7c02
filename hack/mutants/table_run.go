package main

// runGuards hold a run to what was decided before it: the seal of the decisions, the brake, and who asks them.
var runGuards = []mutant{
	{"render/assignments.go", `err != nil || file.Digest != want {`, `err != nil || want == "" {`,
		in("render", "TestPreviousReadsWhatWasRendered"),
		"an edit of assignments.yaml by hand is obeyed"},
	{"render/assignments.go", `	problems.Add(missingAssignments(where, tree))`, ``,
		in("render", "TestDeletedAssignmentsAreMissed"),
		"claims are forgotten with a deleted file, and the hosts go to others"},
	{"render/assignments.go", `changed.add(docs[0].File, file.changes(site))`, `_ = file.changes`,
		in("render", "TestAnotherSite"),
		"a running tree is made for another engine, or with other label keys: assigned hosts look free"},
	{"render/same.go", `		{"spec.engine", string(was.Engine), string(is.Engine)},`, ``,
		in("render", "TestAnotherSite"),
		"the first engine prunes what the second one made"},
	{"render/same.go", `		{"spec.hosts.apply", string(was.Apply), string(is.Apply)},`, ``,
		in("render", "TestAnotherSite"),
		"hosts are in two overlays"},
	{"render/same.go", `		{"spec.labelKeys.clusterName", was.LabelKeys.ClusterName, is.LabelKeys.ClusterName},`, ``,
		in("render", "TestAnotherSite"),
		"with another label key every assigned host looks free"},
	{"render/site.go", `			if strings.HasPrefix(path, folder+"/") {
				s.tree[path] = content
			}`, `			_, _ = path, content`,
		in("render", "TestGoneClusterKeepsItsServicesWhileItHasHosts"),
		"a cluster whose spec is gone loses its services while it still has hosts"},
	{"render/assignments.go", `		if len(docs) != 1 || docs[0].Prefix != "" {`, `		if len(docs) == 0 || docs[0].Prefix != "" {`,
		in("render", "TestPreviousReadsWhatWasRendered"),
		"of two documents in assignments.yaml one counts, and the other's hosts are forgotten"},
	{"render/assignments.go", `		if len(docs) != 1 || docs[0].Prefix != "" {`, `		if len(docs) > 1 {
			continue
		}
		if len(docs) == 0 {
			continue`,
		in("render", "TestPreviousReadsWhatWasRendered"),
		"an assignments.yaml that is empty is a cluster without hosts: others get them"},
	{"cmd/sipgen/seal.go", `			add(name, "missing, and %s lists it", publish.OwnershipFile)`, ``,
		in("cmd/sipgen", "TestTamperedTrees"),
		"claims are forgotten with a deleted file, and the hosts go to others"},
	{"cmd/sipgen/seal.go", `			add(name, "not what sipgen wrote last: %s lists another content", publish.OwnershipFile)`, ``,
		in("cmd/sipgen", "TestTamperedTrees"),
		"an older assignments.yaml is obeyed, and hosts change hands without being released"},
	{"cmd/sipgen/brake.go", `	case accept == noAcceptance && loss.Total() <= limit, accept == loss.Total():`, `	case accept == noAcceptance && max(len(loss.Missing), len(loss.Foreign), len(loss.Released)) <= limit, accept == loss.Total():`,
		in("cmd/sipgen", "TestBrake"),
		"twice what the site allows is taken, in two ways at once"},
	{"cmd/sipgen/brake.go", `	case accept == noAcceptance && loss.Total() <= limit, accept == loss.Total():`, `	case accept == noAcceptance, accept == loss.Total():`,
		in("cmd/sipgen", "TestBrake"),
		"a folder of specs that was lost gives the fleet away"},
	{"cmd/sipgen/brake.go", `	case accept == noAcceptance && loss.Total() <= limit, accept == loss.Total():`, `	case accept == noAcceptance && loss.Total() <= limit, accept >= 0:`,
		in("cmd/sipgen", "TestBrake"),
		"--accept-loss of one number accepts any loss"},
	{"cmd/sipgen/check.go", `errors.Join(brake(d.site, d.loss, acceptLoss), harm)`, `harm`,
		in("cmd/sipgen", "TestScripts/contract"),
		"nothing asks the brake"},
	{"cmd/sipgen/check.go", `	case refusal != nil:
		return refusal
`, ``,
		in("cmd/sipgen", "TestScripts/contract"),
		"what is refused is written all the same"},
	{"cmd/sipgen/check.go", `	warnings, harm := d.preflight()`, `	var warnings []string
	var harm error`,
		in("cmd/sipgen", "TestScripts/preflight"),
		"nothing asks whether the patches would do harm"},
	{"cmd/sipgen/rendered.go", `c.checkServices(services)`, `c.checkServices(services[:0])`,
		in("cmd/sipgen", "TestScripts/patches"),
		"a tree is written whose patches nobody has built and checked"},
}
