package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/airshipit/sipgen/internal/manifest"
)

// read returns the documents of paths. A folder with a kustomization is built, and its other files are not read.
// kustomize keeps global state, so read must not run twice at the same time.
func read(paths []string, stdin io.Reader) ([]manifest.Document, error) {
	var (
		manifests []string
		docs      []manifest.Document
		errs      []error
	)
	for _, path := range paths {
		if !isKustomization(path) {
			manifests = append(manifests, path)
			continue
		}
		found, err := build(path)
		docs = append(docs, found...)
		errs = append(errs, err)
	}
	limits := manifest.Inventory
	limits.Empty = true
	found, err := limits.Read(manifests, stdin)
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

// regularFiles lets kustomize read only regular files, within limits: a pipe would block it forever, and it expands
// aliases before their size is known. err is the first refusal, which kustomize may ignore.
type regularFiles struct {
	filesys.FileSystem
	left int64
	err  error
}

func (r *regularFiles) ReadFile(path string) ([]byte, error) {
	limits := manifest.Inventory
	limits.File = min(limits.File, r.left)
	text, err := limits.ReadFile(path)
	// kustomize tries files that do not exist
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !r.FileSystem.IsDir(path) && r.err == nil {
		r.err = err
	}
	r.left -= int64(len(text))
	return text, err
}

// build returns kustomize's result for a folder. kustomize's own error is not passed on: it quotes literals,
// documents and URLs, which may hold secrets.
func build(folder string) ([]manifest.Document, error) {
	files := &regularFiles{FileSystem: filesys.MakeFsOnDisk(), left: manifest.Inventory.Total}
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, folder)
	if files.err != nil {
		return nil, files.err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: kustomize: the folder does not build; kubectl kustomize %s shows why", folder, folder)
	}
	text, err := resources.AsYaml()
	if err != nil {
		return nil, fmt.Errorf("%s: kustomize: what it built is no YAML", folder)
	}
	return manifest.Inventory.Parse(filepath.ToSlash(folder), text)
}
