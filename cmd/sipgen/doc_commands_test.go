package main

import (
	"bytes"
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

// procedures are the parts of pages that TestProcedures, TestLabelGuard and rows of TestFluxRows run word by word, with real engines, by page and heading.
var procedures = map[string][]string{
	"gitops.md":   {"", "Argo CD", "To another engine"},
	"tutorial.md": {"Before you begin", "Five commands"},
	"safety.md":   {"", "Stop everything", "Stop one tenant", "Go on", "Break glass", "If something was deleted"},
}

// notRun are the commands of pages that no test runs as they stand there, by how their block begins, and why.
var notRun = map[string]string{
	"make bench":                                            "takes minutes; that the target exists is checked",
	"git clone --depth":                                     "needs a Placement; e2e/placement runs the script on a real one",
	"jq '.resource_providers":                               "needs a Placement; e2e/placement",
	"sipgen takeover --site":                                "needs an API server; script takeover reads files instead",
	"kubectl create clusterrole sipgen-service":             "needs an API server; nothing runs it yet",
	"kubectl -n sipcluster-system":                          "needs the SIP operator's API server; nothing runs it yet",
	"kubectl -n NAMESPACE":                                  "needs the SIP operator's API server; nothing runs it yet",
	"docker run":                                            "needs a container engine; TestImage in hack/image looks into the image",
	"sha256sum":                                             "hack/release-check.sh compares the sums",
	"git clone --branch":                                    "needs a published release; hack/release-check.sh builds one twice",
	"CGO_ENABLED=0 go":                                      "measures the program, for the page only",
	"go install":                                            "needs a published release",
	"go test ./cmd":                                         "measures the program, for the page only",
	"kubectl apply -f flux/root.yaml":                       "every row of TestProcedures applies Flux's root",
	"kubectl apply -f flux/root-account.yaml":               "TestLockedFlux runs it",
	"kubectl apply -f argocd/root.yaml":                     "TestProcedures",
	"kubectl apply -k policy":                               "TestProcedures",
	"kubectl apply --server-side --field-manager=sipgen":    "needs an API server; TestHostsThatTheEngineMade makes a host so",
	"kubectl apply --server-side --force-conflicts":         "needs an API server; row on-call puts a spec back so",
	"kubectl patch --local":                                 "needs an API server; TestWholeSiteOnArgoCD runs these commands from PLAN.md",
	"kubectl --context management":                          "needs two API servers",
	"sipgen inventory --site site.yaml --context":           "needs an API server; TestLiveInventory in e2e takes the snapshot",
	"export SIPGEN_FORGE_TOKEN":                             "needs a forge; e2e/forge opens the request",
	"kubectl label bmh":                                     "needs an API server; TestLabelGuard in e2e takes labels off with a field manager",
	"kubectl -n flux-system":                                "needs an API server; TestRunner in e2e makes the same objects",
	"kubectl annotate --overwrite":                          "needs an API server",
	"kubectl annotate bmh":                                  "needs an API server",
	"kubectl get bmh":                                       "needs an API server",
	"kubectl annotate machines.cluster":                     "needs Cluster API",
	"kubectl wait bmh":                                      "needs an API server",
	"kubectl delete validatingadmissionpolicybindings,vali": "needs an API server",
	"jq -r 'select(.annotations":                            "needs the audit log of an API server",
	"d=$(mktemp -d) && ssh-keygen":                          "needs an API server",
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
	seen := map[string]bool{}
	ran := 0
	for _, page := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		name := filepath.Base(page)
		if name == "cli.md" || name == "performance.md" {
			continue // generated; how its figures are measured again
		}
		for _, block := range commandBlocks(t, page) {
			switch why := reason(seen, block.text); {
			case slices.Contains(procedures[name], block.heading):
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
		if !seen[begins] && !strings.HasPrefix(begins, "make bench") && !strings.Contains(begins, "go") {
			t.Errorf("no page has %q any more", begins)
		}
	}
	if ran < 8 {
		t.Errorf("%d blocks run: want at least 8", ran)
	}
}

// TestProceduresAreThere: what this file leaves to the tests with real engines is what they run.
func TestProceduresAreThere(t *testing.T) {
	var source []byte
	for _, file := range []string{"procedures_test.go", "label_guard_test.go", "oncall_test.go", "deleted_test.go", "life_test.go", "forge/tutorial_test.go"} {
		content, err := os.ReadFile("../../e2e/" + file)
		check(t, err)
		source = append(source, content...)
	}
	for page, headings := range procedures {
		for _, heading := range headings {
			call := `procedure(t, "` + page + `"`
			if heading != "" {
				call += `, "` + heading + `"`
			}
			if heading != "" && !bytes.Contains(source, []byte(call)) {
				t.Errorf("e2e: no %s", call)
			}
		}
	}
}

type block struct {
	// heading is the one of the second level above it, empty before the first.
	heading, text string
}

func commandBlocks(t *testing.T, page string) []block {
	t.Helper()
	content, err := os.ReadFile(page)
	check(t, err)
	var (
		found   []block
		heading string
	)
	check(t, ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(content)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Heading:
			switch node.Level {
			case 1:
				heading = ""
			case 2:
				heading = string(node.Lines().Value(content))
			}
		case *ast.CodeBlock:
			if lines := string(node.Lines().Value(content)); program.MatchString(lines) && !strings.HasPrefix(lines, "sipgen: ") {
				found = append(found, block{heading, lines})
			}
		case *ast.FencedCodeBlock:
			if lines := string(node.Lines().Value(content)); string(node.Language(content)) == "sh" {
				found = append(found, block{heading, lines})
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
