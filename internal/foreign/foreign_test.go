package foreign

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// tree is a tree in fleet/.
var tree = []string{
	".sipgen.yaml",
	"PLAN.md",
	"clusters/bank/bank/assignments.yaml",
	"clusters/bank/bank/capi/kustomization.yaml",
	"clusters/bank/bank/infra/deployment.yaml",
	"clusters/bank/bank/infra/jump/sshd_config",
	"clusters/bank/bank/infra/kustomization.yaml",
	"clusters/bank/bank/infra/loadbalancer.cfg",
	"flux/kustomization.yaml",
	"flux/root.yaml",
}

func file(name string, lines ...string) File {
	return File{Path: name, Text: []byte(strings.Join(lines, "\n") + "\n")}
}

// check compares what is found for an engine with the words of the only problem, none if empty.
func check(t *testing.T, in Input, want string) {
	t.Helper()
	err := Check(in)
	switch {
	case want == "" && err != nil:
		t.Errorf("Argo CD %t: found %v, want nothing", in.ArgoCD, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")):
		t.Errorf("Argo CD %t: found %v, want one problem with %q", in.ArgoCD, err, want)
	}
}

// Only sipgen writes in the folders of the tree. What it will write itself is publish's to refuse.
func TestFilesInTheTree(t *testing.T) {
	for name, refused := range map[string]bool{
		"clusters/bank/bank/infra/Kustomization":   true,
		"clusters/bank/bank/hosts/.sourceignore":   true,
		"clusters/README.md":                       true,
		"flux/.argocd-source.yaml":                 true,
		"flux":                                     true, // a link in its place
		"clusters/bank/bank/infra/deployment.yaml": false,
		"README.md":                                false,
		"argocd/x.yaml":                            false,
		"docs/kustomization.yaml":                  false,
	} {
		for _, argo := range []bool{false, true} {
			want := ""
			if top, _, _ := strings.Cut(name, "/"); refused {
				want = "fleet/" + name + ": sipgen did not write it, and only sipgen writes in fleet/" + top +
					": move it"
			}
			check(t, Input{ArgoCD: argo, Prefix: "fleet", Tree: tree, Others: []string{name}}, want)
		}
	}
	var many []string
	for i := range mostNamed + 5 {
		many = append(many, fmt.Sprint("clusters/x", i))
	}
	if err := Check(Input{Tree: tree, Others: many}); err == nil || strings.Count(err.Error(), "\n") != mostNamed ||
		!strings.HasSuffix(err.Error(), "\n5 files more that sipgen did not write") {
		t.Errorf("found %v", err)
	}
}

// What Flux does not see it prunes.
func TestHiddenFiles(t *testing.T) {
	const all = "hides fleet/clusters/bank/bank/assignments.yaml and 7 other files of the tree from Flux"
	for _, row := range []struct {
		why    string
		around []File
		want   string
	}{
		{"everything, from the top", []File{file(".sourceignore", "# all", "", "/*")},
			`.sourceignore: line 3: "/*" ` + all},
		{"everything, and shown again", []File{file(".sourceignore", "/*", "!/fleet")}, ""},
		{"everything, and shown again below",
			[]File{file("fleet/.sourceignore", "!*.cfg"), file(".sourceignore", "*.cfg")}, ""},
		{"shown above, and hidden below", []File{file("fleet/.sourceignore", "*.cfg"), file(".sourceignore", "!*.cfg")},
			"fleet/.sourceignore: line 1: "},
		{"one kind of files", []File{file(".sourceignore", "*.cfg")},
			`hides fleet/clusters/bank/bank/infra/loadbalancer.cfg from Flux`},
		{"a folder", []File{file(".sourceignore", "clusters/")},
			`"clusters/" hides fleet/clusters/bank/bank/assignments.yaml and 5 other files`},
		{"a folder by its path", []File{file("fleet/.sourceignore", "/clusters/bank/bank/infra/jump/")},
			"jump/sshd_config"},
		{"components", []File{file(".sourceignore", "capi/")}, "capi/kustomization.yaml from Flux"},
		{"other folders, and what no engine reads", []File{file(".sourceignore", "/docs", "*.md", "testdata/")}, ""},
		{"a link", []File{{Path: ".sourceignore", NoFile: true}}, ".sourceignore: found a link"},
		{"many lines", []File{file(".sourceignore", slices.Repeat([]string{"x"}, mostLines+1)...)},
			"more than 1000 lines"},
	} {
		t.Run(row.why, func(t *testing.T) {
			check(t, Input{Prefix: "fleet", Tree: tree, Around: row.around}, row.want)
			check(t, Input{ArgoCD: true, Prefix: "fleet", Tree: tree, Around: row.around}, "")
		})
	}
	for _, folder := range []string{".github/fleet", "sites.zip", "a/.circleci"} {
		check(t, Input{Prefix: folder, Tree: tree}, "and 7 other files of the tree: Flux ignores ")
		check(t, Input{ArgoCD: true, Prefix: folder, Tree: tree}, "")
	}
	check(t, Input{Prefix: "sites.zip", Tree: tree, Around: []File{file(".sourceignore", "!sites.zip")}}, "")
}

// What git checks out with other bytes Argo CD applies so. A pattern that is hard to read may match.
func TestRewrittenFiles(t *testing.T) {
	const at = ".gitattributes: line 1: "
	for _, row := range []struct{ line, want string }{
		{"* text=auto eol=crlf", at + `"eol=crlf" may have git check out`},
		{"*.cfg ident", at + `"ident"`},
		{"\t*.cfg\t-text filter=crypt", at + `"filter=crypt"`},
		{"*.cfg working-tree-encoding", at},
		{"*.cfg working-tree-encoding=UTF-16", at},
		{"*.cfg ident\x00x", at},
		{"ident ident", ""},
		{"loadbalancer.cfg ident", at},
		{"/fleet/clusters/** eol=crlf", at},
		{"**/* eol=crlf", at},
		{"*.c[!x]g eol=crlf", at},
		{`"*.cfg" eol=crlf`, at},
		{"\xef\xbb\xbf*.cfg eol=crlf", at},
		{"[attr]crypt filter=git-crypt", at},
		{"f*/clusters/bank/bank/infra/*.cfg eol=crlf", at},
		{"* text=auto diff merge=union export-ignore", ""},
		{"*.yaml text eol=lf -ident !filter -working-tree-encoding", ""},
		{"*.png filter=lfs diff=lfs merge=lfs -text", ""},
		{"/docs/** eol=crlf", ""},
		{"fleet/ eol=crlf", ""},
		{"", ""},
	} {
		in := Input{ArgoCD: true, Prefix: "fleet", Tree: tree, Around: []File{file(".gitattributes", row.line)}}
		check(t, in, row.want)
		in.ArgoCD = false
		check(t, in, "")
	}
	check(t, Input{ArgoCD: true, Prefix: "fleet", Tree: tree,
		Around: []File{file("fleet/.gitattributes", "/clusters/** ident")}}, "fleet/.gitattributes: line 1")
	check(t, Input{ArgoCD: true, Prefix: "fleet", Tree: tree,
		Around: []File{file("fleet/.gitattributes", "/fleet/** ident")}}, "")
	check(t, Input{ArgoCD: true, Tree: tree, Around: []File{{Path: ".gitattributes", NoFile: true}}},
		".gitattributes: found a link")
	check(t, Input{ArgoCD: true, Tree: tree,
		Around: []File{file(".gitattributes", slices.Repeat([]string{"x"}, mostLines+1)...)}}, "more than 1000 lines")
}

// A kustomization above that includes the tree has it applied a second time.
func TestIncludingKustomizations(t *testing.T) {
	for _, row := range []struct{ file, prefix, text, want string }{
		{"kustomization.yaml", "fleet", "resources: [fleet/clusters/bank/bank/infra]",
			`kustomization.yaml: "fleet/clusters/bank/bank/infra" includes a part of the tree`},
		{"fleet/Kustomization", "fleet", "bases: [./flux/]", `"./flux/" includes`},
		{"fleet/kustomization.yml", "fleet", "components: [clusters/bank/bank/infra]", "includes"},
		{"kustomization.yaml", "", "resources: [clusters/bank/bank/infra/deployment.yaml]", "includes"},
		{"kustomization.yaml", "fleet", "resources: [docs, clusters/bank, ../flux, 'https://git.example.org/fleet//flux']", ""},
		{"kustomization.yaml", "fleet", "components: [fleet/clusters/bank/bank/capi]\nresources: [fleet/flux/root.yaml]", ""},
		{"kustomization.yaml", "fleet", "resources: {", ""},
	} {
		for _, argo := range []bool{false, true} {
			check(t, Input{ArgoCD: argo, Prefix: row.prefix, Tree: tree, Around: []File{file(row.file, row.text)}},
				row.want)
		}
	}
}
