package main

// patchGuards are about what a tenant may patch in its services.
var patchGuards = []mutant{
	{"internal/overlay/check.go", `	errs := outsideMirror(built, mirror)`, `	var errs []error`,
		in("internal/overlay", "TestCheckLooksAtWhatIsWritten"),
		"an image comes from a registry that the site keeps out"},
	{"internal/overlay/check.go", `	if patches > len(after.Kustomization.Patches) {`, `	patches = min(patches, len(after.Kustomization.Patches))
	if false {`,
		in("internal/overlay", "TestCheckLooksAtWhatIsWritten"),
		"other patches are checked than those that are written"},
	{"internal/overlay/compare.go", `		if !found {
			errs`, `		if false && !found {
			errs`,
		in("internal/overlay", "TestPatchesThatTakeMoreThanIsTheTenants"),
		"a tenant's patch makes a BareMetalHost of a Service"},
	{"internal/overlay/compare.go", `		if _, gone := was[before[i].id()]; gone {`, `		if false {`,
		in("internal/overlay", "TestPatchesThatTakeMoreThanIsTheTenants"),
		"a tenant's patch takes an object away, a budget or an account"},
	{"internal/overlay/compare.go", `	c.complain(path, pattern)
}

// leadsOn`, `}

// leadsOn`,
		in("internal/overlay", "TestPatchesThatTakeMoreThanIsTheTenants"),
		"a tenant's patch changes a field that nobody thought of"},
	{"internal/overlay/compare.go", `			if !had || !has {
				c.complain(at, pattern)
				continue
			}`, `			if !had || !has {
				continue
			}`,
		in("internal/overlay", "TestPatchesThatTakeMoreThanIsTheTenants"),
		"a tenant's patch adds a container, a volume or a port"},
	{"internal/overlay/changeable.go", `		"spec.template.spec.containers[].env":                noSecrets,`, `		"spec.template.spec.containers[].env":                anything,`,
		in("internal/overlay", "TestPatchesThatTakeMoreThanIsTheTenants"),
		"a tenant's patch reads any Secret of the namespace into a variable"},
	{"internal/overlay/changeable.go", `		if whose := v1.ReservedKey(key); whose != "" {`, `		if whose := v1.ReservedKey(key); false {
			_ = whose`,
		in("internal/overlay", "TestPatchesThatTakeMoreThanIsTheTenants"),
		"a tenant's patch steers the engine by an annotation, or takes an address"},
	{"internal/overlay/changeable.go", `		"spec.template.spec.containers[].livenessProbe":      ownProbe,`, `		"spec.template.spec.containers[].livenessProbe":      anything,`,
		in("internal/overlay", "TestPatchesThatTakeMoreThanIsTheTenants"),
		"a tenant's patch runs a command, or has the kubelet ask other hosts"},
	{"internal/overlay/changeable.go", `		"spec.template.spec.affinity":                        ownPods,`, `		"spec.template.spec.affinity":                        anything,`,
		in("internal/overlay", "TestPatchesThatTakeMoreThanIsTheTenants"),
		"a tenant's patch keeps the pods of others off the nodes"},
	{"internal/overlay/changeable.go", `		"spec.maxUnavailable":             atLeastOne,`, `		"spec.maxUnavailable":             anything,`,
		in("internal/overlay", "TestPatchesThatTakeMoreThanIsTheTenants"),
		"a tenant's patch keeps a node from ever being drained"},
	{"internal/overlay/changeable.go", `		"spec.template.spec.containers[].resources.limits":   plainResources,`, `		"spec.template.spec.containers[].resources.limits":   anything,`,
		in("internal/overlay", "TestPatchesThatTakeMoreThanIsTheTenants"),
		"a tenant's patch takes devices of a node"},
	{"internal/overlay/valid.go", `			errs = append(errs, o.restricted(&deployment.Spec.Template)...)`, `			_ = deployment`,
		in("internal/overlay", "TestPodsThatTheProfileRefuses"),
		"a pod that the profile restricted refuses is rendered"},
	{"api/v1/validate_patches.go", `			err = checkOperations(root)`, `			_ = checkOperations`,
		in("api/v1", "TestPatchesAreBounded"),
		"twenty copies of a patch of 2 KB take 4 GiB"},
	{"api/v1/validate_patches.go", `"add", "remove", "replace", "test"}`, `"add", "remove", "replace", "test", "copy"}`,
		in("api/v1", "TestPatchesAreBounded"),
		"a copy is refused by its other keys alone"},
	{"api/v1/validate_patches.go", `	case strings.HasPrefix(key, "$") && key != "$patch":`, `	case false:`,
		in("api/v1", "TestPatchesAreBounded"),
		"a directive of the strategic merge does what nobody sees in the patch"},
	{"api/v1/validate_patches.go", `strings.Contains(strings.ToLower(key), "config.kubernetes.io/")`, `false`,
		in("api/v1", "TestPatchesAreBounded"),
		"a tenant's patch hides an object from kustomize"},
	{"api/v1/validate_patches.go", `				if len(field.value) > maxTargetBytes {`, `				if false {`,
		in("api/v1", "TestPatchesAreBounded"),
		"a patch's target is an expression of any length"},
	{"api/v1/validate_patches.go", `	if size > maxPatchesText {`, `	if false {`,
		in("api/v1", "TestPatchesAreBounded"),
		"the patches of one cluster are of any size together"},
	{"api/v1/validate_patches.go", `	if n := len(c.Spec.Patches); n > MaxPatches {`, `	if n := len(c.Spec.Patches); false {
		_ = n`,
		in("api/v1", "TestPatchesAreBounded"),
		"a thousand patches are applied one by one"},
	{"internal/manifest/bounded.go", `	case node.Kind == yaml.AliasNode:
		return fmt.Errorf("line %d: a YAML alias, want the value itself", node.Line)
	case node.Anchor != "":`, `	case false:`,
		in("internal/manifest", "TestBounded"),
		"aliases of aliases grow without bounds"},
	{"internal/manifest/bounded.go", `	case node.Style&yaml.TaggedStyle != 0:`, `	case false:`,
		in("internal/manifest", "TestBounded"),
		"a tag makes a value another one than it looks"},
	{"internal/manifest/bounded.go", `			case seen[key.Value]:`, `			case false:`,
		in("internal/manifest", "TestBounded"),
		"of a key that is there twice one parser takes the first and another the last"},
	{"internal/manifest/bounded.go", `	case len(text) > most.Bytes:`, `	case false:`,
		in("internal/manifest", "TestBounded"),
		"a text of any size is parsed"},
	{"internal/manifest/bounded.go", `	case depth > b.Depth:`, `	case false:`,
		in("internal/manifest", "TestBounded"),
		"a text nested a million levels deep is parsed"},
	{"internal/manifest/bounded.go", `	case b.nodes > b.Nodes:`, `	case false:`,
		in("internal/manifest", "TestBounded"),
		"a text with any number of keys is passed on"},
}
