package main

import (
	goast "go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pagePart is a part of a page whose commands a test with real programs reads from the page and runs word by word.
type pagePart struct {
	page string
	// headings are those above the commands, from the second level on, with a slash between them.
	headings string
	// begins is how the block begins, where other blocks of the part are run here.
	begins string
	// test is a test, or a row of one.
	test string
	// source stands in the test if it does not ask for the headings.
	source string
}

// runElsewhere are the parts of pages that need an API server, an engine, a forge or a release. TestRunElsewhere holds that the tests read them.
var runElsewhere = []pagePart{
	{page: "ci.md", headings: "Releases", begins: "sha256sum", test: "TestReleaseIsReproducible"},
	{page: "ci.md", headings: "Releases", begins: "git clone", test: "TestReleaseIsReproducible"},
	{page: "from-sip.md", test: "TestTakeover"},
	{page: "from-sip.md", headings: "Why a sync alone does not do it/The right to look", test: "TestTakeover"},
	{page: "from-sip.md", headings: "The way, for one tenant", test: "TestTakeover"},
	{page: "gitops.md", test: "TestProcedures"},
	{page: "gitops.md", headings: "Flux", test: "assign"},
	{page: "gitops.md", headings: "Flux/Flux that applies nothing without an account", test: "TestLockedFlux"},
	{page: "gitops.md", headings: "Argo CD", test: "TestProcedures"},
	{page: "gitops.md", headings: "Argo CD/Hosts after services: waves", test: "services-first"},
	{page: "gitops.md", headings: "Argo CD/A sync that fails keeps its folder", test: "broken-gone"},
	{page: "gitops.md", headings: "Argo CD/Hosts on another cluster than Argo CD", test: "TestRemoteArgo"},
	{page: "gitops.md", headings: "Running sipgen", begins: "sipgen inventory", test: "TestPageCommands"},
	{page: "gitops.md", headings: "Pull requests", test: "TestGitea"},
	{page: "gitops.md", headings: "Objects that have to be made anew", test: "made-anew"},
	{page: "gitops.md", headings: "To another engine", test: "TestProcedures"},
	{page: "gitops.md", headings: "To another engine/From Flux to Argo CD", test: "TestProcedures"},
	{page: "gitops.md", headings: "To another engine/From Argo CD to Flux", test: "TestProcedures"},
	{page: "gitops.md", headings: "To another engine/If you stop half-way", test: "TestProcedures"},
	{page: "addresses.md", headings: "Where a host is reached", test: "TestPageCommands"},
	{page: "runner.md", headings: "Set it up", test: "runner"},
	{page: "runner.md", headings: "Set it up/Change the Site or the credentials", test: "runner"},
	{page: "safety.md", test: "TestProceduresNameTheirVariables", source: `filepath.Join("..", "docs", "safety.md")`},
	{page: "safety.md", headings: "Stop everything/Flux", test: "TestProcedures"},
	{page: "safety.md", headings: "Stop everything/Argo CD", test: "TestProcedures"},
	{page: "safety.md", headings: "Stop everything/What runs sipgen", test: "runner"},
	{page: "safety.md", headings: "Stop one tenant/Flux", test: "TestProcedures"},
	{page: "safety.md", headings: "Stop one tenant/Argo CD", test: "TestProcedures"},
	{page: "safety.md", headings: "Stop one tenant/Let one tenant go on", test: "several"},
	{page: "safety.md", headings: "Go on/Flux", test: "TestProcedures"},
	{page: "safety.md", headings: "Go on/Argo CD", test: "TestProcedures"},
	{page: "safety.md", headings: "Look", test: "on-call"},
	{page: "safety.md", headings: "Look/A change that does not arrive", test: "on-call"},
	{page: "safety.md", headings: "Look/Put an emptied spec back", test: "on-call"},
	// The first command of "Look", once more.
	{page: "safety.md", headings: "A tree that is refused/A tree that is lost", begins: "kubectl get bmh -A -L", test: "on-call", source: `procedure(t, "safety.md", "Look")`},
	{page: "safety.md", headings: "A tree that is refused/A tree that is lost", begins: "commit=$(kubectl", test: "on-call"},
	{page: "safety.md", headings: "A tree that is refused/A tree that is lost", test: "TestLostTree", source: `"A tree that is refused/A tree that is lost"`},
	{page: "safety.md", headings: "How hosts are made", test: "TestPageCommands"},
	{page: "safety.md", headings: "The guards", begins: "jq", test: "TestPageCommands"},
	{page: "safety.md", headings: "The guards", begins: "kubectl delete", test: "guards-off"},
	{page: "safety.md", headings: "If something was deleted/The root", test: "root-deleted"},
	{page: "safety.md", headings: "If something was deleted/A tenant's namespace", test: "namespace-gone"},
	{page: "safety.md", headings: "If something was deleted/The hosts' namespace", test: "hosts-namespace-gone"},
	{page: "safety.md", headings: "Break glass", test: "TestTwoSites"},
	{page: "safety.md", headings: "Break glass/Delete a host without wiping it", test: "on-call"},
	{page: "services.md", headings: "Jump host", test: "TestPageCommands"},
	{page: "site-services.md", headings: "Virtual hosts/Credentials with Argo CD", test: "TestWholeSiteOnArgoCD"},
	{page: "tenants.md", headings: "How to onboard a tenant", test: "TestNoPrivilegedPodOfATenant"},
	{page: "tutorial.md", headings: "Before you begin", test: "TestTutorial"},
	{page: "tutorial.md", headings: "Five commands", test: "TestTutorial"},
	// The same commands as gitops.md's, which TestReadmeRepeatsPages holds.
	{page: "README.md", headings: "How it fits", test: "TestProcedures", source: `procedure(t, "gitops.md"`},
}

// notRun are the commands of pages that no test can run as they stand there, by how their block begins, and why.
var notRun = map[string]string{
	"kubectl get bmh -n NAMESPACE NAME -o jsonpath":                       "asks for the machine of Cluster API on a host, and goes on with that machine's owner: needs Cluster API",
	"kubectl annotate machines.cluster":                                   "needs Cluster API with its provider for metal3 and a cluster to be scaled down; row stand-in does to a host what they do",
	"kubectl annotate bmh -n NAMESPACE NAME --field-manager=oncall capm3": "and then deletes a machine: needs Cluster API, which makes another in its place; row stand-in lets a host go",
	"kubectl wait bmh": "waits for hours, until Cluster API's provider has let the host go; row stand-in waits for the same state",
	"docker run":       "needs a container engine, and nothing like it runs in a test; TestImage looks into the image, and runs its program",
}

// TestRunElsewhere: the tests that run what this file leaves to them are there, and they, or functions that they call, read the page below its
// headings. What cannot be run names no test that is not there.
func TestRunElsewhere(t *testing.T) {
	tests := readTests(t)
	for _, part := range runElsewhere {
		source, found := tests.reach(part.test)
		if !found {
			t.Errorf("%s, %q: there is no test %s", part.page, part.headings, part.test)
			continue
		}
		levels := strings.Split(part.headings, "/")
		want := []string{`rocedure(t, "` + part.page + `"`}
		if part.headings != "" {
			want[0] += `, "` + levels[0] + `"`
		}
		for _, level := range levels[1:] {
			want = append(want, `"`+level+`"`)
		}
		if part.source != "" {
			want = []string{part.source}
		}
		for _, words := range want {
			if !strings.Contains(source, words) {
				t.Errorf("%s, %q: %s does not read it: no %s", part.page, part.headings, part.test, words)
			}
		}
	}
	for begins, why := range notRun {
		for _, name := range regexp.MustCompile(`\bTest[A-Z][A-Za-z]+`).FindAllString(why, -1) {
			if _, found := tests.reach(name); !found {
				t.Errorf("%s: there is no test %s", begins, name)
			}
		}
	}
	// It can fail.
	if source, _ := tests.reach("TestRemoteArgo"); strings.Contains(source, `rocedure(t, "runner.md"`) {
		t.Error("TestRemoteArgo is said to read runner.md, which only the row runner does")
	}
}

// testSources are the functions of the tests, by the folder that they are in and their name. rows are the functions of the rows of tests.
type testSources struct {
	functions map[string]map[string]testFunction
	rows      map[string]string
}

type testFunction struct {
	source string
	calls  []string
}

func readTests(t *testing.T) testSources {
	t.Helper()
	s := testSources{map[string]map[string]testFunction{}, map[string]string{}}
	row := regexp.MustCompile(`\{"([a-z-]+)", (row[A-Z][A-Za-z]*)`)
	for _, pattern := range []string{"../../e2e/*_test.go", "../../e2e/*/*_test.go", "../../hack/*/*_test.go", "*_test.go"} {
		files, err := filepath.Glob(pattern)
		check(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			check(t, err)
			for _, match := range row.FindAllStringSubmatch(string(text), -1) {
				s.rows[match[1]] = match[2]
			}
			set := token.NewFileSet()
			parsed, err := parser.ParseFile(set, file, text, 0)
			check(t, err)
			dir := filepath.Dir(file)
			if s.functions[dir] == nil {
				s.functions[dir] = map[string]testFunction{}
			}
			for _, declaration := range parsed.Decls {
				f, is := declaration.(*goast.FuncDecl)
				if !is {
					continue
				}
				found := testFunction{source: string(text[set.Position(f.Pos()).Offset:set.Position(f.End()).Offset])}
				goast.Inspect(f, func(node goast.Node) bool {
					if name, is := node.(*goast.Ident); is {
						found.calls = append(found.calls, name.Name)
					}
					return true
				})
				s.functions[dir][f.Name.Name] = found
			}
		}
	}
	return s
}

// reach is the source of a test, or of a row, and of all that it calls in its own package.
func (s testSources) reach(test string) (source string, found bool) {
	if name := s.rows[test]; name != "" {
		test = name
	}
	for _, functions := range s.functions {
		if _, is := functions[test]; !is {
			continue
		}
		var out strings.Builder
		seen := map[string]bool{test: true}
		for next := []string{test}; len(next) > 0; next = next[1:] {
			out.WriteString(functions[next[0]].source)
			for _, name := range functions[next[0]].calls {
				if _, is := functions[name]; is && !seen[name] {
					seen[name] = true
					next = append(next, name)
				}
			}
		}
		return out.String(), true
	}
	return "", false
}
