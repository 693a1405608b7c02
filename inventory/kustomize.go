package inventory

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/airshipit/sipgen/manifest"
)

// read gives the documents of paths. A folder that is a kustomization is built; what else lies in it
// is not looked at. kustomize keeps global state, so read is not to run twice at the same time.
func read(paths []string, stdin io.Reader) ([]manifest.Document, error) {
	var (
		plain []string
		docs  []manifest.Document
		errs  []error
	)
	for _, path := range paths {
		if !isKustomization(path) {
			plain = append(plain, path)
			continue
		}
		found, err := build(path)
		docs = append(docs, found...)
		errs = append(errs, err)
	}
	found, err := manifest.Read(plain, stdin)
	return append(docs, found...), errors.Join(append(errs, err)...)
}

func isKustomization(path string) bool {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		if info, err := os.Stat(filepath.Join(path, name)); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

// build gives what kustomize makes of a folder. kustomize's own message is not passed on: it quotes
// literals, documents and URLs, which may hold secrets.
func build(folder string) ([]manifest.Document, error) {
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, fmt.Errorf("%s: kustomize: the folder does not build; kubectl kustomize %s says why", folder, folder)
	}
	text, err := resources.AsYaml()
	if err != nil {
		return nil, fmt.Errorf("%s: kustomize: what it built is no YAML", folder)
	}
	return manifest.Parse(filepath.ToSlash(folder), text)
}
