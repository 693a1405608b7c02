package root

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/airshipit/sipgen/internal/manifest"
)

func TestSource(t *testing.T) {
	const (
		flux = "kind: GitRepository\nmetadata: {name: a}\nspec: {url: 'https://u:secret@h/x.git', ref: {branch: main}}\n" +
			"---\nkind: Kustomization\nmetadata: {name: a}\nspec: {path: ./flux}\n"
		argo = "kind: AppProject\nmetadata: {name: a}\nspec: {sourceRepos: ['https://h/x.git']}\n---\nkind: Application\n" +
			"metadata: {name: a}\nspec: {source: {repoURL: 'https://h/x.git', targetRevision: prod, path: argocd}}\n"
	)
	of := func(text string) Source {
		documents, err := manifest.Parse("root.yaml", []byte(text))
		require.NoError(t, err)
		return Of(documents...)
	}
	assert.Equal(t, Source{"https://u:secret@h/x.git", "main", "./flux"}, of(flux))
	assert.Equal(t, Source{"https://h/x.git", "prod", "argocd"}, of(argo))
	assert.Equal(t, Source{}, of("kind: ConfigMap\nmetadata: {name: a}\n"))
	assert.Equal(t, "branch main, folder ./flux", of(flux).Unlike(of(argo)), "no login, and nothing that is the same")
	assert.Equal(t, "folder none", Source{URL: "a"}.Unlike(Source{URL: "a", Folder: "b"}))
	assert.Empty(t, of(flux).Unlike(of(flux)))
}
