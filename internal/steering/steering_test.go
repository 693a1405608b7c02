package steering

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

var tree = []string{
	"fleet/PLAN.md",
	"fleet/clusters/bank/bank/infra/kustomization.yaml",
	"fleet/clusters/bank/bank/infra/deployment.yaml",
	"fleet/clusters/bank/bank/infra/loadbalancer.cfg",
	"fleet/clusters/bank/bank/assignments.yaml",
	"fleet/flux/kustomization.yaml",
	"fleet/flux/root.yaml",
	"fleet/clusters/bank/bank/infra/jump/sshd_config",
}

// written are files with contents that do not matter.
func written(names ...string) map[string][]byte {
	tree := map[string][]byte{}
	for _, name := range names {
		tree[name] = []byte("x: y\n")
	}
	return tree
}

func file(name string, lines ...string) File {
	return File{Path: name, Text: []byte(strings.Join(lines, "\n") + "\n")}
}

func TestCheck(t *testing.T) {
	const infra = "fleet/clusters/bank/bank/infra/"
	for name, row := range map[string]struct {
		others       []File
		flux, argocd string // what the only problem says, empty: none
	}{
		"nothing": {},
		"a second kustomization": {
			[]File{file(infra+"kustomization.yml", "resources: []")},
			infra + "kustomization.yml: sipgen did not write it", infra + "kustomization.yml: sipgen did not write it"},
		"a third name, as a link": {
			[]File{{Path: infra + "Kustomization", NoFile: true}}, "", "sipgen did not write it"},
		"a kustomization where the engine builds nothing": {[]File{file("fleet/clusters/bank/bank/kustomization.yml")}, "", ""},
		"Argo CD's overrides": {
			[]File{file(infra+".argocd-source.yaml", "kustomize: {namePrefix: x-}")}, "", infra + ".argocd-source.yaml: sipgen did not write it, and Argo CD builds"},
		"Argo CD's overrides for one Application": {
			[]File{file("fleet/flux/.argocd-source-sipgen-lab.yaml")}, "", "fleet/flux/.argocd-source-sipgen-lab.yaml"},
		"Argo CD's overrides above": {[]File{file("fleet/clusters/bank/.argocd-source.yaml")}, "", ""},

		"everything is hidden, from the top": {
			[]File{file(".sourceignore", "# all", "", "/*")}, `.sourceignore: line 3: "/*" hides fleet/clusters/bank/bank/infra/deployment.yaml and 5 other files of the tree from Flux`, ""},
		"and shown again":                     {[]File{file(".sourceignore", "/*", "!/fleet")}, "", ""},
		"and shown again by another spelling": {[]File{file(".sourceignore", "/*", "!fleet/")}, "", ""},
		"only YAML is hidden, and Flux builds an empty folder": {
			[]File{file(".sourceignore", "*.yaml")}, `"*.yaml" hides fleet/clusters/bank/bank/infra/deployment.yaml and 3 other files`, ""},
		"the files of a folder below a kustomization": {
			[]File{file(".sourceignore", "sshd_*")}, `"sshd_*" hides ` + infra + "jump/sshd_config from Flux", ""},
		"a folder is hidden": {
			[]File{file(".sourceignore", "clusters/")}, `"clusters/" hides fleet/clusters/bank/bank/infra/deployment.yaml and 3 other files`, ""},
		"one file is hidden, in the tree's own folder": {
			[]File{file(infra+".sourceignore", "deployment.yaml")}, infra + `.sourceignore: line 1: "deployment.yaml" hides ` + infra + "deployment.yaml from Flux", ""},
		"the folder is hidden at the top and shown again in it":    {[]File{file(".sourceignore", "*.cfg"), file("fleet/.sourceignore", "!*.cfg")}, "", ""},
		"other folders are hidden, and files that no engine reads": {[]File{file(".sourceignore", "/docs", "*.md", "assignments.yaml", "testdata/")}, "", ""},
		"a link of git's file": {[]File{{Path: "fleet/.gitattributes", NoFile: true}}, "", "fleet/.gitattributes: found a link, and git may read"},
		"a link of Flux' file": {[]File{{Path: ".sourceignore", NoFile: true}}, ".sourceignore: found a link", ""},

		"CRLF for all": {
			[]File{file(".gitattributes", "* text=auto eol=crlf")}, "",
			".gitattributes: line 1: git checks out fleet/clusters/bank/bank/infra/deployment.yaml and 5 other files of the tree for Argo CD with different bytes than sipgen wrote (eol=crlf)"},
		"CRLF for one kind": {
			[]File{file(".gitattributes", "*.md eol=lf", "*.cfg eol=crlf")}, "", ".gitattributes: line 2: git checks out " + infra + "loadbalancer.cfg for Argo CD"},
		"CRLF for others":              {[]File{file(".gitattributes", "*.bat eol=crlf", "/docs/** eol=crlf", "fleet/ eol=crlf", "/ eol=crlf")}, "", ""},
		"CRLF, and not in our folder":  {[]File{file(".gitattributes", "* eol=crlf", "/fleet/** -text -ident -filter -working-tree-encoding")}, "", ""},
		"CRLF, and not for binaries":   {[]File{file(".gitattributes", "* eol=crlf", "* binary")}, "", ""},
		"not CRLF, and then it is":     {[]File{file(".gitattributes", "* -text", "*.cfg text")}, "", ""},
		"CRLF in the folder after all": {[]File{file(".gitattributes", "* eol=lf"), file("fleet/.gitattributes", "*.cfg eol=crlf")}, "", "fleet/.gitattributes: line 1: "},
		"line ends of the machine":     {[]File{file(".gitattributes", "* text=auto", "*.yaml text eol=lf", "*.cfg diff=ini merge=union export-ignore")}, "", ""},
		"a filter":                     {[]File{file(".gitattributes", "*.yaml filter=lfs diff=lfs merge=lfs -text")}, "", "(filter=lfs)"},
		"a filter by a macro":          {[]File{file(".gitattributes", "[attr]crypt filter=git-crypt", "fleet/clusters/** crypt")}, "", "line 2: git checks out fleet/clusters/"},
		"keywords":                     {[]File{file(".gitattributes", "*.cfg ident")}, "", "(ident)"},
		"another encoding":             {[]File{file(".gitattributes", "*.cfg working-tree-encoding=UTF-16")}, "", "(working-tree-encoding=UTF-16)"},
		"CRLF below any folder":        {[]File{file(".gitattributes", "**/* text eol=crlf")}, "", "and 5 other files"},
		"CRLF below the tree's folder": {[]File{file(".gitattributes", "fleet/**/* eol=crlf")}, "", "and 5 other files"},
		"CRLF by an exception":         {[]File{file(".gitattributes", "*.c[!x]g eol=crlf")}, "", "loadbalancer.cfg for Argo CD"},
		"CRLF by a class":              {[]File{file(".gitattributes", "*.c[[:alpha:]]g eol=crlf")}, "", "loadbalancer.cfg for Argo CD"},
		"CRLF behind a mark":           {[]File{file(".gitattributes", "\xef\xbb\xbf*.cfg eol=crlf")}, "", "line 1: git checks out " + infra + "loadbalancer.cfg"},
		"CRLF not behind a mark":       {[]File{file(".gitattributes", "*.cfg eol=crlf"), file("fleet/.gitattributes", "\xef\xbb\xbf*.cfg -text")}, "", ".gitattributes: line 1"},
		"CRLF behind a long line":      {[]File{file(".gitattributes", "# "+strings.Repeat("x", 70000), "*.cfg eol=crlf")}, "", "line 2: git checks out " + infra + "loadbalancer.cfg"},
		"CRLF, not in any folder":      {[]File{file(".gitattributes", "*.cfg eol=crlf", "fleet/**/* -text")}, "", ""},
		"CRLF, and no more a binary":   {[]File{file(".gitattributes", "* eol=crlf binary", "*.cfg -binary")}, "", "loadbalancer.cfg for Argo CD"},
		"CRLF, and the old name":       {[]File{file(".gitattributes", "* eol=crlf -crlf", "*.yaml text")}, "", "deployment.yaml and 3 other files"},
		"the usual encoding":           {[]File{file(".gitattributes", "* working-tree-encoding=UTF-8", "*.cfg working-tree-encoding=")}, "", ""},
		"an encoding without a name":   {[]File{file(".gitattributes", "*.cfg working-tree-encoding")}, "", "which makes the checkout fail"},
		"a line that git cannot read":  {[]File{file(".gitattributes", "*.cfg eol==", "*.cfg -=x", `"`)}, "", ""},

		"what nobody reads": {[]File{file(infra + "Chart.yaml"), file(infra + ".krmignore"), file(infra + "x.yaml")}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for engine, want := range map[Engine]string{Flux: row.flux, ArgoCD: row.argocd} {
				_, err := Check(engine, written(tree...), row.others)
				switch {
				case want == "" && err != nil:
					t.Errorf("engine %d: found %v, want nothing", engine, err)
				case want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")):
					t.Errorf("engine %d: found %v, want one problem with %q", engine, err, want)
				}
			}
		})
	}
}

// TestFluxDefaults: a folder that Flux leaves out by itself cannot hold a tree.
func TestFluxDefaults(t *testing.T) {
	for _, folder := range []string{".github/fleet", "sites.zip", "a/.circleci"} {
		_, err := Check(Flux, written(folder+"/flux/kustomization.yaml", folder+"/flux/root.yaml"), nil)
		if err == nil || !strings.Contains(err.Error(), "and 1 other file of the tree: Flux ignores ") {
			t.Errorf("%s: found %v", folder, err)
		}
		if _, err := Check(ArgoCD, written(folder+"/argocd/kustomization.yaml"), nil); err != nil {
			t.Errorf("%s: Argo CD reads it; found %v", folder, err)
		}
	}
	shown := []File{file(".sourceignore", "!sites.zip")}
	if _, err := Check(Flux, written("sites.zip/flux/kustomization.yaml"), shown); err != nil {
		t.Errorf("shown again: found %v", err)
	}
}

// TestNames: every file that Check looks at is asked for.
func TestNames(t *testing.T) {
	for _, name := range []string{".sourceignore", ".gitattributes", "kustomization.yml", "Kustomization", ".argocd-source*"} {
		if !slices.Contains(Names(), name) {
			t.Errorf("found %q, want %s among them", Names(), name)
		}
	}
}

// TestPerhaps: no default of Flux' is passed over that matches a path.
func TestPerhaps(t *testing.T) {
	matched := 0
	for _, name := range []string{
		"a/b.yaml", "a.jpg", "x/y.tar.gz/z.yaml", ".git/a", "a/.git", "a/.github/b", ".sops.yaml", "a/b/.sops.yaml", "a/.flux.yaml/b", "appveyor.yml", "a/zip", "a/.zip",
		"sites.zip/a.yaml", ".gitlab-ci.yml/a", "a/.goreleaser.yml",
	} {
		parts := partsOf([]string{name})
		for _, line := range fluxDefaults {
			pattern := gitignore.ParsePattern(line, nil)
			for _, isFolder := range []bool{false, true} {
				matches := pattern.Match(strings.Split(name, "/"), isFolder) != gitignore.NoMatch
				if matches && !perhaps(line, parts) {
					t.Errorf("%s is passed over for %s, which it matches", line, name)
				}
				if matches {
					matched++
				}
			}
		}
		if name == "a/b.yaml" && slices.ContainsFunc(fluxDefaults, func(line string) bool { return perhaps(line, parts) }) {
			t.Error("a default is asked for a/b.yaml")
		}
	}
	if matched < 20 {
		t.Errorf("%d matches", matched)
	}
}

// TestTooManyLines: what takes hours to compare is refused before it is compared.
func TestTooManyLines(t *testing.T) {
	tree := written("fleet/kustomization.yaml")
	for engine, name := range map[Engine]string{Flux: ".sourceignore", ArgoCD: ".gitattributes"} {
		one := File{Path: name, Text: []byte(strings.Repeat("*.jpg x\n", mostLines/2))}
		if _, err := Check(engine, tree, []File{one}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		other := one
		other.Path = "fleet/" + name
		_, err := Check(engine, tree, []File{one, other})
		if want := other.Path + ": with this file, the " + name + " files in the tree's folders and above have more than 10000 lines"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, want %q", name, err, want)
		}
	}
}
