package main

import (
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

// offline is what stands in, on a machine without cluster and network, for what a page names.
var offline = strings.NewReplacer(
	"init --inventory cluster --repo https://git.example.org/fleet.git", "init --inventory hosts --repo https://git.example.org/fleet.git",
	"git clone --quiet https://git.example.org/fleet.git", `git clone --quiet "$HOME/fleet.git"`,
	"../sipgen/examples/two-tenants/hosts", "../hosts",
	"--inventory cluster", "--inventory hosts", "https://git.example.org/fleet.git", "fleet.git", "--repo ...", "--repo fleet.git",
	"sipgen plan ... ", "sipgen plan $ALL ", "sipgen publish ... ", "sipgen publish $ALL ", "--evict bank       #", "--evict tenant-b || [ $? -eq 2 ] #", "--evict bank", "--evict tenant-b",
	"bin/sipgen", "sipgen", "COMMIT", "HEAD~1",
)

var program = regexp.MustCompile(`(?m)^(\$ )?(bin/sipgen|sipgen|kubectl|make|git|go|docker|jq|export|cd|test "\S+|test -n|test ! -e|command -v|then=\S+|commit=\S+|d=\$|sha256sum|[A-Z_]+=\S+) `)

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
		for _, block := range inOneShell(name, commandBlocks(t, page)) {
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
				runOffline(t, root, name, block)
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

// oneShell are the sections whose blocks are the steps of one procedure, which go on where the one before has left the shell.
var oneShell = []string{"safety.md, A tree that is refused", "safety.md, A wrong commit was merged"}

func inOneShell(page string, blocks []block) (joined []block) {
	for _, next := range blocks {
		if last := len(joined) - 1; last >= 0 && joined[last].headings == next.headings && slices.Contains(oneShell, page+", "+next.headings) {
			joined[last].text += next.text
			continue
		}
		joined = append(joined, next)
	}
	return joined
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
func runOffline(t *testing.T, root, page string, block block) {
	t.Helper()
	dir := t.TempDir()
	check(t, os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples", "two-tenants"))))
	shell(t, dir, page, setup)
	syncHosts(func(err error) { check(t, err) }, filepath.Join(dir, "tree"), filepath.Join(dir, "hosts"))
	part := page
	if block.headings != "" && before[page] == "" {
		part += ", " + block.headings
	}
	shell(t, dir, page, before[part]+offline.Replace(block.text)+after[part])
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
		"tutorial.md, Without a live cluster, or without a forge": "git checkout -q hosts && git config --global user.name me && git config --global user.email me@example.org\n",
		"safety.md, A tree that is refused": "git config --global user.name me && git config --global user.email me@example.org && git clone -q fleet.git broken && cd broken && " +
			"git commit -q --amend -m 'Hosts for the edge (#7)' && git push -qf origin HEAD:main && " + // as a forge does that squashes
			"git rm -q clusters/tenant-a/edge-a/assignments.yaml && git commit -q -m broken && git push -q origin HEAD:main && cd ..\n"}
	after = map[string]string{"safety.md, A tree that is refused": "git diff --exit-code HEAD~2\ngit diff --exit-code origin/main\n" +
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
