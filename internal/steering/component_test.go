package steering

import (
	"maps"
	"strings"
	"testing"
)

// TestHiddenComponent: what is there for others, and applied by nothing in the tree, may be hidden from Flux.
func TestHiddenComponent(t *testing.T) {
	const bank, edge = "fleet/clusters/bank/bank/", "fleet/clusters/bank/edge/"
	component := "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- path: metal3cluster.yaml\n"
	base := map[string]string{
		"fleet/flux/kustomization.yaml":          "resources:\n- bank.bank.yaml\n",
		"fleet/flux/bank.bank.yaml":              "spec:\n  path: ./fleet/clusters/bank/bank/infra\n  targetNamespace: capi\n",
		bank + "infra/kustomization.yaml":        "resources:\n- deployment.yaml\n",
		bank + "infra/deployment.yaml":           "metadata:\n  name: capi\n",
		bank + "capi/kustomization.yaml":         component,
		bank + "capi/metal3cluster.yaml":         "metadata:\n  name: bank # capi\n",
		bank + "capi/dex-bank/authentication":    "issuer\n",
		edge + "capi/kustomization.yaml":         component,
		edge + "capi/metal3cluster.yaml":         "metadata:\n  name: edge\n",
		"fleet/clusters/bank/bank/notes/capi.md": "../capi",
	}
	capi := `line 1: "capi/" hides ` + bank + "capi/dex-bank/authentication and 2 other files of the tree from Flux"
	for name, row := range map[string]struct {
		lines []string
		more  map[string]string
		want  string // what the only problem says, empty: none
		warn  string // and the only warning
	}{
		"all of them":             {lines: []string{"capi/"}, warn: `line 1: "capi/" hides ` + bank + "capi/dex-bank/authentication and 4 other files of the tree from Flux"},
		"one of them":             {lines: []string{"/fleet/clusters/bank/edge/capi"}, warn: `line 1: "/fleet/clusters/bank/edge/capi" hides ` + edge + "capi/kustomization.yaml and 1 other file"},
		"what is in them":         {lines: []string{"**/capi/**"}, warn: `line 1: "**/capi/**" hides `},
		"a file in them":          {lines: []string{"metal3cluster.yaml"}, warn: `line 1: "metal3cluster.yaml" hides `},
		"with their paths":        {lines: []string{"/fleet/clusters/*/*/capi/*"}, warn: `line 1: "/fleet/clusters/*/*/capi/*" hides `},
		"and something else":      {lines: []string{"capi/", "deployment.yaml"}, warn: `line 1: "capi/" hides `, want: `line 2: "deployment.yaml" hides ` + bank + "infra/deployment.yaml from Flux"},
		"by a line for more":      {lines: []string{"bank/"}, want: `line 1: "bank/" hides ` + bank + "infra/deployment.yaml and 1 other file of the tree from Flux"},
		"no component":            {lines: []string{"capi/"}, more: map[string]string{bank + "capi/kustomization.yaml": "kind: Kustomization\npatches:\n- patch: |\n    kind: Component\n"}, want: capi},
		"applied by Flux":         {lines: []string{"capi/"}, more: map[string]string{"fleet/flux/bank.bank.yaml": "spec:\n  path: ./fleet/clusters/bank/bank/capi\n"}, want: capi},
		"and at the top":          {lines: []string{"capi/"}, more: map[string]string{"fleet/flux/bank.bank.yaml": `spec: {path: "clusters/bank/bank/capi/"}`}, want: capi},
		"included":                {lines: []string{"capi/"}, more: map[string]string{bank + "infra/kustomization.yaml": "components: [../capi]\n"}, want: capi},
		"one file of it included": {lines: []string{"capi/"}, more: map[string]string{bank + "infra/kustomization.yaml": "resources:\n- ../capi/metal3cluster.yaml\n"}, want: capi},
		"another folder of the name": {
			lines: []string{"capi/"}, more: map[string]string{"fleet/site/capi/kustomization.yaml": component}, want: `line 1: "capi/" hides fleet/site/capi/kustomization.yaml from Flux`},
	} {
		t.Run(name, func(t *testing.T) {
			tree := map[string][]byte{}
			texts := maps.Clone(base)
			maps.Copy(texts, row.more)
			for name, content := range texts {
				tree[name] = []byte(content)
			}
			warnings, err := Check(Flux, tree, []File{file(".sourceignore", row.lines...)})
			switch {
			case row.warn != "" && (len(warnings) != 1 || !strings.HasPrefix(warnings[0], ".sourceignore: "+row.warn) || !strings.Contains(warnings[0], "Nothing in the tree applies them")):
				t.Errorf("found the warnings %q, want one with %q", warnings, row.warn)
			case row.warn == "" && len(warnings) > 0:
				t.Errorf("found the warnings %q, want none", warnings)
			case row.want == "" && err != nil:
				t.Errorf("found %v, want nothing", err)
			case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "\n")):
				t.Errorf("found %v, want one problem with %q", err, row.want)
			}
		})
	}
}

// TestTreeInAFolderCalledCapi: the tree's own folder is no component, whatever it is called.
func TestTreeInAFolderCalledCapi(t *testing.T) {
	const folder = "clusters/bank/bank/capi"
	tree := written(folder+"/flux/kustomization.yaml", folder+"/clusters/a/capi/infra/kustomization.yaml", folder+"/clusters/a/b/capi/metal3cluster.yaml")
	tree[folder+"/clusters/a/b/capi/kustomization.yaml"] = []byte("kind: Component\n")
	_, err := Check(Flux, tree, []File{file(".sourceignore", "capi/")})
	if err == nil || !strings.Contains(err.Error(), `"capi/" hides `+folder+"/clusters/a/capi/infra/kustomization.yaml and 1 other file of the tree") {
		t.Errorf("found %v", err)
	}
}
