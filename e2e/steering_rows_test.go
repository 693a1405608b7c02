package e2e_test

import "strings"

// outcome is what an engine makes of a commit that has files of others beside a tree.
type outcome string

const (
	asWritten outcome = ""        // what the tree says is applied
	fails     outcome = "fails"   // the sync fails, and everything stays as it was
	differs   outcome = "differs" // something else is applied, or only a part of it, and the rest is pruned
	pruned    outcome = "pruned"  // everything is pruned
)

// steeredRow are files of others, and what engines make of them.
type steeredRow struct {
	name string
	// files by their path in the repository. One that begins with "-> " is a link.
	files        map[string]string
	flux, argocd outcome
	// careful: sipgen refuses the files though the engines here take no notice. The row says why. In the tree's folders
	// it refuses every file.
	careful string
	// unseen: sipgen says nothing, though the sync fails. The row says why.
	unseen string
	// folder of the tree, "fleet" if empty.
	folder string
	// alone: with the files of other rows it would be about something else.
	alone bool
}

const steeredApp = "fleet/app/"

func one(path string, lines ...string) map[string]string {
	return map[string]string{path: strings.Join(lines, "\n") + "\n"}
}

// wholeRepository is why sipgen says nothing: the file may be anywhere, is none of the tree's folders' and fails the
// sync of every folder at once, visibly.
const wholeRepository = "Argo CD refuses the whole repository"

var steeredRows = []steeredRow{
	{name: "nothing"},

	// Flux' .sourceignore.
	{name: "a generator's file is hidden", files: one(".sourceignore", "*.cfg"), flux: fails},
	{name: "hidden in a folder of the tree", files: one("fleet/.sourceignore", "# ours", "", "app/x.cfg"), flux: fails},
	{name: "hidden by a line with CRLF, after a line that shows it",
		files: map[string]string{".sourceignore": "!*.cfg\r\n*.cfg\r\n"}, flux: fails},
	{name: "hidden above, shown in the folder",
		files: map[string]string{".sourceignore": "*.cfg\n", steeredApp + ".sourceignore": "!x.cfg\n"}, alone: true},
	{name: "the folder's files are hidden", files: one(steeredApp+".sourceignore", "*"), flux: pruned},
	{name: "all YAML is hidden", files: one(".sourceignore", "*.yaml"), flux: pruned},
	{name: "the folder is hidden", files: one(".sourceignore", "/fleet/app/"), flux: fails},
	{name: "the kustomization is hidden", files: one(".sourceignore", "kustomization.yaml"), flux: differs},
	{name: "everything is hidden, and shown again", files: one(".sourceignore", "/*", "!/fleet"), flux: asWritten},
	{name: "what no engine reads is hidden", files: one(".sourceignore", "*.md", "/docs/"), flux: asWritten},
	{name: "another folder's", files: one("docs/.sourceignore", "*"), flux: asWritten},
	{name: "a link to a list", files: map[string]string{".sourceignore": "-> docs/list", "docs/list": "*.cfg\n"},
		flux: fails},
	{name: "a folder that Flux leaves out", folder: ".github", flux: fails},
	{name: "a folder that Flux leaves out, but for a list", folder: ".github", files: one(".sourceignore", "/docs/"),
		careful: "without the list Flux leaves the folder out"},

	// A second kustomization.
	{name: "kustomization.yml", files: one(steeredApp+"kustomization.yml", "resources: []"), flux: fails,
		argocd: fails},
	{name: "Kustomization", files: one(steeredApp+"Kustomization", "resources: []"), flux: fails, argocd: fails},
	{name: "a link as a kustomization", files: map[string]string{steeredApp +
		"kustomization.yml": "-> kustomization.yaml"}, argocd: fails},
	{name: "a kustomization above", files: one("fleet/kustomization.yaml", "namePrefix: other-", "resources: [app]"),
		careful: "an engine that builds it applies the folder a second time"},
	{name: "a folder called so", files: one(steeredApp+"Kustomization/README", "x")},

	// Argo CD's overrides.
	{name: "a prefix", files: one(steeredApp+".argocd-source.yaml", "kustomize: {namePrefix: other-}"),
		argocd: differs},
	{name: "a patch", files: one(steeredApp+".argocd-source.yaml", "kustomize:", "  patches:",
		"  - target: {kind: ConfigMap, name: plain}",
		`    patch: '[{"op": "replace", "path": "/data/text", "value": "other"}]'`), argocd: differs},
	{name: "a link to overrides", files: map[string]string{steeredApp +
		".argocd-source.yaml": "-> ../../docs/overrides.yaml",
		"docs/overrides.yaml": "kustomize: {namePrefix: other-}\n"}, argocd: differs},
	{name: "another tool", files: one(steeredApp+".argocd-source.yaml", "directory: {recurse: true}"), argocd: fails},
	{name: "one Application's", files: one(steeredApp+".argocd-source-APPLICATION.yaml",
		"kustomize: {nameSuffix: -other}"), argocd: differs},
	{name: "another Application's", files: one(steeredApp+".argocd-source-another.yaml",
		"kustomize: {nameSuffix: -other}")},
	{name: "overrides above", files: one("fleet/.argocd-source.yaml", "kustomize: {namePrefix: other-}")},

	// git's attributes.
	{name: "CRLF", files: one(".gitattributes", "*.cfg text eol=crlf"), argocd: differs},
	{name: "CRLF, in the tree", files: one(steeredApp+".gitattributes", "*.cfg text eol=crlf"), argocd: differs},
	{name: "CRLF, taken back by a later line",
		files:   one(".gitattributes", "* eol=crlf", "/fleet/** -text -ident -filter -working-tree-encoding"),
		careful: "each line is read by itself"},
	{name: "keywords", files: one("fleet/.gitattributes", "*.cfg ident"), argocd: differs},
	{name: "an encoding", files: one(".gitattributes", "*.cfg working-tree-encoding=UTF-16"), argocd: differs},
	{name: "no encoding", files: one(".gitattributes", "*.cfg working-tree-encoding"), argocd: fails},
	{name: "a filter that is not installed", files: one(".gitattributes", "*.cfg filter=crypt"),
		careful: "where it is installed, it changes files"},
	{name: "what git archive reads", files: one(".gitattributes", "*.cfg export-ignore export-subst",
		"*.yaml export-ignore")},
	{name: "what the machine decides", files: one(".gitattributes", "* text=auto diff merge=union")},

	// What no engine reads, in a tree that is built with kustomize. In its folders sipgen refuses it all the same.
	{name: "other tools' files", files: map[string]string{
		steeredApp + "Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0\n", steeredApp + "values.yaml": "x: 1\n",
		steeredApp + "templates/x.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata: {name: chart}\n",
		steeredApp + "main.jsonnet":     "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'jsonnet'}}\n",
		steeredApp + "other.yaml":       "kind: ConfigMap\napiVersion: v1\nmetadata: {name: other}\n",
		steeredApp + "plugin.yaml":      "kind: ConfigManagementPlugin\n", steeredApp + ".krmignore": "*\n",
		steeredApp + ".sops.yaml": "creation_rules: []\n", steeredApp + ".flux.yaml": "version: 1\n",
		steeredApp + ".argocd-allow-concurrency": "", steeredApp + ".gitignore": "*\n",
		steeredApp + ".helmignore": "*\n", steeredApp + "kustomization.yaml.original": "resources: []\n",
		".argocd/plugin.yaml": "x\n",
	}},
	{name: "a link within the repository", files: map[string]string{steeredApp + "link.yaml": "-> ../PLAN.md"}},
	{name: "a link out of the repository", files: map[string]string{"docs/hosts": "-> /etc/hosts"}, argocd: fails,
		unseen: wholeRepository},
	{name: "a submodule that nobody can fetch",
		files: map[string]string{".gitmodules": "[submodule \"m\"]\n\tpath = docs/m\n\turl = file:///nowhere\n",
			"docs/m": "=> submodule"}, argocd: fails, unseen: wholeRepository},
	{name: "a list of submodules that git cannot read", files: one(".gitmodules", "[submodule"), argocd: fails,
		unseen: wholeRepository},
}
