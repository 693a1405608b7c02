package main

// capiGuards are in the component for Cluster API: which hosts a machine may take, and when there is no component at all.
var capiGuards = []mutant{
	{"render/capi/objects.go", `metav1.LabelSelectorOpNotIn, Values: []string{"true"}`, `metav1.LabelSelectorOpIn, Values: []string{"true"}`,
		in("render/capi", "TestComponentMakesTemplatesComplete", "TestSelectorsParse"),
		"machines take standby hosts"},
	{"render/capi/objects.go", `		"$patch": "replace",
`, ``,
		in("render/capi", "TestComponentMakesTemplatesComplete"),
		"what a template asks of hosts stays beside what sipgen chose by: no host matches both"},
	{"render/capi/objects.go", `			c.Keys.ClusterNamespace: c.Cluster.Namespace,
			c.Keys.ClusterName: `, `			c.Keys.ClusterName: `,
		in("render/capi", "TestComponentMakesTemplatesComplete"),
		"machines take the hosts of another tenant's cluster of the same name"},
	{"render/capi/objects.go", `	if active < minScaleIn {`, `	if false {`,
		in("render/capi", "TestSmallControlPlaneKeepsItsRollout"),
		"Cluster API refuses the control plane of a small cluster"},
	{"render/capi/component.go", `	c.refuse(roles)
	c.cluster()`, `	c.cluster()`,
		in("render/capi", "TestBuildFails"),
		"a template without a role is applied as it is, and takes any host of any tenant"},
	{"render/capi/component.go", `		check("role", role, validation.IsValidLabelValue(role))
`, ``,
		in("render/capi", "TestTextFromOutsideIsChecked"),
		"the name of a role breaks out of a selector"},
	{"render/capi/component.go", `		check("failure domain", domain, validation.IsValidLabelValue(domain))
`, `		_ = domain
`,
		in("render/capi", "TestTextFromOutsideIsChecked"),
		"a label of a host breaks out of a patch"},
	{"internal/lint/failed.go", `a.Trouble == nil || marked {`, `a.Trouble == nil || !marked {`,
		in("internal/lint", "TestCodes"),
		"nobody is told that a standby host has failed, until it is needed"},
	{"internal/lint/clusterapi.go", `	if len(in) > 1 {`, `	if len(in) > 9 {`,
		in("internal/lint", "TestCodes"),
		"Cluster API uses a part of the hosts only, and nobody says why machines wait"},
	{"internal/lint/clusterapi.go", `active < minScaleIn && standby > 0`, `active < minScaleIn && standby > 9`,
		in("internal/lint", "TestCodes"),
		"a rollout waits for a standby host that is never taken"},
	{"render/capi.go", `	if s.keepsServices(c) {`, `	if false {`,
		in("render", "TestComponentStaysLikeTheServices"),
		"the kustomization that uses a component cannot be built any more while machines are there"},
	{"render/capi.go", `!a.Standby && !a.Pending`, `true`,
		in("render", "TestComponentHasTheDomainsOfActiveHosts"),
		"Cluster API puts a machine where there is no host for it"},
}
