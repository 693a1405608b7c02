package main

import (
	goast "go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/airshipit/sipgen/hack/need"
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
	{page: "gitops.md", headings: "Flux", test: "TestFluxRows"},
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
	{page: "placement.md", headings: "Where a host is reached", test: "TestPageCommands"},
	{page: "runner.md", headings: "Set it up", test: "runner"},
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
	{page: "safety.md", headings: "Look/Put an emptied spec back", test: "on-call"},
	// The first command of "Look", once more.
	{page: "safety.md", headings: "A tree that is refused/A tree that is lost", begins: "kubectl get bmh -A -L", test: "on-call", source: `procedure(t, "safety.md", "Look")`},
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
	{page: "site-services.md", headings: "The ledger in Placement/Loading it", test: "TestLoadByPage"},
	{page: "tutorial.md", headings: "Before you begin", test: "TestTutorial"},
	{page: "tutorial.md", headings: "Five commands", test: "TestTutorial"},
	// The same commands as gitops.md's, which TestReadmeRepeatsPages holds.
	{page: "README.md", headings: "How it fits", test: "TestProcedures", source: `procedure(t, "gitops.md"`},
}

// notRun are the commands of pages that no test can run as they stand there, by how their block begins, and why.
var notRun = map[string]string{
	"kubectl get bmh -n NAMESPACE NAME -o jsonpath": "asks for the machine of Cluster API on a host, and goes on with that machine's owner: needs Cluster API",
	"kubectl annotate machines.cluster":             "needs Cluster API with its provider for metal3 and a cluster to be scaled down; row stand-in does to a host what they do",
	"kubectl wait bmh":                              "waits for hours, until Cluster API's provider has let the host go; row stand-in waits for the same state",
	"docker run":                                    "needs a container engine, and nothing like it runs in a test; TestImage looks into the image, and runs its program",
	"go install":                                    "needs a published release; TestReleaseIsReproducible builds one",
}

// offline is what stands in, on a machine without cluster and network, for what a page names.
var offline = strings.NewReplacer(
	"init --inventory cluster --repo https://git.example.org/fleet.git", "init --inventory hosts --repo https://git.example.org/fleet.git",
	"--inventory cluster", "--inventory hosts", "https://git.example.org/fleet.git", "fleet.git", "--repo ...", "--repo fleet.git",
	"sipgen plan ... ", "sipgen plan $ALL ", "sipgen publish ... ", "sipgen publish $ALL ", "--evict bank       #", "--evict tenant-b || [ $? -eq 1 ] #", "--evict bank", "--evict tenant-b",
	"bin/sipgen", "sipgen", "COMMIT", "HEAD~1",
)

var program = regexp.MustCompile(`(?m)^(\$ )?(bin/sipgen|sipgen|kubectl|make|git|go|docker|jq|export|d=\$|sha256sum|[A-Z_]+=\S+) `)

// TestCommandsOfThePages runs the commands of README.md and of the pages below docs, block by block, in a folder that has two-tenants and its
// repository. A block that nothing runs is an error, unless notRun says why. Targets of make have to exist.
func TestCommandsOfThePages(t *testing.T) {
	for _, name := range []string{"bash", "make", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			need.Missing(t, name)
		}
	}
	root, err := filepath.Abs("../..")
	check(t, err)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	check(t, err)
	seen, used := map[string]bool{}, map[int]bool{}
	ran := 0
	for _, page := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		name := filepath.Base(page)
		if name == "cli.md" || name == "performance.md" {
			continue // generated; how to measure its figures again, which takes minutes
		}
		for _, block := range commandBlocks(t, page) {
			if at := slices.IndexFunc(runElsewhere, func(e pagePart) bool {
				return e.page == name && e.headings == block.headings && strings.HasPrefix(block.text, e.begins)
			}); at >= 0 {
				used[at] = true
				continue
			}
			switch why := reason(seen, block.text); {
			case why != "":
			case regexp.MustCompile(`^make `).MatchString(block.text):
				wantTargets(t, root, name, block.text)
			case strings.HasPrefix(block.text, "$ "):
				wantOutput(t, root, name, block.text)
				ran++
			default:
				runOffline(t, root, name, block.text)
				ran++
			}
		}
	}
	for begins := range notRun {
		if !seen[begins] {
			t.Errorf("no page has %q any more", begins)
		}
	}
	for i, part := range runElsewhere {
		if !used[i] {
			t.Errorf("%s has no commands below %q any more", part.page, part.headings)
		}
	}
	if ran < 8 {
		t.Errorf("%d blocks run: want at least 8", ran)
	}
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

// TestReadmeRepeatsPages: the commands of README.md that need an engine are those of gitops.md.
func TestReadmeRepeatsPages(t *testing.T) {
	var gitops strings.Builder
	for _, block := range commandBlocks(t, "../../docs/gitops.md") {
		gitops.WriteString(block.text)
	}
	for _, block := range commandBlocks(t, "../../README.md") {
		if block.headings != "How it fits" {
			continue
		}
		for line := range strings.Lines(block.text) {
			if !strings.Contains("\n"+gitops.String(), "\n"+line) {
				t.Errorf("README.md has %q, and gitops.md does not", line)
			}
		}
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
	for _, pattern := range []string{"../../e2e/*_test.go", "../../e2e/*/*_test.go", "../../hack/*/*_test.go"} {
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

type block struct {
	// headings are those above it, from the second level on, with a slash between them; empty before the first.
	headings, text string
}

func commandBlocks(t *testing.T, page string) []block {
	t.Helper()
	content, err := os.ReadFile(page)
	check(t, err)
	var (
		found []block
		path  []string
	)
	check(t, ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(content)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Heading:
			path = append(path[:min(max(node.Level-2, 0), len(path))], string(node.Lines().Value(content)))
			if node.Level == 1 {
				path = nil
			}
		case *ast.CodeBlock:
			if lines := string(node.Lines().Value(content)); program.MatchString(lines) && !strings.HasPrefix(lines, "sipgen: ") {
				found = append(found, block{strings.Join(path, "/"), lines})
			}
		case *ast.FencedCodeBlock:
			if lines := string(node.Lines().Value(content)); string(node.Language(content)) == "sh" {
				found = append(found, block{strings.Join(path, "/"), lines})
			}
		}
		return ast.WalkContinue, nil
	}))
	return found
}

// reason is why a block is not run, empty if it is to be.
func reason(seen map[string]bool, text string) string {
	for begins, why := range notRun {
		if strings.HasPrefix(text, begins) {
			seen[begins] = true
			return why
		}
	}
	return ""
}

// wantTargets: make knows what to do.
func wantTargets(t *testing.T, root, page, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if out, err := exec.Command("make", append([]string{"-n", "-C", root}, fields[1:]...)...).CombinedOutput(); err != nil {
			t.Errorf("%s: %s: %v\n%s", page, line, err, out)
		}
	}
}

// wantOutput runs what stands behind "$ ", and wants the rest of the block as its output.
func wantOutput(t *testing.T, root, page, text string) {
	t.Helper()
	command, want, _ := strings.Cut(strings.TrimPrefix(text, "$ "), "\n")
	cmd := exec.Command("bash", "-c", offline.Replace(command))
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil || unpadded(string(out)) != unpadded(want) {
		t.Errorf("%s: $ %s: %v: found\n%s\nwant\n%s", page, command, err, out, want)
	}
}

// unpadded leaves out the spaces that fill a table, at the ends of lines.
func unpadded(text string) string {
	return strings.TrimSpace(regexp.MustCompile(`(?m) +$`).ReplaceAllString(text, ""))
}

// runOffline runs a block in a shell that ends with the first command that fails.
func runOffline(t *testing.T, root, page, text string) {
	t.Helper()
	dir := t.TempDir()
	check(t, os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples", "two-tenants"))))
	shell(t, dir, page, setup)
	syncHosts(func(err error) { check(t, err) }, filepath.Join(dir, "tree"), filepath.Join(dir, "hosts"))
	shell(t, dir, page, before[page]+offline.Replace(text)+after[page])
}

// setup makes what the pages take as given: specs in a repository, a rendered tree that is synced, the fleet's repository, a snapshot.
const setup = `git init -q -b main . && git config user.name me && git config user.email me@example.org
git init -q --bare -b main fleet.git
printf 'fleet.git\ntree\nfleet\ninventory.yaml\n' >.gitignore
git remote add origin https://git.example.org/specs.git && git add . && git commit -q -m specs
sipgen render $ALL --out tree
sipgen publish $ALL
git -C fleet.git branch environment/dc1
cat hosts/*.yaml >inventory.yaml
`

// before and after are what a page's commands are about, and what they have to bring about.
var (
	before = map[string]string{"README.md": "rm -rf site.yaml tenants fleet.git && git checkout -q hosts && git init -q --bare -b main fleet.git && " +
		"git clone -q fleet.git first 2>&1 && cd first && git config user.name me && git config user.email me@example.org && " +
		"git commit -q --allow-empty -m first && git push -q origin HEAD:main && cd .. && export SIPGEN_PREVIOUS=\n",
		"safety.md": "git config --global user.name me && git config --global user.email me@example.org && git clone -q fleet.git broken && cd broken && " +
			"git commit -q --amend -m 'Hosts for the edge (#7)' && git push -qf origin HEAD:main && " + // as a forge does that squashes
			"git rm -q clusters/tenant-a/edge-a/assignments.yaml && git commit -q -m broken && git push -q origin HEAD:main && cd ..\n"}
	after = map[string]string{"safety.md": "git diff --exit-code HEAD~2\ngit diff --exit-code origin/main\n" +
		"test $commit = \"$(git rev-parse HEAD~2)\"\n"}
)

func shell(t *testing.T, dir, page, script string) {
	t.Helper()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "SIPGEN_PREVIOUS=", "SIPGEN_REPO=fleet.git", "ALL=--site site.yaml -f tenants --inventory hosts")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("docs/%s: %v\n%s\n---\n%s", page, err, script, out)
	}
}
