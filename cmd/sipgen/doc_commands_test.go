package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// offline is what stands in, on a machine without cluster and network, for what a page names.
var offline = strings.NewReplacer(
	"init --inventory cluster --repo https://git.example.org/fleet.git",
	"init --inventory hosts --repo https://git.example.org/fleet.git",
	"git clone --quiet https://git.example.org/fleet.git", `git clone --quiet "$HOME/fleet.git"`,
	"../sipgen/examples/two-tenants/hosts", "../hosts",
	"--inventory cluster", "--inventory hosts", "https://git.example.org/fleet.git", "fleet.git", "--repo ...",
	"--repo fleet.git",
	"sipgen plan ... ", "sipgen plan $ALL ", "sipgen publish ... ", "sipgen publish $ALL ",
	"bin/sipgen", "sipgen", "COMMIT", "HEAD~1",
)

var program = regexp.MustCompile(`(?m)^(\$ )?(bin/sipgen|sipgen|kubectl|make|git|go|docker|jq|export|cd|test "\S+|test -n|test ! -e|command -v|then=\S+|commit=\S+|d=\$|sha256sum|[A-Z_]+=\S+) `)

// TestCommandsOfThePages runs the commands of README.md, CONTRIBUTING.md and the pages below docs in a folder that has
// two-tenants and its repository. A block begins with ```sh, and may have a name: blocks of one name are the steps of
// one procedure, and run in one shell. A procedure that a test of e2e reads is run there, and one that cannot be run
// has a reason in notRun. Targets of make have to exist.
func TestCommandsOfThePages(t *testing.T) {
	for _, name := range []string{"bash", "make", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			need.Missing(t, name)
		}
	}
	root := need.Value(filepath.Abs("../.."))(t)
	elsewhere := runElsewhere(t)
	prepared := t.TempDir()
	require.NoError(t, os.CopyFS(prepared, os.DirFS(filepath.Join(root, "examples", "two-tenants"))))
	shell(t, prepared, "what the pages take as given", pageSetup)
	syncHosts(func(err error) { require.NoError(t, err) }, filepath.Join(prepared, "tree"),
		filepath.Join(prepared, "hosts"))
	seen, ran := map[string]string{}, 0
	for _, page := range handPages(t) {
		name := need.Value(filepath.Rel(root, page))(t)
		for _, block := range procedures(commandBlocks(t, page)) {
			if other := seen[block.name]; block.name != "" && other != "" {
				t.Errorf("%s and %s have blocks named %q", other, name, block.name)
			}
			seen[block.name] = name
			switch {
			case elsewhere(block.name) || notRun[block.name] != "":
			case strings.HasPrefix(block.text, "make "):
				wantTargets(t, root, name, block.text)
			case strings.HasPrefix(block.text, "$ "):
				wantOutput(t, root, name, block.text)
				ran++
			default:
				runOffline(t, prepared, name, block)
				ran++
			}
		}
	}
	for _, names := range []map[string]string{notRun, before, after} {
		for name := range names {
			if seen[name] == "" && !strings.HasSuffix(name, ".md") {
				t.Errorf("no page has commands named %q", name)
			}
		}
	}
	assert.Truef(t, ran >= 8, "%d procedures run: want at least 8", ran)
}

// notRun says why commands of a page are run by no test, by their name.
var notRun = map[string]string{
	"container":        "needs a container engine; TestImage looks into the image, and runs its program",
	"forget-host-key":  "edits the user's own list of known hosts, of which the folder has none",
	"images-by-digest": "finds images, and so ends with 1: lint.txtar has it",
	"move-namespace":   "needs two sites: TestMoveNamespace has them",
	"measure-memory":   "asks the kubelet for the memory of a pod",
	"registry":         "asks a registry of images",
	"restart-service":  "restarts pods, and no test's API server runs any",
	"signatures":       "asks for what a tag publishes",
}

// runElsewhere says of a name whether a test of e2e, or TestLostTree, reads the procedure: by the first word, which it
// asks for, and the others, which it has.
func runElsewhere(t *testing.T) func(name string) bool {
	t.Helper()
	var source strings.Builder
	for _, pattern := range []string{"../../e2e/*_test.go", "../../e2e/*/*_test.go", "seal_test.go",
		"restoring_test.go"} {
		files := need.Value(filepath.Glob(pattern))(t)
		for _, file := range files {
			source.WriteString(read(t, file))
		}
	}
	return func(name string) bool {
		words := strings.Fields(name)
		if len(words) == 0 {
			return false
		}
		for i, word := range words {
			want := `"` + word + `"`
			if i == 0 {
				want = `rocedure(t, ` + want
			}
			if !strings.Contains(source.String(), want) {
				return false
			}
		}
		return true
	}
}

// handPages are the pages with commands that are written by hand.
func handPages(t *testing.T) (pages []string) {
	t.Helper()
	root := need.Value(filepath.Abs("../.."))(t)
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "docs"),
		func(file string, entry fs.DirEntry, err error) error {
			switch name := entry.Name(); {
			case err != nil:
				return err
			case name == "adr":
				return fs.SkipDir
			case strings.HasSuffix(name, ".md") && name != "cli.md" &&
				name != "performance.md": // whose figures take minutes
				pages = append(pages, file)
			}
			return nil
		}))
	return append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"))
}

// block is a block of commands, and procedures are blocks of one name, joined.
type block struct{ name, text string }

func procedures(blocks []block) (joined []block) {
	for _, next := range blocks {
		if at := slices.IndexFunc(joined, func(b block) bool { return b.name == next.name }); at >= 0 &&
			next.name != "" {
			joined[at].text += next.text
			continue
		}
		joined = append(joined, next)
	}
	return joined
}

func commandBlocks(t *testing.T, page string) (found []block) {
	t.Helper()
	content := []byte(read(t, page))
	require.NoError(t, ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(content)),
		func(node ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch node := node.(type) {
			case *ast.CodeBlock:
				if lines := string(node.Lines().Value(content)); program.MatchString(lines) && !strings.HasPrefix(lines,
					"sipgen: ") {
					t.Errorf("%s: want ```sh before\n%s", page, lines)
				}
			case *ast.FencedCodeBlock:
				if string(node.Language(content)) == "sh" {
					found = append(found,
						block{strings.TrimPrefix(strings.TrimPrefix(string(node.Info.Segment.Value(content)), "sh"),
							" "), string(node.Lines().Value(content))})
				}
			}
			return ast.WalkContinue, nil
		}))
	return found
}

// namedBlocks are the blocks of one name, of whatever page has them.
func namedBlocks(t *testing.T, name string) (texts []string) {
	t.Helper()
	for _, page := range handPages(t) {
		for _, b := range commandBlocks(t, page) {
			if b.name == name {
				texts = append(texts, b.text)
			}
		}
	}
	require.Truef(t, len(texts) != 0, "no page has commands named %q", name)
	return texts
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
		out, err := exec.Command("make", append([]string{"-n", "-C", root}, fields[1:]...)...).CombinedOutput()
		assert.Truef(t, err == nil, "%s: %s: %v\n%s", page, line, err, out)
	}
}

// wantOutput runs what stands behind "$ ", and wants the rest of the block as its output.
func wantOutput(t *testing.T, root, page, text string) {
	t.Helper()
	command, want, _ := strings.Cut(strings.TrimPrefix(text, "$ "), "\n")
	cmd := exec.Command("bash", "-c", offline.Replace(command))
	cmd.Dir = root
	out, err := cmd.Output()
	assert.Truef(t, err == nil && unpadded(string(out)) == unpadded(want), "%s: $ %s: %v: found\n%s\nwant\n%s", page,
		command, err, out, want)
}

// unpadded leaves out the spaces that fill a table, at the ends of lines.
func unpadded(text string) string {
	return strings.TrimSpace(regexp.MustCompile(`(?m) +$`).ReplaceAllString(text, ""))
}

// runOffline runs a block in a shell that ends with the first command that fails, in a copy of what was prepared.
func runOffline(t *testing.T, prepared, page string, block block) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(prepared)))
	shell(t, dir, page, before[page]+before[block.name]+offline.Replace(block.text)+after[block.name])
}

// pageSetup makes what the pages take as given: specs in a repository, a rendered tree that is synced, the fleet's
// repository, a snapshot.
const pageSetup = `git init -q -b main . && git config user.name me && git config user.email me@example.org
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
		"sign-commits": "mkdir ~/.ssh && ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519\n",
		"docs/fleet.md": "mkdir -p sites/dc1 && sed 's/^  name: .*/&\\n  labels: {wave: \"1\"}/; s#tenants\\]#../../&#; " +
			"s#inventory: #&../../#' site.yaml >sites/dc1/site.yaml\n",
		"trial": "git checkout -q hosts && unset SIPGEN_REPO\n",
		"docs/hosts-in-git.md": "for of in tenants hosts; do mkdir -p made/base made/overlays/dc1 && mv $of/* made/base && (cd made && " +
			"ls base >list && sed 's/^/- /; 1s/^/resources:\\n/' list >base/kustomization.yaml && rm list && printf 'resources: [../../base]\n' >overlays/dc1/kustomization.yaml) && " +
			"rm -r $of && mv made $of; done && mv tenants specs\n",
		// A stand-in of NetBox, with a switch, and one of kubectl that notes what it is asked for. A spreadsheet saved
		// the file.
		"labels-from-elsewhere": "export NETBOX=https://netbox.example.org NETBOX_TOKEN=t PATH=$PWD/bin:$PATH && mkdir bin && " +
			"printf '#!/bin/sh\\necho \"$@\" >>asked\\ntest \"$5\" != sw1\\n' >bin/kubectl && printf '#!/bin/sh\\ncat netbox.json\\n' >bin/curl && chmod +x bin/* && " +
			`echo '{"next": null, "results": [{"name": "r1n1-cp", "rack": {"name": "r1"}, "position": 12.0}, {"name": "spare", "rack": null, "position": null}, {"name": "--all", "rack": {"name": "r1"}, "position": 1.0}, {"name": "sw1", "rack": {"name": "r1"}, "position": 40.0}, {"name": "n2", "rack": {"name": "room 1 rack 2"}, "position": 2.0}]}' >netbox.json` + "\n" +
			"awk() { sed -i 's/$/\\r/' hosts.csv && command awk \"$@\"; }\n",
		"live-trial": "rm -rf site.yaml tenants fleet.git && unset SIPGEN_REPO\n",
		"restore-file": "git config --global user.name me && git config --global user.email me@example.org && git clone -q fleet.git broken && cd broken && " +
			"file=clusters/tenant-a/edge-a/infra/kustomization.yaml && echo '# mine' >>$file && git commit -qam broken && git rm -q flux/policy.yaml && git commit -qam gone\n",
		"restore-tree": "git config --global user.name me && git config --global user.email me@example.org && git clone -q fleet.git broken && cd broken && " +
			"git commit -q --amend -m 'Hosts for the edge (#7)' && git push -qf origin HEAD:main && " + // as a forge does that squashes
			"git rm -q clusters/tenant-a/edge-a/assignments.yaml && git commit -q -m broken && git push -q origin HEAD:main && cd ..\n"}
	after = map[string]string{"labels-from-elsewhere": "grep -x 'label bmh -n vino-system r1n1-cp --overwrite --field-manager=inventory example.org/rack=r1 example.org/position=12' asked\n" +
		"! grep -e spare -e ' --all' asked\ngrep 'n2 .*/rack=room-1-rack-2 ' asked\n",
		"restore-file": "git diff --exit-code HEAD~3 -- $file\n",
		"restore-tree": "git diff --exit-code HEAD~2\ngit diff --exit-code origin/main\n" +
			"test $commit = \"$(git rev-parse HEAD~2)\"\n"}
)

func shell(t *testing.T, dir, page, script string) {
	t.Helper()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "SIPGEN_PREVIOUS=", "SIPGEN_REPO=fleet.git",
		"ALL=--site site.yaml -f tenants --inventory hosts")
	out, err := cmd.CombinedOutput()
	assert.Truef(t, err == nil, "%s: %v\n%s\n---\n%s", page, err, script, out)
}

// TestFormerTreeGoesTwice: the step that deletes the former tree may be repeated, and never takes what is typed behind
// it for names of files.
func TestFormerTreeGoesTwice(t *testing.T) {
	const setup = `git init -q --bare -b main fleet.git && git clone -q fleet.git fleet 2>&1 && cd fleet && mkdir new
git config user.name me && git config user.email me@example.org && touch former.yaml new/PLAN.md
printf 'files:\n- path: former.yaml\n' >.sipgen.yaml
git add . && git commit -qm tree && git push -q origin main && cd ..
export fleet=$PWD/fleet OLD=. FOLDER=new
`
	for _, name := range []string{"switch to-argocd", "switch to-flux", "switch names"} {
		blocks := namedBlocks(t, name)
		step := blocks[len(blocks)-1]
		dir := t.TempDir()
		shell(t, dir, name, setup+"step() {\n"+step+"}\nstep\n! echo '- path: new/PLAN.md' | step\n"+
			"test \"$(git -C fleet ls-files)\" = new/PLAN.md && test -z \"$(git -C fleet status --short)\"\n")
	}
}

// TestHandOverStops: the functions of the procedure "switch to-argocd" hand over what kubectl finds of a tree, folder
// by folder, and fail where there is no tree, where kubectl cannot read, and where an object has changed meanwhile.
// TestProcedures runs them on a real API server.
func TestHandOverStops(t *testing.T) {
	for _, name := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(name); err != nil {
			need.Missing(t, name)
		}
	}
	var functions string
	for _, text := range namedBlocks(t, "switch to-argocd") {
		if strings.HasPrefix(text, "hand_over()") {
			functions = text
		}
	}
	require.Truef(t, functions != "", "no page has a function hand_over")
	const found = `{"kind":"Service","metadata":{"name":"lb","namespace":"a","managedFields":[{"manager":"x","operation":"Apply"},{"manager":"old","operation":"Apply"}]}}`
	for _, row := range []struct {
		why, kubectl, tree, want string
		fails                    bool
	}{
		{"a tree", `if [ $1 = get ]; then echo '` + found + `'; else echo "$@"; fi`, "tree",
			"/metadata/managedFields/1/manager", false},
		{"no tree", "exit 9", "none", "no tree in none: nothing was handed over", true},
		{"no API server", "exit 9", "tree", "not handed over: tree/policy", true},
		{"an object that changed", `if [ $1 = get ]; then echo '` + found + `'; else exit 9; fi`, "tree",
			"not handed over: tree/policy", true},
	} {
		t.Run(row.why, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"tree/policy/kustomization.yaml": "", "tree/clusters/a/b/hosts/kustomization.yaml": "",
				"bin/kubectl": "#!/bin/sh\n" + row.kubectl + "\n",
			} {
				need.Executable(t, filepath.Join(dir, name), text)
			}
			cmd := exec.Command("bash", "-c", functions+"\nhand_over_tree "+row.tree+" old new")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			assert.Truef(t, (err != nil) == row.fails && strings.Contains(string(out), row.want), "%v:\n%s", err, out)
			if !row.fails && strings.Count(string(out), row.want) != 4 {
				t.Errorf("want a test and a replacement in each of two folders:\n%s", out)
			}
		})
	}
}
