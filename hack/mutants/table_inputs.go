package main

// inputGuards are about what is read.
var inputGuards = []mutant{
	{"internal/manifest/simple.go", `		if entries[i].key == entries[i-1].key {`, `		if false {`,
		in("internal/manifest", "TestSimpleDocuments"),
		"of a field that is given twice, one counts and nobody is told"},
	{"internal/manifest/simple.go", `	if p.depth++; p.depth > p.most {
		return false
	}
	ok := false`, `	p.depth++
	ok := false`,
		in("internal/manifest", "TestSimpleDocuments"),
		"a file of dashes takes the stack"},
	{"internal/manifest/simple.go", `	if p.depth++; p.depth > p.most {
		return false
	}
	closing`, `	p.depth++
	closing`,
		in("internal/manifest", "TestSimpleDocuments"),
		"a file of brackets takes the stack"},
	{"internal/manifest/simple_scalar.go", `		return !named[text]`, `		return true`,
		in("internal/manifest", "TestSimpleDocuments"),
		"yes is a text in one document and true in the next"},
	{"internal/manifest/simple_scalar.go", `		return !perhapsNumber(text)`, `		return true`,
		in("internal/manifest", "TestSimpleDocuments"),
		"a number in another notation is a text"},
	{"inventory/files/snapshot.go", `	if file.Count == nil || *file.Count != len(file.Hosts) {`, `	if false {`,
		in("inventory/files", "TestBadSnapshots"),
		"a snapshot that was cut off is a smaller inventory: hosts count as lost"},
	{"inventory/files/snapshot.go", `		if seen[host.Key()] {`, `		if false {`,
		in("inventory/files", "TestBadSnapshots"),
		"a host that stands twice is handed out twice"},
	{"inventory/files/snapshot.go", `		problems.Add(bmh.CheckNames(doc, host.Namespace, host.Name, host.Labels))`, ``,
		in("inventory/files", "TestBadSnapshots"),
		"a host's name in a snapshot leads out of the tree"},
	{"api/v1/validate.go", `		for _, message := range validation.IsDNS1123Label(field.value) {`, `		for _, message := range []string(nil) {`,
		in("api/v1", "TestBadClusters"),
		"the name of a cluster leads out of the tree"},
	{"api/v1/validate.go", `		if count.n < 0 || count.n > MaxCount {`, `		if false {`,
		in("api/v1", "TestBadClusters"),
		"a count of a billion hosts is planned"},
	{"api/v1/validate.go", `		if first, twice := seen[d.Cluster.Key()]; twice {`, `		if first, twice := seen[d.Cluster.Key()]; false && twice {`,
		in("api/v1", "TestClustersAreSortedAndUnique"),
		"of two specs of one name one counts, in silence"},
	{"cmd/sipgen/load.go", `	if specsErr == nil && len(l.clusters)+len(l.findings) == 0 && specs.files && !in.allowEmpty {`, `	if false {`,
		in("cmd/sipgen", "TestScripts/render"),
		"a folder without specs is a site without tenants: all hosts are released"},
	{"cmd/sipgen/namespaces.go", `	if len(kept.Hosts) == 0 && len(all.Hosts) > 0 {`, `	if false {`,
		in("cmd/sipgen", "TestScripts/render"),
		"a misspelt namespace is an empty inventory: all hosts count as lost"},
	{"api/v1/validate.go", `	if errs := c.limits(); len(errs) > 0 {`, `	if errs := c.limits(); false {`,
		in("api/v1", "TestLimits"),
		"a spec of 60,000 roles holds everybody's plan for minutes"},
	{"internal/manifest/decode.go", `func (d *Document) Decode(into any) error {
	if err := d.hugeQuantities(into); err != nil {`, `func (d *Document) Decode(into any) error {
	if err := d.hugeQuantities(into); false {`,
		in("internal/manifest", "TestHugeQuantities"),
		"memory: 1E999999999999 is decoded for ever"},
	{"internal/manifest/read.go", `		return errors.New("a named pipe, want a regular file")`, `		return nil`,
		in("internal/manifest", "TestFoldersHaveRegularFilesOnly"),
		"a pipe in a folder of specs holds the run for ever"},
	{"internal/manifest/read.go", `	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, done, withoutOperation(path, err)
	}
	done = func() { _ = root.Close() } // only read
	err = fs.WalkDir(root.FS(), ".",`, `	var root *os.Root
	err = fs.WalkDir(os.DirFS(path), ".",`,
		in("internal/manifest", "TestFoldersHaveRegularFilesOnly/a_link_to_a_file_elsewhere"),
		"a link in a folder of specs leads to any file of the machine"},
	{"internal/manifest/read.go", `		case int64(len(data)) > limit:`, `		case false:`,
		in("internal/manifest", "TestLimitsHold"),
		"standard input without end takes all memory"},
	{"internal/manifest/read.go", `			left.Total -= int64(len(data))`, `			_ = left.Total`,
		in("internal/manifest", "TestLimitsHold"),
		"any number of bytes is read, file by file"},
	{"internal/manifest/manifest.go", `	if len(chunks) > l.Documents {`, `	if false {`,
		in("internal/manifest", "TestLimitsHold"),
		"a file of a million documents is read"},
	{"internal/manifest/manifest.go", `depth > l.Depth {`, `false && depth > 0 {`,
		in("internal/manifest", "TestLimitsHold"),
		"a manifest nested a million levels deep is decoded"},
	{"internal/manifest/limits.go", `	case size.loop:`, `	case false:`,
		in("internal/manifest", "TestAliasesAreCounted"),
		"an alias of itself is followed"},
	{"internal/manifest/limits.go", `	case n > size.most:`, `	case n < 0:`,
		in("internal/manifest", "TestAliasesAreCounted"),
		"two kilobytes of aliases are gibibytes of objects"},
	{"api/v1/validate.go", `		if field.value == "" {
			add`, `		if false {
			add`,
		in("api/v1", "TestBadClusters"),
		"a cluster without a namespace is in whatever namespace the engine takes"},
	{"api/v1/validate.go", `	for _, message := range validation.IsValidLabelValue(role) {`, `	for _, message := range []string(nil) {`,
		in("api/v1", "TestBadClusters"),
		"the name of a role is any text"},
	{"api/v1/reserved.go", `strings.ToLower(key), "/")`, `key, "/")`,
		in("internal/overlay", "TestPatchesThatTakeMoreThanIsTheTenants"),
		"a reserved annotation in other letters is a tenant's"},
	{"api/v1/reserved.go", `domain == reserved.domain || strings.HasSuffix(domain, "."+reserved.domain)`, `domain == reserved.domain`,
		in("api/v1", "TestServicesThatAreNot"),
		"a reserved annotation below a domain is a tenant's"},
	{"api/v1/limits.go", `	most("metadata.annotations", size,`, `	_ = size
	most("metadata.annotations", 0,`,
		in("api/v1", "TestLimits"),
		"annotations of any size"},
	{"api/v1/limits.go", `strings.Count(c.Annotations[key], ",")+1, MaxNames`, `strings.Count(c.Annotations[key], "\x00")+1, MaxNames`,
		in("api/v1", "TestLimits"),
		"an annotation that names a million hosts is compared with every host"},
	{"api/v1/limits.go", `len(set.TopologyKeys), MaxTopologyKeys`, `0, MaxTopologyKeys`,
		in("api/v1", "TestLimits"),
		"any number of topology keys"},
	{"api/v1/limits.go", `len(selector.MatchLabels)+len(selector.MatchExpressions), MaxRequirements`, `0, MaxRequirements`,
		in("api/v1", "TestLimits"),
		"any number of requirements is compared with every host"},
	{"api/v1/limits.go", `len(selector.MatchExpressions[i].Values), MaxValues`, `0, MaxValues`,
		in("api/v1", "TestLimits"),
		"any number of values is compared with every host"},
	{"api/v1/limits.go", `list.name, list.n, MaxServices`, `list.name, 0, MaxServices`,
		in("api/v1", "TestLimits"),
		"any number of services is rendered"},
}
