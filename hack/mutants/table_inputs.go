package main

// inputGuards are about what is read.
var inputGuards = []mutant{
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
}
