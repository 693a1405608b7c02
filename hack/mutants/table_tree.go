package main

// treeGuards are about the tree as a whole: whose decisions are read from it, and what stays in it.
var treeGuards = []mutant{
	{"render/assignments.go", `"/assignments.yaml"; want != path {`, `"/assignments.yaml"; want == "" {`,
		in("render", "TestPreviousReadsItsOwnDecisions"),
		"decisions of one cluster in the folder of another are obeyed"},
	{"render/assignments.go", `	if doc.Kind != AssignmentsKind || doc.APIVersion != v1alpha1.APIVersion {`, `	if false {`,
		in("render", "TestPreviousReadsItsOwnDecisions"),
		"decisions of a later version are read as if they were today's"},
	{"render/immutable.go", `		{"metadata.name", was.Name, is.Name},`, ``,
		in("render", "TestAnotherSite"),
		"the tree of another site is taken for this one's"},
	{"render/immutable.go", `		{namespace, was.EngineNamespace, is.EngineNamespace},`, `		{"", namespace, ""},`,
		in("render", "TestAnotherSite"),
		"the engine in the old namespace prunes what the one in the new made"},
	{"render/immutable.go", `		{"spec.labelKeys.clusterNamespace", was.LabelKeys.ClusterNamespace, is.LabelKeys.ClusterNamespace},`, ``,
		in("render", "TestAnotherSite"),
		"with another label key every assigned host looks free"},
	{"render/immutable.go", `		{"spec.labelKeys.nodeType", was.LabelKeys.NodeType, is.LabelKeys.NodeType},`, ``,
		in("render", "TestAnotherSite"),
		"with another label key every assigned host looks free"},
	{"render/immutable.go", `		{"spec.labelKeys.standby", was.LabelKeys.Standby, is.LabelKeys.Standby},`, ``,
		in("render", "TestAnotherSite"),
		"with another label key no standby is known"},
	{"render/site.go", `		if !s.keepsServices(c) {
			continue
		}
		var files`, `		if c != nil {
			continue
		}
		var files`,
		in("render", "TestGoneClusterKeepsWhatTheSiteHasForIt"),
		"the definitions that the services of a cluster that is gone still need are pruned"},
	{"render/site.go", ` || len(c.Refused) > 0
}`, `
}`,
		in("cmd/sipgen", "TestScripts/frozen"),
		"the services of a spec that is refused are rendered"},
	{"render/policy.go", "strings.NewReplacer(`\\`, `\\\\`, `'`, `\\'`, \"\\n\", `\\n`, \"\\r\", `\\r`).Replace(item)", `strings.TrimSpace(item)`,
		in("render", "TestCELListKeepsStringsInside"),
		"a name with a quote changes what a guard says"},
	{"render/argocd.go", `	root.Spec.Destination.Server = v1alpha1.ArgoCDInCluster`, `	_ = v1alpha1.ArgoCDInCluster`,
		in("render", "TestRemoteArgoCD"),
		"the sync objects of a remote site go to where no engine reads them"},
	{"cmd/sipgen/former.go", `	case len(p.files) > 0:`, `	case false:`,
		in("cmd/sipgen", "TestScripts/moved"),
		"the old tree decides instead of the one that is there"},
	{"cmd/sipgen/former.go", `case former == "" || elsewhere`, `case former != "" || elsewhere`,
		in("cmd/sipgen", "TestScripts/moved"),
		"a site that goes to another folder has hosts in use at addresses that Cluster API gave them"},
	{"cmd/sipgen/former.go", `	if len(before.files) == 0 && before.unsealed == nil {`, `	if false {`,
		in("cmd/sipgen", "TestScripts/moved"),
		"a misspelt folder is taken for one that decided nothing"},
	{"cmd/sipgen/former.go", `!d.before.former || len(d.settled.frozen) == 0`, `!d.before.former || len(d.settled.frozen) >= 0`,
		in("cmd/sipgen", "TestScripts/moved"),
		"the services of a cluster that is frozen are left in the old folder, and the engine deletes them"},
	{"render/immutable.go", `c.field == "spec.engine" || strings`, `c.field != "" || strings`,
		in("render", "TestAnotherSite"),
		"the tree of another site in another folder is taken for this one's"},
}
